"""Actions that change the structure name joints, constraints, bodies and freedoms that exist: checked before a run starts."""

from __future__ import annotations

from typing import Any

from sharnir.errors import FormulaError, ModelError
from sharnir.model import Attachment, FlexibleBody, Model
from sharnir.model.events import Attach, Event, Join, Release, SetMotion
from sharnir.model.events.structure_actions import START, FreedomAction
from sharnir.model.formula import parse
from sharnir.model.given_functions import formulas
from sharnir.model.links import advice
from sharnir.model.signals import Input


def check_structure_action(model: Model, event: Event, action: Any) -> None:
    """A joint or constraint that an action names is one of the model, or a joint that another action makes."""
    others = [other for e in model.events.values() for other in e.actions]
    made = {x.joint for x in others if isinstance(x, Attach)}
    made |= {x.joint_name for x in others if isinstance(x, Join) and not isinstance(x.joint, str)}
    flexible = {body.name: body for body in model.bodies.values() if isinstance(body, FlexibleBody)}
    nodes = {name for body in flexible.values() for name in body.node_names}
    joint = action if isinstance(action, Attach) else getattr(action, "joint", None)
    for body in (getattr(joint, field, None) for field in ("a", "b", "parent", "child")):
        if body in flexible:
            ends = ", ".join(flexible[str(body)].node_names) or "it has none"
            raise ModelError(f"{event.label}: {action.label}: '{body}' is a flexible body; name one of its interfaces ({ends})")
    for name in (getattr(action, field) for field in action.joint_fields):
        _check_name(model, event, action, name, made)
        if isinstance(model.joints.get(name), Attachment) or name in nodes:
            raise ModelError(f"{event.label}: {action.label}({name!r}): '{name}' is a part of a flexible body, not a joint")
    if isinstance(action, Join) and isinstance(action.joint, str):
        _check_name(model, event, action, action.joint, set())
    elif isinstance(action, Join):
        _check_new_joint(model, event, action.joint)
    if isinstance(action, FreedomAction) and action.joint in model.joints:
        _check_freedom(model, event, action)
    if isinstance(action, SetMotion):
        _check_motion(model, event, action)
    if isinstance(action, Attach) and action.joint in model.joints:
        raise ModelError(
            f"{event.label}: Attach: there is a joint '{action.joint}' already; give the new one another name, joint="
        )


def _check_name(model: Model, event: Event, action: Any, name: str, made: set[str]) -> None:
    """The name is that of a joint, with Release and Join that of a joint or of a constraint."""
    constraints: Any = model.constraints if isinstance(action, (Release, Join)) else {}
    known, start = {**model.joints, **constraints}, f"{event.label}: {action.label}({name!r})"
    if name not in known and name not in made:
        raise ModelError(f"{start} names no {action.noun} of the model{advice(name, known)}")
    if name in constraints and name in {*model.joints, *made}:
        raise ModelError(f"{start}: a joint and a constraint have this name; rename one of them")


def _check_new_joint(model: Model, event: Event, joint: Any) -> None:
    """A joint that is made by an event names bodies and joints of the model."""
    start = f"{event.label}: Join: {joint.label}"
    for field in ("parent", "child"):
        body = getattr(joint, field)
        if body != "ground" and body not in model.bodies:
            raise ModelError(f"{start}: {field} = {body!r} is not a body of the model; add it first", field="actions")
    leader = joint.mimic[0] if joint.mimic else None
    if leader is not None and leader not in model.joints:
        raise ModelError(f"{start}: mimic = {leader!r} is not a joint of the model; add it first", field="actions")


def _check_freedom(model: Model, event: Event, action: Any) -> None:
    """The freedom that an action names is one of the joint's."""
    names = list(model.joints[action.joint].freedom_names)
    if action.freedom is None or action.freedom in names or action.freedom in range(len(names)):
        return
    known = ", ".join(f"{k} ({name})" for k, name in enumerate(names)) or "none"
    raise ModelError(
        f"{event.label}: {action.label}: freedom = {action.freedom!r} of joint '{action.joint}' does not exist; it has {known}",
        field="actions",
    )


def _check_motion(model: Model, event: Event, action: SetMotion) -> None:
    """Names in a new motion are known, and inputs do not count from the event."""
    inputs = [name for name, signal in model.signals.items() if isinstance(signal, Input)]
    for text in formulas(action.motion):
        try:
            named = parse(text, ("t", *START), {*model.parameters, *inputs}).names
        except FormulaError as error:
            message = f"{event.label}: SetMotion({action.coordinate.joint!r}): {error.reason}"
            raise FormulaError(message, text=error.text, position=error.position, field="actions") from None
        if action.relative and named & set(inputs):
            raise ModelError(
                f"{event.label}: SetMotion({action.coordinate.joint!r}): relative = True is not possible with the Input in "
                f"{text!r}; write it with q0, such as 'q0 + u'"
            )
