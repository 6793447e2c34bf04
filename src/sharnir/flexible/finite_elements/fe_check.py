"""Can these matrices be the mass and stiffness of a body? Symmetry, definiteness, rigid motions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.errors import ModelError, ModelWarning
from sharnir.flexible.finite_elements.fe_model import COMPONENTS
from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

#: up to this size all eigenvalues are computed; beyond it Lanczos looks for a negative one
DENSE_SIZE = 800
LANCZOS_STEPS = 24
#: mass per cube of the size, kg/m³: a thin wire and a block of tungsten lie well inside
LIGHTEST, HEAVIEST = 1e-5, 1e5
RIGID_NAMES = ("shift x", "shift y", "shift z", "rotation x", "rotation y", "rotation z")


@dataclass(frozen=True)
class FECheck:
    """What `FEModel.check()` found.

    rigid : mass, centre, inertia.
    resisted : the rigid motions that the stiffness resists; empty for a free body.
    massless : how many freedoms have no mass.
    asymmetry : largest difference of entries that should be equal, relative to the diagonal.
    defect : largest |K R| of a rigid motion relative to what K does to motions of that size.

    >>> from sharnir.flexible import Section, straight_beam
    >>> print(straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4).with_fixed([0]).check().resisted[:2])
    ('shift x', 'shift y')
    """

    rigid: RigidInertia
    resisted: tuple[str, ...]
    massless: int
    asymmetry: float
    defect: float

    @property
    def free(self) -> bool:
        """True when no rigid motion meets any stiffness: the model is not fixed to ground."""
        return not self.resisted

    def __str__(self) -> str:
        center = ", ".join(f"{x:.6g}" for x in self.rigid.center)
        state = (
            "free (all six rigid motions cost no energy)" if self.free else f"fixed to ground against {', '.join(self.resisted)}"
        )
        return f"mass {self.rigid.mass:.6g} kg, centre ({center}) m, {self.massless} freedoms without mass, {state}"


def check(model: FEModel, tolerance: float = 1e-6) -> FECheck:
    """Errors where the matrices cannot be those of a body, otherwise what they are.

    Negative energies and differences of a_ij and a_ji count beyond `tolerance` relative to √(a_ii a_jj).

    >>> from sharnir.flexible import Section, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> check(beam).free
    True
    """
    who = f"FE model {model.name!r}"
    asymmetry = max(
        require_semi_definite(model, who, "mass", model.mass, tolerance),
        require_semi_definite(model, who, "stiffness", model.stiffness, tolerance),
    )
    resisted, defect = resisted_motions(model, tolerance)
    massless = int(np.count_nonzero(model.mass.diagonal() == 0.0))
    rigid = model.rigid_inertia()
    warn_of_units(model, rigid.mass)
    return FECheck(rigid, resisted, massless, asymmetry, defect)


def warn_of_units(model: FEModel, mass: float) -> None:
    """A ModelWarning where mass and size together cannot be kg and m: numbers in mm and t, say."""
    size = float(np.linalg.norm(np.ptp(model.nodes, axis=0)))
    if size > 0 and not LIGHTEST < mass / size**3 < HEAVIEST:
        warnings.warn(
            f"FE model {model.name!r}: {mass:.3g} kg in a body {size:.3g} m long; are its numbers in units other than m, kg, s?"
            ' Give them with units=, for example units="mm-t-s"',
            ModelWarning,
            stacklevel=3,
        )


def require_semi_definite(model: FEModel, who: str, what: str, matrix: Any, tolerance: float) -> float:
    """An error unless the matrix is symmetric and positive semi-definite within the tolerance; the largest asymmetry."""
    diagonal = matrix.diagonal()
    worst = int(np.argmin(diagonal)) if len(diagonal) else 0
    largest = float(np.max(np.abs(diagonal), initial=0.0))
    if largest == 0.0:
        raise ModelError(f"{who}: the diagonal of the {what} matrix is zero everywhere", field=what)
    if diagonal[worst] < -tolerance * largest:
        raise ModelError(
            f"{who}: the {what} matrix has {diagonal[worst]:.6g} on its diagonal at {place(model, worst)}", field=what
        )
    scale = np.sqrt(np.maximum(diagonal, 0.0))
    # a row without a diagonal must be empty; round-off of its neighbours is measured by the smallest of them
    floor = float(np.min(scale[scale > 0])) * 1e-3
    factor = 1.0 / np.maximum(scale, floor)
    scaled = matrix.copy()
    scaled.data *= np.repeat(factor, np.diff(scaled.indptr)) * factor[scaled.indices]
    difference = abs(scaled - scaled.T.tocsr())
    asymmetry = float(difference.max()) if difference.nnz else 0.0
    if asymmetry > tolerance:
        row, column = _largest(difference)
        raise ModelError(
            f"{who}: the {what} matrix is not symmetric: {matrix[row, column]:.9g} at ({place(model, row)};"
            f" {place(model, column)}),"
            f" {matrix[column, row]:.9g} mirrored; write the symmetric matrix, or one triangle of it",
            field=what,
        )
    lowest, vector = lowest_eigenvalue(scaled)
    if lowest < -max(tolerance, 1e-9):
        row = int(np.argmax(np.abs(vector)))
        raise ModelError(
            f"{who}: the {what} matrix is not positive semi-definite: a motion mainly of {place(model, row)} has negative energy"
            f" (scaled eigenvalue {lowest:.3g})",
            field=what,
        )
    return asymmetry


def lowest_eigenvalue(matrix: Any) -> tuple[float, np.ndarray]:
    """The lowest eigenvalue of a symmetric matrix with unit diagonal and its vector.

    For large ones a bound from above by Lanczos.
    """
    size = matrix.shape[0]
    if size <= DENSE_SIZE:
        values, vectors = np.linalg.eigh(matrix.toarray())
        return float(values[0]), vectors[:, 0]
    rng = np.random.default_rng(1)
    basis = np.empty((LANCZOS_STEPS, size))
    vector = rng.standard_normal(size)
    basis[0] = vector / np.linalg.norm(vector)
    alpha, beta = np.zeros(LANCZOS_STEPS), np.zeros(LANCZOS_STEPS)
    steps = LANCZOS_STEPS
    for k in range(LANCZOS_STEPS):
        w = matrix @ basis[k]
        alpha[k] = basis[k] @ w
        w -= alpha[k] * basis[k]
        if k:
            w -= beta[k - 1] * basis[k - 1]
        beta[k] = np.linalg.norm(w)
        if k + 1 == LANCZOS_STEPS or beta[k] < 1e-12:
            steps = k + 1
            break
        basis[k + 1] = w / beta[k]
    T = np.diag(alpha[:steps]) + np.diag(beta[: steps - 1], 1) + np.diag(beta[: steps - 1], -1)
    values, vectors = np.linalg.eigh(T)
    return float(values[0]), basis[:steps].T @ vectors[:, 0]


def resisted_motions(model: FEModel, tolerance: float) -> tuple[tuple[str, ...], float]:
    """Rigid motions r with K r ≠ 0, judged against |K| |r| row by row; and the largest such ratio."""
    # rotations about the middle, so that a far origin does not hide a support
    R = _about(model.rigid_motions(), np.mean(model.nodes, axis=0))
    force = np.abs(model.stiffness @ R).max(axis=0)
    size = (abs(model.stiffness) @ np.abs(R)).max(axis=0)
    ratios = force / np.maximum(size, np.finfo(float).tiny)
    return tuple(name for name, ratio in zip(RIGID_NAMES, ratios, strict=True) if ratio > tolerance), float(ratios.max())


def place(model: FEModel, row: int) -> str:
    """A matrix row in words: node label and component."""

    assert model.labels is not None
    node, component = model.freedoms[row]
    return f"node {model.labels[node]}, {COMPONENTS[component]}"


def _about(R: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Rigid motions with rotations about `center` instead of the origin: r_j - Σ shift · (e_j × c)."""
    moved = R.copy()
    for j in range(3):
        axis = np.zeros(3)
        axis[j] = 1.0
        moved[:, 3 + j] -= R[:, :3] @ np.cross(axis, center)
    return moved


def _largest(matrix: Any) -> tuple[int, int]:
    entries = matrix.tocoo()
    k = int(np.argmax(entries.data))
    return int(entries.row[k]), int(entries.col[k])
