"""Narrow features of formulas that the mechanism must follow: bumps and steps of tracks, cams, curves, surfaces, constraints.

What is felt of them are their slopes, which may be flat but for a narrow place: steps of a run end there (narrow_peaks.py). What
depends on time alone is known before the run (break_times.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.memory.break_times import BreakTimes
from sharnir.dynamics.memory.narrow_peaks import is_line, peaked_nodes
from sharnir.dynamics.signals.constraint_switches import Watched
from sharnir.model import Cam, Constraint, FormulaJoint, JointCoordinate, Model, PointOnCurve, PointOnSurface
from sharnir.model.formula import Expression, parse
from sharnir.model.frames import rotation_matrix
from sharnir.model.given_functions import formulas
from sharnir.model.signals import Position
from sharnir.symbolic.expression_graph import names_of, ordered, substituted
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, Number, minus, quotient

S = Name("s")  # the parameter of a curve
SAMPLES = 200  # of a turn
STEEPEST = 10.0  # 1/rad: exp(x) with an exponent that is nowhere steeper is wider than 0.1 rad
MAY_PEAK = re.compile(r"exp|cosh|tan|\^|\*\*|/\s*\(")


@dataclass(frozen=True)
class Followed:
    """A formula of an element, and what its names are."""

    label: str
    name: str
    text: str
    variables: Mapping[str, Any]
    tables: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expression(self) -> Expression:
        return parse(self.text, (), None, dotted=True, tables=dict.fromkeys(self.tables, 1))


def add_breaks(model: Model, breaks: BreakTimes) -> None:
    """Times at which these formulas have a narrow peak, or switch, whatever the state is."""
    for followed in _followed(model):
        if "t" in followed.text:
            breaks.add_formula(Expression(followed.expression.node, ("t",), dict(model.parameters)), followed.label)


def kinematic_peaks(model: Model) -> dict[str, Watched]:
    """What is watched for narrow features, by name; no signal of a user has a blank in its name.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Body("b", mass=1), sr.Revolute("R", "ground", "a", axis="z"))
    >>> _ = m.add(sr.Prismatic("P", "ground", "b", axis="y"), sr.Cam("K", "R", "P", "0.1*tanh((q - 1)/0.001)"))
    >>> {name: watched.text for name, watched in kinematic_peaks(m).items()}
    {'peak K 0': '100.0*((-(tanh(((q + (-1.0))/0.001))^2.0)) + 1.0)'}
    """
    found: dict[str, Watched] = {}
    for followed in _followed(model):
        if not MAY_PEAK.search(followed.text):
            continue
        for text in _slopes(followed, dict(model.parameters)):
            names = parse(text, (), None, dotted=True).names
            used = {name: x for name, x in followed.variables.items() if {name, f"{name}_dot"} & names}
            found[f"peak {followed.name} {len(found)}"] = Watched(followed.label, text, used, {})
    return found


def unseen_curves(model: Model) -> list[str]:
    """Labels of curves with narrow features of which no sensor tells where the point is: they cannot be watched.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1, position=(0, 1, 0)))
    >>> _ = m.add(sr.PointOnCurve("wire", "ground", "b", curve=("sin(s)", "cos(s)", "0.1*exp(-((s - 1)/0.01)^2)")))
    >>> unseen_curves(m)
    ["PointOnCurve 'wire'"]
    """
    found = []
    for x in model.constraints.values():
        if isinstance(x, PointOnCurve) and next(_curve(x), None) is None:
            texts = [text for text in formulas(x.curve) if MAY_PEAK.search(text)]
            followed = [Followed(x.label, x.name, text, {}) for text in texts]
            if any(next(_slopes(part, dict(model.parameters)), None) is not None for part in followed):
                found.append(x.label)
    return found


def _slopes(followed: Followed, parameters: Mapping[str, float]) -> Iterator[str]:
    """Slopes of a formula that may have narrow peaks."""
    expression = followed.expression
    varies = set(expression.names) - set(parameters) - {"t"}
    for term in _terms(expression.node):
        if any(isinstance(x, Call) and x.function not in ROWS for x in ordered((term,))):  # tables have no such peaks
            continue
        for name in sorted(varies):
            slope = Expression(term, expression.variables).derivative(name)
            if any(not is_wide(node, name, parameters) for node in peaked_nodes(slope.node, varies)):
                yield str(slope)


def is_wide(node: Node, angle: str, parameters: Mapping[str, float]) -> bool:
    """Whether a peak recurs with the sines of an angle and is so wide that no step is blind to it, as the lobe of a cam.

    >>> from sharnir.model.formula import parse
    >>> [is_wide(parse(text, ("q",)).node, "q", {}) for text in ("exp(6*(cos(q) - 1))", "exp(60*(cos(q) - 1))", "exp(-q*q)")]
    [True, False, False]
    """
    if not (isinstance(node, Call) and node.function == "exp" and _by_sines(node.arguments[0], angle, set(parameters))):
        return False
    slope = Expression(node.arguments[0]).derivative(angle)
    turns = np.linspace(0.0, 2.0 * np.pi, SAMPLES)
    return float(np.abs(slope.evaluate(**{**parameters, angle: turns})).max()) <= STEEPEST


def _by_sines(node: Node, angle: str, parameters: set[str]) -> bool:
    """Whether a formula is made of sines and cosines of an angle and of parameters, by sums and products."""
    if isinstance(node, Number):
        return True
    if isinstance(node, Name):
        return node.name in parameters
    if node.function in ("sin", "cos"):
        inner = node.arguments[0]
        return is_line(inner, {angle}) and names_of(inner) <= {angle} | parameters
    return node.function in ("+", "*", "neg") and all(_by_sines(x, angle, parameters) for x in node.arguments)


def _terms(node: Node) -> tuple[Node, ...]:
    return node.arguments if isinstance(node, Call) and node.function == "+" else (node,)


def _followed(model: Model) -> Iterator[Followed]:
    """All such formulas of a model."""
    for joint in model.joints.values():
        if isinstance(joint, FormulaJoint):
            names = list(joint.variables)
            own = {name: JointCoordinate(joint.name, k if len(names) > 1 else None) for k, name in enumerate(names)}
            for text in (*formulas(joint.position), *formulas(joint.rotation)):
                yield Followed(joint.label, joint.name, text, own, joint.tables)
    for x in model.constraints.values():
        if isinstance(x, Constraint):
            yield Followed(x.label, x.name, x.formula, x.variables)
        elif isinstance(x, Cam):
            profile = x.profile[0] if isinstance(x.profile, tuple) else x.profile
            for text in formulas(profile):
                yield Followed(x.label, x.name, text, {"q": x.cam})
        elif isinstance(x, PointOnSurface):
            yield Followed(x.label, x.name, x.surface, dict(zip("xyz", _coordinates(x), strict=True)))
        elif isinstance(x, PointOnCurve):
            yield from _curve(x)


def _coordinates(x: PointOnCurve | PointOnSurface) -> list[Position]:
    """Sensors of the point's coordinates in the frame of a curve or surface."""
    axes = np.eye(3) if x.axes is None else np.array(rotation_matrix(x.axes))
    return [Position(x.b, x.at, tuple(axes[:, k].tolist()), relative_to=x.a, origin=x.origin) for k in range(3)]


def _curve(x: PointOnCurve) -> Iterator[Followed]:
    """The entries of a curve one of whose coordinates, c, is a straight line c = a s + b in its parameter s: then a sensor tells
    where the point is, and (c - b)/a stands for s. The sensor is called s as well."""
    texts = [entry[0] if isinstance(entry, tuple) else entry for entry in x.curve]
    for k, text in enumerate(texts):
        line = parse(text, (), None).node if isinstance(text, str) else ZERO
        if not (is_line(line, {"s", "t"}) and "s" in names_of(line)):
            continue
        begin = substituted([line], {S: ZERO})[0]
        slope = Expression(line, ("s",)).derivative("s").node
        if names_of(slope) & {"s", "t"}:
            continue
        at = quotient(minus(S, begin), slope)
        for other in texts:
            if isinstance(other, str):
                whole = substituted([parse(other, (), None).node], {S: at})[0]
                yield Followed(x.label, x.name, str(Expression(whole)), {"s": _coordinates(x)[k]})
        return
