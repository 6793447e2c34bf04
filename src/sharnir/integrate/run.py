"""One run: memory for a problem and an integrator, stepping in chunks, and `integrate`, which does all of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.integrate import memory
from sharnir.integrate.choice import integrator_named
from sharnir.integrate.integrator import Integrator
from sharnir.integrate.memory import Memory, location, zeros
from sharnir.integrate.problem import Problem
from sharnir.integrate.solution import DenseOutput, Solution

CHUNK_SECONDS = 0.1  # how often a run comes back to Python for the progress bar and for Ctrl-C
BLOCK_FLOATS = 1 << 19  # largest block of dense records (4 MiB), if a record is not larger
NAMES = {
    memory.FINISHED: "finished",
    memory.TOO_SMALL: "step too small",
    memory.NOT_FINITE: "not finite",
    memory.BAD_START: "not finite",
    memory.TOO_MANY: "too many evaluations",
    memory.RUNNING: "interrupted",
}


class Run:
    """A problem on its way along a grid: `advance` goes on for a while, `solution` gives what there is by now.

    The result does not depend on where it was interrupted. The arguments are those of `integrate`.

    >>> from sharnir.integrate import textbook_problem
    >>> def decay(t, y, yd):
    ...     yd[0] = -y[0]
    >>> run = Run(textbook_problem(decay, 1), [1.0], [0.0, 10.0], integrator="rk4", step=0.1)
    >>> run.advance(50)
    >>> 0 < run.fraction < 1, run.done
    (True, False)
    """

    def __init__(
        self,
        problem: Problem,
        y0: Any,
        t_grid: Any,
        integrator: str | Integrator = "dopri5",
        rtol: float = 1e-8,
        atol: float | Sequence[float] | np.ndarray = 1e-10,
        step: float | None = None,
        order: int | None = None,
        max_step: float = math.inf,
        max_evaluations: int = 10**9,
        dense: bool = False,
        control: bool = True,
    ) -> None:
        self.problem = problem
        self.integrator = integrator_named(integrator, order, rtol)
        self.grid = _checked_grid(t_grid)
        self.even = not (control and self.integrator.adaptive)
        layout = self.integrator.layout()
        width = -(-problem.size // memory.BLOCK) * memory.BLOCK
        record = memory.HEADER + layout.sizes[memory.DENSE_ROWS] * width
        self.rows = zeros(layout.n_rows, width)
        self.rows[0, : problem.size] = _checked_state(problem, y0)
        self.output = np.empty((len(self.grid), problem.size))
        self.clock, self.counter = np.zeros(memory.CLOCKS), np.zeros(memory.COUNTERS, np.int64)
        self.counter[memory.EVEN] = self.even
        self.sizes, self.settings = np.zeros(memory.SIZES, np.int64), np.zeros(memory.SETTINGS)
        self.sizes[:8] = (
            problem.size,
            width // memory.BLOCK,
            len(self.grid),
            len(problem.quaternions),
            problem.lanes,
            max_evaluations,
            (8 if dense else 0),
            record,
        )
        self.settings[:3] = (_checked_rtol(rtol), _checked_length(max_step, "max_step"), self._checked_step(step))
        for number, size in layout.sizes.items():
            self.sizes[number] = size
        for number, value in layout.settings.items():
            self.settings[number] = value
        self.atol = _checked_atol(problem, atol, rtol)
        self.coefficients, self.places = layout.coefficients, layout.places
        self.blocks: list[np.ndarray] = []
        self._block = zeros(int(self.sizes[memory.CAPACITY]), record)
        self._memory = self._collected()

    def _checked_step(self, step: float | None) -> float:
        """Length of even steps (default: one per grid interval), or of the first controlled step (0: the run finds it)."""
        if step is None:
            return float(np.diff(self.grid).max(initial=0.0)) if self.even else 0.0
        step = _checked_length(step, "step")
        if self.even and len(self.grid) > 1 and np.diff(self.grid).max() / step > 1e15:
            raise ModelError(f"integrate: step = {step:g} is too small for the interval; give a longer one", field="step")
        return step

    def _collected(self) -> Memory:
        problem = self.problem
        arrays = (problem.table, problem.params, problem.work, self.settings, self.sizes, self.clock, self.counter)
        more = (self.coefficients, self.places, self.rows, self.atol, problem.quaternions, self.grid, self.output, self._block)
        return Memory(problem.address, *(location(np.asarray(array)) for array in arrays + more))

    def _with_new_block(self) -> None:
        """Keep the filled block, go on in a new one of twice the size."""
        self.blocks.append(self._block)
        capacity, record = int(self.sizes[memory.CAPACITY]), int(self.sizes[memory.RECORD])
        capacity = max(capacity, min(2 * capacity, BLOCK_FLOATS // record))
        self._block = zeros(capacity, record)
        self.sizes[memory.CAPACITY], self.counter[memory.USED] = capacity, 0
        self.counter[memory.STATUS] = memory.RUNNING
        self._memory = self._memory._replace(block=location(self._block))

    def advance(self, evaluations: int) -> None:
        """Go on until about this many more evaluations have been made, or the run is done."""
        limit = int(self.counter[memory.EVALUATIONS]) + max(1, evaluations)
        loop = self.integrator.advance
        while not self.done and self.counter[memory.EVALUATIONS] < limit:
            loop(self._memory, limit)
            if self.counter[memory.STATUS] == memory.FULL:
                self._with_new_block()

    @property
    def done(self) -> bool:
        return bool(self.counter[memory.STATUS] != memory.RUNNING)

    @property
    def t(self) -> float:
        """Time reached."""
        return float(self.clock[memory.T]) if self.counter[memory.STARTED] else float(self.grid[0])

    @property
    def fraction(self) -> float:
        """Part of the interval that is done, 0 … 1."""
        span = self.grid[-1] - self.grid[0]
        return float((self.t - self.grid[0]) / span) if span > 0 else float(self.done)

    def solution(self) -> Solution:
        """Everything computed so far."""
        problem, counter = self.problem, self.counter
        status, count = int(counter[memory.STATUS]), int(counter[memory.NEXT])
        y = self.output[:count]
        dense = None
        if self.sizes[memory.CAPACITY]:
            blocks = [*self.blocks, self._block[: counter[memory.USED]]]
            dense = DenseOutput(problem, self.integrator, [block for block in blocks if len(block)])
        stats = {
            "steps": int(counter[memory.STEPS]),
            "rejected": int(counter[memory.REJECTED]),
            "evaluations": int(counter[memory.EVALUATIONS]),
            "smallest_step": float(self.clock[memory.DT_SMALLEST]) if counter[memory.STEPS] else math.nan,
            "largest_step": float(self.clock[memory.DT_LARGEST]) if counter[memory.STEPS] else math.nan,
            "t_reached": self.t,
            "order": self.integrator.order,
        }
        return Solution(
            self.grid[:count],
            y if problem.lanes == 1 else y.reshape(count, problem.n, problem.lanes),
            NAMES[status],
            self._message(status),
            self.integrator.name,
            stats,
            dense,
        )

    def _message(self, status: int) -> str:
        counter, t = self.counter, f"t = {self.t:.9g}"
        if status == memory.BAD_START:
            bad = np.flatnonzero(~np.isfinite(self.rows[0, : self.problem.size]))
            what = f"the initial state (entry {bad[0]})" if bad.size else "the derivative of the initial state"
            return f"{what} is not finite at {t}; check initial values and parameters"
        return {
            memory.FINISHED: f"finished at {t}",
            memory.RUNNING: f"interrupted at {t}",
            memory.NOT_FINITE: f"the state or its derivative became infinite or NaN near {t}",
            memory.TOO_SMALL: f"the step became smaller than rounding allows near {t}: a singularity, a discontinuity, or too tight a "
            f"tolerance (rtol = {self.settings[memory.RTOL]:g})",
            memory.TOO_MANY: f"stopped at {t} after {counter[memory.EVALUATIONS]} evaluations: raise max_evaluations, loosen the tolerance, "
            "or use an implicit integrator if the problem is stiff",
        }[status]


def integrate(
    problem: Problem,
    y0: Any,
    t_grid: Any,
    integrator: str | Integrator = "dopri5",
    rtol: float = 1e-8,
    atol: float | Sequence[float] | np.ndarray = 1e-10,
    step: float | None = None,
    order: int | None = None,
    max_step: float = math.inf,
    max_evaluations: int = 10**9,
    dense: bool = False,
    progress: Callable[[float], Any] | None = None,
    control: bool = True,
) -> Solution:
    """Integrate a problem from y0 at t_grid[0] and return the states on the grid.

    Parameters
    ----------
    y0
        Initial state, (n,) or with lanes (n, lanes).
    t_grid
        Increasing times of output; the run ends at the last one exactly.
    integrator
        Name in ALL_INTEGRATORS, or "auto" (see `default_integrator`).
    rtol, atol
        A step is accepted if the root mean square of error_i / (atol_i scale_i + rtol |y_i|) is at most 1.
    step
        Length of fixed steps (rk4, or control=False), shortened so that grid points are hit; otherwise the first step to try.
    order
        Only for "abm": 1 … 12.
    dense
        Keep the polynomial of every step, so that the solution can be called with any time.
    progress
        Called with the part done, 0 … 1, about ten times a second.
    control
        False: fixed steps also for an integrator that could choose them itself.

    Returns
    -------
    Solution; it does not raise if the run fails on the way: look at `solution.status` and `solution.message`.

    >>> from sharnir.integrate import textbook_problem
    >>> def circle(t, y, yd):
    ...     yd[0], yd[1] = -y[1], y[0]
    >>> solution = integrate(textbook_problem(circle, 2), [1.0, 0.0], [0.0, 3.141592653589793])
    >>> solution.y[-1].round(6).tolist()
    [-1.0, 0.0]
    """
    options = (integrator, rtol, atol, step, order, max_step, max_evaluations, dense, control)
    run = Run(problem, y0, t_grid, *options)
    chunk = 1  # compiles, if that has not happened, before time is measured
    try:
        while not run.done:
            begin = time.perf_counter()
            run.advance(chunk)
            seconds = time.perf_counter() - begin
            chunk = 16 if chunk == 1 else max(1, int(chunk * min(8.0, max(0.1, CHUNK_SECONDS / max(seconds, 1e-9)))))
            if progress is not None:
                progress(run.fraction)
    except KeyboardInterrupt:
        pass  # the solution says "interrupted" and holds what was computed
    return run.solution()


def _checked_grid(t_grid: Any) -> np.ndarray:
    grid = np.array(t_grid, dtype=float)
    if grid.ndim != 1 or grid.size == 0 or not np.isfinite(grid).all() or not (np.diff(grid) > 0).all():
        raise ModelError("integrate: t_grid must be a list of increasing finite times", field="t_grid")
    return grid


def _checked_state(problem: Problem, y0: Any) -> np.ndarray:
    state = np.array(y0, dtype=float)
    if state.size != problem.size:
        shape = f"({problem.n},)" if problem.lanes == 1 else f"({problem.n}, {problem.lanes})"
        raise ModelError(f"integrate: y0 has {state.size} numbers, the problem needs shape {shape}", field="y0")
    return state.reshape(-1)


def _checked_length(value: float, name: str) -> float:
    if not value > 0:
        raise ModelError(f"integrate: {name} = {value} must be positive", field=name)
    return float(value)


def _checked_rtol(rtol: float) -> float:
    if not 0 <= rtol < 1:
        raise ModelError(f"integrate: rtol = {rtol} must lie between 0 and 1", field="rtol")
    return float(rtol)


def _checked_atol(problem: Problem, atol: Any, rtol: float) -> np.ndarray:
    values = np.array(atol, dtype=float)
    if values.size not in (1, problem.n) or not (values >= 0).all() or (rtol == 0 and not (values > 0).all()):
        raise ModelError(f"integrate: atol must be one number or {problem.n}, none negative, positive if rtol = 0", field="atol")
    # a tiny positive tolerance keeps entries that stay exactly zero from giving 0/0
    return np.repeat(np.maximum(values * problem.scale, 1e-290), problem.lanes)
