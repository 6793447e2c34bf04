"""Forward dynamics beside Pinocchio and MuJoCo: the same mechanisms, first compared, then timed in turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from checks import Check, print_checks
from translation import mujoco_accelerations, mujoco_model, pinocchio_model, pinocchio_order
from trees import chain, humanoid

from sharnir.app.bench import evaluation, minima, random_states

SINGLE, BATCH = 0.5, 0.12  # targets: our time over Pinocchio's
ROWS = 2048  # states
CASES: dict[str, Callable[[], Any]] = {
    f"{name}, N = {n}": (lambda n=n, f=f: chain(n, f)) for f, name in ((1, "hinges"), (3, "balls")) for n in (7, 30, 100)
}
CASES["humanoid, 32 freedoms"] = humanoid


def importable(name: str) -> bool:
    """True if the peer is installed."""
    from importlib.util import find_spec

    return find_spec(name) is not None


def pinocchio_tasks(system: Any, q: np.ndarray, v: np.ndarray) -> dict[str, Callable[[], Any]]:
    """aba call by call in both conventions, on an empty model (the cost of a call), and the parallel one on one thread."""
    import pinocchio as pin

    model, empty = pinocchio_model(system), pin.Model()
    data, nothing = model.createData(), empty.createData()
    to_q, to_v = pinocchio_order(system, model)
    qs, vs, tau, no = list(to_q(q)), list(to_v(v)), np.zeros(system.n_v), np.zeros(0)
    pool, columns = pin.ModelPool(model, 1), [np.asfortranarray(x.T) for x in (to_q(q), to_v(v), np.zeros_like(v))]
    out = np.zeros((system.n_v, len(q)), order="F")

    def calls(convention: Any) -> Callable[[], None]:
        return lambda: [pin.aba(model, data, x, y, tau, convention) for x, y in zip(qs, vs, strict=True)]

    return {
        "pinocchio local": calls(pin.Convention.LOCAL),
        "pinocchio world": calls(pin.Convention.WORLD),
        "pinocchio call": lambda: [pin.aba(empty, nothing, no, no, no, pin.Convention.LOCAL) for _ in qs],
        "pinocchio parallel": lambda: pin.abaInParallel(1, pool, *columns, out),
    }


def mujoco_tasks(system: Any, q: np.ndarray, v: np.ndarray) -> dict[str, Callable[[], Any]]:
    """mj_forward at one state, and on an empty model (the cost of a call)."""
    import mujoco

    model, empty = mujoco_model(system), mujoco.MjSpec().compile()
    data, nothing = mujoco.MjData(model), mujoco.MjData(empty)
    mujoco_accelerations(system, model, data, q[0], v[0])
    rows = range(len(q))
    return {
        "mujoco": lambda: [mujoco.mj_forward(model, data) for _ in rows],
        "mujoco call": lambda: [mujoco.mj_forward(empty, nothing) for _ in rows],
    }


def differences(system: Any, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
    """Largest relative difference of accelerations from each peer's, and residuals τ of Pinocchio's own inverse dynamics.

    On long chains of balls Pinocchio's aba loses digits while its rnea does not: the residual says whose accelerations are right.
    """
    ours, found = system.accelerations(q, v), {}

    def worst(theirs: list[np.ndarray]) -> float:
        return max(float(np.abs(a - b).max() / np.abs(a).max()) for a, b in zip(ours, theirs, strict=True))

    if importable("pinocchio"):
        import pinocchio as pin

        model = pinocchio_model(system)
        data = model.createData()
        to_q, to_v = pinocchio_order(system, model)
        back = np.argsort(to_v(np.arange(system.n_v)))
        states = list(zip(to_q(q), to_v(v), to_v(ours), strict=True))
        theirs = [pin.aba(model, data, x, y, np.zeros(system.n_v)).copy() for x, y, _ in states]
        found["pinocchio"] = worst([a[back] for a in theirs])
        bias = [np.abs(pin.rnea(model, data, x, y, 0.0 * y)).max() for x, y, _ in states]
        found["our residual"] = max(
            np.abs(pin.rnea(model, data, x, y, a)).max() / b for (x, y, a), b in zip(states, bias, strict=True)
        )
        found["pinocchio residual"] = max(
            np.abs(pin.rnea(model, data, x, y, a)).max() / b for (x, y, _), a, b in zip(states, theirs, bias, strict=True)
        )
    if importable("mujoco"):
        import mujoco

        model = mujoco_model(system)
        data = mujoco.MjData(model)
        found["mujoco"] = worst([mujoco_accelerations(system, model, data, x, y) for x, y in zip(q, v, strict=True)])
    return found


def equal_work(system: Any) -> str:
    """Checks that all programs compute the same accelerations (to 1e-9); says how well. Raises if they do not."""
    found = differences(system, *random_states(system, 8, seed=1))
    ours_right = found.get("our residual", 0.0) < 1e-9
    agree = all(found.get(name, 0.0) < 1e-9 for name in ("pinocchio", "mujoco"))
    if not ours_right or not (agree or found["pinocchio residual"] > 10.0 * found["our residual"]):
        raise AssertionError(f"the programs disagree, so their times cannot be compared: {found}")
    return ", ".join(f"{name} {value:.0e}" for name, value in found.items())


def measure(system: Any, repeat: int) -> dict[str, float]:
    """Seconds per state of every program, calls' own cost subtracted."""
    rows = ROWS
    q, v = random_states(system, rows)
    tasks: dict[str, Callable[[], Any]] = {
        "single": evaluation(system, q, v),
        "python call": lambda: [system.accelerations(x, y) for x, y in zip(q[:32], v[:32], strict=True)],
        "batch": lambda: system.accelerations(q, v, threads=1),
    }
    if importable("pinocchio"):
        tasks |= pinocchio_tasks(system, q, v)
    if importable("mujoco"):
        tasks |= mujoco_tasks(system, q, v)
    times = {name: seconds / (32 if name == "python call" else rows) for name, seconds in minima(tasks, repeat).items()}
    if "pinocchio call" in times:
        times["pinocchio"] = min(times["pinocchio local"], times["pinocchio world"]) - times["pinocchio call"]
    if "mujoco call" in times:
        times["mujoco"] -= times["mujoco call"]
    return times


def run(quick: bool = False) -> list[Check]:
    """All cases; prints microseconds, returns ratios."""
    checks = []
    for name, build in CASES.items():
        system = build().compile(method="articulated")
        print(f"{name}: relative differences: {equal_work(system)}")
        times = measure(system, 5 if quick else 25)
        print("   µs per state: " + ", ".join(f"{key} {1e6 * t:.3g}" for key, t in times.items()))
        peer, many = times.get("pinocchio"), times.get("pinocchio parallel")
        note = f"relative to MuJoCo: {times['single'] / times['mujoco']:.2g}" if "mujoco" in times else ""
        if peer:
            theirs = min(times["pinocchio local"], times["pinocchio world"])
            note += f"; a single call from Python: {times['python call'] / theirs:.2g}"
        single = times["single"] / peer if peer else None
        batch = times["batch"] / min(peer, many) if peer and many else None
        checks.append(
            Check(
                name, "single state, our time / Pinocchio's", single, SINGLE, note=note if peer else "Pinocchio is not installed"
            )
        )
        checks.append(Check(name, "batch on one core, our time per state / Pinocchio's", batch, BATCH))
    return checks


if __name__ == "__main__":
    print_checks(run())
