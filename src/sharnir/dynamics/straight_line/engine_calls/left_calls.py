"""All that derived code of one model leaves to functions of the engine, in the order in which they are called."""

from __future__ import annotations

from typing import Any

from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.straight_line.engine_calls.engine_forces import EngineForces
from sharnir.dynamics.straight_line.engine_calls.friction_loads import KERNELS, FrictionLoads
from sharnir.dynamics.straight_line.graph_code import GraphCode
from sharnir.equations.mechanism import Mechanism


class LeftCalls:
    """Calls of the engine.

    first : the first slot that is free for its functions.   whole : why the engine computes whole evaluations, where it does.
    kernels : its functions, in the order of their slots.
    """

    def __init__(self, system: Equations, m: Mechanism, first: int) -> None:
        left = m.engine
        assert left is not None
        self.whole = left.whole
        loads = bool(left.frictions) and not self.whole
        self.forces = EngineForces(system, m) if left.names and not self.whole else None
        self.loads = FrictionLoads(system, left, (first, first + 1)) if loads else None
        self.kernels: tuple[Any, ...] = KERNELS if loads else ()

    def write(self, code: GraphCode) -> None:
        """Calls of forces and of what solves for loads; from then on all symbols have values."""
        if self.loads is not None:
            self.loads.prepare(code)
        if self.forces is not None:
            self.forces.write(code)
        if self.loads is not None:
            self.loads.write(code)
