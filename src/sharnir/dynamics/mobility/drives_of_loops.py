"""Which prescribed motions act on a joint or constraint: those in its loop, and in loops that share joints with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sharnir.model.placement import open_joints
from sharnir.topology import build_tree

if TYPE_CHECKING:
    from sharnir.model import Model
    from sharnir.topology import Tree


def loop_drives(model: Model, names: list[str]) -> list[str]:
    """Joints with a prescribed motion, and constraints that change with time, that can move what is named.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> for name in "ab": _ = m.add(sr.Body(name, mass=1, inertia=(1, 1, 1)))
    >>> _ = m.add(sr.Revolute("A", "ground", "a", axis="z", motion="t"), sr.Revolute("B", "a", "b", axis="z"))
    >>> _ = m.add(sr.Distance("rod", "ground", "b", at_a=(1, 0, 0), length="2 + t"))
    >>> loop_drives(m, ["rod"])
    ['A', 'rod']
    """
    tree = build_tree(model, open_joints(model))
    groups = [set(loop) for loop in tree.loops] + [_members(tree, x) for x in model.constraints.values()]
    wanted = set(names)
    found, grown = set(names), True
    while grown:
        touching = [group for group in groups if group & (found | wanted)]
        larger = found.union(*touching) if touching else found
        grown, found = larger != found, larger
    return [name for name in (*model.joints, *model.constraints) if name in found and is_driven_element(_element(model, name))]


def _element(model: Model, name: str) -> Any:
    return model.joints[name] if name in model.joints else model.constraints[name]


def is_driven_element(x: Any) -> bool:
    """True if a joint has a prescribed motion, or if a constraint contains time.

    >>> import sharnir as sr
    >>> is_driven_element(sr.Distance("rope", "ground", "bob", length=1.0))
    False
    """
    return any(getattr(x, "driven", ()))


def _members(tree: Tree, x: Any) -> set[str]:
    """A constraint, its joints, and the joints of the tree between its bodies."""
    paths = [set(tree.path(tree.number[body])) for body in x.bodies]
    common = set.intersection(*paths) if paths else set()
    between = {tree.joints[i].name for path in paths for i in path - common}
    return {x.name, *x.joints, *between}


def quoted(names: list[str]) -> str:
    """Names as a sentence has them.

    >>> quoted(["A", "B", "C"])
    "'A', 'B' and 'C'"
    """
    marked = [f"'{name}'" for name in names[:8]]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"
