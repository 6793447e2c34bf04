"""A chain of rods on ball joints, released from the horizontal: 1 s with steps of 1 ms, beside Exudyn."""

from __future__ import annotations

from time import process_time

import numpy as np
from checks import Check, print_checks
from forward_dynamics import importable

import sharnir as sr
from sharnir.dynamics.model_compilation import compile_model
from sharnir.integrate import integrate

LENGTH, MASS, INERTIA = 0.1, 1.0, np.diag([1e-4, 1e-3, 1e-3])
STEP, T_END, FASTER = 1e-3, 1.0, 15.0
ABSOLUTE = [
    (solver, node)
    for solver in ("GeneralizedAlpha", "TrapezoidalIndex2")
    for node in ("RotationRotationVector", "RotationEulerParameters")
]


def model(n: int) -> sr.Model:
    """n rods along x on ball joints."""
    m = sr.Model(f"ball chain of {n} rods")
    parent = m.ground
    for i in range(n):
        at = (i * LENGTH, 0.0, 0.0)
        rod = m.add(sr.Body(f"rod{i}", mass=MASS, com=(0.5 * LENGTH, 0.0, 0.0), inertia=tuple(np.diag(INERTIA)), position=at))
        m.add(sr.Ball(f"ball{i}", parent, rod, at=at))
        parent = rod
    return m


def our_run(n: int, step: float | None) -> tuple[float, np.ndarray, float]:
    """CPU seconds of the run, end of the chain, relative change of energy; step None: a converged reference."""
    system = compile_model(model(n))
    y0, grid = np.concatenate([system.q0, system.v0]), np.array([0.0, T_END])
    begin = process_time()
    if step is None:
        solution = integrate(system.problem(), y0, grid, "dop853", 1e-13, 1e-13)
    else:
        solution = integrate(system.problem(), y0, grid, "rk4", step=step)
    seconds = process_time() - begin
    q, v = solution.y[-1, : system.n_q], solution.y[-1, system.n_q :]
    last = system.bodies(q, v)[f"rod{n - 1}"]
    w, x, y, z = last.rotation
    axis = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    energy = system.energy(q, v)
    scale = abs(energy.potential - system.energy(system.q0, system.v0).potential)
    return seconds, last.position + LENGTH * axis, abs(energy.total - system.energy(system.q0, system.v0).total) / scale


def check_solution(n: int) -> None:
    """Prints how far everybody's end of a short chain is from the converged one after 1 s."""
    exact = our_run(n, None)[1]
    print(f"N = {n}: distance of the chain's end from the converged solution at {T_END:g} s: sharnir, RK4 {STEP:g} s: ", end="")
    print(f"{np.linalg.norm(our_run(n, STEP)[1] - exact):.1e} m")
    if not importable("exudyn"):
        return
    from exudyn_models import ball_chain_absolute, ball_chain_tree

    fine = ball_chain_tree(n, LENGTH, MASS, INERTIA, STEP / 4, T_END)[1]
    print(f"   Exudyn tree, RK4 {STEP / 4:g} s: {np.linalg.norm(fine - exact):.1e} m")
    for solver, node in ABSOLUTE:
        end = ball_chain_absolute(n, LENGTH, MASS, INERTIA, STEP, T_END, solver, node)[1]
        print(f"   Exudyn absolute, {solver}, {node}: {np.linalg.norm(end - exact):.1e} m")
    if np.linalg.norm(fine - exact) > 1e-6:
        raise AssertionError("the programs do not solve the same problem")


def absolute(n: int, solver: str, node: str) -> float:
    """CPU seconds of Exudyn in absolute coordinates."""
    from exudyn_models import ball_chain_absolute

    return ball_chain_absolute(n, LENGTH, MASS, INERTIA, STEP, T_END, solver, node)[0]


def fastest_absolute(n: int) -> tuple[float, tuple[str, str]]:
    """The least CPU time of Exudyn's solvers and kinds of rotation, one run each, and which it was."""
    times = {kind: absolute(n, *kind) for kind in ABSOLUTE}
    for (solver, node), seconds in times.items():
        print(f"   Exudyn absolute, {solver}, {node}: {seconds:.2f} s CPU")
    best = min(times, key=lambda kind: times[kind])
    return times[best], best


def run(quick: bool = False) -> list[Check]:
    """Ratio of CPU times of N = 1000."""
    check_solution(10)
    n = 100 if quick else 1000
    if importable("exudyn") and not quick:
        from exudyn_models import ball_chain_tree

        theirs, mine = ball_chain_tree(100, LENGTH, MASS, INERTIA, STEP, T_END)[0], our_run(100, STEP)[0]
        print(f"N = 100: Exudyn tree {theirs:.1f} s, sharnir {mine:.3f} s")
    ours, end, drift = our_run(n, STEP)
    moved = np.linalg.norm(our_run(n, STEP / 2)[1] - end)
    print(f"N = {n}: sharnir: energy changed by {drift:.1e}, half the step moves the end by {moved:.1e} m")
    value, note = None, "Exudyn is not installed"
    if importable("exudyn"):
        theirs, kind = fastest_absolute(n)
        for _ in range(2):  # as many runs for each program, in turns, the least counts
            ours = min(ours, our_run(n, STEP)[0])
            theirs = min(theirs, absolute(n, *kind))
        print(f"N = {n}: least of 3 runs each: sharnir {ours:.3f} s CPU, Exudyn {theirs:.2f} s CPU")
        value, note = theirs / ours, "RK4 against Exudyn's fastest (absolute coordinates, sparse)"
    return [Check(f"ball chain, N = {n}, 1 s, h = 1 ms", "Exudyn's time / ours", value, FASTER, at_most=False, note=note)]


if __name__ == "__main__":
    print_checks(run())
