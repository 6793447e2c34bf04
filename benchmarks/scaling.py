"""Time and memory against the number of bodies, 10² … 10⁵: both must grow linearly, cache misses included."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
from checks import Check, print_checks
from trees import chain

from sharnir.app.bench import evaluation, minima, random_states

EXPONENT, GIGABYTE = 1.05, 1e9


def exponent(sizes: list[int], values: list[float]) -> float:
    """Slope of log(value) against log(size), least squares."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def times(sizes: list[int], freedoms: int, repeat: int) -> list[float]:
    """Seconds of one evaluation, articulated, for every size; sizes in turns."""
    tasks, rows = {}, {}
    for n in sizes:
        system = chain(n, freedoms).compile(method="articulated")
        rows[n] = max(1, 4000 // n)
        tasks[str(n)] = evaluation(system, *random_states(system, rows[n]))
    best = minima(tasks, repeat, shortest=0.02)
    return [best[str(n)] / rows[n] for n in sizes]


def memory(n: int, freedoms: int) -> tuple[float, float]:
    """Bytes of the system's arrays, and the peak of a fresh process that builds the model, compiles and evaluates it."""
    command = [sys.executable, str(Path(__file__).resolve()), "--memory", str(n), str(freedoms)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    arrays, peak = done.stdout.split()[-2:]
    return float(arrays), float(peak)


def peak_memory() -> float:
    """Bytes of this process at its largest (ru_maxrss of Linux would count the parent's memory before the start, too)."""
    import resource

    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return 1024.0 * float(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1.0 if sys.platform == "darwin" else 1024.0)


def print_memory(n: int, freedoms: int) -> None:
    """What the fresh process does."""
    system = chain(n, freedoms).compile(method="articulated")
    evaluation(system, *random_states(system, 1))()
    print(system.table.nbytes + system.params.nbytes + system.work.nbytes, peak_memory())


def run(quick: bool = False) -> list[Check]:
    """Exponents and memory of chains of hinges and of balls."""
    sizes = [100, 1000, 10_000] if quick else [100, 316, 1000, 3162, 10_000, 31_623, 100_000]
    span = f"{sizes[0]} … {sizes[-1]} bodies"
    checks = []
    for freedoms, name in ((1, "hinges"), (3, "balls")):
        seconds = times(sizes, freedoms, 3 if quick else 9)
        print(f"{name}: ns per body: " + ", ".join(f"{n}: {1e9 * t / n:.1f}" for n, t in zip(sizes, seconds, strict=True)))
        checks.append(Check(f"chain of {name}, {span}", "exponent of time against N", exponent(sizes, seconds), EXPONENT))
        used = {n: memory(n, freedoms) for n in sizes[1::2] + sizes[-1:] if n >= 1000}
        for n, (arrays, peak) in used.items():
            print(f"   {n} bodies: arrays {arrays / 1e6:.0f} MB, peak of the process {peak / 1e6:.0f} MB")
        largest = sizes[-1]
        checks.append(
            Check(
                f"chain of {name}, {span}",
                "exponent of the arrays' memory against N",
                exponent(list(used), [a for a, _ in used.values()]),
                EXPONENT,
            )
        )
        peak = used[largest][1] / GIGABYTE
        checks.append(Check(f"chain of {name}, {largest} bodies", "peak memory of the whole process, GB", peak, 1.0))
    return checks


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--memory", nargs=2, type=int, metavar=("N", "FREEDOMS"), help="print bytes of arrays and of the process"
    )
    given = arguments.parse_args().memory
    if given:
        print_memory(*given)
    else:
        print_checks(run())
