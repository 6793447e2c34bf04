"""Regular numbering of a tree of bodies: the joint into body i has number i, and parent[i] < i (Ivanov et al. 2012, §1).

The order is depth first, children in the order in which their joints were declared. It is regular, the same for the same
model, and it keeps a body beside its parent in memory, where the paper's peeling of leaves would put them far apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sharnir.errors import TopologyError
from sharnir.model import Free

if TYPE_CHECKING:
    from sharnir.model import Model

GROUND = "ground"


@dataclass(frozen=True)
class Tree:
    """Bodies in regular numbering, each with the joint that leads to it.

    `reversed[i]` says that joint i was declared from the far side: its `parent` is the body it leads to. `loose` names the
    bodies that no joint connected with the ground, each the first of its part: they were given a free joint.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> for name in "ab": _ = m.add(sr.Body(name, mass=1, inertia=(1, 1, 1)))
    >>> _ = m.add(sr.Revolute("A", "ground", "a", axis="z"), sr.Revolute("B", "a", "b", axis="z"))
    >>> build_tree(m).parent
    (-1, 0)
    """

    bodies: tuple[str, ...]
    parent: tuple[int, ...]
    joints: tuple[Any, ...]
    reversed: tuple[bool, ...]
    loose: tuple[str, ...] = ()

    @cached_property
    def number(self) -> dict[str, int]:
        """Body name → number; ground is -1."""
        return {GROUND: -1} | {name: i for i, name in enumerate(self.bodies)}

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Bodies whose parent is i."""
        lists: list[list[int]] = [[] for _ in self.bodies]
        for i, p in enumerate(self.parent):
            if p >= 0:
                lists[p].append(i)
        return tuple(tuple(c) for c in lists)

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Joints between the base and body i."""
        depth: list[int] = []
        for p in self.parent:
            depth.append(1 if p < 0 else depth[p] + 1)
        return tuple(depth)

    def path(self, i: int) -> tuple[int, ...]:
        """Joints from the base to body i, in order."""
        found = []
        while i >= 0:
            found.append(i)
            i = self.parent[i]
        return tuple(reversed(found))

    def describe(self) -> str:
        """The tree as indented text, one line per joint."""
        lines = [GROUND]
        for i, name in enumerate(self.bodies):
            joint = self.joints[i]
            note = ", declared from the far side" if self.reversed[i] else ""
            note = ", added: no joint leads to the ground" if name in self.loose else note
            lines.append("  " * self.depth[i] + f"{joint.name} ({type(joint).__name__}{note}) -> {name}")
        return "\n".join(lines)


def build_tree(model: Model) -> Tree:
    """The tree of a model. Parts that touch nothing get a free joint; closed loops are refused by name.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> print(build_tree(m).describe())
    ground
      stone (Free, added: no joint leads to the ground) -> stone
    """
    edges: dict[str, list[tuple[Any, str, bool]]] = {name: [] for name in [GROUND, *model.bodies]}
    for joint in model.joints.values():
        edges[joint.parent].append((joint, joint.child, False))
        edges[joint.child].append((joint, joint.parent, True))
    found = _Search(edges)
    found.walk(GROUND, -1)
    children = {joint.child for joint in model.joints.values()}
    loose = []
    # the first body of a loose part that is nobody's child carries its free joint; in a ring of children, the first body
    for candidates in ([name for name in model.bodies if name not in children], model.bodies):
        for name in candidates:
            if name not in found.number:
                loose.append(name)
                found.add(_free_joint(model, name), name, -1, False)
                found.walk(name, found.number[name])
    return Tree(tuple(found.bodies), tuple(found.parent), tuple(found.joints), tuple(found.turned), tuple(loose))


def _free_joint(model: Model, name: str) -> Free:
    joint = name
    while joint in model.joints:
        joint += "_free"
    return Free(joint, GROUND, name)


class _Search:
    """Depth-first search from the base, without recursion: cables have 10⁵ bodies."""

    def __init__(self, edges: dict[str, list[tuple[Any, str, bool]]]) -> None:
        self.edges = edges
        self.bodies: list[str] = []
        self.parent: list[int] = []
        self.joints: list[Any] = []
        self.turned: list[bool] = []
        self.number: dict[str, int] = {GROUND: -1}

    def add(self, joint: Any, body: str, parent: int, turned: bool) -> None:
        if turned and joint.coordinates != "angles":
            raise TopologyError(
                f"joint '{joint.name}' ({type(joint).__name__}) leads from '{joint.parent}' to '{joint.child}', but on the way "
                f"from the ground '{joint.child}' comes first; swap its parent and child (its quaternion belongs to the child)"
            )
        self.number[body] = len(self.bodies)
        self.bodies.append(body)
        self.parent.append(parent)
        self.joints.append(joint)
        self.turned.append(turned)

    def walk(self, start: str, number: int) -> None:
        stack = [(start, number, iter(self.edges[start]))]
        while stack:
            name, i, rest = stack[-1]
            for joint, other, turned in rest:
                if i >= 0 and joint is self.joints[i]:
                    continue  # the joint we came by
                if other in self.number:
                    raise TopologyError(self._loop_message(joint, name, other))
                self.add(joint, other, i, turned)
                stack.append((other, self.number[other], iter(self.edges[other])))
                break
            else:
                stack.pop()

    def _loop_message(self, joint: Any, a: str, b: str) -> str:
        def way(name: str) -> list[int]:
            i, found = self.number[name], []
            while i >= 0:
                found.append(i)
                i = self.parent[i]
            return found

        wa, wb = way(a), way(b)
        common = set(wa) & set(wb)
        names = [self.joints[i].name for i in wa if i not in common] + [joint.name]
        names += [self.joints[i].name for i in reversed(wb) if i not in common]
        return (
            f"joints {', '.join(repr(n) for n in names)} form a closed loop; this version solves trees: "
            f"remove one of them, or replace one by a stiff Bushing or Spring between the same bodies"
        )
