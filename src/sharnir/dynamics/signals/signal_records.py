"""Signals of a model → sensors, memory and functions of the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.dynamics.constraints.measure_records import Measures
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.coordinates import control_state
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.dynamics.signals.compiled_program import compiled_program
from sharnir.dynamics.signals.constraint_switches import constraint_switches
from sharnir.dynamics.signals.kinematic_peaks import kinematic_peaks
from sharnir.dynamics.signals.late_sensor_records import ObservedNumbers
from sharnir.dynamics.signals.signal_program import SignalProgram, past_key, signal_program
from sharnir.dynamics.signals.structure_checks import check_structure_action
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.model.events import (
    Effect,
    Event,
    Impulse,
    Join,
    NewParameter,
    NewState,
    Release,
    StructureAction,
    Switch,
)
from sharnir.model.events.effects import KNOWN_EFFECTS
from sharnir.model.followed_inputs import followed_inputs
from sharnir.model.formula import parse
from sharnir.model.links import advice, element_formulas
from sharnir.model.signals import Equations, SignalElement

STILL_KEY = "nothing moves"  # no signal of a user has a blank in its name
MARGIN = 5e-11  # of conditions to join, against the size of the mechanism; constraints are kept better than that


def make_program(drawing: Drawing) -> SignalProgram:
    """The program of the model's signals; its states join those of the mechanism."""
    model = drawing.model
    elements = program_elements(model)
    if changes_structure(model) or (model.events and drawing.coordinates.n_v == 0):
        elements[STILL_KEY] = Still()
    observed, switched = ObservedNumbers(model.original, model), switched_signals(model)
    joints = {**model.released, **model.joints}
    changing = changing_parameters(model)
    functions = drawing.functions
    functions.constants = {name: value for name, value in functions.parameters.items() if name not in changing}
    program = signal_program(
        elements, model.parameters, joints, observed, switched, changing, drawing.placed, functions.breaks, functions.sides
    )
    check_targets(model, program)
    drawing.coordinates.z0.extend(program.states.values())
    drawing.coordinates.z_names.extend(map(control_state, program.states))
    return program


def program_elements(model: Model) -> dict[str, SignalElement]:
    """Signals by name, then functions of events, formulas of their actions, rates of what rebounds, switches of constraints."""
    elements: dict[str, SignalElement] = dict(model.signals)
    for event in model.events.values():
        elements[event_key(event.name)] = joining_event(event, model)
        for key, _, effect in event_effects(event):
            if effect.formula is not None:
                elements[key] = Formula(event.label, effect.formula, event.variables)
            if isinstance(effect, Impulse):
                elements[rate_key(key)] = Formula(event.label, "x_dot", {"x": effect.variable})
    for force in model.forces.values():
        elements |= force.signals()
    return elements | constraint_switches(model) | kinematic_peaks(model)


def joining_event(event: Event, model: Model) -> Event:
    """An event that joins again what another lets go happens a hair's breadth later than its condition says.

    What has just come apart is together to rounding: without that margin, rounding alone would join it again and again.
    """
    if event.when is None or not event.actions or not all(isinstance(action, (Release, Join)) for action in event.actions):
        return event
    text, direction = event.crossing
    if direction != 1 or not any(isinstance(action, Join) for action in event.actions):
        return event
    size = max((abs(x) for body in model.bodies.values() for x in body.position), default=0.0)
    return replace(event, when=f"({text}) - {MARGIN * max(1.0, size)!r}", direction="rising")


def changes_structure(model: Model) -> bool:
    """Whether an event may change the structure."""
    return any(isinstance(action, StructureAction) for event in model.events.values() for action in event.actions)


def check_actions(model: Model) -> None:
    """Actions name parameters and events of the model; a parameter that changes must not be in what is computed only once."""
    parts = [*model.joints.values(), *model.constraints.values(), *([model.base_motion] if model.base_motion else [])]
    once = [(part, field, text) for part in parts for field, text, _ in element_formulas(part) if field != "torque"]
    once += [(part, field, text) for part in model.constraints.values() for field, text in part.named_formulas]
    once += [(template, field, text) for template in model.templates for field, text in template.formulas()]
    for event in model.events.values():
        for _, action, effect in event_effects(event):
            if not isinstance(effect, KNOWN_EFFECTS):
                known = ", ".join(kind.__name__ for kind in KNOWN_EFFECTS)
                raise ModelError(
                    f"{event.label}: {action.label}: {type(effect).__name__} is not an effect of the engine; there are {known}"
                )
            if isinstance(effect, NewParameter):
                _check_parameter(model, f"{event.label}: {action.label}({effect.parameter!r})", effect.parameter, once)
            elif isinstance(effect, Switch) and effect.target not in {**model.events, **model.signals}:
                advised = advice(effect.target, {**model.events, **model.signals})
                raise ModelError(
                    f"{event.label}: {action.label}({effect.target!r}) is not an event or signal of the model{advised}"
                )
        for action in event.actions:
            if isinstance(action, StructureAction):
                check_structure_action(model, event, action)


def changing_parameters(model: Model) -> set[str]:
    """Parameters to which some event gives another value."""
    return {effect.parameter for effect in all_effects(model) if isinstance(effect, NewParameter)}


def switched_signals(model: Model) -> set[str]:
    """Signals that some event switches on or off."""
    return {x.target for x in all_effects(model) if isinstance(x, Switch) and x.target not in model.events}


