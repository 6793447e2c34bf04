"""How displacements of a free joint change with its speeds: these are in axes of the body, displacements in the joint's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.bodies.coordinate_steps import RATES
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.joint_coordinates import JointFreedoms, coordinate_values
from sharnir.dynamics.mobility.state_steps import moved, speed_scales

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

DIFFERENCE = 1e-6  # m, or sizes of the mechanism


def displacement_rows(system: Equations, f: JointFreedoms, y: np.ndarray) -> np.ndarray:
    """Rates of chosen displacements per unit speed of the state.

    >>> import sharnir as sr
    >>> from sharnir.dynamics.mobility.joint_coordinates import find_freedoms
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> s = m.compile(initial=sr.Initial(q={"stone": (0, 0, 0, 0, 0, 0, 1)}))  # half a turn about z
    >>> (displacement_rows(s, find_freedoms(s, "stone.x"), s.y0) + 0.0)[0, :3]
    array([-1.,  0.,  0.])
    """
    rows, n = np.zeros((len(f.parts), system.n_v)), system.n_q
    if f.element < 0:
        q, _, v, _ = system.assembly.coordinates.ranges[f.joint.name]
        for k in range(v, v + 3):  # q̇ = Dᵀ E(q) v, column by column
            state, rates = y.copy(), np.zeros(len(y))
            state[n : n + system.n_v] = 0.0
            state[n + k] = 1.0
            call_once(RATES.address, 0.0, state, rates, system.table, system.params, system.work)
            rows[:, k] = rates[[q + part for part in f.parts]]
        return rows
    for k in range(system.n_v):  # a free joint that is cut: between bodies whose positions hold many coordinates
        step = np.zeros(system.n_v)
        step[k] = DIFFERENCE / speed_scales(system)[k]
        ends = []
        for sign in (1.0, -1.0):
            there = moved(system, y, sign * step)
            constraints_at(system, there)
            ends.append(coordinate_values(system, f, there)[list(f.parts)])
        rows[:, k] = (ends[0] - ends[1]) / (2.0 * step[k])
    constraints_at(system, y)
    return rows
