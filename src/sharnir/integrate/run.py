"""One run: the memory of a problem and an integrator, stepping in pieces, and the results so far."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.integrate.events.event_memory import EventMemory
from sharnir.integrate.run_end import Pace, run_message
from sharnir.integrate.solution import DenseOutput, Solution
from sharnir.integrate.stepping import run_memory, step_horizon
from sharnir.integrate.stepping.calm_steps import KEPT
from sharnir.integrate.stepping.delayed_breaks import breaks_with_room
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.output_rows import output_rows, release_rows
from sharnir.integrate.stepping.problem import Problem, Quicker, address
from sharnir.integrate.stepping.run_memory import DT_LARGEST, DT_SMALLEST, Memory, zeros
from sharnir.integrate.stepping.settings import Settings, checked_grid, checked_state
from sharnir.kernel import block_of, location

FIRST_LOOK = 16  # the part of the evaluations that making quicker functions costs, after which a run first asks for them
WORTH_IT = 2.0  # how many times that number the rest of a run must need
BLOCK_FLOATS = 1 << 19  # largest block of dense records (4 MiB), if a single record is not larger
WIDEST_GAP = 0.5  # part of a step between two stages: a dip to zero between them shows at the others (calm_steps.py)
ENOUGH = 5  # values of an event function in a step that show its waves
STATUS_NAMES = {
    run_memory.FINISHED: "finished",
    run_memory.TOO_SMALL: "step too small",
    run_memory.NOT_FINITE: "not finite",
    run_memory.BAD_START: "not finite",
    run_memory.TOO_MANY: "too many evaluations",
    run_memory.NOT_PROJECTED: "constraints not satisfied",
    run_memory.NOT_SOLVED: "step not solved",
    run_memory.STALLED: "stalled",
    run_memory.EVENT: "event",
    run_memory.PAUSED: "paused",
    run_memory.RUNNING: "interrupted",
}


def called_functions(problem: Problem, integrator: Integrator) -> dict[str, Any]:
    """What the loop calls of an integrator, and of events and constraints as far as a problem has them.

    >>> from sharnir.integrate import ALL_INTEGRATORS
    >>> functions = called_functions(Problem(0, 2), ALL_INTEGRATORS["radau5"]())
    >>> [name for name, function in functions.items() if function is None]
    ['relax', 'search', 'act']
    """
    functions = integrator.step_functions._asdict() | dict.fromkeys(("relax", "search", "act"))
    if problem.projection is not None and integrator.implicit:
        from sharnir.integrate.newton.stiff_projection import RELAX

        functions["relax"] = RELAX
    if problem.events is not None:
        from sharnir.integrate.events.event_search import SEARCH

        functions["search"] = SEARCH
    if problem.actions is not None:
        from sharnir.integrate.events.compiled_events import ACT

        functions["act"] = ACT
    return functions


class Run:
    """A problem on its way along a grid: `advance` goes on for a while, `solution` returns what has been computed so far.

    The result does not depend, to the last bit, on the pieces in which it was computed.

    >>> from sharnir.integrate import ALL_INTEGRATORS, textbook_problem
    >>> def decay(t, y, yd):
    ...     yd[0] = -y[0]
    >>> run = Run(textbook_problem(decay, 1), [1.0], [0.0, 10.0], ALL_INTEGRATORS["rk4"](), Settings(step=0.1))
    >>> run.advance(50)
    >>> 0 < run.fraction < 1, run.done
    (True, False)
    """

    def __init__(
        self,
        problem: Problem,
        y0: Any,
        t_grid: Any,
        integrator: Integrator,
        settings: Settings | None = None,
        open_end: bool = False,  # True: nobody expects it to come to the end of the grid
    ) -> None:
        settings = settings or Settings()
        layout = integrator.layout(problem)
        width = run_memory.padded(problem.row_size)
        record = run_memory.HEADER + layout.sizes[run_memory.DENSE_ROWS] * width
        self.problem, self.integrator = problem, integrator
        self._layout: Layout = layout
        self._grid = checked_grid(t_grid)
        self._output, self._pages = output_rows(len(self._grid), problem.size)
        self._integrals = np.zeros(len(self._grid) if problem.balance is not None else 0)
        self._rows = zeros(layout.n_rows + 1, width)  # the last one for the state of an event
        self._rows[0, : problem.size] = checked_state(problem, y0)
        self._clock, self._counter = np.zeros(run_memory.CLOCKS), np.zeros(run_memory.COUNTERS, np.int64)
        self._atol = settings.absolute_tolerance(problem)
        self._motion = np.zeros((run_memory.LANES_OF_MOTION, problem.size))
        self._motion[0] = self._atol
        if problem.extent is not None:
            self._motion[1] = problem.extent
        self._write_settings(settings, record)
        self.events = EventMemory(problem, 1.0 if open_end else float(self._grid[-1] - self._grid[0]))
        self._matrix = zeros(layout.workspace)
        self._ahead = np.zeros(step_horizon.memory_size(problem.n, problem.horizon_memory) if problem.horizon is not None else 0)
        self._ahead[step_horizon.CREDIT : step_horizon.CREDIT + 1] = step_horizon.MOST_CREDIT
        self._ahead[step_horizon.GAP : step_horizon.GAP + 1] = integrator.gap_at
        self._full_blocks: list[np.ndarray] = []
        self._block = zeros(int(self._sizes[run_memory.CAPACITY]), record)
        self._clock[run_memory.STOP] = self._clock[run_memory.LAND_T] = math.inf
        self._pace = Pace(float(self._grid[0]), float(self._grid[0 if open_end else -1]), settings.max_evaluations)
        self._open_end = open_end
        self._breaks, self._listed_until = np.zeros(0), math.nan
        self._list_breaks(float(self._grid[0]), -math.inf if open_end else float(self._grid[-1]))
        self._quicker_at: float = math.inf if problem.quicker is None else problem.quicker_after // FIRST_LOOK
        self._quicker: Quicker | None = None
        self._quicker_from = math.nan
        self._set_memory(self._collected())

    def _write_settings(self, settings: Settings, record: int) -> None:
        """Settings and sizes, where kernels read them; `record` floats make a record of dense output."""
        from sharnir.kernel import LANES

        problem, integrator, layout = self.problem, self.integrator, self._layout
        even = not (settings.control and integrator.adaptive)
        self._counter[run_memory.EVEN] = self._even = even
        self._settings, self._sizes = np.zeros(run_memory.SETTINGS), np.zeros(run_memory.SIZES, np.int64)
        self._settings[run_memory.RTOL] = settings.rtol
        self._settings[run_memory.RELATIVE] = settings.rtol if problem.extent is None else 0.0
        self._sizes[run_memory.BY_MOTION] = problem.extent is not None
        self._settings[run_memory.MAX_STEP] = settings.max_step
        self._settings[run_memory.STEP] = settings.step_length(self._grid, even)
        self._sizes[run_memory.N], self._sizes[run_memory.BLOCKS] = problem.size, run_memory.padded(problem.row_size) // LANES
        self._sizes[run_memory.N_Q], self._sizes[run_memory.N_V] = problem.n_q, problem.n_v
        self._sizes[run_memory.INTEGRALS] = problem.row_size - problem.size
        self._sizes[run_memory.N_GRID] = len(self._grid)
        self._sizes[run_memory.N_QUATERNIONS], self._sizes[run_memory.STRIDE] = len(problem.quaternions), problem.lanes
        self._sizes[run_memory.MAX_EVALUATIONS] = settings.max_evaluations
        self._sizes[run_memory.CAPACITY] = max(1, min(8, BLOCK_FLOATS // record)) if settings.dense else 0
        self._sizes[run_memory.RECORD] = record
        self._sizes[list(layout.sizes)] = list(layout.sizes.values())
        self._sizes[run_memory.EVENT_ROW] = layout.n_rows
        self._sizes[run_memory.EVEN_STEPS], self._sizes[run_memory.ONE_STEP] = even, integrator.one_step
        self._settings[run_memory.LOOKING_BACK] = 0.0 if integrator.one_step and integrator.widest_gap <= WIDEST_GAP else KEPT
        self._settings[list(layout.settings)] = list(layout.settings.values())

    def _list_breaks(self, start: float, end: float) -> None:
        """Breaks from a time on, up to another, and an infinite one after them."""
        delays = list(getattr(self.problem.breaks, "returns", ()))
        kept = self._breaks[: 2 * int(self._counter[run_memory.N_BREAKS])].reshape(-1, 2)  # events have added some
        found = kept[:0]
        if self.problem.breaks is not None and end > start:
            found = self.problem.breaks(start, end)
            found = found[(found[:, 1] > start) & (found[:, 0] < end)]
            kept = kept[(kept[:, 1] > start) & ~np.isin(kept[:, 0], found[:, 0])]
            found = np.concatenate([found, kept])
            found = found[np.argsort(found[:, 0], kind="stable")]
        self._breaks = breaks_with_room(found, delays)
        self._counter[run_memory.NEXT_BREAK], self._counter[run_memory.N_BREAKS] = 0, len(found)
        self._sizes[run_memory.BREAK_CAPACITY] = (len(self._breaks) - len(delays)) // 2 - 1
        self._sizes[run_memory.N_DELAYS] = len(delays)

    def _collected(self) -> Memory:
        problem = self.problem
        arrays = {
            "table": problem.table,
            "params": problem.params,
            "work": problem.work,
            "settings": self._settings,
            "sizes": self._sizes,
            "clock": self._clock,
            "counter": self._counter,
            "coefficients": self._layout.coefficients,
            "places": self._layout.places,
            "rows": self._rows,
            "atol": self._atol,
            "motion": self._motion,
            "quaternions": np.asarray(problem.quaternions),
            "grid": self._grid,
            "breaks": self._breaks,
            "output": self._output,
            "integrals": self._integrals,
            "block": self._block,
            "matrix": self._matrix,
            "ahead": self._ahead,
            "watch": self.events.watch,
            "marks": self.events.marks,
            "book": self.events.book,
        }
        names = ("derivative", "rates", "tangents", "jacobian", "projection", "events", "calm", "history", "horizon", "actions")
        functions = {name: getattr(problem, name) for name in names} | called_functions(problem, self.integrator)
        if self.integrator.looks < ENOUGH and not problem.gentle:
            functions["calm"] = None
        if not self._matrix.size:  # who solves no equations needs no Jacobian made
            functions["jacobian"] = None
        if problem.balance is not None:
            functions["derivative"] = problem.balance
        addresses = {name: address(function) for name, function in functions.items()}
        return Memory(**addresses, **{name: location(array) for name, array in arrays.items()})

    def _set_memory(self, memory: Memory) -> None:
        """Let kernels work with these addresses."""
        self._memory, self._addresses = memory, block_of(memory)
        self._where = location(self._addresses)

    def _open_block(self) -> None:
        """Keep the filled block of dense records, go on in a new one of twice the size."""
        self._full_blocks.append(self._block)
        capacity, record = int(self._sizes[run_memory.CAPACITY]), int(self._sizes[run_memory.RECORD])
        capacity = max(capacity, min(2 * capacity, BLOCK_FLOATS // record))
        self._block = zeros(capacity, record)
        self._sizes[run_memory.CAPACITY], self._counter[run_memory.USED] = capacity, 0
        self._counter[run_memory.STATUS] = run_memory.RUNNING
        self._set_memory(self._memory._replace(block=location(self._block)))

    def advance(self, evaluations: int, until: float = math.inf) -> None:
        """Go on until about this many more evaluations have been made, the run is done, or `until` is reached, exactly.

        >>> from sharnir.integrate import ALL_INTEGRATORS, textbook_problem
        >>> def decay(t, y, yd):
        ...     yd[0] = -y[0]
        >>> run = Run(textbook_problem(decay, 1), [1.0], [0.0, 10.0], ALL_INTEGRATORS["bdf"]())
        >>> run.advance(10**6, until=0.7)
        >>> run.t, run.paused
        (0.7, True)
        >>> run.advance(10**6)
        >>> run.t
        10.0
        """
        from sharnir.integrate.stepping.step_loop import advance

        self._clock[run_memory.STOP] = until
        if self._open_end and self.problem.breaks is not None and math.isfinite(until) and until != self._listed_until:
            self._listed_until = until  # once: a list made again from a later time may differ by rounding
            self._list_breaks(self.t, until)
            self._set_memory(self._memory._replace(breaks=location(self._breaks)))
        if self.paused:
            self._counter[run_memory.STATUS] = run_memory.RUNNING
        limit = int(self._counter[run_memory.EVALUATIONS]) + max(1, evaluations)
        while not self.done and self._counter[run_memory.EVALUATIONS] < limit:
            advance(self._where, int(min(limit, self._pace.mark, self._quicker_at)))
            if self._counter[run_memory.STATUS] == run_memory.FULL:
                self._open_block()
            if self._counter[run_memory.EVALUATIONS] >= self._quicker_at and not self.done:
                self._look_for_quicker()
            if self._counter[run_memory.EVALUATIONS] >= self._pace.mark:
                self._look_at_pace()

    def _look_for_quicker(self) -> None:
        """Quicker functions are worth it if the rest of the run, at its pace so far, takes longer than making them does."""
        made, after = int(self._counter[run_memory.EVALUATIONS]), self.problem.quicker_after
        left = made * (1.0 / max(self.fraction, 1e-12) - 1.0)
        if made >= after or left >= WORTH_IT * after:
            self._go_quicker()
        else:
            self._quicker_at = min(2 * made, after)

    def _go_quicker(self) -> None:
        """A long run goes on with functions that are worth the time it takes to make them."""
        self._quicker_at = math.inf
        found = None if self.problem.quicker is None else self.problem.quicker()
        if found is not None:
            self._quicker, self._quicker_from = found, self.t
            derivative = found.derivative if self.problem.balance is None else found.balance
            projection = self._memory.projection if found.projection is None else address(found.projection)
            jacobian = address(found.jacobian) if self._matrix.size else 0
            self._set_memory(self._memory._replace(derivative=address(derivative), projection=projection, jacobian=jacobian))

    @property
    def present_problem(self) -> Problem:
        """The problem with the functions by which it is computed now; no others are asked for, and none for a Jacobian."""
        given = {} if self._quicker is None else {"derivative": self._quicker.derivative, "projection": self._quicker.projection}
        given = {name: function for name, function in given.items() if function is not None}
        return replace(self.problem, balance=None, quicker=None, jacobian=None, **given)

    def _look_at_pace(self) -> None:
        """A run that will not reach its end is given up, unless its steps are fixed."""
        self._pace.look(int(self._counter[run_memory.EVALUATIONS]), self.t)
        if self._pace.stalled and not self.done and not self._counter[run_memory.EVEN]:
            self._counter[run_memory.STATUS] = run_memory.STALLED

    @property
    def done(self) -> bool:
        """Finished or failed."""
        return bool(self._counter[run_memory.STATUS] != run_memory.RUNNING)

    @property
    def finished(self) -> bool:
        """It has come to the end of the grid."""
        return bool(self._counter[run_memory.STATUS] == run_memory.FINISHED)

    @property
    def paused(self) -> bool:
        """It has come to the time until which it was to go."""
        return bool(self._counter[run_memory.STATUS] == run_memory.PAUSED)

    @property
    def t(self) -> float:
        """Time reached."""
        begun = self._counter[run_memory.STARTED] or self._counter[run_memory.RESUMED]
        return float(self._clock[run_memory.T]) if begun else float(self._grid[0])

    @property
    def state(self) -> np.ndarray:
        """State at the time reached; after an event the state there."""
        found = self._counter[run_memory.STATUS] == run_memory.EVENT
        return self._rows[-1 if found else int(self._counter[run_memory.FLIP]), : self.problem.size]

    @property
    def integral(self) -> float:
        """Integral of the problem's balance up to the time reached."""
        found = self._counter[run_memory.STATUS] == run_memory.EVENT
        beside = self._rows[-1 if found else int(self._counter[run_memory.FLIP]), self.problem.size :]
        return float(beside[0]) if self.problem.balance is not None else 0.0

    @property
    def at_event(self) -> bool:
        """It stands at an event, which Python must look at."""
        return bool(self._counter[run_memory.STATUS] == run_memory.EVENT)

    @property
    def fired(self) -> tuple[int, ...]:
        """Event functions that ended the run, in their order."""
        return self.events.fired if self.at_event else ()

    def resume(self, y: Any, work: float = 0.0) -> None:
        """Go on after an event, with the state that it has made; `work` is added to the integral of the problem's balance.

        >>> from sharnir.integrate import ALL_INTEGRATORS, textbook_problem
        >>> def fall(t, y, yd):
        ...     yd[0], yd[1] = y[1], -10.0
        >>> def height(t, y, g):
        ...     g[0] = y[0]
        >>> ball = textbook_problem(fall, 2, events=height, directions=(-1,))
        >>> run = Run(ball, [5.0, 0.0], [0.0, 3.0], ALL_INTEGRATORS["dopri5"]())
        >>> run.advance(10**6)
        >>> round(run.t, 9), run.fired
        (1.0, (0,))
        >>> run.resume([0.0, 5.0])
        >>> run.advance(10**6)
        >>> round(run.t, 9)
        2.0
        """
        from sharnir.integrate.events.compiled_events import resume

        begun = bool(self._counter[run_memory.STARTED] or self._counter[run_memory.RESUMED])
        integral = self.integral + work if begun else 0.0
        self._rows[0, : self.problem.size] = checked_state(self.problem, y)
        if self.problem.balance is not None:
            self._rows[0, self.problem.size] = integral
        if begun:  # else this is where it begins
            resume(self._where)

    def amend(self, y: Any, changed: np.ndarray) -> None:
        """Put the entries of a state that have changed into the output of this very moment (to rounding), if there is one."""
        last = int(self._counter[run_memory.NEXT]) - 1
        if last >= 0 and abs(self._grid[last] - self.t) <= 1e-12 * max(1.0, abs(self.t)):
            self._output[last, changed] = checked_state(self.problem, y)[changed]

    @property
    def evaluations(self) -> int:
        """How many have been made."""
        return int(self._counter[run_memory.EVALUATIONS])

    @property
    def outputs(self) -> int:
        """How many times of the grid have been reached."""
        return int(self._counter[run_memory.NEXT])

    def rows(self, first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of some outputs, as they stand in memory."""
        return self._grid[first:end], self._output[first:end]

    def integrals(self, first: int, end: int) -> np.ndarray:
        """Integrals of the problem's balance at some of the outputs that there are; none without a balance."""
        return self._integrals[first : min(end, self.outputs)]

    def release(self, count: int) -> None:
        """Give back the memory of the first outputs: they have been written, and nobody asks for them again."""
        release_rows(self._pages, count * 8 * self.problem.size)

    @property
    def fraction(self) -> float:
        """Part of the interval that is done, 0 … 1."""
        span = self._grid[-1] - self._grid[0]
        return float((self.t - self._grid[0]) / span) if span > 0 else float(self.done)

    @property
    def stats(self) -> dict[str, Any]:
        """Counts so far."""
        counter, clock = self._counter, self._clock
        counts = {
            "integrator": self.integrator.name,
            "order": self.integrator.order,
            "steps": int(counter[run_memory.STEPS_BEFORE] + counter[run_memory.STEPS]),
            "rejected": int(counter[run_memory.REJECTED]),
            "evaluations": int(counter[run_memory.EVALUATIONS]),
            "smallest_step": float(min(clock[DT_SMALLEST], clock[DT_LARGEST])) if clock[DT_LARGEST] else math.nan,
            "largest_step": float(clock[DT_LARGEST]) if clock[DT_LARGEST] else math.nan,
            "t_reached": self.t,
        }
        if counter[run_memory.BREAKS_PASSED]:
            counts["breaks"] = int(counter[run_memory.BREAKS_PASSED])
        if self._quicker is not None:
            counts["symbolic_from"] = self._quicker_from
        if self._even:
            counts["fixed_step"] = True
        else:
            counts["tolerance"] = float(self._settings[run_memory.RTOL])
            if math.isfinite(self._settings[run_memory.MAX_STEP]):
                counts["max_step"] = float(self._settings[run_memory.MAX_STEP])
        if self.integrator.implicit:
            counts["jacobians"] = int(counter[run_memory.JACOBIANS])
            counts["factorizations"] = int(counter[run_memory.FACTORIZATIONS])
        if self.problem.projection is None:
            return counts
        return counts | {
            "position_residual": float(clock[run_memory.POSITION_RESIDUAL]),
            "speed_residual": float(clock[run_memory.SPEED_RESIDUAL]),
            "corrections": int(counter[run_memory.CORRECTIONS]),
        }

    def solution(self) -> Solution:
        """Everything computed so far."""
        problem, count, dense = self.problem, int(self._counter[run_memory.NEXT]), None
        y = self._output[:count]
        if self._sizes[run_memory.CAPACITY]:
            blocks = [*self._full_blocks, self._block[: self._counter[run_memory.USED]]]
            dense = DenseOutput(problem, self.integrator, [block for block in blocks if len(block)])
        return Solution(
            t=self._grid[:count],
            y=y if problem.lanes == 1 else y.reshape(count, problem.n, problem.lanes),
            status=STATUS_NAMES[int(self._counter[run_memory.STATUS])],
            message=run_message(self),
            stats=self.stats,
            dense=dense,
            end=self.state.copy(),
            fired=self.fired,
            passed=self.events.passed,
            integrals=self._integrals[:count] if problem.balance is not None else None,
        )
