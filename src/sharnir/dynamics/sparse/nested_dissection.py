"""Nested dissection: halve the graph by small separators, again and again; separators are eliminated last (George 1973)."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.sparse.first_bisection import cut_in_space, grow_half, separate
from sharnir.dynamics.sparse.separator import (
    COARSE,
    TRIALS,
    coarsen,
    graph_at,
    graph_size,
    match_nodes,
    next_random,
    refine,
)
from sharnir.kernel import address, entry, ints, jit, shift
from sharnir.kernel.signatures import Integers

LEAF = 20  # nodes that are not divided further
LEVELS = 40
GRID = 1 << 20  # positions are whole numbers up to it
RUNS = 4  # through all levels, with different pairs of nodes joined; the better one counts
SCRATCH = 12  # numbers per node: mates, order, levels, best parts, then twice four for the log of moves


def nested_dissection(
    n: int, start: np.ndarray, adj: np.ndarray, size: np.ndarray, position: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes in an order where separators follow what they separate, and which of them belong to separators.

    Positions of the nodes in space (n × 3), if given, suggest straight cuts.

    >>> start, adj = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1])
    >>> nodes, is_separator = nested_dissection(3, start, adj, np.ones(3, dtype=np.int64))
    >>> sorted(nodes.tolist()), is_separator.tolist()
    ([0, 1, 2], [False, False, False])
    """
    nodes, separator = np.arange(n), np.zeros(n, dtype=np.int64)
    if position is None:
        position = np.zeros((n, 3))
    extent = float(np.ptp(position, axis=0).max()) or 1.0
    grid = np.rint((position - position.min(axis=0)) * (GRID / extent)).astype(np.int64).ravel()
    memory = np.empty(256 + (SCRATCH + 24) * n + 8 * len(adj), dtype=np.int64)
    dissect(n, start, adj, size, grid, nodes, separator, memory, len(memory))
    return nodes, separator.astype(bool)


@entry
def dissect(
    n: int,
    start: Integers,
    adj: Integers,
    size: Integers,
    position: Integers,
    nodes: Integers,
    separator: Integers,
    memory: Integers,
    capacity: int,
) -> None:
    """Order `nodes` in place: every piece becomes half, half, separator."""
    start, adj, size, position = ints(address(start)), ints(address(adj)), ints(address(size)), ints(address(position))
    nodes, separator, memory = ints(address(nodes)), ints(address(separator)), ints(address(memory))
    local, stack, rest = memory, shift(memory, n), shift(memory, 3 * n + 4)
    for v in range(n):
        local[v] = -1
    stack[0], stack[1] = 0, n
    top = 1
    while top > 0:
        top -= 1
        lo, hi = stack[2 * top], stack[2 * top + 1]
        if hi - lo <= LEAF:
            continue
        m, n0, n1 = hi - lo, 0, 0
        extract(start, adj, size, shift(nodes, lo), m, local, shift(rest, SCRATCH * m))
        n0, n1 = split(shift(nodes, lo), m, position, rest, capacity - 3 * n - 4)
        for k in range(lo + n0 + n1, hi):
            separator[nodes[k]] = 1
        if n0 < m and n1 < m:
            stack[2 * top], stack[2 * top + 1] = lo, lo + n0
            stack[2 * top + 2], stack[2 * top + 3] = lo + n0, lo + n0 + n1
            top += 2


@jit
def extract(start, adj, size, nodes, m, local, memory):
    """The graph of m of the nodes, in their order: counts of nodes and edges, then `graph_at`."""
    for k in range(m):
        local[nodes[k]] = k
    edges = 0
    for k in range(m):
        for i in range(start[nodes[k]], start[nodes[k] + 1]):
            edges += 1 if local[adj[i]] >= 0 else 0
    memory[0], memory[1] = m, edges
    begin, near, weight, sizes, _, _ = graph_at(shift(memory, 2), m, edges)
    e = 0
    for k in range(m):
        begin[k], sizes[k] = e, size[nodes[k]]
        for i in range(start[nodes[k]], start[nodes[k] + 1]):
            if local[adj[i]] >= 0:
                near[e], weight[e] = local[adj[i]], 1
                e += 1
    begin[m] = e
    for k in range(m):
        local[nodes[k]] = -1


