"""Inverse dynamics with constraints: forces along chosen joints that make a mechanism with loops move as prescribed.

Nᵀ B τ = Nᵀ M (v̇ - a): B has a column per drive, a are the accelerations without drives, N the motions that the constraints
allow. With more drives than freedoms τ is the solution of least norm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation import python_entries
from sharnir.dynamics.inverse.given_freedoms import given_numbers
from sharnir.dynamics.mobility.constraint_jacobian import constraint_labels, constraints_at, mimic_rows
from sharnir.dynamics.mobility.joint_coordinates import find_freedoms, speed_rows, speed_values
from sharnir.dynamics.mobility.motion_basis import MotionBasis, full_state, motion_basis, own_copy
from sharnir.dynamics.mobility.state_steps import STENCIL, moved
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

ACCELERATION = "inverse_dynamics: acceleration"


def drive_forces(
    system: Equations, q: np.ndarray, v: np.ndarray, vdot: Any, t: float, drives: Sequence[str] | None, elements: bool = True
) -> np.ndarray:
    """Forces or torques of the drives, in their order; see System.inverse_dynamics."""
    drives = _drive_names(system, drives)
    own = own_copy(system)
    basis = motion_basis(own, full_state(own, q, v), t)
    rows = np.vstack([speed_rows(own, find_freedoms(own, name)) for name in drives])
    vdot = consistent_accelerations(own, basis, vdot)
    N = basis.speed
    if elements:
        a = own.observe_rates(np.array([float(t)]), basis.y[None])[0, own.n_q : own.n_q + own.n_v]
        need = N.T @ basis.M @ (vdot - a)
    else:
        force = np.zeros(own.n_v)
        at = (float(t), basis.y[: own.n_q].copy(), basis.y[own.n_q : own.n_q + own.n_v].copy(), vdot)
        python_entries.inverse_dynamics_at(*at, True, False, force, own.table, own.params, own.work)
        need = N.T @ force
    B = N.T @ rows.T
    tau = np.linalg.lstsq(B, need, rcond=1e-10)[0]
    left = np.abs(B @ tau - need).max(initial=0.0)
    if left > 1e-7 * max(np.abs(need).max(initial=0.0), 1e-12):
        raise ModelError(
            f"inverse_dynamics: drives {', '.join(drives)} cannot give these accelerations; {N.shape[1]} freedoms have "
            "to be moved; name a drive for each of them"
        )
    return tau


def _drive_names(system: Equations, drives: Any) -> tuple[str, ...]:
    """The names of joints that are driven; there must be some."""
    names = (drives,) if isinstance(drives, str) else tuple(str(getattr(x, "name", x)) for x in drives or ())
    if not names:
        free = [joint.name for joint in system.model.joints.values() if not all(joint.driven)]
        told = "is missing: accelerations by name need it" if drives is None else "is empty"
        raise ModelError(
            f"inverse_dynamics: drives {told}; name the joints whose forces are wanted, such as drives={free[:1]!r}; "
            f"joints that can be driven are {', '.join(free[:10]) or 'none'}"
        )
    return names


def consistent_accelerations(system: Equations, basis: MotionBasis, vdot: Any) -> np.ndarray:
    """v̇ that the constraints allow: checked if it is complete, completed if it maps names of joints to accelerations."""
    found, mimics = basis.constraints, mimic_rows(system)
    C, right = np.vstack([found.C, mimics]), np.concatenate([-found.bias, np.zeros(len(mimics))])
    if not isinstance(vdot, Mapping):
        x = system.checked("vdot", vdot)
        miss = np.abs(C @ x - right)
        worst = miss > 1e-6 * max(np.abs(right).max(initial=0.0), np.abs(x).max(initial=0.0), 1e-9)
        if worst.any():
            names = (*constraint_labels(system), *(system.speeds[m.speed] for m in system.assembly.coordinates.mimics))
            raise ModelError(
                f"inverse_dynamics: vdot violates {names[int(np.argmax(miss))]} by {miss.max():.3g}; take it from a motion that "
                f"satisfies the constraints, or give accelerations of some joints as a dict and let the others follow"
            )
        return x
    freedoms = [find_freedoms(system, name) for name in vdot]
    rows = np.vstack([np.zeros((0, system.n_v)), *(speed_rows(system, f) for f in freedoms)])
    given = zip(freedoms, vdot.items(), strict=True)
    wanted = np.concatenate([np.zeros(0), *(given_numbers(f, name, x, ACCELERATION) for f, (name, x) in given)])
    drift = np.concatenate([np.zeros(0), *(_drift(system, basis, f) for f in freedoms)])
    A, b = np.vstack([C, rows]), np.concatenate([right, wanted - drift])
    x, _, rank, _ = np.linalg.lstsq(A, b, rcond=1e-10)
    if rank < system.n_v:
        told = f"accelerations of {', '.join(vdot)} leave" if vdot else "vdot names no accelerations and leaves"
        raise ModelError(f"inverse_dynamics: {told} {system.n_v - rank} freedoms open; name more joints in it, {{name: value}}")
    if np.abs(A @ x - b).max(initial=0.0) > 1e-7 * max(np.abs(b).max(initial=0.0), 1e-9):
        raise ModelError(
            f"inverse_dynamics: the constraints do not allow these accelerations of {', '.join(vdot)}; name fewer joints"
        )
    return x


def _drift(system: Equations, basis: MotionBasis, f: Any) -> np.ndarray:
    """What the acceleration of a cut joint has without v̇: the change of its speed along the motion at constant v."""
    if f.element < 0:
        return np.zeros(len(f.parts))
    n_q, n_v, h = system.n_q, system.n_v, 1e-4
    v = basis.y[n_q : n_q + n_v]
    h /= max(1.0, float(np.abs(v).max(initial=0.0)))
    total = np.zeros(len(f.parts))
    for place, weight in STENCIL:
        y = moved(system, basis.y, place * h * v)
        constraints_at(system, y, basis.t + place * h)
        total += weight / h * speed_values(system, f, v)
    constraints_at(system, basis.y, basis.t)
    return total
