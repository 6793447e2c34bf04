"""From a scalar constraint to its equation with all derivatives that the engine needs, made symbolically.

With variables x_1 … x_k of the mechanism and time t:

holonomic      g(x, t) = 0      ġ = Σ g_i ẋ_i + g_t      g̈ = Σ g_i ẍ_i + bias,  bias = Σ Σ g_ij ẋ_i ẋ_j + 2 Σ g_it ẋ_i + g_tt
nonholonomic   g(x, ẋ, t) = 0                            ġ = Σ c_i ẍ_i + bias,  c_i = ∂g/∂ẋ_i,  bias = Σ ∂g/∂x_i ẋ_i + g_t

A PointVelocity is a rate: its value stands at the place of ẋ_i, and its own rate takes the place of ẍ_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.errors import FormulaError, ModelError
from sharnir.model.constraints.initial_values import initial_coordinate
from sharnir.model.constraints.profiles import profile_expressions
from sharnir.model.constraints.variables import RATE, JointCoordinate, Variable
from sharnir.model.constraints.vector_formula import Helper, VectorFormula
from sharnir.model.formula import Expression, parse
from sharnir.symbolic.nodes import ONE, ZERO, Name, Node, Number, negative, product, total

if TYPE_CHECKING:
    from sharnir.model.constraints.constraint_element import ScalarConstraint
    from sharnir.model.contents import Contents

Term = tuple[str, JointCoordinate, float]  # field, coordinate, factor


@dataclass(frozen=True)
class ScalarEquation:
    """One equation of a constraint. Expressions are over `names`, their rates `<name>_dot`, and t.

    variables : what the names mean, in order; freedoms of joints as numbers.
    value, rate : g and ġ (nonholonomic: both are g).
    bias : what is left of g̈ (nonholonomic: of ġ) without the highest derivatives.
    coefficients : factors of the highest derivatives, one per variable.
    helpers : Tables and Python functions that occur in the expressions.
    """

    label: str
    names: tuple[str, ...]
    variables: tuple[Variable, ...]
    nonholonomic: bool
    value: Expression
    rate: Expression
    bias: Expression
    coefficients: tuple[Expression, ...]
    helpers: tuple[Helper, ...] = ()

    @property
    def formula(self) -> VectorFormula:
        """Inputs x_1 … x_k, ẋ_1 … ẋ_k, t; outputs g, ġ, bias, c_1 … c_k."""
        inputs = (*self.names, *(name + RATE for name in self.names), "t")
        return VectorFormula(inputs, (self.value, self.rate, self.bias, *self.coefficients), self.helpers)

    def evaluate(self, x: Sequence[float], rates: Sequence[float], t: float = 0.0) -> np.ndarray:
        """(g, ġ, bias, c_1 … c_k) without the compiler."""
        return self.formula.evaluate((*x, *rates, t))

    @property
    def linear(self) -> tuple[float, ...] | None:
        """(g at zero, c_1 … c_k) if g is a sum of variables times numbers plus a number (Gear, Rack, Coupler); else None."""
        constant = not self.helpers and all(isinstance(c.node, Number) for c in self.coefficients)
        if self.nonholonomic or not constant or self.bias.node != ZERO or "t" in self.value.names:
            return None
        zeros = dict.fromkeys(self.names, 0.0)
        return (self.value.evaluate(**zeros), *(c.evaluate() for c in self.coefficients))


def scalar_equation(element: ScalarConstraint, model: Contents) -> ScalarEquation:
    """The equation of a scalar constraint of the model.

    >>> from sharnir.model import Body, Constraint, Model, Revolute
    >>> m = Model()
    >>> _ = m.add(Body("a", mass=1), Body("b", mass=1))
    >>> _ = m.add(Revolute("A", "ground", "a", axis="z"), Revolute("B", "ground", "b", axis="z"))
    >>> e = scalar_equation(Constraint("c", "A.q^2*B.q - t"), m)
    >>> e.names, e.evaluate((1, 2), (3, 4), t=0.5).tolist()
    (('A.q', 'B.q'), [1.5, 15.0, 84.0, 4.0, 1.0])
    """
    return element.equation(model)


def linear_equation(label: str, terms: Sequence[Term], constant: float | None, model: Contents) -> ScalarEquation:
    """Σ c_i q_i = constant; by default the joints' initial values satisfy it. Terms are (field, coordinate, factor)."""
    coordinates = [coordinate.resolved(model.joints, label, field) for field, coordinate, _ in terms]
    factors = [factor for _, _, factor in terms]
    check_distinct(coordinates, label, terms[-1][0])
    if constant is None:
        values = (initial_coordinate(coordinate, model) for coordinate in coordinates)
        constant = sum(factor * value for factor, value in zip(factors, values, strict=True))
    names = tuple(f"x{k}" for k in range(len(terms)))
    parts = (product(Number(factor), Name(name)) for factor, name in zip(factors, names, strict=True))
    return derived_equation(label, names, tuple(coordinates), Expression(total(*parts, Number(-constant)), names))


