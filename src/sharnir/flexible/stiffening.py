"""Geometric stiffening of bodies made of beams: stiffness that axial forces of inertia loads add, as in a beam that spins.

Linear shapes do not know that a bent beam is shorter. Its axial force N does work on this shortening, ½ ∫ N v'² dx, which is a
stiffness in proportion to N. Inertia loads, and so N, are linear in 12 numbers: the acceleration of the frame (3), its angular
acceleration (3) and the products of angular velocities (6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.craig_bampton import interface_rows
from sharnir.flexible.factorization import factorize

if TYPE_CHECKING:
    from sharnir.flexible.fe_model import FEModel

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # ω_a ω_b


@dataclass(frozen=True, eq=False)
class Stiffening:
    """Geometric stiffness of a body held at `support`: matrices (12, 6 + h, 6 + h) on rigid motions and shapes, per unit of load.

    Loads: acceleration x y z of the frame's origin less gravity, angular acceleration x y z, then ω_x², ω_y², ω_z², ω_x ω_y,
    ω_x ω_z, ω_y ω_z, all in body axes.

    >>> Stiffening("root", np.ones((12, 7, 7))).stiffness([0, 0, 0], [0, 0, 0], [0, 0, 2.0])
    array([[4.]])
    """

    support: str
    matrices: np.ndarray

    def stiffness(self, acceleration: np.ndarray, alpha: np.ndarray, omega: np.ndarray) -> np.ndarray:
        """(h, h) to be added to the stiffness: acceleration of the origin less gravity, angular acceleration and velocity."""
        load = np.concatenate([acceleration, alpha, [omega[a] * omega[b] for a, b in PAIRS]])
        return np.einsum("n,nij->ij", load, self.matrices[:, 6:, 6:])

    def shifted(self, rigid: np.ndarray) -> Stiffening:
        """For the shapes H - R S, with S = `rigid` (6, h)."""
        change = np.eye(self.matrices.shape[1])
        change[:6, 6:] = -rigid
        return replace(self, matrices=change.T @ self.matrices @ change)


def stiffening(model: FEModel, support: str, node: int, shapes: np.ndarray, solver: str | None = None) -> Stiffening:
    """The geometric stiffness of a frame of beams that is held at one node (row) and moves in any way.

    shapes : (N, h). The axial forces are those of the linear model under inertia loads, with the support held.
    """
    held = interface_rows(model, [node])
    if len(held) < 6 or (model.freedoms[:, 1] < 3).all() or len(model.lines) == 0 or len(model.faces):
        raise ModelError(
            f"{model.name!r}: stiffening is computed for beams only, held at a node of six freedoms", field="stiffening"
        )
    inner = np.setdiff1d(np.arange(model.size), held)
    factor = factorize(model.stiffness[inner][:, inner], solver)
    u = np.zeros((model.size, 12))
    u[inner] = -factor.solve((model.mass @ _acceleration_fields(model))[inner])
    factor.free()
    force = axial_forces(model, u)
    motions = np.column_stack([model.rigid_motions(), shapes])
    return Stiffening(support, np.stack([geometric_product(model, motions, force[:, n]) for n in range(12)]))


def _acceleration_fields(model: FEModel) -> np.ndarray:
    """(N, 12) accelerations of all freedoms for unit loads: linear, angular, and ω × (ω × ρ) for ω_a ω_b."""
    fields = np.zeros((model.size, 12))
    fields[:, :6] = model.rigid_motions()
    node, component = model.freedoms.T
    shifts = np.flatnonzero(component < 3)
    rho, axis = model.nodes[node[shifts]], component[shifts]
    here = rho[np.arange(len(shifts)), axis]
    for n, (a, b) in enumerate(PAIRS):
        if a == b:  # e_a ρ_a - ρ
            fields[shifts, 6 + n] = np.where(axis == a, 0.0, -here)
        else:  # e_a ρ_b + e_b ρ_a
            fields[shifts, 6 + n] = np.where(axis == a, rho[:, b], 0.0) + np.where(axis == b, rho[:, a], 0.0)
    return fields


def _elements(model: FEModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(e, 3) axes and (e,) lengths of the beams, and (e, 2, 6) their rows of freedoms."""
    a, b = model.lines.T
    span = model.nodes[b] - model.nodes[a]
    length = np.linalg.norm(span, axis=1)
    rows = np.full((len(model.nodes), 6), -1, dtype=np.int64)
    rows[model.freedoms[:, 0], model.freedoms[:, 1]] = np.arange(model.size)
    if (rows[model.lines] < 0).any():
        raise ModelError(f"{model.name!r}: stiffening needs beams whose nodes have six freedoms, untied", field="stiffening")
    return span / length[:, None], length, rows[model.lines]


def axial_forces(model: FEModel, u: np.ndarray) -> np.ndarray:
    """(e, loads) axial forces of the beams at displacements u (N, loads); pull is positive.

    The stiffness EA/L of a beam is read from the matrix: one element joins two nodes, and its block there has -EA/L along it.
    """
    axis, _, rows = _elements(model)
    first, second = rows[:, 0, :3], rows[:, 1, :3]
    block = np.empty((len(axis), 3, 3))
    for i in range(3):
        for j in range(3):
            block[:, i, j] = np.asarray(model.stiffness[first[:, i], second[:, j]]).ravel()
    EA_L = -np.einsum("ea,eab,eb->e", axis, block, axis)
    stretch = np.einsum("ea,eal->el", axis, u[second] - u[first])
    return EA_L[:, None] * stretch


def geometric_product(model: FEModel, motions: np.ndarray, force: np.ndarray) -> np.ndarray:
    """motionsᵀ K_G motions for axial forces (e,): ∫ N v'² dx with cubic deflections in both planes across every beam."""
    axis, length, rows = _elements(model)
    result = np.zeros((motions.shape[1], motions.shape[1]))
    for e in np.flatnonzero(force):
        L, t = length[e], axis[e]
        across = np.eye(3) - np.outer(t, t)
        move, turn = motions[rows[e][:, :3]], motions[rows[e][:, 3:]]
        # deflections at both ends and slopes θ × t, three components of which the one along the beam vanishes
        slope = np.cross(turn.transpose(0, 2, 1), t).transpose(0, 2, 1)
        ends = np.stack([across @ move[0], slope[0], across @ move[1], slope[1]])
        K = np.array(
            [
                [36, 3 * L, -36, 3 * L],
                [3 * L, 4 * L**2, -3 * L, -(L**2)],
                [-36, -3 * L, 36, -3 * L],
                [3 * L, -(L**2), -3 * L, 4 * L**2],
            ]
        )
        result += force[e] / (30.0 * L) * np.einsum("pai,pq,qaj->ij", ends, K, ends, optimize=True)
    return result
