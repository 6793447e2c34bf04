"""Many runs at once: initial states side by side in vector registers, and runs over threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from sharnir.arguments import fail, integer, numbers, sequence, shown, with_advice
from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.model_compilation import compile_model
from sharnir.dynamics.system import System
from sharnir.errors import ModelError, SimulationError
from sharnir.integrate import Solution, integrate
from sharnir.integrate.choice import integrator_named
from sharnir.kernel import LANES
from sharnir.model import FlexibleBody, Model
from sharnir.results import Result
from sharnir.simulate.audit.many_audits import ManyAudits
from sharnir.simulate.audit.passed_limits import passed_limits
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.run_channels import RunChannels
from sharnir.simulate.events.structure_change import Compile
from sharnir.simulate.filter_step_limit import with_filters
from sharnir.simulate.large_deformation import large_deformations
from sharnir.simulate.many_event_runs import on_grid, runs_in_turn
from sharnir.simulate.motion_jumps import check_motions
from sharnir.simulate.recording import record
from sharnir.simulate.run_length import check_run_length
from sharnir.simulate.runs_in_one_memory import RunsInOneMemory
from sharnir.simulate.simulation import compile_of, integrator_options, output_times, stops_on_the_way
from sharnir.simulate.user_function_steps import with_user_functions

if TYPE_CHECKING:
    from sharnir.integrate.setting_types import Correction, Formulation, Integrator, Method, Output, Solver, Stabilization, State


class Ensemble:
    """Runs on one output grid.

    t (nt,) : times.   q, v (runs, nt, n) : coordinates and speeds.   stats : numbers about all runs.

    `ensemble["hinge.q"]` has shape (runs, nt, …); `ensemble[3]` is the Result of run 3, with its own events. A run that failed
    or was stopped by an event is not-a-number from then on. `failures` maps the number of a failed run to the reason, `warnings`
    that of a run to its warnings; both are in the `trust` of its Result. After an event has changed the structure, and with it
    the coordinates, q and v are not-a-number; channels remain defined.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> runs = simulate_many(m, 1.0, q=[[0.0], [0.5], [1.0]], step=0.1)
    >>> runs["hinge.q"].shape, len(runs), runs.failures
    ((3, 11), 3, {})
    """

    def __init__(
        self,
        systems: list[System],
        t: np.ndarray,
        y: np.ndarray,
        failures: dict[int, str],
        seconds: float,
        results: dict[int, Callable[[], Result]] | None = None,
        audits: ManyAudits | None = None,
    ) -> None:
        n_q = systems[0].n_q
        self.t, self.q, self.v = t, y[:, :, :n_q], y[:, :, n_q : n_q + systems[0].n_v]
        self.coordinates, self.speeds = systems[0].coordinates, systems[0].speeds
        self.failures = failures
        self.stats: dict[str, Any] = {"runs": len(y), "seconds": seconds, "failed": len(failures)}
        self._systems, self._y = systems, y
        self._results: dict[int, Result] = {}
        self._recorded = results or {}  # what makes the results of runs with events
        self._audits = audits or ManyAudits()

    @property
    def warnings(self) -> dict[int, list[str]]:
        """Warnings of runs, by their numbers: energy that no force accounts for, deep contacts, passed limits …"""
        return self._audits.warnings

    def __len__(self) -> int:
        return len(self._y)

    def __iter__(self) -> Iterator[Result]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, key: int) -> Result: ...

    @overload
    def __getitem__(self, key: str) -> np.ndarray: ...

    def __getitem__(self, key: int | str) -> Result | np.ndarray:
        if isinstance(key, str):
            return np.array([self._padded(result.t, result[key]) for result in self])
        i = range(len(self))[key]
        if i not in self._results:
            self._results[i] = self._recorded.get(i, partial(self._of_states, i))()
            if i in self._audits.remarks:
                self._results[i].stats["warnings"] = self._audits.remarks[i]
        return self._results[i]

    def _of_states(self, i: int) -> Result:
        """The result of a run of which states are known."""
        system, t, y = self._states(i)
        solution = Solution(t, y, "finished", "")
        return record(system, solution, 0.0, self.failures.get(i), audit=self._audits.stats.get(i))

    def _states(self, i: int) -> tuple[System, np.ndarray, np.ndarray]:
        """The system of a run, its times and states."""
        good = int(np.isfinite(self._y[i]).all(axis=1).sum())
        system = self._systems[i if len(self._systems) > 1 else 0]
        return system, self.t[:good], np.ascontiguousarray(self._y[i, :good])

    def quantities(self, i: int) -> Result:
        """The channels of a run without statistics and picture, which take longer than one or two channels.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> simulate_many(m, 1.0, q=[[0.0], [0.5]], step=0.1).quantities(1)["hinge.q"][0]
        np.float64(0.5)
        """
        if i in self._results or i in self._recorded:
            return self[i]
        system, t, y = self._states(i)
        channels = RunChannels(Observer(system, t, y))
        stats = {"warnings": self._audits.remarks[i]} if i in self._audits.remarks else {}
        return Result(
            t, channels, title=system.model.name, stats=stats, failure=self.failures.get(i), flexible=channels.flexible.shapes
        )

    def _padded(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """A run that ended early holds not-a-number from there on."""
        rows, all_rows = on_grid(self.t, t), np.full((len(self.t), *values.shape[1:]), np.nan)
        all_rows[rows[rows >= 0]] = values[rows >= 0]
        return all_rows

    def __repr__(self) -> str:
        s = self.stats
        return f"Ensemble of {len(self)} runs, t = {self.t[0]:g} … {self.t[-1]:g} s, {s['failed']} failed, {s['seconds']:.3g} s"


@with_advice
def simulate_many(
    models: Model | System | Sequence[Model],
    t_end: float,
    *,
    q: State | Mapping[str, Any] | None = None,
    v: State | Mapping[str, Any] | None = None,
    step: float | None = None,
    output: Output = None,
    integrator: Integrator = "auto",
    tolerance: float | None = None,
    method: Method = "auto",
    order: int | None = None,
    max_step: float | None = None,
    threads: int | None = None,
    formulation: Formulation = "joint",
    stabilization: Stabilization = None,
    correction: Correction = True,
    solver: Solver = "auto",
    options: Mapping[str, float] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Ensemble:
    """The motion of one model from many initial states, or of many models of the same structure (other parameters).

    Parameters
    ----------
    models : a model, a system that `Model.compile` has made of it, or a list of models that have the same coordinates.
    q, v : initial states, (runs, n_q) and (runs, n_v), or values of some coordinates or speeds by name, such as
        {"hinge.q": [0, 0.1]}, one for each run or one for all; what is not given comes from the model. With constraints every
        run starts from the nearest state that satisfies them (in the metric of the masses); `stats["start_correction"]` is the
        largest change of a coordinate by that. To keep some coordinates exactly, take q and v from `system.assemble`.
    parameters : values of parameters of the model by name, one for each run or one for all; with q and v as many runs as there.
    integrator : with "rk4" and a fixed step, states of one model go through vector registers, 4 or 8 at a time.
    threads : how many runs at a time; default: all processors. Results do not depend on it. Runs with events, clocks, delays or
        engines (Thrust) are made one after the other.

    Every run is checked at its end as in `simulate`: energy, deep contacts, steps that are too long for contacts, formulas
    that switch without end, passed limits, large deformations. One RunWarning names the first runs with warnings. In
    vector registers the energy is balanced only where no force supplies or dissipates any. Stiff runs that crawl are not
    detected. The other parameters are those of Model.simulate.

    >>> import sharnir as sr
    >>> m = sr.Model("pendulum")
    >>> bob = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
    >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> runs = sr.simulate_many(m, 1.0, q=[[0.0], [0.1], [0.2]], step=0.1)
    >>> runs["hinge.q"].shape
    (3, 11)
    """
    grid = output_times(t_end, step, output)
    settings = integrator_options(integrator, tolerance, step, order, max_step, options)
    begin = perf_counter()
    one = isinstance(models, Model | System)
    listed = (models,) if one else sequence(models, "simulate_many", "models", "a Model, or a list of them")
    if not one and not all(isinstance(model, Model) for model in listed):
        fail("simulate_many", "models", f"= {shown(models)} must be a Model, or a list of them")
    systems = _varied(_compiled(list(listed), formulation, method, solver), parameters)
    described = [system for system in systems if not system.numbers_only] or systems[:1]  # what is asked below is not of numbers
    for system in described:
        check_motions(system, float(grid[-1]))
    for system in systems:
        keep_constraints(system, stabilization, correction, settings["step"])
    if not _in_turn(systems):  # nothing looks whether a run is stiff
        settings["integrator"] = integrator_named(integrator, order, settings["rtol"], options).name
    each = [_limited(system, settings, grid, max_step is None) for system in described]
    y0 = _initial_states(systems, q, v)
    if systems[0].n_v == 0:
        raise ModelError("simulate_many: nothing is free to move, so all runs would be equal; use simulate")
    changed = compile_of(formulation, method, solver, stabilization, correction, settings["step"])
    in_lanes = integrator == "rk4" and step is not None and len(systems) == 1 and systems[0].vectorizes and len(y0) > 1
    workers = os.cpu_count() or 1 if threads is None else integer(threads, "simulate_many", "threads", low=1)
    audits = ManyAudits()
    each = each if len(each) == len(y0) else each[:1] * len(y0)  # systems with other numbers only have the same limits
    y, failures, results = _runs(systems, y0, grid, each, changed, step if in_lanes else None, workers, audits)
    ensemble = Ensemble(systems, grid, y, failures, perf_counter() - begin, results, audits)
    _look_at_results(ensemble, systems, audits)
    audits.warn(len(ensemble))
    moved = np.abs(y[:, 0, : systems[0].n_q] - y0[:, : systems[0].n_q])
    ensemble.stats["start_correction"] = float(np.nan_to_num(moved).max(initial=0.0))
    return ensemble


def _limited(system: System, settings: dict[str, Any], grid: np.ndarray, choose: bool) -> dict[str, Any]:
    """Settings of the runs of a system, with steps that its filters and, if these are to be chosen, its functions allow."""
    settings = with_filters(system, settings)
    if choose:
        settings = with_user_functions(system, settings, grid)
    check_run_length(system, settings, float(grid[-1]))
    return settings


def _runs(
    systems: list[System],
    y0: np.ndarray,
    grid: np.ndarray,
    settings: list[dict[str, Any]],
    changed: Compile,
    lane_step: float | None,
    workers: int,
    audits: ManyAudits,
) -> tuple[np.ndarray, dict[int, str], dict[int, Callable[[], Result]]]:
    """States, failures, and what makes results where states are not enough: in turn, in lanes (with `lane_step`), in threads."""
    if _in_turn(systems):
        found = runs_in_turn(systems, y0, grid, settings, changed, audits)
        _raise_user_errors(systems)
        return found
    if lane_step is not None:
        return *_in_lanes(systems[0], y0, grid, lane_step, workers, audits), {}
    return *_one_by_one(systems, y0, grid, settings, workers, audits), {}


def _look_at_results(ensemble: Ensemble, systems: list[System], audits: ManyAudits) -> None:
    """What needs channels: limits of joints and deformations, where a model has any."""
    for i in range(len(ensemble)):
        system = systems[i if len(systems) > 1 else 0]
        described = system.model.original if system.origin is None else system.origin.model
        if any(joint.limits for joint in described.joints.values()):
            audits.add(i, [passed_limits(system.model.original, ensemble[i])])
        if any(isinstance(body, FlexibleBody) for body in described.bodies.values()):
            audits.add(i, large_deformations(ensemble[i]))
        if i in audits.remarks and i in ensemble._results:
            ensemble._results[i].stats["warnings"] = audits.remarks[i]


def _in_turn(systems: list[System]) -> bool:
    """Whether runs have events, clocks, delays or engines, and are made one after the other."""
    return any(not system.numbers_only and (stops_on_the_way(system) or system.has_tanks) for system in systems)


def _varied(systems: list[System], parameters: Any) -> list[System]:
    """The system with the values of parameters that each run has."""
    if parameters is None:
        return systems
    if len(systems) != 1:
        raise ModelError(f"simulate_many: parameters are for one model, and {len(systems)} are given; give each its own values")
    model = systems[0].model.original
    columns = {
        name: np.atleast_1d(numbers(values, "simulate_many", f"parameters[{name!r}]"))
        for name, values in model.parameters.known(parameters, "simulate_many").items()
    }
    runs = max((column.size for column in columns.values()), default=1) or 1
    for name, column in columns.items():
        if column.ndim != 1 or len(column) not in (1, runs):
            raise ModelError(
                f"simulate_many: parameters[{name!r}] has the shape {column.shape}; give one value, or one per run: {runs}",
                field="parameters",
            )
    rows = ({name: float(column[min(i, len(column) - 1)]) for name, column in columns.items()} for i in range(runs))
    return systems[0].with_many_parameters(list(rows))


def _compiled(models: list[Model | System], formulation: str, method: str, solver: str) -> list[System]:
    if not models:
        raise ModelError("simulate_many: the list of models is empty")
    systems = [m if isinstance(m, System) else compile_model(m, formulation, method, solver) for m in models]
    for s in systems[1:]:
        if s.coordinates != systems[0].coordinates:
            first = systems[0].model.name
            raise ModelError(
                f"simulate_many: model '{s.model.name}' has coordinates other than those of '{first}'; run them separately"
            )
    return systems


def _initial_states(systems: list[System], q: Any, v: Any) -> np.ndarray:
    """(runs, n_q + n_v + n_z), quaternions put to unit length; tracked coordinates of cut joints follow at the start of a run."""
    n_q, n_v = systems[0].n_q, systems[0].n_v
    own_q, own_v = np.array([s.q0 for s in systems]), np.array([s.v0 for s in systems])
    given_q = _given_states(q, "q", own_q, systems[0].coordinates)
    given_v = _given_states(v, "v", own_v, systems[0].speeds)
    if given_q.shape[1:] != (n_q,) or given_v.shape[1:] != (n_v,):
        raise ModelError(f"simulate_many: q has shape {given_q.shape} and v {given_v.shape}; they need {n_q} and {n_v} columns")
    runs = max(len(given_q), len(given_v), len(systems))
    if any(len(part) not in (1, runs) for part in (given_q, given_v, systems)):
        raise ModelError(
            f"simulate_many: {len(systems)} models, {len(given_q)} rows of q and {len(given_v)} of v do not fit together"
        )
    z0 = np.array([s.z0 for s in systems])
    y0 = np.hstack([np.broadcast_to(part, (runs, part.shape[1])) for part in (given_q, given_v, z0)])
    for k in systems[0].assembly.coordinates.quaternions:
        y0[:, k : k + 4] /= np.linalg.norm(y0[:, k : k + 4], axis=1, keepdims=True)
    return y0


def _given_states(given: Any, field: str, own: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Rows of coordinates or speeds: those of the models, a whole matrix, or some columns by name."""
    if given is None:
        return own
    if not isinstance(given, Mapping):
        return np.atleast_2d(numbers(given, "simulate_many", field, finite=False))
    columns = {name: np.atleast_1d(numbers(values, "simulate_many", f"{field}[{name!r}]")) for name, values in given.items()}
    for name, column in columns.items():
        if name not in names or column.ndim != 1:
            said = f"the model has {', '.join(names)}" if name not in names else "give one value, or one per run"
            fail("simulate_many", field, f"[{name!r}] of shape {column.shape}: {said}")
    runs = max([len(own), *map(len, columns.values())])
    if any(len(column) not in (1, runs) for column in (own, *columns.values())):
        fail("simulate_many", field, f"has columns of different lengths; give one value, or one per run: {runs}")
    rows = np.broadcast_to(own, (runs, own.shape[1])).copy()
    for name, column in columns.items():
        rows[:, list(names).index(name)] = column
    return rows


