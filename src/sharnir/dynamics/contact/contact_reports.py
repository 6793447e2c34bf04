"""Reports of contacts, groups and wheels after a run: how deeply bodies penetrated, and steps that were too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sharnir.dynamics.forces.force_records import force_kernel, forces_on_bodies
from sharnir.dynamics.memory import layout as L

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


class ContactReport(NamedTuple):
    """Of one element; depths are over half the thickness of the thinner body, times those of the steps."""

    depth: float
    depth_at: float
    long_steps: int  # longer than what was safe
    safe_step: float  # the shortest of those that were safe
    safe_step_at: float


def contact_reports(system: Equations, work: np.ndarray) -> dict[str, ContactReport]:
    """Reports that a run has left in its memory, by labels of elements.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)))
    >>> _ = m.add(sr.Contact("floor", "ball", "ground", sr.Sphere(0.1), sr.Plane(), law=sr.Hertz(1e5)))
    >>> s = m.compile()
    >>> contact_reports(s, s.work)["Contact 'floor'"].long_steps
    0
    """
    table, n = system.table, int(system.table[L.N_APPROACH])
    if n == 0:
        return {}
    forces = [force for force in forces_on_bodies(system.model) if force_kernel(force).horizon is not None]
    places = table[table[L.T_APPROACH] :][: n * L.T_APPROACH_SIZE].reshape(n, L.T_APPROACH_SIZE)[:, 2]
    found = {}
    for force, at in zip(forces, places, strict=True):
        depth, depth_at, count, step, step_at = work[at : at + L.W_APPROACH_ELEMENT].tolist()
        found[force.label] = ContactReport(depth, depth_at, int(count), step, step_at)
    return found
