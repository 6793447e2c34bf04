"""Method "symbolic" against the engine: one evaluation inside compiled code, whole runs, and what the derivation costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

import numpy as np
from checks import Check, print_checks
from loop_models import andrews, five_loops

import sharnir as sr
from sharnir.app.bench import chain
from sharnir.dynamics.evaluation.python_entries import accelerate_states


def planar_chain(n: int) -> sr.Model:
    """Equal links on parallel hinges."""
    m, parent = sr.Model(f"planar chain of {n}"), "ground"
    for i in range(n):
        m.add(sr.Body(f"l{i}", mass=1, com=(0.1, 0, 0), inertia=(0.003, 0.005, 0.006), position=(0.2 * i, 0, 0)))
        m.add(sr.Revolute(f"j{i}", parent, f"l{i}", at=(0.2 * i, 0, 0), axis="y"))
        parent = f"l{i}"
    return m


def slider_crank() -> sr.Model:
    """Crank of 0.2 m, rod of 0.5 m."""
    m = sr.Model("slider-crank")
    m.add(sr.Body("crank", mass=1, shape=sr.Rod((0, 0, 0), (0.2, 0, 0), 0.01)))
    m.add(sr.Body("rod", mass=1, shape=sr.Rod((0, 0, 0), (0.5, 0, 0), 0.01), position=(0.2, 0, 0)))
    m.add(sr.Body("slider", mass=1, inertia=(0.01, 0.01, 0.01), position=(0.7, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=10.0))
    m.add(sr.Revolute("A", "crank", "rod", at=(0.2, 0, 0), axis="y"), sr.Revolute("B", "rod", "slider", axis="y"))
    m.add(sr.Prismatic("S", "ground", "slider", axis="x"))
    return m


def evaluation(system: sr.System, count: int = 20_000) -> float:
    """CPU seconds of one evaluation in a compiled loop over the same state, the least of several."""
    f = getattr(system.rates, "address", system.rates)
    q, v = (np.repeat(x[None], count, axis=0) for x in (system.q0, system.v0))
    out, drive, scratch = np.zeros_like(v), np.zeros((1, system.n_v)), np.concatenate([system.y0, system.y0])
    best = np.inf
    for _ in range(15):
        begin = process_time()
        accelerate_states(f, np.zeros(1), q, v, out, drive, system.table, system.params, system.work, scratch)
        best = min(best, (process_time() - begin) / count)
    return best


def derivation(model: sr.Model) -> float:
    """CPU seconds to derive and compile anew, the least of three."""
    best = np.inf
    for _ in range(3):
        system = model.compile()
        with no_code_on_disk(True):
            begin = process_time()
            system.derive()
            best = min(best, process_time() - begin)
    return best


def run(quick: bool = False) -> list[Check]:
    """Ratios of times, symbolic / engine."""
    checks = []
    cases = [(slider_crank(), 0.06), (andrews(), 0.15), (planar_chain(20), 0.6), (five_loops(), 0.5), (chain(3), 0.5)]
    for model, limit in cases:
        engine, derived = model.compile(), model.compile(method="symbolic")
        a, b = evaluation(engine), evaluation(derived)
        note = f"{1e6 * b:.3f} µs, engine {1e6 * a:.2f} µs"
        checks.append(Check(model.name, "time of an evaluation, symbolic / engine", b / a, limit, note=note))
    for model, limit in ((planar_chain(20), 0.3), (chain(20), 0.8), (slider_crank(), 0.2), (five_loops(), 2.0)):
        checks.append(Check(model.name, "derive and compile, CPU s", derivation(model), limit))
    return checks


def andrews_against_cvode(quick: bool = False) -> Check:
    """Least CPU time for an error of 1e-6 rad at 0.03 s: CVODE on equations written by hand / derived code, solvers alone."""
    from andrews_by_hand import cvode_run
    from andrews_work_precision import our_run, points, time_at

    tolerances, repeat = [10.0**-k for k in range(4, 11)], 3 if quick else 15
    peers = [
        time_at(points(lambda x, method=method: cvode_run(x, method), tolerances, repeat), 1e-6) for method in ("Adams", "BDF")
    ]
    names = ("dop853", "dopri5", "abm")
    own = {name: time_at(points(our_run("joint", name, "symbolic"), tolerances, repeat), 1e-6) for name in names}
    name = min(own, key=lambda key: own[key])
    note = f"{name} {1e3 * own[name]:.2f} ms, CVODE {1e3 * min(peers):.2f} ms"
    what = "CVODE's time by hand / derived, error ≤ 1e-6 rad"
    return Check("Andrews' mechanism, 0.03 s", what, min(peers) / own[name], 5.0, False, note)


def engine_demo() -> list[Check]:
    """Ten seconds of the engine with 25 bodies, CPU time of everything but kernels' loading: code on disk, and all anew."""
    from sharnir.app.demos.machines.engine import model

    checks = []
    cases = [(method, what) for method in ("auto", "symbolic") for what in ("with its code on disk", "derived anew")]
    for method, what in cases:
        best = np.inf
        for _ in range(3):
            m = model()
            with no_code_on_disk(what == "derived anew"):
                begin = process_time()
                m.simulate(10.0, method=method)
                best = min(best, process_time() - begin)
        checks.append(Check("engine of 25 bodies, 10 s", f"CPU s, {method}, {what}", best, 1.0))
    return checks


@contextmanager
def no_code_on_disk(wanted: bool) -> Iterator[None]:
    """As in a process that finds nothing in the cache."""
    from sharnir.kernel.formulas import machine_code

    kept = machine_code.stored
    machine_code.stored = (lambda name: None) if wanted else kept
    try:
        yield
    finally:
        machine_code.stored = kept


if __name__ == "__main__":
    print_checks([*run(), andrews_against_cvode(), *engine_demo()])
