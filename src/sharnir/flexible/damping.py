"""Damping of elastic coordinates: of every mode by its ratio, or Rayleigh's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.errors import ModelError


@dataclass(frozen=True)
class Rayleigh:
    """D = stiffness · K + mass · M: factors in s and 1/s.

    >>> Rayleigh(stiffness=1e-4).mass
    0.0
    """

    stiffness: float = 0.0
    mass: float = 0.0

    def __post_init__(self) -> None:
        for key in ("stiffness", "mass"):
            if not getattr(self, key) >= 0.0:
                raise ModelError(f"Rayleigh: {key} = {getattr(self, key)} must not be negative", field=key)


def damping_matrix(damping: Any, stiffness: np.ndarray, mass: np.ndarray) -> np.ndarray | None:
    """(h, h) damping of ẅ M + ẇ D + K w: None, a ratio for all modes, one per mode (in ascending frequency), Rayleigh(…), or D.

    Ratios γ_k act on the modes Φ of K and M: D = M Φ diag(2 γ_k ω_k) Φᵀ M.

    >>> damping_matrix(0.01, np.diag([4.0, 9.0]), np.eye(2)).diagonal().round(6)
    array([0.04, 0.06])
    """
    if damping is None:
        return None
    h = len(stiffness)
    if isinstance(damping, Rayleigh):
        return damping.stiffness * stiffness + damping.mass * mass
    given = np.asarray(damping, dtype=float)
    if given.shape == (h, h) and given.ndim == 2:
        if (
            not np.allclose(given, given.T, rtol=1e-9, atol=0.0)
            or np.linalg.eigvalsh(given).min(initial=0.0) < -1e-9 * np.abs(given).max()
        ):
            raise ModelError("damping: the matrix must be symmetric and must not feed energy", field="damping")
        return given
    if given.ndim > 1 or (given.ndim == 1 and len(given) != h):
        raise ModelError(
            f"damping has the shape {given.shape}; give a ratio, {h} ratios, Rayleigh(…) or a ({h}, {h}) matrix", field="damping"
        )
    if not (given >= 0.0).all():
        raise ModelError(f"damping = {damping} must not be negative", field="damping")
    if h == 0:
        return np.zeros((0, 0))
    from scipy.linalg import eigh

    squares, modes = eigh(stiffness, mass)
    moved = mass @ modes
    return (moved * (2.0 * given * np.sqrt(np.maximum(squares, 0.0)))) @ moved.T
