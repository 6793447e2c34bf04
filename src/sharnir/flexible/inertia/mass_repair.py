"""Mass repair: nodal masses whose total, centre and inertia tensor are right, changed as little as possible.

The problem is that of Yudakov 2012, §3; see docs/theory/flexible-bodies.md.

Second moments S = ½ tr(J) E - J are used instead of inertia tensors: a tensor is that of a body if and only if S ≥ 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia
from sharnir.flexible.inertia.nodal_masses import NodalMasses, nodal_masses, tildes

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

ROTARY_SHARE = 0.1  # rotary inertia of nodes is kept above this part of what it was; beyond that their centres move
TINY = 1e-12  # rounding in second moments, relative to those of the body


@dataclass(frozen=True)
class MassRepair:
    """What repair changed.

    before, target, after: RigidInertia; mass_factor of all masses; largest_shift (m) of a centre of mass from its place;
    given_rotary: nodes that got rotary inertia; rotary_change: rotary inertia added or removed
    in all, relative to that of the body. error: what is left of the difference between `after` and `target`, relative.

    >>> from sharnir.flexible import Section, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> _, repair = repaired_masses(beam)
    >>> abs(repair.after.mass - repair.target.mass) < 1e-9
    True
    """

    before: RigidInertia
    target: RigidInertia
    after: RigidInertia
    mass_factor: float
    largest_shift: float
    given_rotary: int
    rotary_change: float
    error: float

    def __str__(self) -> str:
        return (
            f"mass × {self.mass_factor:.6g}, centres moved by up to {self.largest_shift:.3g} m, rotary inertia given to "
            f"{self.given_rotary} nodes and changed by {100 * self.rotary_change:.3g} % of the body's, error {self.error:.1e}"
        )


def repaired_masses(model: FEModel, target: RigidInertia | None = None, shifted: bool = True) -> tuple[NodalMasses, MassRepair]:
    """Nodal masses of an FE model with the mass, centre and inertia of `target` (default: those of the model's own matrix).

    Masses keep their distribution. Centres are shifted, all alike, so that the common centre is right; rotary inertia is changed
    so that the tensor is right. Where this would ask for less than none, centres are drawn together as well. `shifted=False`
    leaves all centres at the nodes: then only the mass is certain, and the report says what is left.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> masses, repair = repaired_masses(beam)
    >>> repair.error < 1e-12
    True
    """
    start = nodal_masses(model)
    target = model.rigid_inertia() if target is None else target
    wanted = _second_moment(_checked(model.name, target))
    factor = target.mass / start.mass.sum()
    mass = factor * start.mass
    shift0 = start.shift if shifted else np.zeros_like(start.shift)
    rotary, given = _rotary(model, mass, factor, start)
    arms = model.nodes + shift0
    # the common centre: all centres move alike
    center = target.center if shifted else mass @ arms / mass.sum()
    arms = arms - mass @ arms / mass.sum()
    if shifted:
        arms = arms @ _contraction(mass, arms, rotary.sum(axis=0), wanted)
    missing = _positive(wanted - np.einsum("k,ka,kb->ab", mass, arms, arms))
    changed = _changed_rotary(rotary, missing, mass, TINY * np.trace(wanted))
    shift = np.where(mass[:, None] > 0.0, arms + center - model.nodes, 0.0) if shifted else shift0
    square = tildes(shift)
    about_nodes = _inertia_of(changed) - mass[:, None, None] * (square @ square)
    masses = NodalMasses(mass, shift, about_nodes)
    after = masses.rigid(model.nodes)
    return masses, MassRepair(
        before=start.rigid(model.nodes),
        target=target,
        after=after,
        mass_factor=float(factor),
        largest_shift=float(np.linalg.norm(shift - shift0, axis=1).max(initial=0.0)),
        given_rotary=int((given & (np.trace(changed, axis1=1, axis2=2) > 0.0)).sum()),
        rotary_change=float(np.linalg.norm(changed.sum(0) - rotary[~given].sum(0)) / np.linalg.norm(wanted)),
        error=_difference(after, target),
    )


def _checked(name: str, target: RigidInertia) -> np.ndarray:
    """The inertia about the centre, if it can be that of a body of positive mass."""
    J = np.asarray(target.inertia, float)
    if not target.mass > 0.0:
        raise ModelError(f"{name!r}: mass = {target.mass} must be positive", field="mass")
    if np.linalg.eigvalsh(_second_moment(J)).min() < -1e-9 * np.trace(J):
        moments = ", ".join(f"{x:.6g}" for x in np.linalg.eigvalsh(J))
        raise ModelError(
            f"{name!r}: moments of inertia {moments} about the centre are not those of a body; the largest must not exceed the "
            "sum of the others",
            field="inertia",
        )
    return J


def _rotary(model: FEModel, mass: np.ndarray, factor: float, start: NodalMasses) -> tuple[np.ndarray, np.ndarray]:
    """(n, 3, 3) second moments of the small bodies about their own centres, and which of them were given: cubes as wide as the
    mean distance to the neighbours, where the matrix has none."""
    square = tildes(start.shift)
    central = factor * (start.inertia + start.mass[:, None, None] * (square @ square))
    second = _positive(_second_moment(central))
    width = neighbour_distance(model)
    cube = mass * width**2 / 12.0
    missing = (np.trace(second, axis1=1, axis2=2) <= 1e-9 * cube) & (mass > 0.0)
    second[missing] = cube[missing, None, None] * np.eye(3)
    return second, missing


def neighbour_distance(model: FEModel) -> np.ndarray:
    """(n,) mean distance of a node to those that the stiffness matrix couples it with; 0 for a lone node."""
    entries = model.stiffness.tocoo()
    a, b = model.freedoms[entries.coords[0], 0], model.freedoms[entries.coords[1], 0]
    pair = np.unique(a[a != b] * len(model.nodes) + b[a != b])
    a, b = np.divmod(pair, len(model.nodes))
    length = np.linalg.norm(model.nodes[a] - model.nodes[b], axis=1)
    n = len(model.nodes)
    return np.bincount(a, length, n) / np.maximum(np.bincount(a, minlength=n), 1)


def _contraction(mass: np.ndarray, arms: np.ndarray, rotary: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(3, 3) symmetric map of the arms; the identity where rotary inertia alone can make up for the difference."""
    spread = np.einsum("k,ka,kb->ab", mass, arms, arms)
    size, room = np.trace(wanted), wanted - spread
    if np.linalg.eigvalsh(room - ROTARY_SHARE * rotary).min() >= -TINY * size:
        return np.eye(3)
    L = np.linalg.cholesky(rotary + TINY * size * np.eye(3))
    values, vectors = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, room).T))
    for share in (ROTARY_SHARE, 0.01, 0.0):
        kept = L @ (vectors * np.maximum(values, share)) @ vectors.T @ L.T
        if np.linalg.eigvalsh(wanted - kept).min() >= -1e-13 * size:
            return _transport(spread, wanted - kept)
    return _transport(spread, 0.95 * wanted)


