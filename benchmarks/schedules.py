"""What clusters would make of the largest tasks, by simulation of their schedules: 10⁹ runs, and one step of a net of 10⁷ rods.

    python benchmarks/schedules.py [--runs 1000000000] [--largest 2236]

Nothing here needs a cluster. Studies: a scheduler that hands out blocks, workers that fail now and then, one process that writes
the store, event by event. Nets: trees of nested dissection with as many operations as the engine's own at 9870 rods, mapped to
machines subtree by subtree; fronts above are shared. The numbers are those of docs/theory/scale.md.
"""

from __future__ import annotations

import argparse
import heapq
import math
from dataclasses import dataclass

import numpy as np

# studies, measured on one core: see docs/theory/scale.md
RUN, HAND_OUT, WRITE_BLOCK, WRITE_RUN = 0.9e-3, 1e-3, 3e-4, 2.5e-6  # s per run, block given, block stored, run stored
LIFE, RESTART = 1000.0 * 3600.0, 30.0  # s that a worker lives on average, and that its successor needs to begin

# nets: one machine of 16 cores
CORES, SHARED, LATENCY, BANDWIDTH = 16, 0.6, 5e-6, 1.2e10  # of 16 cores as fast as one; s per message; bytes/s
BLOCK = 128  # columns after which machines that share a front exchange what they have
LEAF = 7  # meshes along the side of a piece that is eliminated at once


@dataclass(frozen=True)
class StudyRun:
    """Hours that a study takes, share of the workers' time that went into runs that count, runs made twice."""

    hours: float
    busy: float
    repeated: int


