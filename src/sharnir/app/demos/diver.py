"""A diver jumps from the tower: fifteen bodies on a floating base, limbs moved by prescribed joints."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, Fixed, Free, Model, Revolute, Rod, Sphere
from sharnir.results import Result

SKIN, SUIT, HAIR = "#f1b98f", "#1c7ed6", "#5c3a21"
TOWER = 10.0  # m
TUCK = "(tanh(9*(t - 0.35)) - tanh(9*(t - 1.27)))/2"  # 0 stretched, 1 tucked

# name, parent, side, mass [kg], joint in the drawing (standing upright, arms up; x forward), end, radius, angle when tucked [rad]
LIMBS = (
    ("chest", "pelvis", 0, 22.0, (0.0, 0.0, 1.12), (0.0, 0.0, 1.42), 0.115, 0.55),
    ("head", "chest", 0, 5.0, (0.0, 0.0, 1.52), (0.02, 0.0, 1.66), 0.0, 0.5),
    ("upper_arm", "chest", 1, 2.0, (0.0, 0.20, 1.44), (0.0, 0.20, 1.72), 0.042, -2.35),
    ("forearm", "upper_arm", 1, 1.7, (0.0, 0.20, 1.74), (0.0, 0.20, 2.02), 0.034, 0.9),
    ("thigh", "pelvis", 1, 10.0, (0.0, 0.09, 0.92), (0.0, 0.09, 0.54), 0.068, -2.15),
    ("shin", "thigh", 1, 4.2, (0.0, 0.09, 0.49), (0.0, 0.09, 0.12), 0.048, 2.35),
)


def model() -> Model:
    """The diver in the moment of leaving the tower, the tower and the water."""
    m = Model("diver")
    scenery(m)
    hips = (Rod((0, -0.07, 0), (0, 0.07, 0), 0.1, color=SUIT), Rod((0, 0, 0), (0, 0, 0.1), 0.1, color=SUIT))
    pelvis = m.add(Body("pelvis", mass=11, position=(0, 0, 1.0 + TOWER), shape=hips))
    m.add(Free("flight", m.ground, pelvis, v=(0.9, 0, 3.4, 0, 4.3, 0)))
    for name, parent, sides, mass, start, end, radius, angle in LIMBS:
        for side, sign in (("", 0),) if not sides else (("_left", 1), ("_right", -1)):
            above = parent + side if parent + side in m.bodies else parent
            place = (start[0], sign * start[1], start[2] + TOWER)
            along = (end[0] - start[0], sign * (end[1] - start[1]), end[2] - start[2])
            body = m.add(Body(name + side, mass=mass, position=place, shape=limb_shapes(name, along, radius)))
            m.add(Revolute(name + side, above, body, axis="y", motion=f"{angle}*{TUCK}"))
    return m


def limb_shapes(name: str, along: tuple[float, float, float], radius: float) -> tuple[Rod | Sphere | Box, ...]:
    """A rod, and what makes it a head, a hand, or a foot."""
    if name == "head":
        return (Sphere(0.11, along, color=SKIN), Sphere(0.105, (along[0] - 0.02, 0, along[2] + 0.025), color=HAIR))
    rod = Rod((0, 0, 0), along, radius, color=SUIT if name == "chest" else SKIN)
    if name == "chest":
        return (rod, Rod((0, -0.13, 0.29), (0, 0.13, 0.29), 0.075, color=SUIT))
    if name == "forearm":
        return (rod, Rod(along, (0, 0, along[2] + 0.12), 0.03, color=SKIN))
    return (rod, Rod(along, (0.05, 0, along[2] - 0.17), 0.035, color=SKIN)) if name == "shin" else (rod,)


def scenery(m: Model) -> None:
    """Tower and water, for the eye only."""
    board = (Box((4.0, 2.0, 0.2), (-1.9, 0, TOWER - 0.12)), Box((0.5, 1.0, TOWER - 0.2), (-2.6, 0, 0.5 * TOWER - 0.1)))
    tower = m.add(Body("tower", mass=0, shape=board, color="#adb5bd"))
    water = m.add(Body("water", mass=0, shape=Box((9, 6, 0.06), (3.2, 0, -0.03)), color="#4dabf7"))
    rail = m.add(Body("rail", mass=0, shape=tuple(Cylinder(0.03, 3.0, "x", (-2.3, y, TOWER + 0.9)) for y in (-0.95, 0.95)), color="#e8590c"))
    for body in (tower, water, rail):
        m.add(Fixed(body.name, m.ground, body))


def finding(result: Result) -> str:
    """Somersaults, and the angular momentum that the limbs cannot change."""
    spin = result["pelvis.angular_velocity"][:, 1]
    turns = np.trapezoid(spin, result.t) / (2 * math.pi)
    about_center = angular_momentum(result)
    drift = np.ptp(about_center) / abs(about_center[0])
    return f"{turns:.2f} somersaults; tucked, the diver turns {spin.max() / spin[0]:.1f} times as fast; angular momentum is kept to {drift:.0e}"


def angular_momentum(result: Result) -> np.ndarray:
    """Angular momentum about the centre of mass along y: L - r × p."""
    L, r, p = (result[f"system.{name}"] for name in ("angular_momentum", "center_of_mass", "momentum"))
    return (L - np.cross(r, p))[:, 1]


DIVER = Demo(
    name="diver",
    story="A diver on a floating base tucks and opens: two and a half somersaults from ten metres (slow motion).",
    model=model,
    settings={"t_end": 1.75, "step": 0.005},
    plots=("pelvis.angular_velocity.y", "thigh_left.q", "shin_left.q", "thigh_left.drive", "upper_arm_left.drive"),
    finding=finding,
    traces=("head",),
    speed=0.4,
)
