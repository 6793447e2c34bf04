"""A study: one model, values of its parameters for many runs, and the numbers that each run is to give."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from sharnir.arguments import bool_of, fail, file_path, integer, meant, number, shown, with_advice
from sharnir.errors import ModelError, SharnirError, SimulationError
from sharnir.model import Model
from sharnir.model.formula.parser import similar
from sharnir.progress import progress_bar
from sharnir.results import Result
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.run_channels import RunChannels
from sharnir.simulate.simulation import integrator_options, output_times
from sharnir.studies.design import Design
from sharnir.studies.execution.block_execution import Work, execute, execute_here
from sharnir.studies.execution.gpu_execution import execute_on_gpu, gpu_runs
from sharnir.studies.optimization import Optimum, Search, checked_bounds, checked_count, checked_limits, checked_start, minimized
from sharnir.studies.prepared_runs import SETTINGS, BlockOutcome, PreparedRuns, Recipe
from sharnir.studies.study_outputs import study_outputs
from sharnir.studies.study_result import StudyResult
from sharnir.studies.study_store import StudyStore


class Study:
    """Many runs of one model, described once and run anywhere.

    Parameters
    ----------
    model : with parameters (`Model(parameters=…)`).
    parameters : by name, parameters of the model or initial values such as "O.q": lists of values (a grid), distributions
        (`sr.Normal(…)`, `sr.Uniform(…)`, scipy.stats), numbers (the same in all runs); or a list with one dict for each run.
    outputs : by name, formulas over channels of a run, such as "max(abs(O.reaction.fx))", or functions of a Result.
    t_end : end of the runs [s].
    design : "grid", "list", "monte-carlo", "latin-hypercube", "sobol" or "saltelli" (for Sobol indices); default: by parameters.
    runs : how many, for random designs; for "saltelli" of the base sample, so that runs · (parameters + 2) are made.
    seed : of random designs; the same seed gives the same runs.
    correlations : of distributions, {("a", "b"): 0.5} or a matrix: those of the normal scores (a Gaussian copula).
    variables : channels by the names that formulas use, for names that are not valid identifiers.
    title : of reports and pages; default: the name of the model.
    settings : of the runs, as in `Model.simulate`: step, output, integrator, tolerance, …

    >>> import sharnir as sr
    >>> m = sr.Model("fall", parameters={"h": 1.0})
    >>> _ = m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z", q="h"))
    >>> study = sr.Study(m, parameters={"h": sr.Uniform(1, 2), "rail.v": [0.0]}, outputs={"end": "final(rail.q)"},
    ...                  t_end=1.0, design="grid")
    Traceback (most recent call last):
    sharnir.errors.ModelError: parameter 'h': values = Uniform(low=1.0, high=2.0) must be a list of numbers in the design 'grid'
    """

    def __init__(
        self,
        model: Model,
        *,
        parameters: Any,
        outputs: Mapping[str, str | Callable[[Result], float]],
        t_end: float,
        design: str | None = None,
        runs: int | None = None,
        seed: int = 0,
        correlations: Any = None,
        variables: Mapping[str, str] | None = None,
        title: str | None = None,
        **settings: Any,
    ) -> None:
        if not isinstance(model, Model):
            fail("Study", "model", f"= {shown(model)} must be a Model")
        self.design = Design(parameters, design, runs, seed, correlations)
        self.model = model = model.copy()
        self.title = model.name if title is None else title
        for name in settings:
            if name not in SETTINGS:
                advice = meant(name, [*inspect.signature(Study).parameters, *SETTINGS])
                fail("Study", name, f"is not a setting of the runs of a study; these are {', '.join(SETTINGS)}{advice}")
        self.t_end, self.outputs = number(t_end, "Study", "t_end", above=0.0), study_outputs(outputs, variables)
        self.recipe = Recipe(model, self.t_end, settings, self.design.names, self.outputs)
        self.units = self._checked(settings)

    def _checked(self, settings: Mapping[str, Any]) -> dict[str, str | None]:
        """Everything that can be wrong before the first run; units of parameters and outputs."""
        output_times(self.t_end, settings.get("step"), settings.get("output"))
        chosen = ("tolerance", "step", "order", "max_step", "options")
        integrator_options(settings.get("integrator", "auto"), *(settings.get(name) for name in chosen))
        system, kept = self.prepared.system, self.model.parameters
        known = (*kept, *system.coordinates, *system.speeds)
        for name in self.design.names:
            if name not in known:
                listed = ", ".join(known) or "nothing"
                said = similar(name, known).removesuffix(";")
                fail(
                    "Study",
                    f"parameters[{name!r}]",
                    f"is neither a parameter nor an initial value of the model; there are {listed}{said}",
                )
        taken = {output.name for output in self.outputs} & set(self.design.names)
        if taken:
            fail("Study", f"outputs[{min(taken)!r}]", "has the name of a parameter; choose another name")
        start = Result(np.zeros(1), RunChannels(Observer(system, np.zeros(1), system.y0[None].copy())))
        notes = {name: kept.notes[name].unit if name in kept.notes else "" for name in kept}
        units: dict[str, str | None] = {
            name: notes[name] if name in notes else str(start.unit(name)) if name in start else None for name in self.design.names
        }
        return units | {output.name: output.unit(start, dict(kept), notes) for output in self.outputs}

    @cached_property
    def prepared(self) -> PreparedRuns:
        """The compiled model, for questions in this process."""
        return PreparedRuns(self.recipe, None)

    def __len__(self) -> int:
        return len(self.design.table)

    def __repr__(self) -> str:
        names = ", ".join(output.name for output in self.outputs)
        return f"Study of {self.title!r}: {len(self)} runs ({self.design.kind}), outputs {names}"

    @cached_property
    def digest(self) -> str:
        """What tells this study from others: model, values, outputs, settings and version, as 32 hexadecimal digits."""
        from sharnir import __version__

        functions = [function_text(output.formula) for output in self.outputs]
        said = [__version__, repr(self.t_end), repr(sorted(self.recipe.settings.items())), repr(self.design.names)]
        variables = repr(sorted((self.outputs[0].names or {}).items()))
        said += [repr([output.name for output in self.outputs]), *functions, variables, model_text(self.model)]
        return hashlib.sha256("\0".join(said).encode() + self.design.table.tobytes()).hexdigest()[:32]

    def _described(self) -> dict[str, Any]:
        """What a store and a result say about the study."""
        formulas = {output.name: output.formula if isinstance(output.formula, str) else None for output in self.outputs}
        return {
            "digest": self.digest,
            "title": self.title,
            "runs": len(self),
            "names": list(self.design.names),
            "varied": list(self.design.varied),
            "outputs": [output.name for output in self.outputs],
            "formulas": formulas,
            "units": self.units,
            "design": self.design.kind,
            "base": self.design.base,
            "seed": self.design.seed,
            "t_end": self.t_end,
        }

    @with_advice
    def run(
        self,
        *,
        executor: Any = None,
        workers: int | None = None,
        store: str | PathLike[str] | None = None,
        resume: bool = False,
        block: int | None = None,
        progress: bool | Callable[[float], None] | None = None,
        precision: str = "double",
    ) -> StudyResult:
        """Make all runs. Results on processors are the same to the last bit wherever they are made; those of a GPU agree with
        them to rounding (fixed steps) or to the tolerance.

        Parameters
        ----------
        executor : None: threads of this process; "processes"; "gpu" (extra `gpu`; docs/guide/gpu.md says which models and
            outputs); any `concurrent.futures.Executor`; a client of Dask.
        workers : threads or processes; default: one for each processor.
        store : a file (SQLite) to which finished runs are written at once; `StudyResult.load` reads it at any time.
        resume : go on with a store that is there: runs in it are not made again.
        block : how many runs go to a worker at a time; default: as many as take about a second.
        progress : as in `Model.simulate`: True, False, None, or a function of the part done.
        precision : "double", or on a GPU "single".

        Ctrl-C ends the study; the result has the runs that were made by then.

        >>> import sharnir as sr
        >>> m = sr.Model("fall", parameters={"h": 1.0})
        >>> _ = m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z", q="h"))
        >>> study = sr.Study(m, parameters={"h": [1, 2, 3]}, outputs={"end": "final(rail.q)"}, t_end=1.0)
        >>> study.run()["end"].round(3)
        array([-3.905, -2.905, -1.905])
        """
        if precision not in ("double", "single") or (precision == "single" and executor != "gpu"):
            fail("Study.run", "precision", f"= {shown(precision)} must be 'double', or with executor='gpu' 'single'")
        gpu = gpu_runs(self.recipe, precision) if isinstance(executor, str) and executor == "gpu" else None
        kept = None if store is None else self._store(store, bool_of(resume, "Study.run", "resume"), precision)
        size = None if block is None else integer(block, "Study.run", "block", low=1)
        found = _Collected(self, kept)
        waiting = np.flatnonzero(~found.finished)
        packed = b"" if executor is None or gpu is not None else self._packed()
        work = Work(self.digest, packed, self.design.table, waiting, self.recipe.group, size, len(self.outputs))
        try:
            with progress_bar(progress, self.title) as shown_progress:
                found.shown = shown_progress
                if executor is None or gpu is not None:
                    self.prepared.threads = None if workers is None else integer(workers, "Study.run", "workers", low=1)
                if gpu is not None:
                    execute_on_gpu(work, gpu, self.prepared, found.take)
                elif executor is None:
                    execute_here(work, self.prepared, found.take)
                else:
                    execute(work, executor, workers, found.take)
        except KeyboardInterrupt:
            found.interrupted = True
        finally:
            if kept is not None:
                kept.close()
        return found.result()

    @with_advice
    def minimize(
        self,
        objective: str,
        *,
        bounds: Mapping[str, tuple[float, float]],
        constraints: Mapping[str, tuple[float | None, float | None]] | None = None,
        start: Mapping[str, float] | None = None,
        method: str = "local",
        evaluations: int = 200,
        seed: int = 0,
    ) -> Optimum:
        """The values of parameters and initial conditions for which an output is least. The design of the study plays no part.

        Parameters
        ----------
        objective : an output; to maximize y, let an output be "-(…)".
        bounds : (least, greatest) of what may change, by name; everything else is as in the model.
        constraints : (least, greatest) of other outputs, None for no limit.
        start : values to begin with; default: those of the model, within the bounds.
        method : "local" (SLSQP, with exact gradients where the run has sensitivities), "global" (differential evolution) or
            "optuna" (extra).
        evaluations : at most so many runs of a global method, and steps of the local one.

        >>> import sharnir as sr
        >>> m = sr.Model("spring", gravity=(0, 0, 0), parameters={"k": 1.0})
        >>> _ = m.add(sr.Body("car", mass=1), sr.Prismatic("x", "ground", "car", axis="x", q=1, stiffness="k"))
        >>> study = sr.Study(m, parameters={}, outputs={"end": "final(x.q)"}, t_end=1.0)
        >>> best = study.minimize("end", bounds={"k": (1, 20)})
        >>> round(best.parameters["k"], 3), best.gradients
        (9.87, 'exact')
        """
        outputs = {output.name: k for k, output in enumerate(self.outputs)}
        if not isinstance(objective, str) or objective not in outputs:
            fail("minimize", "objective", f"= {shown(objective)} is not an output of the study; there are {', '.join(outputs)}")
        system, kept = self.prepared.system, self.model.parameters
        known = (*kept, *system.coordinates, *system.speeds)
        limits, given = checked_limits(constraints, outputs), checked_bounds(bounds, known, "minimize")
        recipe = replace(self.recipe, names=tuple(given))
        search = Search(PreparedRuns(recipe, None), objective, given, limits)
        own = (
            dict(zip(system.coordinates, system.q0, strict=True)) | dict(zip(system.speeds, system.v0, strict=True)) | dict(kept)
        )
        begin = np.array(checked_start(start, own, given, "minimize"))
        unit = np.clip((begin - search.low) / (search.high - search.low), 0.0, 1.0)
        return minimized(search, unit, method, checked_count(evaluations), integer(seed, "minimize", "seed", low=0), self.title)

    def _packed(self) -> bytes:
        try:
            return pickle.dumps(self.recipe, protocol=5)
        except Exception as error:
            functions = [output.name for output in self.outputs if callable(output.formula)]
            where = f"outputs {', '.join(functions)}" if functions else "the model"
            raise ModelError(
                f"Study: {where} cannot be sent to workers ({error}); define functions at the top of a module, not inside others",
                field="outputs",
            ) from None

    def _store(self, path: str | PathLike[str], resume: bool, precision: str) -> StudyStore:
        path, described = file_path(path, "Study.run", "store"), self._described()
        if precision != "double":  # runs of both precisions do not belong into one store
            described |= {"digest": f"{self.digest}-{precision}", "precision": precision}
        if not os.path.lexists(path):  # asks without an error, however long the name
            return StudyStore.created(path, described)
        store = StudyStore.opened(path)
        if store.described["digest"] != described["digest"]:
            store.close()
            said = differences(store.described, described)
            raise ModelError(f"{path}: is the store of another study ({said}); name another file", field="store")
        if not resume:
            store.close()
            raise ModelError(f"{path}: exists already; continue it with resume=True, or name another file", field="store")
        return store


class _Collected:
    """What has been computed so far: rows of outputs, in memory and in the store."""

    def __init__(self, study: Study, store: StudyStore | None) -> None:
        self.study, self.store = study, store
        count = len(study)
        self.values, self.finished = np.full((count, len(study.outputs)), np.nan), np.zeros(count, dtype=bool)
        self.failures: dict[int, str] = {}
        self.warnings: dict[int, str] = {}
        self.shown: Any = None
        self.interrupted = False
        if store is not None:
            runs, _, values, self.failures, self.warnings = store.finished()
            self.values[runs], self.finished[runs] = values, True
        self._before, self._begin = int(self.finished.sum()), time.perf_counter()

    def take(self, outcome: BlockOutcome) -> None:
        """The outcome of a block."""
        if self.store is not None:
            self.store.add(outcome, self.study.design.table[outcome.runs])
        self.values[outcome.runs], self.finished[outcome.runs] = outcome.values, True
        self.failures |= outcome.failures
        self.warnings |= outcome.warnings
        if self.shown is not None:
            done, total = int(self.finished.sum()), len(self.finished)
            note = progress_note(done, total, len(self.failures), done - self._before, time.perf_counter() - self._begin)
            try:
                self.shown(done / total, note) if getattr(self.shown, "takes_notes", False) else self.shown(done / total)
            except Exception as error:  # a user's function
                raise SimulationError(f"Study: the progress function raised {shown(error)}", result=self.result()) from error

    def result(self) -> StudyResult:
        """The result with what there is."""
        parts = (self.study._described(), self.study.design.table, self.values, self.finished, self.failures, self.warnings)
        return StudyResult(*parts)


def progress_note(done: int, total: int, failed: int, made: int, seconds: float) -> str:
    """Rate and remaining time in words.

    >>> progress_note(300, 1000, 2, 200, 10.0)
    '300 of 1000 runs, 20/s, 35 s left, 2 failed'
    """
    rate = made / seconds if seconds > 0.0 else 0.0
    left = (total - done) / rate if rate > 0.0 else 0.0
    words = f"{left:.0f} s" if left < 120 else f"{left / 60:.0f} min" if left < 7200 else f"{left / 3600:.1f} h"
    return f"{done} of {total} runs, {rate:.3g}/s, {words} left" + (f", {failed} failed" if failed else "")


def function_text(formula: str | Callable[[Result], float]) -> str:
    """A formula, or what tells a function from others: its name and its source."""
    if isinstance(formula, str):
        return formula
    try:
        source = inspect.getsource(formula)
    except (OSError, TypeError):
        source = ""
    return f"{getattr(formula, '__module__', '')}.{getattr(formula, '__qualname__', type(formula).__name__)}\n{source}"


def model_text(model: Model) -> str:
    """The model as its file, or where that is not possible (functions, reduced bodies) as bytes."""
    from sharnir.model.files.model_file import text_of

    try:
        return text_of(model)
    except SharnirError:
        return pickle.dumps(model, protocol=5).hex()


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """What two descriptions do not share, in words.

    >>> differences({"digest": "a", "runs": 3}, {"digest": "b", "runs": 4})
    'runs: 3 there, 4 here'
    """
    found = [
        f"{key}: {shown(one.get(key))} there, {shown(value)} here"
        for key, value in json.loads(json.dumps(other)).items()
        if key != "digest" and one.get(key) != value
    ]
    return "; ".join(found[:2]) or "its model, settings, values or version differ"
