"""How a run depends on parameters and initial values: its equations of variation, integrated beside the motion.

S = ∂y/∂p follows Ṡ = ∂f/∂y S + ∂f/∂p, with exact derivatives (dynamics/straight_line), from S(0) = ∂y₀/∂p. With loops, S stays on
what the constraints allow, as the motion does; events and ticks of clocks change it (saltation.py). A channel c(t, y; p) then
changes by ∂c/∂y S + ∂c/∂p, derivatives of sixth order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sharnir.arguments import shown
from sharnir.dynamics.straight_line.derivability import check_derivable
from sharnir.dynamics.straight_line.derivatives import parametric_code, plain_code
from sharnir.dynamics.straight_line.neighbours import PLACES, Neighbours, sixth_order
from sharnir.dynamics.straight_line.unit_change import unit_change
from sharnir.dynamics.straight_line.variations import variation_problem
from sharnir.dynamics.system import System
from sharnir.errors import ModelError, SimulationError
from sharnir.integrate import integrate
from sharnir.results import Result
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.run_channels import RunChannels
from sharnir.simulate.saltation import Saltation, VariedMotion, check_samples, moments_of

STEP = 3e-3  # of differences along S: radians, or sizes of the mechanism


class Sensitivities:
    """Sensitivities of one run, each state sensitivity computed once."""

    def __init__(self, system: System, t: np.ndarray, log: Sequence[dict[str, Any]], refused: str = "") -> None:
        """log : events of the run.   refused : what it did that equations of variation do not know."""
        self.system, self.t, self.log, self.refused = system, t, log, refused
        self._found: dict[tuple[str, float], tuple[np.ndarray, np.ndarray, Neighbours | None]] = {}

    def __call__(self, channel: str, by: str, tolerance: float) -> np.ndarray:
        """∂channel/∂by over time."""
        if not isinstance(by, str):
            raise ModelError(f"sensitivity by {shown(by)}: name one parameter, initial coordinate or speed")
        if (by, tolerance) not in self._found:
            self._check(by)
            self._found[by, tolerance] = self._states(by, tolerance)
        y, S, neighbours = self._found[by, tolerance]
        found = self._along(channel, y, S)
        if neighbours is not None:
            found = found + neighbours.slope(lambda other: self._values(other, y, channel))
        return found

    def _check(self, by: str) -> None:
        """Refuse runs whose motion jumps, or has no formulas."""
        who = self._who(by)
        if self.refused:
            raise ModelError(f"{who}: {self.refused}, which is not supported")
        check_samples(self.system, who)
        check_derivable(self.system, smooth=True)

    def _who(self, by: str) -> str:
        return f"sensitivity of a run of model '{self.system.model.name}' to {by!r}"

    def _states(self, by: str, tolerance: float) -> tuple[np.ndarray, np.ndarray, Neighbours | None]:
        """States and their derivatives at the times of output, (nt, n) each."""
        s, neighbours = self.system, None
        if by in s.model.parameters:
            code = parametric_code(s, (by,))
            neighbours = code.neighbours[by]
            start, changes = neighbours.slope(lambda other: other.y0), code.slopes[:, 0]
            derivation, numbers, size = code.derivation, code.values, abs(neighbours.value) or 1.0
        else:
            derived = plain_code(s)
            start, changes = unit_change(s, by), np.zeros(0)
            derivation, numbers, size = derived.derivation, np.zeros(0), 1.0
        problem, lanes = variation_problem(s, derivation, numbers, size * changes)
        n = len(s.y0)

        def go(t: float, y: np.ndarray, dy: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """Integrate both from a time over others."""
            whole = np.concatenate([y, np.repeat(dy, lanes)])
            solution = integrate(problem, whole, np.append(t, times), "dop853", rtol=tolerance, atol=1e-2 * tolerance)
            if solution.status != "finished" or not np.isfinite(solution.y).all():
                raise SimulationError(
                    f"sensitivity by {by!r}: the equations of variation could not be integrated: {solution.message}"
                )
            return solution.y[1:, :n].copy(), solution.y[1:, n::lanes].copy()

        motion = VariedMotion(go, Saltation(s, neighbours, size, self._who(by)), self.t)
        y, S = motion.over(s.y0, size * start, moments_of(s, self.log, float(self.t[-1])))
        return y, S / size, neighbours

    def _along(self, channel: str, y: np.ndarray, S: np.ndarray) -> np.ndarray:
        """∂c/∂y S: differences along S, whose length is that of a small motion at every moment."""
        step = STEP / np.maximum(np.abs(S).max(axis=1), 1e-300)
        step[~S.any(axis=1)] = 1.0
        moved = [self._values(self.system, y + k * step[:, None] * S, channel) for k in PLACES]
        total = sixth_order(moved, 1.0)
        return total / step.reshape(-1, *[1] * (total.ndim - 1))

    def _values(self, system: System, y: np.ndarray, channel: str) -> np.ndarray:
        """A channel of a system at given states."""
        return np.array(Result(self.t, RunChannels(Observer(system, self.t, np.ascontiguousarray(y))))[channel])
