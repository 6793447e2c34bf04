"""The textbook method: rigid bodies centred at the nodes, 11 constant matrices (Yudakov 2012, §4)."""

from __future__ import annotations

import numpy as np

from sharnir.flexible.inertia.modal_inertia import ModalInertia
from sharnir.flexible.inertia.nodal_masses import NodalMasses, tildes


def unshifted_matrices(
    masses: NodalMasses, nodes: np.ndarray, shapes: np.ndarray, rotations: np.ndarray
) -> dict[str, np.ndarray]:
    """I_m, I_ρ, I_H, I_JH, I_ρρ, I_J, I_ρhi, I_hihj, I_ρH, I_hiH, I_HH by name; shifts of the masses are not looked at.

    >>> one = NodalMasses(np.array([2.0]), np.zeros((1, 3)), np.eye(3)[None])
    >>> found = unshifted_matrices(one, np.array([[1.0, 0, 0]]), np.zeros((1, 3, 0)), np.zeros((1, 3, 0)))
    >>> len(found), found["ρ"]
    (11, array([2., 0., 0.]))
    """
    m, J = masses.mass, masses.inertia
    rho = tildes(nodes)
    h = shapes.shape[2]
    hats = np.stack([tildes(shapes[:, :, i]) for i in range(h)]) if h else np.zeros((0, len(nodes), 3, 3))
    return {
        "m": m.sum() * np.eye(3),
        "ρ": m @ nodes,
        "H": np.einsum("k,kai->ai", m, shapes),
        "JH": np.einsum("kab,kbi->ai", J, rotations),
        "ρρ": np.einsum("k,kab,kbc->ac", m, rho, rho),
        "J": J.sum(axis=0),
        "ρhi": np.einsum("kab,ikbc->iac", m[:, None, None] * rho, hats),
        "hihj": np.einsum("ikab,jkbc->ijac", m[:, None, None] * hats, hats, optimize=True),
        "ρH": np.einsum("kab,kbj->aj", m[:, None, None] * rho, shapes),
        "hiH": np.einsum("ikab,kbj->iaj", m[:, None, None] * hats, shapes, optimize=True),
        "HH": np.einsum("k,kai,kaj->ij", m, shapes, shapes, optimize=True)
        + np.einsum("kai,kab,kbj->ij", rotations, J, rotations, optimize=True),
    }


def unshifted_inertia(masses: NodalMasses, nodes: np.ndarray, shapes: np.ndarray, rotations: np.ndarray) -> ModalInertia:
    """The polynomials of the 11 matrices: J_rφ = -(I_ρ + Σ I_H,i w_i)~, J_φφ = I_J - I_ρρ - …, J_φw = I_ρH + I_JH + Σ I_hiH w_i.

    >>> one = NodalMasses(np.array([2.0]), np.zeros((1, 3)), np.eye(3)[None])
    >>> unshifted_inertia(one, np.array([[1.0, 0, 0]]), np.zeros((1, 3, 0)), np.zeros((1, 3, 0))).P0.diagonal()
    array([1., 3., 3.])
    """
    I = unshifted_matrices(masses, nodes, shapes, rotations)
    second = -0.5 * (I["hihj"] + I["hihj"].transpose(1, 0, 2, 3))
    return ModalInertia(
        J_rr=I["m"],
        R0=-tildes(I["ρ"][None])[0],
        R=-tildes(I["H"].T),
        J_rw=I["H"],
        P0=I["J"] - I["ρρ"],
        P=-(I["ρhi"] + I["ρhi"].transpose(0, 2, 1)),
        P2=0.5 * (second + second.transpose(0, 1, 3, 2)),
        Q0=I["ρH"] + I["JH"],
        Q=I["hiH"],
        J_ww=I["HH"],
    )
