"""Geometric stiffness of beams under axial and shear forces, bending moments and torque.

The exact strains of a rod with displacement u and rotation vector θ, Γ = Rᵀ r' - e and κ = axial(Rᵀ R'), have the second-order
parts  e·Γ₂ = ½ v'²,  Γ₂⊥ = -½ φ e × v',  κ₂ = -½ θ × θ'  where sections stay across the axis e: v' = θ × e, φ = θ·e. Forces N, V
and moments M, T of a load do the work ½ K on them,

    K = ∫ N v'² - φ V·(e × v') + M·(φ v'' - φ' v') - T e·(v' × v'') dx.

Along a beam, deflections v are cubic, the twist φ is linear, forces are constant, moments linear: three Gauss points are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

GAUSS = ((0.5 - np.sqrt(0.15), 5 / 18), (0.5, 4 / 9), (0.5 + np.sqrt(0.15), 5 / 18))  # places along a beam, weights


class Beams(NamedTuple):
    """All beams of a model: (e, 3) axes, (e,) lengths, (e, 2, 6) rows of their freedoms."""

    axis: np.ndarray
    length: np.ndarray
    rows: np.ndarray


class SectionForces(NamedTuple):
    """What the part behind a section does to the part before it, by load: (e, 3, loads) force, moments at both ends."""

    force: np.ndarray
    first: np.ndarray
    last: np.ndarray


def beams_of(model: FEModel) -> Beams:
    """Axes, lengths and freedoms of the beams; other nodes than those of six freedoms are refused."""
    a, b = model.lines.T
    span = model.nodes[b] - model.nodes[a]
    length = np.linalg.norm(span, axis=1)
    rows = np.full((len(model.nodes), 6), -1, dtype=np.int64)
    rows[model.freedoms[:, 0], model.freedoms[:, 1]] = np.arange(model.size)
    if (rows[model.lines] < 0).any():
        raise ModelError(f"{model.name!r}: stiffening needs beams whose nodes have six freedoms, untied", field="stiffening")
    return Beams(span / length[:, None], length, rows[model.lines])


def section_forces(model: FEModel, beams: Beams, u: np.ndarray) -> SectionForces:
    """Forces and moments in the beams at displacements u (N, loads).

    The forces on the first end are K₁₁ u₁ + K₁₂ u₂. K₁₂ is read from the matrix of the model, where one beam joins two nodes;
    rigid motions need no force, so K₁₁ = -K₁₂ T with the rigid motion T from the first end to the second.
    """
    axis, length, rows = beams
    block = np.empty((len(axis), 6, 6))
    for i in range(6):
        for j in range(6):
            block[:, i, j] = np.asarray(model.stiffness[rows[:, 0, i], rows[:, 1, j]]).ravel()
    span = (axis * length[:, None])[:, :, None]
    change = u[rows[:, 1]] - u[rows[:, 0]]
    change[:, :3] -= np.cross(u[rows[:, 0, 3:]], span, axis=1)
    on_first = np.einsum("eij,ejl->eil", block, change)
    force, moment = -on_first[:, :3], -on_first[:, 3:]
    return SectionForces(force, moment, moment - np.cross(span, force, axis=1))


def geometric_products(beams: Beams, motions: np.ndarray, forces: SectionForces) -> np.ndarray:
    """(loads, m, m) motionsᵀ K motions for the forces of every load."""
    m, loads = motions.shape[1], forces.force.shape[2]
    K = np.zeros((loads, m, m))
    for place, weight in GAUSS:
        fields = _fields(beams, motions, place)
        moment = (1.0 - place) * forces.first + place * forces.last
        for k in range(loads):
            S = _second_order_work(beams.axis, forces.force[:, :, k], moment[:, :, k])
            bent = np.einsum("eij,ejm->eim", S, fields) * (weight * beams.length)[:, None, None]
            K[k] += fields.reshape(-1, m).T @ bent.reshape(-1, m)
    return 0.5 * (K + K.transpose(0, 2, 1))


def _fields(beams: Beams, motions: np.ndarray, x: float) -> np.ndarray:
    """(e, 8, m) v', v'', φ, φ' at a place 0 … 1 along the beams."""
    axis, L, rows = beams.axis, beams.length[:, None, None], beams.rows
    move, turn = motions[rows[:, :, :3]], motions[rows[:, :, 3:]]
    move = move - np.einsum("ea,eb,epbi->epai", axis, axis, move)
    slope = np.cross(turn, axis[:, None, :, None], axis=2)
    twist = np.einsum("ea,epai->epi", axis, turn)[:, :, None]
    rise = (move[:, 1] - move[:, 0]) / L
    v1 = (1 - 4 * x + 3 * x**2) * slope[:, 0] + (3 * x**2 - 2 * x) * slope[:, 1] + 6 * x * (1 - x) * rise
    v2 = ((6 * x - 4) * slope[:, 0] + (6 * x - 2) * slope[:, 1] + (6 - 12 * x) * rise) / L
    return np.concatenate([v1, v2, (1 - x) * twist[:, 0] + x * twist[:, 1], (twist[:, 1] - twist[:, 0]) / L], axis=1)


def _second_order_work(axis: np.ndarray, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """(e, 8, 8) the integrand of K as a form of (v', v'', φ, φ'); its symmetric part counts."""
    S = np.zeros((len(axis), 8, 8))
    S[:, range(3), range(3)] = np.einsum("ea,ea->e", axis, force)[:, None]
    S[:, 6, :3] = -np.cross(force, axis)  # V·(e × v') = (V × e)·v'
    S[:, 6, 3:6] = moment
    S[:, 7, :3] = -moment
    torque = np.einsum("ea,ea->e", axis, moment)[:, None] * axis
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # -T·(v' × v'')
        S[:, a, 3 + b] = -torque[:, c]
        S[:, b, 3 + a] = torque[:, c]
    return S
