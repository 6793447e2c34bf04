"""The flexible pendulum of Exudyn's Craig–Bampton example for 1 s, beside Exudyn: same matrices, same modes, equal error."""

from __future__ import annotations

from time import process_time

import flexible_models
import flexible_peer
import numpy as np
from checks import Check, print_checks
from flexible_reference import PlanarPendulum

from sharnir.flexible import ReducedModel
from sharnir.integrate import integrate

TIMES = np.linspace(0.0, 1.0, 11)
ERRORS, FASTER = (1e-5, 1e-6), 10.0  # of the tip, m, the largest of ten instants
TOLERANCES = tuple(10.0 ** (-k / 4) for k in range(8, 33))
STEPS = (2000, 2500, 3200, 4000, 5000, 6400, 8000, 10000, 12500, 16000)
Row = tuple[float, float, float]  # setting, CPU seconds, error


def our_runs(body: ReducedModel, tip: int, exact: np.ndarray, repeats: int) -> list[Row]:
    """The solver alone, from loose to tight."""
    system = flexible_models.pendulum(body).compile()
    y0, h = np.concatenate([system.q0, system.v0]), body.count
    rows = []
    for tolerance in TOLERANCES:
        solution = integrate(system.problem(), y0, TIMES, "dop853", rtol=tolerance, atol=0.01 * tolerance)
        found = np.stack([flexible_models.tip_position(body, tip, y[0], y[1 : 1 + h]) for y in solution.y])
        seconds = []
        for _ in range(repeats):
            begin = process_time()
            integrate(system.problem(), y0, TIMES[[0, -1]], "dop853", rtol=tolerance, atol=0.01 * tolerance)
            seconds.append(process_time() - begin)
        rows.append((tolerance, min(seconds), float(np.abs(found - exact).max())))
    return rows


def exudyn_runs(peer: str, folder: str, hinge: str, exact: np.ndarray, repeats: int, steps: tuple[int, ...]) -> list[Row]:
    """Its generalized-α method from large to small steps."""
    arguments = ("pendulum", folder, flexible_models.MODES, hinge, "GeneralizedAlpha", repeats, *steps)
    rows = flexible_peer.task(peer, "flexible_exudyn.py", *arguments)
    return [(1.0 / row["steps"], row["seconds"], float(np.abs(np.array(row["tip"])[-10:] - exact[1:]).max())) for row in rows]


def at_error(rows: list[Row], error: float) -> tuple[float, float]:
    """Setting and time of the first run from which on all stay within the error; a run that hits it by chance does not count."""
    good = [all(later[2] <= error for later in rows[i:]) for i in range(len(rows))]
    if not any(good):
        return np.nan, np.nan
    row = rows[good.index(True)]
    return row[0], row[1]


def run(quick: bool = False) -> list[Check]:
    """Ratios of times at equal errors; both programs are checked against equations written straight from the matrices."""
    model = flexible_models.bar()
    left, tip = flexible_models.ends(model)
    body = flexible_models.reduced_bar(model)
    n = len(model.nodes)
    equations = PlanarPendulum(model.nodes, model.mass, model.stiffness, body.shapes[:n].reshape(3 * n, -1))
    exact, own = (equations.tip(TIMES, tip, weight) for weight in (True, False))
    repeats = 2 if quick else 5
    ours = our_runs(body, tip, exact, repeats)
    peer = flexible_peer.python_with("exudyn")
    runs = {"sharnir, dop853": ours}
    if peer is not None:
        with flexible_peer.scratch() as folder:
            flexible_peer.save_model(folder, model, left=left, tip=tip)
            # of its equations the moment of gravity leaves out the deformation, so they have a solution of their own
            runs["Exudyn, held coordinates"] = exudyn_runs(peer, folder, "coordinates", own, repeats, STEPS)
            runs["Exudyn, joint"] = exudyn_runs(peer, folder, "joint", own, 1, STEPS[:4])
            same = exudyn_runs(peer, folder, "loads", exact, 1, (4000,))[0][2]
            print(f"Exudyn with gravity as forces at the nodes, 4000 steps: differs by {same:.1e} m at most from our solution")
    for name, rows in runs.items():
        print(name)
        for setting, seconds, error in rows:
            print(f"  {setting:9.2g} {1e3 * seconds:8.2f} ms  error {error:.1e} m", flush=True)
    checks = []
    for error in ERRORS:
        mine, theirs = at_error(ours, error), at_error(runs.get("Exudyn, held coordinates", []), error)
        note = f"{1e3 * mine[1]:.1f} ms; Exudyn generalized-α, coordinates held, its fastest; joint as in its example: slower"
        value = theirs[1] / mine[1] if peer else None
        task = f"flexible pendulum, {body.count} modes, 1 s, tip error ≤ {error:g} m"
        note = note if peer else "Exudyn is not installed"
        checks.append(Check(task, "Exudyn's time / ours", value, FASTER, at_most=False, note=note))
    return checks


if __name__ == "__main__":
    print_checks(run())