@jit
def split(nodes, m, position, memory, capacity):
    """Reorder m nodes, whose graph stands after the scratch memory, into half, half, separator; returns counts of the halves."""
    first = SCRATCH * m
    start, adj, _, size, _, part = graph_at(shift(memory, first + 2), m, memory[first + 1])
    best, least = shift(memory, 3 * m), -1
    for seed in range(RUNS if m > COARSE else 1):
        cost = halve(memory, first, m, capacity, seed)
        if least < 0 or cost < least:
            least = cost
            for k in range(m):
                best[k] = part[k]
    for cut in range(12):  # axis, nodes on the cut, half that gives the separator
        if cut_in_space(m, nodes, position, cut // 4, cut % 4 > 1, part):
            separate(m, start, adj, part, cut % 2)
            cost = refine(m, start, adj, size, part, memory, shift(memory, m), shift(memory, 4 * m), shift(memory, 8 * m))
            if cost < least:
                least = cost
                for k in range(m):
                    best[k] = part[k]
    count, n0, n1 = 0, 0, 0
    for side in range(3):
        for k in range(m):
            if best[k] == side:
                memory[count] = nodes[k]
                count += 1
        n0 = count if side == 0 else n0
        n1 = count - n0 if side == 1 else n1
    for k in range(m):
        nodes[k] = memory[k]
    return n0, n1


@jit
def halve(memory, first, m, capacity, seed):
    """Parts of the graph at `first`: make it coarser, level behind level, halve the last one, carry the parts back.

    Returns their cost.
    """
    mate, order, levels = memory, shift(memory, m), shift(memory, 2 * m)
    at, level = first, 0
    total = 0
    for v in range(m):
        total += graph_at(shift(memory, first + 2), m, memory[first + 1])[3][v]
    while level < LEVELS:
        count, edges = memory[at], memory[at + 1]
        after = at + 2 + graph_size(count, edges)
        if count <= COARSE or after + 2 + graph_size(count, edges) > capacity:
            break
        start, adj, weight, size, coarse, _ = graph_at(shift(memory, at + 2), count, edges)
        pairs = match_nodes(count, start, adj, weight, size, max(total // 20, 6), mate, order, seed)
        if 5 * pairs < count:
            break
        coarsen(count, start, adj, weight, size, mate, coarse, shift(memory, after), order)
        levels[level] = at
        at, level = after, level + 1
    cost = halve_directly(memory, at, m, total, seed)
    while level > 0:
        level -= 1
        finer = levels[level]
        count, edges = memory[finer], memory[finer + 1]
        start, adj, _, size, coarse, part = graph_at(shift(memory, finer + 2), count, edges)
        above = graph_at(shift(memory, at + 2), memory[at], memory[at + 1])[5]
        for v in range(count):
            part[v] = above[coarse[v]]
        cost = refine(count, start, adj, size, part, mate, order, shift(memory, 4 * m), shift(memory, 8 * m))
        at = finer
    return cost


@jit
def halve_directly(memory, at, m, total, seed):
    """The best of some halves grown around random nodes."""
    count, edges = memory[at], memory[at + 1]
    start, adj, _, size, best, part = graph_at(shift(memory, at + 2), count, edges)
    state, least = 7 + seed, -1
    for _ in range(TRIALS):
        state = next_random(state)
        grow_half(count, start, adj, size, total, (state >> 8) % count, part, memory)
        cost = refine(count, start, adj, size, part, memory, shift(memory, m), shift(memory, 4 * m), shift(memory, 8 * m))
        if least < 0 or cost < least:
            least = cost
            for v in range(count):
                best[v] = part[v]
    for v in range(count):
        part[v] = best[v]
    return least
