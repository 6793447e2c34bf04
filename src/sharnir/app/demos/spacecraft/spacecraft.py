"""A spacecraft of seven bodies unfolds its panels; cables over pulleys synchronize the hinges of each wing."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, Gear, Model, Revolute, Rod, Sphere, TorsionSpring
from sharnir.model.bodies.shapes import Shape
from sharnir.results import Result

PANELS = 3
LENGTH, WIDTH, THICKNESS = 1.4, 1.1, 0.03  # of a panel [m]
SIDE = 0.5  # half the width of the hub [m]
GOLD, WHITE, STEEL, CELL, RED = "#e8b923", "#f1f3f5", "#868e96", "#16317d", "#e8590c"


def model() -> Model:
    """Hub and two wings of three panels, folded; a spring in every hinge, a cable from each hinge to the next.

    >>> model()
    Model('spacecraft': 7 bodies, 6 joints, 6 forces, 4 constraints)
    """
    m = Model("spacecraft", gravity=(0, 0, 0))
    m.add(Body("hub", mass=120, shape=hub_shapes(), angular_velocity=(0.05, 0.0, 0.1)))
    # the right wing has weaker springs: it comes later, and the hub turns meanwhile
    for side, name, strength in ((1, "left", 1.0), (-1, "right", 0.6)):
        previous = "hub"
        for k in range(PANELS):
            place = (0, side * (SIDE + k * LENGTH), 0)
            m.add(Body(f"{name}{k + 1}", mass=6, position=place, shape=panel_shapes(side)))
            folded = -side * (0.5 * math.pi if k == 0 else math.pi * (-1) ** k)
            face = 0.5 * THICKNESS * (1 if k % 2 else -1)  # so that folded panels lie on each other
            m.add(Revolute(f"{name}{k + 1}", previous, f"{name}{k + 1}", at=(*place[:2], face), axis="x", q=folded))
            m.add(TorsionSpring(f"{name}{k + 1}", f"{name}{k + 1}", stiffness=strength * (9, 6, 3)[k], damping=(40, 10, 5)[k]))
            previous = f"{name}{k + 1}"
        # the second hinge turns twice as far as the first, back; the third as far as the second
        m.add(
            Gear(f"{name}_cable1", f"{name}1", f"{name}2", ratio=-2.0), Gear(f"{name}_cable2", f"{name}2", f"{name}3", ratio=-1.0)
        )
    return m


def hub_shapes() -> tuple[Shape, ...]:
    """Box with radiators, a telescope and an engine."""
    box = (Box((0.9, 0.9, 1.2), color=GOLD), *(Box((0.94, 0.94, 0.04), (0, 0, z), color=STEEL) for z in (-0.6, 0.6)))
    telescope = (Cylinder(0.3, 0.7, "z", (0, 0, 0.95), color=WHITE), Cylinder(0.26, 0.02, "z", (0, 0, 1.31), color="#212529"))
    mast = (Rod((0.45, 0, 0.4), (1.1, 0, 0.75), 0.015, color=STEEL), Sphere(0.07, (1.1, 0, 0.75), color=RED))
    engine = [Cylinder(0.08 + 0.05 * k, 0.08, "z", (0, 0, -0.66 - 0.08 * k), color="#495057") for k in range(3)]
    return (*box, *telescope, *mast, *engine)


def panel_shapes(side: int) -> tuple[Shape, ...]:
    """Frame and cells of a panel that begins at its hinge."""
    middle = 0.5 * side * LENGTH
    frame = Box((WIDTH, 0.98 * LENGTH, 0.5 * THICKNESS), (0, middle, 0), color="#ced4da")
    cells = [
        Box((0.45 * WIDTH, 0.22 * LENGTH, 0.9 * THICKNESS), (0.24 * WIDTH * i, middle + 0.24 * LENGTH * j, 0), color=CELL)
        for i in (-1, 1)
        for j in (-1.5, -0.5, 0.5, 1.5)
    ]
    drum = Cylinder(0.03, 1.02 * WIDTH, "x", color=STEEL)
    return (frame, *cells, drum)


def finding(result: Result) -> str:
    """Panels of a wing keep in step, and the angular momentum stays."""
    momentum = result["system.angular_momentum"]
    drift = np.abs(momentum - momentum[0]).max() / np.abs(momentum[0]).max()
    cable = np.abs(result["left_cable1.force"]).max()
    return f"the cables carry up to {cable:.1f} N m at the hinges; angular momentum is kept to {drift:.0e}"


SPACECRAFT = Demo(
    name="spacecraft",
    story="A spacecraft of seven bodies unfolds its panels; cables synchronize the hinges of each wing.",
    model=model,
    settings={"t_end": 12.0, "step": 0.02},
    plots=("left1.q", "left2.q", "left3.q", "right1.q", "left_cable1.force", "left_cable2.force"),
    finding=finding,
    look="dark",
)
