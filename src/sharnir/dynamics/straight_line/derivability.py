"""Which models have equations that are formulas of the state alone."""

from __future__ import annotations

from typing import Any, Protocol

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.equations import Equations
from sharnir.errors import ModelError
from sharnir.kernel import PLAIN


class Derivable(Equations, Protocol):
    """Equations that count in the memory of a run, at `handed_over`, how often derived code has asked the engine.

    `quicker` keeps what a long run has derived.
    """

    handed_over: int
    quicker: dict[str, Any]

    def derive(self) -> None: ...


def check_derivable(system: Equations, smooth: bool = False) -> None:
    """Refuse models whose rates need the engine's memory, saying what asks for it.

    smooth : refuse also those whose rates jump or bend: who wants derivatives of them.
    """
    table, who = system.table, f"model '{system.model.name}': method 'symbolic'"
    if PLAIN:
        raise ModelError(f"{who} is machine code, which plain Python (NUMBA_DISABLE_JIT=1) does not use; choose another method")
    if smooth and table[L.N_SWITCH]:
        raise ModelError(f"{who} has no derivatives of formulas that jump or bend with the state; use 'articulated' or 'auto'")
    if system.constrained and table[L.SOLVER] == L.NULL_SPACE:
        raise ModelError(f"{who} divides by the inertia of every body; use solver='null-space' with method='auto'")
    if system.params[L.STABILIZE_POSITION] or system.params[L.STABILIZE_SPEED]:
        raise ModelError(f"{who} keeps constraints by projection; leave stabilization out")
