"""A spinning satellite unfolds its wings: a free body with a tree of hinges and torsion springs."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, Model, Revolute, Rod, Sphere, TorsionSpring
from sharnir.results import Result

PANELS = 4
LENGTH, WIDTH, THICKNESS = 1.15, 1.9, 0.035  # of a panel [m]
STIFFNESS, DAMPING = (20.0, 12.0, 8.0, 4.0), (60.0, 36.0, 20.0, 10.0)  # of the hinges [N m/rad, N m s/rad]
SIDE = 0.62  # half the width of the hub [m]
GOLD, WHITE, STEEL, CELL = "#d9a520", "#f1f3f5", "#868e96", "#1d3f8f"


def model() -> Model:
    """Hub with dish and engine, two wings of four panels, folded like an accordion.

    >>> model()
    Model('satellite': 9 bodies, 8 joints, 8 forces)
    """
    m = Model("satellite", gravity=(0, 0, 0))
    hub = m.add(Body("hub", mass=180, shape=hub_shapes(), angular_velocity=(0, 0, 0.8)))
    for side, name in ((1, "left"), (-1, "right")):
        previous = hub
        for k in range(PANELS):
            panel = m.add(Body(f"{name}{k + 1}", mass=7, position=(0, side * (SIDE + k * LENGTH), 0), shape=panel_shapes(side)))
            # hinges lie on the lower and upper face in turn, so that folded panels lie on each other
            upper = 0.5 * THICKNESS * (1 if k % 2 else -1)
            folded = -side * (0.5 * math.pi if k == 0 else math.pi * (-1) ** k)
            hinge = m.add(Revolute(f"{name}{k + 1}", previous, panel, at=(*panel.position[:2], upper), axis="x", q=folded))
            m.add(TorsionSpring(f"{name}{k + 1}", hinge, stiffness=STIFFNESS[k], damping=DAMPING[k]))
            previous = panel
    return m


def hub_shapes() -> tuple[Box | Cylinder | Rod | Sphere, ...]:
    """Pictures and mass of the hub."""
    dish = [Cylinder(0.16 + 0.09 * k, 0.03, "z", (0, 0, 0.98 + 0.03 * k), color=WHITE) for k in range(5)]
    feed = [Rod((0.3 * math.cos(a), 0.3 * math.sin(a), 1.1), (0, 0, 1.5), 0.012, color=STEEL) for a in (0.5, 2.6, 4.7)]
    engine = [Cylinder(0.1 + 0.05 * k, 0.09, "z", (0, 0, -0.86 - 0.09 * k), color="#495057") for k in range(3)]
    body = Box((1.1, 1.1, 1.6), color=GOLD)
    tray = [Box((1.2, 1.2, 0.05), (0, 0, z), color=STEEL) for z in (-0.8, 0.8)]
    mast = Cylinder(0.06, 0.2, "z", (0, 0, 0.9), color=STEEL)
    return (body, *tray, mast, *dish, *feed, Sphere(0.05, (0, 0, 1.5), color="#e8590c"), *engine)


def panel_shapes(side: int) -> tuple[Box, ...]:
    """Frame and cells of a panel that begins at its hinge."""
    frame = Box((WIDTH, 0.97 * LENGTH, 0.6 * THICKNESS), (0, 0.5 * side * LENGTH, 0), color="#ced4da")
    cells = [
        Box((0.3 * WIDTH, 0.29 * LENGTH, 0.95 * THICKNESS), (0.32 * WIDTH * i, side * LENGTH * (0.5 + 0.31 * j), 0), color=CELL)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
    ]
    return (frame, *cells)


def finding(result: Result) -> str:
    """Unfolding slows the spin, as the angular momentum stays."""
    spin = result["hub.angular_velocity"][:, 2]
    momentum = result["system.angular_momentum"]
    drift = np.abs(momentum - momentum[0]).max() / np.abs(momentum[0]).max()
    return f"unfolding slows the spin from {spin[0]:.2f} to {spin[-1]:.3f} rad/s; angular momentum is kept to {drift:.0e}"


SATELLITE = Demo(
    name="satellite",
    story="A spinning satellite unfolds its wings by torsion springs; its spin slows down.",
    model=model,
    settings={"t_end": 16.0, "step": 0.02},
    plots=("left1.q", "left2.q", "left3.q", "left4.q", "hub.angular_velocity.z"),
    finding=finding,
    look="dark",
)
