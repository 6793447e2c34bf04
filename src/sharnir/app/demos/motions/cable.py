"""A cable of a hundred ball joints with a weight falls from the horizontal while swinging sideways."""

from __future__ import annotations

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Ball, Body, Model, Rod, Sphere
from sharnir.results import Result

LINKS, LENGTH, MASS = 100, 0.04, 0.01


def model() -> Model:
    """Links along x, each on a ball joint at the end of the one before; the last carries a ball.

    >>> model()
    Model('cable': 101 bodies, 101 joints, 0 forces)
    """
    m = Model("cable")
    previous = m.ground
    for k in range(LINKS):
        link = Body(f"link{k + 1}", mass=MASS, position=(k * LENGTH, 0, 0), shape=Rod((0, 0, 0), (LENGTH, 0, 0), radius=0.022))
        m.add(link)
        # the first joint turns the straight cable about the vertical: it leaves the plane
        m.add(Ball(f"joint{k + 1}", previous, link, v=(0, 0, 1.1) if k == 0 else (0, 0, 0)))
        previous = link
    weight = m.add(Body("weight", mass=1.0, position=(LINKS * LENGTH, 0, 0), shape=Sphere(0.17), color="#e8590c"))
    m.add(Ball("weight", previous, weight))
    return m


def finding(result: Result) -> str:
    """Energy is kept although nothing corrects it."""
    total, kinetic = result.energy.total, result.energy.kinetic
    speed = np.linalg.norm(result["weight.velocity"], axis=1).max()
    share = np.ptp(total) / kinetic.max()
    return f"{3 * LINKS + 3} freedoms; the weight reaches {speed:.1f} m/s; energy is kept to {share:.0e} of the kinetic energy"


CABLE = Demo(
    name="cable",
    story="A hundred links on ball joints, with a weight at the end, fall from the horizontal while swinging sideways.",
    model=model,
    settings={"t_end": 6.0, "step": 0.01, "tolerance": 1e-7},
    plots=("weight.position", "energy.kinetic", "energy.potential", "energy.total"),
    finding=finding,
    traces=("weight",),
)
