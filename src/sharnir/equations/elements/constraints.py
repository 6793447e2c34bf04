"""Constraint elements of a model as equations of position or velocity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.equations.closure import across
from sharnir.equations.elements.point_on_curve import tracked_point
from sharnir.errors import ModelError
from sharnir.model import (
    Distance,
    KnifeEdge,
    PointOnCurve,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    RollingBall,
    RollingDisc,
    Table,
)
from sharnir.model.constraints import (
    DirectionCosine,
    JointCoordinate,
    PointCoordinate,
    PointDistance,
    PointVelocity,
    ScalarConstraint,
)
from sharnir.model.constraints.profiles import profile_expressions
from sharnir.model.constraints.programmed import Programmed
from sharnir.model.constraints.variables import RATE
from sharnir.model.frames import rotation_matrix
from sharnir.symbolic.differentiation import gradient
from sharnir.symbolic.matrices import Vector, add, cross, dot, rotate, rotate_back, scale, sub
from sharnir.symbolic.nodes import Call, Name, Node, Number, minus, plus, quotient, times
from sharnir.symbolic.printing import plain_name

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism


def add_constraints(m: Mechanism) -> None:
    """Equations of all constraint elements."""
    for x in m.model.constraints.values():
        if isinstance(x, ScalarConstraint):
            scalar(m, x)
        elif type(x) in WRITERS:
            WRITERS[type(x)](m, x)
        else:
            raise ModelError(
                f"{x.label}: equations() does not support {type(x).__name__}; write it as a Constraint with a formula"
            )


def scalar(m: Mechanism, x: Any) -> None:
    """One equation between variables of the mechanism, as its formula says."""
    equation = x.equation(m.model)
    values: dict[str, Node] = {}
    for name, variable in zip(equation.names, equation.variables, strict=True):
        if isinstance(variable, PointVelocity):
            values[name + RATE] = velocity(m, variable, x.name)
            continue
        value = measure(m, variable, f"{x.name}_{name}")
        values[name], values[name + RATE] = value, m.rate(value)
    for helper in equation.helpers:
        values[helper.name] = profile(m, helper, values[helper.argument], x.name)
    if m.engine is not None and any(not isinstance(helper.function, Table) for helper in equation.helpers):
        explicit_row(m, x.name, equation, values)
        return
    node = m.entries.node(equation.value.node, values)
    (m.velocities if equation.nonholonomic else m.positions).append((x.name, node))


def explicit_row(m: Mechanism, name: str, equation: Any, values: Mapping[str, Node]) -> None:
    """An equation of Python functions, with the slopes and curvatures that its user gives."""
    g, rate, bias, *factors = (
        m.entries.node(x.node, values) for x in (equation.value, equation.rate, equation.bias, *equation.coefficients)
    )
    known = [m.rate(values[of + RATE]) for of in equation.names]
    along = [gradient(values[of], m.coordinates, m.entries.slopes) for of in equation.names]
    slopes = [dot(factors, column) for column in zip(*along, strict=True)]
    m.explicit_rows.append((name, g, rate, plus(bias, dot(factors, known)), slopes))


def given(m: Mechanism, value: Any, name: str, letter: str = "") -> Node:
    """A number, a formula of t or a Table; in code a Python function of time, or a triple with its rates, as well."""
    if m.engine is not None and (callable(value) or isinstance(value, tuple)) and not isinstance(value, Table):
        return m.given_length(name, value)
    return m.entries.entry(value, {"t": Name("t")}, name, letter)


def profile(m: Mechanism, helper: Any, at: Node, name: str) -> Node:
    """A Table or a user's function in a formula, under a name; only its value is asked for, slopes follow."""
    if isinstance(helper.function, Table):
        return m.entries.table(helper.function, at, name)
    return m.entries.opaque(helper.function, (at,), name)