def check_targets(model: Model, program: SignalProgram) -> None:
    """A signal whose state changes must have one."""
    sampled = {name for name, element in model.signals.items() if element.own_state != "s"}
    settable = {name[:-2] for name in program.states if name.endswith(".s")} - sampled
    for event in model.events.values():
        for _, action, effect in event_effects(event):
            if not isinstance(effect, NewState):
                continue
            start = f"{event.label}: {action.label}({effect.signal!r})"
            if effect.signal not in settable:
                known = ", ".join(sorted(settable)) or "none"
                raise ModelError(f"{start}: there is no such signal with a state; there are: {known}")
            if effect.signal in followed_inputs(model):
                raise ModelError(
                    f"{start}: a motion follows this Input from one communication step to the next and cannot jump; use SetMotion"
                )


def _check_parameter(model: Model, start: str, name: str, once: list[Any]) -> None:
    if name not in model.parameters:
        known = ", ".join(model.parameters) or "none"
        raise ModelError(f"{start}: the model has no such parameter; it has: {known}")
    for part, field, text in once:
        if name in parse(text, (), None, dotted=True, tables=getattr(part, "table_sizes", None)).names:
            label = getattr(part, "label", "base_motion")
            raise ModelError(
                f"{start}: {label} has it in {field} = {text!r}, which events cannot change; events change parameters "
                "only in formulas of forces, torques and signals"
            )


def event_key(name: str) -> str:
    """Name of an event's function among the signals; no signal of a user has a blank in its name."""
    return f"event {name}"


def event_effects(event: Event) -> list[tuple[str, Any, Effect]]:
    """Effects of an event in their order: the name of the number that each needs, its action, itself."""
    actions = enumerate(event.actions)
    return [(key, action, effect) for k, action in actions for key, effect in action_effects(event, k)]


def action_effects(event: Event, k: int) -> list[tuple[str, Effect]]:
    """Effects of action k of an event, with the names of the numbers that they need."""
    return [(f"action {event.name} {k} {j}", effect) for j, effect in enumerate(event.actions[k].effects())]


def all_effects(model: Model) -> list[Effect]:
    """Effects of all events."""
    return [effect for event in model.events.values() for _, _, effect in event_effects(event)]


def rate_key(key: str) -> str:
    """Name of the rate that an impulse changes."""
    return f"{key} rate"


class Still(SignalElement, listed=False):
    """A state that does not change: integrators need one where nothing is free to move."""

    @property
    def label(self) -> str:
        return "still"

    def formulas(self) -> list[tuple[str, str]]:
        return []

    def equations(self) -> Equations:
        return Equations({"": "0"}, {"s": 0.0}, {"s": "0"})


class Formula(SignalElement, listed=False):
    """A formula inside another element, not a signal."""

    def __init__(self, label: str, text: str, variables: Any) -> None:
        self._label, self.text, self.variables = label, text, variables

    @property
    def label(self) -> str:
        return self._label

    def formulas(self) -> list[tuple[str, str]]:
        return [("actions", self.text)]

    def equations(self) -> Equations:
        return Equations({"": self.text})


def append_signals(blocks: Blocks, program: SignalProgram, drawing: Drawing) -> None:
    """Record of the sensors, memory of signals, held values and states, addresses."""
    from sharnir.dynamics.signals.signal_evaluation import EARLY

    m, c = Measures(drawing), drawing.coordinates
    for variable in program.measures:
        m.variable(variable)
    n, row = len(m.records), np.zeros(L.T_ELEMENT_SIZE, np.int64)
    row[L.E_TERM] = blocks.append("table", None, [(target, 0) for target in m.targets])
    row[L.E_TERMS] = len(m.targets)
    row[L.E_PARAMS] = blocks.append("params", None, m.params)
    row[L.E_WORK] = program.sensor_work = blocks.append("work", None, np.zeros(16 * n + 4 + program.observed.size))
    row[L.E_DATA] = blocks.append("table", None, [n, 0, *(x for record in m.records for x in record)])
    blocks.append("table", L.T_SENSOR, row)
    signals, held, states = len(program.signals), list(program.held.values()), list(program.states.values())
    sides = drawing.functions.sides
    header, values = blocks.header, [*np.zeros(signals), *held, *states]
    at = blocks.append("work", L.W_SIGNAL, [*values, *np.zeros(sides.size)])  # one section: formulas reach both from one address
    header[L.W_SWITCH] = at + len(values)
    header[L.N_SIGNAL], header[L.N_HELD], header[L.N_CONTROL] = signals, len(held), len(states)
    header[L.SENSES_CUTS] = any(record[0] == L.CUT_MEASURE for record in m.records)
    header[L.SENSES_LATE] = program.senses_late
    blocks.append("work", L.W_SENSED, np.concatenate([np.zeros(c.n_q + c.n_v), c.z0]))
    places = [program.place(event_key(name)) for name in drawing.model.events]
    delays = [x for name in program.delays for x in (program.place(past_key(name)), program.place(f"{name}.tape"))]
    blocks.append("table", L.T_EVENT, [*places, len(program.delays), *delays])
    header[L.N_EVENT] = len(places)
    watched = [*map(event_key, drawing.model.events), *map(past_key, program.delays)]
    header[L.EVENTS_LATE] = any(name in program.late_names for name in watched)
    blocks.append("work", L.W_EVENT, np.zeros(c.n_q + c.n_v + len(c.z0) + len(places) + sides.capacity))
    if sides.capacity:
        blocks.append("work", L.W_AHEAD, np.zeros(2 * (c.n_q + c.n_v + len(c.z0))))
    parts: tuple[Any, Any] = compiled_program(program)
    header[L.F_SIGNALS] = EARLY.address
    header[L.F_PROGRAM], header[L.F_LATE] = (part.address for part in parts)
