"""The solution of a run: states on the grid, counts, how it ended, and the polynomials of its steps if they were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.errors import ModelError, SimulationError
from sharnir.integrate.stepping.integrator import Integrator
from sharnir.integrate.stepping.problem import Problem, address
from sharnir.integrate.stepping.run_memory import HEADER, padded
from sharnir.kernel import derivative_at, location

if TYPE_CHECKING:
    from sharnir.integrate.sundials import Sundials


class DenseOutput:
    """The polynomials of all steps, one record each, in blocks as they were filled."""

    def __init__(self, problem: Problem, integrator: Integrator | Sundials, blocks: list[np.ndarray]) -> None:
        self._problem, self._integrator, self._blocks = problem, integrator, blocks
        self._ends = np.concatenate([block[:, 1] for block in blocks]) if blocks else np.zeros(0)
        self._first = np.cumsum([0, *(len(block) for block in blocks)])
        self.t_begin = float(blocks[0][0, 0]) if blocks else np.nan
        self.t_end = float(self._ends[-1]) if blocks else np.nan

    @property
    def breakpoints(self) -> np.ndarray:
        """Times at which steps begin or end."""
        return np.concatenate(([self.t_begin], self._ends))

    def __call__(self, t: np.ndarray) -> np.ndarray:
        problem = self._problem
        slack = 1e-12 * (abs(self.t_begin) + abs(self.t_end))
        if not (len(self._ends) and np.all(t >= self.t_begin - slack) and np.all(t <= self.t_end + slack)):
            raise ModelError(f"solution: t must lie within {self.t_begin:g} … {self.t_end:g}", field="t")
        step = np.minimum(np.searchsorted(self._ends, t), len(self._ends) - 1)
        y = np.empty((len(t), problem.size))
        for k in np.unique(step):
            b = int(np.searchsorted(self._first, k, side="right")) - 1
            record = self._blocks[b][k - self._first[b]]
            rows = record[HEADER:].reshape(-1, padded(problem.row_size))[:, : problem.size]
            y[step == k] = self._integrator.states(record[:HEADER], rows, t[step == k])
        states = y.reshape(len(t), problem.n, problem.lanes)
        restore_quaternions(problem, states)
        if problem.projection is not None:
            project(problem, t, y)
            restore_quaternions(problem, states)
        return states


def restore_quaternions(problem: Problem, states: np.ndarray) -> None:
    """q / |q| for every quaternion of states (nt, n, lanes)."""
    for q in problem.quaternions:
        states[:, q : q + 4] /= np.linalg.norm(states[:, q : q + 4], axis=1, keepdims=True)


def project(problem: Problem, t: np.ndarray, y: np.ndarray) -> None:
    """Bring every state of y (nt, n) onto the constraints at its time."""
    call = derivative_at(address(problem.projection))
    report = np.zeros(8)
    data = [location(array) for array in (report, problem.table, problem.params, problem.work)]
    for time, state in zip(t, y, strict=True):
        call(float(time), location(state), *data)
        if report[3] != 0.0:
            raise SimulationError(f"solution: the state at t = {time:.9g} cannot be brought onto the constraints")


@dataclass(frozen=True, eq=False)
class Solution:
    """States y at the times t; callable between them if the run was asked for `dense=True`.

    After a failure, t and y hold what had been computed until then, `status` is not "finished" and `message` says why.

    >>> from sharnir.integrate import integrate, textbook_problem
    >>> def decay(t, y, yd):
    ...     yd[0] = -y[0]
    >>> solution = integrate(textbook_problem(decay, 1), [1.0], [0.0, 1.0], dense=True)
    >>> round(float(solution(0.5)[0]), 6), solution.success
    (0.606531, True)
    """

    t: np.ndarray  # (nt,)
    y: np.ndarray  # (nt, n), or (nt, n, lanes)
    status: str  # "finished", "interrupted", or why it failed: the values of run.STATUS_NAMES
    message: str
    stats: dict[str, Any] = field(default_factory=dict)
    dense: DenseOutput | None = None
    end: np.ndarray | None = None  # state at stats["t_reached"], for one that failed or met an event between outputs
    fired: tuple[int, ...] = ()  # event functions that ended the run
    passed: Sequence[tuple[float, int]] = ()  # times and numbers of event functions that only pass
    integrals: np.ndarray | None = None  # (nt,) integrals of the problem's balance; None: it has none, or nobody kept them

    @property
    def success(self) -> bool:
        return self.status == "finished"

    def __call__(self, t: Any) -> np.ndarray:
        """State at any time of the run: (n,) for a number, (nt, n) for an array."""
        if self.dense is None:
            raise ModelError("solution(t) needs the polynomials of the steps: integrate with dense=True", field="dense")
        times = np.asarray(t, dtype=float)
        y = self.dense(times.reshape(-1))
        y = y if self.y.ndim == 3 else y[:, :, 0]
        return y.reshape(times.shape + y.shape[1:])
