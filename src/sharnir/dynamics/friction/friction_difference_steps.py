"""Scales of speed and deflection over which friction changes: finite differences need smaller steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations
    from sharnir.model import Model

PART = 0.01  # of these scales: a step of differences


def sliding_step(model: Model) -> float:
    """The longest step of speeds [m/s] that friction allows; infinite without friction.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("block", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "block", axis="x"))
    >>> _ = m.add(sr.JointFriction("f", "P", coefficient=0.3, smoothing=0.002))
    >>> sliding_step(m)
    2e-05
    """
    scales = [np.inf]
    for force in model.forces.values():
        scales += force.sliding_speeds
    return PART * min(float(x) for x in scales)


def bristle_steps(system: Equations) -> dict[int, float]:
    """Steps for the states of bristles [m], by their places in the state: parts of the bend at which they let go."""
    from sharnir.dynamics.friction.friction_records import frictions, names_of

    first, names, found = system.n_q + system.n_v, system.assembly.coordinates.z_names, {}
    for force in frictions(system.model):
        for name in names_of(force, system.model):
            found[first + names.index(name)] = PART * force.static / float(force.stiffness or 1.0)
    return found
