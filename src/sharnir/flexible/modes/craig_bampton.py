"""Craig–Bampton reduction: static shapes of the interfaces and normal modes with fixed interfaces, from one factorization.

R. R. Craig, M. C. C. Bampton, Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968) 1313–1319; five steps as in
Yudakov 2012, §1; see docs/theory/flexible-bodies.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.linear_algebra.factor import Factorization
from sharnir.flexible.linear_algebra.factorization import factorize
from sharnir.flexible.linear_algebra.lanczos import below, first, lanczos_modes
from sharnir.flexible.linear_algebra.part import Part
from sharnir.flexible.modes.shape_matrix import Shapes, diagonal_shapes, free_of_ground, scaled_rigid

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

Notice = Callable[[float], None]
DENSE_SIZE = 300  # up to this size all modes are computed


def craig_bampton(
    model: FEModel,
    interface_nodes: Sequence[int],
    *,
    modes: int | None = None,
    frequency: float | None = None,
    solver: str | None = None,
    notice: Notice | None = None,
) -> Shapes:
    """Shapes of a body by the five steps of Craig and Bampton.

    Parameters
    ----------
    interface_nodes : rows of `model.nodes` whose motion is kept exactly; each has three or six freedoms.
    modes : how many normal modes with fixed interfaces; 0: static shapes only.
    frequency : instead, all of them up to this frequency in Hz.
    solver : of linear equations, see `factorize`.
    notice : is called with the part done, 0 … 1.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=8)
    >>> craig_bampton(beam, [0, 8], modes=6).matrix.shape  # 12 static shapes + 6 modes - 6 rigid motions
    (54, 12)
    """
    told = notice or (lambda part: None)
    boundary = boundary_freedoms(model, interface_nodes)
    inner = np.setdiff1d(np.arange(model.size), boundary)
    if len(inner) == 0:  # no inner freedom: the model itself
        return diagonal_shapes(model, np.eye(model.size), free_of_ground(model))
    stiffness, mass = Part(model.stiffness, inner), Part(model.mass, inner)
    factor = factorize(stiffness, solver, model.freedoms[inner, 0], model.nodes)
    told(0.3)
    free = free_of_ground(model)
    strains = straining_motions(model, boundary) if free else np.eye(len(boundary))
    static = static_shapes(model, boundary, inner, factor, strains)  # step 2
    told(0.4)
    normal, found = fixed_modes(stiffness.tocsr, mass, factor, modes, frequency)  # step 3
    factor.free()
    effective, total = effective_masses(model, inner, normal)
    told(0.9)
    columns = np.zeros((model.size, static.shape[1] + normal.shape[1]))  # step 4
    columns[:, : static.shape[1]] = static
    columns[inner, static.shape[1] :] = normal
    shapes = diagonal_shapes(model, columns, free)  # step 5
    told(1.0)
    rigid = len(boundary) - static.shape[1]
    return replace(
        shapes, dropped=shapes.dropped + rigid, fixed_frequencies=found, effective_masses=effective, effective_total=total
    )


def boundary_freedoms(model: FEModel, interface_nodes: Sequence[int]) -> np.ndarray:
    """Rows of the matrices that belong to interfaces, and as few others as keep the rest from moving rigidly.

    Interfaces with three freedoms each, or none at all, may leave rigid motions free; then freedoms of other nodes are held
    as well. Their static shapes are added like those of interfaces, so nothing is lost by it.
    """
    rows = interface_rows(model, interface_nodes)
    if not free_of_ground(model):
        return rows
    return np.concatenate([rows, _further_supports(model, rows)])


def interface_rows(model: FEModel, nodes: Sequence[int]) -> np.ndarray:
    """Rows of the matrices that belong to these nodes."""
    held: list[int] = []
    for node in nodes:
        rows = model.freedoms_of(int(node))
        if (rows < 0).all():
            assert model.labels is not None
            raise ModelError(
                f"{model.name!r}: interface node {model.labels[node]} has no freedoms of its own (fixed, or tied); "
                "name the node that it is tied to",
                field="interfaces",
            )
        held.extend(rows[rows >= 0])
    return np.unique(np.array(held, dtype=np.int64))


def _further_supports(model: FEModel, rows: np.ndarray) -> np.ndarray:
    """Freedoms that complete the supports `rows` against all rigid motions, the most effective ones first.

    Shifts of nodes, and rotations where these do not do: nodes on a line do not hold the turning about it.
    """
    R = model.rigid_motions()
    reach = max(float(np.linalg.norm(np.ptp(model.nodes, axis=0))), np.finfo(float).tiny)
    middle = model.nodes.mean(axis=0)
    x, y, z = middle
    R[:, 3:] = (R[:, 3:] + R[:, :3] @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])) / reach
    turning = model.freedoms[:, 1] >= 3
    R[turning, 3:] *= reach * 0.1  # a rotation of a node holds like a shift at a tenth of the size
    need = int(np.linalg.matrix_rank(R, tol=1e-6 * np.sqrt(len(R))))  # fewer than 6 for points on a line
    basis = np.zeros((6, 0))
    if len(rows):
        u, s, _ = np.linalg.svd(R[rows].T, full_matrices=False)
        basis = u[:, s > 1e-3]
    chosen: list[int] = []
    rest = np.where(turning[:, None], 0.0, R)
    while basis.shape[1] < need:
        left = rest - (rest @ basis) @ basis.T
        best = int(np.argmax(np.einsum("ij,ij->i", left, left)))
        length = float(np.linalg.norm(left[best]))
        if length < 1e-3:
            if rest is R:
                break
            rest = R
            continue
        basis = np.column_stack([basis, left[best] / length])
        chosen.append(best)
    return np.array(chosen, dtype=np.int64)


def straining_motions(model: FEModel, boundary: np.ndarray) -> np.ndarray:
    """(b, b - 6) motions of the boundary that no rigid motion of the body has: the others need no static shape."""
    U, s, _ = np.linalg.svd(scaled_rigid(model)[boundary], full_matrices=True)
    return U[:, int((s > 1e-8 * s[0]).sum()) :]


def static_shapes(
    model: FEModel, boundary: np.ndarray, inner: np.ndarray, factor: Factorization, motions: np.ndarray
) -> np.ndarray:
    """(N, motions): given motions of the boundary freedoms, inner freedoms without force."""
    columns = np.zeros((model.size, motions.shape[1]))
    columns[boundary] = motions
    if motions.shape[1]:
        columns[inner] = -factor.solve((model.stiffness @ columns)[inner])
    return columns


def effective_masses(model: FEModel, inner: np.ndarray, normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(modes, 6) the mass that each mode (orthonormal in mass) moves when the interfaces move rigidly; (6,) that of all modes."""
    inside = model.rigid_motions()
    inside[np.setdiff1d(np.arange(model.size), inner)] = 0.0  # the mass of interface freedoms belongs to the interfaces
    pull = model.mass @ inside
    return (normal.T @ pull[inner]) ** 2, np.einsum("ij,ij->j", inside, pull)


