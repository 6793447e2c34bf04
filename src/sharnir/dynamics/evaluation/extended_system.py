"""Matrices of Ivanov et al. 2012 written out: S, T, A, B, M, w*, F, and the extended system (E) as a right-hand side.

Nothing here is fast. Every matrix is built from its definition, so that the recursions can be checked against them: the
solution goes through Python and is independent of every recursion's elimination.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.flexible_right_hand_sides import flexible_inertias_at
from sharnir.dynamics.evaluation.python_entries import evaluate_rates, prepare_state
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import PLAIN, Pointer
from sharnir.kernel.signatures import DERIVATIVE, DERIVATIVE_C

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def extended_derivative(system: Equations) -> Any:
    """Address of a function that solves (E) at every call."""
    kept: Any = getattr(system, "_extended", None)
    if kept is None:
        kept = Pointer(_plain(system), DERIVATIVE) if PLAIN else DERIVATIVE_C(_from_addresses(system))
        system._extended = kept  # type: ignore[attr-defined]
    return kept.address if PLAIN else ctypes.cast(kept, ctypes.c_void_p).value


def _fill(system: Equations, t: float, y: np.ndarray, yd: np.ndarray, work: np.ndarray) -> None:
    q, v = y[: system.n_q], y[system.n_q :]
    prepare_state(t, q, v, system.table, system.params, work)
    yd[system.n_q :] = read_structure(system.table, system.params, work).extended_solution()[2]
    evaluate_rates(q, v, yd, system.table, system.params)


def _plain(system: Equations) -> Any:
    def derivative(t: float, y: np.ndarray, yd: np.ndarray, table: Any, params: Any, work: np.ndarray) -> None:
        n = system.n_q + system.n_v
        _fill(system, t, y[:n], yd[:n], work)

    return derivative


def _from_addresses(system: Equations) -> Any:
    def view(address: int, size: int) -> np.ndarray:
        return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))

    def derivative(t: float, y: int, yd: int, table: int, params: int, work: int) -> None:
        n = system.n_q + system.n_v
        rates = view(yd, n)
        try:
            _fill(system, t, view(y, n), rates, view(work, system.work.size))
        except (ArithmeticError, RuntimeError, ValueError):  # a singular matrix, and C cannot raise
            rates[:] = np.nan

    return derivative


def skew(a: np.ndarray) -> np.ndarray:
    """Cross-product matrix a~.

    >>> skew(np.array([0.0, 0.0, 1.0])) @ np.array([1.0, 0.0, 0.0])
    array([0., 1., 0.])
    """
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


@dataclass(frozen=True)
class Structure:
    """Matrices of kinematics and dynamics at one state, bodies in regular numbering, order (linear, angular).

    S : 6N×6N, S_ii = E, S_i,parent = -C_i.   T : S⁻¹.   A : 6N×n, motion axes.   B = T A.
    M : 6N×6N inertias.   F : 6N forces without reactions, gravity among them.   w : 6N, w* = ψ^r + w^c.   tau : n.
    P : 6N×n, M_rw of flexible bodies.   W : n×n, their M_ww, and inertias of rotors on the diagonal. A has shapes of flexible
    bodies at nodes, tau all forces along w.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> x = m.compile().structure([0.0], [0.0])
    >>> x.A.shape, x.B.T @ x.M @ x.B
    ((6, 1), array([[1.]]))
    """

    parent: tuple[int, ...]
    C: np.ndarray
    A: np.ndarray
    M: np.ndarray
    F: np.ndarray
    w: np.ndarray
    tau: np.ndarray
    P: np.ndarray
    W: np.ndarray

    @property
    def S(self) -> np.ndarray:
        """Matrix of kinematic structure: S v = v^r."""
        n = len(self.parent)
        S = np.eye(6 * n)
        for i, p in enumerate(self.parent):
            if p >= 0:
                S[6 * i : 6 * i + 6, 6 * p : 6 * p + 6] = -self.C[i]
        return S

    @property
    def T(self) -> np.ndarray:
        """S⁻¹ by its recursion: T_ij = C_i T_parent(i),j for j on the path."""
        n = len(self.parent)
        T = np.eye(6 * n)
        for i, p in enumerate(self.parent):
            if p >= 0:
                T[6 * i : 6 * i + 6, : 6 * i] = self.C[i] @ T[6 * p : 6 * p + 6, : 6 * i]
        return T

    @property
    def B(self) -> np.ndarray:
        """Tangent basis of the system: v = B q̇ + φ."""
        return self.T @ self.A

    @property
    def mass_matrix(self) -> np.ndarray:
        """Bᵀ M B, with flexible bodies + Bᵀ P + Pᵀ B + W."""
        half = self.B.T @ self.P
        return self.B.T @ self.M @ self.B + half + half.T + self.W

    def extended_system(self):
        """(E): sparse matrix and right side in (v̇, R, q̈): M v̇ - Sᵀ R = F, -S v̇ + A q̈ = -w*, Aᵀ R = τ.

        With flexible bodies P q̈ is added to the first line, Pᵀ v̇ + W q̈ to the last.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().structure([0.0], [0.0]).extended_system()[0].shape
        (13, 13)
        """
        from scipy import sparse

        S, A, M, P, W = (sparse.csc_array(x) for x in (self.S, self.A, self.M, self.P, self.W))
        matrix = sparse.block_array([[M, -S.T, P], [-S, None, A], [P.T, A.T, W]], format="csc")
        return matrix, np.concatenate([self.F, -self.w, self.tau])

    def extended_solution(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations of bodies, reactions, q̈ from (E) by a sparse LU factorization with one refinement.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().structure([0.0], [0.0]).extended_solution()[2].round(9)
        array([9.81])
        """
        from scipy.sparse.linalg import splu

        matrix, right = self.extended_system()
        factors = splu(matrix)
        x = factors.solve(right)
        x += factors.solve(right - matrix @ x)
        n = 6 * len(self.parent)
        return x[:n], x[n : 2 * n], x[2 * n :]


