"""Formulas: reading, values against Python, derivatives against differences, and what is refused."""

import contextlib
import math
import re

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sharnir.errors import FormulaError
from sharnir.model.formula import FUNCTIONS, parse
from sharnir.model.formula.parser import LONGEST, MOST_OPERANDS, operands

steady = settings(derandomize=True, max_examples=300, deadline=None)  # rounding at a jump must not fail now and then
SMOOTH = {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"}
INSIDE = {"asin": (-0.9, 0.9), "acos": (-0.9, 0.9), "log": (0.2, 3), "sqrt": (0.2, 3), "tan": (-1.2, 1.2)}


def texts(jumps=True):
    """Random formulas that are defined everywhere, with or without functions that jump."""
    leaf = st.one_of(
        st.sampled_from(["t", "k", "pi"]), st.floats(0, 3).map(lambda x: repr(round(x, 3))), st.integers(0, 3).map(str)
    )

    def grown(inner):
        two, three = st.tuples(inner, inner), st.tuples(inner, inner, inner)
        signs = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
        smooth = [
            st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
            two.map(lambda p: f"{p[0]}/(2 + sin({p[1]}))"),
            inner.map(lambda p: f"-{p}"),
            st.tuples(st.sampled_from(["sin", "cos", "tanh", "atan", "abs"]), inner).map(lambda p: f"{p[0]}({p[1]})"),
            inner.map(lambda p: f"sqrt(1 + ({p})^2)"),
            inner.map(lambda p: f"log(1 + ({p})**2)"),
            inner.map(lambda p: f"exp(-({p})^2)"),
            two.map(lambda p: f"(2 + cos({p[0]}))^sin({p[1]})"),
            two.map(lambda p: f"atan2(1 + ({p[0]})^2, {p[1]})"),
            three.map(lambda p: f"max({p[0]}, {p[1]}, {p[2]})"),
            two.map(lambda p: f"min({p[0]}, {p[1]})"),
        ]
        jumping = [
            st.tuples(inner, signs, inner).map(lambda p: f"if({p[0]} {p[1]} {p[2]}, {p[2]}, {p[0]})"),
            st.tuples(st.sampled_from(["step", "sign", "floor"]), inner).map(lambda p: f"{p[0]}({p[1]})"),
            two.map(lambda p: f"({p[0]} > {p[1]})*3"),
        ]
        return st.one_of(smooth + jumping * jumps)

    return st.recursive(leaf, grown, max_leaves=8)


def run_source(expression, **values):
    """Our own generated text, run by Python."""
    return eval(expression.source(), {"__builtins__": {}, "math": math, "min": min, "max": max, "float": float}, values)


@steady
@given(texts(), st.floats(-3, 3))
@example("2^-3^2 - -t", 1.5)
@example("-t^2", 2.0)
@example("1 - 2 - 3*4/5/6*7", 0.0)
def test_source_gives_the_same_value_as_evaluate(text, t):
    expression = parse(text, ("t",), {"k": 1.3})
    value = expression.evaluate(t=t)
    assume(abs(value) < 1e100)
    assert run_source(expression, t=t) == pytest.approx(value, rel=1e-12, abs=1e-12)


@steady
@given(texts(), st.floats(-3, 3))
def test_written_formula_reads_back(text, t):
    expression = parse(text, ("t",), {"k": 1.3})
    again = parse(str(expression), ("t",), {"k": 1.3})
    assert again.evaluate(t=t) == pytest.approx(expression.evaluate(t=t), rel=1e-12, nan_ok=True)


@steady
@given(texts(jumps=False), st.floats(-3, 3))
def test_derivative_agrees_with_differences(text, t):
    expression = parse(text, ("t",), {"k": 1.3})
    near = t + np.linspace(-1e-3, 1e-3, 21)
    slopes = np.broadcast_to(expression.derivative("t").evaluate(t=near), near.shape)
    values = np.broadcast_to(expression.evaluate(t=near), near.shape)
    scale = 1 + np.abs(slopes).max()
    assume(np.ptp(slopes) < 0.5 * scale)
    # by the mean value theorem each quotient lies between slopes of its interval, except at a kink
    quotients = np.diff(values) / np.diff(near)
    low, high = np.minimum(slopes[1:], slopes[:-1]), np.maximum(slopes[1:], slopes[:-1])
    slack = 0.5 * (high - low) + 1e-6 * scale + 1e-10 * np.abs(values).max()
    outside = (quotients < low - slack) | (quotients > high + slack)
    assert outside.sum() <= 3


@pytest.mark.parametrize("name", sorted(SMOOTH))
def test_derivative_of_every_smooth_function(name):
    low, high = INSIDE.get(name, (-1.5, 1.5))
    t = np.linspace(low, high, 11)
    expression = parse(f"{name}(t)", ("t",))
    h = 1e-5
    difference = (expression.evaluate(t=t + h) - expression.evaluate(t=t - h)) / (2 * h)
    np.testing.assert_allclose(expression.derivative("t").evaluate(t=t), difference, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose([run_source(expression, t=float(x)) for x in t], expression.evaluate(t=t), rtol=1e-14)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_has_value_source_and_derivative(name):
    count = FUNCTIONS[name].least
    expression = parse(f"{name}({', '.join(['t/3', '0.3', 't'][:count])})", ("t",))
    value = expression.evaluate(t=0.9)
    assert run_source(expression, t=0.9) == pytest.approx(value)
    assert np.all(expression.evaluate(t=np.array([0.9, 0.9])) == value)
    assert math.isfinite(expression.derivative("t").evaluate(t=0.9))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2**-1", 0.5),
        ("10/2/5", 1),
        ("10 - 2 - 5", 3),
        ("+-+1", -1),
        ("1e-3 + .5 + 2.", 2.501),
        ("pi", math.pi),
        ("step(0) + step(-1) + step(2)", 2),
        ("sign(-3) + sign(0) + sign(5)", 0),
        ("floor(-1.5)", -2),
        ("min(3, 1, 2) + max(3, 1, 2) + min(7)", 11),
        ("if(1 < 2, 10, 20) + if(2 < 1, 1, 2) + if(0, 1, 5)", 17),
        ("(1 <= 1) + (1 == 1) + (1 != 1) + (2 >= 3)", 2),
        ("atan2(1, -1)", 3 * math.pi / 4),
        ("abs(-3) + sqrt(16) + log(exp(2))", 9),
        (" 2\t*\n3 ", 6),
        ("a*b", 6),
    ],
)
def test_values(text, value):
    assert parse(text, (), {"a": 2, "b": 3}).evaluate() == pytest.approx(value)


