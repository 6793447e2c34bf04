"""Formulas without a value or without a slope at the start: the element, the formula and the values are named."""

import pytest

import sharnir as sr

BOTH = ("joint", "absolute")


def point(*constraints: object) -> sr.Model:
    """A body at (1, 0, 0)."""
    m = sr.Model("point")
    m.add(sr.Body("p", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), *constraints)
    return m


FAULTS = [
    (sr.Constraint("f", "log(p.x - 5)"), r"Constraint 'f': formula = 'log\(p\.x - 5\)' is not a number where p\.x = 1;"),
    (sr.Constraint("f", "sqrt(p.x - 5) - 1 + t"), r"Constraint 'f': .* is not a number where p\.x = 1, t = 0;"),
    (sr.Constraint("f", "log(p.x_dot - 5)"), r"Constraint 'f': .* is not a number where p\.x_dot = 0;"),
    (sr.Constraint("f", "log(p.x - 5)*p.y_dot"), r"Constraint 'f': .* is not a number where p\.x = 1, p\.y_dot = 0;"),
    (
        sr.PointOnCurve("c", "ground", "p", curve=("1", "2", "3")),
        r"PointOnCurve 'c': the curve has no tangent at s = 0, at \(1, 2, 3\)",
    ),
    (sr.PointOnCurve("c", "ground", "p", curve=("s^2", "0", "1")), r"PointOnCurve 'c': the curve has no tangent at s = 0"),
    (sr.PointOnCurve("c", "ground", "p", curve=("s", "log(s - 2)", "1")), r"PointOnCurve 'c': .* not a number at s = 0"),
    (sr.PointOnSurface("s", "ground", "p", surface="log(x - 4)"), r"PointOnSurface 's': .* not a number at x = 1, y = 0, z = 0"),
    (
        sr.Distance("d", "ground", "p", at_a=(0, 0, 0), length="log(t)"),
        r"Distance 'd': length = 'log\(t\)'.* not a number at t = 0",
    ),
]


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize(("constraint", "message"), FAULTS)
def test_what_is_no_number_is_named_with_its_values(formulation: str, constraint: object, message: str) -> None:
    with pytest.raises(sr.ModelError, match=message):
        point(constraint).compile(formulation)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_motion_that_is_no_number_names_its_joint(formulation: str) -> None:
    m = point(sr.Revolute("O", "ground", "p", at=(0, 0, 0), axis="y", motion="log(t)"))
    m.add(sr.Body("q", mass=1, inertia=(1, 1, 1), position=(2, 0, 0)), sr.Ball("B", "p", "q", at=(2, 0, 0)))
    m.add(sr.Distance("d", "ground", "q", at_a=(0, 0, 3)))
    with pytest.raises(sr.ModelError, match=r"joint 'O': the motion is -inf at t = 0"):
        m.compile(formulation)


FLAT = [
    (sr.Constraint("f", "(p.x - 1)^2"), r"Constraint 'f': .* has zero gradient where it is satisfied \(p\.x = 1\)"),
    (sr.Constraint("f", "(p.x - 1.2)^2"), r"Constraint 'f': .* has zero gradient where it is satisfied \(p\.x = 1\.2\)"),
    (sr.Constraint("f", "p.y*p.z"), r"Constraint 'f': .* has zero gradient where it is satisfied \(p\.y = 0, p\.z = 0\)"),
    (sr.PointOnSurface("s", "ground", "p", surface="(x^2 + y^2 + z^2 - 1)^2"), r"PointOnSurface 's': .* has zero gradient"),
]


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize(("constraint", "message"), FLAT)
def test_a_formula_without_slope_is_refused(formulation: str, constraint: object, message: str) -> None:
    with pytest.raises(sr.ModelError, match=message):
        point(constraint).compile(formulation)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("formula", ["1e-6*(p.x - 1)", "(p.x - 1)^3 + p.x - 1", "p.x^2 + p.z^2 - 1", "1e6*p.y*p.x"])
def test_steep_and_gentle_slopes_are_fine(formulation: str, formula: str) -> None:
    assert point(sr.Constraint("f", formula)).compile(formulation).freedoms == 5


@pytest.mark.parametrize("formulation", BOTH)
def test_a_length_whose_rate_is_infinite_is_named_beside_a_sound_one(formulation: str) -> None:
    """The length itself and its slopes are numbers; what it changes by at t = 0 is not."""
    m = point(sr.Distance("drawn", "ground", "p", at_a=(0, 0, 0), length="1 + sqrt(t)"))
    m.add(sr.Body("q", mass=1, inertia=(1, 1, 1), position=(3, 0, 0)), sr.Distance("firm", "ground", "q", length=3.0))
    with pytest.raises(
        sr.ModelError, match=r"Distance 'drawn': length = '1 \+ sqrt\(t\)', or a derivative of it, is not a number"
    ):
        m.compile(formulation)