def read_structure(table: np.ndarray, params: np.ndarray, work: np.ndarray, external: bool | None = None) -> Structure:
    """The matrices at the state that `prepare_state` was last called with. Gravity acts as a force m g here.

    external : whether forces act on bodies; None: if the model has force elements.
    """
    external = bool(table[L.N_FORCE]) if external is None else external
    n, n_v = int(table[L.N_BODY]), int(table[L.N_V])
    rows = table[table[L.T_BODY] :][: n * L.T_BODY_SIZE].reshape(n, -1)
    body = params[table[L.P_BODY] :][: n * L.P_BODY_SIZE].reshape(n, -1)
    w = work[table[L.W_BODY] :][: n * L.W_BODY_SIZE].reshape(n, -1)
    pose = work[table[L.W_POSE] :][: n * L.W_POSE_SIZE].reshape(n, -1)
    C, M, A = np.zeros((n, 6, 6)), np.zeros((6 * n, 6 * n)), np.zeros((6 * n, n_v))
    F, bias = np.zeros(6 * n), w[:, L.BIAS : L.BIAS + 6].ravel().copy()
    for i in range(n):
        G, rho = w[i, L.G : L.G + 9].reshape(3, 3), w[i, L.RHO : L.RHO + 3]
        C[i] = np.block([[G, -G @ skew(rho)], [np.zeros((3, 3)), G]])
        m, h = body[i, L.MASS], body[i, L.FIRST_MOMENT : L.FIRST_MOMENT + 3]
        xx, xy, xz, yy, yz, zz = body[i, L.INERTIA : L.INERTIA + 6]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.block([[m * np.eye(3), -skew(h)], [skew(h), J]])
        om = w[i, L.VEL + 3 : L.VEL + 6]
        weight = pose[i, :9].reshape(3, 3).T @ params[L.GRAVITY : L.GRAVITY + 3]
        F[6 * i : 6 * i + 3] = m * weight - skew(om) @ skew(om) @ h
        F[6 * i + 3 : 6 * i + 6] = skew(h) @ weight - skew(om) @ J @ om
        if external:
            F[6 * i : 6 * i + 6] += work[table[L.W_EXTERNAL] + 6 * i :][:6]
        for f in range(rows[i, L.FIRST_FREEDOM], rows[i, L.FIRST_FREEDOM] + rows[i, L.COUNT_FREEDOM]):
            k = table[table[L.T_FREEDOM] + f * L.T_FREEDOM_SIZE + L.SPEED]
            if k >= 0:
                A[6 * i : 6 * i + 6, k] = work[table[L.W_AXES] + 6 * f :][:6]
    found = Structure(
        parent=tuple(int(p) for p in rows[:, L.PARENT]),
        C=C,
        A=A,
        M=M,
        F=F,
        w=bias,
        tau=work[table[L.W_TAU] :][:n_v].copy(),
        P=np.zeros((6 * n, n_v)),
        W=np.diag(params[table[L.P_ARMATURE] :][:n_v]),
    )
    if table[L.N_ELASTIC]:
        add_flexible_bodies(found, table, params, work, external)
    return found


def add_flexible_bodies(s: Structure, table: np.ndarray, params: np.ndarray, work: np.ndarray, external: bool) -> None:
    """Fill what flexible bodies and their nodes have in the matrices; gravity acts as M (g, 0, 0)."""
    n = len(s.parent)
    rows = table[table[L.T_BODY] :][: n * L.T_BODY_SIZE].reshape(n, -1)
    pose = work[table[L.W_POSE] :][: n * L.W_POSE_SIZE].reshape(n, -1)
    own = np.zeros((n, 33))
    flexible_inertias_at(own, table, params, work)
    for i, row in enumerate(rows):
        h, at = int(row[L.COUNT_ELASTIC]), int(row[L.ELASTIC_W])
        body, speeds = slice(6 * i, 6 * i + 6), slice(int(row[L.ELASTIC_V]), int(row[L.ELASTIC_V]) + h)
        if h and row[L.KIND] == L.NODE:
            s.A[body, speeds] = work[at : at + 6 * h].reshape(h, 6).T
        elif h:
            A, B, C = own[i, :27].reshape(3, 3, 3)
            s.M[body, body] = np.block([[A, B], [B.T, C]])
            s.P[body, speeds] = work[at + 4 * h : at + 10 * h].reshape(h, 6).T
            s.W[speeds, speeds] = work[at + 10 * h : at + 10 * h + h * h].reshape(h, h)
            weight = np.concatenate([pose[i, :9].reshape(3, 3).T @ params[L.GRAVITY : L.GRAVITY + 3], np.zeros(3)])
            s.F[body] = s.M[body, body] @ weight - own[i, 27:]
            s.tau[speeds] = work[at + 2 * h : at + 3 * h] + s.P[body, speeds].T @ weight
            if external:
                s.F[body] += work[table[L.W_EXTERNAL] + 6 * i :][:6]
