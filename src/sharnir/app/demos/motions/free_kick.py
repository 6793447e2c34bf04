"""A free kick around the wall: drag and lift of a spinning ball as a user-defined force, compiled into the step loop."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, Fixed, Model, Rod, Sphere, UserForce
from sharnir.results import Result

RADIUS, MASS = 0.11, 0.43
AIR = 0.5 * 1.2 * math.pi * RADIUS**2  # ρ A / 2 [kg/m]
DRAG, LIFT = 0.22, 0.9
KICK = (24.5, -7.2, 6.6)  # m/s
DISTANCE = 18.0  # to the goal line [m]


def air(t, r, R, v, w, force, torque):  # type: ignore[no-untyped-def]
    """Drag against the velocity, lift across velocity and spin (Magnus)."""
    speed = math.sqrt(v[0, 0] ** 2 + v[0, 1] ** 2 + v[0, 2] ** 2)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        lift = LIFT * RADIUS * (w[0, i] * v[0, j] - w[0, j] * v[0, i])
        force[0, k] = AIR * (lift - DRAG * speed * v[0, k])
        torque[0, k] = -2e-5 * speed * w[0, k]


def model() -> Model:
    """A ball, kicked with spin; goal and wall for the eye.

    >>> model()
    Model('free kick': 4 bodies, 3 joints, 1 force)
    """
    m = Model("free kick")
    inertia = (2 / 3 * MASS * RADIUS**2,) * 3  # a hollow ball
    patches = tuple(Sphere(0.036, patch, color="#212529") for patch in directions(0.082))
    shape = (Sphere(RADIUS, color="#f8f9fa"), *patches)
    ball = Body(
        "ball", mass=MASS, inertia=inertia, position=(0, 0, RADIUS), shape=shape, velocity=KICK, angular_velocity=(0, 12, 62)
    )
    m.add(ball)
    m.add(UserForce("air", ball, air))
    for name, shapes, color in (("goal", goal(), "#f8f9fa"), ("wall", wall(), "#e03131"), ("pitch", pitch(), "#69a84f")):
        m.add(Fixed(name, m.ground, m.add(Body(name, mass=0, shape=shapes, color=color))))
    return m


def directions(length: float) -> list[tuple[float, float, float]]:
    """The twelve corners of an icosahedron."""
    g = (1 + math.sqrt(5)) / 2
    s = length / math.hypot(1, g)
    return [p for a in (-s, s) for b in (-g * s, g * s) for p in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))]


def goal() -> tuple[Rod, ...]:
    """Two posts and a bar."""
    corners = [(DISTANCE, -3.66, 0), (DISTANCE, -3.66, 2.44), (DISTANCE, 3.66, 2.44), (DISTANCE, 3.66, 0)]
    return tuple(Rod(a, b, 0.06) for a, b in pairwise(corners))


def wall() -> tuple[Rod | Sphere, ...]:
    """Five players, 7.0 m away."""
    shapes: list[Rod | Sphere] = []
    for k in range(5):
        y = -1.9 + 0.55 * k
        shapes += [Rod((7.0, y, 0.85), (7.0, y, 1.45), 0.21), Rod((7.0, y, 0.12), (7.0, y, 0.8), 0.13, color="#f1f3f5")]
        shapes.append(Sphere(0.13, (7.0, y, 1.78), color="#f1b98f"))
    return tuple(shapes)


def pitch() -> tuple[Box | Cylinder, ...]:
    """Grass in stripes and the goal line."""
    colors = ("#5c9945", "#69a84f")
    grass = [Box((3.0, 9.4, 0.02), (3.0 * k, 0, -0.011), color=colors[k % 2]) for k in range(0, 7)]
    return (*grass, Box((0.12, 9.4, 0.022), (DISTANCE, 0, -0.011), color="#f8f9fa"))


def at_goal(result: Result) -> np.ndarray:
    """Position of the ball in the plane of the goal."""
    x, y, z = result["ball.position"].T
    return np.array([np.interp(DISTANCE, x, y), np.interp(DISTANCE, x, z), np.interp(DISTANCE, x, result.t)])


def finding(result: Result) -> str:
    """Where and how fast the ball comes in."""
    y, z, t = at_goal(result)
    straight = KICK[1] / KICK[0] * DISTANCE
    before, after = np.linalg.norm(result["ball.velocity"][[0, -1]], axis=1)
    return (
        f"after {t:.2f} s in the goal at y = {y:.2f} m, z = {z:.2f} m; straight on it would be y = {straight:.2f} m; "
        f"the speed falls from {before:.0f} to {after:.0f} m/s"
    )


FREE_KICK = Demo(
    name="free-kick",
    story="A free kick curls around the wall: drag and lift are a user-defined Python function.",
    model=model,
    settings={"t_end": 0.86, "step": 0.005},
    plots=("ball.position", "ball.velocity"),
    finding=finding,
    traces=("ball",),
    speed=0.35,
)