def measure(m: Mechanism, x: Any, name: str) -> Node:
    """A variable that a formula refers to."""
    if isinstance(x, JointCoordinate):
        return m.coordinate(str(x.joint), int(x.freedom))
    if isinstance(x, PointCoordinate):
        a, b = m.bodies.number(str(x.relative_to)), m.bodies.number(str(x.body))
        return dot(m.bodies.direction(a, np.array(x.axis)), from_origin(m, a, b, m.bodies.position(str(x.body), x.at), name))
    a, b = m.bodies.number(str(x.a)), m.bodies.number(str(x.b))
    if isinstance(x, PointDistance):
        ends = m.bodies.position(str(x.a), x.at_a), m.bodies.position(str(x.b), x.at_b)
        d = m.distance(a, ends[0], b, ends[1], name)
        return Call("sqrt", (dot(d, d),))
    if isinstance(x, DirectionCosine):
        R, _ = m.recursion.relative_pose(a, b)
        return dot(m.bodies.direction(a, np.array(x.axis_a)), rotate(R, m.bodies.direction(b, np.array(x.axis_b))))
    raise ModelError(f"equations() does not support the variable {type(x).__name__}; use one on joints, points or directions")


def from_origin(m: Mechanism, a: int, b: int, at: np.ndarray, name: str) -> Vector:
    """A point of body b in the coordinate system of the drawing that body a carries along, in axes of a."""
    R, r = m.recursion.relative_pose(a, b)
    return sub(add(r, rotate(R, m.bodies.point(b, at, name))), m.bodies.point(a, np.zeros(3), name))


def velocity(m: Mechanism, x: PointVelocity, name: str) -> Node:
    """A component of a point's velocity as seen from a body."""
    a, b, c = (m.bodies.number(str(body)) for body in (x.relative_to, x.body, x.axes_of))
    return point_velocity(m, a, b, c, m.bodies.position(str(x.body), x.at), np.array(x.axis), name)


def point_velocity(m: Mechanism, a: int, b: int, c: int, at: np.ndarray, axis: np.ndarray, name: str) -> Node:
    """The velocity of a point of b seen from a, along a direction fixed in c."""
    R, r = m.recursion.relative_pose(a, b)
    p = add(r, rotate(R, m.bodies.point(b, at, name)))
    C, _ = m.recursion.relative_pose(a, c)
    return dot(rotate(C, m.bodies.direction(c, axis)), [m.rate(y) for y in p])


def distance(m: Mechanism, x: Distance) -> None:
    """|d|² = length²."""
    a, b = m.bodies.number(str(x.a)), m.bodies.number(str(x.b))
    ends = m.bodies.position(str(x.a), x.at_a), m.bodies.position(str(x.b), x.at_b)
    d = m.distance(a, ends[0], b, ends[1], x.name)
    drawn = float(np.linalg.norm(ends[1] - ends[0]))
    length = given(m, drawn if x.length is None else x.length, x.name, "l")
    m.positions.append((x.name, minus(dot(d, d), times(length, length))))


def plane(m: Mechanism, x: PointOnPlane) -> None:
    """n·d = 0."""
    d = from_through(m, x)
    m.positions.append((x.name, dot(m.bodies.direction(m.bodies.number(str(x.a)), np.array(x.normal)), d)))


def line(m: Mechanism, x: PointOnLine) -> None:
    """No displacement across the line."""
    d, a = from_through(m, x), m.bodies.number(str(x.a))
    for side in across(x.axis):
        m.positions.append((x.name, dot(m.bodies.direction(a, side), d)))


def from_through(m: Mechanism, x: Any) -> Vector:
    """From a point of the plane or line, fixed in a, to the point of b; axes of a."""
    a, b, at = m.bodies.number(str(x.a)), m.bodies.number(str(x.b)), m.bodies.position(str(x.b), x.at)
    return m.distance(a, at if x.through is None else np.array(x.through), b, at, x.name)


