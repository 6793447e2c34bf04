"""Better cuts by exchange: a cut joint returns to the tree, and another joint of its loop is cut instead.

The cost of a tree is a triple, compared from the left:

    1. the sum of the reluctances of its cuts, and LIGHT_END for every branch that ends in a body without mass or inertia;
    2. Σ rows² × joints in the loop, over all cuts: the work for the loop's own block of C M⁻¹ Cᵀ;
    3. Σ depth over all bodies.

If C(f) is the loop closed by the cut f, then after cutting e ∈ C(f) instead, C(e) = C(f), and every other loop that contained e
becomes C(g) △ C(f); so the second sum is brought up to date without looking at the rest of the graph.
"""

from __future__ import annotations

from math import log2

from sharnir.topology.cut_cost import LIGHT_END
from sharnir.topology.spanning_tree import SpanningTree

EFFORT = 20  # exchanges end after EFFORT · n log₂ n looks at an edge, where n counts vertices and edges


def improve(tree: SpanningTree) -> None:
    """Exchange joints of a tree as long as its cost falls (or the effort allows); no joint goes against its quaternion.

    >>> import sharnir as sr
    >>> from sharnir.topology.graph import graph_of
    >>> from sharnir.topology.spanning_tree import shortest_paths
    >>> m = sr.Model()
    >>> _ = m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1)) for name in "ab"), sr.Ball("O", "ground", "a"))
    >>> _ = m.add(sr.Revolute("A", "a", "b", axis="z"), sr.Revolute("B", "ground", "b", axis="z"))
    >>> tree = shortest_paths(graph_of(m), [])
    >>> before = tree.cuts()
    >>> improve(tree)
    >>> before, tree.cuts()
    ([1], [0])
    """
    graph = tree.graph
    cuts = [edge for edge in tree.cuts() if graph.usable[edge]]
    if not cuts:
        return
    exchange = _Exchange(tree, cuts)
    changed = True
    while changed:  # the cost falls with every exchange, so this ends
        changed = False
        for cut in sorted(exchange.cuts, key=lambda e: (-graph.reluctance[e], -graph.rows[e], e)):
            choice = exchange.best(cut)
            if choice is not None:
                exchange.apply(cut, choice)
                changed = True


