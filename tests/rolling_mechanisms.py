"""Bodies that roll or cut: disc, coin, ball, Chaplygin's sleigh, the benchmark bicycle."""

from __future__ import annotations

import math

import numpy as np

import sharnir as sr

G = 9.81


def rolling_disc(theta, spin, r=0.5, mass=1.0, yaw=0.0):
    """A thin disc that rolls on the plane z = 0 without slipping; theta: of its axis from the vertical.

    Its contact starts in the origin and runs along x; spin: ω along the axis, yaw: ω about the vertical besides.
    """
    e2, e3 = np.array([0, math.cos(theta), math.sin(theta)]), np.array([0, -math.sin(theta), math.cos(theta)])
    omega = spin * e3 + yaw * np.array([0, 0, 1.0])
    inertia = (mass * r**2 / 4, mass * r**2 / 4, mass * r**2 / 2)
    m = sr.Model("rolling disc")
    body = sr.Body(
        "disc",
        mass=mass,
        inertia=inertia,
        position=r * e2,
        rotation=sr.rotation_about("x", theta),
        velocity=np.cross(omega, r * e2),
        angular_velocity=omega,
    )
    m.add(body, sr.RollingDisc("contact", "disc", axis=e3, radius=r))
    return m


def rolling_down(kind, angle=math.pi / 6, r=0.2, mass=2.0):
    """A ball, a cylinder or a hoop on an incline (gravity leans instead of the plane), released from rest."""
    m = sr.Model(kind, gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    round_, across = {"ball": (0.4, 0.4), "cylinder": (0.5, 0.3), "hoop": (1.0, 0.5)}[kind]
    J = mass * r**2 * np.array([across, round_, across])
    m.add(sr.Body("roller", mass=mass, inertia=tuple(J), position=(0, 0, r)))
    m.add(
        sr.RollingBall("contact", "roller", radius=r)
        if kind == "ball"
        else sr.RollingDisc("contact", "roller", axis="y", radius=r)
    )
    return m


def chaplygin_sleigh(mass=2.0, inertia=0.5, a=0.3, v=1.0, omega=2.0):
    """A body on a plane whose blade in its origin moves along its own x axis only; centre of mass at a ahead."""
    m = sr.Model("Chaplygin sleigh")
    m.add(sr.Body("sleigh", mass=mass, com=(a, 0, 0), inertia=(inertia, inertia, inertia)))
    m.add(sr.Planar("ice", "ground", "sleigh", axis="z", v=(v, 0, omega)))
    m.add(sr.KnifeEdge("blade", "sleigh", direction="y"))
    return m


STEER_TILT = math.pi / 10


def bicycle(speed, lean_rate):
    """The benchmark bicycle of Meijaard and others, upright, rolling along x, z up; lean_rate: ω about the ground line."""
    rear, front, steer = (0, 0, 0.3), (1.02, 0, 0.35), (0.82188470506, 0, 0.85595086466)
    m = sr.Model("bicycle")
    lean = (lean_rate, 0.0, 0.0)
    velocity = (speed, -0.9 * lean_rate, 0.0)  # of the frame's centre of mass; the others follow by the joints
    m.add(
        sr.Body(
            "frame",
            mass=85.0,
            inertia=(9.2, 11.0, 2.8, 0.0, -2.4, 0.0),
            position=(0.3, 0, 0.9),
            velocity=velocity,
            angular_velocity=lean,
        )
    )
    m.add(sr.Body("fork", mass=4.0, inertia=(0.05892, 0.06, 0.00708, 0.0, 0.00756, 0.0), position=(0.9, 0, 0.7)))
    m.add(sr.Body("rear", mass=2.0, inertia=(0.0603, 0.12, 0.0603), position=rear))
    m.add(sr.Body("front", mass=3.0, inertia=(0.1405, 0.28, 0.1405), position=front))
    m.add(sr.Revolute("steer", "frame", "fork", at=steer, axis=(-math.sin(STEER_TILT), 0, math.cos(STEER_TILT))))
    m.add(sr.Revolute("rear axle", "frame", "rear", at=rear, axis="y", v=speed / 0.3))
    m.add(sr.Revolute("front axle", "fork", "front", at=front, axis="y", v=speed / 0.35))
    m.add(sr.RollingDisc("rear contact", "rear", axis="y", radius=0.3))
    m.add(sr.RollingDisc("front contact", "front", axis="y", radius=0.35))
    return m
