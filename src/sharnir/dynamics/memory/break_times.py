"""Times at which a model's formulas and tables stop being smooth: steps of a run end there exactly, and the run restarts.

A comparison with t, a step, a table's knot: they are known before the run. What switches with the state is found during the run.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.memory.narrow_peaks import most_peaks, peak_limits
from sharnir.errors import ModelWarning
from sharnir.model.formula import Expression
from sharnir.model.formula.peaks import functions_of_time, peak_times
from sharnir.model.formula.switches import smoothed_nodes, straight_line, switching_times, zeros
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable
from sharnir.symbolic.expression_graph import walk
from sharnir.symbolic.nodes import Call

ROUNDINGS = 16  # of a time on both sides: compiled code may switch a few roundings away from where bisection says
GENERATIONS = 3  # of breaks that come back after delays: a jump of a force is one of the third derivative of its work then
MOST_RETURNS = 60  # of one event
MOST_KNOTS = 2_000_000  # of one table in a run that are listed
MOST_DELAYED = 20_000  # breaks with those that come back
MANY = 2000  # kinks of one table in a run: with more of them, steps end there without a restart


@dataclass
class BreakTimes:
    """What a model gives as functions of time; called with two times it returns the breaks between them.

    >>> from sharnir.model.formula import parse
    >>> times = BreakTimes()
    >>> times.add_formula(parse("step(t - 2)", ("t",)), "force")
    >>> times(0.0, 5.0).round(9).tolist()
    [[2.0, 2.0]]
    """

    formulas: list[tuple[Expression, str]] = field(default_factory=list)
    tables: list[tuple[Table, float, float, str]] = field(default_factory=list)  # y(a t + b), and whose it is
    axes: list[tuple[np.ndarray, float, float]] = field(default_factory=list)  # of tables of several variables
    delays: list[float] = field(default_factory=list)  # after which breaks come back
    _told: set[str] = field(default_factory=set)

    def add_formula(self, expression: Expression, label: str, tables: Mapping[str, Any] | None = None) -> None:
        """A formula of t and of whatever else; `tables` are those that it calls."""
        if "t" not in expression.names:
            return
        if (expression, label) not in self.formulas:
            self.formulas.append((expression, label))
        nodes: list[Call] = []
        walk(expression.node, lambda node, parts: nodes.append(node) if isinstance(node, Call) else None)
        smoothed = smoothed_nodes(expression.node)
        for node in nodes:
            if tables and node.function in tables and id(node) not in smoothed:
                for k, argument in enumerate(node.arguments):
                    inner = Expression(argument, expression.variables, expression.parameters)
                    self.add_lookup(tables[node.function], k, inner, label)

    def add_lookup(self, table: Any, k: int, argument: Expression, label: str) -> None:
        """A table one of whose arguments is a straight line in t; others are left to the run."""
        if getattr(table, "smooth", False):
            return
        line = straight_line(argument) if argument.names - set(argument.parameters) == {"t"} else None
        if line is None or line[0] == 0.0:
            return
        if isinstance(table, Table):
            self.tables.append((table, *line, label))
        elif isinstance(table, GridTable):
            self.axes.append((np.array(table.axes[k], float), *line))

    def add_table(self, table: Table, label: str) -> None:
        """A table of t itself."""
        if table.smooth:
            return
        self.tables.append((table, 1.0, 0.0, label))

    @property
    def returns(self) -> list[float]:
        """Times after which a jump comes back: delays, and one behind the other."""
        sums = {a + b for a in self.delays for b in self.delays if a < b}
        return [*self.delays, *sorted(sums - set(self.delays))][:MOST_RETURNS]

    @property
    def any(self) -> bool:
        """True if there is something that may have breaks."""
        return bool(self.formulas or self.tables or self.axes or self.delays)

    def __call__(self, start: float, end: float) -> np.ndarray:
        """Breaks in [start, end] as rows: the last moment before and the first one behind; equal: only steps must end there."""
        run, start = start, start - GENERATIONS * max(self.delays, default=0.0)
        end += ROUNDINGS * float(np.spacing(end))  # a last step must not end on the other side of one that is the end to rounding
        hard, soft = [np.zeros(0)], [np.zeros(0)]
        for expression, label in self.formulas:
            found = switching_times(expression, end)
            if found is None:
                self._tell(label)
            else:
                hard.append(found[found >= start])
            soft += [peak_times(expression, run, end), _narrow_peaks(expression, run, end)]
        for table, a, b, label in self.tables:
            if _count_of_knots(table, a, start, end) > MOST_KNOTS:
                self._tell(label, "table")
                continue
            times = _knots(table, a, b, start, end)
            (hard if table.kind == "linear" and len(times) <= MANY else soft).append(times)
        for axis, a, b in self.axes:
            hard.append(_between((axis - b) / a, start, end))
        jumps, lands = np.unique(np.concatenate(hard)), np.unique(np.concatenate(soft))
        first, jumps = jumps, self._with_delayed(jumps, run, end)
        jumps, lands = jumps[jumps >= run], lands[lands >= run]
        # a break that comes back must not be within the margin of the one that it comes from
        margin = ROUNDINGS * np.spacing(jumps) * np.where(np.isin(jumps, first), 1, 1 + GENERATIONS)
        rows = np.stack([jumps - margin, jumps + margin], axis=1)
        rows = _joined(rows)
        lands = lands[_apart(lands, rows)]
        rows = np.concatenate([rows, np.stack([lands, lands], axis=1)])
        return rows[np.argsort(rows[:, 0], kind="stable")]

    def _with_delayed(self, jumps: np.ndarray, start: float, end: float) -> np.ndarray:
        """Breaks, and those that come back after delays; so does the beginning of the run, and what has come back once."""
        if not self.delays:
            return jumps
        found, new = jumps, np.append(jumps, start)
        for _ in range(GENERATIONS):
            new = np.unique((new[:, None] + np.array(self.delays)[None, :]).ravel())
            new = new[new <= end]
            if len(found) + len(new) > MOST_DELAYED:
                break
            found = np.unique(np.concatenate([found, new]))
        return found

    def _tell(self, label: str, what: str = "formula") -> None:
        if label not in self._told:
            self._told.add(label)
            warnings.warn(
                f"{label}: its {what} switches too often in this run for steps to end at every switch, so some may be stepped "
                "over; give max_step, shorter than the time between two of them",
                ModelWarning,
                stacklevel=2,
            )


def _narrow_peaks(expression: Expression, start: float, end: float) -> np.ndarray:
    """Where peaks of time begin to count, and their flanks, however narrow they are: bounds of their arguments tell."""
    found = [np.zeros(0)]
    if most_peaks(str(expression), expression.parameters):
        for node in functions_of_time(expression):
            for limit in peak_limits(node, {"t"}):
                times = zeros(Expression(limit, ("t",), expression.parameters), start, end)
                found.append(np.zeros(0) if times is None or len(times) > MANY else times)
    return np.concatenate(found)


def _between(times: np.ndarray, start: float, end: float) -> np.ndarray:
    return np.sort(times[(times >= start) & (times <= end)])


def _count_of_knots(table: Table, a: float, start: float, end: float) -> float:
    if table.outside != "repeat":
        return len(table.x)
    return len(table.x) * abs(a) * (end - start) / (table.x[-1] - table.x[0])


def _knots(table: Table, a: float, b: float, start: float, end: float) -> np.ndarray:
    """Times at which a table's argument a t + b passes its knots."""
    x = np.array(table.x, float)
    if table.outside == "repeat":
        period = x[-1] - x[0]
        low, high = sorted((a * start + b, a * end + b))
        turns = np.arange(np.floor((low - x[0]) / period), np.ceil((high - x[0]) / period) + 1.0)
        x = (x[None, :-1] + period * turns[:, None]).ravel()
    return _between((x - b) / a, start, end)


def _joined(rows: np.ndarray) -> np.ndarray:
    """Breaks that overlap as one."""
    if len(rows) < 2:
        return rows
    first = np.concatenate([[True], rows[1:, 0] > rows[:-1, 1]])
    number = np.cumsum(first) - 1
    out = rows[first].copy()
    np.maximum.at(out[:, 1], number, rows[:, 1])
    return out


def _apart(times: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Which times are not within a break."""
    if not len(rows):
        return np.ones(len(times), bool)
    k = np.clip(np.searchsorted(rows[:, 0], times, side="right") - 1, 0, len(rows) - 1)
    return ~((times >= rows[k, 0]) & (times <= rows[k, 1]))
