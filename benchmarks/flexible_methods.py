"""Time of one evaluation of a chain of flexible links by O(n) and dense methods, against the number of links.

Every link is a beam with six elastic coordinates on a hinge, so n links have 7 n speeds. All methods solve the same states in
one run, in turns; accelerations are compared first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sr
from sharnir.app.bench import evaluation, minima
from sharnir.flexible import Section, reduce, straight_beam

LINKS = (2, 5, 10, 20, 50, 100, 200)
METHODS = ("articulated", "lagrange1", "composite")


def chain(n: int) -> sr.Model:
    """Rods of 0.2 m on hinges about changing axes; the shapes are the six static ones of two interfaces."""
    rod = straight_beam((0, 0, 0), (0.2, 0, 0), Section.round(0.005), elements=4)
    link = reduce(rod, interfaces={"root": 0, "tip": 4}, basis="static")
    model, before = sr.Model(f"chain of {n} flexible links"), "ground"
    for k in range(n):
        at = (0.2 * k, 0.0, 0.0)
        model.add(sr.FlexibleBody(f"link{k}", reduced=link, position=at))
        model.add(sr.Revolute(f"joint{k}", before, f"link{k}:root", at=at, axis="yzx"[k % 3]))
        before = f"link{k}:tip"
    return model


def states(system: Any, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random joint angles, and deformations of a few hundredths of a millimetre."""
    random = np.random.default_rng(seed)
    q, v = 0.5 * random.standard_normal((count, system.n_q)), 0.5 * random.standard_normal((count, system.n_v))
    for first, speed, h in system.assembly.coordinates.elastic.values():
        q[:, first : first + h] *= 4e-5
        v[:, speed : speed + h] *= 4e-3
    return q, v


def measure(n: int) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of one evaluation by every method, and its largest relative difference from the articulated accelerations."""
    model = chain(n)
    systems = {method: model.compile(method=method) for method in METHODS}
    q, v = states(systems["articulated"], max(1, 40 // n))
    found = {method: s.accelerations(q, v) for method, s in systems.items()}
    first = found["articulated"]
    apart = {method: float(np.abs(x - first).max() / np.abs(first).max()) for method, x in found.items()}
    times = minima({method: evaluation(s, q, v) for method, s in systems.items()})
    return {method: x / len(q) for method, x in times.items()}, apart


def exponent(links: list[int], times: list[float]) -> float:
    """Slope of log time against log n."""
    return float(np.polyfit(np.log(links), np.log(times), 1)[0])


def main() -> None:
    rows = [(n, *measure(n)) for n in LINKS]
    print("| links | articulated, per link (2 links: 1) | lagrange1 / articulated | composite / articulated | differences |")
    print("|---:|---:|---:|---:|---:|")
    unit = rows[0][1]["articulated"] / rows[0][0]
    for n, t, apart in rows:
        ratios = " | ".join(f"{t[method] / t['articulated']:.2g}" for method in METHODS[1:])
        differences = ", ".join(f"{apart[method]:.0e}" for method in METHODS[1:])
        print(f"| {n} | {t['articulated'] / n / unit:.2f} | {ratios} | {differences} |")
    for method in METHODS:
        text = ", ".join(f"{1e6 * t[method]:.3g}" for _, t, _ in rows)
        large = [(n, t[method]) for n, t, _ in rows if n >= 20]
        print(f"{method}: µs {text}; exponent from 20 links on {exponent(*map(list, zip(*large, strict=True))):.2f}")


if __name__ == "__main__":
    main()
