"""Blocks of runs of one model on a GPU: values of parameters and initial states in, outputs of the runs out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.model_compilation import compile_model
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.gpu.device import Device, number_type, padded
from sharnir.gpu.kernel_model import KernelModel
from sharnir.gpu.output_plan import OutputPlan, number_of
from sharnir.gpu.run_kernel import Kernel
from sharnir.integrate.stepping.settings import allowed_evaluations
from sharnir.model import Model
from sharnir.simulate.simulation import integrator_options, output_times
from sharnir.symbolic.nodes import Node

COMPILED = ("formulation", "method", "solver")
ADAPTIVE, FIXED = "dopri5", "rk4"
MOST_EVALUATIONS = 10**7  # of a run on a GPU: one that needs more holds up all others
LEAST_TOLERANCE = 1e-6  # in single precision
LARGE = 3e38  # no limit, in both precisions
FINISHED = 0  # status of a run, as in runs.cuh


class GpuRuns:
    """Runs whose settings are those of `simulate`, with outputs as formulas.

    columns : names of what differs between runs, parameters and initial values.   outputs : formulas that have been read.
    """

    def __init__(
        self,
        model: Model,
        t_end: float,
        settings: Mapping[str, Any],
        columns: Sequence[str],
        outputs: Mapping[str, Node],
        precision: str = "double",
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.device = Device()
        self.single, self.columns = precision == "single", tuple(columns)
        self._kind = number_type(self.single)
        self.grid = output_times(t_end, settings.get("step"), settings.get("output"))
        self.settings = self._checked(settings)
        fixed = self.settings["integrator"] == FIXED
        self.system = compiled(model, settings)
        self.parameters = dict(model.parameters)
        self.varied = tuple(name for name in self.columns if name in self.parameters)
        self.plan = OutputPlan(outputs, set(self.parameters), names or {})
        self.model = KernelModel(self.system, self.varied, self.plan.channels)
        check_smooth(self.model, float(self.grid[-1]), fixed)
        kernel = Kernel(self.model, self.plan, self.single, fixed)
        self.text = kernel.text
        self._launch = self.device.compiled(kernel.text, "runs")

    def _checked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of the integrator, which is Dormand–Prince 5(4) or the classical method with a fixed step."""
        for name in ("changes", "initial"):
            if settings.get(name) is not None:
                raise ModelError(f"{name}: runs on a GPU do not have it; use executor=None", field=name)
        wanted = settings.get("integrator", "auto")
        if wanted not in ("auto", ADAPTIVE, FIXED):
            raise ModelError(
                f"integrator = {wanted!r} is not available on a GPU; choose '{ADAPTIVE}' or '{FIXED}' (fixed step), "
                "or executor=None",
                field="integrator",
            )
        chosen = ("tolerance", "step", "order", "max_step", "options")
        found = integrator_options(ADAPTIVE if wanted == "auto" else wanted, *(settings.get(name) for name in chosen))
        if self.single and found["integrator"] == ADAPTIVE and found["rtol"] < LEAST_TOLERANCE:
            raise ModelError(
                f"tolerance = {found['rtol']:g} is beyond single precision; give tolerance={LEAST_TOLERANCE:g} or more, or "
                'precision="double"',
                field="tolerance",
            )
        return found

    @property
    def block(self) -> int:
        """How many runs fit into the GPU's memory at a time."""
        n = len(self.model.state.rates)
        return self.device.most(self._kind().nbytes * (2 * n + len(self.varied)) + 8 * self.plan.size + 4)

    def outcome(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(runs, outputs), and whether each run came to its end."""
        values = {name: rows[:, k] for k, name in enumerate(self.columns) if name in self.varied}
        numbers, end, status = self.numbers(self.states(rows, values), np.array([values[name] for name in self.varied]).T)
        finished = (status == FINISHED) & np.isfinite(end).all(axis=0)
        length = float(self.grid[-1] - self.grid[0])
        return self.plan.results(numbers, length, self.parameters | values), finished

    def states(self, rows: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """(runs, n) initial states."""
        system, start = self.system, self.model.start
        y = np.tile(system.y0, (len(rows), 1))
        if start is None:  # parameters move closed loops: each is assembled
            listed = [dict(zip(values, map(float, row), strict=True)) for row in np.array(list(values.values())).T]
            y = np.array([other.y0 for other in system.with_many_parameters(listed)])
        else:
            for k, node in start.items():
                y[:, k] = number_of(node, self.parameters | dict(values))
        names = [*system.coordinates, *system.speeds]
        for k, name in enumerate(self.columns):
            if name in names:
                y[:, names.index(name)] = rows[:, k]
        return y

    def numbers(self, y: np.ndarray, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers of the reductions (size, runs), final states (n, runs) and states of the runs."""
        count, n, kind, settings = len(y), y.shape[1], self._kind, self.settings
        rtol = settings["rtol"]
        extents = np.abs(np.broadcast_to(self.system.extents, n))
        least = np.full(n, settings["atol"], kind)
        extent = np.minimum(np.where(extents > 0.0, extents, np.inf), LARGE).astype(kind)
        state, given = padded(y, kind), padded(parameters.reshape(count, -1), kind)
        sent = self.device.sent(state, given, np.asarray(self.grid, float), least, extent)
        results, end, status = self.device.room(
            ((max(1, self.plan.size), count), float), ((n, count), kind), ((count,), np.int32)
        )
        step = settings["step"] if settings["integrator"] == FIXED else self._longest()
        most = min(MOST_EVALUATIONS, allowed_evaluations(settings["options"], MOST_EVALUATIONS))
        scalars = np.int32(len(self.grid)), np.float64(min(step, settings["max_step"])), np.float64(most), np.float64(rtol)
        self._launch(count, *sent[:3], *scalars, *sent[3:], results, end, status)
        found = self.device.fetched(results, end, status)
        return found[0], found[1], found[2]

    def _longest(self) -> float:
        """The longest controlled step: where formulas jump or bend, no longer than between two outputs."""
        return float(np.diff(self.grid).max()) if self.model.switches else math.inf


def compiled(model: Model, settings: Mapping[str, Any]) -> System:
    """The system of a model with constraints kept as these settings say."""
    system = compile_model(model, *(settings.get(name, default) for name, default in zip(COMPILED, DEFAULTS, strict=True)))
    return keep_constraints(system, settings.get("stabilization"), settings.get("correction", True), settings.get("step"))


DEFAULTS = ("joint", "auto", "auto")


def check_smooth(model: KernelModel, t_end: float, fixed: bool) -> None:
    """Refuse what steps without event location would pass over."""
    system = model.system
    who, remedy = f"model '{system.model.name}'", "make these runs on processors (executor=None)"
    breaks = system.problem().breaks
    if breaks is not None and len(breaks(0.0, t_end)):
        first = float(breaks(0.0, t_end)[0, 0])
        raise ModelError(
            f"{who}: a motion or force jumps or bends at t = {first:.6g} s, which runs on a GPU do not locate; {remedy}"
        )
    if fixed and model.switches:
        raise ModelError(
            f"{who} has formulas that jump or bend with the state, which fixed steps on a GPU would pass over; choose "
            f"integrator='{ADAPTIVE}', or {remedy}"
        )
