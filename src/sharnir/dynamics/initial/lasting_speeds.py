"""Speeds at a singular position that belong to an actual motion: not all that satisfy ġ = C v + ∂g/∂t = 0 do.

Where rows of C become dependent, uᵀC = 0, the equation for accelerations, C v̇ + b(v) = 0, has a solution only if φ = uᵀ b(v) = 0:
one equation of second degree in the speeds for every such u. A parallelogram in line has two branches, v on either of two lines;
between them it cannot go on, and the first correction of speeds would take the difference away, with its energy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.initial.loop_closure import LARGE
from sharnir.dynamics.initial.user_conditions import Condition
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at, mimic_rows
from sharnir.dynamics.mobility.joint_coordinates import speed_rows
from sharnir.dynamics.mobility.state_steps import size_of, speed_scales
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

RANK = 1e-8  # of the largest singular value: directions below it are lost
OPEN = 1e-7  # of the accelerations that speeds make in the mechanism: what no acceleration can take away
KEPT = 1e-9  # of the largest speed: given ones that differ by less are kept
NEWTON_STEPS = 40
MOST_WAYS = 6  # in which speeds beside the first ones are tried
MOST_ROWS = 400  # equations that are looked at


def lasting_speeds(system: Equations, y: np.ndarray, v: np.ndarray, conditions: list[Condition]) -> np.ndarray:
    """Speeds nearest to v, which satisfy the equations for speeds, that some motion through this position has.

    Speeds that the user gave are kept; an error names them if no motion has them.
    """
    if not v.any() or system.n_v > LARGE or len(system.assembly.elements) == 0 or int(constraint_count(system)) > MOST_ROWS:
        return v
    found = equations_at(system, y, v)
    lost = lost_directions(system, found)
    if not lost.shape[1] or not is_open(system, found, lost):
        return v
    kept = [conditions, [c.without_zeros() if c.certain else c for c in conditions]]
    for chosen in kept:
        held = held_rows(system, chosen)
        for start in (v, *_beside(system, found, lost, held)):
            end = on_a_branch(system, y, start, lost, held)
            if end is not None:
                return end
    free = on_a_branch(system, y, v, lost, np.zeros((0, system.n_v)))
    raise _no_motion(system, found, lost, free, kept[1])


def constraint_count(system: Equations) -> int:
    """Number of constraint equations."""
    return sum(e.count for e in system.assembly.elements)


def equations_at(system: Equations, y: np.ndarray, v: np.ndarray) -> Constraints:
    """The equations at the position in y with speeds v."""
    state = y.copy()
    state[system.n_q : system.n_q + system.n_v] = v
    return constraints_at(system, state)


def lost_directions(system: Equations, found: Constraints) -> np.ndarray:
    """Combinations u of equations, in units of their forces, that no acceleration moves: columns."""
    C = np.vstack([found.scaled(speed_scales(system)), mimic_rows(system) / speed_scales(system)])
    U, s, _ = np.linalg.svd(C)
    rank = int((s > RANK * max(1.0, s.max(initial=0.0))).sum())
    return U[:, rank:]


def lasting_rows(system: Equations, found: Constraints, lost: np.ndarray) -> np.ndarray:
    """Equations for speeds, in units of their forces and of speeds, without the lost directions; rows of these alone vanish."""
    scale = speed_scales(system)
    rows = np.vstack([found.scaled(scale), mimic_rows(system) / scale])
    rows -= lost @ (lost.T @ rows)
    rows[np.linalg.norm(rows, axis=1) <= RANK] = 0.0
    return rows


def open_accelerations(found: Constraints, lost: np.ndarray) -> np.ndarray:
    """φ = uᵀ b of the lost directions, in units of the equations' forces."""
    b = found.bias / np.maximum(found.size, 1e-300)
    return lost[: len(b)].T @ b


def is_open(system: Equations, found: Constraints, lost: np.ndarray) -> bool:
    """Whether the speeds ask for accelerations that the mechanism does not have."""
    v = found.y[system.n_q : system.n_q + system.n_v]
    fastest = float(np.abs(v * speed_scales(system)).max(initial=0.0))
    return bool(np.abs(open_accelerations(found, lost)).max(initial=0.0) > OPEN * fastest**2 / size_of(system))


