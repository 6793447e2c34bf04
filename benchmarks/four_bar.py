"""Two four-bars of spatial hinges (redundant, with singular positions) at default settings; Exudyn at equal error."""

from __future__ import annotations

from time import process_time

import numpy as np
from checks import Check, print_checks
from forward_dynamics import importable
from loop_models import LOOP_DIGITS, four_bar

from sharnir.integrate import integrate

T_END, ERROR, FASTER = 10.0, 1e-5, 5.0  # the error of the first crank's top after 10 s, in metres
SPATIAL = "spatial, dense solver for redundant constraints"


def exact() -> np.ndarray:
    """The top of the first crank after 10 s, by elliptic functions."""
    state = LOOP_DIGITS["four_bars_2"]["10.0"]
    return np.array([state["B0x"], state["B0y"]])


def top(angle: float) -> np.ndarray:
    """From the angle of its hinge, zero upright."""
    return np.array([-np.sin(angle), np.cos(angle)])


def whole_run(formulation: str, tolerance: float | None = None) -> tuple[float, np.ndarray]:
    """A simulate() as a user writes it, with 100 outputs a second: CPU seconds, top at the end."""
    model = four_bar(2)
    begin = process_time()
    result = model.simulate(T_END, step=0.01, formulation=formulation, tolerance=tolerance)
    return process_time() - begin, top(float(result["foot0.q"][-1]))


def our_solver(formulation: str, tolerance: float) -> tuple[float, np.ndarray]:
    """The solver alone, without outputs: what is measured of Exudyn, too."""
    system = four_bar(2).compile(formulation)
    y0, grid = system.y0, np.array([0.0, T_END])
    integrate(system.problem(), y0, grid[:1], "auto", tolerance, 1e-2 * tolerance)
    begin = process_time()
    solution = integrate(system.problem(), y0, grid, "auto", tolerance, 1e-2 * tolerance)
    seconds = process_time() - begin
    n_q, n_v = system.n_q, system.n_v
    position = system.bodies(solution.y[-1, :n_q], solution.y[-1, n_q : n_q + n_v])["coupler0"].position
    return seconds, np.array(position[:2])


def exudyn_default() -> str:
    """What happens in Exudyn at its default settings with the same spatial hinges."""
    from exudyn_loops import four_bars_spatial

    try:
        _, end = four_bars_spatial(defaults=True)
    except Exception as error:
        return f"Exudyn at default settings: {str(error).split(';')[0].split('[')[0].strip()}"
    return f"Exudyn at default settings and h = 1 ms: error {np.linalg.norm(end - exact()):.1e} m"


def exudyn_equal() -> dict[str, tuple[float, float, float]]:
    """Variants of Exudyn that solve it: CPU seconds, step and error with the largest step that is accurate enough."""
    from exudyn_loops import four_bars_planar, four_bars_spatial

    variants = {
        "planar elements, generalized-α": lambda h: four_bars_planar("GeneralizedAlpha", h),
        SPATIAL: lambda h: four_bars_spatial(False, h),
    }
    found = {}
    for name, task in variants.items():
        for h in (2e-3, 1e-3, 7e-4, 5e-4, 4.5e-4, 4e-4, 3.5e-4, 3e-4, 2.5e-4, 2e-4, 1.5e-4, 1e-4):
            seconds, end = task(h)
            error = float(np.linalg.norm(end - exact()))
            if error <= ERROR:
                found[name] = min(seconds, task(h)[0]), h, error
                break
        else:
            print(f"Exudyn, {name}: no step reaches {ERROR:g} m")
    return found


def our_equal(formulation: str, repeat: int) -> tuple[float, float, float]:
    """CPU seconds, tolerance and error with the loosest tolerance that is accurate enough."""
    for tolerance in (10.0 ** (-k / 2) for k in range(8, 25)):
        error = float(np.linalg.norm(our_solver(formulation, tolerance)[1] - exact()))
        if error <= ERROR:
            return min(our_solver(formulation, tolerance)[0] for _ in range(repeat)), tolerance, error
    raise AssertionError(f"no tolerance reaches {ERROR:g} m in {formulation} coordinates")


def run(quick: bool = False) -> list[Check]:
    """Errors at default settings, and the ratio of times at equal error."""
    checks, times = [], {}
    peer = importable("exudyn")
    said = exudyn_default() if peer else "Exudyn is not installed"
    for formulation in ("joint", "absolute"):
        whole_run(formulation)
        seconds, end = min((whole_run(formulation) for _ in range(3)), key=lambda pair: pair[0])
        error = float(np.linalg.norm(end - exact()))
        print(f"{formulation}: default settings, simulate() with 1000 outputs: {seconds:.3f} s CPU, error {error:.1e} m")
        what = f"error of the top at default settings, m, {formulation} coordinates"
        checks.append(Check("two four-bars, 10 s", what, error, ERROR, note=said))
        seconds, tolerance, error = our_equal(formulation, 3 if quick else 9)
        print(f"{formulation}: solver, tolerance {tolerance:.1e}: {seconds:.4f} s CPU, error {error:.1e} m")
        times[formulation] = seconds
    return checks + ratios(times, exudyn_equal() if peer else {})


def ratios(times: dict[str, float], theirs: dict[str, tuple[float, float, float]]) -> list[Check]:
    """Joint coordinates, the default, beside Exudyn's fastest; absolute ones beside its spatial bodies, which are the same."""
    for kind, (seconds, step, error) in theirs.items():
        print(f"Exudyn, {kind}, h = {step:g} s: {seconds:.3f} s CPU, error {error:.1e} m")
    rivals = {"joint": min(theirs, key=lambda kind: theirs[kind][0], default=""), "absolute": SPATIAL}
    checks = []
    for formulation, kind in rivals.items():
        value = theirs[kind][0] / times[formulation] if kind in theirs else None
        what = f"Exudyn's time / ours in {formulation} coordinates"
        note = f"Exudyn: {kind}" if kind in theirs else "Exudyn is not installed"
        checks.append(Check(f"two four-bars, 10 s, error ≤ {ERROR:g} m", what, value, FASTER, at_most=False, note=note))
    return checks


if __name__ == "__main__":
    print_checks(run())
