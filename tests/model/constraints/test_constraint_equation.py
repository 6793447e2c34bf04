"""Equations of scalar constraints: symbolic derivatives against differences, compiled functions against NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharnir.errors import ModelError
from sharnir.kernel import PLAIN, address, call_vector, entry
from sharnir.model import (
    Body,
    Cam,
    Constraint,
    Coupler,
    Gear,
    JointCoordinate,
    Model,
    Planar,
    PointCoordinate,
    PointOnCurve,
    PointOnSurface,
    PointVelocity,
    Prismatic,
    Rack,
    Revolute,
    Table,
)
from sharnir.model.constraints import curve_functions, scalar_equation, surface_functions
from sharnir.model.constraints.geometry import curve_formula, surface_formula

H = 1e-4  # step of differences
SPLINE = Table((-3, -1, 0, 1, 3), (0, 1, -0.5, 0.3, 1), kind="cubic", outside="extend")
small = st.floats(-1.5, 1.5)


def mechanism():
    m = Model(parameters={"k": 0.7})
    m.add(*(Body(name, mass=1) for name in ("a", "b", "c", "d")))
    m.add(Revolute("A", "ground", "a", axis="z", q=0.5), Prismatic("B", "ground", "b", axis="x", motion="2 + t"))
    m.add(Planar("C", "ground", "c", axis="z", q=(1, 2, 3)), Revolute("D", "ground", "d", axis="z", mimic=("A", 2, 1)))
    return m


@entry
def call(f, numbers, results):
    call_vector(f, address(numbers), address(results))


def called(function, numbers, count):
    """The results of a compiled vector function, called as kernels do."""
    results = np.zeros(count)
    call(function.address, np.array(numbers, float), results)
    return results


@st.composite
def formulas(draw, names):
    """Smooth formulas of any shape."""
    leaf = st.one_of(st.sampled_from(names), st.sampled_from(["k", "t", "2.5"]))
    unary = ["sin({})", "cos({})", "exp(0.3*({}))", "tanh({})", "atan({})", "sqrt(3 + ({})^2)", "-({})", "({})^3"]
    binary = ["({}) + ({})", "({}) - ({})", "({})*({})", "({})/(2 + cos({}))", "({})*sin({})"]
    text = draw(st.recursive(leaf, lambda inner: st.one_of(one(unary, inner), two(binary, inner)), max_leaves=8))
    return f"{text} + {names[0]}*{names[-1]} + {names[1]}"


def one(shapes, inner):
    return st.builds(str.format, st.sampled_from(shapes), inner)


def two(shapes, inner):
    return st.builds(str.format, st.sampled_from(shapes), inner, inner)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(formulas(["A.q", "x", "C.q.angle"]), *[st.tuples(small, small, small)] * 3, small)
def test_holonomic_derivatives_are_those_along_a_motion(text, x, v, a, t):
    e = scalar_equation(Constraint("c", text, {"x": PointCoordinate("b", axis="y")}), mechanism())
    order = [("x", "A.q", "C.q.angle").index(name) for name in e.names]
    x, v, a = (np.array(values)[order] for values in (x, v, a))

    def g(dt):
        return e.evaluate(x + v * dt + 0.5 * a * dt * dt, v, t + dt)[0]

    value, rate, bias, *c = e.evaluate(x, v, t)
    scale = 1 + abs(value) + abs(rate) + abs(bias)
    assert not e.nonholonomic
    assert rate == pytest.approx((g(H) - g(-H)) / (2 * H), abs=1e-5 * scale)
    assert np.dot(c, a) + bias == pytest.approx((g(H) - 2 * g(0) + g(-H)) / H**2, abs=1e-4 * scale, rel=1e-4)
    for k in range(len(x)):
        unit = np.eye(len(x))[k]
        slope = (e.evaluate(x + H * unit, v, t)[0] - e.evaluate(x - H * unit, v, t)[0]) / (2 * H)
        assert c[k] == pytest.approx(slope, abs=1e-5 * scale)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(formulas(["A.v", "x", "x_dot", "u", "B.q"]), *[st.tuples(small, small, small, small)] * 3, small)
def test_nonholonomic_derivatives_are_those_along_a_motion(text, x, v, a, t):
    variables = {"x": PointCoordinate("b", axis="y"), "u": PointVelocity("a")}
    e = scalar_equation(Constraint("c", f"{text} + u^2*x", variables), mechanism())
    order = [("x", "u", "A.q", "B.q").index(name) for name in e.names]
    x, v, a = (np.array(values)[order] for values in (x, v, a))

    def g(dt):
        return e.evaluate(x + v * dt + 0.5 * a * dt * dt, v + a * dt, t + dt)[0]

    value, rate, bias, *c = e.evaluate(x, v, t)
    scale = 1 + abs(value) + abs(bias) + np.abs(c).max()
    assert e.nonholonomic
    assert rate == value
    assert np.dot(c, a) + bias == pytest.approx((g(H) - g(-H)) / (2 * H), abs=1e-5 * scale)
    for k in range(len(x)):
        unit = np.eye(len(x))[k]
        slope = (e.evaluate(x, v + H * unit, t)[0] - e.evaluate(x, v - H * unit, t)[0]) / (2 * H)
        assert c[k] == pytest.approx(slope, abs=1e-5 * scale)


def test_a_velocity_stands_at_the_place_of_a_rate():
    e = scalar_equation(Constraint("c", "u - 3*x", {"u": PointVelocity("a"), "x": JointCoordinate("A")}), mechanism())
    assert e.variables == (PointVelocity("a"), JointCoordinate("A", 0))
    assert e.evaluate((99, 2), (5, 7)).tolist() == [-1, -1, -21, 1, 0]


def test_one_name_per_coordinate_however_it_is_written():
    e = scalar_equation(Constraint("c", "A.q*A.v - C.v.angle + C.q.angle_dot + a.x_dot*a.x"), mechanism())
    assert e.names == ("A.q", "C.q.angle", "a.x")
    assert e.variables == (JointCoordinate("A", 0), JointCoordinate("C", 2), PointCoordinate("a"))
    assert e.evaluate((2, 0, 3), (5, 4, 7)).tolist() == [31, 31, 25 + 49, 2, 0, 3]


def test_gears_racks_and_couplers_are_linear_and_fit_the_initial_values():
    m = mechanism()
    gear = scalar_equation(Gear("g", "A", ("C", "angle"), -2), m)
    assert gear.linear == (-(3 + 2 * 0.5), 2, 1)
    assert scalar_equation(Gear("g", "A", ("C", "angle"), -2, offset=10), m).linear == (-10, 2, 1)
    assert scalar_equation(Rack("r", "D", "B", 0.5), m).linear == (-(2 - 0.5 * 2), -0.5, 1)  # q_D = 2 q_A + 1
    coupler = scalar_equation(Coupler("c", (("A", 1), (("C", 0), 2), ("B", 3))), m)
    assert coupler.linear == (-(0.5 + 2 * 1 + 3 * 2), 1, 2, 3)
    assert coupler.evaluate((0.5, 1, 2), (1, 1, 1)).tolist() == [0, 6, 0, 1, 2, 3]
    assert scalar_equation(Constraint("c", "A.q - t"), m).linear is None
    assert scalar_equation(Constraint("c", "A.q^2"), m).linear is None
    assert scalar_equation(Constraint("c", "A.v - 2"), m).linear is None


PROFILES = [
    "k*sin(q) + 0.1*q^2",
    SPLINE,
    ("sin(q)", "cos(q)", "-sin(q)"),
    (math.sin, math.cos, lambda q: -math.sin(q)),
    (SPLINE, lambda q: SPLINE.evaluate(q, 1), 0.0),
    0.3,
]


@pytest.mark.parametrize("profile", PROFILES)
def test_cams(profile):
    e = scalar_equation(Cam("c", "A", "B", profile), mechanism())
    x, v = (0.4, 0.9), (1.5, -0.3)
    above, below = (-e.evaluate((0.4 + d, 0), v)[0] for d in (H, -H))  # the profile itself
    value, rate, bias, c_cam, c_follower = e.evaluate(x, v)
    assert value == pytest.approx(0.9 - 0.5 * (above + below), abs=1e-7)
    assert c_follower == 1
    assert c_cam == pytest.approx(-(above - below) / (2 * H), abs=1e-7)
    assert rate == pytest.approx(-0.3 + c_cam * 1.5)
    if profile is not PROFILES[4]:  # whose curvature is a made-up constant
        bend = (e.evaluate((0.4 + H, 0), v)[3] - e.evaluate((0.4 - H, 0), v)[3]) / (2 * H)
        assert bias == pytest.approx(bend * 1.5**2, abs=1e-6)


@pytest.mark.filterwarnings("ignore::sharnir.kernel.user.SlowFunctionWarning")
@pytest.mark.parametrize("profile", PROFILES)
def test_compiled_cams_are_the_same(profile):
    e = scalar_equation(Cam("c", "A", "B", profile), mechanism())
    numbers = (0.4, 0.9, 1.5, -0.3, 0.0)
    np.testing.assert_allclose(called(e.formula.compiled(), numbers, 5), e.formula.evaluate(numbers), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    "text", ["A.q^2*x + k*sin(t*C.q.angle) - 1", "A.v*x_dot + exp(-x)*C.v.x - t^2", "if(x > 0, x*A.q, min(x, A.q))"]
)
def test_compiled_formulas_are_the_same(text):
    e = scalar_equation(Constraint("c", text, {"x": PointCoordinate("b")}), mechanism())
    n = len(e.names)
    numbers = np.linspace(-0.7, 1.3, 2 * n + 1)
    function = e.formula.compiled(e.label)
    np.testing.assert_allclose(called(function, numbers, 3 + n), e.formula.evaluate(numbers), rtol=1e-13, atol=1e-15)
    assert function.compiled is not PLAIN
    assert function.error is None


def test_errors_of_helpers_are_kept():
    strict = Table((0, 1, 2, 3), (0, 1, 0, 1), kind="cubic", outside="error")
    function = scalar_equation(Cam("c", "A", "B", strict), mechanism()).formula.compiled()
    assert np.isnan(called(function, (5, 0, 0, 0, 0), 5)[0])
    assert "outside the range" in str(function.error)
    function.forget()
    assert function.error is None
    assert called(function, (1, 1, 0, 0, 0), 5)[0] == pytest.approx(0, abs=1e-15)


@pytest.mark.filterwarnings("ignore::sharnir.kernel.user.SlowFunctionWarning")
@pytest.mark.parametrize(
    "curve",
    [("cos(s)", "k*s^2", SPLINE), (("s", 1, 0), (math.sin, math.cos, lambda s: -math.sin(s)), 2)],
    ids=["formulas", "triples"],
)
def test_curves(curve):
    element = PointOnCurve("c", "ground", "bead", curve=curve)
    f = curve_formula(element, {"k": 0.7})
    s = 0.3
    c = f.evaluate((s,)).reshape(3, 3)
    above, below = (f.evaluate((s + d,)).reshape(3, 3) for d in (H, -H))
    np.testing.assert_allclose(c[1], (above[0] - below[0]) / (2 * H), atol=1e-7)
    np.testing.assert_allclose(c[2], (above[1] - below[1]) / (2 * H), atol=1e-7)
    np.testing.assert_allclose(called(curve_functions(element, {"k": 0.7}), (s,), 9), c.ravel(), rtol=1e-13, atol=1e-15)


def test_surfaces():
    element = PointOnSurface("c", "ground", "ball", surface="x^2*y + k*sin(z*x) - y*z^3")
    f = surface_formula(element, {"k": 0.7})
    at = np.array([0.4, -0.8, 1.1])
    F, gradient, H6 = f.evaluate(at)[0], f.evaluate(at)[1:4], f.evaluate(at)[4:]
    hessian = np.array([[H6[0], H6[3], H6[4]], [H6[3], H6[1], H6[5]], [H6[4], H6[5], H6[2]]])
    for k, step in enumerate(H * np.eye(3)):
        difference = (f.evaluate(at + step) - f.evaluate(at - step)) / (2 * H)
        assert gradient[k] == pytest.approx(difference[0], abs=1e-7)
        np.testing.assert_allclose(hessian[k], difference[1:4], atol=1e-7)
    assert pytest.approx(0.4**2 * -0.8 + 0.7 * math.sin(1.1 * 0.4) + 0.8 * 1.1**3) == F
    np.testing.assert_allclose(called(surface_functions(element, {"k": 0.7}), at, 10), f.evaluate(at), rtol=1e-13)


def test_derivatives_that_explode_are_refused():
    text = "*".join(f"(1 + sin({k}*A.q*C.q.x))" for k in range(60))
    with pytest.raises(ModelError, match="too long"):
        mechanism().add(Constraint("c", text))
