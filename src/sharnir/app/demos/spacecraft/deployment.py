"""A satellite deploys its wings panel by panel: springs turn each panel until it latches and releases the next."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.app.demos.spacecraft.satellite import LENGTH, PANELS, SIDE, THICKNESS, hub_shapes, panel_shapes
from sharnir.model import Body, Event, Lock, Model, Revolute, TorsionSpring, Unlock
from sharnir.results import Result

STIFFNESS, DAMPING = 6.0, 4.0  # of the hinges [N m/rad, N m s/rad]; not enough to come to rest before the latch
PAST = 0.05  # rad beyond the latch at which the spring would rest: it presses the panel home


def model() -> Model:
    """Folded wings are held; at 0.5 s the first panels go, each latch lets the next one go.

    >>> model()
    Model('deployment': 9 bodies, 8 joints, 8 forces, 15 events)
    """
    m = Model("deployment", gravity=(0, 0, 0))
    hub = m.add(Body("hub", mass=180, shape=hub_shapes(), angular_velocity=(0, 0, 0.3)))
    latches = []
    for side, name in ((1, "left"), (-1, "right")):
        previous = hub
        for k in range(PANELS):
            panel = m.add(Body(f"{name}{k + 1}", mass=7, position=(0, side * (SIDE + k * LENGTH), 0), shape=panel_shapes(side)))
            upper = 0.5 * THICKNESS * (1 if k % 2 else -1)
            folded = -side * (0.5 * math.pi if k == 0 else math.pi * (-1) ** k)
            hinge = Revolute(f"{name}{k + 1}", previous, panel, at=(*panel.position[:2], upper), axis="x", motion=folded)
            m.add(hinge)
            m.add(TorsionSpring(hinge.name, hinge, STIFFNESS, DAMPING, angle=-math.copysign(PAST, folded)))
            opened = f"{hinge.name}.q {'<' if folded > 0 else '>'} 0"
            latches.append(Event(f"{hinge.name} latches", opened, Lock(hinge.name), times=1))
            if k + 1 < PANELS:
                latches.append(Event(f"{name}{k + 2} goes", opened, Unlock(f"{name}{k + 2}"), times=1))
            previous = panel
    m.add(Event("go", at=0.5, actions=(Unlock("left1"), Unlock("right1"))), *latches)
    return m


def finding(result: Result) -> str:
    """All panels latch; angular momentum is kept through every impact."""
    latched = [e for e in result.events if e["name"].endswith("latches")]
    lost = sum(e["energy_before"] - e["energy_after"] for e in latched)
    momentum = result["system.angular_momentum"]
    drift = np.abs(momentum - momentum[0]).max() / np.abs(momentum[0]).max()
    last = latched[-1]["t"]
    return f"{len(latched)} panels latch by t = {last:.2f} s, impacts take {lost:.1f} J; angular momentum is kept to {drift:.0e}"


DEPLOYMENT = Demo(
    name="deployment",
    story="A satellite unfolds its wings panel by panel; each latches with an impact and releases the next.",
    model=model,
    settings={"t_end": 12.0, "step": 0.02},
    plots=("left1.q", "left2.q", "left3.q", "left4.q", "hub.angular_velocity.z", "energy.kinetic"),
    finding=finding,
    look="dark",
)
