"""Steps and scales of a state: how far a speed moves the mechanism, a state moved by a small displacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.bodies.coordinate_steps import RATES
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.memory import layout as L

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def speed_scales(system: Equations) -> np.ndarray:
    """Per speed: 1 for a displacement, the size of the mechanism for an angle; of elastic ones what moves most in the body."""
    reach, c = size_of(system), system.assembly.coordinates
    scales = np.array([reach if unit.startswith("rad") else 1.0 for unit in c.v_units])
    for name, (_, first, h) in c.elastic.items():
        shift, turn = system.model.bodies[name].reduced.amplitudes  # type: ignore[attr-defined]
        scales[first : first + h] = np.maximum(np.maximum(shift, reach * turn), np.finfo(float).tiny)
    return scales


def size_of(system: Equations) -> float:
    """A length that is typical of the mechanism [m]: its extent in the drawing, or that of its bodies, or 1."""
    if system.params[L.REACH] > 0.0:
        return float(system.params[L.REACH])
    place = system.assembly.placement
    points = [place.position.reshape(-1, 3), place.user_position.reshape(-1, 3), np.zeros((1, 3))]
    extent = float(np.ptp(np.concatenate(points), axis=0).max())
    heavy = place.mass > 0.0
    gyration = np.sqrt(np.trace(place.inertia, axis1=1, axis2=2)[heavy] / place.mass[heavy])
    arms = np.linalg.norm(place.com.reshape(-1, 3), axis=1)
    size = max(extent, float(gyration.max(initial=0.0)), float(arms.max(initial=0.0)))
    return size if size > 1e-9 else 1.0


def moved(system: Equations, y: np.ndarray, step: np.ndarray) -> np.ndarray:
    """A state after moving its coordinates by a step given in speeds; quaternions stay of unit length."""
    n = system.n_q
    y, rates = y.copy(), np.zeros(len(y))
    y[n : n + system.n_v], speeds = step, y[n : n + system.n_v].copy()
    call_once(RATES.address, 0.0, y, rates, system.table, system.params, system.work)
    y[:n] += rates[:n]
    for k in system.assembly.coordinates.quaternions:
        y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
    y[n : n + system.n_v] = speeds
    return y


STENCIL = ((-2, 1.0 / 12.0), (-1, -8.0 / 12.0), (1, 8.0 / 12.0), (2, -1.0 / 12.0))
