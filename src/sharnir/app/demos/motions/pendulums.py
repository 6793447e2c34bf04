"""Pendulums: the three-link pendulum of the literature, and a family of double pendulums that diverge."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Cylinder, Fixed, Model, Revolute, Rod, Sphere
from sharnir.results import Result

COUNT, DIFFERENCE = 12, 1e-5  # double pendulums, and the angle between neighbours [rad]


def triple() -> Model:
    """Three rods of 1 kg and 1 m in a plane; the last one starts at 30 degrees (Comput. Res. Model. 16 (2024) 161).

    >>> triple()
    Model('triple pendulum': 3 bodies, 3 joints, 0 forces)
    """
    m = Model("triple pendulum")
    previous = m.ground
    for k, angle in enumerate((0.0, 0.0, math.pi / 6)):
        shape = Rod((0, 0, 0), (0, 0, -1), radius=0.03)
        # the rods of the source are lines: the moment of inertia along the rod plays no role in the plane
        rod = m.add(Body(f"rod{k + 1}", mass=1, inertia=(1 / 12, 1 / 12, 0), position=(0, 0, -k), shape=shape))
        m.add(Revolute("OBD"[k], previous, rod, axis="-y", q=angle))
        previous = rod
    return m


def triple_finding(result: Result) -> str:
    """Energy is the check of a long run."""
    change, swing = np.ptp(result.energy.total), np.ptp(result.energy.kinetic)
    return f"over {result.t[-1]:g} s the energy changes by {change:.1e} J, while {swing:.2f} J oscillate"


def doubles() -> Model:
    """Double pendulums that differ a little at the start.

    >>> doubles()
    Model('double pendulums': 25 bodies, 25 joints, 0 forces)
    """
    m = Model("double pendulums")
    for k in range(COUNT):
        y, color = 0.07 * k, hue(k / (COUNT - 1))
        upper = m.add(Body(f"upper{k + 1}", mass=0.6, position=(0, y, 0), shape=Rod((0, 0, 0), (0, 0, -1), 0.02), color=color))
        bob = (Rod((0, 0, 0), (0, 0, -0.9), 0.014), Sphere(0.075, (0, 0, -0.9)))
        lower = m.add(Body(f"lower{k + 1}", mass=1, position=(0, y, -1), shape=bob, color=color))
        m.add(Revolute(f"shoulder{k + 1}", m.ground, upper, axis="y", q=2.2 + DIFFERENCE * k))
        m.add(Revolute(f"elbow{k + 1}", upper, lower, axis="y", q=0.4))
    pin = Cylinder(0.03, 0.07 * COUNT + 0.2, "y", (0, 0.035 * (COUNT - 1), 0), color="#868e96")
    axle = m.add(Body("axle", mass=0, shape=pin))
    m.add(Fixed("axle", m.ground, axle))
    return m


def hue(x: float) -> tuple[float, float, float]:
    """A colour between blue (0) and orange (1)."""
    return (0.16 + 0.76 * x, 0.42 - 0.04 * x, 0.88 - 0.80 * x)


def doubles_finding(result: Result) -> str:
    """When neighbours have lost each other."""
    spread = np.ptp([result[f"elbow{k + 1}.q"] for k in range(COUNT)], axis=0)
    apart = float(result.t[np.argmax(spread > 1.0)])
    return f"{COUNT} pendulums that start within {DIFFERENCE * (COUNT - 1):.0e} rad are more than 1 rad apart after {apart:.1f} s"


TRIPLE = Demo(
    name="triple-pendulum",
    story="A planar triple pendulum for 100 s: a classical test case.",
    model=triple,
    settings={"t_end": 100.0, "step": 0.01, "tolerance": 1e-11},
    plots=("O.q", "B.q", "D.q"),
    finding=triple_finding,
    traces=("rod3",),
    pins=True,
)

DOUBLES = Demo(
    name="double-pendulums",
    story="Twelve double pendulums start a hundred-thousandth of a radian apart and soon diverge.",
    model=doubles,
    settings={"t_end": 15.0, "step": 0.01, "tolerance": 1e-9},
    plots=tuple(f"elbow{k}.q" for k in (1, 4, 8, 12)),
    finding=doubles_finding,
    traces=("lower1", "lower12"),
)