def test_values_of_arrays_and_broadcasting():
    expression = parse("q*v + t", ("q", "v", "t"))
    result = expression.evaluate(q=np.ones((3, 1)), v=np.arange(4.0), t=1)
    np.testing.assert_array_equal(result, np.ones((3, 1)) * np.arange(4.0) + 1)
    assert isinstance(expression.evaluate(q=1, v=2, t=3), float)


def test_undefined_values_are_nan_without_warning(recwarn):
    assert math.isnan(parse("sqrt(t)", ("t",)).evaluate(t=-1))
    assert math.isnan(parse("(0 - 8)^(1/3)").evaluate())
    assert parse("1/t", ("t",)).evaluate(t=0) == math.inf
    assert not recwarn.list


def test_derivative_of_what_is_constant_piece_by_piece():
    for text in ("step(t)", "sign(t)", "floor(t)", "t > 1", "if(t < 2, 3, 4)"):
        assert parse(text, ("t",)).derivative("t").evaluate(t=0.4) == 0
    assert parse("step(t)*t^2 + floor(t)", ("t",)).derivative("t").evaluate(t=1.5) == 3


def test_branch_not_taken_does_not_spoil_the_derivative():
    slope = parse("if(t > 0, sqrt(t), 0)", ("t",)).derivative("t")
    assert slope.evaluate(t=-1) == 0
    assert slope.evaluate(t=4) == 0.25
    assert run_source(slope, t=-1.0) == 0


def test_parameters_have_values_or_other_text():
    expression = parse("k*t", ("t",), {"k": 2.5, "unused": 1})
    assert expression.source() == "(2.5 * t)"
    assert expression.source({"k": "p[7]", "t": "y[0]"}) == "(p[7] * y[0])"
    assert expression.evaluate(t=2) == 5
    assert expression.evaluate(t=2, k=1) == 2
    assert parse("k*t", ("t",), {"k": -1}).source() == "((-1.0) * t)"
    assert parse("k*t", ("t",), ["k"]).source() == "(k * t)"
    with pytest.raises(FormulaError, match="no value given for k"):
        parse("k*t", ("t",), ["k"]).evaluate(t=1)


def test_names_and_constants():
    assert parse("a*sin(t) + pi", ("t",), None).names == {"a", "t"}
    assert parse("2*k", ("t",), {"k": 1}).constant
    assert not parse("2*t", ("t",)).constant