class _Exchange:
    """Sizes of branches, number of tree joints at each body, loops and what runs through each joint."""

    def __init__(self, tree: SpanningTree, cuts: list[int]) -> None:
        self.tree, self.graph = tree, tree.graph
        n, m = len(tree.edge), len(tree.graph.joints)
        self.effort = int(EFFORT * (n + m) * log2(n + m + 1))
        self.cuts = set(cuts)
        self.loops: dict[int, set[int]] = {}  # cut -> edges of its loop
        self.through: dict[int, set[int]] = {}  # edge -> cuts whose loop it is in
        self.degree = [0] * n
        for v in range(n):
            if tree.above[v] >= 0:
                self.degree[tree.above[v]] += 1
                self.degree[v] += 1
        for root in tree.roots:
            self.degree[root] += 1  # the free joint
        self.size = _sizes(tree)
        self.weight = [rows**2 for rows in tree.graph.rows]
        self._index()

    def _index(self) -> None:
        """Loops of all cuts and what runs through each edge; given up (only reluctances count then) if that is too much."""
        for cut in sorted(self.cuts):
            loop = set(self.tree.loop(cut))
            self.effort -= len(loop)
            if self.effort <= 0:
                self.effort = EFFORT * len(self.graph.names)
                self.loops, self.through = {}, {}
                return
            self.loops[cut] = loop
            for edge in loop:
                self.through.setdefault(edge, set()).add(cut)

    def best(self, cut: int) -> tuple[int, int, int] | None:
        """(edge, side, place on that side) of the exchange that lowers the cost most, or None."""
        if self.effort <= 0:
            return None
        sides = self.tree.sides(cut)
        length = len(sides[0]) + len(sides[1]) + 1
        common: dict[int, int] = {}  # other loop -> edges it shares with this one
        for edge in self.loops.get(cut, ()):
            self.effort -= 2 * len(self.through[edge])
            for other in self.through[edge]:
                common[other] = common.get(other, 0) + 1
        self.effort -= length
        found: tuple[tuple[int, int, int], tuple[int, int, int]] | None = None
        for side in (0, 1):
            if self.graph.against(cut, self.graph.ends[cut][1 - side]):
                continue
            for place, change, deeper in self._candidates(cut, sides, side):
                edge = self.tree.edge[sides[side][place]]
                longer = (self.weight[edge] - self.weight[cut]) * length
                for other in self.through.get(edge, ()):
                    if other != cut:
                        longer += self.weight[other] * (length - 2 * common[other])
                delta = (change, longer, deeper)
                if delta < (0, 0, 0) and (found is None or delta < found[0]):
                    found = (delta, (edge, side, place))
        return None if found is None else found[1]

    def _candidates(self, cut: int, sides: tuple[list[int], list[int]], side: int) -> list[tuple[int, int, int]]:
        """(place, change of reluctance, change of the sum of depths) for edges worth cutting on one side of the loop.

        Cutting above vertex k of the side turns round the way from there down to the cut joint, which then hangs on the other
        side: vertex i at height h - i over the meeting point comes to stand at height 1 + h' + i.
        """
        graph, tree = self.graph, self.tree
        way, h, other_h = sides[side], len(sides[side]), len(sides[1 - side])
        found, deeper, inner = [], 0, 0
        for i, vertex in enumerate(way):
            deeper += (self.size[vertex] - inner) * (1 + other_h + 2 * i - h)
            inner = self.size[vertex]
            edge = tree.edge[vertex]
            change = graph.reluctance[edge] - graph.reluctance[cut] + LIGHT_END * self._light_ends(cut, edge)
            rows = graph.rows[edge] - graph.rows[cut]
            fewer = rows < 0 or (rows == 0 and deeper <= 0)  # a joint of equal cost must not make the tree deeper
            if change < 0 or (change == 0 and fewer and self.loops):
                found.append((i, change, deeper))
            if graph.one_way[edge]:
                break  # farther cuts would turn this joint round
        return found

    def _light_ends(self, cut: int, edge: int) -> int:
        """Change of the number of light bodies at ends of branches when `cut` comes into the tree and `edge` leaves it."""
        light, degree = self.graph.light, self.degree
        gone, come = self.graph.ends[edge], self.graph.ends[cut]
        more = sum(light[v] and degree[v] == 2 and v not in come for v in gone)
        return more - sum(light[v] and degree[v] == 1 and v not in gone for v in come)

    def apply(self, cut: int, choice: tuple[int, int, int]) -> None:
        """Make the exchange."""
        edge, side, place = choice
        sides = self.tree.sides(cut)
        self._update_loops(cut, edge)
        self._turn_round(cut, sides[side], place, sides[1 - side])
        for v in self.graph.ends[edge]:
            self.degree[v] -= 1
        for v in self.graph.ends[cut]:
            self.degree[v] += 1
        self.cuts.remove(cut)
        self.cuts.add(edge)

    def _update_loops(self, cut: int, edge: int) -> None:
        """C(e) = C(f); C(g) ← C(g) △ C(f) where e ∈ C(g)."""
        if not self.loops:
            return
        loop = self.loops.pop(cut)
        others = [other for other in self.through[edge] if other != cut]
        for member in loop:
            through = self.through[member]
            through.discard(cut)
            through.symmetric_difference_update(others)
            through.add(edge)
        for other in others:
            self.loops[other] ^= loop
        self.loops[edge] = loop
        self.effort -= len(loop) * (1 + len(others))

    def _turn_round(self, cut: int, way: list[int], place: int, other_way: list[int]) -> None:
        """Hang the branch above vertex `place` of the way on the other end of the cut joint; bring sizes up to date."""
        tree, size = self.tree, self.size
        moved = size[way[place]]
        for v in way[place + 1 :]:
            size[v] -= moved
        for v in other_way:
            size[v] += moved
        edge, above, inner = cut, tree.graph.other(cut, way[0]), 0
        for v in way[: place + 1]:
            tree.edge[v], edge = edge, tree.edge[v]
            tree.above[v], above = above, v
            size[v], inner = moved - inner, size[v]


def _sizes(tree: SpanningTree) -> list[int]:
    """Number of vertices in the branch of each vertex, itself among them."""
    n = len(tree.above)
    size, missing = [1] * n, [0] * n
    for above in tree.above:
        if above >= 0:
            missing[above] += 1
    ready = [v for v in range(n) if missing[v] == 0]
    while ready:
        v = ready.pop()
        above = tree.above[v]
        if above >= 0:
            size[above] += size[v]
            missing[above] -= 1
            if missing[above] == 0:
                ready.append(above)
    return size
