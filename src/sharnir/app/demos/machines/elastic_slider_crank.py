"""A slider-crank with an elastic connecting rod, driven at the slider (Gevorkian 2020): the rod whips visibly."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, FlexibleBody, Model, Prismatic, Revolute, Rod, rotation_about
from sharnir.results import Result

BLUE, RED, DARK = "#1c7ed6", "#e03131", "#343a40"
ROD, CRANK, RADIUS, DENSITY = 0.35, 0.15, 3e-3, 7800.0


def model() -> Model:
    """Slider, elastic rod and crank; the slider moves back and forth by 12 cm, 16 times a second.

    >>> model()
    Model('elastic slider-crank': 3 bodies, 4 joints, 0 forces)
    """
    from sharnir.flexible import Material, Section, reduce, straight_beam

    theta = math.acos((0.35**2 + ROD**2 - CRANK**2) / (2 * 0.35 * ROD))
    end = (ROD * math.cos(theta), ROD * math.sin(theta), 0.0)
    psi = math.atan2(-end[1], 0.35 - end[0])
    arms = [[-ROD * math.sin(theta), -CRANK * math.sin(psi)], [ROD * math.cos(theta), CRANK * math.cos(psi)]]
    rod_speed, crank_speed = (float(x) for x in np.linalg.solve(arms, (-12.0, 0.0)))
    steel, section = Material(200e9, 0.3, DENSITY), Section.round(RADIUS)
    beam = straight_beam((0, 0, 0), (ROD, 0, 0), section, steel, elements=20, theory="euler", rotary=False)
    shape = ("-y*(6*x^2/l^3 - 4*x^3/l^4)", "2*x^3/l^3 - x^4/l^4", "0")
    bent = reduce(beam, interfaces={"A2": 0, "A3": 20}, shapes=[shape], parameters={"l": ROD})
    m = Model("elastic slider-crank", gravity=(0, 0, 0))
    block = (Box((0.05, 0.03, 0.03), color=RED), Cylinder(0.008, 0.04, "z", color=DARK))
    web = (Rod((0, 0, 0), (CRANK, 0, 0), 0.006, color=BLUE), Cylinder(0.009, 0.03, "z", color=DARK))
    mass = DENSITY * section.area * CRANK
    inertia = (mass * RADIUS**2 / 2, mass * CRANK**2 / 12, mass * CRANK**2 / 12)
    m.add(Body("slider", mass=0.1, inertia=(1e-5, 1e-5, 1e-5), shape=block))
    m.add(FlexibleBody("rod", reduced=bent, rotation=rotation_about("z", theta)))
    m.add(
        Body(
            "crank", mass=mass, com=(CRANK / 2, 0, 0), inertia=inertia, position=end, rotation=rotation_about("z", psi), shape=web
        )
    )
    m.add(Prismatic("slide", m.ground, "slider", axis="x", motion="0.12*sin(100*t)"))
    m.add(Revolute("A2", "slider", "rod:A2", at=(0, 0, 0), axis="z", v=rod_speed))
    m.add(Revolute("A3", "rod:A3", "crank", at=end, axis="z", v=crank_speed - rod_speed))
    m.add(Revolute("A4", m.ground, "crank", at=(0.35, 0, 0), axis="z"))
    return m


def finding(result: Result) -> str:
    """Displacement of the rod's end, force of the drive."""
    bent, force = 1e3 * np.abs(result["rod:A3.displacement"][:, 1]).max(), np.abs(result["slide.drive"]).max()
    return f"the end of the rod deviates from the tangent by up to {bent:.0f} mm, the drive force reaches {force:.0f} N"


ELASTIC_SLIDER_CRANK = Demo(
    name="elastic-slider-crank",
    story="A slider-crank with an elastic rod at 16 strokes per second (slow motion); its bending shows in the drive force.",
    model=model,
    settings={"t_end": 0.2, "step": 2e-4},
    plots=("rod:A3.displacement.y", "slide.drive"),
    finding=finding,
    speed=0.02,
)
