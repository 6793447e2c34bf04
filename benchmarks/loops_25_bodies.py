"""25 bodies with five loops, all of it in a fresh process: import, build, assemble, integrate 10 s, record 1000 outputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from checks import Check, print_checks

LIMITS = {"joint": 0.6, "absolute": 1.0}  # s; Computer Research and Modeling 2024: 10 … 30 s
TASK = """
from time import perf_counter, process_time
import sharnir
from loop_models import five_loops
imported, begin = process_time(), perf_counter()
model = five_loops()
result = model.simulate(10.0, step=0.01, formulation={formulation!r})
work, wall = process_time() - imported, perf_counter() - begin
change = result.stats["energy_change"] / result.energy.kinetic.max()
print(imported, work, wall, result.stats["seconds"], change, result.stats["steps"])
"""


def fresh(formulation: str) -> list[float]:
    """CPU seconds of interpreter and import, then CPU and wall seconds of the rest; of these the integration; energy; steps."""
    command = [sys.executable, "-c", TASK.format(formulation=formulation)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).resolve().parent)
    return [float(x) for x in done.stdout.split()[-6:]]


def run(quick: bool = False) -> list[Check]:
    """CPU time with kernels in the cache, the least of several processes."""
    checks = []
    for formulation in ("joint", "absolute"):
        fresh(formulation)  # fills the cache, if it is not full yet
        runs = [fresh(formulation) for _ in range(3 if quick else 9)]
        imported, work, wall, solver, energy, steps = min(runs, key=lambda row: row[1])
        print(
            f"{formulation}: interpreter, import {imported:.2f} s CPU, then {work:.2f} s CPU ({wall:.2f} s wall), of which the "
            f"integration {solver:.3f} s wall ({steps:.0f} steps, energy changed by {energy:.1e})"
        )
        what = f"CPU time, building to recording, s, {formulation}"
        note = f"integration {solver:.2g} s; interpreter and import {imported:.2g} s more"
        checks.append(Check("25 bodies, 5 loops, fresh process", what, work, LIMITS[formulation], note=note))
    return checks


if __name__ == "__main__":
    print_checks(run())
