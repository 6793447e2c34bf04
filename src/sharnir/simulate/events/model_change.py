"""Other values from a moment of a run on: parameters, forces and drives change, the motion continues.

The run ends at that moment and another one begins, with the equations of the changed model, from the same state: joints keep
their coordinates and speeds, states of control and of elastic bodies go over by name. If geometry has changed, the state is then
brought onto the constraints. A prescribed motion that has changed continues from the position of its joint:
q(t) = f(t) - f(t₁) + q(t₁). Events whose condition is met by the change happen at that moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharnir.arguments import mapping, number, shown
from sharnir.dynamics.mobility.motion_basis import corrected
from sharnir.dynamics.signals.signal_program import number_key, parameter_key
from sharnir.dynamics.system import System
from sharnir.errors import ModelError, SharnirError
from sharnir.model import Model
from sharnir.model.changed_structure import Structure
from sharnir.model.given_functions import Table
from sharnir.simulate.events.carried_state import CarriedState
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.events.structure_change import StructureChange

SECTIONS = ("bodies", "joints", "forces", "constraints", "signals", "events")
OPEN = 1e-6  # residual of a constraint, in sizes of the mechanism, with which a mechanism does not fit together
NUMBER = number_key("", "").partition(" ")[0] + " "  # how names of numbers of blocks begin
NO_CHANGE = "no change"
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)*")
Freedom = tuple[str, int]


@dataclass
class Change:
    """Another model of the same elements, from a moment on.

    exact : True: a step ends at the time of the change; False: the change comes at the end of the step that reaches it, and no
        step before it is another one, as if somebody had interfered just then.
    refused : what is called with the reason if the change is not possible, and the run goes on unchanged; None: that is an error.
    """

    t: float
    model: Model
    exact: bool = True
    refused: Callable[[str], None] | None = None


def planned_changes(model: Model, given: Any, end: float) -> list[Change]:
    """Changes from {time: values of parameters, or another model}, in their order; a list holds `Change`s themselves.

    >>> m = Model(parameters={"k": 1.0})
    >>> [(change.t, change.model.parameters["k"]) for change in planned_changes(m, {0.5: {"k": 2.0}}, 1.0)]
    [(0.5, 2.0)]
    """
    if isinstance(given, list) and all(isinstance(change, Change) for change in given):
        return given
    changes: list[Change] = []
    if not isinstance(given, Mapping):
        raise ModelError(
            f"changes = {shown(given)} must be a table of times and values, such as {{0.5: {{'k': 200}}}}", field="changes"
        )
    for t in given:
        if not 0.0 < number(t, "changes", "time") < end:
            raise ModelError(f"changes: t = {shown(t)} must lie between 0 and the end of the run, {end:g} s", field="changes")
    for t in sorted(given, key=float):
        last, values = changes[-1].model if changes else model, given[t]
        if not isinstance(values, Model):
            values = last.with_parameters(**mapping(values, "simulate", "changes", "values of parameters by name"))
        changes.append(Change(float(t), values))
    return changes


def change_model(loop: EventLoop, change: Change) -> None:
    """Go on with another model from the moment that the run has reached."""
    loop.log.take_passed(loop.run.events, loop.events)
    loop.t, loop.y = loop.run.t, loop.run.state.copy()
    try:
        system, y, structure = changed_run(loop, change.model)
    except SharnirError as error:
        if change.refused is None:
            raise
        change.refused(str(error))
        return
    before = loop.functions()
    entry = loop.log.begin(loop.t, words(loop.original, change.model), loop.y)
    loop.log.weigh(loop.system)
    loop.reached += max(0, loop.run.outputs - loop.dropped)
    timed = [x for name, x in change.model.events.items() if x.when is None and x != loop.original.events[name]]
    set_by_events(system, y, loop.original, change.model)
    loop.go_on_from(change.model)
    loop.structure, loop.system, loop.y, loop.places = structure, system, y, {}
    loop.clocks.system = system
    loop.clocks.hand_over(system)
    for event in timed:
        loop.set_clock(event)
    loop.begin_run()
    loop.waiting.update(loop.structure, loop.run.events)
    loop.log.end(entry, loop.y)
    loop.log.weigh(loop.system)
    after = loop.functions()
    loop.goes_on = loop.happen_all([i for i in range(len(after)) if loop.has_jumped(i, before[i], after[i])])
    loop.resume()


def changed_run(loop: EventLoop, model: Model) -> tuple[System, np.ndarray, Structure]:
    """The system of another model with the state of the run, and its structure; an error if it cannot go on with that."""
    check_alike(loop.original, model)
    structure = replace(loop.structure, motions=continued_motions(loop, model))
    system = loop.compile(structure.model(model), CarriedState(loop.system, loop.t, loop.y), ()).with_own_work()
    if len(system.y0) != len(loop.y):
        raise ModelError("this change gives the mechanism other coordinates; run the model again with it")
    read_numbers(system, model)
    y = corrected(system, system.y0.copy(), loop.t)
    if system.constrained:
        size = max(1.0, float(np.abs(y[: system.n_q]).max(initial=0.0)))
        gap = float(np.abs(system.constraints(y[: system.n_q], t=loop.t)).max(initial=0.0))
        if not gap <= OPEN * size:
            raise ModelError(
                f"with this change the mechanism does not fit together at t = {loop.t:.6g} s: {gap:.3g} m are left open"
            )
    if not np.isfinite(y).all():
        raise ModelError(f"with this change the mechanism has no consistent state at t = {loop.t:.6g} s")
    return system, y, structure


def check_alike(old: Model, new: Model) -> None:
    """A change keeps elements and their kinds, clocks and delays."""
    for section in SECTIONS:
        before, after = getattr(old, section), getattr(new, section)
        if list(before) != list(after):
            names = [str(name) for name in {*before} ^ {*after}] or ["their order"]
            raise ModelError(f"{section} cannot be added, removed or reordered during a run ({', '.join(sorted(names)[:4])})")
        for name, element in after.items():
            if type(element) is not type(before[name]):
                raise ModelError(f"{element.label}: the kind of an element cannot change during a run")
            for field in ("period", "offset", "time", "parent", "child"):
                if getattr(element, field, None) != getattr(before[name], field, None) and section in ("signals", "joints"):
                    raise ModelError(f"{element.label}: {field} cannot change during a run; run the model again", field=field)


def continued_motions(loop: EventLoop, model: Model) -> dict[Freedom, Any]:
    """Motions of freedoms: those that have changed go on from where their joint is."""
    motions = dict(loop.structure.motions)
    look = StructureChange(loop.original, loop.structure, loop.system, loop.t, loop.y, loop.compile, "change")
    for name, joint in model.joints.items():
        old = loop.original.joints[name]
        if [f is None for f in old.motion] != [f is None for f in joint.motion]:
            raise ModelError(
                f"{joint.label}: a freedom cannot become driven or free by a change; use the events SetMotion, Unlock"
            )
        for k, motion in enumerate(joint.motion):
            own = (name, k) not in motions or (name, k) in loop.continued
            if motion is None or not own or same_motion(old.motion[k], motion, loop.original, model):
                continue
            q = float(look._coordinates(loop.system.model.joints[name])[k])
            motions[name, k] = continued(motion, loop.t, q, joint.label, model)
            loop.continued.add((name, k))
    return motions


def same_motion(old: Any, new: Any, before: Model, after: Model) -> bool:
    """Whether a motion is the same function of time, with the same parameters."""
    if old != new:
        return False
    used = {name for text in (new if isinstance(new, tuple) else (new,)) if isinstance(text, str) for name in WORD.findall(text)}
    return all(before.parameters[name] == after.parameters[name] for name in used if name in after.parameters)


def continued(motion: Any, t: float, q: float, label: str, model: Model) -> Any:
    """A motion that goes on from q at time t: f(·) - f(t) + q, its rates as they are.

    >>> continued("2*t", 3.0, 1.0, "Revolute 'O'", Model())
    '(2*t) - (2*(3.0)) + (1.0)'
    """
    if isinstance(motion, tuple):
        return (continued(motion[0], t, q, label, model), *motion[1:])
    if isinstance(motion, str):
        if any(name in model.signals or "." in name for name in WORD.findall(motion)):
            raise ModelError(f"{label}: motion = {motion!r} follows signals; change these instead")
        there = re.sub(r"(?<![\w.])t(?![\w.])", f"({t!r})", motion)
        return f"({motion}) - ({there}) + ({q!r})"
    if isinstance(motion, Table):
        rise = q - float(motion.evaluate(t))
        return replace(motion, y=tuple(y + rise for y in motion.y))
    raise ModelError(
        f"{label}: motion = {shown(motion)} holds the joint in its place, from which a change cannot move it at once"
    )


def read_numbers(system: System, model: Model) -> None:
    """Parameters and numbers of blocks that signals read from memory: the changed ones, not those that were carried over."""
    program = system.assembly.program
    for name, value in {} if program is None else program.held.items():
        if name in model.parameters or name.startswith(NUMBER):
            system.work[system.signal_place(name)] = value


def set_by_events(system: System, y: np.ndarray, old: Model, new: Model) -> None:
    """Parameters that events may set are part of the state; those that have changed take their new values there."""
    program = system.assembly.program
    for name, value in changed_parameters(old, new).items():
        if program is not None and parameter_key(name) in program.states:
            y[len(y) - len(program.states) + program.state_number(parameter_key(name))] = value


def changed_parameters(old: Model, new: Model) -> dict[str, float]:
    """Parameters with other values."""
    before: Mapping[str, float] = old.parameters
    return {name: float(value) for name, value in new.parameters.items() if name in before and before[name] != value}


def words(old: Model, new: Model) -> str:
    """What has changed, for the log of events.

    >>> m = Model(parameters={"k": 1.0})
    >>> words(m, m.with_parameters(k=2.5))
    'k = 2.5'
    """
    found = [f"{name} = {value:g}" for name, value in changed_parameters(old, new).items()]
    plain = new.with_parameters(**{name: old.parameters[name] for name in changed_parameters(old, new)}) if found else new
    for section in SECTIONS:
        before, after = getattr(old, section), getattr(plain, section)
        found += [name for name in after if after[name] != before.get(name)]
    return ", ".join(found) or NO_CHANGE
