"""Bodies that spin: a heavy top that nutates, and a handle in free flight that flips over and over."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Ball, Body, Cylinder, Fixed, Model, Sphere, rotation_about
from sharnir.results import Result

TILT, SPIN = math.radians(28.0), 52.0
PINK, YELLOW, STEEL, DARK = "#c2255c", "#ffd43b", "#868e96", "#495057"


def top() -> Model:
    """A disc on an axle, spun up on its tip and let go; the knob at the end of the axle draws the path.

    >>> top()
    Model('top': 3 bodies, 3 joints, 0 forces)
    """
    m = Model("top")
    pillar = (Cylinder(0.008, 0.1, "z", (0, 0, -0.05)), Cylinder(0.05, 0.012, "z", (0, 0, -0.1)))
    stand = m.add(Body("stand", mass=0, shape=pillar, color=STEEL))
    m.add(Fixed("floor", m.ground, stand))
    disc = (Cylinder(0.075, 0.016, "z", (0, 0, 0.07), color=PINK), Cylinder(0.03, 0.03, "z", (0, 0, 0.07), color=DARK))
    thirds = [2 / 3 * math.pi * k for k in range(3)]
    marks = [Sphere(0.011, (0.055 * math.cos(a), 0.055 * math.sin(a), 0.078), color=YELLOW) for a in thirds]
    axle = Cylinder(0.005, 0.15, "z", (0, 0, 0.075), color=STEEL)
    turn = rotation_about("y", TILT)
    body = m.add(Body("top", mass=0.4, shape=(*disc, *marks, axle), rotation=turn))
    m.add(Ball("tip", m.ground, body, at=(0, 0, 0), v=(0, 0, SPIN)))
    place = (0.15 * math.sin(TILT), 0, 0.15 * math.cos(TILT))
    knob = m.add(Body("knob", mass=0.005, shape=Sphere(0.01), position=place, rotation=turn, color=YELLOW))
    m.add(Fixed("knob", body, knob))
    return m


def tilt(result: Result) -> np.ndarray:
    """Angle between the top's axis and the vertical over time [rad]."""
    return np.arccos(result["knob.position.z"] / 0.15)


def lowest_tilt(m: Model) -> float:
    """How far a top falls that is let go with its axis at rest: 2 m g l / J₁ (1 - u²) = (J₃ ω / J₁)² (u₀ - u), u = cos θ."""
    parts = [m.bodies["top"], m.bodies["knob"]]
    bodies = [(body.mass, body.inertia_matrix, math.hypot(*body.position) + body.com[2]) for body in parts]
    weight = 9.81 * sum(mass * l for mass, _, l in bodies)
    across = sum(J[0][0] + mass * l * l for mass, J, l in bodies)
    along = sum(J[2][2] for _, J, _ in bodies)
    a, b, u0 = 2 * weight / across, (along * SPIN / across) ** 2, math.cos(TILT)
    return math.acos((b - math.sqrt(b * b - 4 * a * (b * u0 - a))) / (2 * a))


def top_finding(result: Result) -> str:
    """The axis nods between two angles that the textbook knows."""
    high, low = np.degrees([tilt(result).min(), tilt(result).max()])
    return f"the axis nutates between {high:.2f} and {low:.2f} degrees (theory: {math.degrees(lowest_tilt(top())):.2f})"


def handle() -> Model:
    """A T-shaped handle without gravity, spun about the axis of its middle moment of inertia.

    >>> handle()
    Model('handle': 1 body, 0 joints, 0 forces)
    """
    m = Model("handle", gravity=(0, 0, 0))
    bar = Cylinder(0.02, 0.2, "y", (0, 0, 0.05), color="#2f6fde")
    ends = [Sphere(0.027, (0, y, 0.05), color=YELLOW) for y in (-0.1, 0.1)]
    stem = Cylinder(0.016, 0.1, "z", color=STEEL)
    grip = Cylinder(0.021, 0.02, "z", (0, 0, -0.05), color=DARK)
    m.add(Body("handle", mass=0.5, shape=(bar, *ends, stem, grip), angular_velocity=(0.02, 0.0, 12.0)))
    return m


def flips(result: Result) -> np.ndarray:
    """Times at which the stem lies across the angular momentum, on its way to the other side."""
    w, x, y, z = result["handle.rotation"].T
    up = w * w - x * x - y * y + z * z
    k = np.flatnonzero(up[:-1] * up[1:] < 0)
    return result.t[k] + (result.t[k + 1] - result.t[k]) * up[k] / (up[k] - up[k + 1])


def handle_finding(result: Result) -> str:
    """Time between two flips."""
    every = float(np.diff(flips(result)).mean())
    spread = np.ptp(result.energy.total) / result.energy.total[0]
    return f"it flips every {every:.3f} s; energy is kept to {spread:.0e}"


TOP = Demo(
    name="top",
    story="A heavy top nutates and precesses on its tip (slow motion).",
    model=top,
    settings={"t_end": 2.4, "step": 0.002, "tolerance": 1e-10},
    plots=("knob.position", "tip.v"),
    finding=top_finding,
    traces=("knob",),
    speed=0.2,
)

HANDLE = Demo(
    name="handle",
    story="A T-handle in free flight flips over and over: its intermediate axis is unstable (Dzhanibekov effect).",
    model=handle,
    settings={"t_end": 12.0, "step": 0.01, "tolerance": 1e-10},
    plots=("handle.v.rx", "handle.v.ry", "handle.v.rz"),
    finding=handle_finding,
    speed=0.7,
)
