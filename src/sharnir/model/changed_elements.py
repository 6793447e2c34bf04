"""Elements of a model made again: for other values of parameters, with other entries, without others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import check_settings, meant, shown, vector
from sharnir.errors import ModelError
from sharnir.model.bodies.body import Body, six
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.bodies.shapes import solid
from sharnir.model.events import Event, SetSignal
from sharnir.model.links import check_formulas, noun, referenced_bodies, referenced_joints, with_freedom_number
from sharnir.model.parameters.template import Template, stored_formulas
from sharnir.model.signals import SignalElement

if TYPE_CHECKING:
    from sharnir.model.contents import Contents

PARTS = ("_bodies", "_joints", "_signals", "_forces", "_constraints", "_events")


def update_elements(model: Contents, values: Mapping[str, float]) -> None:
    """Replace elements of the model by those for other values of its parameters; if one fails, nothing changes."""
    given = model._gravity_formulas
    label = f"Model {model.name!r}"
    gravity = given and vector(stored_formulas(given, "vector", values, label, "gravity")[1], 3, label, "gravity")
    motion = model._base_motion_template and model._base_motion_template.element(values)
    lost = {name for name in model._parameters if name not in values}
    parts = {part: dict(getattr(model, part)) for part in PARTS}
    templates = dict(model._templates)
    for (part, name), (template, stored) in model._templates.items():
        if parts[part].get(name) is stored:
            parts[part][name] = template.element(values)
    joints = parts["_joints"]
    for (part, name), (template, stored) in model._templates.items():
        if getattr(model, part).get(name) is stored:
            parts[part][name] = with_freedom_number(parts[part][name], joints)
            templates[part, name] = (template, parts[part][name])
    update_followers(model, parts)
    if lost:
        for elements in parts.values():
            for element in elements.values():
                check_formulas(element, values, parts["_signals"])
    if not model._templates and not given and not motion:
        return
    _store(model, parts, templates, gravity, motion)


def _store(model: Contents, parts: Mapping[str, Any], templates: Any, gravity: Any, motion: Any) -> None:
    for part, elements in parts.items():
        setattr(model, part, elements)
    model._templates = templates
    if gravity:
        model._gravity = gravity
    if motion:
        model._base_motion = motion


def implied_by(signal: SignalElement) -> list[Any]:
    """Signals and events that are added with a signal."""
    turns = signal.switches.items()
    events = [Event(f"{signal.name} {word}", when, SetSignal(signal.name, value)) for word, (when, value) in turns]
    return [*signal.implied(), *events]


def update_followers(model: Contents, parts: dict[str, dict[str, Any]]) -> None:
    """What comes with other elements: events of forces, nodes of flexible bodies, signals and events of signals."""
    for name, force in parts["_forces"].items():
        before = [event.name for event in model._forces[name].events(model._joints)]
        after = {event.name: event for event in force.events(parts["_joints"])}
        _replace(parts["_events"], before, after)
    for name, body in list(parts["_bodies"].items()):
        if isinstance(body, FlexibleBody) and body is not model._bodies[name]:
            parts["_bodies"] |= {node.name: node for node in body.nodes()}
            joints = parts["_joints"]
            joints |= {joint.name: joint for joint in body.attachments()}
    for name, signal in list(parts["_signals"].items()):
        if signal is not model._signals[name]:
            for part in implied_by(signal):
                place = parts["_events" if hasattr(part, "when") else "_signals"]
                place[part.name] = part


def _replace(events: dict[str, Any], before: list[str], after: dict[str, Any]) -> None:
    """Events of a force in the place of those that it had."""
    if list(after) == before:
        events.update(after)
        return
    for name in before:
        events.pop(name, None)
    events.update(after)


OF_SHAPES = {"mass", "shape", "density"}  # a change of these changes what follows from shapes


def element_of(model: Contents, wanted: Any, label: str) -> Any:
    """An element of the model, given as itself or by its name."""
    name = wanted if isinstance(wanted, str) else getattr(wanted, "name", None)
    kinds = PARTS
    if isinstance(wanted, str):
        found = [getattr(model, part)[name] for part in kinds if name in getattr(model, part)]
    else:
        found = [x for part in kinds if (x := getattr(model, part).get(name)) is not None and noun(x) == noun(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = " and ".join(x.label for x in found)
        raise ModelError(f"{label}: {name!r} is the name of {listed}; give the element, such as model.bodies[{name!r}]")
    known = [x for part in kinds for x in getattr(model, part)]
    raise ModelError(f"{label}: {shown(wanted)} is not an element of the model{meant(name, known)}")


def replacement(model: Contents, old: Any, changes: dict[str, Any]) -> Any:
    """The element with other entries; numbers that are formulas remain formulas."""
    check_settings(changes, [x.name for x in fields(old) if x.init and x.name != "name"], f"replace {old.label}")
    template = model.template(old)
    if template is not None:
        return Template(template.kind, template.entries | changes)
    if isinstance(old, Body) and not isinstance(old, FlexibleBody):
        changes = _followed(old, changes)
    return replace(old, **changes)


def _followed(body: Body, changes: dict[str, Any]) -> dict[str, Any]:
    """Changes of a body, with what follows from its shapes left to follow from them."""
    if not OF_SHAPES & changes.keys() or not body.shapes:
        return changes
    _, center, unit_inertia = solid(body.shapes)
    derived: dict[str, Any] = {}
    if body.com == center:
        derived["com"] = None
    if body.inertia == six(body.mass * np.array(unit_inertia)):
        derived["inertia"] = None
    if "mass" in changes and body.density is not None:
        derived["density"] = None
    elif body.density is not None:
        derived["mass"] = None
    return derived | changes


def naming(model: Contents, removed: Sequence[Any]) -> list[tuple[Any, str, Any]]:
    """(element, field, what it names) of all elements that name a body or joint among those to be removed."""
    bodies = {x.name: x for x in removed if isinstance(x, Body)}
    joints = {x.name: x for x in removed if noun(x) == "joint"}
    found = []
    for part in PARTS:
        for element in getattr(model, part).values():
            if any(element is x for x in removed):
                continue
            found += [(element, field, bodies[name]) for field, name in referenced_bodies(element) if name in bodies]
            found += [(element, field, joints[name]) for field, name in referenced_joints(element) if name in joints]
    return found


def with_dependents(model: Contents, removed: list[Any]) -> list[Any]:
    """The elements, with all that name them, and all that name those."""
    while more := [element for element, _, _ in naming(model, removed)]:
        removed = removed + [x for k, x in enumerate(more) if not any(x is y for y in more[:k])]
    return removed


def exchange(model: Contents, exchanged: dict[int, Any]) -> None:
    """Put elements in the place of others (None: nothing), by identity; if a check fails, nothing changes."""
    other = type(model)(model.name, model.gravity, model.parameters)
    nodes, implied = model._nodes, model._implied
    events = {event.name for force in model.forces.values() for event in force.events(model.joints)}
    for part in PARTS:
        for name, element in getattr(model, part).items():
            follows = (part in ("_bodies", "_joints") and name in nodes) or (part == "_events" and name in events)
            if not follows and not any(element is x or element == x for x in implied):
                new = exchanged.get(id(element), model.template(element) or element)
                if new is not None:
                    other.add(new)
    for part in (*PARTS, "_templates"):
        setattr(model, part, getattr(other, part))
