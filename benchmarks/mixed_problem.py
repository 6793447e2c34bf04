"""Time of one solution of the mixed problem against the number of flexible links: the recursion, and the combined method.

python benchmarks/mixed_problem.py [picture.png]

A chain of elastic links on hinges; every second hinge has its motion given, of the others the torque.
"""

import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
from checks import Check

import sharnir as sr
from sharnir.app.bench import minima
from sharnir.flexible import Section, reduce, straight_beam

COUNTS = (10, 20, 50, 100, 200, 500, 1000)
MOST_COMBINED = 200  # links: the dense method is slow
LINEAR = 1.05  # exponent of a time that grows with the number of links


def chain(count: int, modes: int = 2) -> sr.Model:
    """Steel rods of 0.2 m with eight elastic coordinates each, one after the other."""
    beam = straight_beam((0, 0, 0), (0.2, 0, 0), Section.round(0.005), elements=4)
    link = reduce(beam, interfaces={"a": 0, "b": 4}, modes=modes)
    m, before = sr.Model(f"{count} elastic links"), "ground"
    for k in range(count):
        place = (0.2 * k, 0.0, 0.0)
        m.add(sr.FlexibleBody(f"link{k}", reduced=link, position=place))
        m.add(sr.Revolute(f"hinge{k}", before, f"link{k}:a", at=place, axis="y" if k % 2 else "z", q=0.1, v=0.3))
        before = f"link{k}:b"
    return m


def seconds(call, least: float = 0.2) -> float:
    """Time of one call: the shortest of several series."""
    call()
    count, best = 1, float("inf")
    for _ in range(20):
        while True:
            begin = perf_counter()
            for _ in range(count):
                call()
            spent = perf_counter() - begin
            if spent > 0.2 * least:
                break
            count *= 2
        best = min(best, spent / count)
    return best


def solution(count: int, method: str = "recursion") -> Callable[[], object]:
    """A function that solves the mixed problem of a chain once."""
    s = chain(count).compile()
    problem = s.mixed_problem([f"hinge{k}" for k in range(0, count, 2)])
    accelerations, forces = np.ones(s.n_v), np.zeros(s.n_v)
    return lambda: problem.solve(s.q0, s.v0, forces, accelerations, method=method)


def run(quick: bool = False) -> list[Check]:
    """Exponent of the time of a solution by the recursion, sizes in turns."""
    counts = [50, 100, 200] if quick else [50, 100, 200, 400, 800]
    best = minima({str(n): solution(n) for n in counts}, 3 if quick else 15, shortest=0.02)
    times = {n: best[str(n)] for n in counts}
    print("µs of a solution per link: " + ", ".join(f"{n}: {1e6 * t / n:.2f}" for n, t in times.items()))
    task = f"mixed problem, chain of {counts[0]} … {counts[-1]} flexible links"
    note = f"every second hinge driven; {1e6 * times[100]:.0f} µs for 100"
    return [Check(task, "exponent of time against links", exponent(times), LINEAR, note=note)]


def measure() -> dict[str, dict[int, float]]:
    """Seconds per solution by method and number of links."""
    found: dict[str, dict[int, float]] = {"recursion": {}, "combined": {}}
    for n in COUNTS:
        found["recursion"][n] = seconds(solution(n))
        if n <= MOST_COMBINED:
            found["combined"][n] = seconds(solution(n, "combined"), 0.05)
    return found


def exponent(times: dict[int, float], first: int = 0) -> float:
    """Slope of log time over log n, from `first` links on."""
    n = [k for k in times if k >= first]
    return float(np.polyfit(np.log(n), np.log([times[k] for k in n]), 1)[0])


def draw(found: dict[str, dict[int, float]], path: str) -> None:
    """Time over links, both axes logarithmic."""
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for name, times in found.items():
        panel.loglog(list(times), [1e6 * x for x in times.values()], "o-", label=name)
    panel.set(xlabel="links", ylabel="µs")
    panel.grid(alpha=0.3)
    panel.legend()
    figure.savefig(path, dpi=80)


def main() -> None:
    found = measure()
    if len(sys.argv) > 1:
        draw(found, sys.argv[1])
    print("links   recursion [µs]   per link [µs]   combined [µs]")
    for n, time in found["recursion"].items():
        other = found["combined"].get(n)
        print(f"{n:5d}   {1e6 * time:14.1f}   {1e6 * time / n:13.3f}   {'' if other is None else f'{1e6 * other:13.0f}'}")
    slopes = exponent(found["recursion"], 50), exponent(found["combined"], 50)
    print(f"exponents from 50 links on: recursion {slopes[0]:.2f}, combined {slopes[1]:.2f}")


if __name__ == "__main__":
    main()
