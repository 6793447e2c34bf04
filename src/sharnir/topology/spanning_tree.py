"""Spanning trees of the graph: the shallowest one, and its improvement by exchanging a cut joint with one of its loop."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable

from sharnir.topology.graph import Graph

MESH = 100  # loops from which a graph counts as a mesh


class SpanningTree:
    """For every vertex the edge that leads to it and the vertex above it (-1 for ground and for roots of loose parts).

    >>> import sharnir as sr
    >>> from sharnir.topology.graph import graph_of
    >>> m = sr.Model()
    >>> _ = m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1)) for name in "abc"))
    >>> ends = ("ground", "a"), ("a", "b"), ("b", "c"), ("c", "ground")
    >>> _ = m.add(*(sr.Revolute(name, *pair, axis="z") for name, pair in zip("OABC", ends)))
    >>> shortest_paths(graph_of(m), []).cuts()
    [2]
    """

    def __init__(self, graph: Graph, roots: Iterable[int]) -> None:
        self.graph = graph
        self.roots = tuple(roots)
        self.edge = [-1] * len(graph.names)
        self.above = [-1] * len(graph.names)

    def cuts(self) -> list[int]:
        """Edges that are not in the tree, in declaration order."""
        kept = set(self.edge)
        return [edge for edge in range(len(self.graph.joints)) if edge not in kept]

    def sides(self, edge: int) -> tuple[list[int], list[int]]:
        """Vertices from either end of a cut edge up to where the two ways meet, which is in neither list.

        Both ways are climbed in turn, so that the work is in proportion to the loop, not to the depth of the tree.
        """
        a, b = self.graph.ends[edge]
        ways: tuple[list[int], list[int]] = ([a], [b])
        place: tuple[dict[int, int], dict[int, int]] = ({a: 0}, {b: 0})
        while True:
            for one, other in ((0, 1), (1, 0)):
                vertex = ways[one][-1]
                if vertex in place[other]:
                    ways[one].pop()
                    del ways[other][place[other][vertex] :]
                    return ways
                if self.above[vertex] >= 0:
                    place[one][self.above[vertex]] = len(ways[one])
                    ways[one].append(self.above[vertex])

    def loop(self, edge: int) -> list[int]:
        """Edges of the loop that a cut edge closes, itself among them."""
        left, right = self.sides(edge)
        return [edge, *(self.edge[v] for v in left), *(self.edge[v] for v in right)]


def shortest_paths(graph: Graph, roots: Iterable[int]) -> SpanningTree:
    """The tree in which every body has the fewest joints between itself and the ground (Dijkstra 1959).

    Before that counts that no joint is passed against its quaternion. Among ways of equal length the joint is taken that is the
    more expensive to cut, then the one from a body that leads on already (so that neighbours have close ancestors, and loops
    are short), then the one declared first; in meshes the last rule is drawn by lot, always in the same way.

    >>> import sharnir as sr
    >>> from sharnir.topology.graph import graph_of
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Ball("neck", "ground", "a"), sr.Revolute("hinge", "ground", "a", axis="z"))
    >>> shortest_paths(graph_of(m), []).edge
    [-1, 1]
    """
    tree = SpanningTree(graph, roots)
    if sum(graph.usable) == len(graph.names) - 1 - len(tree.roots):  # no loops: there is one way to each body
        _follow_joints(tree)
        return tree
    distance, order = _distances(graph, tree.roots)
    children, rank = [0] * len(graph.names), _ranks(graph)

    def merit(way: tuple[int, int]) -> tuple[int, ...]:
        edge, above = way
        return (graph.reluctance[edge], graph.rows[edge], children[above], -rank[edge], -edge)

    for vertex in order:
        ways = []
        for edge in graph.at[vertex]:
            above = graph.other(edge, vertex)
            against, depth = distance[above]
            if graph.usable[edge] and (against + graph.against(edge, above), depth + 1) == distance[vertex]:
                ways.append((edge, above))
        if ways:
            tree.edge[vertex], tree.above[vertex] = edge, above = ways[0] if len(ways) == 1 else max(ways, key=merit)
            children[above] += 1
    return tree


def _follow_joints(tree: SpanningTree) -> None:
    """The tree of a graph without loops, in which ground and roots lead to every body."""
    graph, edges, above = tree.graph, tree.edge, tree.above
    at, ends, usable = graph.at, graph.ends, graph.usable
    reached = [0, *tree.roots]
    for vertex in reached:  # grows on the way
        led = edges[vertex]
        for edge in at[vertex]:
            if edge != led and usable[edge]:
                a, b = ends[edge]
                far = b if vertex == a else a
                edges[far], above[far] = edge, vertex
                reached.append(far)


def _ranks(graph: Graph) -> list[int]:
    """Order in which edges are preferred, other things being equal: as declared, in meshes scrambled.

    If all bodies of a mesh choose alike, the tree is a comb, whose loops are three times as long as those of a bushy tree.
    """
    ranks = list(range(len(graph.joints)))
    if len(graph.joints) - len(graph.names) >= MESH:
        random.Random(0).shuffle(ranks)
    return ranks


def _distances(graph: Graph, roots: Iterable[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """(Joints passed against their quaternion, joints passed) on the way to every vertex, and vertices in that order."""
    distance: list[tuple[int, int]] = [(0, -1)] * len(graph.names)
    order: list[int] = []
    heap = [(0, 0, i, root) for i, root in enumerate((0, *roots))]
    pushed = len(heap)
    while heap:
        against, depth, _, vertex = heapq.heappop(heap)
        if distance[vertex][1] >= 0:
            continue
        distance[vertex] = (against, depth)
        order.append(vertex)
        for edge in graph.at[vertex]:
            far = graph.other(edge, vertex)
            if graph.usable[edge] and distance[far][1] < 0:
                heapq.heappush(heap, (against + graph.against(edge, vertex), depth + 1, pushed, far))
                pushed += 1
    return distance, order
