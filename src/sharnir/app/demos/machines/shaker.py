"""Three masses on a shaking table: a linear, a hardening and a softening spring meet their resonance at different times."""

from __future__ import annotations

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Cylinder, Fixed, Model, Prismatic, Spring
from sharnir.results import Result

KINDS = (
    ("softening", "-m*g + f*tanh(k*x/f)", "#2f6fde"),
    ("linear", "-m*g + k*x", "#e8590c"),
    ("hardening", "-m*g + k*x + h*x**3", "#2b9348"),
)  # tension as a formula of the elongation x; the springs carry the weight in the drawing
PARAMETERS = {"m": 5.0, "g": 9.81, "k": 2000.0, "f": 90.0, "h": 1.5e5, "a": 0.007, "f0": 2.0, "s": 0.1}
HEIGHT = 0.45


def model() -> Model:
    """A table that shakes up and down, ever faster, with three masses on springs.

    >>> model()
    Model('shaking table': 4 bodies, 4 joints, 3 forces)
    """
    # sweep from 2 Hz upwards; the phase of a sweep is the integral of its frequency
    m = Model("shaking table", parameters=PARAMETERS, base_motion={"z": "a*sin(2*pi*(f0*t + s*t**2/2))"})
    table = m.add(Body("table", mass=0, shape=table_shapes(), color="#868e96"))
    m.add(Fixed("table", m.ground, table))
    for k, (name, force, color) in enumerate(KINDS):
        x = 0.5 * (k - 1)
        weight = Box((0.26, 0.26, 0.16), (0, 0, 0.08))
        mass = m.add(Body(name, mass=PARAMETERS["m"], position=(x, 0, HEIGHT), shape=weight, color=color))
        m.add(Prismatic(f"{name}_guide", table, mass, axis="z"))
        m.add(Spring(name, table, mass, at_a=(x, 0, 0), damping=7.0, force=force))
    return m


def table_shapes() -> tuple[Box | Cylinder, ...]:
    """Plate and guides."""
    rods = [Cylinder(0.012, 1.1, "z", (0.5 * k + dx, 0, 0.55), color="#ced4da") for k in (-1, 0, 1) for dx in (-0.16, 0.16)]
    return (Box((1.7, 0.6, 0.08), (0, 0, -0.04)), *rods)


def finding(result: Result) -> str:
    """When each mass swings most."""
    times = []
    for name, _, _ in KINDS:
        q = result[f"{name}_guide.q"]
        t = float(result.t[np.argmax(np.abs(q - q.mean()))])
        times.append(f"{name} at {PARAMETERS['f0'] + PARAMETERS['s'] * t:.1f} Hz ({1000 * np.abs(q).max():.0f} mm)")
    return f"resonance: {', '.join(times)}"


SHAKER = Demo(
    name="shaker",
    story="A shaking table sweeps through the resonance of three masses on different springs.",
    model=model,
    settings={"t_end": 40.0, "step": 0.01},
    plots=tuple(f"{name}_guide.q" for name, _, _ in KINDS),
    finding=finding,
    speed=1.0,
)
