"""Tables against SciPy, and the base motion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from model.strategies import tables
from sharnir.errors import ModelError
from sharnir.model import BaseMotion, Table
from sharnir.model.given_functions import formulas


@given(tables("linear"), st.floats(0, 1))
def test_linear_tables_interpolate(table, share):
    x = table.x[0] + share * (table.x[-1] - table.x[0])
    assert table.evaluate(x) == pytest.approx(np.interp(x, table.x, table.y), rel=1e-9, abs=1e-6)


def test_cubic_tables_are_scipys_splines():
    x, y = (0, 1, 2.5, 4, 7), (1, -1, 0.5, 2, 0)
    table, spline = Table(x, y, "cubic"), CubicSpline(x, y)
    at = np.linspace(0, 7, 50)
    for order in (0, 1, 2):
        np.testing.assert_allclose(table.evaluate(at, order), spline(at, order), atol=1e-12)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_outside(kind):
    x = np.array([0.0, 1, 2, 3])
    y = x**2
    assert Table(x, y, kind).evaluate(5) == 9
    assert Table(x, y, kind).evaluate(5, 1) == 0
    assert Table(x, y, kind).evaluate([-1.0, 0.0]).tolist() == [0, 0]
    slope = {"linear": 5, "cubic": 6}[kind]
    extended = Table(x, y, kind, outside="extend")
    assert extended.evaluate(5) == pytest.approx(9 + 2 * slope)
    assert extended.evaluate(5, 1) == pytest.approx(slope)
    assert extended.evaluate(5, 2) == 0
    with pytest.raises(ModelError, match="outside"):
        Table(x, y, kind, outside="error").evaluate(3.1)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_coefficients_give_the_values(kind):
    table = Table((0, 1, 3), (2, 0, 5), kind)
    c = table.coefficients()
    assert c.shape == (2, 4)
    d = 1.2
    assert table.evaluate(1 + d) == pytest.approx(np.polyval(c[1, ::-1], d))


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (((0, 1), (1,)), "equally long"),
        (((0,), (1,)), "two points"),
        (((0, 0), (1, 2)), "must increase"),
        (((1, 0), (1, 2)), "sort"),
        (((0, 1), (1, float("nan"))), "finite"),
        (((0, 1), "ab"), "y"),
        (((0, 1), (1, 2), "quintic"), "'linear', 'cubic'"),
        (((0, 1), (1, 2), "linear", "zero"), "'constant', 'extend', 'error'"),
    ],
)
def test_wrong_tables(entries, words):
    with pytest.raises(ModelError, match=words):
        Table(*entries)


def test_third_derivative_is_not_offered():
    with pytest.raises(ModelError, match="0, 1 or 2"):
        Table((0, 1), (1, 2)).evaluate(0.5, 3)


def test_base_motion():
    motion = BaseMotion(x="sin(t)", rz=("t", 1, 0))
    assert motion.driven == ("x", "rz")
    assert motion.rz == ("t", 1.0, 0.0)
    with pytest.raises(ModelError, match="base_motion: y"):
        BaseMotion(y="sin(")


def test_formulas_are_found_in_nested_entries():
    assert formulas(("a", 1.0, ("b", None), Table((0, 1), (0, 1)))) == ["a", "b"]


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_repeated_tables(kind):
    """One period of a sine: the same value, slope and curvature one period on, in Python and compiled."""
    from sharnir.kernel.signatures import SCALAR_C
    from sharnir.model.constraints.vector_formula import table_function

    x = np.linspace(0.5, 0.5 + 2 * np.pi, 41)
    table = Table(tuple(x), tuple(np.sin(x)), kind, outside="repeat")
    at = np.array([0.7, 3.0, 6.7])
    for k in (0, 1, 2):
        compiled = [SCALAR_C(table_function(table, k).address)(u + 4 * np.pi, 0.0, 0.0) for u in at]
        assert compiled == pytest.approx(table.evaluate(at, k), abs=1e-9)
        assert table.evaluate(at - 6 * np.pi, k) == pytest.approx(table.evaluate(at, k), abs=1e-9)
    assert table.evaluate(at + 2 * np.pi) == pytest.approx(np.sin(at), abs=1e-5 if kind == "cubic" else 5e-3)
    with pytest.raises(ModelError, match=r"begins with 0.0 and ends with 1.0"):
        Table((0, 1), (0, 1), kind, outside="repeat")
