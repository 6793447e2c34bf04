"""What events cost: a run with 10⁴ of them against the same run without, and what a change of structure costs.

python benchmarks/events.py
"""

from __future__ import annotations

import math
import statistics
import time

from checks import Check, print_checks

import sharnir as sr
from sharnir.simulate.events import structure_change

EVENTS = 10_000


def chain(bodies: int, *elements: object) -> sr.Model:
    """Links that swing, with a clock signal that rises through zero 50 times a second and a drive that reads a parameter."""
    m = sr.Model(f"{bodies} links", parameters={"k": 0.0})
    for i in range(bodies):
        m.add(sr.Body(f"b{i}", mass=1, inertia=(0.1, 0.1, 0.1), position=(i + 0.5, 0, 0)))
        m.add(sr.Revolute(f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", at=(i, 0, 0), axis="y"))
    m.add(sr.Signal("clock", "sin(314.1592653589793*t)"), sr.JointForce("drive", "j0", "k"), *elements)
    return m


def seconds(m: sr.Model, t_end: float) -> float:
    """Clock time of a run, warm."""
    return float(m.simulate(t_end, output=t_end / 200, tolerance=1e-8).stats["seconds"])


def events_rows(bodies: int) -> list[tuple[str, float]]:
    """Clock time with events that are noted, with events that act, over that without; the best of three each."""
    t_end = EVENTS / 50
    models = {
        "without": chain(bodies),
        "noted": chain(bodies, sr.Event("e", "clock > 0")),
        "acting": chain(bodies, sr.Event("e", "clock > 0", sr.SetParameter("k", 0.0))),
    }
    for m in models.values():
        seconds(m, 0.1)
    times = {name: min(seconds(m, t_end) for _ in range(3)) for name, m in models.items()}
    return [(name, times[name] / times["without"]) for name in ("noted", "acting")]


def oscillator(*elements: object) -> sr.Model:
    """A mass on a spring, which passes its middle ten times in π s."""
    m = sr.Model("oscillator", gravity=(0, 0, 0), parameters={"n": 0.0})
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", q=1.0))
    m.add(sr.JointForce("spring", "P", "-100*q"), *elements)
    return m


def oscillator_rows() -> list[tuple[str, float]]:
    """The same for one freedom, where a run costs least; a rebound turns the mass round in the middle."""
    t_end = EVENTS * math.pi / 10
    models = {
        "without": oscillator(),
        "noted": oscillator(sr.Event("e", "P.q")),
        "acting": oscillator(sr.Event("e", "P.q", sr.SetParameter("n", "n + 1"))),
        "rebounds": oscillator(sr.Event("e", "P.q < 0", sr.Rebound("P", 1.0))),
    }
    for m in models.values():
        m.simulate(1.0, output=0.5)
    times = {name: min(float(m.simulate(t_end, output=10.0).stats["seconds"]) for _ in range(3)) for name, m in models.items()}
    return [(name, times[name] / times["without"]) for name in ("noted", "acting", "rebounds")]


def rebuild_milliseconds(bodies: int = 30) -> dict[str, float]:
    """Medians of the clock time of changes of structure of a chain, warm."""
    found: dict[str, list[float]] = {}
    plain = structure_change.StructureChange.apply

    def timed(self, actions):  # type: ignore[no-untyped-def]
        begin = time.perf_counter()
        plain(self, actions)
        found.setdefault(type(actions[0]).__name__, []).append(1e3 * (time.perf_counter() - begin))

    m = chain(bodies)
    for k in range(5):
        at = 0.01 * k
        m.add(sr.Event(f"lock{k}", at=at + 0.001, actions=sr.Lock(f"j{k}")))
        m.add(sr.Event(f"free{k}", at=at + 0.003, actions=sr.Unlock(f"j{k}")))
        m.add(sr.Event(f"tie{k}", at=at + 0.005, actions=sr.Attach("ground", f"b{bodies - 1 - k}")))
        m.add(sr.Event(f"break{k}", at=at + 0.007, actions=sr.Release(f"j{bodies - 5 - k}")))
    structure_change.StructureChange.apply = timed  # type: ignore[method-assign]
    try:
        for _ in range(2):
            found.clear()
            m.simulate(0.05, output=0.01)
    finally:
        structure_change.StructureChange.apply = plain  # type: ignore[method-assign]
    return {name: statistics.median(times) for name, times in found.items()}


def run(quick: bool = False) -> list[Check]:
    """10⁴ events in a run of 30 links, of 6, and of one freedom; changes of structure of 30 links."""
    checks = []
    for count in (30,) if quick else (30, 6):
        for name, ratio in events_rows(count):
            checks.append(Check(f"10⁴ events that are {name}, {count} links", "time / the run without events", ratio, 3.0))
    for name, ratio in oscillator_rows():
        checks.append(Check(f"10⁴ events that are {name}, one freedom", "time / the run without events", ratio, 3.0))
    for name, milliseconds in rebuild_milliseconds().items():
        checks.append(Check(f"{name}, 30 links", "clock time of the change, ms", milliseconds, 50.0))
    return checks


if __name__ == "__main__":
    print_checks(run())
