"""The extended system as a right-hand side: slow, through Python, and independent of every recursion's elimination."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import evaluate_rates, prepare_state
from sharnir.dynamics.evaluation.structure import read_structure
from sharnir.kernel import PLAIN
from sharnir.kernel.signatures import DERIVATIVE_C

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def extended_derivative(system: Equations) -> Any:
    """A C function (or, without compilation, a Python function) that solves (E) at every call."""
    kept = getattr(system, "_extended", None)
    if kept is None:
        kept = _plain(system) if PLAIN else DERIVATIVE_C(_from_addresses(system))
        system._extended = kept  # type: ignore[attr-defined]
    return kept if PLAIN else ctypes.cast(kept, ctypes.c_void_p).value


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
