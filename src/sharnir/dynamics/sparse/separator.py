"""A small set of nodes that halves a graph, on several levels (Karypis, Kumar 1998; Ashcraft, Liu 1998).

The graph is made coarser by joining neighbours, halved where it is small, and the halves are carried back and improved by
moves of single nodes. A graph: the neighbours of v are adj[start[v]:start[v + 1]], with weights of edges and sizes of nodes.
part[v]: 0 and 1 the halves, 2 the separator. All choices are deterministic.
"""

from sharnir.kernel import inline, jit, shift

COARSE = 120  # nodes of a graph that is halved directly
TRIALS = 10  # seeds tried there
PASSES = 6  # of improvement, on every level
PATIENCE = 40  # moves without gain before a pass ends


@inline
def next_random(state):
    """Linear congruential generator of 31 bits."""
    return (state * 1103515245 + 12345) & 0x7FFFFFFF


@inline
def graph_at(memory, count, edges):
    """A graph's memory: start, neighbours, weights of edges, sizes, nodes of the coarser graph, parts."""
    size = count + 1 + 2 * edges
    return (
        memory,
        shift(memory, count + 1),
        shift(memory, count + 1 + edges),
        shift(memory, size),
        shift(memory, size + count),
        shift(memory, size + 2 * count),
    )


@inline
def graph_size(count, edges):
    return 4 * count + 1 + 2 * edges


@jit
def match_nodes(m, start, adj, weight, size, limit, mate, order, seed):
    """mate[v] = a neighbour with the heaviest edge that is still free, or v; nodes in random order. Returns count of pairs."""
    state = 12345 + m + seed
    for v in range(m):
        mate[v] = -1
        order[v] = v
    for k in range(m):
        state = next_random(state)
        j = k + (state >> 8) % (m - k)
        order[k], order[j] = order[j], order[k]
    pairs = 0
    for k in range(m):
        v = order[k]
        if mate[v] >= 0:
            continue
        best, heavy = v, -1
        for i in range(start[v], start[v + 1]):
            u = adj[i]
            if mate[u] < 0 and u != v and size[u] + size[v] <= limit:
                value = weight[i] * 4096 // (size[u] * size[v])
                if value > heavy:
                    best, heavy = u, value
        mate[v] = best
        mate[best] = v
        pairs += 1 if best != v else 0
    return pairs


@jit
def coarsen(m, start, adj, weight, size, mate, coarse, memory, mark):
    """The graph with mates joined, into memory; coarse[v] = node in it."""
    count = 0
    for v in range(m):
        if mate[v] >= v:
            coarse[v] = count
            coarse[mate[v]] = count
            count += 1
    for c in range(count):
        mark[c] = -1
    edges = 0
    for v in range(m):  # first pass: how many edges there are
        if mate[v] >= v:
            edges += count_joined(v, start, adj, mate, coarse, mark)
    memory[0], memory[1] = count, edges
    start2, adj2, weight2, size2, _, _ = graph_at(shift(memory, 2), count, edges)
    for c in range(count):
        mark[c] = -1
    c, e = 0, 0
    for v in range(m):
        if mate[v] < v:
            continue
        first = e
        start2[c] = e
        size2[c] = size[v] + (size[mate[v]] if mate[v] > v else 0)
        for side in range(2 if mate[v] > v else 1):
            a = v if side == 0 else mate[v]
            for i in range(start[a], start[a + 1]):
                u = coarse[adj[i]]
                if u == c:
                    continue
                if mark[u] >= first:
                    weight2[mark[u]] += weight[i]
                else:
                    mark[u] = e
                    adj2[e], weight2[e] = u, weight[i]
                    e += 1
        c += 1
    start2[count] = e


@jit
def count_joined(v, start, adj, mate, coarse, mark):
    """Neighbours of the joined node of v and its mate."""
    count = 0
    for side in range(2 if mate[v] > v else 1):
        a = v if side == 0 else mate[v]
        for i in range(start[a], start[a + 1]):
            u = coarse[adj[i]]
            if u != coarse[v] and mark[u] != v:
                mark[u] = v
                count += 1
    return count


