"""Work–precision diagram of Andrews' squeezing mechanism: all integrators, both formulations, Exudyn and SUNDIALS beside them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import process_time

import numpy as np
from checks import Check, print_checks
from forward_dynamics import importable
from loop_models import LOOP_DIGITS, andrews

from sharnir.integrate import ALL_INTEGRATORS, EXTERNAL_INTEGRATORS, integrate

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "figures" / "andrews_work_precision.png"
T_END, GRID = 0.03, np.array([0.0, 0.03])
EXACT = np.array(LOOP_DIGITS["andrews"]["0.03"][:7])
SLOWEST = 3.0  # CPU seconds: a method's row ends there
Points = list[tuple[float, float]]  # CPU seconds and largest error of an angle
Run = Callable[[float], tuple[float, np.ndarray]]


def error(angles: np.ndarray) -> float:
    """Of the worst of the seven angles, in rad."""
    return float(np.abs(angles - EXACT).max())


def our_run(formulation: str, integrator: str, method: str = "auto") -> Run:
    """A run at a tolerance, or with a step where the integrator's is fixed: the solver alone."""
    system = andrews().compile(formulation, method=method)
    problem, start = system.problem(), system.y0
    adaptive = integrator in EXTERNAL_INTEGRATORS or ALL_INTEGRATORS[integrator].adaptive

    def run(value: float) -> tuple[float, np.ndarray]:
        options = {"rtol": value, "atol": 1e-2 * value} if adaptive else {"step": value}
        begin = process_time()
        solution = integrate(problem, start, GRID, integrator, **options)
        seconds = process_time() - begin
        if solution.status != "finished":
            raise RuntimeError(solution.message)
        return seconds, angles_of(system, solution.y[-1])

    with suppress(RuntimeError):  # loads kernels; a point that fails is told when it is measured
        run(1e-4)
    return run


def angles_of(system: object, y: np.ndarray) -> np.ndarray:
    """β … ε from the bodies of a state, in the turn of the exact ones."""
    states = system.bodies(y[: system.n_q], y[system.n_q : system.n_q + system.n_v])  # type: ignore[attr-defined]
    absolute = {name: 2 * np.arctan2(state.rotation[3], state.rotation[0]) for name, state in states.items()}
    relative = [("K1", None), ("K2", "K1"), ("K3", None), ("K4", "K5"), ("K5", None), ("K6", "K7"), ("K7", None)]
    found = np.array([absolute[a] - (absolute[b] if b else 0.0) for a, b in relative])
    return found + 2 * np.pi * np.round((EXACT - found) / (2 * np.pi))


def points(run: Run, values: list[float], repeat: int) -> Points:
    """Least CPU time and error for every tolerance or step, until it takes too long; what fails is left out."""
    found: Points = []
    for value in values:
        try:
            runs = [run(value)]
        except Exception as reason:
            print(f"   {value:.1e}: {type(reason).__name__}: {str(reason)[:100]}")
            continue
        runs += [run(value) for _ in range(repeat - 1)] if runs[0][0] < 0.5 else []
        found.append((min(seconds for seconds, _ in runs), error(runs[0][1])))
        if found[-1][0] > SLOWEST:
            break
    return found


def measured(quick: bool) -> dict[str, Points]:
    """Points of every curve by its label."""
    tolerances = [10.0**-k for k in range(3, 14, 2 if quick else 1)]
    steps = [1e-4 / 2**k for k in range(0, 8, 2 if quick else 1)]
    repeat, curves = (2 if quick else 5), {}
    names = [*ALL_INTEGRATORS, *(EXTERNAL_INTEGRATORS if importable("sksundae") else ())]
    for formulation in ("joint", "absolute"):
        for name in names:
            adaptive = name in EXTERNAL_INTEGRATORS or ALL_INTEGRATORS[name].adaptive
            found = points(our_run(formulation, name), tolerances if adaptive else steps, repeat)
            curves[f"{name}, {formulation}"] = report(f"{name}, {formulation}", found)
    if importable("sksundae"):
        from andrews_by_hand import cvode_run, ida_run

        by_hand: dict[str, Run] = {
            "CVODE Adams, by hand": cvode_run,
            "CVODE BDF, by hand": lambda tolerance: cvode_run(tolerance, "BDF"),
            "IDA, by hand": ida_run,
        }
        for label, run in by_hand.items():
            run(1e-4)
            curves[label] = report(label, points(run, tolerances, repeat))
    if importable("exudyn"):
        from exudyn_loops import andrews_run

        for solver in ("GeneralizedAlpha", "TrapezoidalIndex2"):
            label = f"Exudyn {solver}"
            curves[label] = report(label, points(lambda h, solver=solver: andrews_run(solver, h), steps, min(repeat, 3)))
    return curves


