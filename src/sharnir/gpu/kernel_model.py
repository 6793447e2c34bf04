"""A model made ready for a GPU: its derived equations, with the parameters that differ between runs as symbols."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.straight_line.derivability import check_derivable
from sharnir.dynamics.straight_line.held_switches import TIME as MOMENT
from sharnir.dynamics.straight_line.held_switches import called
from sharnir.dynamics.straight_line.singular_guard import least_pivots
from sharnir.dynamics.straight_line.state_map import State
from sharnir.dynamics.system import System
from sharnir.equations.closure import close_loops
from sharnir.equations.elements.constraints import add_constraints
from sharnir.equations.elements.control import Control
from sharnir.equations.elements.forces import applied_forces
from sharnir.equations.entries import Entries
from sharnir.equations.letters import Letters
from sharnir.equations.mechanism import Mechanism
from sharnir.equations.parameter_formulas import FURTHER, changed_models, feature_nodes, fitted
from sharnir.equations.solved_equations import solution_of
from sharnir.equations.tracking import follow_cuts, tracks_of
from sharnir.errors import ModelError
from sharnir.gpu.channel_formulas import channel_formula
from sharnir.model import FlexibleBody
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import names_of, ordered, substituted
from sharnir.symbolic.matrices import Vector
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, Number

SAME = 1e-8  # relative difference between formulas and engine that is rounding
JUMPS = ("<", "<=", ">", ">=", "==", "!=", "min", "max", "step", "sign", "floor", "if", "abs")


@dataclass
class KernelLetters(Letters):
    """Every number of a model under a symbol of its own, so that alike bodies have alike equations; `asked` counts them.

    formulas : numbers that follow from parameters.   parameters : values of the model's parameters.   varied : those that stay
    symbols.
    """

    parameters: Mapping[str, float] = field(default_factory=dict)
    varied: Collection[str] = ()
    formulas: Mapping[int, Node] = field(default_factory=dict)
    asked: list[float] = field(default_factory=list)
    known: dict[str, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.taken |= set(self.parameters)
        self.values |= {name: float(self.parameters[name]) for name in self.varied}

    def number(self, value: float, letter: str, *below: str) -> Node:
        """A formula of parameters, or a symbol; zero stays zero."""
        k = len(self.asked)
        self.asked.append(float(value))
        if k in self.formulas:
            return self.formulas[k]
        if not value:
            return ZERO
        self.values[f"number {k}"] = float(value)
        return Name(f"number {k}")

    def parameter(self, name: str, value: float) -> Node:
        """A parameter in a formula of the state; counted once, as in `model_numbers.py`."""
        if name not in self.known:
            self.asked.append(float(value))
            self.known[name] = Name(name) if name in self.varied else Number(value)
            self.values[name] = float(value)
        return self.known[name]

    def gravity(self, gravity: Any) -> Vector:
        """Components of gravity."""
        return tuple(self.number(x, "g") for x in gravity)


class KernelModel:
    """Equations of a compiled model for kernels.

    varied : parameters that differ between runs; they are symbols in `solution`, all other numbers are in `letters.values`.
    start : formulas of the initial state where parameters change it: place in y → formula; None: it has none (closed loops).
    least : what the pivots of the constraints must exceed (singular_guard.py).   switches : whether formulas jump or bend.
    """

    def __init__(self, system: System, varied: Sequence[str] = (), channels: Sequence[str] = ()) -> None:
        check_runnable(system)
        self.system, self.varied, self._channels = system, tuple(varied), tuple(channels)
        others = _changed_systems(system, self.varied)
        self.start: dict[int, Node] | None = {}
        formulas = self._formulas(others)
        self.letters = KernelLetters(parameters=dict(_model(system).parameters), varied=set(varied), formulas=formulas)
        self.solution = solution_of(system.model, system.tree, self.letters)
        m = self.solution.mechanism
        check_functions(system.model.name, m.entries)
        self.state = State(system, self.solution, [*tracks_of(m), *self.solution.control])
        self.channels = {name: channel_formula(m, name) for name in channels}
        self.least = least_pivots(system, self.solution, self.state.places)
        self.fixed = frozenset(self.letters.values) | frozenset(self.varied)
        self.switches = any(isinstance(x, Call) and x.function in JUMPS for x in ordered(self.state.rates))
        for other, values in ((system, {}), *others[:2]):
            self._compare(other, values)

    def _formulas(self, others: list[tuple[System, dict[str, float]]]) -> dict[int, Node]:
        """Numbers of the equations that follow from parameters, and those of the initial state."""
        if not others:
            return {}
        system, model = self.system, _model(self.system)
        features, plain = feature_nodes(model), dict(model.parameters)
        features = [x for x in features if names_of(x) & set(self.varied)]
        keep: dict[Node, Node] = {Name(name): Number(x) for name, x in plain.items() if name not in self.varied}
        samples = [plain, *(plain | values for _, values in others)]
        table = np.array([evaluated(features, values) for values in samples])
        systems = [system, *(other for other, _ in others)]
        rows = [asked_numbers(other, self._channels) for other in systems]
        if any(len(row) != len(rows[0]) for row in rows):
            raise ModelError(f"model '{model.name}': parameters change more than numbers of its equations; use executor=None")
        try:
            found = fitted(model, features, table, np.array(rows))
        except ModelError:
            raise ModelError(
                f"model '{model.name}': its equations depend on parameters ({', '.join(self.varied)}) by more than the formulas "
                "that elements were given, such as directions or distances in the drawing; use executor=None"
            ) from None
        try:
            start = fitted(model, features, table, np.array([other.y0 for other in systems]))
            self.start = dict(zip(start, substituted(start.values(), keep), strict=True))
        except ModelError:
            self.start = None
        return dict(zip(found, substituted(found.values(), keep), strict=True))

    @property
    def same(self) -> dict[str, float]:
        """Parameters that all runs share."""
        return {name: float(x) for name, x in _model(self.system).parameters.items() if name not in self.varied}

    def values(self, parameters: Mapping[str, float]) -> dict[str, float]:
        """Numbers of all symbols that do not change in a run."""
        known = dict(_model(self.system).parameters) | dict(parameters)
        return self.letters.values | {name: known[name] for name in self.varied}

    def _compare(self, other: System, parameters: Mapping[str, float]) -> None:
        """Formulas against the engine: a parameter may change what is no number of the equations, such as an axis."""
        y, m = other.y0.copy(), self.solution.mechanism
        y[other.n_q : other.n_q + other.n_v] += 0.0 if other.constrained else 0.3
        address = getattr(other.derivative, "address", other.derivative)
        wanted = called(other, address, y, other.work.copy())
        known = self._known(y, parameters)
        found = np.array(evaluated(self.state.rates, known, m.entries.functions))
        if not np.abs(found - wanted).max(initial=0.0) <= SAME * max(1.0, float(np.abs(wanted).max(initial=0.0))):
            raise ModelError(
                f"model '{self.system.model.name}': parameters ({', '.join(self.varied)}) change directions or rotations in the "
                "equations, which kernels for a GPU have as numbers; make these runs on processors (executor=None)"
            )

    def _known(self, y: np.ndarray, parameters: Mapping[str, float]) -> dict[str, float]:
        """Numbers of all symbols at a state."""
        m = self.solution.mechanism
        found = {"t": MOMENT, **{str(x): float(y[k]) for x, k in self.state.places.items()}} | self.values(parameters)
        for name, course in m.given.items():
            found |= dict(zip((name, name + "'", name + "''"), evaluated(course, found, m.entries.functions), strict=True))
        return found


def _model(system: System) -> Any:
    """The model that was given, with its parameters."""
    return system.model if system.origin is None else system.origin.model


def _changed_systems(system: System, varied: Sequence[str]) -> list[tuple[System, dict[str, float]]]:
    """Systems with other values of the parameters that differ between runs, with these values."""
    if not varied:
        return []
    model = _model(system)
    features = [x for x in feature_nodes(model) if names_of(x) & set(varied)]
    used = names_of(*features) & set(varied)
    rows = []
    if features:
        for other in changed_models(model, [Name(name) for name in sorted(used)], len(features) + FURTHER):
            rows.append({name: float(other.parameters[name]) for name in used})
    return list(zip(system.with_many_parameters(rows), rows, strict=True)) if rows else []


def asked_numbers(system: System, channels: Sequence[str]) -> list[float]:
    """All numbers that the derivation asks for, as `KernelModel` does it."""
    letters = KernelLetters(parameters=dict(_model(system).parameters))
    m = Mechanism(system.model, system.tree, letters, for_machines=True)
    follow_cuts(m)
    applied_forces(m)
    close_loops(m)
    add_constraints(m)
    Control(m).states(m.accelerations)
    tracks_of(m)
    for name in channels:
        channel_formula(m, name)
    return letters.asked


def check_functions(name: str, entries: Entries) -> None:
    """Refuse tables of several variables and functions in Python."""
    remedy = "make these runs on processors (executor=None)"
    if entries.users:
        who = next(iter(entries.users.values())).name
        raise ModelError(f"model '{name}': '{who}' is a Python function, which a GPU cannot call; {remedy}")
    if entries.grids:
        who = next(iter(entries.grids)).partition("_")[2]
        raise ModelError(f"model '{name}': '{who}' is a table of several variables, which kernels for a GPU lack; {remedy}")


def check_runnable(system: System) -> None:
    """Refuse what kernels for a GPU do not have, by name."""
    who, remedy = f"model '{system.model.name}': on a GPU", "make these runs on processors (executor=None)"
    program = system.assembly.program
    checks = {
        "flexible bodies": any(isinstance(body, FlexibleBody) for body in system.model.bodies.values()),
        "events": bool(system.model.events),
        "clocks or delays": program is not None and program.steps_in_time,
        "engines with tanks": system.has_tanks,
        "contacts between shapes and stops of joints": system.has_gaps,
    }
    for what, there in checks.items():
        if there:
            raise ModelError(f"{who} there are no {what}; {remedy}")
    try:
        check_derivable(system)
    except ModelError as error:
        raise ModelError(f"{who} runs need equations as formulas ({error}); {remedy}") from None