def in_frame(m: Mechanism, x: Any) -> Vector:
    """The point of b in the frame of the curve or surface on a."""
    a, b = m.bodies.number(str(x.a)), m.bodies.number(str(x.b))
    axes = np.eye(3) if x.axes is None else np.array(rotation_matrix(x.axes))
    d = m.distance(a, np.array(x.origin), b, m.bodies.position(str(x.b), x.at), x.name)
    return rotate_back(m.bodies.axes(a, axes), d)


def surface(m: Mechanism, x: PointOnSurface) -> None:
    """F(x, y, z) = 0."""
    m.positions.append((x.name, m.entries.formula(x.surface, dict(zip("xyz", in_frame(m, x), strict=True)))))


def curve(m: Mechanism, x: PointOnCurve) -> None:
    """The point is c(s), with s one more unknown."""
    if x.name not in m.on_curve:
        tracked_point(m, x, in_frame(m, x))
        return
    s = m.on_curve[x.name]
    for k, (entry, coordinate) in enumerate(zip(x.curve, in_frame(m, x), strict=True)):
        (value, _, _), helpers = profile_expressions(entry, "s", f"{plain_name(x.name)}{k}.", m.model.parameters, "s")
        values: dict[str, Node] = {"s": s}
        for helper in helpers:
            if helper.derivative == 0:
                values[helper.name] = profile(m, helper, s, f"{x.name}{k}")
        m.positions.append((x.name, minus(m.entries.node(value.node, values), coordinate)))


def rolling(m: Mechanism, x: Any) -> None:
    """The contact stays on the plane, and the material point there is at rest on it."""
    disc = isinstance(x, RollingDisc)
    body = str(x.wheel if disc else x.ball)
    a, b = m.bodies.number(str(x.surface)), m.bodies.number(body)
    number = m.letters.number
    ring = number(x.ring_radius, "r", x.name) if disc else Number(0)
    tube = number(x.tube if disc else x.radius, "h" if disc else "r", x.name)
    normal = np.array(x.normal)
    n = m.bodies.direction(a, normal)
    centre = m.bodies.position(body, x.center)
    height = m.distance(a, np.array(x.through), b, centre, x.name)
    v, om = tuple(m.rate(y) for y in height), m.turning(a, b)
    arm = scale(n, times(Number(-1), tube))
    gap = minus(dot(n, height), tube)
    if disc and x.ring_radius > 0.0:
        R, _ = m.recursion.relative_pose(a, b)
        axis = rotate(R, m.bodies.direction(b, np.array(x.axis)))
        lean = dot(n, axis)
        upright = m.define(Call("sqrt", (minus(Number(1), times(lean, lean)),)), "s", x.name)
        arm = add(arm, scale(sub(scale(axis, lean), n), quotient(ring, upright)))
        gap = minus(gap, times(ring, upright))
    slip = add(v, cross(om, arm))
    m.positions.append((x.name, gap))
    for side in across(tuple(normal)):
        m.velocities.append((x.name, dot(m.bodies.direction(a, side), slip)))


def knife_edge(m: Mechanism, x: KnifeEdge) -> None:
    """No velocity sideways."""
    a, b = m.bodies.number(str(x.surface)), m.bodies.number(str(x.body))
    at = m.bodies.position(str(x.body), x.at)
    m.velocities.append((x.name, point_velocity(m, a, b, b, at, np.array(x.direction), x.name)))


def programmed(m: Mechanism, x: Programmed) -> None:
    """q = motion(t)."""
    q = m.coordinate(str(x.coordinate.joint), int(x.coordinate.freedom))
    m.positions.append((x.name, minus(q, given(m, x.motion, x.name))))


WRITERS: dict[type, Callable[[Any, Any], None]] = {
    Distance: distance,
    PointOnPlane: plane,
    PointOnLine: line,
    PointOnSurface: surface,
    PointOnCurve: curve,
    RollingDisc: rolling,
    RollingBall: rolling,
    KnifeEdge: knife_edge,
    Programmed: programmed,
}
