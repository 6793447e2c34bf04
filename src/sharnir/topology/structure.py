"""A model as a graph: bodies, joints, loops, cut joints and the count of freedoms, to print and to draw."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sharnir.model.links import referenced_bodies, referenced_joints
from sharnir.notebook import card
from sharnir.topology.cut_cost import constraint_rows, free_freedoms
from sharnir.topology.planar_loops import planar_loops
from sharnir.topology.tree import Tree, build_tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sharnir.model import Model


@dataclass(frozen=True)
class Loop:
    """An elementary cycle: the joint that is cut in it, all its joints in order, and the equations the cut leaves.

    >>> Loop("B", "Revolute", ("B", "C", "O", "A"), 5, True).rows
    5
    """

    cut: str
    kind: str
    joints: tuple[str, ...]
    rows: int
    planar: bool


@dataclass(frozen=True)
class ForceEdge:
    """A force in the graph: the bodies that it acts on or between, and the joints along which it acts.

    >>> ForceEdge("strut", "Spring", ("ground", "arm")).joints
    ()
    """

    name: str
    kind: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Topology:
    """The graph of a model, its spanning tree and its independent loops; `str()` describes it, `draw()` makes a picture.

    `bodies` and `joints` are in the order of the tree (the cut joints last); `freedoms` are those of all joints, less the ones
    with prescribed motion and mimic joints; `constraints` counts the model's own constraint elements; `forces` are its force
    elements with the bodies and joints that they name.

    >>> import sharnir as sr
    >>> m = sr.Model("four-bar")
    >>> _ = m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1)) for name in ("crank", "rod", "lever")))
    >>> ends = ("ground", "crank"), ("crank", "rod"), ("rod", "lever"), ("ground", "lever")
    >>> _ = m.add(*(sr.Revolute(name, *pair, axis="y") for name, pair in zip("OABC", ends)))
    >>> print(topology(m))
    four-bar: 3 bodies, 4 joints, 1 loop, depth 2
    joints: 4 Revolute
    ground
    ├─ O (Revolute) → crank ─ A (Revolute) → rod
    └─ C (Revolute) → lever
    cut in the loops: 1 joint, 5 equations
      B (Revolute, 5 equations), planar loop of 4: B C O A
    freedoms: 4 in joints - 3 for 1 planar loop = 1; counted in space: 4 - 6 × 1 = -2
    """

    name: str
    tree: Tree
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    kinds: tuple[str, ...]
    loops: tuple[Loop, ...]
    freedoms: int
    constraints: int = 0
    forces: tuple[ForceEdge, ...] = ()

    @property
    def cuts(self) -> tuple[str, ...]:
        """Names of the cut joints."""
        return tuple(loop.cut for loop in self.loops)

    @property
    def depth(self) -> int:
        """The most joints between a body and the ground."""
        return max(self.tree.depth, default=0)

    @property
    def rows(self) -> int:
        """Equations that the cut joints leave, all together."""
        return sum(loop.rows for loop in self.loops)

    @property
    def spatial_mobility(self) -> int:
        """Freedoms of the mechanism by the count of Grübler and Kutzbach in space: those of the joints less 6 per loop."""
        return self.freedoms - 6 * len(self.loops)

    @property
    def mobility(self) -> int:
        """The same count with 3 instead of 6 for planar loops; geometry may give more freedoms than any count says."""
        return self.spatial_mobility + 3 * sum(loop.planar for loop in self.loops)

    @property
    def kind_counts(self) -> dict[str, int]:
        """Number of joints of every kind, the most frequent first."""
        return dict(sorted(Counter(self.kinds).items(), key=lambda item: (-item[1], item[0])))

    def __str__(self) -> str:
        from sharnir.topology.text import description

        return description(self)

    def _repr_html_(self) -> str:
        heading, _, text = str(self).partition("\n")
        return card(heading, text)

    def draw(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A picture: ground below, bodies in layers by depth, cut joints dashed; written to `path` if one is given.

        >>> import sharnir as sr
        >>> m = sr.Model("pendulum")
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "bob", axis="y"))
        >>> len(topology(m).draw().axes)
        1
        """
        from sharnir.topology.picture import draw

        return draw(self, path)


def topology(model: Model, tree: Tree | None = None) -> Topology:
    """The graph of a model as a Topology, with the tree that `build_tree` chooses unless another one is given.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Ball("B", "ground", "a"), sr.Revolute("A", "ground", "a", axis="z"))
    >>> found = topology(m)
    >>> found.cuts, found.loops[0].joints, found.rows, found.mobility
    (('B',), ('B', 'A'), 3, -2)
    """
    tree = build_tree(model) if tree is None else tree
    everything = (*tree.joints, *tree.cuts)
    flat = planar_loops(model, tree.loops)
    return Topology(
        model.name,
        tree,
        tree.bodies,
        tuple(joint.name for joint in everything),
        tuple(type(joint).__name__ for joint in everything),
        tuple(
            Loop(joint.name, type(joint).__name__, ring, constraint_rows(joint), planar)
            for joint, ring, planar in zip(tree.cuts, tree.loops, flat, strict=True)
        ),
        sum(free_freedoms(joint) for joint in everything),
        len(model.constraints),
        tuple(force_edge(force) for force in model.forces.values()),
    )


def force_edge(force: Any) -> ForceEdge:
    """What a force connects.

    >>> from sharnir.model import Spring
    >>> force_edge(Spring("s", "ground", "arm", stiffness=1)).bodies
    ('ground', 'arm')
    """
    bodies, joints = (
        tuple(dict.fromkeys(name for _, name in rows)) for rows in (referenced_bodies(force), referenced_joints(force))
    )
    return ForceEdge(force.name, type(force).__name__, bodies, joints)
