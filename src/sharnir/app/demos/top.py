"""Bodies that spin: a heavy top with nutation, and a handle in free flight that turns over and over."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Ball, Body, Box, Cylinder, Model, Sphere, rotation_about
from sharnir.results import Result

TILT, SPIN = math.radians(28.0), 115.0


def top() -> Model:
    """A disc on an axle that stands on its tip, spun up and let go."""
    m = Model("top")
    stand = m.add(Body("stand", mass=0, shape=(Cylinder(0.012, 0.16, "z", (0, 0, -0.08)), Cylinder(0.06, 0.012, "z", (0, 0, -0.16)))))
    m.add(Ball("floor", m.ground, stand, motion=(0, 0, 0)))
    disc = Cylinder(0.075, 0.022, "z", (0, 0, 0.07), color="#c2255c")
    marks = tuple(Sphere(0.012, (0.052 * math.cos(a), 0.052 * math.sin(a), 0.082), color="#ffd43b") for a in (0.0, 2.094, 4.189))
    shape = (disc, *marks, Cylinder(0.005, 0.15, "z", (0, 0, 0.075), color="#868e96"), Sphere(0.012, (0, 0, 0.15), color="#495057"))
    body = m.add(Body("top", mass=0.4, shape=shape, rotation=rotation_about("y", TILT)))
    m.add(Ball("tip", m.ground, body, at=(0, 0, 0), v=(0, 0, SPIN)))
    return m


def top_finding(result: Result) -> str:
    """Mean rate of precession against the textbook's m g l / (J ω)."""
    x, y, _ = result["top.rotation.x"], result["top.rotation.y"], None
    turn = np.unwrap(np.arctan2(*axis_of(result)[:, 1::-1].T))
    rate = (turn[-1] - turn[0]) / result.t[-1]
    return f"the axis goes round with {rate:.2f} rad/s on average{'' if len(x) == len(y) else ''}"


def axis_of(result: Result) -> np.ndarray:
    """Direction of the top's axis, (nt, 3)."""
    w, x, y, z = result["top.rotation"].T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z], axis=1)
