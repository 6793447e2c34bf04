"""Deformations that move no mass: of few nodes, repair may take all rotary inertia away, and twist then moves nothing."""

from __future__ import annotations

import warnings

import numpy as np

from sharnir.errors import ModelWarning
from sharnir.flexible.inertia.modal_inertia import ModalInertia

NO_MASS = 1e-12  # of a deformation, relative to what its shapes have one by one
REMEDY = 'reduce it with inertia="general" or "shifted", or a finer mesh'


def massless_shapes(inertia: ModalInertia) -> int:
    """How many combinations of shapes, with the rigid motion that suits them best, have no kinetic energy.

    >>> massless_shapes(ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3)))
    0
    """
    M, h = inertia.matrix(np.zeros(inertia.count)), inertia.count
    if h == 0:
        return 0
    left = M[6:, 6:] - M[6:, :6] @ np.linalg.pinv(M[:6, :6], hermitian=True) @ M[:6, 6:]
    scale = np.sqrt(np.maximum(np.diagonal(M)[6:], np.finfo(float).tiny))
    return int((np.linalg.eigvalsh(left / np.outer(scale, scale)) < NO_MASS).sum())


def warn_of_massless_shapes(name: str, method: str, inertia: ModalInertia) -> None:
    """A ModelWarning if there are any."""
    count = massless_shapes(inertia)
    if count:
        warnings.warn(
            f"{name!r}: {count} of {inertia.count} deformations move no mass with inertia = {method!r}, so the free body has a "
            f"singular mass matrix; {REMEDY}",
            ModelWarning,
            stacklevel=4,
        )