@jit
def balance_cost(w0, w1, w2):
    """What is minimized: the separator, and how much the halves differ, up to a quarter of it."""
    return w2 * 1024 + abs(w0 - w1) * 256 // (w0 + w1 + w2 + 1) * (w2 + 4)


@jit
def refine(m, start, adj, size, part, listed, place, log, was):
    """Move nodes out of the separator, each pulling its neighbours of the other half in, as long as that pays."""
    w0, w1, w2, n = 0, 0, 0, 0
    for v in range(m):
        place[v] = -1
        if part[v] == 0:
            w0 += size[v]
        elif part[v] == 1:
            w1 += size[v]
        else:
            w2 += size[v]
            place[v] = n
            listed[n] = v
            n += 1
    cost = balance_cost(w0, w1, w2)
    for _ in range(PASSES):
        before = cost
        w0, w1, w2, n, cost = refine_once((start, adj, size, m), part, (listed, place, log, was), (w0, w1, w2, n, cost))
        if cost >= before:
            break
    return cost


@jit
def refine_once(graph, part, lists, state):
    """One pass: the best move again and again, also uphill; then back to the best state. A node leaves at most once.

    state, which is returned: sizes of the halves and of the separator, how many nodes are listed in it, and its cost.
    """
    start, adj, size, m = graph
    listed, place, log, was = lists
    w0, w1, w2, n, cost = state
    limit = (w0 + w1 + w2) * 2 // 3
    length, kept, idle = 0, 0, 0
    b0, b1, b2 = w0, w1, w2
    while idle < PATIENCE:
        v, side = best_move(start, adj, size, part, listed, n, w0, w1, limit)
        if v < 0 or length + 1 + start[v + 1] - start[v] > 4 * m:
            break
        log[length], was[length] = v, 2
        length += 1
        part[v] = side
        last = listed[n - 1]  # out of the list: the last one takes its place
        listed[place[v]] = last
        place[last] = place[v]
        place[v] = -2  # may not leave again
        n -= 1
        w2 -= size[v]
        gone = 0
        for i in range(start[v], start[v + 1]):
            u = adj[i]
            if part[u] == 1 - side:
                log[length], was[length] = u, 1 - side
                length += 1
                part[u] = 2
                gone += size[u]
                if place[u] == -1:
                    place[u] = n
                    listed[n] = u
                    n += 1
        w2 += gone
        w0 += size[v] if side == 0 else -gone
        w1 += size[v] if side == 1 else -gone
        now = balance_cost(w0, w1, w2)
        idle += 1
        if now < cost:
            cost, kept, idle = now, length, 0
            b0, b1, b2 = w0, w1, w2
    for k in range(length):
        j = length - 1 - k
        place[log[j]] = -1
        if j >= kept:
            part[log[j]] = was[j]
    n = relist(listed, place, part, log, length, n)
    return b0, b1, b2, n, cost


@jit
def relist(listed, place, part, log, length, n):
    """The separator's nodes: those of the list and of the log that are in it now."""
    count = 0
    for k in range(n):
        place[listed[k]] = -1
    for k in range(n):
        v = listed[k]
        if part[v] == 2:
            listed[count] = v
            place[v] = count
            count += 1
    for k in range(length):
        v = log[k]
        if part[v] == 2 and place[v] < 0:
            listed[count] = v
            place[v] = count
            count += 1
    return count


@jit
def best_move(start, adj, size, part, listed, n, w0, w1, limit):
    """Node of the separator and half to which it moves, with the greatest gain; -1 if no half has room."""
    best, where, most = -1, 0, 0
    lighter = 0 if w0 <= w1 else 1
    for k in range(n):
        v = listed[k]
        pulled0, pulled1 = 0, 0  # sizes of neighbours in the halves
        for i in range(start[v], start[v + 1]):
            u = adj[i]
            if part[u] == 0:
                pulled0 += size[u]
            elif part[u] == 1:
                pulled1 += size[u]
        s = size[v]
        for side in range(2):
            if (w0 if side == 0 else w1) + s > limit:
                continue
            gain = 4 * (s - (pulled1 if side == 0 else pulled0)) + (1 if side == lighter else 0)
            if best < 0 or gain > most:
                best, where, most = v, side, gain
    return best, where
