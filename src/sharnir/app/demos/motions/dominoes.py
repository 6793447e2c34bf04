"""Dominoes: a ball knocks over the first of a curved row; boxes that touch with faces, edges and friction."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Contact, Fixed, Friction, HuntCrossley, Model, Plane, Sphere, rotation_about
from sharnir.results import Result

COUNT, SIZE, SPACING = 16, (0.0075, 0.024, 0.048), 0.024  # m
DENSITY, STIFFNESS, GRAVITY = 600.0, 1e6, 9.81
TURN = math.radians(9.0)  # from one domino to the next
COLORS = ("#e03131", "#f76707", "#fab005", "#2f9e44", "#1c7ed6", "#9c36b5")


def model() -> Model:
    """A row along an arc, on a floor; each may touch the floor and the next one.

    >>> model()
    Model('dominoes': 18 bodies, 1 joint, 33 forces)
    """
    m = Model("dominoes")
    law, rub = HuntCrossley(STIFFNESS, damping=2.0), Friction(0.3, speed=5e-3)
    weight = DENSITY * math.prod(SIZE) * GRAVITY
    height = SIZE[2] / 2 - (weight / 4 / STIFFNESS) ** (2 / 3)  # four corners carry it
    x, y, heading = 0.0, 0.0, -TURN * COUNT / 4
    for k in range(COUNT):
        shape = Box(SIZE, color=COLORS[k % len(COLORS)])
        m.add(Body(f"d{k}", density=DENSITY, shape=shape, position=(x, y, height), rotation=rotation_about("z", heading)))
        m.add(Contact(f"floor{k}", f"d{k}", "ground", shape_b=Plane(), law=law, friction=rub))
        if k:
            m.add(Contact(f"hit{k}", f"d{k - 1}", f"d{k}", law=law, friction=rub))
        heading += TURN if k > COUNT // 4 else 0.0
        x, y = x + SPACING * math.cos(heading), y + SPACING * math.sin(heading)
    first = -TURN * COUNT / 4
    away = np.array([math.cos(first), math.sin(first)])
    place, velocity = (*(-0.05 * away), 0.04), (*(0.6 * away), 0.0)
    m.add(Body("ball", density=2000, shape=Sphere(0.008, color="#495057"), position=place, velocity=velocity))
    m.add(Contact("strike", "ball", "d0", law=law, friction=rub))
    m.add(Contact("land", "ball", "ground", shape_b=Plane(), law=law, friction=rub))
    m.add(Body("table", mass=0, shape=Box((0.5, 0.26, 0.004), (0.14, -0.03, -0.0022), color="#ced4da")))  # for the eye
    m.add(Fixed("stand", "ground", "table"))
    return m


def fallen(result: Result) -> np.ndarray:
    """When each domino leans by 20 degrees [s]; not-a-number for those that stand."""
    times = []
    for k in range(COUNT):
        _, x, y, _ = result[f"d{k}.rotation"].T
        upright = 1 - 2 * (x * x + y * y)  # cosine of the lean
        leans = np.flatnonzero(upright < math.cos(math.radians(20)))
        times.append(result.t[leans[0]] if len(leans) else math.nan)
    return np.array(times)


def finding(result: Result) -> str:
    """Speed of the wave."""
    times = fallen(result)
    speed = SPACING * (COUNT - 5) / (times[-2] - times[3])
    touching = sum(int((result[f"hit{k}.force"] > 0).any()) for k in range(1, COUNT))
    return f"{int(np.isfinite(times).sum())} of {COUNT} dominoes fall, {touching} hits; the wave runs at {speed:.2f} m/s"


DOMINOES = Demo(
    name="dominoes",
    story="A ball knocks over a row of dominoes: contact between boxes, with friction.",
    model=model,
    settings={"t_end": 1.4, "step": 0.005, "integrator": "dopri5", "tolerance": 1e-4},
    plots=("d0.angular_velocity", "hit8.force"),
    finding=finding,
    speed=0.25,
)
