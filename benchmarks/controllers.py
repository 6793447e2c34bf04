"""What forces and controllers cost that users write: formulas, compiled Python, Python on a clock; beside built-in ones."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from checks import Check, print_checks
from flexible_peer import python_with, task

import sharnir as sr
from sharnir.integrate import integrate

LINKS, LENGTH, STIFFNESS, DAMPING = 10, 0.2, 20.0, 0.1
STEPS, STEP = 1000, 1e-3
COST = 1.5  # of what users write, against what is built in
FASTER = 1.0  # than Exudyn with Python functions


def chain(way: str, n: int = LINKS) -> sr.Model:
    """Links that hang in a row, spring and damper in every hinge: built in, or written in some way."""
    m = sr.Model("chain")
    previous: Any = m.ground
    for k in range(n):
        place = (0, 0, -LENGTH * (k + 0.5))
        link = m.add(sr.Body(f"link{k}", mass=1, inertia=(0.01, 0.01, 0.001), position=place))
        own = {"stiffness": STIFFNESS, "damping": DAMPING} if way == "built in" else {}
        m.add(sr.Revolute(f"hinge{k}", previous, link, at=(0, 0, -LENGTH * k), axis="y", q=0.1, **own))
        previous = link
        if way == "formula":
            m.add(sr.JointForce(f"force{k}", f"hinge{k}", f"-{STIFFNESS}*q - {DAMPING}*v"))
        elif way == "compiled Python":
            m.add(sr.JointForce(f"force{k}", f"hinge{k}", lambda q, v, t: -STIFFNESS * q - DAMPING * v))
        elif way == "signals":
            m.add(sr.Signal(f"s{k}", f"-{STIFFNESS}*hinge{k}.q - {DAMPING}*hinge{k}.v"))
            m.add(sr.JointForce(f"force{k}", f"hinge{k}", f"s{k}"))
        elif way == "compiled signals":
            m.add(sr.Function(f"s{k}", lambda q, v: -STIFFNESS * q - DAMPING * v, [f"hinge{k}.q", f"hinge{k}.v"]))
            m.add(sr.JointForce(f"force{k}", f"hinge{k}", f"s{k}"))
    return m


def net(way: str) -> sr.Model:
    """Free masses in a row, joined by springs in space."""
    m = sr.Model("springs")
    for k in range(LINKS):
        m.add(sr.Body(f"mass{k}", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.3 * (k + 1), 0, -0.01 * k)))
    for k in range(LINKS):
        a = "ground" if k == 0 else f"mass{k - 1}"
        ends = {"at_a": (0, 0, 0)} if k == 0 else {}
        if way == "built in":
            m.add(sr.Spring(f"spring{k}", a, f"mass{k}", stiffness=500, damping=1, length=0.25, **ends))
        elif way == "formula":
            m.add(sr.Spring(f"spring{k}", a, f"mass{k}", force="500*x + v", length=0.25, **ends))
        else:
            m.add(sr.Spring(f"spring{k}", a, f"mass{k}", force=lambda x, v, t: 500.0 * x + v, length=0.25, **ends))
    return m


def robot(way: str) -> sr.Model:
    """PID control of every hinge: the block, or the same written as formulas."""
    m = chain("none", 6)
    for k in range(6):
        error, rate = f"0.3*sin(2*t) - hinge{k}.q", f"0.6*cos(2*t) - hinge{k}.v"
        if way == "built in":
            m.add(sr.PID(f"u{k}", error, kp=200, ki=50, kd=10, rate=rate))
        else:
            m.add(sr.Signal(f"e{k}", error), sr.Signal(f"d{k}", rate), sr.Integral(f"i{k}", f"e{k}"))
            if way == "formula":
                m.add(sr.Signal(f"u{k}", f"200*e{k} + 50*i{k} + 10*d{k}"))
            else:
                m.add(sr.Function(f"u{k}", lambda e, i, d: 200.0 * e + 50.0 * i + 10.0 * d, [f"e{k}", f"i{k}", f"d{k}"]))
        m.add(sr.JointForce(f"motor{k}", f"hinge{k}", f"u{k}"))
    return m


MODELS: dict[str, tuple[Callable[[str], sr.Model], tuple[str, ...]]] = {
    f"chain of {LINKS} hinges, spring and damper": (chain, ("formula", "compiled Python", "signals", "compiled signals")),
    f"{LINKS} masses, springs in space": (net, ("formula", "compiled Python")),
    "6 hinges, PID control": (robot, ("formula", "compiled Python")),
}


def seconds_of(ways: dict[str, sr.Model], repeats: int) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """CPU seconds of the same steps for all models, the best of interleaved runs, and where they end."""
    systems = {way: model.compile() for way, model in ways.items()}
    best, ends = dict.fromkeys(ways, np.inf), {}
    for _ in range(repeats):
        for way, system in systems.items():
            problem = system.problem()
            begin = process_time()
            found = integrate(problem, system.y0, [0.0, STEPS * STEP], "rk4", step=STEP)
            best[way] = min(best[way], process_time() - begin)
            ends[way] = found.y[-1, : system.n_q]
    return best, ends


def written(quick: bool) -> list[Check]:
    """Ratios to what is built in."""
    checks = []
    for name, (make, ways) in MODELS.items():
        best, ends = seconds_of({way: make(way) for way in ("built in", *ways)}, 5 if quick else 25)
        difference = max(float(np.abs(ends[way] - ends["built in"]).max()) for way in ways)
        print(f"{name}: " + ", ".join(f"{way} {1e6 * x / STEPS:.2f} µs a step" for way, x in best.items()), f"({difference:.0e})")
        assert difference < 1e-9
        checks += [Check(name, f"{way}, time / built in", best[way] / best["built in"], COST) for way in ways]
    return checks


def beside_exudyn(quick: bool) -> list[Check]:
    """Exudyn with Python functions against ours with formulas; the note tells what they cost more than its own elements."""
    checks, python = [], python_with("exudyn")
    for name, kind, make in ((f"chain of {LINKS} hinges", "chain", chain), (f"{LINKS} masses, springs in space", "masses", net)):
        what = "Exudyn's time with Python functions / ours with formulas"
        if python is None:
            checks.append(Check(name, what, None, FASTER, at_most=False, note="Exudyn is not installed"))
            continue
        peer = task(python, "controllers_exudyn.py", kind, LINKS, 3 if quick else 9)
        best, ends = seconds_of({"formula": make("formula")}, 5 if quick else 25)
        if kind == "chain":
            assert np.abs(ends["formula"] - np.array(peer["ends"]["own"])).max() < 1e-6
        ratio = peer["seconds"]["python"] / peer["seconds"]["own"]
        note = f"in Exudyn, Python functions cost {ratio:.2g} times its own elements"
        if kind == "masses":
            note += "; its masses are points, ours turn"
        checks.append(Check(name, what, peer["seconds"]["python"] / best["formula"], FASTER, at_most=False, note=note))
    return checks


def cost_of_a_tick(quick: bool) -> tuple[list[Check], str]:
    """Microseconds of one tick of a sampled controller, besides the user's function."""
    lines = ["| on a clock | µs a tick |", "|---|---:|"]
    for label, block in (
        ("`Difference`, compiled", sr.Difference("u", {"x": "hinge0.q"}, "-x", period=STEP)),
        ("`Sampled`, a Python function", sr.Sampled("u", lambda t, x: -x, ["hinge0.q"], period=STEP)),
    ):
        best, plain = np.inf, np.inf
        sampled, without = chain("none", 6), chain("none", 6)
        sampled.add(block, sr.JointForce("f", "hinge0", "u"))
        without.add(sr.Signal("u", "-hinge0.q"), sr.JointForce("f", "hinge0", "u"))
        for _ in range(2 if quick else 5):
            for model in (sampled, without):
                begin = process_time()
                r = model.simulate(1.0, output=0.1, integrator="rk4", step=STEP)
                seconds = process_time() - begin
                best, plain = (min(best, seconds), plain) if model is sampled else (best, min(plain, seconds))
        lines.append(f"| {label} | {1e6 * (best - plain) / 1000:.0f} |")
        assert r.stats["steps"] >= 1000
    return [], "\n".join(lines)


def run(quick: bool = False) -> list[Check]:
    """All of them."""
    return written(quick) + beside_exudyn(quick)


if __name__ == "__main__":
    print_checks(run(quick=True))
    print(cost_of_a_tick(True)[1])
