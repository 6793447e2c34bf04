"""simulate(): Model → Tree → System → Result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from sharnir.arguments import number, numbers, shown
from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.friction.loads_of_given_motion import has_bristles
from sharnir.dynamics.initial.blocked_start import check_start
from sharnir.dynamics.model_compilation import compile_model
from sharnir.dynamics.straight_line.quicker_functions import DerivedStructures
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import Integrator, Solution, integrate
from sharnir.integrate.choice import EXTERNAL_INTEGRATORS, integrator_named
from sharnir.model import Model
from sharnir.model.constraints.programmed import Programmed
from sharnir.progress import progress_bar
from sharnir.results import Result
from sharnir.simulate.audit.crawling import note_crawling
from sharnir.simulate.audit.deep_contacts import contact_remarks
from sharnir.simulate.audit.sliding import sliding
from sharnir.simulate.events.carried_state import CarriedState
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.events.event_run import run_with_events
from sharnir.simulate.events.model_change import Change, planned_changes
from sharnir.simulate.events.stiffness_switch import integrate_auto
from sharnir.simulate.events.structure_change import Compile
from sharnir.simulate.file_run import FileRun
from sharnir.simulate.filter_step_limit import with_filters
from sharnir.simulate.finished_run import finish
from sharnir.simulate.kinematic_analysis import driven_solution, is_driven, prescribed_solution
from sharnir.simulate.motion_jumps import check_motions
from sharnir.simulate.run_length import check_run_length
from sharnir.simulate.user_function_steps import looked_into, user_functions, with_user_functions
from sharnir.topology import build_tree

DEFAULT_SAMPLES = 500
MOST_OUTPUTS = 10**8
DEFAULT_TOLERANCE = 1e-8


def simulate(
    model: Model,
    t_end: float,
    *,
    step: float | None = None,
    output: Any = None,
    integrator: str = "auto",
    tolerance: float | None = None,
    formulation: str = "joint",
    method: str = "auto",
    order: int | None = None,
    max_step: float | None = None,
    progress: bool | Callable[[float], None] | None = None,
    stabilization: Any = None,
    correction: bool | str = True,
    solver: str = "auto",
    initial: Any = None,
    options: Mapping[str, float] | None = None,
    callback: Callable[[Any], Any] | None = None,
    communication: float | None = None,
    file: Any = None,
    watch: Callable[[EventLoop], None] | None = None,
    changes: Mapping[float, Any] | None = None,
) -> Result:
    """The motion of a model from 0 to t_end; see Model.simulate for the parameters.

    `watch` is called with the run on its way now and then, by programs that show it while it goes on.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> round(float(simulate(m, 2.0)["stone.position"][-1, 2]), 9)
    -19.62
    """
    grid = output_times(t_end, step, output)
    called = communication_of(callback, communication)
    settings = integrator_options(integrator, tolerance, step, order, max_step, options)
    system = compile_model(model, formulation, method, solver, initial=initial)
    settings = with_filters(system, settings)
    check_run_length(system, settings, float(grid[-1]), None if called is None else called[1])
    check_motions(system, float(grid[-1]))
    check_start(system)
    keep_constraints(system, stabilization, correction, settings["step"])
    if max_step is None:
        settings = with_user_functions(system, settings, grid)
    planned = [] if changes is None else planned_changes(model, changes, float(grid[-1]))
    check_changes(system, planned, integrator)
    stops = called is not None or bool(planned) or stops_on_the_way(system)
    written = None if file is None else FileRun(file, system)
    if not stops:
        solve(system, grid[:1], settings, None)  # loads kernels before the clock starts
    begin = perf_counter()
    loop = None
    with progress_bar(progress, model.name) as shown_progress:
        guard = Guard(shown_progress)
        advance = None if shown_progress is None else guard
        if stops or ((written is not None or watch is not None) and is_stepped(system, integrator)):
            compile_changed = compile_of(formulation, method, solver, stabilization, correction, settings["step"])
            look = watch if written is None else written.look
            solution, loop = run_with_events(system, grid, settings, advance, compile_changed, called, look, planned)
            system = loop.system
            runs = [(part.system, part.run.problem.work) for part in loop.parts]
            note_remarks(solution, runs, not settings["control"], (system, system.work))
            note_crawling(loop.run.problem, solution, settings)
        else:
            solution = solve(system, grid, settings, advance)
    result = finish(system, solution, perf_counter() - begin, loop, written, guard.error)
    if max_step is None and settings.get("control", True) and len(grid) > 1 and user_functions(system):
        result.stats["functions_seen"] = looked_into(grid)
    return result


class Guard:
    """A user's progress function: what it raises ends the run as Ctrl-C does, so that nothing computed is lost."""

    def __init__(self, function: Callable[[float], None] | None) -> None:
        self.function, self.error = function, None  # type: Callable[[float], None] | None, Exception | None

    def __call__(self, fraction: float) -> None:
        try:
            if self.function is not None:
                self.function(fraction)
        except Exception as error:
            self.error = error
            raise KeyboardInterrupt from None


