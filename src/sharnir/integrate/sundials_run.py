"""One run of a SUNDIALS integrator: its internal steps one by one, corrections, output, and how it ended."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.integrate.run_end import Pace
from sharnir.integrate.solution import DenseOutput, Solution, restore_quaternions
from sharnir.integrate.stepping import step_horizon
from sharnir.integrate.stepping.problem import Problem, address
from sharnir.integrate.stepping.run_memory import HEADER, padded
from sharnir.integrate.stepping.settings import Settings, checked_grid, checked_state
from sharnir.kernel import derivative_at, location

if TYPE_CHECKING:
    from sharnir.integrate.sundials import Sundials

NODES = 6  # states in a dense record
RESTART = 5.0  # tolerances that a state may be off the constraints (or a quaternion off the sphere) before it restarts


class SundialsRun:
    """Steps of a solver until the grid is done.

    SUNDIALS keeps its own history, into which a corrected state does not enter. So every state that leaves is corrected, and the
    history drifts, until that matters: then the solver restarts from the corrected state, without the part that would excite
    stiff springs.
    """

    def __init__(
        self,
        integrator: Sundials,
        problem: Problem,
        y0: Any,
        t_grid: Any,
        settings: Settings,
        progress: Callable[[float], Any] | None,
    ) -> None:
        if not settings.control:
            raise ModelError(f"integrator {integrator.name!r} chooses its steps itself: control must be True", field="control")
        if problem.lanes > 1:
            raise ModelError(f"integrator {integrator.name!r} handles one problem at a time, not {problem.lanes} lanes")
        located = problem.events is not None and len(problem.directions) > problem.bends
        if located and problem.switches == len(problem.directions):
            raise ModelError(
                f"integrator {integrator.name!r} does not end its steps where formulas switch with the state, such as "
                "if(q > 1, …), or at knots of tables of the state; use 'bdf' or 'radau5', or say smooth(…) in the formula and "
                "smooth=True in the table, if they may be stepped over",
                field="integrator",
            )
        if located or problem.history is not None:
            raise ModelError(f"integrator {integrator.name!r} does not support events; use 'bdf' or 'radau5'", field="integrator")
        self.integrator, self.problem, self.settings, self.progress = integrator, problem, settings, progress
        self.grid, self.y = checked_grid(t_grid), checked_state(problem, y0)
        self.t = float(self.grid[0])
        self.atol = settings.absolute_tolerance(problem)
        self.pace = Pace(self.t, float(self.grid[-1]), settings.max_evaluations)
        self.evaluations = self.steps = self.corrections = self.restarts = 0
        self.residuals, self.lengths = np.zeros(2), (math.inf, 0.0)
        self.report, self.reason = np.zeros(8), ""
        self._derivative, self._projection = self._callable(problem.derivative), self._callable(problem.projection)
        self._horizon = self._callable(problem.horizon)
        size = step_horizon.memory_size(problem.n, problem.horizon_memory)
        self.ahead = None if problem.horizon is None else np.zeros(size)
        self._data = [location(array) for array in (problem.table, problem.params, problem.work)]
        self.returning, self.breaks_passed = False, 0
        start, end = float(self.grid[0]), float(self.grid[-1])
        found = problem.breaks(start, end) if problem.breaks is not None and end > start else np.zeros((0, 2))
        self.breaks = [(float(a), float(b)) for a, b in found if b > start and a < end]
        self.outputs: list[np.ndarray] = []
        self.records: list[np.ndarray] = []
        options = {"rtol": settings.rtol, "atol": self.atol, "max_order": integrator.order, "max_num_steps": 10**9}
        options["first_step"] = 0.0 if settings.step is None else settings.step
        options["max_step"] = 0.0 if math.isinf(settings.max_step) else settings.max_step
        self.solver = integrator.solver(self.derivative, options)

    @staticmethod
    def _callable(function: Any) -> Any:
        where = address(function)
        return 0 if where == 0 else derivative_at(where)

    def derivative(self, t: float, y: np.ndarray, ydot: np.ndarray) -> None:
        self._derivative(t, location(y), location(ydot), *self._data)
        self.evaluations += 1

    def corrected(self, t: float, y: np.ndarray) -> np.ndarray:
        """y with unit quaternions and on the constraints; report[3] says whether that failed."""
        y = np.array(y, dtype=float)
        states = y.reshape(1, -1, 1)
        restore_quaternions(self.problem, states)
        if self._projection != 0:
            self._projection(t, location(y), location(self.report), *self._data)
            restore_quaternions(self.problem, states)
        return y

    def begin(self) -> str:
        """Correct the initial state, and start the solver; the status if that does not work."""
        if np.isfinite(self.y).all():
            self.y = self.corrected(self.t, self.y)
        ydot = np.zeros(self.problem.n)
        self.derivative(self.t, self.y, ydot)
        self.outputs.append(self.y)
        if not (np.isfinite(self.y).all() and np.isfinite(ydot).all()):
            return "not finite"
        if self.report[3] != 0.0:
            return "constraints not satisfied"
        self.integrator.start(self.solver, self.t, self.y, ydot)
        return "running"

    def step(self) -> str:
        """One internal step, and the outputs in it."""
        if self.breaks and self.t >= self.breaks[0][0]:
            return self.pass_break()
        t0, y0, t_end = self.t, self.y, float(self.grid[-1])
        next_break = self.breaks[0][0] if self.breaks else math.inf
        result = self.solver.step(t_end, method="onestep", tstop=min(t_end, self.horizon(), next_break))
        if result.status < 0:
            self.reason = result.message
            return "step too small"
        raw = np.array(result.y, dtype=float)
        if float(result.t) <= t0 and self.returning:
            self.returning = False  # it only came back from an output in between
            return "running"
        if float(result.t) < t_end and float(result.t) - t0 <= 1e-15 * abs(t0):
            self.reason = "its steps are lost in the rounding of t"
            return "step too small"
        if not np.isfinite(raw).all():
            return "not finite"
        self.t = float(result.t)
        self.y = self.corrected(self.t, raw)
        if self.report[3] != 0.0:
            self.t, self.y = t0, y0
            return "constraints not satisfied"
        self.steps += 1
        self.lengths = min(self.lengths[0], self.t - t0), max(self.lengths[1], self.t - t0)
        self.residuals = np.maximum(self.residuals, self.report[:2])
        self.corrections += int(self.report[2] != 0.0)
        status = self.write(t0, y0)
        self.restart_if_astray(raw)
        return status

    def pass_break(self) -> str:
        """The run stands before a moment at which the right-hand side stops being smooth: begin anew behind it."""
        _, behind = self.breaks.pop(0)
        if behind <= self.t:
            return "running"
        while len(self.outputs) < len(self.grid) and self.grid[len(self.outputs)] <= behind:
            self.outputs.append(self.y)
        if len(self.outputs) == len(self.grid):
            return "finished"
        ydot = np.zeros(self.problem.n)
        self.t, self.returning, self.breaks_passed = float(behind), False, self.breaks_passed + 1
        self.derivative(self.t, self.y, ydot)
        self.integrator.start(self.solver, self.t, self.y, ydot)
        return "running"

    def horizon(self) -> float:
        """Until when a step may go, so that it jumps over no contact (step_horizon.py)."""
        if self.ahead is None:
            return math.inf
        if self.ahead[step_horizon.KNOWN] != 1.0 or self.ahead[step_horizon.BEFORE] != self.t:
            self.derivative(self.t, self.y, self.ahead[step_horizon.HEADER :][: self.problem.n])
            self.ahead[step_horizon.ASKED] = float(self.grid[-1]) - self.t
            self._horizon(self.t, location(self.y), location(self.ahead), *self._data)
        return self.t + max(float(self.ahead[step_horizon.SAFE]), 1e-12 * abs(self.t))

    def write(self, t0: float, y0: np.ndarray) -> str:
        """Grid points in (t0, t], and the dense record of the step."""
        if self.settings.dense:
            n, record = self.problem.n, np.zeros(HEADER + NODES * padded(self.problem.n))
            record[:2] = t0, self.t
            rows = record[HEADER:].reshape(NODES, -1)
            rows[0, :n], rows[-1, :n] = y0, self.y
            for k, t in enumerate(np.linspace(t0, self.t, NODES)[1:-1]):
                rows[k + 1, :n] = self.between(float(t))
            self.records.append(record)
        while len(self.outputs) < len(self.grid) and self.grid[len(self.outputs)] <= self.t:
            t = float(self.grid[len(self.outputs)])
            self.outputs.append(self.y if t == self.t else self.corrected(t, self.between(t)))
            if self.report[3] != 0.0:
                self.outputs.pop()
                return "constraints not satisfied"
        return "finished" if len(self.outputs) == len(self.grid) else "running"

    def between(self, t: float) -> np.ndarray:
        """State at a time within the last step; the next step first comes back to where the solver was."""
        self.returning = True
        return np.array(self.solver.step(t).y)

    def judged(self) -> str:
        """Status of a run that could go on, from the number of its evaluations."""
        if self.evaluations >= self.settings.max_evaluations:
            return "too many evaluations"
        if self.evaluations >= self.pace.mark:
            self.pace.look(self.evaluations, self.t)
        return "stalled" if self.pace.stalled else "running"

    def distance(self, raw: np.ndarray) -> float:
        """How far a state is from its correction, in tolerances of the lengths of q, v, z.

        Not of every entry: a stiff spring has tiny ones, which a correction changes by more than they are.
        """
        n_q, n_v, norm = self.problem.n_q, self.problem.n_v, np.linalg.norm
        parts = [part for part in np.split(np.arange(self.problem.n), [n_q, n_q + n_v]) if len(part)]
        return max(float(norm(self.y[i] - raw[i]) / (norm(self.atol[i]) + self.settings.rtol * norm(self.y[i]))) for i in parts)

    def restart_if_astray(self, raw: np.ndarray) -> None:
        if self.distance(raw) > RESTART:
            step = (self.t - float(self.grid[0])) / self.steps
            change = relaxed(jacobian(self.derivative, self.t, raw), self.y - raw, self.problem.n_q, step)
            state, ydot = raw + change, np.zeros(self.problem.n)
            restore_quaternions(self.problem, state.reshape(1, -1, 1))
            self.derivative(self.t, state, ydot)
            self.integrator.start(self.solver, self.t, state, ydot)
            self.restarts, self.returning = self.restarts + 1, False

    def solution(self) -> Solution:
        """Run to the end; after a failure the outputs so far remain."""
        status = self.begin()
        if len(self.grid) == 1 and status == "running":
            status = "finished"
        try:
            while status == "running":
                status = self.step()
                if status == "running":
                    status = self.judged()
                if self.progress is not None and self.steps % 64 == 0:
                    self.progress((self.t - self.grid[0]) / (self.grid[-1] - self.grid[0]))
        except KeyboardInterrupt:
            status = "interrupted"
        if self.progress is not None and status == "finished":
            self.progress(1.0)
        dense = None
        if self.settings.dense:
            dense = DenseOutput(self.problem, self.integrator, [np.array(self.records)] if self.records else [])
        t, y = self.grid[: len(self.outputs)], np.array(self.outputs)
        return Solution(t, y, status, self.message(status), self.stats, dense, self.y)

    @property
    def stats(self) -> dict[str, Any]:
        counts = {
            "integrator": self.integrator.name,
            "order": self.integrator.order,
            "steps": self.steps,
            "evaluations": self.evaluations,
            "restarts": self.restarts,
            "smallest_step": self.lengths[0] if self.steps else math.nan,
            "largest_step": self.lengths[1] if self.steps else math.nan,
            "t_reached": self.t,
        }
        if self.breaks_passed:
            counts["breaks"] = self.breaks_passed
        if self.problem.projection is None:
            return counts
        residuals = {"position_residual": float(self.residuals[0]), "speed_residual": float(self.residuals[1])}
        return counts | residuals | {"corrections": self.corrections}

    def message(self, status: str) -> str:
        t = f"t = {self.t:.9g}"
        return {
            "finished": f"finished at {t}",
            "interrupted": f"interrupted at {t}",
            "not finite": f"the state or its derivative is infinite or NaN at {t}",
            "too many evaluations": f"stopped at {t} after {self.evaluations} evaluations: loosen the tolerance",
            "stalled": f"stopped at {t} after {self.evaluations} evaluations: steps become shorter and shorter and the "
            "run would not reach its end. Look for what becomes zero or infinite there; to continue anyway, raise "
            "max_evaluations",
            "constraints not satisfied": f"the state after {t} cannot be brought onto the constraints (residuals "
            f"{self.report[0]:.3g} of positions, {self.report[1]:.3g} of speeds); check initial values, or tighten the tolerance",
            "step too small": f"SUNDIALS gave up after {t}: {self.reason}",
        }[status]


PASSES = 5


def jacobian(derivative: Callable[[float, np.ndarray, np.ndarray], None], t: float, y: np.ndarray) -> np.ndarray:
    """∂f/∂y by differences.

    >>> def decay(t, y, yd):
    ...     yd[:] = -3.0 * y
    >>> jacobian(decay, 0.0, np.array([1.0])).round(6)
    array([[-3.]])
    """
    f0, f1, columns = np.zeros_like(y), np.zeros_like(y), np.zeros((len(y), len(y)))
    derivative(t, y, f0)
    for k, length in enumerate(np.sqrt(np.finfo(float).eps * np.maximum(np.abs(y), 1e-4))):
        moved = y.copy()
        moved[k] += length
        derivative(t, moved, f1)
        columns[:, k] = (f1 - f0) / (moved[k] - y[k])
    return columns


def relaxed(matrix: np.ndarray, change: np.ndarray, n_q: int, step: float) -> np.ndarray:
    """A change of the state without what dies out within a step; `matrix` is the Jacobian, q the first n_q entries.

    A displacement of a spring of 10⁸ goes, one along the road stays:

    >>> J = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-1e8, 0, -1e4, 0], [0, 0, 0, 0]], float)
    >>> relaxed(J, np.array([1.0, 1.0, 0.0, 0.0]), 2, 0.01).round(6) + 0.0
    array([0., 1., 0., 0.])
    """
    gain = np.linalg.inv(np.eye(len(change)) - step * matrix)
    q, w = gain[:n_q, :n_q], gain[n_q:, n_q:]
    return np.concatenate([np.linalg.matrix_power(q, PASSES) @ change[:n_q], np.linalg.matrix_power(w, PASSES) @ change[n_q:]])
