"""Which numbers of the factor are not zero: elimination tree, postorder and structure of columns (Liu; Davis 2006, chapter 4).

A pattern is given by rows: `columns[start[i]:start[i + 1]]` are the columns left of the diagonal in row i.
"""

from sharnir.kernel import address, entry, ints
from sharnir.kernel.signatures import Integers


@entry
def update_tree(n: int, start: Integers, columns: Integers, parent: Integers, ancestor: Integers) -> None:
    """parent[j] = first row below the diagonal in column j of the factor, -1 for a root; `ancestor` is scratch."""
    start, columns, parent, ancestor = (
        ints(address(start)),
        ints(address(columns)),
        ints(address(parent)),
        ints(address(ancestor)),
    )
    for i in range(n):
        parent[i] = -1
        ancestor[i] = -1
        for k in range(start[i], start[i + 1]):
            j = columns[k]
            while j != -1 and j < i:
                above = ancestor[j]
                ancestor[j] = i
                if above == -1:
                    parent[j] = i
                j = above


@entry
def update_postorder(n: int, parent: Integers, order: Integers, child: Integers, sister: Integers, stack: Integers) -> None:
    """order[k] = k-th node, every subtree in one piece and before its root; the last three are scratch."""
    parent, order = ints(address(parent)), ints(address(order))
    child, sister, stack = ints(address(child)), ints(address(sister)), ints(address(stack))
    for i in range(n):
        child[i] = -1
    for k in range(n):
        j = n - 1 - k
        if parent[j] >= 0:
            sister[j] = child[parent[j]]
            child[parent[j]] = j
    count = 0
    for root in range(n):
        if parent[root] >= 0:
            continue
        stack[0] = root
        top = 0
        while top >= 0:
            j = stack[top]
            c = child[j]
            if c >= 0:
                child[j] = sister[c]
                top += 1
                stack[top] = c
            else:
                order[count] = j
                count += 1
                top -= 1


@entry
def update_counts(n: int, start: Integers, columns: Integers, parent: Integers, counts: Integers, mark: Integers) -> None:
    """counts[j] = numbers below the diagonal in column j of the factor: row i reaches j along the tree from its own columns."""
    start, columns, parent = ints(address(start)), ints(address(columns)), ints(address(parent))
    counts, mark = ints(address(counts)), ints(address(mark))
    for i in range(n):
        counts[i] = 0
        mark[i] = i
        for k in range(start[i], start[i + 1]):
            j = columns[k]
            while mark[j] != i:
                mark[j] = i
                counts[j] += 1
                j = parent[j]


@entry
def update_structure(
    n: int, start: Integers, columns: Integers, parent: Integers, place: Integers, rows: Integers, mark: Integers
) -> None:
    """Rows of the columns j with place[j] ≥ 0, ascending, written from place[j] on (which moves to the end)."""
    start, columns, parent = ints(address(start)), ints(address(columns)), ints(address(parent))
    place, rows, mark = ints(address(place)), ints(address(rows)), ints(address(mark))
    for i in range(n):
        mark[i] = i
        for k in range(start[i], start[i + 1]):
            j = columns[k]
            while mark[j] != i:
                mark[j] = i
                if place[j] >= 0:
                    rows[place[j]] = i
                    place[j] += 1
                j = parent[j]
