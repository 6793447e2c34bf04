"""Constraints: each is frozen data, and declares the bodies and joints it involves and the number of its equations.

What the engine asks of every element in ALL_CONSTRAINTS:

name, label            for channels and messages
bodies                 names of the bodies whose positions or velocities stand in the equations ("ground" included)
joints                 names of the joints whose coordinates stand in the equations
n_holonomic            number of equations on positions
n_nonholonomic         number of equations on speeds only
n_equations            their sum
nonholonomic           True if n_nonholonomic > 0

A ScalarConstraint (Gear, Rack, Cam, Coupler, Constraint) is one equation between variables:
`scalar_equation(element, model)` gives a ScalarEquation (variables in order, g, ġ, bias, coefficients), and
`scalar_equation(element, model).formula.compiled(element.label)` the C function for kernel.call_vector that reads
x_1 … x_k, ẋ_1 … ẋ_k, t and writes g, ġ, bias, c_1 … c_k.

`curve_functions(element, parameters)` of a PointOnCurve: reads s, writes c, c', c'' (9 numbers);
`surface_functions(element, parameters)` of a PointOnSurface: reads x, y, z, writes F, gradient (3), Hessian (6).
"""

from sharnir.model.constraints.constraint_element import ConstraintElement, ScalarConstraint
from sharnir.model.constraints.constraint_equation import ScalarEquation, scalar_equation
from sharnir.model.constraints.couplings import Cam, Coupler, Coupling, Gear, Rack
from sharnir.model.constraints.curves import PointOnCurve, PointOnSurface
from sharnir.model.constraints.distance import Distance
from sharnir.model.constraints.geometry import curve_functions, surface_functions
from sharnir.model.constraints.points import PointOnLine, PointOnPlane
from sharnir.model.constraints.rolling import KnifeEdge, RollingBall, RollingDisc
from sharnir.model.constraints.user_constraint import Constraint
from sharnir.model.constraints.variables import (
    ALL_VARIABLES,
    DirectionCosine,
    JointCoordinate,
    PointCoordinate,
    PointDistance,
    PointVelocity,
    Variable,
)
from sharnir.model.constraints.vector_formula import VectorFormula

ALL_CONSTRAINTS: tuple[type[ConstraintElement], ...] = ConstraintElement.family.own()

__all__ = [
    "ALL_CONSTRAINTS",
    "ALL_VARIABLES",
    "Cam",
    "Constraint",
    "ConstraintElement",
    "Coupler",
    "Coupling",
    "DirectionCosine",
    "Distance",
    "Gear",
    "JointCoordinate",
    "KnifeEdge",
    "PointCoordinate",
    "PointDistance",
    "PointOnCurve",
    "PointOnLine",
    "PointOnPlane",
    "PointOnSurface",
    "PointVelocity",
    "Rack",
    "RollingBall",
    "RollingDisc",
    "ScalarConstraint",
    "ScalarEquation",
    "Variable",
    "VectorFormula",
    "curve_functions",
    "scalar_equation",
    "surface_functions",
]
