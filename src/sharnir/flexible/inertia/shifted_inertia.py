"""The method of shifted rigid bodies: a mass matrix that is block diagonal, its moments single sums over the nodes.

Source: Yudakov 2012, §3; see docs/theory/flexible-bodies.md.
"""

from __future__ import annotations

import numpy as np

from sharnir.flexible.inertia.inertia_moments import TILDE, InertiaMoments, fields_of, rotation_fields
from sharnir.flexible.inertia.nodal_masses import NodalMasses


def shifted_moments(masses: NodalMasses, nodes: np.ndarray, shapes: np.ndarray, rotations: np.ndarray) -> InertiaMoments:
    """Moments of bodies at the nodes (n, 3); shapes and rotations of the nodes (n, 3, h).

    >>> pair = NodalMasses(np.ones(2), np.zeros((2, 3)), np.zeros((2, 3, 3)))
    >>> nodes, bend = np.array([[0.0, 0, 0], [1.0, 0, 0]]), np.zeros((2, 3, 1))
    >>> shifted_moments(pair, nodes, bend, bend).rr[0, 0, 1, 1]  # Σ m x²
    np.float64(1.0)
    """
    F, G = fields_of(nodes, shapes), rotation_fields(rotations)
    rr = np.einsum("bd,fg->bdfg", np.eye(3), F.T @ (masses.mass[:, None] * F))
    # m_rφ = -m s~
    moment = masses.mass[:, None] * masses.shift
    rp = np.zeros((3, 3, F.shape[1], G.shape[1]))
    for c in range(3):
        if moment[:, c].any():
            rp -= np.einsum("bd,fg->bdfg", TILDE[:, :, c], F.T @ (moment[:, c, None] * G))
    pp = np.zeros((3, 3, G.shape[1], G.shape[1]))
    for b in range(3):
        for d in range(b, 3):
            if masses.inertia[:, b, d].any():
                pp[b, d] = pp[d, b] = G.T @ (masses.inertia[:, b, d, None] * G)
    return InertiaMoments(rr, rp, pp)
