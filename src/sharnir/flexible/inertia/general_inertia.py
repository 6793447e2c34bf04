"""The general method: inertia with the full (consistent) mass matrix of the FE model, by sparse products with thin matrices.

Source: Yudakov 2012, §2; see docs/theory/flexible-bodies.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.flexible.inertia.inertia_moments import InertiaMoments, fields_of, rotation_fields

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

#: numbers in a slice of fields that is multiplied at once: 64 MB
SLICE = 8_000_000


def general_moments(model: FEModel, shapes: np.ndarray) -> InertiaMoments:
    """Moments of the mass matrix of an FE model with shapes (N, h).

    The mass matrix is split by components into up to 36 sparse matrices over the nodes, and each multiplies the fields 1, ρ, h
    (and 1, θ) once: no loop over pairs of nodes. Matrices that are the same (solids: xx, yy, zz) are multiplied only once.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> moments = general_moments(beam, np.zeros((beam.size, 0)))
    >>> bool(abs(moments.rr[0, 0, 0, 0] - beam.rigid_inertia().mass) < 1e-12)
    True
    """
    h = shapes.shape[1]
    node, component = model.freedoms[:, 0], model.freedoms[:, 1]
    by_node = np.zeros((len(model.nodes), 6, h))
    by_node[node, component] = shapes
    fields = (fields_of(model.nodes, by_node[:, :3]), rotation_fields(by_node[:, 3:]))
    # modal coordinates of a superelement stand where rotations do, but do not turn with the body
    fields[1][model.modal, 0] = 0.0
    result = {key: np.zeros((3, 3, *size)) for key, size in _sizes(h).items()}
    done: list[tuple[Any, np.ndarray]] = []
    for b, d, block in _component_blocks(model):
        if b >= 3 > d:
            continue  # m_φr = m_rφᵀ
        key = "rr" if d < 3 else "rp" if b < 3 else "pp"
        product = next((old for other, old in done if key == "rr" and _same(other, block)), None)
        if product is None:
            product = _double_sum(fields[b // 3], block, fields[d // 3])
            if key == "rr" and b == d:
                done.append((block, product))
        result[key][b % 3, d % 3] = product
    return InertiaMoments(result["rr"], result["rp"], result["pp"])


def _sizes(h: int) -> dict[str, tuple[int, int]]:
    """Numbers of fields of shifts and rotations."""
    F, G = 4 + 3 * h, 1 + 3 * h
    return {"rr": (F, F), "rp": (F, G), "pp": (G, G)}


def _component_blocks(model: FEModel) -> Any:
    """(component, component, (n, n) sparse matrix over the nodes) of the mass matrix, those that are not empty."""
    from scipy.sparse import csr_array

    n = len(model.nodes)
    entries = model.mass.tocoo()
    row, column = entries.coords
    node, component = model.freedoms[:, 0].astype(np.int32), model.freedoms[:, 1].astype(np.int8)
    code = 6 * component[row] + component[column]
    for value in np.flatnonzero(np.bincount(code, minlength=36)):
        at = np.flatnonzero(code == value)
        yield value // 6, value % 6, csr_array((entries.data[at], (node[row[at]], node[column[at]])), shape=(n, n))


def _same(a: Any, b: Any) -> bool:
    """True for sparse matrices with the same entries to rounding."""
    if a.nnz != b.nnz or not (np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)):
        return False
    return bool(np.abs(a.data - b.data).max(initial=0.0) <= 1e-14 * np.abs(a.data).max(initial=0.0))


def _double_sum(left: np.ndarray, block: Any, right: np.ndarray) -> np.ndarray:
    """leftᵀ block right, slice by slice of the columns so that memory stays small."""
    result = np.empty((left.shape[1], right.shape[1]))
    width = max(1, SLICE // max(len(right), 1))
    for first in range(0, right.shape[1], width):
        some = slice(first, first + width)
        result[:, some] = left.T @ (block @ np.ascontiguousarray(right[:, some]))
    return result
