"""In which order accelerations and multipliers are eliminated: loops that share few freedoms one after the other.

A mechanism with many loops, such as an engine with several cylinders, falls apart if a few speeds are left for the end: those of
the crankshaft and the frame. The speeds of one loop and the constraints that they alone can satisfy then need no other loop's.
"""

from __future__ import annotations

import numpy as np

INDEPENDENT = 0.05  # what every constraint must have along the speeds of its own loop that the others there do not have
WORTH_IT = 0.7  # part of the operations that must be left


def elimination_order(mass: np.ndarray, rows: np.ndarray, samples: list[np.ndarray]) -> list[int]:
    """Unknowns 0 … n-1 (speeds) and n … (constraints); the last one is eliminated first.

    mass (n, n), rows (m, n) : where M and G are not zero.   samples : G in some positions.

    >>> elimination_order(np.eye(2, dtype=bool), np.ones((1, 2), bool), [np.ones((1, 2))])
    [2, 0, 1]
    """
    n, m = mass.shape[0], rows.shape[0]
    plain = [*range(n, n + m), *range(n)]
    best, least = plain, WORTH_IT * operations(mass, rows, plain)
    known: dict[tuple[int, ...], bool] = {}
    busy = sorted(range(n), key=lambda j: (-int(rows[:, j].sum()) - int(mass[:, j].sum()), j))
    for count in range(1, n):
        order = with_shared(mass, rows, samples, set(busy[:count]), known)
        if order is not None:
            cost = operations(mass, rows, order)
            if cost < least:
                best, least = order, cost
    return best


def with_shared(
    mass: np.ndarray, rows: np.ndarray, samples: list[np.ndarray], shared: set[int], known: dict[tuple[int, ...], bool]
) -> list[int] | None:
    """The order in which some speeds are left for the end; None if the others do not fall apart.

    known : groups of speeds of which it has been asked whether they can satisfy their constraints.
    """
    n, m = mass.shape[0], rows.shape[0]
    groups = components(mass, rows, shared)
    if len(groups) < 2:
        return None
    late, clusters = [], []  # type: list[int], list[int]
    for speeds, constraints in groups:
        key = tuple(speeds)
        if key not in known:
            known[key] = satisfied(samples, speeds, constraints)
        local = known[key]
        (clusters if local else late).extend(n + k for k in constraints)
        clusters += speeds
    alone = set(range(m)) - {k for _, constraints in groups for k in constraints}
    late += [n + k for k in sorted(alone)]
    return [*sorted(late), *sorted(shared), *clusters]


def components(mass: np.ndarray, rows: np.ndarray, shared: set[int]) -> list[tuple[list[int], list[int]]]:
    """Speeds and constraints that have to do with each other without the shared speeds."""
    n = mass.shape[0]
    waiting, found = [j for j in range(n) if j not in shared], []  # type: list[int], list[tuple[list[int], list[int]]]
    while waiting:
        speeds, constraints, stack = set(), set(), [waiting[0]]  # type: set[int], set[int], list[int]
        while stack:
            j = stack.pop()
            if j in speeds:
                continue
            speeds.add(j)
            near = set(np.flatnonzero(mass[j]).tolist())
            for k in np.flatnonzero(rows[:, j]).tolist():
                constraints.add(k)
                near |= set(np.flatnonzero(rows[k]).tolist())
            stack += [i for i in near if i not in shared and i not in speeds]
        waiting = [j for j in waiting if j not in speeds]
        found.append((sorted(speeds), sorted(constraints)))
    return found


def satisfied(samples: list[np.ndarray], speeds: list[int], constraints: list[int]) -> bool:
    """Whether some speeds alone can satisfy some constraints, in all positions."""
    if not constraints:
        return True
    if len(constraints) > len(speeds):
        return False
    for G in samples:
        part = G[np.ix_(constraints, speeds)]
        sizes = np.linalg.norm(part, axis=1)
        if not (sizes > INDEPENDENT * np.linalg.norm(G[constraints], axis=1)).all():
            return False
        if np.linalg.svd(part / sizes[:, None], compute_uv=False).min() < INDEPENDENT:
            return False
    return True


def operations(mass: np.ndarray, rows: np.ndarray, order: list[int]) -> int:
    """Products of an elimination in this order."""
    n, m = mass.shape[0], rows.shape[0]
    whole = np.zeros((n + m, n + m), bool)
    whole[:n, :n], whole[n:, :n], whole[:n, n:] = mass, rows, rows.T
    A = whole[np.ix_(order, order)]
    total = 0
    for k in reversed(range(n + m)):
        before = np.flatnonzero(A[k, :k])
        total += len(before) * (len(before) + 3) // 2
        A[np.ix_(before, before)] = True
    return total