def is_stepped(system: System, integrator: str) -> bool:
    """Whether a run comes back to Python on its way; driven mechanisms are not integrated, SUNDIALS runs to the end."""
    moving = system.n_v > 0 and not is_driven(system)
    states = system.has_controls or has_bristles(system)
    return (moving or states) and integrator not in EXTERNAL_INTEGRATORS


def check_changes(system: System, planned: list[Change], integrator: str) -> None:
    """A run that is not integrated step by step cannot change on its way."""
    if planned and not is_stepped(system, integrator):
        reason = (
            f"integrator {integrator!r} runs to the end"
            if integrator in EXTERNAL_INTEGRATORS
            else "all its motions are prescribed"
        )
        raise ModelError(f"model '{system.model.name}': changes: {reason}; make one run for each set of values", field="changes")


def stops_on_the_way(system: System) -> bool:
    """Whether a run of the system has events, ticks of clocks, or a past to remember."""
    program = system.assembly.program
    return bool(system.model.events or (program is not None and program.steps_in_time))


def communication_of(callback: Callable[[Any], Any] | None, period: float | None) -> tuple[Callable[[Any], Any], float] | None:
    """A callback and the time between its calls; None: there is none."""
    if (callback is None) != (period is None):
        raise ModelError(
            f"callback = {shown(callback)} and communication = {shown(period)} belong together: a function and a time [s]"
        )
    if callback is not None and not callable(callback):
        raise ModelError(f"callback = {shown(callback)} must be a function of the moment", field="callback")
    return None if callback is None or period is None else (callback, _positive("communication", period))


def compile_of(*settings: Any) -> Compile:
    """What makes the systems of structures that change in runs with settings: those of `changed_system`, as far as `step`."""
    return partial(changed_system, DerivedStructures(), *settings)


def changed_system(
    derived: DerivedStructures,
    formulation: str,
    method: str,
    solver: str,
    stabilization: Any,
    correction: bool | str,
    step: float | None,
    model: Model,
    state: CarriedState,
    cut: tuple[str, ...],
) -> System:
    """The system of a model whose structure has changed during a run, with the state that it had."""
    on_the_way = bool(cut) or any(isinstance(x, Programmed) for x in model.constraints.values())  # to the structure that stays
    loops = cut or model.constraints or formulation == "absolute" or build_tree(model).cuts
    engine = "auto" if loops or method == "symbolic" else method
    system = compile_model(model, formulation, engine, solver, cut=cut, initial=state)
    if on_the_way:
        return system
    if method == "symbolic":
        derived.derive(system)
    return keep_constraints(system, stabilization, correction, step)


def solve(system: System, grid: np.ndarray, settings: dict[str, Any], advance: Callable[[float], None] | None = None) -> Solution:
    """Integrate a system from its initial state over the grid; `settings` come from `integrator_options`."""
    # states of control and bristles of friction are integrated, although the mechanism need not be
    if not system.has_controls and not has_bristles(system):
        if system.n_v == 0:
            return prescribed_solution(system, grid)
        if is_driven(system):
            return driven_solution(system, grid, advance)
    problem = system.problem(audited=True)
    if settings["integrator"] == "auto" and len(grid) > 1:
        solution = integrate_auto(problem, system.y0, grid, settings, advance)
    else:
        given = {name: value for name, value in settings.items() if name != "free_step"}
        solution = integrate(problem, system.y0, grid, progress=advance, **given)
    note_remarks(solution, [(system, problem.work)], not settings.get("control", True))
    note_crawling(problem, solution, settings)
    return solution


