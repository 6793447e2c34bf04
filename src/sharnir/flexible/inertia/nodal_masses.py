"""The mass of a body as small rigid bodies at its nodes, their centres shifted from the nodes or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia, rigid_inertia

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel


@dataclass(frozen=True, eq=False)
class NodalMasses:
    """mass (n,), shift (n, 3) of each centre from its node, inertia (n, 3, 3) about the node; body axes.

    >>> pair = NodalMasses(np.ones(2), np.zeros((2, 3)), np.zeros((2, 3, 3)))
    >>> pair.rigid(np.array([[0.0, 0, 0], [2.0, 0, 0]])).center
    array([1., 0., 0.])
    """

    mass: np.ndarray
    shift: np.ndarray
    inertia: np.ndarray

    def blocks(self) -> np.ndarray:
        """(n, 6, 6) mass matrices of the nodes, [[m E, -m s~], [m s~, J]]."""
        n = len(self.mass)
        result = np.zeros((n, 6, 6))
        result[:, :3, :3] = self.mass[:, None, None] * np.eye(3)
        result[:, 3:, :3] = tildes(self.mass[:, None] * self.shift)
        result[:, :3, 3:] = -result[:, 3:, :3]
        result[:, 3:, 3:] = self.inertia
        return result

    def rigid(self, nodes: np.ndarray) -> RigidInertia:
        """Mass, centre and inertia of all together; nodes (n, 3)."""
        R = np.tile(np.eye(6), (len(nodes), 1, 1))
        R[:, :3, 3:] = -tildes(nodes)
        return rigid_inertia(np.einsum("kai,kab,kbj->ij", R, self.blocks(), R))


def tildes(vectors: np.ndarray) -> np.ndarray:
    """(n, 3, 3) cross-product matrices of (n, 3) vectors."""
    result = np.zeros((len(vectors), 3, 3))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[:, a, b], result[:, b, a] = -vectors[:, c], vectors[:, c]
    return result


def nodal_masses(model: FEModel) -> NodalMasses:
    """What the diagonal blocks of the mass matrix say about each node, all scaled by one factor to the total mass.

    Of a matrix that is block diagonal (lumped, or nodes tied rigidly before export) nothing is lost. Of a consistent one the
    diagonal gives masses that are always positive (Hinton, Rock, Zienkiewicz 1976), but a wrong rigid inertia.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> (nodal_masses(beam).mass / beam.rigid_inertia().mass).round(3)
    array([0.125, 0.25 , 0.25 , 0.25 , 0.125])
    """
    n = len(model.nodes)
    entries = model.mass.tocoo()
    rows, columns = model.freedoms[entries.coords[0]], model.freedoms[entries.coords[1]]
    own = rows[:, 0] == columns[:, 0]
    blocks = np.zeros((n, 6, 6))
    blocks[rows[own, 0], rows[own, 1], columns[own, 1]] = entries.data[own]
    present = np.zeros((n, 6), dtype=bool)
    present[model.freedoms[:, 0], model.freedoms[:, 1]] = True
    shifts = np.maximum(present[:, :3].sum(axis=1), 1)
    mass = np.trace(blocks[:, :3, :3], axis1=1, axis2=2) / shifts
    # [[m E, -m s~], [m s~, J]]: the skew part of the lower left block is the first moment
    moved = blocks[:, 3:, :3]
    moment = 0.5 * np.stack(
        [moved[:, 2, 1] - moved[:, 1, 2], moved[:, 0, 2] - moved[:, 2, 0], moved[:, 1, 0] - moved[:, 0, 1]], 1
    )
    shift = np.divide(moment, mass[:, None], out=np.zeros((n, 3)), where=mass[:, None] > 0.0)
    factor = model.rigid_inertia().mass / mass.sum()
    inertia = 0.5 * (blocks[:, 3:, 3:] + blocks[:, 3:, 3:].transpose(0, 2, 1))
    return NodalMasses(factor * mass, shift, factor * inertia)