def report(label: str, found: Points) -> Points:
    """Prints a curve and hands it on."""
    print(f"{label}: " + ", ".join(f"{e:.0e} rad in {1e3 * s:.3g} ms" for s, e in found), flush=True)
    return found


def draw(curves: dict[str, Points], path: Path = PICTURE) -> None:
    """Error against CPU time, one panel for each formulation; the peers in both."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(13, 6), sharex=True, sharey=True, layout="constrained")
    colors, markers = plt.get_cmap("tab20").colors, "osv^Dx<>Pph*"
    own = [label for label in curves if label.endswith((", joint", ", absolute"))]
    names = list(dict.fromkeys(label.rsplit(", ", 1)[0] for label in own))
    for panel, formulation in zip(panels, ("joint", "absolute"), strict=True):
        for k, name in enumerate(names):
            row = curves.get(f"{name}, {formulation}", [])
            panel.loglog(*_columns(row), color=colors[k % 20], marker=markers[k % 12], ms=4, lw=1.3, label=name)
        peers = [label for label in curves if label not in own]
        for k, label in enumerate(peers):
            gray = str(0.15 + 0.55 * k / max(1, len(peers) - 1))
            panel.loglog(*_columns(curves[label]), color=gray, ls="--", marker=markers[k], ms=4, lw=1.3, label=label)
        panel.set_title(f"sharnir in {formulation} coordinates")
        panel.set_xlabel("CPU time, ms")
        panel.grid(True, color="#dddddd")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("error of the worst angle at 0.03 s, rad")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _columns(row: Points) -> tuple[list[float], list[float]]:
    return [1e3 * seconds for seconds, _ in row], [max(e, 1e-14) for _, e in row]


def time_at(row: Points, wanted: float) -> float:
    """Least CPU seconds of a point that is accurate enough; infinity if there is none."""
    return min((seconds for seconds, e in row if e <= wanted), default=float("inf"))


def findings(curves: dict[str, Points], levels: tuple[float, ...] = (1e-4, 1e-6, 1e-8)) -> str:
    """CPU milliseconds of every curve at some errors, as a Markdown table."""
    lines = [f"| CPU time for an error of … rad, ms | {' | '.join(f'{x:g}' for x in levels)} |", "|---|" + "---:|" * len(levels)]
    for label, row in curves.items():
        times = [time_at(row, x) for x in levels]
        lines.append(f"| {label} | {' | '.join('–' if np.isinf(t) else f'{1e3 * t:.3g}' for t in times)} |")
    return "\n".join(lines)


def figure_and_text(quick: bool = False) -> tuple[list[Check], str]:
    """Checks and the table; draws the figure unless quick."""
    curves = measured(quick)
    if not quick:
        draw(curves)
    best = {
        kind: min(e for label, row in curves.items() if label.endswith(kind) for _, e in row) for kind in ("joint", "absolute")
    }
    checks = [
        Check("Andrews' mechanism, 0.03 s", f"least error of an angle, rad, {kind} coordinates", value, 1.6e-9, note="ten digits")
        for kind, value in best.items()
    ]
    ours = [row for label, row in curves.items() if label.endswith(", joint")]
    for label in ("Exudyn", "by hand"):
        rows = [row for name, row in curves.items() if label in name]
        value = min(time_at(row, 1e-4) for row in rows) / min(time_at(row, 1e-4) for row in ours) if rows else None
        peer = "Exudyn" if label == "Exudyn" else "SUNDIALS"
        what, note = f"{peer}'s least time / ours, error ≤ 1e-4 rad", "joint coordinates" if rows else f"{peer} is not installed"
        checks.append(
            Check("Andrews' mechanism, 0.03 s", what, value, 5.0 if label == "Exudyn" else 1.0, at_most=False, note=note)
        )
    return checks, findings(curves)


def run(quick: bool = False) -> list[Check]:
    """The checks alone."""
    checks, text = figure_and_text(quick)
    print(text)
    return checks


if __name__ == "__main__":
    print_checks(run())