def note_remarks(
    solution: Solution, runs: list[tuple[System, np.ndarray]], fixed: bool, *others: tuple[System, np.ndarray]
) -> None:
    """Put what the memory of a run says about formulas and contacts into the stats of its solution, under "remarks".

    "engine_evaluations" is how often derived code has left the computation to the engine, near singular positions.
    """
    solution.stats["engine_evaluations"] = sum(int(work[system.handed_over]) for system, work in runs)
    found = [*dict.fromkeys(sliding(system, work) for system, work in (*runs, *others)), *contact_remarks(runs, fixed)]
    if any(found):
        solution.stats["remarks"] = [text for text in found if text]


def integrator_options(
    integrator: str,
    tolerance: float | None,
    step: float | None,
    order: int | None,
    max_step: float | None = None,
    options: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Arguments of `integrate`: fixed steps are the output steps, controlled ones are free between outputs.

    Integrators that `takes_step` have fixed steps if a step is given and no tolerance.

    >>> integrator_options("rk4", 1e-8, 0.01, None)["step"]
    0.01
    >>> integrator_options("newmark", None, 0.01, None)["control"], integrator_options("newmark", 1e-5, 0.01, None)["control"]
    (False, True)
    """
    kind = Integrator.family.classes().get(integrator) if isinstance(integrator, str) else None
    fixed = kind is not None and (not kind.adaptive or (kind.takes_step and tolerance is None and step is not None))
    tolerance = DEFAULT_TOLERANCE if tolerance is None else _number("tolerance", tolerance)
    if not 0.0 < tolerance < 1.0:
        raise ModelError(f"tolerance = {tolerance!r} must lie between 0 and 1; 1e-8 is usual")
    if fixed and step is None:
        raise ModelError(f"integrator '{integrator}' has a fixed step: give step=, for example step=0.001")
    if max_step is not None:
        max_step = _number("max_step", max_step)
        if not max_step > 0.0:
            raise ModelError(f"max_step = {max_step!r} must be a positive time in seconds")
    integrator_named(integrator, order, tolerance, options)  # names and options are wrong before anything is compiled
    settings = {"integrator": integrator, "rtol": tolerance, "atol": 1e-2 * tolerance, "step": step if fixed else None}
    settings["control"] = not fixed
    return settings | {"order": order, "max_step": math.inf if max_step is None else max_step, "options": options}


def _number(name: str, value: Any) -> float:
    try:
        return number(value, "run", name, finite=False)
    except ModelError:
        raise ModelError(f"{name} = {shown(value)} must be a number", field=name) from None


def _positive(name: str, value: Any) -> float:
    number = _number(name, value)
    if not (math.isfinite(number) and number > 0.0):
        raise ModelError(f"{name} = {value!r} must be a positive time in seconds")
    return number


def output_times(t_end: float, step: float | None, output: Any) -> np.ndarray:
    """Times of output: every `output` (or `step`) seconds and at the end, or the times given.

    >>> output_times(1.0, 0.25, None)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    t_end = _positive("t_end", t_end)
    step = None if step is None else _positive("step", step)
    single = isinstance(output, str) or not isinstance(output, Iterable) or getattr(output, "ndim", 1) == 0
    if output is not None and single:
        output = _positive("output", output)
    elif output is not None:
        grid = numbers(output, "run", "output", finite=False)
        if not (
            grid.ndim == 1
            and np.isfinite(grid).all()
            and grid.size
            and (np.diff(grid) > 0).all()
            and grid[0] >= 0
            and grid[-1] <= t_end
        ):
            raise ModelError(f"output: times must increase and lie between 0 and t_end = {t_end:g}")
        grid = grid if grid[0] == 0.0 else np.concatenate([[0.0], grid])
        return grid if grid[-1] == t_end else np.concatenate([grid, [t_end]])
    interval = output if output is not None else step
    if interval is None:
        return np.linspace(0.0, t_end, DEFAULT_SAMPLES + 1)
    count = round(t_end / interval)
    if count > MOST_OUTPUTS:
        raise ModelError(f"an output every {interval:g} s until {t_end:g} s asks for {count:g} of them; give a longer output=")
    if count >= 1 and abs(count * interval - t_end) <= 1e-9 * t_end:
        return np.linspace(0.0, t_end, count + 1)
    return np.append(np.arange(0.0, t_end, interval), t_end)
