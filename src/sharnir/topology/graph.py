"""The graph of a model: bodies are vertices, ground is vertex 0, joints are edges in the order of their declaration."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from sharnir.errors import TopologyError
from sharnir.model import Attachment
from sharnir.model.links import advice
from sharnir.topology.cut_cost import constraint_rows, is_light, reluctances

if TYPE_CHECKING:
    from sharnir.model import Joint, Model

GROUND = "ground"


@dataclass
class Graph:
    """Vertices and edges as numbers, with what the choice of cuts wants to know about them.

    `usable` edges may stand in the tree; the others are cut already. A `one_way` edge must be passed from its parent to its
    child, because the quaternion among its coordinates belongs to the child.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Body("b", mass=1))
    >>> _ = m.add(sr.Revolute("A", "ground", "a", axis="z"), sr.Revolute("B", "a", "b", axis="z"))
    >>> graph = graph_of(m)
    >>> graph.ends, graph.at
    ([(0, 1), (1, 2)], [[0], [0, 1], [1]])
    """

    model: Model
    names: list[str]
    joints: list[Joint]
    ends: list[tuple[int, int]]  # (parent, child)
    at: list[list[int]]  # edges at each vertex
    one_way: list[bool]
    usable: list[bool] = field(default_factory=list)

    @cached_property
    def rows(self) -> list[int]:
        """Of every edge, the equations that it gives if it is cut; only loops ask."""
        return [constraint_rows(joint) for joint in self.joints]

    @cached_property
    def reluctance(self) -> list[int]:
        """Of every edge, how much is lost if it is cut; only loops ask."""
        return reluctances(self.model)

    @cached_property
    def light(self) -> list[bool]:
        """Whether a vertex is a body without mass or inertia; only loops ask."""
        return [False, *(is_light(body) for body in self.model.bodies.values())]

    def other(self, edge: int, vertex: int) -> int:
        """The far end of an edge."""
        a, b = self.ends[edge]
        return b if vertex == a else a

    def against(self, edge: int, start: int) -> bool:
        """True if passing the edge from `start` goes against its quaternion."""
        return self.one_way[edge] and self.ends[edge][0] != start

    def reach(self, start: int, seen: set[int], allow_against: bool = True) -> list[int]:
        """Vertices that can be reached from `start` and are not in `seen`, which is filled; breadth first."""
        seen.add(start)
        found, at, ends, usable = [start], self.at, self.ends, self.usable
        for vertex in found:  # grows on the way
            for edge in at[vertex]:
                a, b = ends[edge]
                far = b if vertex == a else a
                if far not in seen and usable[edge] and (allow_against or not self.against(edge, vertex)):
                    seen.add(far)
                    found.append(far)
        return found


def graph_of(model: Model, cut: Iterable[str] = (), apart: bool = False) -> Graph:
    """The graph of a model in which the joints named by `cut` are cut already."""
    names = [GROUND, *model.bodies]
    vertex = {name: i for i, name in enumerate(names)}
    joints = list(model.joints.values())
    ends = [(vertex[joint.parent], vertex[joint.child]) for joint in joints]
    at: list[list[int]] = [[] for _ in names]
    for edge, (a, b) in enumerate(ends):
        at[a].append(edge)
        at[b].append(edge)
    holding = {kind for kind in set(map(type, joints)) if issubclass(kind, Attachment)}
    one_way = [joint.coordinates != "angles" or type(joint) in holding for joint in joints]
    graph = Graph(model, names, joints, ends, at, one_way, [True] * len(joints))
    wanted = (cut,) if isinstance(cut, str) else tuple(cut)
    if wanted:
        _cut(graph, wanted, model, apart)
    return graph


def _cut(graph: Graph, cut: Collection[str], model: Model, apart: bool) -> None:
    """Mark joints as cut; every one must close a loop with joints that remain, unless parts may be apart."""
    for name in cut:
        if name not in model.joints:
            raise TopologyError(f"cut = {name!r} is not a joint of the model{advice(name, model.joints)}")
    graph.usable = [joint.name not in cut for joint in graph.joints]
    if apart:
        return
    part = [-1] * len(graph.names)
    seen: set[int] = set()
    for vertex in range(len(graph.names)):
        if vertex not in seen:
            for member in graph.reach(vertex, seen):
                part[member] = vertex
    for edge, (a, b) in enumerate(graph.ends):
        if not graph.usable[edge] and part[a] != part[b]:
            raise TopologyError(
                f"joint '{graph.joints[edge].name}' cannot be cut: without it (and the others to be cut) nothing connects "
                f"'{graph.names[a]}' with '{graph.names[b]}'; cut only one joint of each loop"
            )


def loose_roots(graph: Graph) -> list[int]:
    """The body of every part without a way to the ground that carries its free joint.

    It is the first one that is nobody's child, in a ring of children the first one; unless quaternions forbid to go from there
    to all others, and another body allows it.
    """
    seen: set[int] = set()
    graph.reach(0, seen)
    if len(seen) == len(graph.names):
        return []
    # a flexible body goes before its nodes, though it hangs on one of them
    children = {a if graph.names[a].startswith(f"{graph.names[b]}:") else b for a, b in graph.ends}
    everyone = range(1, len(graph.names))
    order = [v for v in everyone if v not in children] + [v for v in everyone if v in children]
    place = {v: i for i, v in enumerate(order)}
    roots = []
    for vertex in order:
        if vertex not in seen:
            part = graph.reach(vertex, seen)
            roots.append(_root(graph, sorted(part, key=place.__getitem__)))
    return roots


def _root(graph: Graph, part: list[int]) -> int:
    """The first body of a part; if not all others can be reached from it, one from which they can, where there is one.

    If some vertex reaches all, then the last one that had to be started from, taking the vertices in any order, does.
    """
    reached: set[int] = set()
    last = part[0]
    for vertex in part:
        if vertex not in reached:
            last = vertex
            graph.reach(vertex, reached, allow_against=False)
    alone: set[int] = set()
    return last if len(graph.reach(last, alone, allow_against=False)) == len(part) else part[0]
