"""Redundant constraint equations, and the number of degrees of freedom.

Rank-revealing QR of C, with rows of unit length and angular speeds measured as speeds of points at the mechanism's size. An
equation that is redundant in the initial position only (a flattened parallelogram) is told from one that always is by looking
at neighbouring positions, where the rank is larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at, mimic_rows
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

TOLERANCE = 1e-6  # of the length of a row: what is left of a redundant one
FEW = 200  # equations that are not worth loading SciPy
DENSE_WORK = 2e9  # multiplications of a dense QR that a user does not notice
CONTRARY = 1e-9  # of a residual: what no motion changes of it is rounding
WEAK = 1e-2  # of the smallest singular value at the start
NEIGHBOUR = 0.05  # how far neighbouring positions are, in radians or in sizes of the mechanism


@dataclass(frozen=True)
class Redundancy:
    """Redundant equations and freedoms of a system at its initial position.

    equations : numbers of redundant equations.   permanent : which of them are redundant in neighbouring positions, too.
    freedoms : speeds that can be chosen.
    motions : directions in which positions can be changed; they are more than the freedoms where constraints hold for speeds
        only.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> m.compile().redundancy
    Redundancy(equations=(), permanent=(), freedoms=1, motions=1)
    """

    equations: tuple[int, ...]
    permanent: tuple[int, ...]
    freedoms: int
    motions: int


def dependent_rows(system: Equations, found: Constraints, chosen: np.ndarray | None = None) -> list[int]:
    """Numbers of the equations that follow from the others, later ones rather than earlier ones."""
    rows = np.arange(len(found.g)) if chosen is None else np.flatnonzero(chosen)
    if not len(rows):
        return []
    if len(rows) * found.n_v * min(len(rows), found.n_v) > DENSE_WORK:
        return _dependent_sparse(system, found, rows)
    C = np.vstack([found.C[rows], mimic_rows(system)]) / speed_scales(system)
    length = np.linalg.norm(C, axis=1)
    own = np.arange(len(C)) < len(rows)
    empty = np.zeros(len(C), bool)
    empty[own] = length[own] <= TOLERANCE * np.maximum(found.size[rows], 1e-300)
    alive = np.flatnonzero(~empty)
    preferred = np.where(own[alive], 1.0 - 0.1 * alive / len(C), 2.0)  # earlier equations are kept, later ones are named
    left = alive[_left_over(C[alive] * (preferred / length[alive])[:, None])]
    return sorted(int(rows[k]) for k in (*np.flatnonzero(empty), *left) if own[k])


def _left_over(A: np.ndarray) -> np.ndarray:
    """Rows that depend on the others: Gram–Schmidt with the longest remaining row first."""
    if len(A) > FEW:
        from scipy.linalg import qr

        R, order = qr(A.T, mode="r", pivoting=True)
        return order[int((np.abs(np.diag(R)) > TOLERANCE).sum()) :]
    A, left = A.copy(), np.ones(len(A), bool)
    for _ in range(min(A.shape)):
        length = np.where(left, np.einsum("ij,ij->i", A, A), 0.0)
        k = int(np.argmax(length))
        if length[k] <= TOLERANCE**2:
            break
        left[k] = False
        unit = A[k] / np.sqrt(length[k])
        A -= np.outer(A @ unit, unit)
    return np.flatnonzero(left)


def _dependent_sparse(system: Equations, found: Constraints, rows: np.ndarray) -> list[int]:
    """The same for many equations: small pivots of C Cᵀ, shifted a little, in an LU factorization without row exchanges."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    C = found.sparse[rows] @ diags_array(1.0 / speed_scales(system))
    length = np.sqrt(np.asarray(C.multiply(C).sum(axis=1)).ravel())
    empty = length <= TOLERANCE * np.maximum(found.size[rows], 1e-300)
    C = diags_array(np.where(empty, 0.0, 1.0 / np.maximum(length, 1e-300))) @ C
    A = (C @ C.T + TOLERANCE**2 * diags_array(np.ones(len(rows)))).tocsc()
    factors = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    small = np.abs(factors.U.diagonal())[factors.perm_c] <= 100.0 * TOLERANCE**2
    return sorted(int(rows[k]) for k in np.flatnonzero(small | empty))


