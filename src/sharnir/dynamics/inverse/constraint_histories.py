"""Constraint quantities for Python: motion in cut joints, residuals, multipliers over many states; all joints at one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.constraints import cut_joint_motion
from sharnir.dynamics.evaluation import python_entries
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.inverse.least_norm_reactions import states_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.joint_coordinates import coordinate_values, freedoms_of

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def cut_motion(system: Equations, t: np.ndarray, y: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Coordinates (7), rates (6), accelerations (6) of cut joints, given by their numbers among the elements; (nt, m, 19)."""
    out, yd = np.zeros((len(t), len(numbers), cut_joint_motion.CUT_OUT)), np.zeros(y.shape[1])
    f = getattr(system.derivative, "address", system.derivative)
    where = np.ascontiguousarray(y), np.asarray(numbers, np.int64)
    cut_joint_motion.observe_cut_joints(f, t, *where, out, system.table, system.params, system.work, yd)
    return out


def residuals(system: Equations, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Largest |g| and largest |ġ| at every state, (nt, 2).

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "a", axis="z"))
    >>> s = m.compile("absolute")
    >>> float(residuals(s, np.zeros(1), s.y0[None]).max())
    0.0
    """
    out = np.zeros((len(t), 2))
    if system.constrained:
        table, state = system.table.copy(), np.zeros(y.shape[1] + 8)
        table[L.CORRECT_POSITION] = table[L.CORRECT_SPEED] = 0
        where = np.ascontiguousarray(y)
        cut_joint_motion.observe_residuals(PROJECTION.address, t, where, out, table, system.params, system.work, state)
    return out


def multipliers(system: Equations, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """λ of all constraint equations, (nt, m), in their order among the elements; least norm where they are redundant."""
    twin = system.least_norm_twin
    if twin is None:
        return own_multipliers(system, t, y)
    found = own_multipliers(twin, t, states_of(system, twin, t, y))
    rows = {e.name: e.row for e in twin.assembly.elements}
    return np.hstack([found[:, rows[e.name] : rows[e.name] + e.count] for e in system.assembly.elements])


def own_multipliers(system: Equations, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """λ as the system's own solver finds it."""
    out, yd = np.zeros((len(t), int(system.table[L.N_ROW]))), np.zeros(y.shape[1])
    f = getattr(system.derivative, "address", system.derivative)
    where = np.ascontiguousarray(y)
    cut_joint_motion.observe_multipliers(f, t, where, out, system.table, system.params, system.work, yd)
    return out


def element_multipliers(system: Equations, t: float, y: np.ndarray) -> dict[str, np.ndarray]:
    """λ of every constraint of the model at one state, by name, a number per equation.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1), position=(0, 0, -1)), sr.Distance("wire", "ground", "lamp"))
    >>> s = m.compile()
    >>> element_multipliers(s, 0.0, s.y0)
    {'wire': array([-19.62])}
    """
    own = [e for e in system.assembly.elements if e.name in system.model.constraints]
    if not own:
        return {}
    found = multipliers(system, np.array([float(t)]), y[None])[0]
    return {e.name: found[e.row : e.row + e.count] for e in own}


def joint_values(system: Equations, t: float, y: np.ndarray) -> dict[str, float]:
    """Coordinates of all joints at one state by name, be they part of the state, of cut joints, or prescribed.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "bob", axis="y", q=0.3))
    >>> s = m.compile("absolute")
    >>> joint_values(s, 0.0, s.y0)["O.q"]
    0.3
    """
    c, found = system.assembly.coordinates, constraints_at(system, y, t) if system.constrained else None
    y = y if found is None else found.y
    known = dict(zip((*c.q_names, *c.z_names), (*y[: system.n_q], *y[system.n_q + system.n_v :]), strict=True))
    known |= _prescribed(system, t)
    for joint in system.tree.cuts:
        if joint.coordinates != "angles":
            values = coordinate_values(system, freedoms_of(system, joint, tuple(range(joint.n_v))), y)
            values[-4:] *= 1.0 if values[-4:] @ np.array(joint.q[-4:]) >= 0.0 else -1.0
            known |= zip(_names(joint), values, strict=True)
    joints = {joint.name: joint for joint in (*system.tree.joints, *system.tree.cuts)}
    first = [joints[name] for name in system.model.joints if name in joints]
    order = [*first, *(joint for name, joint in joints.items() if name not in system.model.joints)]
    return {name: float(known[name]) for joint in order for name in _names(joint)}


def _names(joint: Any) -> list[str]:
    return [f"{joint.name}.q" + (f".{label}" if label else "") for label in joint.coordinate_names]


def _prescribed(system: Equations, t: float) -> dict[str, float]:
    """Coordinates that are given as functions of time."""
    c = system.assembly.coordinates
    rows = [k for k, row in enumerate(c.freedoms) if row.motion is not None]
    if not rows:
        return {}
    out = np.zeros((1, int(system.table[L.N_MOTION]), 3))
    python_entries.observe_motions(np.array([float(t)]), out, system.table, system.work)
    found: dict[str, float] = {}
    for joint in (*system.tree.joints, *system.tree.cuts):
        if joint.coordinates == "angles":
            own = zip(c.joint_freedoms[joint.name], _names(joint), joint.motion, strict=True)
            found |= {name: out[0, rows.index(row), 0] for row, name, motion in own if motion is not None}
    return found
