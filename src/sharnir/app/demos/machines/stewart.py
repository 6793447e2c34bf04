"""A Stewart platform: six driven legs move a plate in all six degrees of freedom; the run reports the drive forces."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Ball, Body, Box, Cylinder, Fixed, Model, Prismatic, Rod, Sphere, Table, Universal, rotation_about
from sharnir.model.bodies.shapes import Shape
from sharnir.model.frames import rotation_matrix
from sharnir.results import Result

PERIOD, HEIGHT, BASE, PLATE = 6.0, 1.0, 1.0, 0.6  # s, m
ORANGE, DARK, STEEL, BLUE = "#f76707", "#343a40", "#ced4da", "#1c7ed6"
LOAD = 30.0  # kg
Vector = np.ndarray


def feet() -> list[tuple[Vector, Vector]]:
    """Lower and upper end of every leg in the drawing."""
    ends = []
    for i in range(6):
        below, above = math.radians(60 * i + (8 if i % 2 else -8)), math.radians(60 * i + (-22 if i % 2 else 22))
        foot = BASE * np.array([math.cos(below), math.sin(below), 0.0])
        ends.append((foot, np.array([PLATE * math.cos(above), PLATE * math.sin(above), HEIGHT])))
    return ends


def pose(t: float) -> tuple[Vector, Vector]:
    """Where the plate is to be: shift, and turn as a matrix. A full circle with nodding, starting at rest."""
    a = 2 * math.pi * t / PERIOD
    s = math.sin(0.5 * a) ** 2  # comes and goes gently
    shift = np.array([0.25 * s * math.sin(2 * a), 0.25 * s * math.cos(2 * a), 0.12 * s * math.sin(3 * a)])
    turns = (((1, 0, 0), 0.3 * s * math.sin(a)), ((0, 1, 0), 0.3 * s * math.cos(2 * a)), ((0, 0, 1), 0.5 * s * math.sin(a)))
    turn = np.eye(3)
    for axis, angle in turns:
        turn = turn @ np.array(rotation_matrix(rotation_about(axis, angle)))
    return shift, turn


def leg_length(foot: Vector, head: Vector, t: float) -> float:
    """Length of a leg at a time: inverse kinematics of the platform."""
    shift, turn = pose(t)
    centre = np.array([0.0, 0.0, HEIGHT])
    return float(np.linalg.norm(centre + shift + turn @ (head - centre) - foot))


def model() -> Model:
    """Base, plate with a load, six legs of two bodies: cardan joint below, driven slider, ball above.

    >>> model()
    Model('Stewart platform': 14 bodies, 19 joints, 0 forces)
    """
    m = Model("Stewart platform")
    m.add(Body("base", mass=0, shape=(Cylinder(1.12, 0.06, "z", (0, 0, -0.1), color=DARK),)))
    m.add(Fixed("floor", m.ground, "base"))
    plate = m.add(Body("plate", mass=LOAD, position=(0, 0, HEIGHT), shape=plate_shapes()))
    times = np.linspace(0.0, PERIOD, 121)
    for i, (foot, head) in enumerate(feet()):
        u = (head - foot) / np.linalg.norm(head - foot)
        w = np.cross(u, (0, 0, 1)) / np.linalg.norm(np.cross(u, (0, 0, 1)))
        turn, length = np.stack([np.cross(w, u), w, u], axis=1), float(np.linalg.norm(head - foot))  # z along the leg
        tube = (Cylinder(0.045, 0.6, "z", (0, 0, 0.36), color=ORANGE), Sphere(0.07, color=DARK))
        m.add(Body(f"tube{i + 1}", mass=4.0, position=foot, rotation=turn, shape=tube))
        piston = (Rod((0, 0, -0.75 * length), (0, 0, 0), 0.025, color=STEEL), Sphere(0.05, color=DARK))
        m.add(Body(f"piston{i + 1}", mass=2.0, position=head, rotation=turn, shape=piston))
        m.add(Universal(f"foot{i + 1}", "base", f"tube{i + 1}", at=foot, axis=w, axis2=np.cross(w, u)))
        course = [leg_length(foot, head, t) - length for t in times]
        m.add(Prismatic(f"leg{i + 1}", f"tube{i + 1}", f"piston{i + 1}", axis=u, motion=Table(times, course, kind="cubic")))
        m.add(Ball(f"head{i + 1}", f"piston{i + 1}", plate, at=head))
    return m


def plate_shapes() -> tuple[Shape, ...]:
    """A round plate with a cabin."""
    cabin = (Box((0.5, 0.4, 0.3), (0.0, 0, 0.19), color=BLUE), Box((0.2, 0.34, 0.16), (0.28, 0, 0.17), color="#a5d8ff"))
    return (Cylinder(0.66, 0.05, "z", color=STEEL), *cabin)


def finding(result: Result) -> str:
    """Force and power of the drives."""
    forces = np.array([result[f"leg{i}.drive"] for i in range(1, 7)])
    power = sum(result[f"leg{i}.drive"] * result[f"leg{i}.v"] for i in range(1, 7))
    return f"the drives push with {forces.min():.0f} to {forces.max():.0f} N and give up to {power.max():.0f} W together"


STEWART = Demo(
    name="stewart",
    story="A Stewart platform: six driven legs, five loops; the run reports the drive forces.",
    model=model,
    settings={"t_end": PERIOD, "step": 0.01, "tolerance": 1e-7},
    plots=("leg1.q", "leg2.q", "leg3.q", "leg1.drive", "leg2.drive", "leg3.drive"),
    finding=finding,
    traces=("plate",),
)
