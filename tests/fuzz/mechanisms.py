"""Random mechanisms, each run in two ways and audited: `python -m tests.fuzz --count 10000 [--seed 0] [--kind loop]`.

A case is silent if two complete runs without warnings or doubts differ by more than their tolerance explains. How far two runs
may differ follows from a third one with a finer tolerance: mechanisms that lose their memory (chaos) are not held against us.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

import sharnir as sr
from sharnir.errors import SharnirError

from . import TESTS  # noqa: F401 - puts the tests' own models on the path
from .files import Hang, alarm

OUTPUTS = 40
LIMIT = 1e-4  # of the extent of the motion
CHAOS = 1e-3  # a run that moves by this when the tolerance is finer says nothing about another one
SECONDS = 60


@dataclass
class Case:
    """A model, how long it runs, and settings that both runs share."""

    model: sr.Model
    t_end: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """What became of a case: its class, and words that say more."""

    kind: str
    what: str
    words: str = ""


# ---- parts ------------------------------------------------------------------------------------------------------------------


def tree(rng: Generator) -> Case:
    """Bodies on joints of all kinds."""
    import zoo

    return Case(zoo.random_tree(int(rng.integers(1 << 30)), int(rng.integers(1, 7))))


def with_springs(rng: Generator) -> Case:
    """A tree with springs, dampers and bushings between any bodies."""
    m = tree(rng).model
    names = ["ground", *(name for name in m.bodies if name != "ground")]
    for k in range(int(rng.integers(1, 4))):
        a, b = rng.choice(len(names), 2, replace=False)
        stiffness, damping = 10.0 ** rng.uniform(0, 4), 10.0 ** rng.uniform(-2, 1)
        places = {"at_a": tuple(rng.uniform(-0.5, 0.5, 3)), "at_b": tuple(rng.uniform(-0.5, 0.5, 3))}
        m.add(
            sr.Spring(f"s{k}", names[a], names[b], stiffness=stiffness, damping=damping, length=rng.uniform(0.1, 1.0), **places)
        )
    return Case(m)


def ratios(rng: Generator) -> Case:
    """Light and heavy bodies, soft and stiff springs in one chain."""
    m = sr.Model("ratios")
    count = int(rng.integers(2, 6))
    for k in range(count):
        mass, size = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-1, 0.5)
        m.add(sr.Body(f"b{k}", mass=mass, inertia=(0.1 * mass * size**2,) * 3, position=(0.3 * k + 0.3, 0, 0)))
        axis = tuple(rng.normal(size=3))
        kind = (sr.Revolute, sr.Prismatic)[int(rng.random() < 0.3)]
        stiffness = 10.0 ** rng.uniform(-1, 4) * mass
        at = {} if kind is sr.Prismatic else {"at": (0.3 * k, 0, 0)}
        m.add(
            kind(
                f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", axis=axis, v=rng.uniform(-1, 1), stiffness=stiffness, **at
            )
        )
    return Case(m)


def loop(rng: Generator, singular: bool = False) -> Case:
    """A closed chain of rods in a tilted plane, or with ball joints in space."""
    count = int(rng.integers(4, 7))
    angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    corners = np.column_stack([np.cos(angles), 0.7 * np.sin(angles), np.zeros(count)]) * rng.uniform(0.5, 1.5)
    if singular:  # a parallelogram, near the position in which all of it is in line
        lean = float(rng.choice([0.0, 1e-9, 1e-6, 1e-3, 0.1, np.pi]))
        corners = np.array([(0, 0, 0), (np.cos(lean), np.sin(lean), 0), (2 + np.cos(lean), np.sin(lean), 0), (2, 0, 0)])
        count = 4
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    corners, normal = corners @ turn.T, tuple(turn[:, 2])
    spatial = not singular and rng.random() < 0.4
    m = sr.Model("loop", gravity=tuple(rng.uniform(-9, 9, 3)))
    names = ["ground", *(f"b{k}" for k in range(count - 1))]
    for k, name in enumerate(names[1:]):
        a, b = corners[k], corners[k + 1]
        rotation = tuple(rng.normal(size=4)) if rng.random() < 0.5 else None
        middle = tuple(0.5 * (a + b))
        m.add(
            sr.Body(
                name, mass=rng.uniform(0.2, 3.0), inertia=tuple(rng.uniform(0.05, 0.08, 3)), position=middle, rotation=rotation
            )
        )
    for k in range(count):
        ends = (names[k % count], names[(k + 1) % count])
        at = tuple(corners[k])
        if spatial and k % 2:
            m.add(sr.Ball(f"j{k}", *ends, at=at))
        else:
            speed = {"v": rng.uniform(0.5, 3.0)} if k == 0 else {}
            m.add(sr.Revolute(f"j{k}", *ends, at=at, axis=normal, **speed))
    return Case(m)


def singular(rng: Generator) -> Case:
    """Parallelograms in or near the position in which all their rods are in line."""
    return loop(rng, singular=True)


def pulse(rng: Generator) -> Case:
    """Forces that are zero for a while, in time or in the state, by formulas and by tables."""
    m = sr.Model("pulse", gravity=(0, 0, 0))
    m.add(sr.Body("b0", mass=rng.uniform(1, 10), inertia=(1, 1, 1)))
    begin, length, size = rng.uniform(0.5, 8.0), 10.0 ** rng.uniform(-3, 0), rng.uniform(10, 1000)
    kind = int(rng.integers(5))
    if kind == 0:
        torque: Any = f"if((t>{begin:.6g})*(t<{begin + length:.6g}), {size:.6g}, 0)"
    elif kind == 1:
        torque = f"{size:.6g}*(step(t-{begin:.6g})-step(t-{begin + length:.6g}))"
    elif kind == 2:
        times = (0.0, begin, begin + 1e-9, begin + length, begin + length + 1e-9, 20.0)
        m.add(sr.Signal("u", "wave(t)", tables={"wave": sr.Table(times, (0, 0, size, size, 0, 0))}))
        torque = "u"
    elif kind == 3:
        torque = f"if(q>{begin:.6g}, if(q<{begin + length:.6g}, {size:.6g}, 0), 0)"
    else:
        period = f"{length + 0.05:.6g}"
        torque = f"{0.1 * size:.6g}*(t-{period}*floor(t/{period})<{0.5 * length:.6g})"
    m.add(sr.Prismatic("j0", "ground", "b0", axis=tuple(rng.normal(size=3)), v=rng.uniform(0.5, 2.0)))
    m.add(sr.JointForce("f0", "j0", torque))
    return Case(m, 10.0)


def contact(rng: Generator) -> Case:
    """Two bodies of any shapes that meet."""
    from random_impacts import random_impact

    impact = random_impact(int(rng.integers(1 << 20)), joints=bool(rng.random() < 0.5))
    return Case(impact.model, impact.t_end)


def event(rng: Generator) -> Case:
    """Changes of structure, speeds and parameters on the way."""
    m = sr.Model("life")
    for k in range(3):
        m.add(sr.Body(f"b{k}", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.5 * k + 0.5, 0, 0)))
        m.add(
            sr.Revolute(f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(0.5 * k, 0, 0), axis="y", v=rng.uniform(-2, 2))
        )
    actions = (
        lambda: sr.Release("j2"),
        lambda: sr.Lock("j1"),
        lambda: sr.SetSpeed("j0", rng.uniform(-3, 3)),
        lambda: sr.Attach("b2", "ground"),
        lambda: sr.Stop(),
    )
    for k in range(int(rng.integers(1, 4))):
        when = f"t > {rng.uniform(0.1, 0.9):.4f}" if rng.random() < 0.5 else f"j0.q > {rng.uniform(-0.5, 0.5):.4f}"
        m.add(sr.Event(f"e{k}", when, actions[int(rng.integers(len(actions)))]()))
    return Case(m)


def signal(rng: Generator) -> Case:
    """A controlled joint: filters, delays, saturation."""
    m = sr.Model("control")
    m.add(sr.Body("b0", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.3, 0, 0)))
    m.add(sr.Revolute("j0", "ground", "b0", at=(0, 0, 0), axis="y"))
    m.add(sr.Signal("goal", f"sin({rng.uniform(1, 30):.4f}*t)"))
    late = "goal"
    if rng.random() < 0.5:
        m.add(sr.Delay("late", "goal", rng.uniform(0.05, 0.5)))
        late = "late"
    m.add(sr.Signal("error", f"{late} - j0.q"))
    m.add(sr.PID("drive", "error", kp=rng.uniform(5, 50), ki=rng.uniform(0, 5), kd=rng.uniform(0, 2), filter_time=0.01))
    m.add(sr.JointForce("f0", "j0", "max(-20, min(20, drive))"))
    return Case(m)


KINDS = {
    "tree": tree,
    "springs": with_springs,
    "ratios": ratios,
    "loop": loop,
    "singular": singular,
    "pulse": pulse,
    "contact": contact,
    "event": event,
    "signal": signal,
}

# ---- two ways ---------------------------------------------------------------------------------------------------------------


def other_way(rng: Generator, kind: str) -> dict[str, Any]:
    """Settings of the second run."""
    ways: list[dict[str, Any]] = [
        {"formulation": "absolute"},
        {"integrator": "dopri5", "tolerance": 1e-9},
        {"integrator": "radau5", "tolerance": 1e-8},
        {"integrator": "abm", "tolerance": 1e-9},
    ]
    if kind in ("loop", "singular"):
        ways += [{"solver": "sparse"}, {"solver": "null-space"}, {"formulation": "absolute", "solver": "sparse"}]
    return ways[int(rng.integers(len(ways)))]


def shuffled(model: sr.Model, rng: Generator) -> sr.Model:
    """The same model with its elements in another order."""
    other = sr.Model(model.name, gravity=model.gravity)
    bodies = [b for b in model.bodies.values() if b.name != "ground"]
    for group in (bodies, list(model.joints.values())):
        for k in rng.permutation(len(group)):
            other.add(group[k])
    other.add(*model.signals.values())  # these may name each other
    forces = list(model.forces.values())
    other.add(*(forces[k] for k in rng.permutation(len(forces))))
    other.add(*model.constraints.values(), *model.events.values())
    return other


def motion(model: sr.Model, case: Case, **options: Any) -> tuple[np.ndarray, list[str]]:
    """Places of all bodies, and what the run says against itself."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = model.simulate(case.t_end, output=case.t_end / OUTPUTS, **(case.options | options))
    said = [str(w.message) for w in caught if issubclass(w.category, (sr.ModelWarning, RuntimeWarning))]
    names = sorted(name for name in model.bodies if name != "ground")
    places = np.hstack([result[f"{name}.position"] for name in names])
    return places, said + list(result.trust.doubts)


