"""Craig–Bampton reduction of a solid with the 18 matrices of the general method: time and memory against the number of nodes."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from checks import Check, print_checks

SECONDS, GIGABYTES, SHARE = 120.0, 6.0, 0.15  # of 10⁵ nodes on two cores; of the inertia in the reduction
MODES = 20
TASK = """
import json, resource, sys
from time import perf_counter, process_time
import numpy as np
from sharnir.flexible import Material, RigidTie, reduce, solid
from craig_bampton import brick

begin = perf_counter()
block = solid(brick({nodes}, {kind!r}), Material(70e9, 0.33, 2700.0), name="block")
x = block.nodes[:, 0]
left, right = np.flatnonzero(x < 1e-9), np.flatnonzero(x > x.max() - 1e-9)
block = block.with_ties(RigidTie(left, label=10**7), RigidTie(right, label=10**7 + 1))
built, work, before = perf_counter(), process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
body = reduce(block, interfaces=dict(left=10**7, right=10**7 + 1), modes={modes}, inertia="general")
seconds = dict(build=built - begin, cpu=process_time() - work, reduce=perf_counter() - built, **body.report.seconds)
memory = dict(before=before / 2**20, peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
error = float(abs(body.report.reduced.mass / body.report.fe.mass - 1.0))
print(json.dumps(dict(nodes=len(x), freedoms=block.size, h=body.count, error=error, **seconds, **memory)))
"""


def brick(nodes: int, kind: str = "hexahedron") -> tuple[object, dict[str, object]]:
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


def measured(nodes: int) -> dict[str, float]:
    """One reduction in a process of its own."""
    command = [sys.executable, "-c", TASK.format(nodes=nodes, kind="hexahedron", modes=MODES)]
    # threads of two BLAS libraries wait for each other by spinning; the solver's own do the work
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    folder = Path(__file__).resolve().parent
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def run(quick: bool = False, large: bool = False) -> list[Check]:
    """Reductions of growing blocks; targets hold at 10⁵ nodes."""
    checks = []
    print(f"{'nodes':>8} {'freedoms':>9} {'shapes s':>9} {'inertia s':>9} {'reduce s':>9} {'CPU s':>8} {'peak GB':>8}")
    for nodes in (3_000, 10_000) + (() if quick else (30_000, 100_000)) + ((300_000,) if large else ()):
        row = measured(nodes)
        seconds = " ".join(f"{row[key]:9.2f}" for key in ("shapes", "inertia", "reduce"))
        print(f"{row['nodes']:8d} {row['freedoms']:9d} {seconds} {row['cpu']:8.2f} {row['peak']:8.2f}", flush=True)
        task = f"solid of {row['nodes']} nodes, {row['h']} coordinates"
        if nodes == 100_000:
            checks.append(Check(task, "Craig–Bampton with general inertia, s", row["reduce"], SECONDS))
            checks.append(Check(task, "peak memory, GB", row["peak"], GIGABYTES))
        if nodes >= 10_000:
            checks.append(Check(task, "18 matrices, part of the reduction", row["inertia"] / row["reduce"], SHARE))
    return checks


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="up to 10⁴ nodes")
    arguments.add_argument("--large", action="store_true", help="3·10⁵ nodes too; about 16 GB")
    given = arguments.parse_args()
    print_checks(run(given.quick, given.large))