def _changed_rotary(rotary: np.ndarray, wanted: np.ndarray, mass: np.ndarray, tiny: float) -> np.ndarray:
    """Second moments with the sum `wanted`: all mapped alike; directions in which there were none get them by mass."""
    if np.linalg.norm(wanted - rotary.sum(axis=0)) <= tiny:
        return rotary
    B = _transport(rotary.sum(axis=0), wanted)
    changed = B @ rotary @ B
    rest = wanted - changed.sum(axis=0)
    return changed + (mass / mass.sum())[:, None, None] * _positive(rest)


def _transport(start: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Symmetric A ≥ 0 with A start A = goal: of all maps the one that moves things least (optimal transport of Gaussians).

    Where start has no spread (nodes on a line or plane) A is the identity, and A start A is the largest matrix of that range for
    which goal - A start A ≥ 0 (a Schur complement).
    """
    values, vectors = np.linalg.eigh(0.5 * (start + start.T))
    U = vectors[:, values > TINY * max(float(values[-1]), np.finfo(float).tiny)]
    inside = U.T @ goal @ U
    if U.shape[1] < 3:
        inside = np.linalg.inv(U.T @ np.linalg.inv(_positive(goal) + TINY * np.trace(goal) * np.eye(3)) @ U)
    root = _root(U.T @ start @ U)
    inverse = np.linalg.inv(root)
    return U @ inverse @ _root(root @ inside @ root) @ inverse @ U.T + np.eye(3) - U @ U.T


def _root(S: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(0.5 * (S + S.T))
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def _positive(S: np.ndarray) -> np.ndarray:
    """The nearest semi-definite matrix (or stack of them)."""
    values, vectors = np.linalg.eigh(0.5 * (S + np.swapaxes(S, -1, -2)))
    return (vectors * np.maximum(values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def _second_moment(J: np.ndarray) -> np.ndarray:
    return 0.5 * np.trace(J, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - J


def _inertia_of(S: np.ndarray) -> np.ndarray:
    return np.trace(S, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - S


def _difference(a: RigidInertia, b: RigidInertia) -> float:
    """The largest relative difference of mass, centre (in radii of gyration) and inertia."""
    size = float(np.linalg.norm(b.inertia))
    reach = np.sqrt(size / b.mass) if size > 0.0 else 1.0
    parts: tuple[Any, ...] = (
        abs(a.mass / b.mass - 1.0),
        np.linalg.norm(a.center - b.center) / reach,
        np.linalg.norm(a.inertia - b.inertia) / max(size, 1e-300),
    )
    return float(max(parts))
