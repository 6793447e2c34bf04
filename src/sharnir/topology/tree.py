"""Regular numbering of a tree of bodies: the joint into body i has number i, and parent[i] < i (Ivanov et al. 2012, §1).

The order is depth first, children in the order in which their joints were declared. It is regular, the same for the same
model, and it keeps a body beside its parent in memory, where that paper's peeling of leaves would put them far apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sharnir.model import Attachment, Free
from sharnir.topology.cut_cost import constraint_rows
from sharnir.topology.exchange import improve
from sharnir.topology.graph import GROUND, Graph, graph_of, loose_roots
from sharnir.topology.spanning_tree import SpanningTree, shortest_paths
from sharnir.topology.weld import other_end, welds

if TYPE_CHECKING:
    from sharnir.model import Model


@dataclass(frozen=True)
class Tree:
    """Bodies in regular numbering, each with the joint that leads to it, and the joints that were cut to open the loops.

    `reversed[i]` says that joint i was declared from the far side: its `parent` is the body it leads to. `loose` names the
    bodies that no joint of the tree connects with the ground, each of another part: they were given a free joint. `cuts` are in
    the order of declaration. `opposed` names those that were cut because their quaternion would have to be passed backwards.

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
    cuts: tuple[Any, ...] = ()
    opposed: tuple[str, ...] = ()

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

    @cached_property
    def loops(self) -> tuple[tuple[str, ...], ...]:
        """For every cut joint the names of the joints in its loop: itself, then on from its child round to its parent."""
        return tuple(self._loop(joint) for joint in self.cuts)

    def _loop(self, joint: Any) -> tuple[str, ...]:
        a, b = self.number[joint.child], self.number[joint.parent]
        down: list[str] = []
        up = [joint.name]
        while a != b:  # parent < body: the larger number cannot be an ancestor of the other
            if a > b:
                up.append(self.joints[a].name)
                a = self.parent[a]
            else:
                down.append(self.joints[b].name)
                b = self.parent[b]
        return (*up, *reversed(down))

    def path(self, i: int) -> tuple[int, ...]:
        """Joints from the base to body i, in order.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1)) for name in "ab"))
        >>> _ = m.add(sr.Revolute("A", "ground", "a", axis="z"), sr.Revolute("B", "a", "b", axis="z"))
        >>> build_tree(m).path(1)
        (0, 1)
        """
        found = []
        while i >= 0:
            found.append(i)
            i = self.parent[i]
        return tuple(reversed(found))

    def describe(self) -> str:
        """The tree as indented text, one line per joint, then the cut joints.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("A", "ground", "a", axis="z"))
        >>> print(build_tree(m).describe())
        ground
          A (Revolute) -> a
        """
        lines, loose = [GROUND], set(self.loose)
        for i, name in enumerate(self.bodies):
            joint = self.joints[i]
            note = ", declared from the far side" if self.reversed[i] else ""
            note = ", added: no joint leads to the ground" if name in loose else note
            lines.append("  " * self.depth[i] + f"{joint.name} ({type(joint).__name__}{note}) -> {name}")
        for joint, loop in zip(self.cuts, self.loops, strict=True):
            what = f"cut: {joint.name} ({type(joint).__name__}) between {joint.parent} and {joint.child}"
            lines.append(f"{what}, {constraint_rows(joint)} rows, loop {' '.join(loop)}")
        return "\n".join(lines)


def build_tree(model: Model, cut: Iterable[str] = (), apart: bool = False) -> Tree:
    """The tree of a model. Parts that touch nothing get a free joint; in every loop one joint is cut.

    `cut` names joints that must be among the cut ones; the others are chosen: see `sharnir.topology.exchange` for the cost.
    `apart`: what only such joints hold floats, on a free joint; otherwise they must close loops.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> print(build_tree(m).describe())
    ground
      stone (Free, added: no joint leads to the ground) -> stone
    >>> _ = m.add(sr.Revolute("A", "ground", "stone", axis="z"), sr.Ball("B", "ground", "stone"))
    >>> [joint.name for joint in build_tree(m).cuts], [joint.name for joint in build_tree(m, cut=["A"]).cuts]
    (['B'], ['A'])
    """
    graph = graph_of(model, cut, apart)
    spanning, opposed = _spanned(graph)
    return _numbered(graph, spanning, model, tuple(graph.joints[edge].name for edge in opposed))


def _spanned(graph: Graph) -> tuple[SpanningTree, list[int]]:
    """The tree of a graph. No joint is passed against its quaternion, and flexible bodies are entered at their frames only.

    A joint that would have to be is cut instead; a body that nothing else leads to gets a free joint. Also the edges of those
    that were cut for their quaternion.
    """
    opposed: list[int] = []
    while True:
        spanning = shortest_paths(graph, loose_roots(graph))
        improve(spanning)
        wrong = _passed_wrongly(spanning) if any(graph.one_way) else []
        if not wrong:
            return spanning, opposed
        for edge in wrong:
            graph.usable[edge] = False
        opposed += [edge for edge in wrong if graph.joints[edge].coordinates != "angles"]


