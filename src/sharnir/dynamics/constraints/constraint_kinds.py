"""Constraints of a model → elements of the engine: which kind, which measures, which numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sharnir.dynamics.constraints.constraint_records import Element, cut_elements
from sharnir.dynamics.constraints.measure_records import Measures
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import Placement, axes_with_z
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.model.constraints import (
    ConstraintElement,
    Distance,
    KnifeEdge,
    PointOnCurve,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    RollingBall,
    RollingDisc,
    ScalarConstraint,
    curve_functions,
    surface_functions,
)
from sharnir.model.constraints.programmed import Programmed
from sharnir.model.frames import Frame, rotation_matrix
from sharnir.topology import Tree

Rows = Sequence[Sequence[float]]


def kind_elements(drawing: Drawing) -> list[Element]:
    """Elements of all constraints of the model, and of mimic joints where they are not folded into the mass matrix."""
    model = drawing.model
    elements = [] if drawing.coordinates.mimics else _mimics(drawing)
    return elements + [constraint_element(x, drawing) for x in model.constraints.values()]


def constraint_element(x: ConstraintElement, drawing: Drawing) -> Element:
    """The element of one constraint."""
    if isinstance(x, ScalarConstraint):
        return _scalar(x, drawing)
    write = CONSTRAINT_WRITERS.get(type(x))
    if write is None:
        known = ", ".join(sorted(kind.__name__ for kind in CONSTRAINT_WRITERS))
        raise ModelError(
            f"{x.label}: the engine has no writer of records for {type(x).__name__}; register one with "
            f"register_constraint, or derive the class from ScalarConstraint; there are writers for {known}"
        )
    return write(x, drawing)


# what turns a constraint into an element of the engine
Writer = Callable[[Any, Drawing], Element]
CONSTRAINT_WRITERS: dict[type, Writer] = {}


def register_constraint(constraint: type, write: Writer) -> None:
    """Teach the engine a class of constraints, from inside the package or from outside.

    write(constraint, drawing) : its equations as an element of the engine, such as `linear_element` makes of measures.

    >>> class Height(PointOnPlane, listed=False):
    ...     pass
    >>> def height_element(x, drawing):
    ...     m, at = Measures(drawing), drawing.world(x.b, x.at)
    ...     m.point("ground", at, x.b, at, (0.0, 0.0, 1.0))
    ...     return linear_element(x.name, m, [(0.0, 1.0)], ("height",))
    >>> register_constraint(Height, height_element)
    """
    CONSTRAINT_WRITERS[constraint] = write


def writer_of(constraint: type) -> Callable[[Writer], Writer]:
    """Decorator: registers what turns a class of constraints into elements of the engine."""

    def registered(write: Writer) -> Writer:
        register_constraint(constraint, write)
        return write

    return registered


def linear_element(name: str, m: Measures, rows: Rows, labels: tuple[str, ...], speeds: bool = False) -> Element:
    """Equations c₀ + Σ c_k x_k = 0; rows: (c₀, c_1, …); speeds: Σ c_k ẋ_k = 0."""
    numbers = [*m.params, *(y for row in rows for y in row)]
    return measured_element(L.LINEAR, name, m, len(rows), numbers, 0, labels, speeds)


def measured_element(
    kind: int, name: str, m: Measures, count: int, params: list[float], function: int, labels: tuple[str, ...], speeds: bool
) -> Element:
    n = len(m.records)
    data = [n, function, *(y for record in m.records for y in record)]
    return Element(name, kind, count, m.targets, params, 16 * n + 4, holonomic=0 if speeds else count, data=data, labels=labels)


def _mimics(drawing: Drawing) -> list[Element]:
    """q - multiplier q_leader - offset = 0."""
    elements = []
    for joint in drawing.model.joints.values():
        if joint.mimic is not None:
            leader, multiplier, offset = joint.mimic
            m = Measures(drawing)
            m.coordinate(joint.name, 0)
            m.coordinate(leader, 0)
            elements.append(linear_element(f"{joint.name}.mimic", m, [(-offset, 1.0, -multiplier)], ("ratio",)))
    return elements


def _scalar(x: ScalarConstraint, drawing: Drawing) -> Element:
    equation = x.equation(drawing.model)
    m = Measures(drawing)
    for variable in equation.variables:
        m.variable(variable)
    if not m.targets:
        raise ModelError(
            f"{x.label}: all its coordinates have a prescribed motion, so it cannot move anything; remove the "
            "constraint, or the motion of one joint"
        )
    if equation.linear is not None:
        return linear_element(x.name, m, [equation.linear], ("relation",))
    function = drawing.functions.keep(equation.formula.compiled(x.label), x.label)
    return measured_element(L.FORMULA, x.name, m, 1, m.params, function, ("formula",), equation.nonholonomic)


@writer_of(Distance)
def _distance(x: Distance, drawing: Drawing) -> Element:
    a, b, m = str(x.a), str(x.b), Measures(drawing)
    m.distance(a, x.at_a, b, x.at_b)
    if x.length is None or isinstance(x.length, float):
        drawn = float(np.linalg.norm(drawing.world(b, x.at_b) - drawing.world(a, x.at_a)))
        length = drawn if x.length is None else x.length
        if length <= 0.0:
            raise ModelError(f"{x.label}: its points coincide in the drawing; give length, or use a Ball joint")
        return linear_element(x.name, m, [(-length, 1.0)], ("distance",))
    m.time(x.length, x.label)
    return linear_element(x.name, m, [(0.0, 1.0, -1.0)], ("distance",))


@writer_of(Programmed)
def _programmed(x: Programmed, drawing: Drawing) -> Element:
    m = Measures(drawing)
    m.coordinate(x.coordinate.joint, x.coordinate.freedom)
    if isinstance(x.motion, float):
        return linear_element(x.name, m, [(-x.motion, 1.0)], ("motion",))
    m.time(x.motion, x.label)
    return linear_element(x.name, m, [(0.0, 1.0, -1.0)], ("motion",))


@writer_of(PointOnPlane)
def _plane(x: PointOnPlane, drawing: Drawing) -> Element:
    m, at = Measures(drawing), drawing.world(str(x.b), x.at)
    m.point(str(x.a), at if x.through is None else x.through, str(x.b), at, x.normal)
    return linear_element(x.name, m, [(0.0, 1.0)], ("height",))


@writer_of(PointOnLine)
def _line(x: PointOnLine, drawing: Drawing) -> Element:
    m, at = Measures(drawing), drawing.world(str(x.b), x.at)
    across = axes_with_z(np.array(x.axis))
    for k in range(2):
        m.point(str(x.a), at if x.through is None else x.through, str(x.b), at, across[:, k])
    return linear_element(x.name, m, [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)], ("across 1", "across 2"))


def _in_frame(x: PointOnCurve | PointOnSurface, drawing: Drawing) -> tuple[list[int], list[float]]:
    """Bodies; frame of the curve or surface and the point."""
    a, b = str(x.a), str(x.b)
    axes = np.eye(3) if x.axes is None else np.array(rotation_matrix(x.axes))
    return [drawing.number(a), drawing.number(b)], [*drawing.frame(a, x.origin, axes), *drawing.point(b, x.at)]


@writer_of(PointOnSurface)
def _surface(x: PointOnSurface, drawing: Drawing) -> Element:
    targets, params = _in_frame(x, drawing)
    function = drawing.functions.keep(surface_functions(x, drawing.model.parameters), x.label)
    return Element(x.name, L.ON_SURFACE, 1, targets, params, L.SURFACE_SIZE, data=[function], labels=("normal",))


@writer_of(PointOnCurve)
def _curve(x: PointOnCurve, drawing: Drawing) -> Element:
    """The place on the curve is tracked, as the coordinates of cut joints are."""
    targets, params = _in_frame(x, drawing)
    function = drawing.functions.keep(curve_functions(x, drawing.model.parameters), x.label)
    c = drawing.coordinates
    element = Element(x.name, L.ON_CURVE, 2, targets, params, L.CURVE_SIZE, data=[function], labels=("normal 1", "normal 2"))
    element.first_z, element.n_z, element.z_value, element.z_rate = len(c.z0), 1, L.CURVE_S, L.CURVE_RATE
    c.z0.append(x.s)
    c.z_names.append(f"{x.name}.s")
    return element


@writer_of(RollingDisc)
def _disc(x: RollingDisc, drawing: Drawing) -> Element:
    return _rolling(x, str(x.wheel), x.axis, x.ring_radius, x.tube, drawing)


@writer_of(RollingBall)
def _ball(x: RollingBall, drawing: Drawing) -> Element:
    """A torus whose ring has shrunk to its centre."""
    return _rolling(x, str(x.ball), x.normal, 0.0, x.radius, drawing)


def _rolling(x: RollingDisc | RollingBall, body: str, axis: Any, ring: float, tube: float, drawing: Drawing) -> Element:
    a, normal = str(x.surface), np.array(x.normal)
    height = float(normal @ (drawing.world(body, x.center) - np.array(x.through)))
    if height <= 0.0:
        raise ModelError(
            f"{x.label}: its centre is {-height:g} m below the plane; reverse the normal, or move '{body}' or the plane"
        )
    plane = drawing.frame(a, x.through, axes_with_z(normal))
    params = [*plane, *drawing.point(body, x.center), *drawing.direction(body, axis), ring, tube]
    targets, labels = [drawing.number(a), drawing.number(body)], ("height", "slip 1", "slip 2")
    return Element(x.name, L.ROLLING, 3, targets, params, holonomic=1, labels=labels)


@writer_of(KnifeEdge)
def _knife_edge(x: KnifeEdge, drawing: Drawing) -> Element:
    m = Measures(drawing)
    m.velocity(str(x.surface), str(x.body), x.at, x.direction, str(x.body))
    return linear_element(x.name, m, [(0.0, 1.0)], ("sideways",), speeds=True)


def constraint_elements(
    model: Model, tree: Tree, c: Coordinates, place: Placement, placed: dict[str, Frame], functions: Functions
) -> list[Element]:
    """All constraint elements of a model: cut joints first, since others may measure their coordinates."""
    cuts = cut_elements(model, tree, c, place, placed)
    numbers = {element.name: k for k, element in enumerate(cuts)}
    return cuts + kind_elements(Drawing(model, c, place, placed, functions, numbers))
