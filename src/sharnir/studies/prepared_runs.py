"""What a worker does: a study is unpacked and compiled once in each process, then blocks of runs become rows of numbers."""

from __future__ import annotations

import pickle
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.errors import SharnirError
from sharnir.model import Initial, Model
from sharnir.results import Result
from sharnir.simulate.kinematic_analysis import is_driven
from sharnir.simulate.many_runs import Ensemble, simulate_many
from sharnir.studies.study_outputs import StudyOutput

COMPILED = ("formulation", "method", "solver", "stabilization", "correction")
ONE_BY_ONE = ("initial", "changes")  # settings of `simulate` that `simulate_many` does not have
SETTINGS = ("step", "output", "integrator", "tolerance", "order", "max_step", "options", *COMPILED, *ONE_BY_ONE)
LANE_GROUP = 8  # fixed steps of initial states go through vector registers: the same runs must always meet in one


@dataclass(frozen=True)
class Recipe:
    """All that a run needs but its values: sent to workers.

    parameters, coordinates, speeds : names of the columns of the design, and which of them are initial values.
    """

    model: Model
    t_end: float
    settings: dict[str, Any]
    names: tuple[str, ...]
    outputs: tuple[StudyOutput, ...]

    @property
    def group(self) -> int:
        """How many runs in a row must stay together, so that results do not depend on the size of blocks."""
        return LANE_GROUP if self.settings.get("integrator") == "rk4" else 1


@dataclass
class BlockOutcome:
    """Outputs of some runs (a row each, not-a-number where a run failed), reasons and warnings by number, seconds it took."""

    runs: np.ndarray
    values: np.ndarray
    failures: dict[int, str] = field(default_factory=dict)
    warnings: dict[int, str] = field(default_factory=dict)
    seconds: float = 0.0


class PreparedRuns:
    """A recipe with its compiled system.

    >>> from sharnir.model import Body, Prismatic
    >>> m = Model("fall", parameters={"h": 1.0})
    >>> _ = m.add(Body("stone", mass=1), Prismatic("rail", "ground", "stone", axis="z", q="h"))
    >>> recipe = Recipe(m, 1.0, {"step": 0.5}, ("h", "rail.v"), (StudyOutput("end", "final(rail.q)"),))
    >>> PreparedRuns(recipe).outcome(np.arange(2), np.array([[1.0, 0.0], [2.0, 3.0]])).values.round(6).tolist()
    [[-3.905], [0.095]]
    """

    def __init__(self, recipe: Recipe, threads: int | None = 1) -> None:
        self.recipe, self.threads = recipe, threads
        compiled = {key: recipe.settings[key] for key in (*COMPILED, "initial") if key in recipe.settings}
        self.system: System = recipe.model.compile(**compiled)
        for word, kept in (("parameters", recipe.model.parameters), ("q", self.system.coordinates), ("v", self.system.speeds)):
            setattr(self, f"_{word}", [(k, name) for k, name in enumerate(recipe.names) if name in kept])
        self._singly = self.system.n_v == 0 or is_driven(self.system) or bool(set(ONE_BY_ONE) & recipe.settings.keys())

    _parameters: list[tuple[int, str]]
    _q: list[tuple[int, str]]
    _v: list[tuple[int, str]]

    def outcome(self, runs: np.ndarray, rows: np.ndarray) -> BlockOutcome:
        """Outputs of runs with these values."""
        begin = perf_counter()
        found = BlockOutcome(runs, np.full((len(runs), len(self.recipe.outputs)), np.nan))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._fill(found, np.arange(len(runs)), rows)
        found.seconds = perf_counter() - begin
        return found

    def _fill(self, found: BlockOutcome, places: np.ndarray, rows: np.ndarray) -> None:
        """Fill in some rows; if they cannot be computed together because one cannot be computed at all, in halves."""
        try:
            results = self._results(rows[places])
        except Exception as error:  # of one run: a value that makes an element impossible, an assembly that does not close
            if len(places) > 1:
                middle = max(self.recipe.group * (len(places) // 2 // self.recipe.group), 1)
                self._fill(found, places[:middle], rows)
                self._fill(found, places[middle:], rows)
            else:
                found.failures[int(found.runs[places[0]])] = reason_of(error)
            return
        for place, result in zip(places, results, strict=False):
            self._reduce(found, int(place), rows[place], result)

    def _results(self, rows: np.ndarray) -> Sequence[Result]:
        if self._singly:
            return [self._result(row) for row in rows]
        alone = len(rows) == 1 and self.recipe.group > 1  # not through vector registers, as its neighbours go
        table = np.repeat(rows, 2, axis=0) if alone else rows
        columns, q, v = ({name: table[:, k] for k, name in part} or None for part in (self._parameters, self._q, self._v))
        given = {key: value for key, value in self.recipe.settings.items() if key not in ("formulation", "method", "solver")}
        runs = simulate_many(self.system, self.recipe.t_end, q=q, v=v, parameters=columns, threads=self.threads, **given)
        return _Results(runs, any(callable(output.formula) for output in self.recipe.outputs))

    def _result(self, row: np.ndarray) -> Result:
        """A run by itself, as `Model.simulate` makes it."""
        model = self.recipe.model.with_parameters(**{name: float(row[k]) for k, name in self._parameters})
        given = dict(self.recipe.settings)
        if self._q or self._v:
            start = Initial() if given.get("initial") is None else given["initial"]
            q, v = ({freedom_of(name): float(row[k]) for k, name in part} for part in (self._q, self._v))
            given["initial"] = replace(start, q={**start.q, **q}, v={**start.v, **v})
        return model.simulate(self.recipe.t_end, progress=False, **given)

    def _reduce(self, found: BlockOutcome, place: int, row: np.ndarray, result: Result) -> None:
        number, notes = int(found.runs[place]), result.stats.get("warnings") or ()
        if notes:
            found.warnings[number] = "; ".join(str(note) for note in notes)
        if result.failure is not None:
            found.failures[number] = result.failure
            return
        values = dict(self.recipe.model.parameters) | {name: float(row[k]) for k, name in self._parameters}
        try:
            found.values[place] = [output.value(result, values) for output in self.recipe.outputs]
        except Exception as error:  # of a user's function, too
            found.values[place], found.failures[number] = np.nan, reason_of(error)


def freedom_of(coordinate: str) -> str:
    """The name of a freedom in `Initial` from that of its coordinate or speed.

    >>> freedom_of("O.q"), freedom_of("plate.v.angle")
    ('O', 'plate.angle')
    """
    joint, _, rest = coordinate.partition(".")
    return f"{joint}.{rest[2:]}" if rest[2:] else joint


class _Results(Sequence[Result]):
    """Results of an ensemble one after the other; functions of users get whole ones, formulas need the channels only."""

    def __init__(self, runs: Ensemble, whole: bool) -> None:
        self.runs, self.whole = runs, whole

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, i: Any) -> Any:
        return self.runs[i] if self.whole else self.runs.quantities(i)


def reason_of(error: BaseException) -> str:
    """Why a run failed, in one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, SharnirError) and text else f"{type(error).__name__}: {text}".removesuffix(": ")


_kept = threading.local()  # what a thread of this process has prepared last


def computed_block(key: str, packed: bytes, runs: np.ndarray, rows: np.ndarray, threads: int | None = 1) -> BlockOutcome:
    """A block of runs in any process: the study `key` is unpacked and compiled when its first block arrives."""
    if getattr(_kept, "key", None) != key:
        _kept.prepared, _kept.key = PreparedRuns(pickle.loads(packed), threads), key
    prepared: PreparedRuns = _kept.prepared
    return prepared.outcome(runs, rows)
