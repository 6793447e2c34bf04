"""First halves of a graph, to be improved by moves of single nodes: grown around a node, or cut straight in space."""

from sharnir.kernel import jit


@jit
def grow_half(m, start, adj, size, total, seed, part, queue):
    """part ← 0 for nodes around the seed, breadth first, up to half the size; then the separator between it and the rest."""
    for v in range(m):
        part[v] = 1
    head, tail, grown, scan = 0, 0, 0, 0
    queue[0] = seed
    part[seed] = 0
    tail = 1
    while 2 * grown < total:
        if head == tail:  # this component is used up
            while part[scan] == 0:
                scan += 1
            queue[tail] = scan
            part[scan] = 0
            tail += 1
        v = queue[head]
        head += 1
        grown += size[v]
        for i in range(start[v], start[v + 1]):
            u = adj[i]
            if part[u] == 1:
                part[u] = 0
                queue[tail] = u
                tail += 1
    for k in range(head, tail):
        part[queue[k]] = 1
    separate(m, start, adj, part, 1)


@jit
def separate(m, start, adj, part, side):
    """Nodes of one half that have neighbours in the other become the separator."""
    for v in range(m):
        if part[v] == side:
            for i in range(start[v], start[v + 1]):
                if part[adj[i]] == 1 - side:
                    part[v] = 2
                    break


@jit
def cut_in_space(m, nodes, position, axis, below, part):
    """part ← 0 for nodes up to the median coordinate along an axis (below: without those on it); False if they are all one."""
    low, high = position[3 * nodes[0] + axis], position[3 * nodes[0] + axis]
    for k in range(m):
        x = position[3 * nodes[k] + axis]
        low, high = min(low, x), max(high, x)
    if low == high:
        return False
    while low < high:  # the least value that half of them do not exceed
        middle, count = (low + high) // 2, 0
        for k in range(m):
            count += 1 if position[3 * nodes[k] + axis] <= middle else 0
        if 2 * count >= m:
            high = middle
        else:
            low = middle + 1
    count = 0
    for k in range(m):
        x = position[3 * nodes[k] + axis]
        part[k] = 0 if x < low or (x == low and not below) else 1
        count += part[k]
    return 0 < count < m