def verdict(kind: str, seed: int) -> Verdict:
    """Make the case of a seed, run it in two ways, and compare."""
    rng = default_rng([seed, sorted(KINDS).index(kind)])
    try:
        with alarm(SECONDS):
            case = KINDS[kind](rng)
            way = other_way(rng, kind)
            # speeds that a loop with several freedoms leaves open follow from which joint is cut, that is from the order
            second = shuffled(case.model, rng) if rng.random() < 0.5 and kind != "loop" else case.model
            first, doubts = motion(case.model, case)
            other, more = motion(second, case, **way)
            if doubts or more:
                return Verdict(kind, "warned", (doubts + more)[0])
            if first.shape != other.shape:
                return Verdict(kind, "silent", f"{way}: {len(first)} and {len(other)} outputs")
            extent = np.ptp(first, axis=0).max() + 1e-9
            apart = np.abs(first - other).max() / extent
            if apart <= LIMIT:
                return Verdict(kind, "agree")
            finer, _ = motion(case.model, case, tolerance=1e-11)
            own = np.abs(first - finer).max() / extent if finer.shape == first.shape else np.inf
            if own < CHAOS and apart > 1000.0 * own:
                return Verdict(kind, "silent", f"{way}: apart {apart:.2g} of {extent:.3g} m, own error {own:.2g}")
            return Verdict(kind, "chaos" if own >= CHAOS else "agree", f"{apart:.2g}, own {own:.2g}")
    except SharnirError as error:
        return Verdict(kind, "refused", str(error).splitlines()[0])
    except Hang:
        return Verdict(kind, "hang", f"longer than {SECONDS} s")
    except Exception:
        return Verdict(kind, "raw", traceback.format_exc().strip().splitlines()[-1])