def held_rows(system: Equations, conditions: list[Condition]) -> np.ndarray:
    """Rows of the speeds that the user gave, which do not change."""
    rows = [np.zeros((0, system.n_v))]
    for c in conditions:
        if c.held is not None:
            rows.append(np.eye(system.n_v)[c.held.speeds(system)])
        elif len(c.values):
            rows.append(speed_rows(system, c.freedoms))
    return np.vstack(rows)


def _beside(system: Equations, found: Constraints, lost: np.ndarray, held: np.ndarray) -> list[np.ndarray]:
    """Other speeds that the constraints allow, with the given ones: between two branches, at equal distances, φ has no slope."""
    scale, v = speed_scales(system), found.y[system.n_q : system.n_q + system.n_v]
    rows = np.vstack([lasting_rows(system, found, lost), held / scale])
    _, s, Vt = np.linalg.svd(rows)
    free = Vt[int((s > RANK * max(1.0, s.max(initial=0.0))).sum()) :] / scale
    return [v + sign * np.linalg.norm(v * scale) * way for way in free[:MOST_WAYS] for sign in (1.0, -1.0)]


def on_a_branch(system: Equations, y: np.ndarray, v: np.ndarray, lost: np.ndarray, held: np.ndarray) -> np.ndarray | None:
    """Newton's method on φ(v) = 0 within the speeds that the constraints allow, in the metric of the masses; None if it fails."""
    found, scale, n = equations_at(system, y, v), speed_scales(system), system.n_v
    M = system.mass_matrix(y[: system.n_q])
    L = np.linalg.cholesky(M + 1e-12 * np.diag(M).max() * np.eye(n))
    fixed = np.vstack([lasting_rows(system, found, lost) * scale, held])
    start, size = v, np.linalg.norm(v * scale) / scale
    for _ in range(NEWTON_STEPS):
        if not is_open(system, found, lost):
            return v if np.abs((v - start) @ held.T).max(initial=0.0) <= KEPT * np.abs(start).max() else None
        slopes = np.zeros((lost.shape[1], n))
        for k in range(n):  # differences in the middle are exact: φ is of second degree
            step = np.eye(n)[k] * size[k]
            up, down = (open_accelerations(equations_at(system, y, v + sign * step), lost) for sign in (1.0, -1.0))
            slopes[:, k] = (up - down) / (2.0 * size[k])
        # equations that are redundant everywhere hold for all speeds, to rounding
        usual = np.linalg.norm(v * scale) / size_of(system)
        slopes[np.linalg.norm(slopes / scale, axis=1) <= RANK * usual] = 0.0
        rows = np.vstack([fixed, slopes])
        right = np.concatenate([np.zeros(len(fixed)), -open_accelerations(found, lost)])
        B = np.linalg.solve(L, rows.T).T
        length = np.maximum(np.linalg.norm(B, axis=1), 1e-300)
        change = np.linalg.solve(L.T, np.linalg.lstsq(B / length[:, None], right / length, rcond=1e-9)[0])
        if not np.isfinite(change).all() or not change.any():
            return None
        v = v + change
        found = equations_at(system, y, v)
    return None


def _no_motion(
    system: Equations, found: Constraints, lost: np.ndarray, free: np.ndarray | None, conditions: list[Condition]
) -> ModelError:
    """The error for given speeds that no motion through a singular position has."""
    given = ", ".join(c.name for c in conditions[:6])
    near = ""
    if free is not None:
        listed = [f"{name} = {value:.6g}" for name, value in zip(system.speeds, free, strict=True)]
        near = f"; a motion near them has {', '.join(listed[:8])}"
    return ModelError(
        f"model '{system.model.name}': the mechanism starts in a singular position (a dead point of "
        f"{names_of_lost(system, found, lost)}), and no motion through it has the speeds given by {given or 'its joints'}{near}; "
        "give those of one branch, or start a little beside this position"
    )


def names_of_lost(system: Equations, found: Constraints, lost: np.ndarray) -> str:
    """The elements whose equations become dependent."""
    part = np.abs(lost[: len(found.g)]).max(axis=1, initial=0.0)
    names = [e.name for e in system.assembly.elements if part[e.row : e.row + e.count].max(initial=0.0) > 0.3 * part.max()]
    return ", ".join(map(repr, names[:6]))