def _passed_wrongly(spanning: SpanningTree) -> list[int]:
    """Edges to be cut, with none of them below another: those below may be passed the other way from a new root."""
    graph, wrong, below = spanning.graph, [], _edges_below(spanning.graph, spanning)
    waiting = [*below[0], *(v for root in spanning.roots for v in below[root])]
    while waiting:
        vertex = waiting.pop()
        edge, above = spanning.edge[vertex], spanning.above[vertex]
        if not graph.against(edge, above):
            waiting += below[vertex]
        elif not isinstance(graph.joints[edge], Attachment):
            wrong.append(edge)
        elif spanning.edge[above] >= 0:  # from a node to the flexible body that it grows on
            wrong.append(spanning.edge[above])
        else:
            waiting += below[vertex]
    return wrong


def loose_bodies(model: Model) -> set[str]:
    """Names of the bodies that carry a free joint which the model has not."""
    graph = graph_of(model, ())
    return {graph.names[root] for root in (_spanned(graph)[0].roots if any(graph.one_way) else loose_roots(graph))}


def free_tree(model: Model) -> Tree:
    """Every body on a free joint, in the order of declaration, and every joint cut: the tree of absolute coordinates.

    A body without mass or inertia cannot fly by itself: where Fixed joints lead to it, it stays on one of them.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "bob", axis="z"))
    >>> tree = free_tree(m)
    >>> tree.joints[0].name, tree.parent, tree.cuts[0].name
    ('bob', (-1,), 'O')
    >>> _ = m.add(sr.Body("sign", mass=0), sr.Fixed("screw", "bob", "sign"))
    >>> print(free_tree(m).describe())
    ground
      bob (Free) -> bob
        screw (Fixed) -> sign
    cut: O (Revolute) between ground and bob, 5 rows, loop O bob
    """
    weld = welds(model)
    below: dict[str, list[str]] = {name: [] for name in (GROUND, *model.bodies)}
    for name in model.bodies:
        above = other_end(weld[name], name) if name in weld else GROUND
        below[above].append(name)
    stack = [(name, -1) for name in reversed(below[GROUND])]
    bodies: list[str] = []
    parent: list[int] = []
    while stack:
        name, above_number = stack.pop()
        stack += [(child, len(bodies)) for child in reversed(below[name])]
        bodies.append(name)
        parent.append(above_number)
    joints = tuple(weld.get(name) or _free_joint(model, name) for name in bodies)
    turned = tuple(name in weld and weld[name].child != name for name in bodies)
    kept = {joint.name for joint in weld.values()}
    cuts = tuple(joint for joint in model.joints.values() if joint.name not in kept)
    return Tree(tuple(bodies), tuple(parent), joints, turned, (), cuts)


def _free_joint(model: Model, name: str) -> Free:
    """The joint of a body that nothing holds, named as the body, or so that the name is new."""
    joint = name
    while joint in model.joints or (joint != name and joint in model.bodies):
        joint += "_free"
    return Free(joint, GROUND, name)


def _numbered(graph: Graph, spanning: SpanningTree, model: Model, opposed: tuple[str, ...]) -> Tree:
    """Depth-first numbering without recursion: cables have 10⁵ bodies."""
    below = _edges_below(graph, spanning)
    number = [-1] * len(graph.names)
    order: list[int] = []
    stack = [(root, -1) for root in reversed(spanning.roots)]
    stack += [(v, -1) for v in reversed(below[0])]
    parent: list[int] = []
    while stack:
        vertex, above = stack.pop()
        i = number[vertex] = len(order)
        order.append(vertex)
        parent.append(above)
        following = below[vertex]
        if len(following) == 1:
            stack.append((following[0], i))
        else:
            stack += [(v, i) for v in reversed(following)]
    edges = [spanning.edge[v] for v in order]
    joints = [graph.joints[e] if e >= 0 else _free_joint(model, graph.names[v]) for e, v in zip(edges, order, strict=True)]
    turned = [e >= 0 and graph.ends[e][0] == v for e, v in zip(edges, order, strict=True)]
    bodies, loose = tuple(graph.names[v] for v in order), tuple(graph.names[v] for v in spanning.roots)
    cuts = tuple(graph.joints[edge] for edge in spanning.cuts())
    return Tree(bodies, tuple(parent), tuple(joints), tuple(turned), loose, cuts, opposed)


def _edges_below(graph: Graph, spanning: SpanningTree) -> list[list[int]]:
    """Children of every vertex in the order in which their joints were declared."""
    below: list[list[int]] = [[] for _ in graph.names]
    led = [-1] * len(graph.joints)  # the vertex to which every edge leads
    for v, edge in enumerate(spanning.edge):
        if edge >= 0:
            led[edge] = v
    for v in led:
        if v >= 0:
            below[spanning.above[v]].append(v)
    return below