def formula_equation(element: Any, model: Contents) -> ScalarEquation:
    """The equation of a Constraint's formula: shorthand resolved, names checked, derivatives taken."""
    variables: dict[str, Variable] = {}
    written: dict[str, str] = {}  # a name as it stands in the formula -> the variable's name, or that of its rate
    for text, name, variable, rate in element.occurrences:
        if isinstance(variable, JointCoordinate):
            field = "variables" if name in element.variables else "formula"
            variable = variable.resolved(model.joints, element.label, field)
        variables[name] = variable
        written[text] = name + RATE if rate else name
    clash = [name for name in model.parameters if name.removesuffix(RATE) in variables]
    if clash:
        message = f"{element.label}: variables has {clash[0].removesuffix(RATE)!r}, but {clash[0]!r} is a parameter of the model"
        raise ModelError(f"{message}; rename one of them", field="variables")
    try:
        read = parse(element.formula, (*written, "t"), model.parameters, dotted=True)
    except FormulaError as error:
        remedy = "names are variables, their rates x_dot, t, and parameters of the model"
        message = f"{element.label}: formula: {error.reason} ({remedy})"
        raise FormulaError(message, text=error.text, position=error.position, field="formula") from None
    equation = derived_equation(element.label, tuple(variables), tuple(variables.values()), read.renamed(written))
    if all(coefficient.node == ZERO for coefficient in equation.coefficients):
        message = f"{element.label}: formula = {element.formula!r} does not change with any coordinate"
        raise ModelError(f"{message}; it must be zero with a nonzero slope where it holds, such as 'x - 1'", field="formula")
    return equation


def derived_equation(label: str, names: tuple[str, ...], variables: tuple[Variable, ...], g: Expression) -> ScalarEquation:
    """The equation g = 0 with its derivatives."""
    rates = tuple(name + RATE for name in names)
    g = Expression(g.node, (*names, *rates, "t"), g.parameters)
    nonholonomic = bool(g.names & set(rates))
    if nonholonomic:
        rate, coefficients, bias = g, tuple(g.derivative(name) for name in rates), time_derivative(g, names)
    else:
        rate, coefficients = time_derivative(g, names), tuple(g.derivative(name) for name in names)
        bias = time_derivative(rate, names)
    return ScalarEquation(label, names, variables, nonholonomic, g, rate, bias, coefficients)


def time_derivative(f: Expression, names: tuple[str, ...]) -> Expression:
    """Σ ∂f/∂x_i ẋ_i + ∂f/∂t, rates held constant.

    >>> str(time_derivative(parse("x^2*t", ("x", "x_dot", "t")), ("x",)))
    '(2.0*t*x*x_dot) + (x^2.0)'
    """
    terms: list[Node] = [product(f.derivative(name).node, Name(name + RATE)) for name in names]
    return Expression(total(*terms, f.derivative("t").node), f.variables, f.parameters)


def cam_equation(element: Any, model: Contents) -> ScalarEquation:
    """Of a Cam: q_follower - p(q_cam) = 0 with ġ = v_f - p' v_c, bias = -p'' v_c²."""
    coordinates = tuple(
        coordinate.resolved(model.joints, element.label, field)
        for coordinate, field in ((element.cam, "cam"), (element.follower, "follower"))
    )
    check_distinct(coordinates, element.label, "follower")
    names = ("cam.q", "follower.q")
    (p, slope, curvature), helpers = profile_expressions(element.profile, names[0], "profile.", model.parameters, "q")
    v_cam, v_follower = (Name(name + RATE) for name in names)
    nodes = (
        total(Name(names[1]), negative(p.node)),
        total(v_follower, negative(product(slope.node, v_cam))),
        negative(product(curvature.node, v_cam, v_cam)),
        negative(slope.node),
        ONE,
    )
    scope = (*names, *(name + RATE for name in names), "t", *(helper.name for helper in helpers))
    value, rate, bias, first, second = (Expression(node, scope, model.parameters) for node in nodes)
    return ScalarEquation(element.label, names, coordinates, False, value, rate, bias, (first, second), helpers)


def check_rack(element: Any, model: Contents) -> None:
    """A pinion turns, a rack shifts."""
    for field, unit, verb in (("pinion", "rad", "turn"), ("rack", "m", "shift")):
        coordinate = getattr(element, field).resolved(model.joints, element.label, field)
        joint = model.joints[coordinate.joint]
        if joint.units[coordinate.freedom] != unit:
            message = f"{element.label}: {field}: freedom {coordinate.freedom} of {joint.label} does not {verb}"
            raise ModelError(f"{message}; name one whose unit is {unit}, or use Gear", field=field)


def check_distinct(coordinates: Sequence[JointCoordinate], label: str, field: str) -> None:
    """A coordinate must not be tied to itself."""
    for k, coordinate in enumerate(coordinates):
        if coordinate in coordinates[:k]:
            message = f"{label}: {field}: freedom {coordinate.freedom} of joint {coordinate.joint!r} is named twice"
            raise ModelError(f"{message}; name different coordinates", field=field)
