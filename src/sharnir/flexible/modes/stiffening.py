"""Geometric stiffening of bodies made of beams: a bent beam is shorter, and loads along it do work on that.

Linear shapes do not know it. A deflection v shortens a beam by ½ ∫ v'² dx, and turns where it also twists; what this moves all
over the body, held at one node, is a displacement u₂ that is quadratic in the elastic coordinates. It is never computed: for any
load F, F·u₂ = -½ wᵀ K w with the geometric stiffness K of this load (reciprocity), and that is all that the equations need of u₂.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.rigid_inertia import tilde
from sharnir.flexible.linear_algebra.factorization import factorize
from sharnir.flexible.modes.craig_bampton import interface_rows
from sharnir.flexible.modes.geometric_stiffness import beams_of, geometric_products, section_forces

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # ω_a ω_b


@dataclass(frozen=True, eq=False)
class Stiffening:
    """What the equations need of the second-order displacement u₂ of a body, which is zero at the interface `support`.

    matrices : (12, 6 + h, 6 + h) on rigid motions and shapes, ½ wᵀ K_k w = a_kᵀ M u₂ with the accelerations a_k of all freedoms
        for unit acceleration x y z of the frame's origin, unit angular acceleration x y z, then ω_x², ω_y², ω_z², ω_x ω_y,
        ω_x ω_z, ω_y ω_z, all in body axes. The same matrices are the geometric stiffness under these inertia loads.
    gram : (12, 12) a_kᵀ M a_l. The first six fields are the rigid motions.
    nodes : by interface (6, 6 + h, 6 + h), ½ wᵀ N_c w = u₂ of the node, shifts and rotations.

    >>> Stiffening("root", np.ones((12, 7, 7)), np.eye(12)).stiffness([0, 0, 0], [0, 0, 0], [0, 0, 2.0])
    array([[4.]])
    """

    support: str
    matrices: np.ndarray
    gram: np.ndarray
    nodes: dict[str, np.ndarray] = field(default_factory=dict)

    def stiffness(self, acceleration: np.ndarray, alpha: np.ndarray, omega: np.ndarray) -> np.ndarray:
        """(h, h) to be added to the stiffness: acceleration of the origin less gravity, angular acceleration and velocity."""
        load = np.concatenate([acceleration, alpha, [omega[a] * omega[b] for a, b in PAIRS]])
        return np.einsum("n,nij->ij", load, self.matrices[:, 6:, 6:])

    def displacement(self, interface: str, w: np.ndarray) -> np.ndarray:
        """(6,) second-order shift and rotation of an interface at elastic coordinates w.

        >>> one = Stiffening("root", np.ones((12, 7, 7)), np.eye(12), {"tip": np.ones((6, 7, 7))})
        >>> one.displacement("tip", np.array([2.0]))[0]
        np.float64(2.0)
        """
        return 0.5 * np.einsum("cij,i,j->c", self.nodes[interface][:, 6:, 6:], w, w)

    def shifted(self, rigid: np.ndarray, support: str, places: Mapping[str, np.ndarray]) -> Stiffening:
        """For the shapes H - R S, with S = `rigid` (6, h), and u₂ less the rigid motion that it has at the interface `support`.

        places: positions of the interfaces.
        """
        change = np.eye(self.matrices.shape[1])
        change[:6, 6:] = -rigid
        nodes = {name: change.T @ N @ change for name, N in self.nodes.items()}
        move = np.einsum("cm,mij->cij", rigid_motion(-places[support]), nodes[support])
        matrices = change.T @ self.matrices @ change - np.einsum("km,mij->kij", self.gram[:, :6], move)
        nodes = {name: N - np.einsum("cm,mij->cij", rigid_motion(places[name]), move) for name, N in nodes.items()}
        return replace(self, support=support, matrices=matrices, nodes=nodes)


def rigid_motion(place: np.ndarray) -> np.ndarray:
    """(6, 6) shift and rotation at a place for unit shifts and rotations of a rigid body about the origin.

    >>> rigid_motion(np.array([1.0, 0, 0]))[:3, 5] + 0.0
    array([0., 1., 0.])
    """
    return np.block([[np.eye(3), -tilde(place)], [np.zeros((3, 3)), np.eye(3)]])


def stiffening(
    model: FEModel, support: str, interfaces: Mapping[str, int], shapes: np.ndarray, solver: str | None = None
) -> Stiffening:
    """Second-order displacements of a frame of beams with shapes (N, h), held at one of its interfaces (names and rows of nodes).

    Forces in the beams are those of the linear model under unit inertia loads and unit loads at the interfaces.
    """
    held = interface_rows(model, [interfaces[support]])
    if len(held) < 6 or (model.freedoms[:, 1] < 3).all() or len(model.lines) == 0 or len(model.faces):
        raise ModelError(
            f"{model.name!r}: stiffening is computed for beams only, held at a node of six freedoms", field="stiffening"
        )
    fields = _acceleration_fields(model)
    inertial = model.mass @ fields
    loads = np.zeros((model.size, 12 + 6 * len(interfaces)))
    loads[:, :12] = -inertial
    for k, node in enumerate(interfaces.values()):
        rows = interface_rows(model, [node])
        loads[rows, 12 + 6 * k + model.freedoms[rows, 1]] = 1.0
    inner = np.setdiff1d(np.arange(model.size), held)
    factor = factorize(model.stiffness[inner][:, inner], solver, model.freedoms[inner, 0], model.nodes)
    u = np.zeros(loads.shape)
    u[inner] = factor.solve(loads[inner])
    factor.free()
    motions = np.column_stack([model.rigid_motions(), shapes])
    beams = beams_of(model)
    K = geometric_products(beams, motions, section_forces(model, beams, u))
    nodes = {name: -K[12 + 6 * k : 18 + 6 * k] for k, name in enumerate(interfaces)}
    return Stiffening(support, K[:12], fields.T @ inertial, nodes)


def _acceleration_fields(model: FEModel) -> np.ndarray:
    """(N, 12) accelerations of all freedoms for unit loads: linear, angular, and ω × (ω × ρ) for ω_a ω_b."""
    fields = np.zeros((model.size, 12))
    fields[:, :6] = model.rigid_motions()
    node, component = model.freedoms.T
    shifts = np.flatnonzero(component < 3)
    rho, axis = model.nodes[node[shifts]], component[shifts]
    here = rho[np.arange(len(shifts)), axis]
    for n, (a, b) in enumerate(PAIRS):
        if a == b:  # e_a ρ_a - ρ
            fields[shifts, 6 + n] = np.where(axis == a, 0.0, -here)
        else:  # e_a ρ_b + e_b ρ_a
            fields[shifts, 6 + n] = np.where(axis == a, rho[:, b], 0.0) + np.where(axis == b, rho[:, a], 0.0)
    return fields
