"""Prescribed motions whose speed jumps at some time: this needs an impulse, which integration steps do not produce."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sharnir.dynamics.system import System
from sharnir.errors import ModelError, ModelWarning
from sharnir.model import Constraint, Distance, Model, Table
from sharnir.model.base_motion import BaseMotion
from sharnir.model.constraints import scalar_equation
from sharnir.model.events import StructureAction
from sharnir.model.formula import Expression, parse
from sharnir.model.formula.switches import switching_times
from sharnir.model.signals import Input
from sharnir.simulate.kinematic_analysis import is_driven

NEAR = 1e-7  # of the time: how far from a switch its two sides are looked at
SMALL = 1e-9  # of the value: jumps below it are rounding
SAMPLES = 20  # times at which a typical value is looked for
FLAT = 1e-4  # of a table's largest slope: what its end has at most where it comes to rest
REMEDY = (
    "make the motion smooth (a cubic Table, a formula without a kink), or let an Event start the new one with "
    "SetMotion, which computes the impact"
)


class Jump(NamedTuple):
    """At a time, a number of a motion goes from one value to another."""

    t: float
    noun: str
    before: float
    after: float


class Missing(NamedTuple):
    """An impulse that a motion would need: when, in words, and whether an event may end the motion before."""

    t: float
    text: str
    perhaps: bool


def check_motions(system: System, t_end: float) -> None:
    """Refuse motions whose speed (or position) jumps between 0 and t_end; a warning where an event may end the motion before."""
    for missing in missing_impulses(system, t_end):
        tell(missing)


def tell(missing: Missing) -> None:
    """An error, or a warning."""
    if not missing.perhaps:
        raise ModelError(f"{missing.text}, which needs an impulse; {REMEDY}", field="motion")
    message = f"{missing.text}; unless an event ends this motion before, an impulse is missing: {REMEDY}"
    warnings.warn(message, ModelWarning, stacklevel=4)


def missing_impulses(system: System, t_end: float) -> list[Missing]:
    """First jumps of all motions between 0 and t_end; none where all motion is prescribed."""
    if not any(True for _ in motions(system.assembly.structure)):
        return []
    model, found = system.model, []
    for owner, label, field, entry in motions(model):
        jump = first_jump(entry, model, t_end)
        if jump is not None:
            shown = f" = {entry!r}" if isinstance(entry, str) else ""
            values = f"from {jump.before:.6g} to {jump.after:.6g} at t = {jump.t:.6g}"
            text = f"{label}: {field}{shown}: its {jump.noun} jumps {values}"
            found.append(Missing(jump.t, text, owner in _touched(model)))
    return [] if not found or system.n_v == 0 or is_driven(system) else sorted(found)


def motions(model: Model) -> Iterator[tuple[str, str, str, Any]]:
    """(name, label, field, entry) of everything that follows time: joints, the ground, lengths, constraints by formulas."""
    for joint in model.joints.values():
        yield from ((joint.name, joint.label, "motion", entry) for entry in joint.motion if entry is not None)
    base = model.base_motion
    for name in base.driven if isinstance(base, BaseMotion) else ():
        yield "", "base_motion", name, getattr(base, name)
    for x in model.constraints.values():
        if isinstance(x, Distance) and x.length is not None:
            yield x.name, x.label, "length", x.length
        elif isinstance(x, Constraint) and "t" in x.formula_names:
            yield x.name, x.label, "formula", scalar_equation(x, model)


def first_jump(entry: Any, model: Model, t_end: float) -> Jump | None:
    """The first jump of position or speed of a motion, if its form shows one."""
    inputs = {name: signal.initial for name, signal in model.signals.items() if isinstance(signal, Input)}
    if isinstance(entry, Table):
        return _table_jump(entry, t_end)
    if isinstance(entry, str):
        x = parse(entry, ("t", *inputs), model.parameters)
        return _earliest(_jump(x, "position", inputs, t_end), _jump(x.derivative("t"), "speed", inputs, t_end, x))
    if isinstance(entry, tuple):
        parts = [parse(part, ("t",), model.parameters) if isinstance(part, str) else None for part in entry[:2]]
        nouns = ("position", "speed")
        return _earliest(*(_jump(x, noun, {}, t_end) for x, noun in zip(parts, nouns, strict=True) if x is not None))
    if hasattr(entry, "coefficients"):
        return _equation_jump(entry, t_end)
    return None


def _equation_jump(equation: Any, t_end: float) -> Jump | None:
    """Of a constraint by a formula, somewhere: its value, and with positions only its partial rate."""
    names = (*equation.names, *(f"{name}_dot" for name in equation.names))
    values = dict(zip(names, np.random.default_rng(0).uniform(0.5, 1.5, len(names)), strict=True))
    g = equation.value
    first = _jump(g, "value", values, t_end)
    return first if equation.nonholonomic else _earliest(first, _jump(g.derivative("t"), "rate", values, t_end, g))


def _earliest(*jumps: Jump | None) -> Jump | None:
    return min((jump for jump in jumps if jump is not None), default=None)


def _table_jump(table: Table, t_end: float) -> Jump | None:
    """A curve that stays constant beyond its ends, although it has a slope there."""
    if table.outside != "constant":
        return None
    slopes = [float(table.evaluate(x, derivative=1)) for x in (table.x[0], table.x[-1])]
    size = max(map(abs, table.evaluate(np.linspace(table.x[0], table.x[-1], 101), derivative=1)))
    ends = ((table.x[0], 0.0, slopes[0]), (table.x[-1], slopes[1], 0.0))
    found = (Jump(t, "speed", a, b) for t, a, b in ends if 0.0 < t < t_end and abs(a - b) > FLAT * size)
    return next(found, None)


def _jump(x: Expression, noun: str, values: Any, t_end: float, whole: Expression | None = None) -> Jump | None:
    """The first time at which x jumps; switches are those of `whole`, whose derivative it may be."""
    anywhere = [abs(x.evaluate(**values, t=t)) for t in np.linspace(0.0, t_end, SAMPLES)]  # near a kink x itself may vanish
    typical = max((value for value in anywhere if np.isfinite(value)), default=0.0)
    for t in _times(whole or x, t_end):
        near = NEAR * max(t, 1e-3)
        a, b, c, d = (x.evaluate(**values, t=t + k * near) for k in (-1.0, -0.1, 0.1, 1.0))
        size = max(abs(a), abs(d), typical)
        # what is continuous differs ten times less from ten times nearer
        if np.isfinite(a + b + c + d) and abs(c - b) > max(SMALL * size, 0.5 * abs(d - a)):
            return Jump(t, noun, b, c)
    return None


def _times(x: Expression, t_end: float) -> list[float]:
    """When the formula switches; if that is too often to be listed, at the beginning of the run."""
    found = switching_times(x, t_end)
    while found is None:
        t_end = 0.5 * t_end
        found = switching_times(x, t_end)
    return [float(t) for t in found if 0.0 < t < t_end]


def _touched(model: Model) -> set[str]:
    """Joints and constraints that an event may change."""
    actions = [a for event in model.events.values() for a in event.actions if isinstance(a, StructureAction)]
    names = {str(getattr(a, field)) for a in actions for field in a.joint_fields}
    return names | {a.coordinate.joint for a in actions if hasattr(a, "coordinate")}
