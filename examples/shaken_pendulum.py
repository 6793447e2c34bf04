"""Kapitza's pendulum stands upright because its pivot is shaken: a joint by formulas that moves with time."""

import math
import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

length, amplitude, frequency = 0.2, 0.02, 2 * math.pi * 30.0  # m, m, rad/s
numbers = {"a": amplitude, "w": frequency}


def pendulum(by_formulas: bool) -> sr.Model:
    """The same with one joint that moves by itself, and with a driven slide that carries a hinge."""
    m = sr.Model("shaken pendulum", parameters=numbers)
    m.add(
        sr.Body("rod", mass=0.1, com=(0, 0, length), shape=sr.Rod((0, 0, 0), (0, 0, length), 0.004), inertia=(1e-4, 1e-4, 1e-6))
    )
    if by_formulas:
        pivot = {"variables": {"q": "rad"}, "position": (0, 0, "a*cos(w*t)"), "rotation": ("y", "q")}
        m.add(sr.FormulaJoint("pivot", m.ground, "rod", q=0.3, damping=6e-3, **pivot))
        return m
    m.add(sr.Body("slide"))
    m.add(sr.Prismatic("shaker", m.ground, "slide", axis="z", motion="a*cos(w*t)"))
    m.add(sr.Revolute("pivot", "slide", "rod", axis="y", q=0.3, damping=6e-3))
    return m


result, other = (pendulum(x).simulate(4.0, output=2e-3, tolerance=1e-10) for x in (True, False))
difference = np.abs(result["pivot.q"] - other["pivot.q"]).max()
stable = amplitude**2 * frequency**2 / (2 * 9.81 * length)  # above 1 the upright position is stable
late = np.abs(result["pivot.q"][result.t > 3.0]).max()
print(f"a²ω²/(2gl) = {stable:.2f}: from 0.3 rad the rod comes within {late:.3f} rad of the upright position")
print(f"the joint by formulas and the driven slide with a hinge differ by {difference:.1e} rad")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("pivot.q", "rod.position.z", path=folder / "shaken_pendulum.png")
print(f"picture: {folder / 'shaken_pendulum.png'}")
