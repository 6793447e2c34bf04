"""The planar 3-link pendulum of the literature for 100 s, beside Exudyn's kinematic tree at the same error of the tip."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from checks import Check, print_checks
from forward_dynamics import importable

from sharnir.app.bench import pendulum
from sharnir.integrate import integrate

TIP_ERROR, T_CHECK, T_END, FASTER = 1e-9, 5.0, 100.0, 10.0
Run = Callable[[float, float], tuple[float, np.ndarray]]  # (t_end, tolerance or step) -> CPU seconds, joint angles


def tip(angles: np.ndarray) -> np.ndarray:
    """Position of the free end from joint angles."""
    absolute = np.cumsum(angles)
    return np.array([np.sin(absolute).sum(), -np.cos(absolute).sum()])


def reference(t_end: float, tolerance: float = 3e-14) -> np.ndarray:
    """The tip from the equations in absolute angles, written by hand and integrated by SciPy: independent of both programs."""
    from scipy.integrate import solve_ivp

    n, g = 3, 9.81
    below = np.arange(n - 1.0, -1.0, -1.0)
    weight = np.minimum.outer(below, below) + 0.5
    weight[np.diag_indices(n)] = below + 0.25 + 1.0 / 12.0
    swing = weight.copy()
    swing[np.diag_indices(n)] = 0.0

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        difference = np.subtract.outer(y[:n], y[:n])
        force = -(swing * np.sin(difference)) @ y[n:] ** 2 - g * (below + 0.5) * np.sin(y[:n])
        return np.concatenate([y[n:], np.linalg.solve(weight * np.cos(difference), force)])

    start = np.array([0.0, 0.0, np.pi / 6, 0.0, 0.0, 0.0])
    end = solve_ivp(rates, (0.0, t_end), start, "DOP853", rtol=tolerance, atol=tolerance).y[:n, -1]
    return np.array([np.sin(end).sum(), -np.cos(end).sum()])


def whole_run(t_end: float, tolerance: float) -> tuple[float, np.ndarray]:
    """A simulate() as a user writes it, with 100 outputs a second."""
    model = pendulum()
    begin = process_time()
    result = model.simulate(t_end, step=0.01, tolerance=tolerance)
    seconds = process_time() - begin
    return seconds, np.array([result[f"hinge{i}.q"][-1] for i in range(3)])


def our_solver(t_end: float, **settings: Any) -> tuple[float, np.ndarray]:
    """The solver alone, without outputs: what is measured of Exudyn, too."""
    system = pendulum().compile()
    y0, grid = np.concatenate([system.q0, system.v0]), np.array([0.0, t_end])
    begin = process_time()
    solution = integrate(system.problem(), y0, grid, "dop853", **settings)
    return process_time() - begin, solution.y[-1, :3]


def our_runs() -> dict[str, tuple[Run, tuple[float, ...]]]:
    """With step control, with a fixed step, and the whole of simulate()."""
    tolerances = tuple(10.0 ** (-k / 2) for k in range(12, 25))
    return {
        "sharnir, step control": (lambda t, x: our_solver(t, rtol=x, atol=0.01 * x), tolerances),
        "sharnir, fixed step": (lambda t, x: our_solver(t, step=x, control=False), tuple(1.0 / k for k in range(10, 60, 2))),
        "sharnir, simulate()": (whole_run, tolerances),
    }


def exudyn_runs() -> dict[str, tuple[Run, tuple[float, ...]]]:
    """Exudyn's best explicit methods, DOPRI5 and RK67, with the tolerances or steps to try, loosest first."""
    from exudyn_models import pendulum_run

    tolerances = tuple(10.0 ** (-k / 2) for k in range(16, 25))
    steps = tuple(1.0 / k for k in (60, 70, 80, 90, 100, 110, 120, 140, 160, 200, 250, 300, 400))
    return {
        "Exudyn, step control": (lambda t, x: pendulum_run(t, "DOPRI5", x, 0.0), tolerances),
        "Exudyn, fixed step": (lambda t, x: pendulum_run(t, "RK67", 1e-10, x), steps),
    }


def loosest(run: Run, values: tuple[float, ...], exact: np.ndarray) -> tuple[float, float]:
    """The loosest setting whose tip error stays within the limit, and that error."""
    for value in values:
        error = float(np.linalg.norm(tip(run(T_CHECK, value)[1]) - exact))
        if error <= TIP_ERROR:
            return value, error
    raise AssertionError("no setting reaches the accuracy")


def run(quick: bool = False) -> list[Check]:
    """Ratio of times for 100 s at equal error after 5 s."""
    exact = reference(T_CHECK)
    print(f"reference: tip at {T_CHECK:g} s {exact}, with a tolerance ten times larger {reference(T_CHECK, 3e-13) - exact}")
    runs = our_runs() | (exudyn_runs() if importable("exudyn") else {})
    chosen = {name: loosest(task, values, exact) for name, (task, values) in runs.items()}
    best = dict.fromkeys(runs, np.inf)
    for _ in range(3 if quick else 9):
        for name, (task, _values) in runs.items():
            best[name] = min(best[name], task(T_END, chosen[name][0])[0])
    for name, seconds in best.items():
        setting, error = chosen[name]
        print(f"{name}: setting {setting:.2g}, tip error {error:.1e} m, {1e3 * seconds:.1f} ms CPU for {T_END:g} s")
    checks = []
    for kind, note in (
        ("step control", "Dormand–Prince in both programs, order 8 in ours, 5 in Exudyn"),
        ("fixed step", "the largest step that is accurate enough, found by trial; order 8 in ours, 6 in Exudyn"),
    ):
        peer = best.get(f"Exudyn, {kind}")
        value = peer / best[f"sharnir, {kind}"] if peer else None
        name = f"3-link pendulum, 100 s, tip error ≤ 1e-9 m at 5 s, {kind}"
        checks.append(
            Check(name, "Exudyn's time / ours", value, FASTER, at_most=False, note=note if peer else "Exudyn is not installed")
        )
    return checks


if __name__ == "__main__":
    print_checks(run())
