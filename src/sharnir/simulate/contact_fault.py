"""Contacts that stop a run: bodies that overlap far more than their law allows for."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.system import System
from sharnir.model import Contact, ContactGroup

FIERCE = 1e8  # m/s²: force over the mass of the whole model


def deep_contact(system: System, y: np.ndarray, t: float) -> str:
    """A contact whose bodies are thrown apart at a state, in words; "" if there is none."""
    mass = max(sum(float(body.mass or 0.0) for body in system.model.bodies.values()), 1e-9)
    worst, said = FIERCE, ""
    for force in system.model.forces.values():
        if isinstance(force, (Contact, ContactGroup)):
            out = np.zeros((1, 2))
            system.observe_work(np.array([t]), y[None], system.assembly.force_outputs[force.name], out)
            depth, normal = out[0]
            if depth > 0.0 and normal > worst * mass:
                worst = normal / mass
                said = f"{force.label}: its bodies overlap by {depth:.3g} m there and are pushed apart by {normal:.3g} N"
    return f"{said}; begin with them apart, exchange what is free and what is solid, or take a softer law" if said else ""