def main() -> int:
    """Run many cases and count what became of them; returns how many were silent, raw or hanging."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", choices=list(KINDS), help="one kind only")
    parser.add_argument("--all", action="store_true", help="print every case that does not agree")
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    begun, bad = time.perf_counter(), 0
    kinds = [given.kind] if given.kind else list(KINDS)
    for k in range(given.count):
        kind, seed = kinds[k % len(kinds)], given.seed + k // len(kinds)
        found = verdict(kind, seed)
        counts[found.kind, found.what] += 1
        if found.what in ("silent", "raw", "hang"):
            bad += 1
        if found.what in ("silent", "raw", "hang") or (given.all and found.what != "agree"):
            sys.stdout.write(f"{kind} {seed}: {found.what}: {found.words}\n")
            sys.stdout.flush()
    classes = ("agree", "warned", "refused", "chaos", "silent", "raw", "hang")
    sys.stdout.write(f"\n{'kind':10s}" + "".join(f"{name:>9s}" for name in classes) + "\n")
    for kind in kinds:
        sys.stdout.write(f"{kind:10s}" + "".join(f"{counts[kind, name]:9d}" for name in classes) + "\n")
    sys.stdout.write(f"{given.count} mechanisms in {time.perf_counter() - begun:.0f} s\n")
    return bad


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
