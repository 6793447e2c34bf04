"""Interfaces: nodes of a flexible body where joints and forces attach; rotations of nodes that have only shifts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.arguments import advising
from sharnir.flexible.inertia.nodal_masses import tildes

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel


@advising
@dataclass(frozen=True, eq=False)
class Interface:
    """A node with a name, to which joints and forces attach.

    node : its row in the table of nodes.   position (3,) : where it is in the undeformed body [m].
    shape (6, h) : shifts and rotations of the node per elastic coordinate.
    turns : True if the node has rotations of its own; at nodes of solids, which have none, the rotation is that of the nearest
        nodes around (least squares), and a tie is better.

    >>> from sharnir.flexible import Section, reduce, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> tip = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2).interface("tip")
    >>> tip.node, tip.shape.shape
    (4, (6, 8))
    """

    name: str
    node: int
    position: np.ndarray
    shape: np.ndarray
    turns: bool = True


def fitted_rotations(model: FEModel, shapes: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(len(nodes), 3, h) mean rotations of the surroundings of some nodes, from the shifts (n, 3, h) of those coupled to them.

    θ minimizes Σ |u_l - u_k - θ × (ρ_l - ρ_k)|² over the neighbours l of node k.
    """
    n, h = len(model.nodes), shapes.shape[2]
    asked = np.zeros(n, dtype=bool)
    asked[nodes] = True
    rows = np.flatnonzero(asked[model.freedoms[:, 0]])
    entries = model.stiffness[rows].tocoo()
    a, b = model.freedoms[rows[entries.coords[0]], 0], model.freedoms[entries.coords[1], 0]
    a, b = np.divmod(np.unique(a[a != b] * n + b[a != b]), n)
    arm = model.nodes[b] - model.nodes[a]
    square = -tildes(arm) @ tildes(arm)
    normal = np.zeros((n, 3, 3))
    right = np.zeros((n, 3))
    np.add.at(normal, a, square)
    inverse = np.linalg.pinv(normal[nodes], rcond=1e-9, hermitian=True)
    result = np.empty((len(nodes), 3, h))
    for i in range(h):  # shape by shape: memory stays that of one
        right[:] = 0.0
        moment = np.cross(arm, shapes[b, :, i] - shapes[a, :, i])
        for c in range(3):
            right[:, c] = np.bincount(a, moment[:, c], n)
        result[:, :, i] = np.einsum("kab,kb->ka", inverse, right[nodes])
    return result
