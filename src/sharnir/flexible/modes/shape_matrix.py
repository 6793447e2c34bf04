"""Step 5 of Craig–Bampton: shapes that are orthonormal in mass and diagonal in stiffness, without rigid motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

DEPENDENT = 1e-12  # eigenvalue of the mass of scaled shapes below which they are combinations of others
NOISE = 1e-20  # mass of what is left of a rigid motion when it is taken out, relative
RIGID = 1e-7  # stiffness of a rigid motion relative to that of shapes


@dataclass(frozen=True, eq=False)
class Shapes:
    """Columns of displacements of all freedoms and what they do to the matrices.

    matrix (N, h); stiffness (h, h) = Hᵀ K H; mass (h, h) = Hᵀ M H; frequencies (h,) Hz of the two; dropped: columns left out as
    combinations of others or of rigid motions. Of the normal modes with fixed interfaces, if there are any: fixed_frequencies
    (Hz); effective_masses (modes, 6) for shifts and rotations about the frame's origin; effective_total (6,) of all.
    """

    matrix: np.ndarray
    stiffness: np.ndarray
    mass: np.ndarray
    frequencies: np.ndarray
    dropped: int = 0
    fixed_frequencies: np.ndarray | None = None
    effective_masses: np.ndarray | None = None
    effective_total: np.ndarray | None = None


def free_of_ground(model: FEModel) -> bool:
    """True if a rigid motion of the model costs no energy."""
    R = scaled_rigid(model)
    energy = np.einsum("ij,ij->j", R, model.stiffness @ R)
    size = np.einsum("ij,ij->j", R, model.stiffness.diagonal()[:, None] * R)
    return bool((np.abs(energy) <= RIGID * np.maximum(size, np.finfo(float).tiny)).all())


def scaled_rigid(model: FEModel) -> np.ndarray:
    """(N, 6) rigid motions about the middle of the nodes; rotations move the farthest node by one."""
    R = model.rigid_motions()
    middle = 0.5 * (model.nodes.max(axis=0) + model.nodes.min(axis=0))
    reach = max(float(np.linalg.norm(model.nodes - middle, axis=1).max()), np.finfo(float).tiny)
    x, y, z = middle
    # e_j × (ρ - middle) = e_j × ρ + tilde(middle) e_j
    arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R[:, 3:] = (R[:, 3:] + R[:, :3] @ arm) / reach
    return R


def diagonal_shapes(model: FEModel, columns: np.ndarray, free: bool) -> Shapes:
    """Combinations of the columns that are orthonormal in mass, diagonal in stiffness and, for a free body, without rigid motion.

    Rigid motions are taken out before the eigenvalues are sought (not by looking for small ones): M-orthogonal to them.
    """
    size = np.einsum("ij,ij->j", columns, model.mass @ columns)
    if free:
        R = rigid_basis(model)
        columns = columns - R @ ((model.mass @ R).T @ columns)
    M = _symmetric(columns.T @ (model.mass @ columns))
    K = _symmetric(columns.T @ (model.stiffness @ columns))
    basis = _independent(M, size)
    values, vectors = np.linalg.eigh(_symmetric(basis.T @ K @ basis))
    values, h = np.maximum(values, 0.0), len(values)
    matrix = columns @ (basis @ vectors)
    return Shapes(matrix, np.diag(values), np.eye(h), np.sqrt(values) / (2.0 * np.pi), dropped=columns.shape[1] - h)


def given_shapes(model: FEModel, columns: np.ndarray, free: bool) -> Shapes:
    """The columns themselves as shapes, elastic coordinates are their amplitudes; independent, also of rigid motions."""
    K, M = _symmetric(columns.T @ (model.stiffness @ columns)), _symmetric(columns.T @ (model.mass @ columns))
    scale = np.sqrt(np.maximum(np.diagonal(M), np.finfo(float).tiny))
    values = np.linalg.eigvalsh(M / np.outer(scale, scale))
    if len(values) and values[0] < DEPENDENT:
        raise ModelError(
            f"{model.name!r}: the {len(M)} shapes are linearly dependent or move no mass; remove one of them", field="shapes"
        )
    if free and len(M):
        R = rigid_basis(model)
        coupling = (model.mass @ R).T @ columns
        if np.linalg.eigvalsh((M - coupling.T @ coupling) / np.outer(scale, scale))[0] < DEPENDENT:
            message = "a combination of the shapes is a rigid motion; shapes must deform the body"
            raise ModelError(f"{model.name!r}: {message}", field="shapes")
    squares = _generalized(K, M)
    return Shapes(columns, K, M, np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi))


def frequencies_of(stiffness: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Natural frequencies, Hz, in ascending order.

    >>> frequencies_of(np.diag([4.0, 1.0]) * np.pi**2, np.eye(2))
    array([0.5, 1. ])
    """
    return np.sqrt(np.maximum(_generalized(stiffness, mass), 0.0)) / (2.0 * np.pi)


def _generalized(K: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Eigenvalues of K y = λ M y, ascending."""
    if not len(K):
        return np.zeros(0)
    from scipy.linalg import eigh

    return eigh(K, M, eigvals_only=True)


def rigid_basis(model: FEModel) -> np.ndarray:
    """(N, r) rigid motions that are orthonormal in mass; r < 6 where a rotation moves no mass (points on a line)."""
    R = scaled_rigid(model)
    M = R.T @ (model.mass @ R)
    values, vectors = np.linalg.eigh(_symmetric(M))
    good = values > 1e-12 * values[-1]
    return R @ (vectors[:, good] / np.sqrt(values[good]))


def _independent(M: np.ndarray, size: np.ndarray) -> np.ndarray:
    """A basis, orthonormal in M, of what the columns really span; `size`: their mass before rigid motion was taken out.

    Columns that were rigid motions are noise now (below NOISE of their size); the others are scaled to one before they are
    compared, so that a small deformation beside a large rigid motion, as of two interfaces close together, is kept.
    """
    left = np.diagonal(M)
    scale = np.where(left > NOISE * size, 1.0 / np.sqrt(np.maximum(left, np.finfo(float).tiny)), 0.0)
    values, vectors = np.linalg.eigh(M * np.outer(scale, scale))
    good = values > DEPENDENT
    return scale[:, None] * (vectors[:, good] / np.sqrt(values[good]))


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return 0.5 * (matrix + matrix.T)
