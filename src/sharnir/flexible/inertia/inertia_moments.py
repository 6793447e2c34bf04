"""Double sums of a mass matrix with fields over the nodes: every inertia matrix of a flexible body is a contraction of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

#: tilde(a)[d, e] = Σ_c TILDE[d, e, c] a[c], the cross-product matrix
TILDE = np.zeros((3, 3, 3))
for _d, _e, _c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    TILDE[_d, _e, _c], TILDE[_e, _d, _c] = -1.0, 1.0


@dataclass(frozen=True)
class InertiaMoments:
    """rr[b, d, f, g] = Σ_kl f_k m_kl[b, d] g_l over nodes k, l, with the 3×3 blocks m of the mass matrix; rp, pp likewise.

    Shifts (r) have the fields 1, ρ_x, ρ_y, ρ_z, then x, y, z of every shape: 4 + 3 h; rotations (p) have 1, then x, y, z of the
    rotation of every shape: 1 + 3 h. All changes of shapes by one another or by rigid motions are linear in these fields.

    >>> one = InertiaMoments(np.zeros((3, 3, 7, 7)), np.zeros((3, 3, 7, 4)), np.zeros((3, 3, 4, 4)))
    >>> one.count
    1
    """

    rr: np.ndarray
    rp: np.ndarray
    pp: np.ndarray

    @property
    def count(self) -> int:
        """The number h of shapes."""
        return (self.pp.shape[2] - 1) // 3

    def combined(
        self, recombination: np.ndarray, shift: np.ndarray | None = None, turn: np.ndarray | None = None
    ) -> InertiaMoments:
        """Moments of the shapes H Y - R S: recombined by Y (h, h'), less rigid motions S = (shift (3, h'), turn (3, h')).

        >>> one = InertiaMoments(np.ones((3, 3, 7, 7)), np.ones((3, 3, 7, 4)), np.ones((3, 3, 4, 4)))
        >>> float(one.combined(np.array([[2.0]])).rr[0, 0, 4, 0])
        2.0
        """
        h, new = recombination.shape
        A, B = np.zeros((4 + 3 * h, 4 + 3 * new)), np.zeros((1 + 3 * h, 1 + 3 * new))
        A[:4, :4], B[0, 0] = np.eye(4), 1.0
        A[4:, 4:] = B[1:, 1:] = np.kron(recombination, np.eye(3))
        if shift is not None and turn is not None:
            A[0, 4:] = -shift.T.ravel()
            # the shift under a turn s of the body is s × ρ, component c: TILDE[c, e, d] s_d ρ_e
            A[1:4, 4:] = -np.einsum("ced,di->eic", TILDE, turn).reshape(3, 3 * new)
            B[0, 1:] = -turn.T.ravel()
        return InertiaMoments(A.T @ self.rr @ A, A.T @ self.rp @ B, B.T @ self.pp @ B)


def fields_of(nodes: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """(n, 4 + 3 h): 1, place and shifts of the shapes at every node; nodes (n, 3), shapes (n, 3, h)."""
    n, _, h = shapes.shape
    fields = np.empty((n, 4 + 3 * h))
    fields[:, 0], fields[:, 1:4] = 1.0, nodes
    fields[:, 4:] = shapes.transpose(0, 2, 1).reshape(n, 3 * h)
    return fields


def rotation_fields(rotations: np.ndarray) -> np.ndarray:
    """(n, 1 + 3 h): 1 and the rotations of the shapes at every node; rotations (n, 3, h)."""
    n, _, h = rotations.shape
    fields = np.empty((n, 1 + 3 * h))
    fields[:, 0] = 1.0
    fields[:, 1:] = rotations.transpose(0, 2, 1).reshape(n, 3 * h)
    return fields


def inertia_matrices(moments: InertiaMoments) -> dict[str, np.ndarray]:
    """The 18 constant matrices of the general method by their names in Yudakov 2012, and J_ww.

    "rr,ρ" is I_rr,ρ and so on. Of shapes i, j: "rr,hi" (h, 3, 3), "rr,hihj" (h, h, 3, 3), "rr,hiH" (h, 3, h).

    >>> zero = InertiaMoments(np.zeros((3, 3, 7, 7)), np.zeros((3, 3, 7, 4)), np.zeros((3, 3, 4, 4)))
    >>> len(inertia_matrices(zero)) - 1
    18
    """
    return dict(_by_position(moments)) | dict(_by_shapes(moments))


def _parts(m: InertiaMoments) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """rr, rp, pp with the fields of shapes split into (shape, component)."""
    h = m.count
    rr = m.rr[:, :, 4:, 4:].reshape(3, 3, h, 3, h, 3)
    rp = m.rp[:, :, 4:, 1:].reshape(3, 3, h, 3, h, 3)
    pp = m.pp[:, :, 1:, 1:].reshape(3, 3, h, 3, h, 3)
    return rr, rp, pp


def _by_position(m: InertiaMoments) -> Iterator[tuple[str, np.ndarray]]:
    """Those without shapes, and those with the positions ρ."""
    h, E = m.count, TILDE
    rho = slice(1, 4)
    yield "rr", m.rr[:, :, 0, 0]
    yield "rφ", m.rp[:, :, 0, 0]
    yield "φφ", m.pp[:, :, 0, 0]
    yield "rr,ρ", np.einsum("bdc,dec->be", m.rr[:, :, 0, rho], E)
    yield "φr,ρ", np.einsum("dbc,dec->be", m.rp[:, :, rho, 0], E)
    yield "rr,ρρ", np.einsum("abp,bdpc,dec->ae", E, m.rr[:, :, rho, rho], E)
    with_shapes = m.rr[:, :, rho, 4:].reshape(3, 3, 3, h, 3)
    yield "rr,ρhi", np.einsum("abp,bdpic,dec->iae", E, with_shapes, E)
    yield "rr,ρH", np.einsum("abp,bdpid->ai", E, with_shapes)
    yield "rφ,ρH", np.einsum("abp,bdpid->ai", E, m.rp[:, :, rho, 1:].reshape(3, 3, 3, h, 3))


def _by_shapes(m: InertiaMoments) -> Iterator[tuple[str, np.ndarray]]:
    """Those with shapes only."""
    h, E = m.count, TILDE
    one_h = m.rr[:, :, 0, 4:].reshape(3, 3, h, 3)
    h_one = m.rp[:, :, 4:, 0].reshape(3, 3, h, 3)
    rr, rp, pp = _parts(m)
    yield "rr,hi", np.einsum("bdic,dec->ibe", one_h, E)
    yield "φr,hi", np.einsum("dbic,dec->ibe", h_one, E)
    yield "rr,H", np.einsum("bdid->bi", one_h)
    yield "rφ,H", np.einsum("bdid->bi", m.rp[:, :, 0, 1:].reshape(3, 3, h, 3))
    yield "φr,H", np.einsum("dbid->bi", h_one)
    yield "φφ,H", np.einsum("bdid->bi", m.pp[:, :, 0, 1:].reshape(3, 3, h, 3))
    half = np.einsum("abp,bdipjc->adijc", E, rr)
    yield "rr,hihj", np.einsum("adijc,dec->ijae", half, E)
    yield "rr,hiH", np.einsum("adijd->iaj", half)
    yield "rφ,hiH", np.einsum("abp,bdipjd->iaj", E, rp)
    mixed = np.einsum("bdibjd->ij", rp)
    yield "ww", np.einsum("bdibjd->ij", rr) + mixed + mixed.T + np.einsum("bdibjd->ij", pp)
