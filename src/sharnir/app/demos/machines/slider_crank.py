"""A slider-crank with a return spring: the smallest mechanism with a closed loop that does some work."""

from __future__ import annotations

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, Model, Prismatic, Revolute, Rod, Spring
from sharnir.results import Result

STEEL, BLUE, RED, DARK = "#adb5bd", "#1c7ed6", "#e03131", "#343a40"
DAMPING = 1.0  # N s/m


def model() -> Model:
    """Crank, rod and slider, drawn stretched out; only the speed of the crank is given, the others follow.

    >>> model()
    Model('slider-crank': 3 bodies, 4 joints, 1 force)
    """
    m = Model("slider-crank", gravity=(0, 0, -9.81))
    web = (Rod((0, 0, 0), (0.15, 0, 0), 0.014, color=BLUE), Cylinder(0.035, 0.03, "y", color=DARK))
    pins = (Rod((0, 0, 0), (0.35, 0, 0), 0.01, color=STEEL), Cylinder(0.022, 0.035, "y", color=DARK))
    block = (Box((0.09, 0.06, 0.06), color=RED), Cylinder(0.014, 0.065, "y", color=DARK))
    crank = m.add(Body("crank", mass=0.40, inertia=(1e-5, 1e-3, 1e-3), com=(0.075, 0, 0), shape=web))
    rod = m.add(Body("rod", mass=0.20, inertia=(1e-5, 2e-3, 2e-3), com=(0.175, 0, 0), position=(0.15, 0, 0), shape=pins))
    slider = m.add(Body("slider", mass=0.10, position=(0.50, 0, 0), shape=block))
    m.add(Revolute("O", m.ground, crank, at=(0, 0, 0), axis="y", v=20.0))
    m.add(Revolute("A", crank, rod, at=(0.15, 0, 0), axis="y"))
    m.add(Revolute("B", rod, slider, at=(0.50, 0, 0), axis="y"))
    m.add(Prismatic("slide", m.ground, slider, axis="x"))
    m.add(Spring("return", m.ground, slider, stiffness=200, damping=DAMPING, length=0.3))
    return m


def finding(result: Result) -> str:
    """Turns of the crank, travel of the slider, force in the pin."""
    turns, stroke = abs(result["O.q"][-1]) / (2 * np.pi), 1000 * np.ptp(result["slide.q"])
    pin = np.linalg.norm(result["B.reaction"][:, :3], axis=1).max()
    gap = result.stats["position_residual"]
    return f"{turns:.1f} turns, a stroke of {stroke:.0f} mm, at most {pin:.0f} N in the pin; the loop is closed to {gap:.0e} m"


SLIDER_CRANK = Demo(
    name="slider-crank",
    story="A slider-crank with a return spring: one closed loop, and the crank runs through its dead centres.",
    model=model,
    settings={"t_end": 2.0, "step": 0.001},
    plots=("slide.q", "O.v", "B.reaction.fx", "B.reaction.fz"),
    finding=finding,
    speed=0.25,
)
