"""Speeds that satisfy the constraints and the user's conditions, as near as possible to the given ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.initial.loop_closure import LARGE, elastic_speeds
from sharnir.dynamics.initial.user_conditions import Condition
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import LOST, Constraints, mimic_rows
from sharnir.dynamics.mobility.joint_coordinates import speed_rows, speed_values
from sharnir.dynamics.mobility.state_steps import speed_scales

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


REACHED = 1e-9  # relative miss of equations that hold
LIGHT = 1e-9  # of the largest mass: what a freedom without mass counts
STIFF = 1e8  # weight of elastic rates against masses, where a mechanism cannot move without them


def solve_speeds(
    system: Equations, found: Constraints, wanted: np.ndarray, conditions: list[Condition]
) -> tuple[np.ndarray, float]:
    """Speeds that satisfy constraints and conditions, with the least kinetic energy in loops; and what they miss, relatively.

    Speeds in loops that `wanted` gives stay near that in the metric of M, those of joints in no loop as they are.

    Flexible bodies move as rigid ones if the mechanism can: their elastic rates are light, so the metric of M alone would rather
    make them ring than move their bodies. `found`: the equations, linear in speeds, whose ġ is that at v = 0.
    """
    elastic = elastic_speeds(system)
    if elastic.any():
        v, miss = _solved(system, found, wanted, conditions, elastic)
        if miss <= REACHED:
            return v, miss
    return _solved(system, found, wanted, conditions, np.zeros(system.n_v, bool))


def _solved(
    system: Equations, found: Constraints, wanted: np.ndarray, conditions: list[Condition], still: np.ndarray
) -> tuple[np.ndarray, float]:
    """The same with speeds that stay as they are."""
    v, held, n = wanted.copy(), still.copy(), system.n_v
    here = found.y[system.n_q : system.n_q + n]
    rows, right = [mimic_rows(system)], [np.zeros(len(system.assembly.coordinates.mimics))]
    for c in conditions:
        if c.held is not None:
            held[c.held.speeds(system)] = True
            v[c.held.speeds(system)] = c.values
        else:
            rows.append(speed_rows(system, c.freedoms))
            present = speed_values(system, c.freedoms, here)
            right.append(np.array(c.values) - present + rows[-1] @ here)  # less what the drives bring
    C, extra = (found.sparse if n > LARGE else found.C), np.vstack(rows)
    goal = np.concatenate([-found.gdot, *right])
    rest = goal - np.concatenate([C @ v, extra @ v])
    scale = 1.0 / np.maximum(np.concatenate([found.size, np.linalg.norm(extra / speed_scales(system), axis=1)]), 1e-12)
    typical = max(float(np.abs(np.concatenate([wanted * speed_scales(system), goal * scale])).max(initial=0.0)), 1e-300)
    if np.abs(rest * scale).max(initial=0.0) <= 1e-15 * typical:
        return v, 0.0
    if n <= LARGE:
        v = _least_energy(system, found, v, held | (wanted != 0.0) | elastic_speeds(system), C)
        rest = goal - np.concatenate([C @ v, extra @ v])
        typical = max(typical, float(np.abs(v * speed_scales(system)).max(initial=0.0)))
        held = held | ~(np.abs(np.vstack([C, extra]) / speed_scales(system)) > LOST).any(axis=0)  # what hangs on a loop keeps its
    free = np.flatnonzero(~held)
    v[free] += _smallest(system, found, C, extra, rest, scale, free)
    rest = goal - np.concatenate([C @ v, extra @ v])
    return v, float(np.abs(rest * scale).max()) / typical


def _least_energy(system: Equations, found: Constraints, v: np.ndarray, held: np.ndarray, C: np.ndarray) -> np.ndarray:
    """v with speeds in loops that nothing is said about so that the opened mechanism has the least kinetic energy.

    The least change from there is that of least kinetic energy with the loops closed, wherever they are cut.
    """
    scale = speed_scales(system)
    inside = np.flatnonzero((np.abs(C / scale) > LOST).any(axis=0) & ~held)
    if not len(inside) or not len(C):
        return v
    M = system.mass_matrix(found.y[: system.n_q])[inside]
    momentum = M @ v if system.model.base_motion else _momentum(system, found, v, inside)  # on a moving ground, relative to it
    if not np.isfinite(momentum).all():
        return v
    v = v.copy()
    weight = 1.0 / scale[inside]
    v[inside] -= weight * np.linalg.lstsq(weight[:, None] * M[:, inside] * weight, weight * momentum, rcond=1e-12)[0]
    return v


def _momentum(system: Equations, found: Constraints, v: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """∂T/∂v of some speeds, with what drives bring."""
    n, m, scale = system.n_q, system.n_q + system.n_v, speed_scales(system)
    states = np.tile(found.y, (2 * len(inside), 1))
    states[:, n:m] = v
    for k, i in enumerate(inside):  # differences in the middle are exact: the energy is of second degree
        states[2 * k, n + i] += 1.0 / scale[i]
        states[2 * k + 1, n + i] -= 1.0 / scale[i]
    kinetic = system.observe_stored(np.zeros(len(states)), states)[:, 0]
    return 0.5 * (kinetic[::2] - kinetic[1::2]) * scale[inside]


def _smallest(
    system: Equations, found: Constraints, C: np.ndarray, extra: np.ndarray, rest: np.ndarray, scale: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Δv of the free speeds with least ΔvᵀMΔv and rows Δv = rest, in the sense of least squares."""
    if not len(free):
        return np.zeros(0)
    weight = 1.0 / speed_scales(system)[free]
    if system.n_v > LARGE:
        from scipy.sparse import csr_array, diags_array, vstack
        from scipy.sparse.linalg import lsmr

        A = diags_array(scale) @ vstack([C, csr_array(extra)])[:, free] @ diags_array(weight)
        A = diags_array((np.sqrt(A.multiply(A).sum(axis=1)) > LOST).astype(float)) @ A
        return weight * lsmr(A, rest * scale, atol=1e-14, btol=1e-14, conlim=0.0, maxiter=20000)[0]
    A = np.vstack([C, extra])[:, free] * scale[:, None]
    A[np.linalg.norm(A * weight, axis=1) <= LOST] = 0.0
    whole = system.mass_matrix(found.y[: system.n_q])
    M = whole[np.ix_(free, free)]
    M[np.diag_indices(len(M))] *= np.where(elastic_speeds(system)[free], STIFF, 1.0 + 1e-12)
    least = np.full(len(M), 1e-15 * np.diag(M).max())
    if system.table[L.SOLVER] == L.NULL_SPACE:  # bodies may lack mass: those that have some decide
        largest = float((np.diag(whole) / speed_scales(system) ** 2).max())
        least = (LIGHT * largest or 1.0) / weight**2
    factor = np.linalg.cholesky(M + np.diag(least))
    B = np.linalg.solve(factor, A.T).T
    change = np.linalg.lstsq(B, rest * scale, rcond=1e-9)[0]
    change += np.linalg.lstsq(B, rest * scale - B @ change, rcond=1e-9)[0]  # one refinement
    return np.linalg.solve(factor.T, change)
