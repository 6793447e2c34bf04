"""Curves and surfaces as compiled functions with their derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sharnir.model.constraints.curves import SURFACE, PointOnCurve, PointOnSurface
from sharnir.model.constraints.profiles import profile_expressions
from sharnir.model.constraints.vector_formula import VectorFormula
from sharnir.model.formula import parse

if TYPE_CHECKING:
    from sharnir.kernel.user import UserFunction

NO_PARAMETERS: Mapping[str, float] = {}


def curve_formula(element: PointOnCurve, parameters: Mapping[str, float] = NO_PARAMETERS) -> VectorFormula:
    """Input s; outputs c (3), c' (3), c'' (3), in the curve's frame.

    >>> curve_formula(PointOnCurve("wire", "ground", "bead", curve=("2*s", "s^2", 1))).evaluate((3,)).tolist()
    [6.0, 9.0, 1.0, 2.0, 6.0, 0.0, 0.0, 2.0, 0.0]
    """
    parts = [profile_expressions(entry, "s", f"curve{k}.", parameters, "s") for k, entry in enumerate(element.curve)]
    outputs = tuple(expressions[order] for order in range(3) for expressions, _ in parts)
    return VectorFormula(("s",), outputs, tuple(helper for _, helpers in parts for helper in helpers))


def surface_formula(element: PointOnSurface, parameters: Mapping[str, float] = NO_PARAMETERS) -> VectorFormula:
    """Inputs x, y, z in the surface's frame; outputs F, F_x, F_y, F_z, F_xx, F_yy, F_zz, F_xy, F_xz, F_yz.

    >>> surface_formula(PointOnSurface("bowl", "ground", "ball", surface="x*y - z^2")).evaluate((2, 3, 1)).tolist()
    [5.0, 3.0, 2.0, -2.0, 0.0, 0.0, -2.0, 1.0, 0.0, 0.0]
    """
    value = parse(element.surface, SURFACE, parameters)
    gradient = {name: value.derivative(name) for name in SURFACE}
    pairs = (("x", "x"), ("y", "y"), ("z", "z"), ("x", "y"), ("x", "z"), ("y", "z"))
    hessian = tuple(gradient[first].derivative(second) for first, second in pairs)
    return VectorFormula(SURFACE, (value, *gradient.values(), *hessian))


def curve_functions(element: PointOnCurve, parameters: Mapping[str, float] = NO_PARAMETERS) -> UserFunction:
    """As a C function for kernel.call_vector: reads s, writes c, c', c'' (9 numbers).

    >>> curve_functions(PointOnCurve("wire", "ground", "bead")).address > 0
    True
    """
    return curve_formula(element, parameters).compiled(element.label)


def surface_functions(element: PointOnSurface, parameters: Mapping[str, float] = NO_PARAMETERS) -> UserFunction:
    """As a C function for kernel.call_vector: reads x, y, z, writes F, gradient (3), Hessian xx yy zz xy xz yz (10 numbers).

    >>> surface_functions(PointOnSurface("bowl", "ground", "ball")).address > 0
    True
    """
    return surface_formula(element, parameters).compiled(element.label)
