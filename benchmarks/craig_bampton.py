"""Craig–Bampton reduction of a solid with the 18 matrices of the general method: time, memory, and beside Exudyn."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import flexible_peer
from checks import Check, print_checks

SECONDS, GIGABYTES, SHARE, FASTER = 120.0, 6.0, 0.15, 5.0  # of 10⁵ nodes on two cores; of the inertia in the reduction; Exudyn's
MODES = 20
SAME = 1e-6  # relative difference of frequencies
THREADS = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "2"}  # those of two BLAS libraries would wait for each other


def brick(nodes: int, kind: str = "hexahedron") -> tuple[Any, dict[str, Any]]:
    """A bar of about so many nodes, 3 × 1 × 1 in cells, as points and cells."""
    import numpy as np

    side = max(2, round((nodes / 3.0) ** (1.0 / 3.0)))
    a, b, c = 3 * side, side, side
    x, y, z = np.meshgrid(np.arange(a) / side, np.arange(b) / side, np.arange(c) / side, indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    number = np.arange(a * b * c).reshape(a, b, c)
    corner = [
        number[i : a - 1 + i, j : b - 1 + j, k : c - 1 + k].ravel() for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    return points, {kind: np.stack(corner, axis=1)}


def ours(nodes: int, folder: str | None = None) -> dict[str, Any]:
    """Build the solid (and save it for the other program), tie its ends, reduce it; seconds, gigabytes, frequencies."""
    import resource
    from time import perf_counter, process_time

    import numpy as np

    from sharnir.flexible import Material, RigidTie, reduce, solid

    block = solid(brick(nodes), Material(70e9, 0.33, 2700.0), name="block")
    x = block.nodes[:, 0]
    left, right = np.flatnonzero(x < 1e-9), np.flatnonzero(x > x.max() - 1e-9)
    if folder:
        flexible_peer.save_model(folder, block, left=left, right=right)
    seconds: dict[str, float] = {}
    for _ in range(2 if folder else 1):  # the first time libraries are loaded, too
        begin, work = perf_counter(), process_time()
        tied = block.with_ties(RigidTie(left, label=10**7), RigidTie(right, label=10**7 + 1))
        ties, before = process_time() - work, process_time()
        body = reduce(tied, interfaces={"left": 10**7, "right": 10**7 + 1}, modes=MODES, inertia="general")
        seconds = {"wall": perf_counter() - begin, "ties": ties, "reduce": process_time() - before, **body.report.seconds}
    return {
        "nodes": len(x),
        "freedoms": tied.size,
        "h": body.count,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "fixed": body.report.fixed_frequencies.tolist(),
        "free": body.frequencies.tolist(),
        **seconds,
    }


def beside_exudyn(nodes: int, repeats: int) -> list[Check]:
    """Ratio of CPU times, one thread each, from the same matrices to the data of the flexible body; equal frequencies."""
    import numpy as np

    peer = flexible_peer.python_with("exudyn")
    what = "Exudyn's CPU time / ours, same matrices"
    if peer is None:
        return [Check(f"solid of {nodes} nodes", what, None, FASTER, at_most=False, note="Exudyn is not installed")]
    mine, theirs = [], []
    with flexible_peer.scratch() as folder:
        for _ in range(repeats):
            mine.append(flexible_peer.task(sys.executable, Path(__file__).name, "--task", nodes, "--folder", folder))
            theirs.append(flexible_peer.task(peer, "flexible_exudyn.py", "reduction", folder, MODES))
    for key in ("fixed", "free"):
        difference = float(np.abs(np.array(theirs[0][key]) / np.array(mine[0][key]) - 1.0).max())
        if not difference < SAME:
            raise AssertionError(f"{key} frequencies differ by {difference:.1e}")
    us, them = min(row["ties"] + row["reduce"] for row in mine), min(row["modes"] + row["inertia"] for row in theirs)
    print(
        f"{mine[0]['nodes']} nodes: sharnir {us:.2f} s, Exudyn {them:.2f} s CPU; frequencies differ by {difference:.1e}",
        flush=True,
    )
    task = f"solid of {mine[0]['nodes']} nodes, {mine[0]['h']} coordinates"
    note = "Craig–Bampton and inertia; one thread each; the same frequencies"
    return [Check(task, what, them / us, FASTER, at_most=False, note=note)]


def cost_table(quick: bool = False, large: bool = False) -> tuple[list[Check], str]:
    """Reductions of growing blocks, as checks and as a table of the page; targets hold at 10⁵ nodes."""
    checks = []
    lines = [
        "| nodes | freedoms | CPU, s | wall, s | of which the 18 matrices | peak memory, GB |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for nodes in (3_000, 10_000) + (() if quick else (30_000, 100_000)) + ((300_000,) if large else ()):
        row = flexible_peer.task(sys.executable, Path(__file__).name, "--task", nodes, threads=THREADS)
        share = row["inertia"] / (row["inertia"] + row["shapes"])
        times = f"{row['reduce']:.3g} | {row['wall']:.3g} | {100.0 * share:.1f} %"
        lines.append(f"| {row['nodes']} | {row['freedoms']} | {times} | {row['peak']:.2f} |")
        print(lines[-1], flush=True)
        task = f"solid of {row['nodes']} nodes, {row['h']} coordinates"
        if nodes == 100_000:
            checks.append(Check(task, "Craig–Bampton with general inertia, s by the clock", row["wall"], SECONDS))
            checks.append(Check(task, "peak memory, GB", row["peak"], GIGABYTES))
        if nodes >= 10_000:
            checks.append(Check(task, "18 matrices, share of the reduction", share, SHARE))
    return checks, "\n".join(lines)


def run(quick: bool = False) -> list[Check]:
    """Beside Exudyn."""
    if quick:
        return beside_exudyn(10_000, 1)
    return beside_exudyn(10_000, 3) + beside_exudyn(20_000, 1)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="up to 10⁴ nodes")
    arguments.add_argument("--large", action="store_true", help="3·10⁵ nodes too; about 13 GB")
    arguments.add_argument("--task", type=int, help="one reduction of a bar with so many nodes; prints JSON")
    arguments.add_argument("--folder", help="where the task leaves its matrices")
    given = arguments.parse_args()
    if given.task:
        print(json.dumps(ours(given.task, given.folder)))
    else:
        print_checks(run(given.quick) + cost_table(given.quick, given.large)[0])
