"""A gymnast's somersault: twelve bodies on a floating base, the limbs moved by prescribed joints."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Fixed, Free, Model, Revolute, Rod, Sphere
from sharnir.results import Result

SKIN, SUIT, HAIR = "#f1b98f", "#7048e8", "#5c3a21"
TUCK = "(tanh(16*(t - 0.2)) - tanh(16*(t - 0.73)))/2"  # 0 stretched, 1 tucked

# name, parent, mass [kg], joint in the drawing (upright, arms up; x forward), end, radius, angle when tucked [rad]
LIMBS = (
    ("chest", "pelvis", 20.0, (0.0, 0.0, 1.12), (0.0, 0.0, 1.38), 0.115, 0.45),
    ("head", "chest", 5.0, (0.0, 0.0, 1.50), (0.02, 0.0, 1.63), 0.0, 0.4),
    ("upper_arm", "chest", 2.0, (0.0, 0.21, 1.42), (0.0, 0.21, 1.68), 0.042, 2.3),
    ("forearm", "upper_arm", 1.7, (0.0, 0.21, 1.70), (0.0, 0.21, 1.96), 0.034, -0.9),
    ("thigh", "pelvis", 9.0, (0.0, 0.09, 0.92), (0.0, 0.09, 0.54), 0.068, -2.15),
    ("shin", "thigh", 4.0, (0.0, 0.09, 0.49), (0.0, 0.09, 0.12), 0.048, 2.3),
)


def model() -> Model:
    """The gymnast in the moment of leaving the mat.

    >>> model()
    Model('gymnast': 12 bodies, 12 joints, 0 forces)
    """
    m = Model("gymnast")
    mat = m.add(Body("mat", mass=0, shape=Box((2.6, 1.6, 0.1), (-0.2, 0, -0.1)), color="#339af0"))
    m.add(Fixed("mat", m.ground, mat))
    hips = (Rod((0, -0.07, 0), (0, 0.07, 0), 0.1, color=SUIT), Rod((0, 0, 0), (0, 0, 0.1), 0.1, color=SUIT))
    pelvis = m.add(Body("pelvis", mass=10, position=(0, 0, 1.0), shape=hips))
    m.add(Free("flight", m.ground, pelvis, v=(-0.35, 0, 4.3, 0, -2.97, 0)))
    for name, parent, mass, start, end, radius, angle in LIMBS:
        for side, sign in (("", 0),) if start[1] == 0 else (("_left", 1), ("_right", -1)):
            above = parent + side if parent + side in m.bodies else parent
            along = tuple(b - a for a, b in zip(start, end, strict=True))
            place = (start[0], sign * start[1], start[2])
            body = m.add(Body(name + side, mass=mass, position=place, shape=limb_shapes(name, along, radius)))
            m.add(Revolute(name + side, above, body, axis="y", motion=f"{angle}*{TUCK}"))
    return m


def limb_shapes(name: str, along: tuple[float, ...], radius: float) -> tuple[Rod | Sphere, ...]:
    """A rod, and what makes it a head, shoulders, a hand, or a foot."""
    if name == "head":
        return (Sphere(0.11, along, color=SKIN), Sphere(0.105, (along[0] - 0.02, 0, along[2] + 0.025), color=HAIR))
    rod = Rod((0, 0, 0), along, radius, color=SUIT if name == "chest" else SKIN)
    if name == "chest":
        return (rod, Rod((0, -0.13, 0.28), (0, 0.13, 0.28), 0.075, color=SUIT))
    if name == "forearm":
        return (rod, Rod(along, (0, 0, along[2] + 0.12), 0.03, color=SKIN))
    return (rod, Rod((0, 0, along[2] - 0.07), (0.16, 0, along[2] - 0.09), 0.034, color=SKIN)) if name == "shin" else (rod,)


def angular_momentum(result: Result) -> np.ndarray:
    """Angular momentum about the centre of mass along y: L - r × p."""
    L, r, p = (result[f"system.{name}"] for name in ("angular_momentum", "center_of_mass", "momentum"))
    return (L - np.cross(r, p))[:, 1]


def finding(result: Result) -> str:
    """Turns, and the angular momentum that limbs cannot change."""
    spin = np.abs(result["pelvis.angular_velocity"][:, 1])
    turns = np.trapezoid(spin, result.t) / (2 * math.pi)
    L = angular_momentum(result)
    return (
        f"{turns:.2f} turns in {result.t[-1]:.2f} s; tucked, the gymnast turns {spin.max() / spin[0]:.1f} times as fast; "
        f"angular momentum is kept to {np.ptp(L) / abs(L[0]):.0e}"
    )


GYMNAST = Demo(
    name="gymnast",
    story="A gymnast on a floating base tucks and opens: a back somersault (slow motion).",
    model=model,
    settings={"t_end": 0.92, "step": 0.004},
    plots=("pelvis.angular_velocity.y", "thigh_left.q", "shin_left.q", "thigh_left.drive", "upper_arm_left.drive"),
    finding=finding,
    traces=("head",),
    speed=0.2,
)