def fixed_modes(
    K: Callable[[], Any], M: Any, factor: Factorization, modes: int | None, frequency: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Lowest modes of K (factorized) and M as columns, orthonormal in mass, and their frequencies in Hz.

    K is a function, since large models need only its factors: the matrix itself need not be kept beside them.

    `modes` of them (default 10), or all up to `frequency`, or both limits. Small models are solved as dense matrices.
    """
    size = M.shape[0]
    most = int((M.diagonal() > 0.0).sum())  # freedoms without mass have no modes
    if frequency is not None and not frequency > 0.0:
        raise ModelError(f"frequency = {frequency} Hz must be positive", field="frequency")
    limit = None if frequency is None else (2.0 * np.pi * frequency) ** 2
    count = modes if modes is not None else 10 if limit is None else most
    count = min(count, most)
    if count == 0:
        return np.zeros((size, 0)), np.zeros(0)
    if size <= DENSE_SIZE or (limit is None and count > size // 4):
        values, vectors = _dense_modes(K().toarray(), M.tocsr().toarray(), count)
        inside = len(values) if limit is None else int((values <= limit).sum())
        values, vectors = values[:inside], vectors[:, :inside]
    else:
        values, vectors = lanczos_modes(factor.solve, M, first(count) if limit is None else below(limit, modes))
    return vectors, np.sqrt(np.maximum(values, 0.0)) / (2.0 * np.pi)


def _dense_modes(K: np.ndarray, M: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Lowest modes, orthonormal in mass; M may be singular, so M y = (1/λ) K y is solved."""
    from scipy.linalg import eigh

    values, vectors = eigh(M, K)
    inverse, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
    good = inverse > 1e-14 * inverse[0]
    return 1.0 / inverse[good], vectors[:, good] / np.sqrt(inverse[good])
