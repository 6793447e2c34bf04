"""The extended system (E) as the tree part of a mechanism with constraints: columns of M⁻¹ Cᵀ by its sparse factors, in Python.

A force of a constraint equation on a body stands in the first line of (E), one on a speed in the last; the right side holds
nothing else, and q̈ of the solution is M⁻¹ c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.extended_system import read_structure
from sharnir.dynamics.evaluation.tree_parts import RESPONSE_OF_COLUMNS, update_rows_of, write_columns_of
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import PLAIN, Pointer
from sharnir.kernel.signatures import DERIVATIVE, DERIVATIVE_C

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


class ExtendedTreePart:
    """Factors of (E) at the present position, and what the engine asks of them."""

    def __init__(self, system: Equations) -> None:
        self.sizes = system.table.size, system.params.size, system.work.size
        self.matrix: Any = None
        self.factors: Any = None
        self.kept = [self._callback(f) for f in (self.accelerations, self.update_factors, self.blocks)]
        addresses = [f.address if PLAIN else ctypes.cast(f, ctypes.c_void_p).value for f in self.kept]
        system.table[[L.F_TREE, L.F_FACTORS, L.F_BLOCKS]] = addresses
        system.table[L.F_RESPOND] = RESPONSE_OF_COLUMNS.address

    def solve(self, right: np.ndarray) -> np.ndarray:
        """The solution of (E) for one right side, refined once."""
        x = self.factors.solve(right)
        return x + self.factors.solve(right - self.matrix @ x)

    def factorize(self, table: np.ndarray, params: np.ndarray, work: np.ndarray, external: bool) -> np.ndarray:
        """(E) at the state of the work, factorized; returns its right side."""
        from scipy.sparse.linalg import splu

        self.matrix, right = read_structure(table, params, work, external).extended_system()
        self.factors = splu(self.matrix)
        return right

    def accelerations(self, external: float, _y: Any, vdot: np.ndarray, table: Any, params: Any, work: np.ndarray) -> None:
        """v̇ without constraints, and accelerations of bodies less gravity."""
        n, n_v = int(table[L.N_BODY]), int(table[L.N_V])
        try:
            x = self.solve(self.factorize(table, params, work, external == 1.0))
        except (ArithmeticError, RuntimeError, ValueError):  # a singular matrix, and C cannot raise
            x = np.full(12 * n + n_v, np.nan)
        vdot[:n_v] = x[12 * n :]
        body = work[table[L.W_BODY] :][: n * L.W_BODY_SIZE].reshape(n, -1)[:, L.ACC : L.ACC + 6]
        turn = work[table[L.W_POSE] :][: n * L.W_POSE_SIZE].reshape(n, -1)[:, :9].reshape(n, 3, 3)
        body[:] = x[: 6 * n].reshape(n, 6)
        body[:, :3] -= np.einsum("nji,j->ni", turn, params[L.GRAVITY : L.GRAVITY + 3])

    def update_factors(self, _t: float, _y: Any, _yd: Any, table: Any, params: Any, work: np.ndarray) -> None:
        """(E) at a position."""
        try:
            self.factorize(table, params, work, False)
        except (ArithmeticError, RuntimeError, ValueError):
            self.factors = None

    def blocks(self, tolerance: float, x: int, _hand: Any, table: Any, params: Any, work: np.ndarray) -> None:
        """Columns and blocks of A of one constraint element."""
        x = int(x)
        update_rows_of(x, table, params, work)
        n, n_v = int(table[L.N_BODY]), int(table[L.N_V])
        e = table[table[L.T_ELEMENT] + x * L.T_ELEMENT_SIZE :]
        rows, terms = int(e[L.E_COUNT]), int(e[L.E_TERMS])
        targets = table[e[L.E_TERM] :][: 2 * terms : 2]
        J = work[e[L.E_JACOBIAN] :][: 6 * rows * terms].reshape(rows, terms, 6)
        for r in range(rows):
            right = np.zeros(12 * n + n_v)
            for k, target in enumerate(targets):
                if target >= 0:
                    right[6 * target : 6 * target + 6] += J[r, k]
                elif target < -1:
                    right[12 * n - 2 - target] += J[r, k, 0]
            column = int(table[L.W_COLUMNS]) + (int(e[L.E_ROW]) + r) * n_v
            work[column : column + n_v] = np.nan if self.factors is None else self.solve(right)[12 * n :]
        write_columns_of(x, tolerance, table, work)

    def _callback(self, function: Callable) -> Any:
        """A function of the engine's blocks as one that the engine can call by its address."""
        if PLAIN:
            return Pointer(function, DERIVATIVE)

        def call(t: float, y: int, yd: int, table: int, params: int, work: int) -> None:
            integers = np.ctypeslib.as_array((ctypes.c_int64 * self.sizes[0]).from_address(table))
            numbers = [
                np.ctypeslib.as_array((ctypes.c_double * size).from_address(at))
                for at, size in zip((params, work), self.sizes[1:], strict=True)
            ]
            rates = np.ctypeslib.as_array((ctypes.c_double * max(1, int(integers[L.N_V]))).from_address(yd)) if yd else None
            function(t, y, rates, integers, *numbers)

        return DERIVATIVE_C(call)