def find_redundancy(system: Equations) -> Redundancy:
    """Redundant equations and freedoms at the initial state."""
    y, mimics = system.y0, len(system.assembly.coordinates.mimics)
    if not system.constrained:
        return Redundancy((), (), system.n_v - mimics, system.n_v - mimics)
    found = constraints_at(system, y)
    here = dependent_rows(system, found)
    always = here
    if here and len(here) > len(found.g) - system.n_v:  # else no position can have a larger rank
        for neighbour in _neighbours(system, found, here):
            there = dependent_rows(system, constraints_at(system, neighbour))
            if len(there) < len(always):
                always = there
    rank = len(found.g) - len(always)
    freedoms = max(0, system.n_v - mimics - rank)
    speeds_only = int((~found.holonomic).sum())
    motions = freedoms
    if speeds_only:
        held = int(found.holonomic.sum()) - len(dependent_rows(system, found, found.holonomic))
        motions = system.n_v - mimics - held
    return Redundancy(tuple(here), tuple(always), freedoms, motions)


def _neighbours(system: Equations, found: Constraints, redundant: list[int]) -> list[np.ndarray]:
    """Two consistent positions near the initial one, along motions that the constraints allow to first order."""
    if len(found.g) * system.n_v * min(len(found.g), system.n_v) > DENSE_WORK:
        return []
    scale = speed_scales(system)
    C = np.vstack([found.C[found.holonomic], mimic_rows(system)]) / scale
    A = C @ C.T
    A += 1e-12 * max(float(np.trace(A)), 1e-300) * np.eye(len(A))
    states = []
    for seed in (1, 2):
        mix = np.random.default_rng(seed).normal(size=system.n_v)
        start = np.linalg.norm(mix)
        for _ in range(2):  # what the constraints hold is taken off; singular values would cost ten times as much
            mix -= C.T @ np.linalg.solve(A, C @ mix)
        if not np.linalg.norm(mix) > 1e-6 * start:
            return []
        step = NEIGHBOUR * mix / np.abs(mix).max() * size_of(system) / scale
        y = moved(system, found.y, step)
        out = np.zeros(8)
        for _ in range(3):
            call_once(PROJECTION.address, 0.0, y, out, system.table, system.params, system.work)
        if np.isfinite(y).all() and out[0] <= 1e-8:
            states.append(y)
    return states


def contradiction(system: Equations, found: Constraints, residual: np.ndarray) -> list[int]:
    """Equations that cannot hold together: those with the largest part in what no motion can change of the residual."""
    C, scaled = found.scaled(speed_scales(system)), residual / np.maximum(found.size, 1e-300)
    left = scaled - C @ np.linalg.lstsq(C, scaled, rcond=TOLERANCE)[0]
    worst = np.abs(left).max(initial=0.0)
    return [int(k) for k in np.flatnonzero(np.abs(left) > 0.1 * worst)] if worst > CONTRARY * np.abs(scaled).max() else []


def weakened_elements(system: Equations, y: np.ndarray, t: float) -> list[str]:
    """Elements that, near a state, are about to hold the same motion as others do, and did not at the start.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bead", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)))
    >>> _ = m.add(sr.Distance("left", "ground", "bead", at_a=(-1, 0, 0)), sr.Distance("right", "ground", "bead", at_a=(1, 0, 0)))
    >>> s = m.compile()
    >>> y = s.y0
    >>> y[2] = -1.0  # between the two ends
    >>> weakened_elements(s, y, 0.0)
    ['left', 'right']
    """
    found = constraints_at(system, y, t)
    if len(found.g) * system.n_v * max(len(found.g), system.n_v) > DENSE_WORK / 4 or not np.isfinite(found.values).all():
        return []
    start = np.linalg.svd(_unit_rows(system, constraints_at(system, system.y0)), compute_uv=False)
    rank = int((start > TOLERANCE * start.max(initial=1e-300)).sum())
    if not rank:
        return []
    U, s, _ = np.linalg.svd(_unit_rows(system, found))
    if s[rank - 1] / s[0] > WEAK * start[rank - 1] / start[0]:
        return []
    part = np.abs(U[:, rank - 1])
    return [e.name for e in system.assembly.elements if part[e.row : e.row + e.count].max(initial=0.0) > 0.3 * part.max()]


def _unit_rows(system: Equations, found: Constraints) -> np.ndarray:
    """C in lengths, every row divided by what its length would be if nothing in it cancelled."""
    return found.C / speed_scales(system) * size_of(system) / np.maximum(found.size, 1e-300)[:, None]
