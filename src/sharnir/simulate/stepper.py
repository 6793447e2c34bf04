"""A run that advances step by step, with inputs from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import number, numbers, with_advice
from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.model_compilation import compile_model
from sharnir.errors import ModelError, SimulationError
from sharnir.model import Model
from sharnir.results import Result
from sharnir.simulate.channels.moment import Moment
from sharnir.simulate.events.event_run import go, started_loop
from sharnir.simulate.events.run_parts import Kept
from sharnir.simulate.failure import explanation
from sharnir.simulate.filter_step_limit import with_filters
from sharnir.simulate.finished_run import finish
from sharnir.simulate.motion_jumps import missing_impulses, tell
from sharnir.simulate.run_length import check_run_length
from sharnir.simulate.simulation import compile_of, integrator_options

if TYPE_CHECKING:
    from sharnir.integrate.setting_types import Correction, Formulation, InitialState, Integrator, Method, Solver, Stabilization


FAR = 1e9  # s; nobody knows when it ends
FORESEEN = 1e4  # s, for which motions are searched for jumps


class Stepper:
    """A model on its way: `step(t, u=…)` sets inputs and goes on to t, `stepper["O.q"]` is any channel there.

    Parameters are those of `simulate`: integrator, tolerance, step, order, max_step, options, formulation, method, solver,
    stabilization, correction, initial. Where inputs do not change, the integrator goes on as if there had been no stop.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> run = Stepper(m)
    >>> run.step(2.0)
    >>> round(float(run["stone.position"][2]), 9)
    -19.62
    """

    @with_advice
    def __init__(
        self,
        model: Model,
        *,
        integrator: Integrator = "auto",
        tolerance: float | None = None,
        step: float | None = None,
        order: int | None = None,
        max_step: float | None = None,
        options: Mapping[str, float] | None = None,
        formulation: Formulation = "joint",
        method: Method = "auto",
        solver: Solver = "auto",
        stabilization: Stabilization = None,
        correction: Correction = True,
        initial: InitialState = None,
    ) -> None:
        settings = integrator_options(integrator, tolerance, step, order, max_step, options)
        self.system = compile_model(model, formulation, method, solver, initial=initial)
        keep_constraints(self.system, stabilization, correction, settings["step"])
        settings = self._settings = with_filters(self.system, settings)
        compile_changed = compile_of(formulation, method, solver, stabilization, correction, settings["step"])
        self._loop = started_loop(self.system, np.array([0.0, FAR]), settings, compile_changed, open_end=True)
        self._loop.kept = []
        self._moment: Moment | None = None
        self._jumps = missing_impulses(self.system, FORESEEN)
        self._keep()

    @property
    def t(self) -> float:
        """Time reached."""
        return self._loop.run.t

    @property
    def stopped(self) -> str:
        """Why the model has stopped by itself (an event with Stop), or ""."""
        return "" if self._loop.goes_on else self._loop.message

    @property
    def events(self) -> list[dict[str, Any]]:
        """Events so far, as in a result."""
        self._loop.log.weigh(self._loop.system)
        return self._loop.log.entries

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of what may be set."""
        from sharnir.model import Input

        return tuple(name for name, signal in self.system.model.signals.items() if isinstance(signal, Input))

    def set(self, **inputs: float) -> None:
        """Values of inputs from now on; where a motion follows one, the value at the end of the next step, or (value, rate).

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("rail", "ground", "car", axis="x"))
        >>> _ = m.add(sr.Input("u"), sr.JointForce("motor", "rail", "u"))
        >>> run = m.stepper()
        >>> run.set(u=4.0)
        >>> run.step(1.0)
        >>> round(run["rail.v"], 9)
        2.0
        """
        loop, y = self._loop, self._loop.run.state.copy()
        for name, value in inputs.items():
            numbers(value, f"at t = {self.t:g}", f"input '{name}'")
        if loop.clocks.set_inputs(inputs, y):
            self._moment = None
            loop.system.hold_sides(loop.system.work)
            loop.run.resume(y)

    def step(self, t: float, **inputs: float) -> None:
        """Set inputs, and go on until t.

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("rail", "ground", "car", axis="x"))
        >>> _ = m.add(sr.Input("u"), sr.JointForce("motor", "rail", "u"))
        >>> run = m.stepper()
        >>> run.step(1.0, u=4.0)
        >>> run.t, round(run["rail.q"], 9)
        (1.0, 1.0)
        """
        loop = self._loop
        t = number(t, "step", "t")
        if not t > self.t:
            raise ModelError(f"step: t = {t!r} must be later than the time reached, {self.t:g}; a run does not go back")
        if not loop.goes_on:
            raise SimulationError(f"model '{self.system.model.name}' has stopped at t = {self.t:g}: {loop.message}")
        check_run_length(loop.system, self._settings, t, start=self.t)
        while self._jumps and self._jumps[0].t < t:
            tell(self._jumps.pop(0))
        self.set(**inputs)
        y = loop.run.state.copy()
        if loop.clocks.follow(self.t, float(t), y):
            loop.system.hold_sides(loop.system.work)
            loop.run.resume(y)
        loop.span = max(loop.span, t)
        with loop.run.problem.second_thread():
            go(loop, until=float(t))
        self._moment = None
        self._keep()
        self._look_for_errors()

    def _look_for_errors(self) -> None:
        loop, name = self._loop, self.system.model.name
        functions = self.system.assembly.functions
        if functions.errors:
            raise SimulationError(functions.failure) from functions.errors[0]
        if loop.failed:
            raise SimulationError(f"model '{name}': {loop.message}")
        if loop.goes_on and loop.run.done and not loop.run.paused:
            solution = loop.finished()
            raise SimulationError(f"model '{name}': {solution.message}{explanation(self.system, solution)}")

    def __getitem__(self, channel: str) -> Any:
        """The value of any channel at the time reached: a number, or an array."""
        if self._moment is None:
            self._moment = Moment(self._loop.system, self.t, self._loop.run.state)
        return self._moment[channel]

    def _keep(self) -> None:
        loop = self._loop
        if loop.kept is not None:
            loop.kept.append(Kept(loop.parts[-1], self.t, loop.run.state.copy(), loop.run.integral))

    def result(self) -> Result:
        """All steps so far, as `simulate` would give them.

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("rail", "ground", "car", axis="x"))
        >>> _ = m.add(sr.Input("u"), sr.JointForce("motor", "rail", "u"))
        >>> run = m.stepper()
        >>> run.step(1.0, u=4.0)
        >>> run.result()["rail.q"].round(9)
        array([0., 1.])
        """
        loop, found = self._loop, self._loop.finished()
        status = "finished" if loop.goes_on else found.status
        return finish(loop.system, replace(found, status=status), 0.0, loop)
