"""How an initial state changes with one of its numbers: alone in a tree, together with others where constraints hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.arguments import shown
from sharnir.dynamics.straight_line.derivatives import plain_directions
from sharnir.errors import ModelError


def unit_change(system: Any, name: str) -> np.ndarray:
    """∂y₀/∂x for an initial coordinate or speed x.

    In a mechanism with constraints it is the least motion, in the metric of the masses, that changes x by 1; speeds follow, by
    the least change that keeps them on the constraints.
    """
    c, n_q, n_v = system.assembly.coordinates, system.n_q, system.n_v
    who = f"sensitivity by {shown(name)}"
    if name not in system.coordinates and name not in system.speeds:
        known = ", ".join([*system.model.parameters, *system.coordinates, *system.speeds][:12])
        raise ModelError(f"{who}: it is neither a parameter nor an initial coordinate or speed; there are {known}")
    if c.mimics:
        raise ModelError(f"{who}: mimic joints follow it; make it a parameter of the model")
    of_speed = name in system.speeds
    k = system.speeds.index(name) if of_speed else system.coordinates.index(name)
    if not of_speed and n_q != n_v and any(first <= k < first + 4 for first in c.quaternions):
        raise ModelError(f"{who}: an entry of a quaternion does not change alone; take a parameter that turns the body")
    found = np.zeros(len(system.y0))
    if not system.constrained:
        found[n_q + k if of_speed else k] = 1.0
        return found
    if n_q != n_v:
        raise ModelError(f"{who}: with ball and free joints in a loop this is not supported; make it a parameter of the model")
    d, M = system.derivatives(), system.mass_matrix(system.q0)
    unit = (np.arange(n_v) == k).astype(float)
    change = _least(M, np.vstack([d.constraint_rates_v, unit]), np.append(np.zeros(len(d.constraint_names)), 1.0))
    if abs(change[k] - 1.0) > 1e-9 or np.abs(d.constraint_rates_v @ change).max(initial=0.0) > 1e-9:
        raise ModelError(f"{who}: the constraints hold it")
    if of_speed:
        found[n_q : n_q + n_v] = change
    else:
        found[:n_q] = change
        found[n_q : n_q + n_v] = _least(M, d.constraint_rates_v, -d.constraint_rates_q @ change)
        found[n_q + n_v :] = _tracked(system, change)
    return found


def _least(M: np.ndarray, G: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """x of least xᵀ M x with G x = wanted."""
    shared = np.linalg.solve(M, G.T)
    return shared @ np.linalg.lstsq(G @ shared, wanted, rcond=1e-12)[0]


def _tracked(system: Any, change: np.ndarray) -> np.ndarray:
    """How coordinates of cut joints change with those of the tree: as fast as they would at these speeds."""
    directions, n = plain_directions(system), len(system.y0)
    dy = np.zeros((n, 1))
    dy[system.n_q : system.n_q + system.n_v, 0] = change  # their rates are linear in speeds
    found = directions.rate_changes(0.0, system.y0, dy, np.zeros((0, 1)))[system.n_q + system.n_v :, 0]
    control = [name.startswith(".") for name in system.assembly.coordinates.z_names]
    return np.where(control, 0.0, found)  # states of control do not change with positions
