"""A six-axis robot arm follows prescribed motions; the run reports the torques that its drives need."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, Fixed, Model, Revolute
from sharnir.model.bodies.shapes import Shape
from sharnir.results import Result

ORANGE, DARK, STEEL, BLUE = "#f76707", "#343a40", "#adb5bd", "#1c7ed6"
PERIOD = 6.0  # s
MOTIONS = (
    "1.1*sin(w*t)",
    "0.25 - 0.35*cos(w*t)",
    "0.25 + 0.4*cos(2*w*t)",
    "0.9*sin(w*t)",
    "0.5 - 0.5*cos(2*w*t)",
    "1.5*sin(2*w*t)",
)
# name, mass [kg], hinge, axis, shapes in world coordinates of the drawing: upright, with the forearm along x
Part = tuple[str, float, tuple[float, float, float], Literal["x", "y", "z"], tuple[Shape, ...]]
PARTS: tuple[Part, ...] = (
    (
        "turret",
        30.0,
        (0, 0, 0.14),
        "z",
        (Cylinder(0.19, 0.14, "z", (0, 0, 0.21), color=ORANGE), Box((0.26, 0.16, 0.3), (0.06, 0, 0.4), color=ORANGE)),
    ),
    (
        "upper_arm",
        22.0,
        (0.08, 0, 0.5),
        "y",
        (
            Cylinder(0.14, 0.3, "y", (0.08, 0, 0.5), color=DARK),
            Box((0.17, 0.2, 0.62), (0.08, 0, 0.82), color=ORANGE),
            Cylinder(0.115, 0.28, "y", (0.08, 0, 1.15), color=DARK),
        ),
    ),
    (
        "elbow",
        14.0,
        (0.08, 0, 1.15),
        "y",
        (Box((0.3, 0.2, 0.2), (0.15, 0, 1.19), color=ORANGE), Cylinder(0.09, 0.1, "x", (0.34, 0, 1.19), color=DARK)),
    ),
    (
        "forearm",
        8.0,
        (0.39, 0, 1.19),
        "x",
        (Cylinder(0.075, 0.42, "x", (0.6, 0, 1.19), color=ORANGE), Box((0.12, 0.17, 0.11), (0.8, 0, 1.19), color=ORANGE)),
    ),
    (
        "wrist",
        3.0,
        (0.86, 0, 1.19),
        "y",
        (Cylinder(0.055, 0.19, "y", (0.86, 0, 1.19), color=DARK), Box((0.12, 0.08, 0.09), (0.93, 0, 1.19), color=ORANGE)),
    ),
    (
        "gripper",
        4.0,
        (0.99, 0, 1.19),
        "x",
        (
            Cylinder(0.045, 0.03, "x", (1.0, 0, 1.19), color=STEEL),
            Box((0.05, 0.17, 0.06), (1.04, 0, 1.19), color=DARK),
            Box((0.12, 0.02, 0.05), (1.12, 0.065, 1.19), color=STEEL),
            Box((0.12, 0.02, 0.05), (1.12, -0.065, 1.19), color=STEEL),
            Box((0.1, 0.11, 0.1), (1.15, 0, 1.19), color=BLUE),
        ),
    ),
)


def model() -> Model:
    """Base, six links, and a box in the gripper.

    >>> model()
    Model('robot arm': 7 bodies, 7 joints, 0 forces)
    """
    m = Model("robot arm", parameters={"w": 2 * math.pi / PERIOD})
    foot = (Box((0.6, 0.6, 0.03), (0, 0, 0.015), color=STEEL), Cylinder(0.22, 0.11, "z", (0, 0, 0.085), color=DARK))
    previous = m.add(Body("base", mass=0, shape=foot))
    m.add(Fixed("floor", m.ground, previous))
    for k, (name, mass, hinge, axis, shapes) in enumerate(PARTS):
        body = m.add(Body(name, mass=mass, shape=shapes))  # all bodies have the world's frame in the drawing
        m.add(Revolute(f"axis{k + 1}", previous, body, at=hinge, axis=axis, motion=MOTIONS[k]))
        previous = body
    return m


def finding(result: Result) -> str:
    """The largest drive torque and where it is needed."""
    largest = [float(np.abs(result[f"axis{k}.drive"]).max()) for k in range(1, 7)]
    return f"largest torques of the drives, from the base to the hand: {', '.join(f'{x:.2g}' for x in largest)} N m"


ROBOT_ARM = Demo(
    name="robot-arm",
    story="A six-axis robot swings a box; the run reports the torque of every drive.",
    model=model,
    settings={"t_end": 2 * PERIOD, "step": 0.01},
    plots=tuple(f"axis{k}.drive" for k in range(1, 7)),
    finding=finding,
    traces=("gripper",),
)
