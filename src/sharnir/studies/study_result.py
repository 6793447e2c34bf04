"""The result of a study: parameters and outputs of all runs as arrays by name, their statistics, tables, pictures and a page."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import fail, integer, numbers, shown, with_advice
from sharnir.errors import ModelError
from sharnir.notebook import card
from sharnir.results.channel import UnknownChannelError
from sharnir.studies.study_store import StudyStore
from sharnir.studies.variance_indices import MainEffect, SobolIndices, main_effect, sobol_indices

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True)
class Statistics:
    """An output over all runs that have it: `error` is the standard error of the mean, of independent runs.

    >>> StudyResult.of({"k": [1, 2]}, {"y": [1.0, 3.0]}).statistics("y").greatest
    3.0
    """

    count: int
    mean: float
    deviation: float
    error: float
    least: float
    greatest: float


@dataclass(frozen=True)
class Convergence:
    """Means of the first 2, 4, 8, … and of all runs, each with its standard error.

    >>> StudyResult.of({"k": [1, 2, 3]}, {"y": [1.0, 3.0, 5.0]}).convergence("y").runs.tolist()
    [2, 3]
    """

    runs: np.ndarray
    mean: np.ndarray
    error: np.ndarray


class StudyResult:
    """Parameters and outputs of runs by name: `result["peak"]` has one number for each run, not-a-number where it failed.

    parameters, outputs : names.   units : by name, where known.   failures, warnings : by number of the run.
    finished : which runs have been made.   described : what the study was.

    >>> import sharnir as sr
    >>> m = sr.Model("fall", parameters={"h": 1.0})
    >>> _ = m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z", q="h"))
    >>> result = sr.Study(m, parameters={"h": [1, 2]}, outputs={"end": "final(rail.q)"}, t_end=1.0).run()
    >>> result["h"], result["end"].round(3), result.units["end"]
    (array([1., 2.]), array([-3.905, -2.905]), 'm')
    """

    def __init__(
        self,
        described: dict[str, Any],
        table: np.ndarray,
        values: np.ndarray,
        finished: np.ndarray,
        failures: dict[int, str],
        warnings: dict[int, str],
    ) -> None:
        self.described, self.finished = described, finished
        self.parameters: tuple[str, ...] = tuple(described["names"])
        self.outputs: tuple[str, ...] = tuple(described["outputs"])
        self.units: dict[str, str] = {name: unit for name, unit in described["units"].items() if unit is not None}
        self.failures, self.warnings = dict(sorted(failures.items())), dict(sorted(warnings.items()))
        self._table, self._values = table, values

    @staticmethod
    def of(parameters: Mapping[str, Any], outputs: Mapping[str, Any], title: str = "study") -> StudyResult:
        """A result from arrays by name, all of one length: runs that were made elsewhere.

        >>> StudyResult.of({"k": [1, 2]}, {"y": [1.0, 3.0]})["y"]
        array([1., 3.])
        """
        table, values = (
            np.column_stack([np.asarray(column, float) for column in part.values()]) for part in (parameters, outputs)
        )
        about = {"title": title, "names": list(parameters), "outputs": list(outputs), "units": {}, "runs": len(table)}
        return StudyResult(about, table, values, np.ones(len(table), dtype=bool), {}, {})

    @staticmethod
    def load(path: str | PathLike[str]) -> StudyResult:
        """The runs in a store, also while the study goes on: those that are not made yet are not-a-number.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/study.db"
        >>> store = StudyStore.created(path, {"digest": "d", "names": ["k"], "outputs": ["y"], "units": {}, "runs": 3})
        >>> StudyResult.load(path).finished.tolist()
        [False, False, False]
        """
        store = StudyStore.opened(path)
        try:
            runs, rows, values, failures, warnings = store.finished()
        finally:
            store.close()
        about = store.described
        table, all_values = np.full((about["runs"], rows.shape[1]), np.nan), np.full((about["runs"], values.shape[1]), np.nan)
        finished = np.zeros(about["runs"], dtype=bool)
        table[runs], all_values[runs], finished[runs] = rows, values, True
        return StudyResult(about, table, all_values, finished, failures, warnings)

    @property
    def complete(self) -> bool:
        """Whether all runs have been made, successfully or not."""
        return bool(self.finished.all())

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.outputs:
            return self._values[:, self.outputs.index(name)]
        if name in self.parameters:
            return self._table[:, self.parameters.index(name)]
        raise UnknownChannelError(shown(name).strip("'"), [*self.outputs, *self.parameters])

    @property
    def varied(self) -> tuple[str, ...]:
        """Parameters that are not the same in all runs."""
        return tuple(name for name in self.parameters if np.nanmin(self[name]) < np.nanmax(self[name]))

    def good(self, *names: str) -> np.ndarray:
        """The runs in which these outputs are numbers, as a mask.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> result.good("y").sum()
        np.int64(4)
        """
        found: np.ndarray = np.all([np.isfinite(self[name]) for name in names], axis=0)
        return found

    def statistics(self, name: str) -> Statistics:
        """Mean, standard deviation, standard error, least and greatest value of an output or parameter.

        >>> s = StudyResult.of({"k": [1, 2]}, {"y": [1.0, 3.0]}).statistics("y")
        >>> s.mean, round(s.error, 9)
        (2.0, 1.0)
        """
        x = self[name][self.good(name)]
        if not len(x):
            nothing = float("nan")
            return Statistics(0, nothing, nothing, nothing, nothing, nothing)
        deviation = float(x.std(ddof=1)) if len(x) > 1 else float("nan")
        return Statistics(len(x), float(x.mean()), deviation, deviation / math.sqrt(len(x)), float(x.min()), float(x.max()))

    def quantiles(self, name: str, probabilities: Any = (0.05, 0.25, 0.5, 0.75, 0.95)) -> np.ndarray:
        """Values below which an output lies with these probabilities, estimated from the runs that have it.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> result.quantiles("y", [0.5]).tolist()
        [4.0]
        """
        p = numbers(probabilities, "quantiles", "probabilities")
        if p.size and not (p.min() >= 0.0 and p.max() <= 1.0):
            fail("quantiles", "probabilities", f"= {shown(probabilities)} must lie between 0 and 1")
        x = self[name][self.good(name)]
        return np.quantile(x, p) if len(x) else np.full(p.shape, np.nan)

    def convergence(self, name: str) -> Convergence:
        """How the mean of an output has settled: after 2, 4, 8, … runs and all, in the order of their numbers.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> result.convergence("y").mean.tolist()
        [2.0, 4.5]
        """
        x = self[name][self.good(name)]
        counts = np.array([n for n in [*(2**k for k in range(1, 64)), len(x)] if 2 <= n <= len(x)], dtype=np.int64)
        counts = np.unique(counts)
        means = np.array([x[:n].mean() for n in counts])
        errors = np.array([x[:n].std(ddof=1) / np.sqrt(n) for n in counts])
        return Convergence(counts, means, errors)

    def main_effects(self, name: str, bins: int = 10) -> dict[str, MainEffect]:
        """How the mean of an output changes with each parameter alone, and which share of its variance that explains.

        For independent parameters. The runs are sorted by the parameter into `bins` groups (of equal values where there are
        fewer); the share is that of the means of the groups, with the part that chance alone would give taken off.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> result.main_effects("y", bins=2)["k"].mean.tolist()
        [2.0, 7.0]
        """
        good, count = self.good(name), integer(bins, "main_effects", "bins", low=2)
        if int(good.sum()) < 2:
            raise ModelError(f"main_effects of {name!r}: fewer than two runs have this output")
        return {key: main_effect(self[key][good], self[name][good], count) for key in self.varied}

    def sobol_indices(self, name: str, resamples: int = 200) -> SobolIndices:
        """First-order and total Sobol indices of an output, with 95 % intervals by resampling; design="saltelli" only.

        >>> import sharnir as sr
        >>> m = sr.Model("fall", parameters={"a": 0.0, "b": 0.0})
        >>> _ = m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z", q="a"))
        >>> given = {"a": sr.Uniform(0, 3), "b": sr.Uniform(0, 1)}
        >>> outputs = {"y": "initial(rail.q) + b"}
        >>> study = sr.Study(m, parameters=given, outputs=outputs, t_end=0.1, step=0.1, design="saltelli", runs=64)
        >>> round(study.run().sobol_indices("y").total["a"], 1)
        0.9
        """
        if self.described.get("design") != "saltelli":
            said = f"this study has {self.described.get('design')!r}; main_effects takes any design"
            raise ModelError(f"sobol_indices of {name!r}: they need design='saltelli', and {said}")
        return sobol_indices(self[name], int(self.described["base"]), tuple(self.described["varied"]), resamples)

    # -- going on ---------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, np.ndarray]:
        """Parameters and outputs by name.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> list(result.to_dict())
        ['k', 'y']
        """
        return {name: self[name] for name in (*self.parameters, *self.outputs)}

    def to_pandas(self) -> DataFrame:
        """A pandas DataFrame with a row for each run and the reason of its failure; `attrs["units"]` has the units.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> result.to_pandas().loc[2, "y"].item()
        5.0
        """
        from sharnir.results.tables import pandas_for

        frame = pandas_for("a table of a study").DataFrame(self.to_dict())
        frame.index.name = "run"
        frame["failure"] = [self.failures.get(k) for k in range(len(self))]
        frame.attrs["units"] = dict(self.units)
        return frame

    @with_advice
    def plot(
        self, *names: str, against: Iterable[str] | None = None, path: str | os.PathLike[str] | None = None, show: bool = False
    ) -> Figure:
        """A Matplotlib figure: each output (all, or the named ones) over each varied parameter (all, or `against`).

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> result.plot("y").axes[0].get_xlabel()
        'k'
        """
        from sharnir.studies.study_figure import draw

        return draw(self, names or self.outputs, tuple(against or self.varied), path=path, show=show)

    def page(self, path: str | PathLike[str]) -> Any:
        """One HTML file with parallel coordinates, scatter plots and histograms that works offline in any browser.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> import tempfile
        >>> result.page(tempfile.mkdtemp() + "/study.html").name
        'study.html'
        """
        from sharnir.studies.study_page import write_page

        return write_page(self, path)

    def report(self) -> str:
        """What was run, and each output in a line.

        >>> result = StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, 3.0, 5.0, 9.0]})
        >>> print(result.report())
        study: 4 of 4 runs, 0 failed
        y: mean 4.5, deviation 3.41565, from 1 to 9
        """
        made = int(self.finished.sum())
        lines = [f"{self.described.get('title', 'study')}: {made} of {len(self)} runs, {len(self.failures)} failed"]
        for name in self.outputs:
            lines.append(f"{name}: {self._described(name, made - len(self.failures))}")
        reasons: dict[str, int] = {}
        for reason in self.failures.values():
            reasons[reason] = reasons.get(reason, 0) + 1
        for reason, count in sorted(reasons.items(), key=lambda entry: -entry[1])[:3]:
            lines.append(f"{count} failed: {reason}")
        return "\n".join(lines)

    def _described(self, name: str, expected: int) -> str:
        """The statistics of an output in words; runs without a number are told, since the statistics leave them out."""
        s, unit = self.statistics(name), self.units.get(name, "")
        if s.count == 0 and expected > 0:
            return f"no number in any of {expected} runs"
        spread = f", deviation {s.deviation:.6g}" if s.count > 1 else ""
        lacking = f"; no number in {expected - s.count} runs" if s.count < expected else ""
        return f"mean {s.mean:.6g} {unit}".rstrip() + f"{spread}, from {s.least:.6g} to {s.greatest:.6g}{lacking}"

    def __repr__(self) -> str:
        return f"StudyResult of {self.report()}"

    def _repr_html_(self) -> str:
        heading, _, rest = self.report().partition("\n")
        return card(heading, rest, [])