def _one_by_one(
    systems: list[System], y0: np.ndarray, grid: np.ndarray, settings: list[dict[str, Any]], workers: int, audits: ManyAudits
) -> tuple[np.ndarray, dict[int, str]]:
    y, failures = np.full((len(y0), len(grid), y0.shape[1]), np.nan), {}
    given = {name: value for name, value in settings[0].items() if name != "free_step"}
    in_memory = RunsInOneMemory(grid, given)

    def run(i: int) -> None:
        system = systems[i if len(systems) > 1 else 0]
        if len(y0) == 1:
            problem = system.problem(audited=True)
            solution, work = integrate(problem, y0[i], grid, **given), problem.work
        else:
            solution, work = in_memory.solution(system, y0[i], settings[i]["max_step"])
        y[i, : len(solution.t)] = solution.y
        if not solution.success:
            failures[i] = solution.message
        audits.take(i, system, solution, work, not given.get("control", True))

    run(0)  # compiles before the threads start
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run, range(1, len(y0))))
    _raise_user_errors(systems)
    return y, dict(sorted(failures.items()))


def _in_lanes(
    system: System, y0: np.ndarray, grid: np.ndarray, step: float, workers: int, audits: ManyAudits
) -> tuple[np.ndarray, dict[int, str]]:
    """Fixed steps of LANES states at once; the last group repeats its last state."""
    runs, n = y0.shape
    y, failures = np.full((runs, len(grid), n), np.nan), {}

    def group(first: int) -> None:
        rows = np.minimum(np.arange(first, first + LANES), runs - 1)
        solution = integrate(system.problem(LANES), y0[rows].T, grid, "rk4", step=step)
        count = min(LANES, runs - first)
        if solution.success:
            y[first : first + count] = np.moveaxis(solution.y, 2, 0)[:count]
            for i in range(first, first + count):
                audits.take_states(i, system, grid, y[i], int(solution.stats.get("steps", 0)))
        else:  # one of them fails: let the others come to their end
            for i in range(first, first + count):
                alone(i)

    def alone(i: int) -> None:
        problem = system.problem(audited=True).alone()
        solution = integrate(problem, y0[i], grid, "rk4", step=step)
        y[i, : len(solution.t)] = solution.y
        if not solution.success:
            failures[i] = solution.message
        audits.take(i, system, solution, problem.work, True)

    group(0)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(group, range(LANES, runs, LANES)))
    return y, dict(sorted(failures.items()))


def _raise_user_errors(systems: list[System]) -> None:
    for system in systems:
        if system.assembly.functions.errors:
            error = system.assembly.functions.errors[0]
            raise SimulationError(system.assembly.functions.failure) from error
