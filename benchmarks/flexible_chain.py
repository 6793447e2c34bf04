"""Chains of flexible links with six modes each: the time of a Runge–Kutta step must grow linearly with the number of links."""

from __future__ import annotations

from collections.abc import Callable

import flexible_models
import numpy as np
from checks import Check, print_checks
from scaling import exponent

from sharnir.app.bench import minima
from sharnir.flexible import ReducedModel
from sharnir.integrate import integrate

LINKS, MODES, EXPONENT = (12, 25, 50, 100, 200, 400), 6, 1.05
STEP, WORK = 1e-5, 4000  # s; links times steps of one piece


def task(body: ReducedModel, links: int) -> tuple[Callable[[], object], int]:
    """A function that makes some steps of a falling chain, and how many."""
    system = flexible_models.chain(body, links).compile(method="articulated")
    steps = max(10, WORK // links)
    y0, grid = np.concatenate([system.q0, system.v0]), np.array([0.0, steps * STEP])
    problem = system.problem()
    return lambda: integrate(problem, y0, grid, "rk4", step=STEP, control=False), steps


def run(quick: bool = False) -> list[Check]:
    """Exponent of the time of a step, sizes in turns."""
    body = flexible_models.link(MODES)
    sizes = list(LINKS[:4] if quick else LINKS)
    tasks = {n: task(body, n) for n in sizes}
    best = minima({str(n): piece for n, (piece, _) in tasks.items()}, 3 if quick else 15, shortest=0.02)
    seconds = [best[str(n)] / tasks[n][1] for n in sizes]
    parts = ", ".join(f"{n}: {1e6 * t / n:.2f}" for n, t in zip(sizes, seconds, strict=True))
    print(f"µs of an RK4 step (4 evaluations) per link: {parts}")
    name = f"chain of {sizes[0]} … {sizes[-1]} flexible links, {body.count} modes each, RK4"
    hundred = 1e6 * seconds[sizes.index(100)]
    return [
        Check(name, "exponent of time against links", exponent(sizes, seconds), EXPONENT, note=f"{hundred:.0f} µs a step of 100")
    ]


if __name__ == "__main__":
    print_checks(run())
