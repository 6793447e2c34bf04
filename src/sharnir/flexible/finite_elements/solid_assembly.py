"""Stiffness and mass of meshes of solids, assembled by node blocks.

The 3×3 blocks of the stiffness come from D_ab = ∫ ∇N_a ∇N_bᵀ dV: K_ab = λ D_ab + μ D_abᵀ + μ tr(D_ab) E. The pattern is found
once for pairs of nodes, nine times smaller than for pairs of freedoms; that makes 10⁵ nodes a matter of seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.material import Material
from sharnir.flexible.finite_elements.solid_element import SolidElement, solid_element

CHUNK = 8192  # elements at once: keeps intermediate arrays small


def assembled(nodes: np.ndarray, cells: list[tuple[str, np.ndarray]], materials: list[Material], lumped: bool) -> tuple[Any, Any]:
    """Stiffness and mass (3 n, 3 n) of all blocks of cells, as CSR matrices; the freedoms of node k are 3 k … 3 k + 2."""
    K: Any = None
    M: Any = None
    for (kind, table), material in zip(cells, materials, strict=True):
        blocks, masses = cell_matrices(nodes, kind, table, material, lumped)
        pattern = pair_pattern(table, len(nodes))
        part_K = summed_blocks(pattern, blocks, len(nodes))
        part_M = lumped_masses(table, masses, len(nodes)) if lumped else summed_masses(pattern, masses, len(nodes))
        K = part_K if K is None else K + part_K
        M = part_M if M is None else M + part_M
    return K, M


def cell_matrices(
    nodes: np.ndarray, kind: str, table: np.ndarray, material: Material, lumped: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(9, e, a, a) stiffness, component (i, j) first, and (e, a, a) mass per direction, or (e, a) when lumped."""
    element = solid_element(kind)
    count, width = table.shape
    K = np.empty((9, count, width, width))
    M = np.empty((count, width) if lumped else (count, width, width))
    for first in range(0, count, CHUNK):
        part = slice(first, first + CHUNK)
        corners = nodes[table[part]]
        _stiffness(element, corners, material, K[:, part], kind, first)
        volumes = _volumes(element, corners)
        shapes = element.shapes(element.mass_rule[0])
        if lumped:
            M[part] = material.density * lumped_volumes(volumes, shapes)
        else:
            products = (shapes[:, :, None] * shapes[:, None, :]).reshape(len(shapes), -1)
            M[part] = material.density * (volumes @ products).reshape(-1, width, width)
    return K, M


def _stiffness(element: SolidElement, corners: np.ndarray, material: Material, out: np.ndarray, kind: str, first: int) -> None:
    points, weights = element.stiffness_rule
    reference = element.gradients(points)
    # J[e, q] = ∂x/∂ξ with rows ξ
    J = np.einsum("qaj,eai->eqji", reference, corners, optimize=True)
    volume, adjugate = determinant_and_cofactors(J)
    if not np.all(volume > 0):
        cell = int(np.argmin(volume.min(axis=1)))
        raise ModelError(
            f"{kind} cell {first + cell} of the mesh is inverted or badly distorted (Jacobian {volume[cell].min():.3g});"
            " check its node order and shape",
            field="mesh",
        )
    # slopes times the determinant, so that one division by it is enough
    slopes = np.matmul(reference, adjugate.swapaxes(2, 3))
    weighted = slopes * (weights / volume)[:, :, None, None]
    D = [
        [np.matmul(weighted[..., i].swapaxes(1, 2), slopes[..., j]) if j >= i else np.empty(0) for j in range(3)]
        for i in range(3)
    ]
    for i in range(3):
        for j in range(i):
            D[i][j] = D[j][i].swapaxes(1, 2)
    trace = D[0][0] + D[1][1] + D[2][2]
    for i in range(3):
        for j in range(3):
            block = material.lame * D[i][j] + material.G * D[j][i]
            out[3 * i + j] = block + material.G * trace if i == j else block


def _volumes(element: SolidElement, corners: np.ndarray) -> np.ndarray:
    """(e, q) weight times Jacobian at the points of the mass rule."""
    points, weights = element.mass_rule
    J = np.einsum("qaj,eai->eqji", element.gradients(points), corners, optimize=True)
    return determinant_and_cofactors(J)[0] * weights


def lumped_volumes(volumes: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """(e, a) the diagonal of the consistent matrix scaled to the volume of the cell (Hinton, Rock and Zienkiewicz 1976)."""
    diagonal = volumes @ shapes**2
    return diagonal * (volumes.sum(axis=1) / diagonal.sum(axis=1))[:, None]


def determinant_and_cofactors(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of (…, 3, 3) matrices: the determinant and det · inverse, written out; for many small matrices far faster than LAPACK."""
    (a, b, c), (d, e, f), (g, h, i) = ([J[..., row, column] for column in range(3)] for row in range(3))
    adjugate = np.empty_like(J)
    adjugate[..., 0, 0], adjugate[..., 0, 1], adjugate[..., 0, 2] = e * i - f * h, c * h - b * i, b * f - c * e
    adjugate[..., 1, 0], adjugate[..., 1, 1], adjugate[..., 1, 2] = f * g - d * i, a * i - c * g, c * d - a * f
    adjugate[..., 2, 0], adjugate[..., 2, 1], adjugate[..., 2, 2] = d * h - e * g, b * g - a * h, a * e - b * d
    return a * adjugate[..., 0, 0] + b * adjugate[..., 1, 0] + c * adjugate[..., 2, 0], adjugate


def summed_blocks(pattern: tuple[np.ndarray, np.ndarray, np.ndarray], blocks: np.ndarray, count: int) -> Any:
    """(3 n, 3 n) CSR from (9, e, a, a) blocks of pairs of nodes."""
    from scipy.sparse import bsr_array

    where, indices, indptr = pattern
    data = np.empty((len(indices), 9))
    for k in range(9):
        data[:, k] = np.bincount(where, weights=blocks[k].reshape(-1), minlength=len(indices))
    return bsr_array((data.reshape(-1, 3, 3), indices, indptr), shape=(3 * count, 3 * count)).tocsr()


def summed_masses(pattern: tuple[np.ndarray, np.ndarray, np.ndarray], masses: np.ndarray, count: int) -> Any:
    """(3 n, 3 n) CSR: the same mass for all three directions."""
    from scipy.sparse import csr_array, eye_array, kron

    where, indices, indptr = pattern
    data = np.bincount(where, weights=masses.reshape(-1), minlength=len(indices))
    return kron(csr_array((data, indices, indptr), shape=(count, count)), eye_array(3), format="csr")


def lumped_masses(table: np.ndarray, masses: np.ndarray, count: int) -> Any:
    """(3 n, 3 n) diagonal CSR."""
    from scipy.sparse import diags_array

    return diags_array(np.repeat(np.bincount(table.ravel(), weights=masses.ravel(), minlength=count), 3)).tocsr()


def pair_pattern(table: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every pair of nodes of every cell its place in a CSR pattern of node pairs; the pattern's columns and row starts."""
    width = table.shape[1]
    code = (np.repeat(table, width, axis=1) * np.int64(count) + np.tile(table, (1, width))).ravel()
    pairs, where = np.unique(code, return_inverse=True)
    rows, columns = np.divmod(pairs, count)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])
    return where.ravel(), columns.astype(np.int32), indptr.astype(np.int32)
