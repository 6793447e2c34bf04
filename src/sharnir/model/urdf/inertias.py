"""Mass, centre of mass and inertia of a link. Many published robots have inertias that no real body can have."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.errors import ModelError
from sharnir.model.bodies.body import INERTIA_TOLERANCE, six
from sharnir.model.urdf.attributes import origin, scalar
from sharnir.model.urdf.urdf_notes import Notes

RULES = ("repair", "keep", "error")


def inertia_entries(inertial: Element, name: str, rule: str, notes: Notes) -> dict[str, Any]:
    """mass, com and inertia in link axes: J = R J_inertial Rᵀ."""
    frame = origin(inertial)
    J = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (scalar(J, f"i{pair}", 0.0) for pair in ("xx", "xy", "xz", "yy", "yz", "zz"))
    local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = None if frame.rotation is None else np.array(frame.rotation_matrix)
    mass = scalar(inertial.find("mass"), "value", 0.0)
    return {"mass": mass, "com": frame.position} | inertia_of(local, R, name, rule, notes)


def inertia_of(local: np.ndarray, R: np.ndarray | None, name: str, rule: str, notes: Notes) -> dict[str, Any]:
    """inertia in link axes from one in axes that are turned by R, as the rule says where no real body has it."""
    if not np.isfinite(local).all():
        raise ModelError(f"<inertia> of link {name!r} must hold finite numbers")
    wrong = unphysical_part(local) > INERTIA_TOLERANCE
    if wrong and rule == "repair":
        nearest = nearest_physical(local)
        what = 'inertias that no real body has were replaced by the nearest possible ones (inertia="keep" uses them as they are)'
        notes.add(what, f"link {name!r}, principal moments {_moments(local)} → {_moments(nearest)} kg m²")
        local = nearest
    if wrong and rule == "keep":
        notes.add(
            "inertias that no real body has are used as they are", f"link {name!r}, principal moments {_moments(local)} kg m²"
        )
    turned = local if R is None else R @ local @ R.T
    return {"inertia": six(0.5 * (turned + turned.T))} | ({"any_inertia": True} if wrong and rule == "keep" else {})


def unphysical_part(J: np.ndarray) -> float:
    """How far the least eigenvalue of the second moments of mass, S = ½ tr(J) 1 - J, is below zero, relative to J.

    >>> float(unphysical_part(np.diag([1.0, 1.0, 3.0])).round(3))
    0.167
    """
    return -np.linalg.eigvalsh(second_moments(J)).min() / max(np.abs(J).max(), 1e-300)


def second_moments(J: np.ndarray) -> np.ndarray:
    """∫ x xᵀ dm of an inertia J = ∫ (xᵀx 1 - x xᵀ) dm."""
    return 0.5 * np.trace(J) * np.eye(3) - J


def nearest_physical(J: np.ndarray) -> np.ndarray:
    """The inertia of the nearest second moments (Frobenius norm) without negative eigenvalues.

    >>> np.linalg.eigvalsh(nearest_physical(np.diag([1.0, 1.0, 3.0]))).round(6).tolist()
    [1.5, 1.5, 3.0]
    """
    values, vectors = np.linalg.eigh(second_moments(J))
    S = (vectors * np.clip(values, 0.0, None)) @ vectors.T
    return np.trace(S) * np.eye(3) - S


def _moments(J: np.ndarray) -> str:
    return ", ".join(f"{value:.4g}" for value in np.linalg.eigvalsh(J))
