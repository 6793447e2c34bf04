"""The right-hand side, its power balance and the projection onto the constraints of one model, as machine code of its own.

The code reads the state and writes rates, as the engine's kernels do, but leaves the engine's memory alone. Near singular
positions it hands over to the engine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.power_balance import WITH_BALANCE
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.straight_line.called_functions import called_functions, users_of
from sharnir.dynamics.straight_line.derivability import Derivable
from sharnir.dynamics.straight_line.engine_calls.friction_loads import bristle_tracks
from sharnir.dynamics.straight_line.function_writer import Writer
from sharnir.dynamics.straight_line.held_switches import held_nodes
from sharnir.dynamics.straight_line.module_text import ModuleText, fill
from sharnir.dynamics.straight_line.singular_guard import least_pivots
from sharnir.dynamics.straight_line.state_map import State
from sharnir.equations.elements.left_forces import LeftForces
from sharnir.equations.model_numbers import ModelNumbers, number_symbol
from sharnir.equations.solved_equations import solution_of
from sharnir.equations.tracking import tracks_of
from sharnir.errors import ModelError
from sharnir.kernel.formulas.machine_code import ObjectCode, kept_object_file


class Derivation:
    """Equations of one model as an object file, which serves all systems of its structure.

    most : operations of an evaluation above which a ModelError is raised instead.   numbers : which of the model's numbers are to
    stand in memory.   without_slopes : what has no derivatives, as the beginning of a sentence, or None.
    left : forces that the engine computes.
    """

    def __init__(self, system: Derivable, most: float = math.inf, numbers: ModelNumbers | None = None) -> None:
        self.numbers, self.constrained = numbers, system.constrained
        self.left = left = LeftForces()
        self.solution = solution_of(system.model, system.tree, numbers, left)
        tracks = [*tracks_of(self.solution.mechanism), *bristle_tracks(system), *self.solution.control]
        self.state = State(system, self.solution, tracks)
        roots = [*self.state.rates, self.solution.power]
        self.held = held_nodes(system, self.solution.mechanism, self.state, roots)
        least = least_pivots(system, self.solution, self.state.places)
        self.writer = Writer(self.solution, self.state, least, system.handed_over, self.held, system)
        parts = self.writer.derivatives()
        self.operations = parts[0].count("\n")
        if left.whole and most < math.inf:
            raise ModelError(f"method 'symbolic' leaves everything to the engine: {left.whole}")
        if self.operations > most:
            raise ModelError(
                f"method 'symbolic' needs {self.operations} operations, more than {most:.0f}, which the engine needs"
            )
        if self.constrained:
            parts += self.writer.projection()
        text = ModuleText(parts, self.writer.slots, len(self.writer.numbers))
        self.object_file = kept_object_file(text.text, text.effort)
        if system.table[L.N_SWITCH]:
            system.assembly.functions.forget()  # what users' functions raised where switches were looked for
        # whether a run learns how near all switches came to zero; whether the equations have a slope wherever they are evaluated
        self.tells_switches = len(self.writer.told) == system.table[L.N_SWITCH]
        self.bends_only = all(system.assembly.functions.sides.bends)
        self.without_slopes = self._without_slopes()

    def _without_slopes(self) -> str | None:
        """What has no derivatives: the past, users' functions of what moves, forces that the engine computes."""
        left = self.left
        for kept in left.kept.values():
            return f"'{kept.rpartition('.')[0]}' depends on the past, and so no derivatives are known; leave it out"
        for joint, _ in left.courses.values():
            return f"joint '{joint}' follows an input, so that the motion has no derivatives; leave it out"
        moving = {*self.state.places, *map(number_symbol, self.writer.numbers)}
        users = users_of(self.solution.mechanism.entries, self.state.rates, moving)
        if users is not None:
            return f"'{users}' is a Python function, whose derivatives are not known; give a formula, a Table"
        for name in left.names:
            return f"{self.solution.mechanism.model.forces[name].label} has no closed form, and so no derivatives; leave it out"
        return None

    def check_slopes(self) -> None:
        """Refuse derivatives of users' functions, and of forces that the engine computes."""
        if self.without_slopes is not None:
            raise ModelError(f"{self.without_slopes}, or take differences of runs")

    def called(self, system: Derivable) -> list[Any]:
        """What its code calls through slots, as C functions."""
        return [*called_functions(self.solution.mechanism.entries, system), *self.writer.left.kernels]


class DerivedFunctions:
    """Machine code of one system: addresses of `derivative`, `balanced` (with the power behind the rates) and `projection`.

    numbers : those of the model that stand in memory.
    """

    def __init__(self, system: Derivable, derivation: Derivation, numbers: Sequence[float] = ()) -> None:
        self.derivation, self.numbers = derivation, list(numbers)
        self.directions: Any = None  # the derivatives, when someone has asked for them (derived_directions.py)
        projection = PROJECTION.address if system.constrained else 0
        self._kept = derivation.called(system)
        self._code = ObjectCode(derivation.object_file)
        tables = [f.address for f in self._kept]
        fill(self._code, [system.derivative.address, WITH_BALANCE.address, projection, 0, 0, 0, *tables], numbers)
        self.derivative = self._code.address_of("derivative")
        self.balanced = self._code.address_of("balanced")
        self.projection = self._code.address_of("projection") if projection else None