def test_derivatives_are_short():
    assert str(parse("3*t + 2", ("t",)).derivative("t")) == "3.0"
    assert str(parse("sin(2*t)", ("t",)).derivative("t")) == "2.0*cos((2.0*t))"
    assert str(parse("q^2", ("q", "t")).derivative("t")) == "0.0"
    assert parse("0.1*sin(5*t)", ("t",)).derivative("t").derivative("t").source() == "((-2.5) * math.sin((5.0 * t)))"


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "ends too early"),
        ("   ", 0, "ends too early"),
        ("2 +", 3, "ends too early"),
        ("2 $ 3", 2, r"unexpected character '\$'"),
        ("2 t", 2, r"unexpected 't'; write \* for products"),
        ("2(3)", 1, r"write \* for products"),
        ("(1", 2, "close the bracket"),
        ("1)", 1, r"unexpected '\)'"),
        ("sin", 0, r"needs brackets: sin\(…\)"),
        ("sin()", 0, "1 argument, not 0"),
        ("atan2(1)", 0, "2 arguments, not 1"),
        ("if(1, 2)", 0, "3 arguments, not 2"),
        ("min()", 0, "at least 1 argument"),
        ("sine(t)", 0, "unknown function 'sine'; did you mean 'sin'"),
        ("t(3)", 0, "unknown function 't'"),
        ("2*kk", 2, "unknown name 'kk'.*did you mean 'k'"),
        ("1 < 2 < 3", 6, r"chained"),
        ("1 = 2", 2, "unexpected character '='"),
        ("t.real", 1, r"unexpected character '\.'"),
        ("__import__", 0, "not allowed"),
        ("lambda", 0, "not allowed"),
        ("t[0]", 1, "unexpected character"),
        ("'t'", 0, "unexpected character"),
        ("1e999", 0, "too large"),
        ("2 * ¾", 4, "unexpected character"),
        ("1 ** ", 4, "ends too early"),
        ("a := 3", 2, "unexpected character ':'"),
    ],
)
def test_errors_show_the_place(text, position, words):
    with pytest.raises(FormulaError, match=words) as caught:
        parse(text, ("t",), {"k": 1})
    assert caught.value.position == position
    *_, line, caret = str(caught.value).split("\n")
    assert caret.index("^") - 4 == position
    assert line[4:] == text


@pytest.mark.parametrize(
    "text",
    ["(" * 200 + "t" + ")" * 200, "-" * 500 + "t", "t^" * 300 + "t", "sin(" * 90 + "t" + ")" * 90, "t+" * LONGEST + "t"],
)
def test_absurd_formulas_are_refused(text):
    with pytest.raises(FormulaError, match=r"nested|characters"):
        parse(text, ("t",))


def test_long_sums_and_quotients_are_fine():
    assert parse("t" + "+t" * 2000, ("t",)).derivative("t").evaluate(t=0) == 2001
    assert parse("t" + "/2" * 500, ("t",)).derivative("t").evaluate(t=0) == 2.0**-500
    assert parse("sin(" * 15 + "t" + ")" * 15, ("t",)).derivative("t").derivative("t").evaluate(t=0) == 0


def test_parts_that_occur_again_count_once():
    """4400 numbers, names and functions in the text, 300 in the graph: read, differentiated, computed, run as Python."""
    from sharnir.dynamics.memory.c_functions import read

    part = "+".join(f"{k}*q^2" for k in range(1, 12))
    text = "+".join(f"sin({k}*({part}))" for k in range(1, 80))
    x = parse(text, ("q",))
    assert len(re.findall(r"[0-9]+|q|sin", text)) > MOST_OPERANDS > 4 * operands(x.node)
    q = 0.01
    exact = sum(np.sin(k * 66 * q**2) for k in range(1, 80))
    slope = sum(k * 132 * q * np.cos(k * 66 * q**2) for k in range(1, 80))
    assert x.evaluate(q=q) == pytest.approx(exact, rel=1e-13)
    assert x.derivative("q").evaluate(q=q) == pytest.approx(slope, rel=1e-12)
    compiled = read(f"def formula(q): return {x.source()}", "formula", {"math": math})
    assert compiled(q) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("text", ["+".join(f"{k}*t" for k in range(5000)), "t*" * 20_000 + "t", "sin(t)+" * 7000 + "t"])
def test_long_formulas_are_refused(text):
    with pytest.raises(FormulaError, match="at most"):
        parse(text, ("t",))


def test_exploding_derivative_is_refused_not_run():
    expression = parse("*".join(f"sin({k}*t)" for k in range(400)), ("t",))
    with pytest.raises(FormulaError, match="too long"):
        expression.derivative("t")


def test_text_only():
    with pytest.raises(FormulaError, match="must be text"):
        parse(3, ("t",))


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(FormulaError):
        parse(text, ("t",), None).source()


def test_dotted_names_only_where_they_are_allowed():
    text = "O.q - 2.5*plate.q.angle + lambda.x"
    with pytest.raises(FormulaError, match=r"unexpected character '\.'"):
        parse(text, (), None)
    read = parse(text, ("O.q",), None, dotted=True)
    assert read.names == {"O.q", "plate.q.angle", "lambda.x"}
    assert read.evaluate(**{"O.q": 1.0, "plate.q.angle": 2.0, "lambda.x": 3.0}) == -1.0
    assert str(read.derivative("plate.q.angle")) == "(-2.5)"
    with pytest.raises(FormulaError, match=r"unknown name 'O.v'; did you mean 'O.q'"):
        parse("O.v", ("O.q",), dotted=True)
    with pytest.raises(FormulaError, match="unknown function"):
        parse("O.q(1)", ("O.q",), dotted=True)


def test_renamed():
    read = parse("k*q + sin(t)", ("q", "t"), {"k": 2.0}).renamed({"q": "x.y"})
    assert read.variables == ("x.y", "t")
    assert read.evaluate(**{"x.y": 3.0, "t": 0.0}) == 6.0
    assert read.source({"x.y": "a"}) == "((2.0 * a) + math.sin(t))"
