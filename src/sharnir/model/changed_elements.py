"""Elements of a model whose numbers are formulas, made again for other values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sharnir.arguments import vector
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.events import Event, SetSignal
from sharnir.model.links import check_formulas, with_freedom_number
from sharnir.model.parameters.template import stored_formulas
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
