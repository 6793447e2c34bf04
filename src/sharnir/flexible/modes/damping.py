"""Damping of a flexible body: of every mode by its ratio, or Rayleigh's.

A force -β M on the motion of a body must say against what it brakes. Against the ground it holds for all mountings, and it is a
drag that slows the whole body down. Against a frame that moves with the body it is a damping of deformation alone; what it does
to a mode then depends on that frame: the mean motion of a free body, or an interface where the body is clamped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import advising, fail, number, numbers, shown
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.flexible.reduced_model import ReducedModel


@advising
@dataclass(frozen=True)
class Rayleigh:
    """D = stiffness · K + mass · M, factors in s and 1/s: ratios (stiffness · ω + mass / ω) / 2.

    against : what the velocities of the mass term are relative to. "ground": as in FE programs, absolute speeds; ratios hold
        however the body is mounted, and its rigid motion is damped as well. "body": speeds relative to the body's frame, which
        in `reduce` moves as the body does on average. The name of an interface: speeds relative to it, right for a body clamped
        there to whatever moves.

    >>> Rayleigh(stiffness=1e-4).mass
    0.0
    """

    stiffness: float = 0.0
    mass: float = 0.0
    against: str = "ground"

    def __post_init__(self) -> None:
        for key in ("stiffness", "mass"):
            number(getattr(self, key), "Rayleigh", key, low=0)
        if not isinstance(self.against, str):
            fail("Rayleigh", "against", f"= {shown(self.against)} must be 'ground', 'body' or the name of an interface")


@advising
@dataclass(frozen=True)
class ModalDamping:
    """Parts of critical damping: one for all modes, or one per mode in order of frequency.

    ratio : one number, or a sequence of them.
    at : the interface at which these modes are clamped; None: modes of the body's frame at rest, in `reduce` of the free body.

    >>> ModalDamping(0.02, at="root")
    ModalDamping(ratio=0.02, at='root')
    """

    ratio: float | Sequence[float]
    at: str | None = None

    def __post_init__(self) -> None:
        numbers(self.ratio, "ModalDamping", "ratio")
        if not (self.at is None or isinstance(self.at, str)):
            fail("ModalDamping", "at", f"= {shown(self.at)} must be the name of an interface")


def damped(body: ReducedModel, damping: Any) -> ReducedModel:
    """The body with the damping that `reduce` was asked for."""
    if isinstance(damping, Rayleigh) and damping.against == "ground":
        return replace(body, damping=damping.stiffness * body.stiffness, drag=damping.mass)
    if isinstance(damping, Rayleigh):
        frame = None if damping.against == "body" else damping.against
    else:
        frame = damping.at if isinstance(damping, ModalDamping) else None
    mass = body.inertia.J_ww if frame is None else held_mass(body, frame)
    return replace(body, damping=damping_matrix(damping, body.stiffness, mass))


def held_mass(body: ReducedModel, name: str) -> np.ndarray:
    """(h, h) mass of the shapes less the rigid motion of an interface: that of the body when it is clamped there."""
    away = np.vstack([-body.rigid_motion(name), np.eye(body.count)])
    found: np.ndarray = away.T @ body.inertia.matrix(np.zeros(body.count)) @ away
    return found


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
    modal = isinstance(damping, ModalDamping)
    given = numbers(damping.ratio if modal else damping, "reduce", "damping")
    if given.shape == (h, h) and not modal:
        return _checked(given)
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
    found: np.ndarray | None = (moved * (2.0 * given * np.sqrt(np.maximum(squares, 0.0)))) @ moved.T
    return found


def _checked(given: np.ndarray) -> np.ndarray:
    symmetric = np.allclose(given, given.T, rtol=1e-9, atol=0.0)
    if not symmetric or np.linalg.eigvalsh(given).min(initial=0.0) < -1e-9 * np.abs(given).max(initial=0.0):
        raise ModelError("damping: the matrix must be symmetric and positive semi-definite", field="damping")
    return given
