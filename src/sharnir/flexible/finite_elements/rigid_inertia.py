"""Mass, centre and inertia tensor from the 6×6 inertia of a rigid motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.errors import ModelError


@dataclass(frozen=True)
class RigidInertia:
    """Inertia of a body that moves rigidly.

    mass : [kg].   center (3,) : in its frame [m].   inertia (3, 3) : about the centre in its axes [kg m²].
    asymmetry : how far the 6×6 matrix is from that of a rigid body, relative to its entries; large where freedoms are missing.

    >>> RigidInertia(2.0, np.zeros(3), np.eye(3)).asymmetry
    0.0
    """

    mass: float
    center: np.ndarray
    inertia: np.ndarray
    asymmetry: float = 0.0


def tilde(a: np.ndarray) -> np.ndarray:
    """(3, 3) matrix of the cross product: tilde(a) @ b = a × b.

    >>> tilde(np.array([1.0, 0, 0])) @ [0, 1, 0]
    array([0., 0., 1.])
    """
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rigid_inertia(matrix: np.ndarray) -> RigidInertia:
    """The RigidInertia of a matrix [[m E, -m c~], [m c~, J]] about the frame's origin (c: centre).

    >>> found = rigid_inertia(np.diag([2.0, 2, 2, 5, 6, 7]))
    >>> found.mass, found.inertia.diagonal()
    (2.0, array([5., 6., 7.]))
    """
    matrix = 0.5 * (matrix + matrix.T)
    mass = _mean_mass(matrix)
    moved = matrix[3:, :3]
    vector = 0.5 * np.array([moved[2, 1] - moved[1, 2], moved[0, 2] - moved[2, 0], moved[1, 0] - moved[0, 1]])
    center = vector / mass
    square = tilde(center)
    inertia = matrix[3:, 3:] + mass * square @ square
    ideal = np.block([[mass * np.eye(3), -mass * square], [mass * square, matrix[3:, 3:]]])
    # lengths and masses mix: compare entries after scaling by the diagonal
    scale = np.sqrt(np.maximum(np.diagonal(ideal), np.finfo(float).tiny))
    asymmetry = float(np.max(np.abs((matrix - ideal) / np.outer(scale, scale))[:3]))
    return RigidInertia(mass, center, inertia, asymmetry)


def _mean_mass(matrix: np.ndarray) -> float:
    """The mass that shifts show: the mean over the directions that carry mass (a planar or one-dimensional model has fewer)."""
    diagonal = np.diagonal(matrix)[:3]
    carrying = diagonal[diagonal > 1e-9 * max(diagonal.max(), 0.0)]
    if len(carrying) == 0 or diagonal.max() <= 0:
        raise ModelError(
            f"mass matrix: translations of the whole body have no mass (Rᵀ M R has the diagonal {np.diagonal(matrix)})",
            field="mass",
        )
    return float(np.mean(carrying))
