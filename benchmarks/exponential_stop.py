"""The exponential stop of Computer Research and Modeling 2024: is any step shorter than the stop's own time scale asks for?

python benchmarks/exponential_stop.py

A block of 1 kg hits a stop F = k e^{-α (x - x_b)} with v = 1 m/s. The motion within the stop depends on t α v alone, so the
number of steps and the smallest one, in units of 1/(α v), should not depend on α.
"""

from checks import Check, print_checks

import sharnir as sr

STEEPNESS = (1e2, 1e3, 1e4, 1e5, 1e6)
INTEGRATORS = ("dopri5", "dop853", "radau5")


def impact(steepness: float, integrator: str, tolerance: float = 1e-6) -> tuple[int, float, float]:
    """Steps of a run of 1 s, the smallest one times α v, and the error of the speed after the impact."""
    m = sr.Model("stop", gravity=(0, 0, 0))
    m.add(sr.Body("block", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "block", axis="x", v=-1))
    m.add(sr.JointLimit("stop", "rail", lower=-0.5, law=sr.ExponentialLaw(1.0, steepness)))
    r = m.simulate(1.0, output=0.5, integrator=integrator, tolerance=tolerance)
    return r.stats["steps"] + r.stats["rejected"], r.stats["smallest_step"] * steepness, abs(float(r["rail.v"][-1]) - 1.0)


def run(quick: bool = False) -> tuple[list[Check], str]:
    """Checks, and the table as text."""
    checks, lines = (
        [],
        [
            "| integrator | α [1/m] | steps, with rejected ones | smallest step × α v | error of the speed |",
            "|---|---|---|---|---|",
        ],
    )
    for integrator in INTEGRATORS:
        smallest = []
        for steepness in STEEPNESS[:: 2 if quick else 1]:
            steps, shortest, error = impact(steepness, integrator)
            smallest.append(shortest)
            lines.append(f"| {integrator} | {steepness:g} | {steps} | {shortest:.3g} | {error:.1e} |")
        spread = max(smallest) / min(smallest)
        checks.append(
            Check(f"exponential stop, {integrator}", "largest/smallest of (smallest step × α v), α = 10² … 10⁶", spread, 2.0)
        )
    return checks, "\n".join(lines)


if __name__ == "__main__":
    found, table = run()
    print(table)
    print_checks(found)