def study(runs: int, workers: int, block: float, writers: int = 1, seed: int = 0) -> StudyRun:
    """Blocks of about so many seconds on so many workers; every writer has a part of the runs to itself."""
    rng = np.random.default_rng(seed)
    size = max(1, round(block / RUN))
    left = [size] * (runs // size) + ([runs % size] if runs % size else [])
    spread = rng.gamma(size, RUN / size, len(left) + 1000).tolist()  # runs differ: sums of exponential times
    deaths = rng.exponential(LIFE, workers).tolist()
    free, scheduler, written, repeated, end, given = [(0.0, k) for k in range(workers)], 0.0, [0.0] * writers, 0, 0.0, 0
    heapq.heapify(free)
    while left:
        now, k = heapq.heappop(free)
        scheduler = max(scheduler, now) + HAND_OUT
        count = left.pop()
        done = scheduler + count * spread[given % len(spread)]
        given += 1
        if done > deaths[k]:
            repeated += count
            left.append(count)
            begin = max(deaths[k], scheduler) + RESTART
            deaths[k] = begin + rng.exponential(LIFE)
            heapq.heappush(free, (begin, k))
            continue
        store = given % writers
        written[store] = max(written[store], done) + WRITE_BLOCK + count * WRITE_RUN
        end = max(end, done)
        waits = max(0.0, written[store] - done - 60.0)  # a writer that is a minute behind holds the workers up
        heapq.heappush(free, (done + waits, k))
    end = max(end, *written)
    return StudyRun(end / 3600.0, runs * RUN / (workers * end), repeated)


def study_table(runs: int) -> None:
    """Workers against blocks."""
    print(f"{runs:.0e} runs of {1e3 * RUN:g} ms, workers live {LIFE / 3600:g} h: hours (share of the workers' time that counts)")
    for workers in (64, 256, 1024, 4096, 16384):
        cells = []
        for block, writers in ((1.0, 1), (10.0, 1), (60.0, 1), (60.0, 16)):
            if block < 10.0 and runs > 10**8:
                found = study(10**8, workers, block, writers)  # a tenth, for the sake of this script
                found = StudyRun(found.hours * runs / 10**8, found.busy, found.repeated * (runs // 10**8))
            else:
                found = study(runs, workers, block, writers)
            cells.append(f"{found.hours:.3g} ({found.busy:.0%})")
        print(f"| {workers} | " + " | ".join(cells) + " |", flush=True)


@dataclass(frozen=True)
class Tree:
    """Fronts of an elimination, children before parents: own columns, further rows, parent (-1: none)."""

    own: np.ndarray
    rows: np.ndarray
    parent: np.ndarray

    @property
    def operations(self) -> np.ndarray:
        """Multiplications and additions of the factorization, front by front."""
        c, r = self.own.astype(float), self.rows.astype(float)
        return c**3 / 3 + c**2 * r + c * r**2

    @property
    def factor(self) -> float:
        """Numbers of the factor."""
        return float((self.own.astype(float) ** 2 / 2 + self.own.astype(float) * self.rows).sum())


def tree_of_engine(n: int) -> Tree:
    """The elimination tree that the engine makes for a net of n × n meshes."""
    from loop_models import mesh

    from sharnir.dynamics.memory import layout as L
    from sharnir.dynamics.sparse import plan_layout as S

    system = mesh(n).compile("absolute")
    table = system.table[system.table[L.T_SOLVER] :]
    fronts = table[table[S.T_FRONT] :][: table[S.N_FRONT] * S.FRONT_SIZE].reshape(-1, S.FRONT_SIZE)
    parent = np.full(len(fronts), -1)
    for k, front in enumerate(fronts):
        child = int(front[S.CHILD])
        while child >= 0:
            parent[child] = k
            child = int(fronts[child][S.SISTER])
    return Tree(fronts[:, S.NC].copy(), fronts[:, S.NR].copy(), parent)


def tree_of_dissection(n: int, per_node: float) -> Tree:
    """Nested dissection of a net of n × n meshes, with so many equations for each node of a separator."""
    own, rows, parent = [], [], []

    def cut(a: int, b: int, border: int) -> int:
        """Pieces of a × b nodes with so many nodes of earlier separators around them; the number of the front."""
        if max(a, b) <= LEAF:
            own.append(round(per_node * a * b))
            children = []
        else:
            if a < b:
                a, b = b, a
            left, right = (a - 1) // 2, a - 1 - (a - 1) // 2
            shared = border / (2 * (a + b))  # of the sides, the part that has neighbours
            children = [cut(side, b, round(shared * (2 * side + b)) + b) for side in (left, right) if side > 0]
            own.append(round(per_node * b))
        rows.append(round(per_node * border))
        parent.append(-1)
        for child in children:
            parent[child] = len(own) - 1
        return len(own) - 1

    cut(n, n + 1, 0)
    return Tree(np.array(own), np.array(rows), np.array(parent))


def front_seconds(own: float, rows: float, machines: float, speed: float) -> float:
    """One front on several machines: its work is shared, columns are exchanged block by block."""
    work = (own**3 / 3 + own**2 * rows + own * rows**2) / speed
    best = work
    p = 2
    while p <= machines:
        exchanged = 8.0 * own * (own + rows) / math.sqrt(p) / BANDWIDTH + math.ceil(own / BLOCK) * LATENCY * math.log2(p)
        best = min(best, work / p + exchanged)
        p *= 2
    return best


def step_seconds(tree: Tree, machines: int, speed: float) -> float:
    """One factorization and solution: machines are divided among subtrees by their work, from the root down."""
    work = tree.operations / speed
    below = work.copy()
    for k, p in enumerate(tree.parent):
        if p >= 0:
            below[p] += below[k]
    children: list[list[int]] = [[] for _ in tree.parent]
    for k, p in enumerate(tree.parent):
        if p >= 0:
            children[p].append(k)
    share = np.zeros(len(work))
    end = np.zeros(len(work))
    for k in range(len(work) - 1, -1, -1):  # parents come after their children
        if tree.parent[k] < 0:
            share[k] = machines
        whole = sum(below[c] for c in children[k])
        for c in children[k]:
            share[c] = share[k] * below[c] / whole if whole > 0 else share[k]
    for k in range(len(work)):
        if share[k] <= 1.0:
            end[k] = below[k] / max(share[k], 1.0) if share[k] >= 1.0 else below[k]
            continue
        arrive = 0.0
        alone = sum(end[c] for c in children[k] if share[c] < 1.0)  # small subtrees wait for each other on the same machines
        for c in children[k]:
            sent = 4.0 * float(tree.rows[c]) ** 2 / BANDWIDTH / max(1.0, share[c]) + LATENCY
            arrive = max(arrive, end[c] + sent)
        arrive = max(arrive, alone / share[k])
        end[k] = arrive + front_seconds(float(tree.own[k]), float(tree.rows[k]), share[k], speed)
    return float(end[tree.parent < 0].max())


def path_share(tree: Tree) -> float:
    """The longest path from a leaf to the root, as a part of all operations."""
    longest = tree.operations.copy()
    for k, p in enumerate(tree.parent):
        if p >= 0:
            longest[p] = max(longest[p], longest[k] + tree.operations[p])
    return float(longest.max() / tree.operations.sum())


def net_table(largest: int, speed: float) -> None:
    """Factorizations of growing nets on growing clusters, and exponents."""
    small = {n: tree_of_engine(n) for n in (22, 40, 70)}
    target = small[70].operations.sum()
    low, high = 0.5, 12.0
    for _ in range(40):  # the operations grow with the number of equations per node
        middle = 0.5 * (low + high)
        low, high = (middle, high) if tree_of_dissection(70, middle).operations.sum() < target else (low, middle)
    print(f"equations per node of a separator: {low:.2f}")
    for n, tree in small.items():
        other = tree_of_dissection(n, low)
        print(
            f"net of {2 * n * n + n} rods: engine {tree.operations.sum():.3g} operations, factor {8e-6 * tree.factor:.3g} MB; "
            f"dissection {other.operations.sum():.3g}, {8e-6 * other.factor:.3g} MB"
        )
    machine = speed * CORES * SHARED
    counts, seconds = (1, 4, 16, 64, 256), {}
    print(f"one core {speed / 1e9:.3g}·10⁹ operations/s, one machine {machine / 1e9:.3g}·10⁹; seconds of a factorization")
    sizes = [n for n in (70, 224, 707, largest) if n <= largest]
    for n in sizes:
        tree = tree_of_dissection(n, low)
        rods = 2 * n * n + n
        seconds[rods] = [step_seconds(tree, p, machine) for p in counts]
        cells = " | ".join(f"{s:.3g}" for s in seconds[rods])
        path = path_share(tree)
        print(f"| {rods:.2g} | {8e-9 * tree.factor:.3g} | {tree.operations.sum():.2g} | {cells} |", flush=True)
        print(f"  with every front on one machine at most {1 / path:.1f} times as fast as one machine")
    rods = list(seconds)
    for k, p in enumerate(counts):
        slope = np.polyfit(np.log(rods), np.log([seconds[n][k] for n in rods]), 1)[0]
        print(f"exponent against N on {p} machines: {slope:.2f}")
    if len(rods) > 2:
        grown = [seconds[n][k] for n, k in zip(rods[-3:], (0, 2, 4), strict=True)]
        slope = np.polyfit(np.log(rods[-3:]), np.log(grown), 1)[0]
        print(f"exponent with 1, 16, 256 machines for the three largest: {slope:.2f}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=10**9)
    arguments.add_argument("--largest", type=int, default=2236, help="meshes along the side of the largest net")
    arguments.add_argument("--speed", type=float, default=1.7e10, help="additions and multiplications per second of one core")
    given = arguments.parse_args()
    study_table(given.runs)
    net_table(given.largest, given.speed)
