"""A mobile robot of 13 bodies drives over a bumpy road: wishbones (loops), trailing arms, tyres as a user-defined force."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Ball, Body, Box, Cylinder, Fixed, JointForce, Model, Revolute, Rod, Sphere, Spring, UserForce
from sharnir.model.bodies.shapes import Shape
from sharnir.results import Result

RADIUS, STIFFNESS, DAMPING, FRICTION, SLIP = 0.12, 2.0e4, 150.0, 0.9, 0.05  # of the tyres
BUMP, LONG = 0.05, 0.16  # height and length of the bumps [m]
LEFT, RIGHT = (1.2, 2.6), (1.9, 2.6)  # where they are
GREEN, DARK, STEEL, RED, YELLOW = "#2b8a3e", "#343a40", "#ced4da", "#e03131", "#ffd43b"
SIDES = {"left": 1, "right": -1}
WHEELS = [f"{end}_{side}_wheel" for end in ("front", "rear") for side in SIDES]
TRACK, AXLES = 0.36, (0.25, -0.25)  # half the track, and x of the axles [m]


def tyres(t, r, R, v, w, force, torque):  # type: ignore[no-untyped-def]
    """A tyre pushes along the road's normal where it dips in; friction grows with the slip, limited by Coulomb's law."""
    for k in range(r.shape[0]):
        for j in range(3):
            force[k, j], torque[k, j] = 0.0, 0.0
        z, slope = 0.0, 0.0  # height of the road below the wheel
        for j in range(2):
            u = (r[k, 0] - (LEFT[j] if r[k, 1] > 0.0 else RIGHT[j])) / LONG
            bump = BUMP * math.exp(-u * u)
            z += bump
            slope -= 2.0 * u * bump / LONG
        c = 1.0 / math.sqrt(1.0 + slope * slope)
        depth = RADIUS - (r[k, 2] - z) * c
        if depth > 0.0:
            sinking = (slope * v[k, 0] - v[k, 2]) * c
            normal = max(0.0, STIFFNESS * depth + DAMPING * sinking)
            along = (v[k, 0] + slope * v[k, 2]) * c - RADIUS * w[k, 1]
            across = v[k, 1] + RADIUS * w[k, 0]
            share = FRICTION * normal / math.sqrt(along * along + across * across + SLIP * SLIP)
            push, side = -share * along, -share * across
            force[k, 0] = (push - normal * slope) * c
            force[k, 1] = side
            force[k, 2] = (normal + push * slope) * c
            torque[k, 0], torque[k, 1] = RADIUS * side, -RADIUS * push


def model() -> Model:
    """Chassis, two wishbone corners of four bodies, two trailing arms with wheels, and the road.

    >>> model()
    Model('rover': 14 bodies, 15 joints, 9 forces)
    """
    m = Model("rover", parameters={"speed": 1.2 / RADIUS, "gain": 1.5})
    m.add(Body("chassis", mass=18, com=(0, 0, 0), inertia=(0.35, 0.7, 0.9), position=(0, 0, 0.22), shape=chassis_shapes()))
    for side, s in SIDES.items():
        add_front(m, side, s)
        add_rear(m, side, s)
    for name in WHEELS:
        m.add(JointForce(f"{name}_motor", f"{name}_axle", "gain*(speed*tanh(2*t) - v)"))
    m.add(UserForce("tyres", WHEELS, tyres))
    m.add(Fixed("road", m.ground, m.add(Body("road", mass=0, shape=road_shapes()))))
    return m


def bar(m: Model, name: str, start: np.ndarray, end: np.ndarray, mass: float, color: str) -> None:
    """A link between two points."""
    m.add(Body(name, mass=mass, position=start, shape=(Rod((0, 0, 0), end - start, 0.012, color=color),)))


def add_front(m: Model, side: str, s: int) -> None:
    """Double wishbone: lower and upper arm, knuckle and chassis are a four-bar."""
    x, name = AXLES[0], f"front_{side}"
    inner = [np.array([x, s * y, z]) for y, z in ((0.10, 0.09), (0.12, 0.19))]
    outer = [np.array([x, s * y, z]) for y, z in ((0.29, 0.08), (0.27, 0.18))]
    bar(m, f"{name}_lower", inner[0], outer[0], 0.5, STEEL)
    bar(m, f"{name}_upper", inner[1], outer[1], 0.4, STEEL)
    centre = np.array([x, s * TRACK, RADIUS])
    knuckle = (
        Rod((0, 0, 0), outer[1] - outer[0], 0.014, color=YELLOW),
        Rod((0, 0, 0.04), centre - outer[0], 0.012, color=YELLOW),
    )
    m.add(Body(f"{name}_knuckle", mass=0.6, position=outer[0], shape=knuckle))
    for k, arm in enumerate(("lower", "upper")):
        m.add(Revolute(f"{name}_{arm}", "chassis", f"{name}_{arm}", at=inner[k], axis="x"))
    m.add(Revolute(f"{name}_foot", f"{name}_lower", f"{name}_knuckle", at=outer[0], axis="x"))
    m.add(Ball(f"{name}_head", f"{name}_upper", f"{name}_knuckle", at=outer[1]))
    add_wheel(m, f"{name}_knuckle", name, centre)
    foot = inner[0] + 0.75 * (outer[0] - inner[0])
    add_spring(m, name, f"{name}_lower", np.array([x, s * 0.13, 0.32]), foot, 75.0)


def add_rear(m: Model, side: str, s: int) -> None:
    """A trailing arm and its wheel."""
    x, name = AXLES[1], f"rear_{side}"
    pivot, centre = np.array([-0.05, s * 0.24, 0.17]), np.array([x, s * TRACK, RADIUS])
    hub = np.array([x, s * 0.27, RADIUS])
    bar(m, f"{name}_arm", pivot, hub, 0.8, STEEL)
    m.add(Revolute(f"{name}_arm", "chassis", f"{name}_arm", at=pivot, axis="y"))
    add_wheel(m, f"{name}_arm", name, centre)
    add_spring(m, name, f"{name}_arm", np.array([x + 0.03, s * 0.2, 0.33]), hub, 51.0)


def add_wheel(m: Model, carrier: str, name: str, centre: np.ndarray) -> None:
    """A wheel with a mark, on its axle."""
    rim = (Cylinder(RADIUS, 0.07, "y", color=DARK), Cylinder(0.06, 0.075, "y", color=STEEL), Box((0.02, 0.08, 0.16), color=RED))
    m.add(Body(f"{name}_wheel", mass=1.2, position=centre, shape=rim))
    m.add(Revolute(f"{name}_wheel_axle", carrier, f"{name}_wheel", at=centre, axis="y"))


def add_spring(m: Model, name: str, arm: str, top: np.ndarray, foot: np.ndarray, load: float) -> None:
    """Spring and damper that carry a load in the drawing."""
    m.add(Spring(f"{name}_spring", "chassis", arm, at_a=top, at_b=foot, stiffness=3500, damping=220, force=-load))


def chassis_shapes() -> tuple[Shape, ...]:
    """Tub, deck, and a mast with a camera."""
    tub = (Box((0.56, 0.2, 0.1), (0, 0, 0.0), color=GREEN), Box((0.5, 0.34, 0.02), (0, 0, 0.11), color=GREEN))
    towers = [Rod((x, y, 0.04), (x, y, 0.11), 0.012, color=DARK) for x in (0.25, -0.22) for y in (-0.13, 0.13)]
    mast = (Rod((-0.1, 0, 0.12), (-0.1, 0, 0.4), 0.014, color=DARK), Box((0.07, 0.14, 0.06), (-0.09, 0, 0.43), color=YELLOW))
    eyes = [Sphere(0.018, (-0.055, y, 0.43), color=DARK) for y in (-0.04, 0.04)]
    return (*tub, *towers, *mast, *eyes)


def road_shapes() -> tuple[Shape, ...]:
    """Two lanes of tiles; bumps are stacks of thin boxes."""
    tiles: list[Shape] = []
    for s, places in ((1, LEFT), (-1, RIGHT)):
        tiles += [
            Box((0.5, 0.4, 0.02), (0.5 * k - 0.25, 0.36 * s, -0.01), color=("#adb5bd", "#868e96")[k % 2]) for k in range(11)
        ]
        for x in places:
            for z in np.linspace(0.1, 0.95, 9):
                half = LONG * math.sqrt(-math.log(z))
                tiles.append(Box((2 * half, 0.4, 0.1 * BUMP), (x, 0.36 * s, BUMP * (z - 0.05)), color="#e8590c"))
    return tuple(tiles)


def finding(result: Result) -> str:
    """How far it comes, and how level the chassis stays."""
    x, z = result["chassis.position.x"], result["chassis.position.z"]
    moves = (
        f"the chassis moves by {1000 * np.ptp(z):.0f} mm, a spring by {1000 * np.ptp(result['front_left_spring.length']):.0f} mm"
    )
    return f"it drives {x[-1]:.2f} m over bumps of {1000 * BUMP:.0f} mm; {moves}"


ROVER = Demo(
    name="rover",
    story="A mobile robot of 13 bodies drives over a bumpy road (the 14th body): wishbones in front, trailing arms behind.",
    model=model,
    settings={"t_end": 4.0, "step": 0.01, "tolerance": 1e-6},
    plots=("chassis.position.z", "front_left_lower.q", "rear_left_arm.q", "front_left_spring.force", "rear_left_spring.force"),
    finding=finding,
)
