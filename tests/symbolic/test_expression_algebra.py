"""Algebra for users: substitution, derivatives, forms, matrices and linear equations agree with numbers at random values."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir import symbolic as sym
from sharnir.errors import FormulaError, ModelError

NAMES = ("a", "b", "c", "x", "y")


def values(seed, names=NAMES):
    rng = np.random.default_rng(seed)
    return {name: float(rng.uniform(0.5, 1.5)) for name in names}


def polynomial(seed):
    """A random polynomial of names, sines and cosines, as text."""
    rng = np.random.default_rng(seed)

    def one(depth):
        kind = rng.integers(0, 6) if depth else rng.integers(0, 2)
        if kind == 0:
            return str(rng.integers(-3, 4))
        if kind == 1:
            return str(rng.choice(NAMES))
        if kind == 2:
            return f"{rng.choice(['sin', 'cos'])}({rng.integers(1, 4)}*{rng.choice(NAMES)} + {rng.choice(NAMES)})"
        if kind == 3:
            return f"({one(depth - 1)})^{rng.integers(1, 4)}"
        return f"({one(depth - 1)} {rng.choice(['+', '-', '*'])} {one(depth - 1)})"

    return one(4)


@pytest.mark.parametrize("seed", range(40))
def test_forms_keep_the_value(seed):
    text, at = polynomial(seed), values(seed)
    expected = sym.evaluate(text, at)
    for form in (sym.simplify, sym.canonical):
        assert sym.evaluate(form(text), at) == pytest.approx(expected, rel=1e-11, abs=1e-9)
    assert sym.equal(text, sym.simplify(text))
    assert sym.equal(text, sym.canonical(text))
    assert not sym.equal(text, f"({text}) + 1/1000*a")


@pytest.mark.parametrize("seed", range(20))
def test_canonical_forms_of_equal_expressions_are_equal(seed):
    text = polynomial(seed)
    other = sym.substitute(text, {"a": "a*cos(c)^2 + a*sin(c)^2"})
    assert str(sym.canonical(other)) == str(sym.canonical(text))


@pytest.mark.parametrize("seed", range(20))
def test_derivatives_against_differences(seed):
    text, at, h = polynomial(seed), values(seed), 1e-5
    for name in NAMES:
        up, down = (sym.evaluate(text, at | {name: at[name] + step}) for step in (h, -h))
        assert sym.evaluate(sym.derivative(text, name), at) == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-5)


def test_derivatives_by_several_symbols_do_not_depend_on_their_order():
    assert sym.equal(sym.derivative("x^2*sin(x*y)", "x", "y"), sym.derivative("x^2*sin(x*y)", "y", "x"))


@pytest.mark.parametrize("seed", range(20))
def test_collected_polynomials(seed):
    rng = np.random.default_rng(seed)
    text = " + ".join(f"({polynomial(100 * seed + k)})*u^{rng.integers(0, 3)}*w^{rng.integers(0, 3)}" for k in range(4))
    found, at = sym.collect(text, "u", "w"), values(seed, (*NAMES, "u", "w"))
    assert sym.evaluate(found, at) == pytest.approx(sym.evaluate(text, at), rel=1e-10, abs=1e-9)
    for factor in sym.coefficients(text, "u", "w").values():
        assert not sym.names(factor) & {"u", "w"}


@pytest.mark.parametrize("n", range(1, 10))
def test_linear_equations_and_determinants(n):
    rng = np.random.default_rng(n)
    A = [[f"a{i}{j}" if rng.random() < 0.6 or i == j else 0 for j in range(n)] for i in range(n)]
    b = [f"b{i}" for i in range(n)]
    at = {name: rng.uniform(-1, 1) for name in sorted(sym.names(A, b))}
    expected = np.linalg.solve(sym.evaluate(A, at), sym.evaluate(b, at))
    assert sym.evaluate(sym.solve(A, b), at) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if n <= 6:
        assert sym.evaluate(sym.determinant(A), at) == pytest.approx(np.linalg.det(sym.evaluate(A, at)), abs=1e-12)


def test_a_zero_in_the_first_place_is_exchanged():
    A = [[0, "a", *(0,) * 4], ["b", 0, *(0,) * 4], *([0] * k + ["c"] + [0] * (5 - k) for k in range(2, 6))]
    assert [str(x) for x in sym.solve(A, range(1, 7))] == ["2/b", "1/a", "3/c", "4/c", "5/c", "6/c"]


def test_matrices_and_vectors_against_numpy():
    rng = np.random.default_rng(3)
    A, B = ([[f"{letter}{i}{j}" for j in range(3)] for i in range(3)] for letter in "ab")
    at = {name: rng.uniform(-1, 1) for name in sorted(sym.names(A, B))}
    a, b = sym.evaluate(A, at), sym.evaluate(B, at)
    assert sym.evaluate(sym.product(A, B), at) == pytest.approx(a @ b)
    assert sym.evaluate(sym.product(A, B[0]), at) == pytest.approx(a @ b[0])
    assert sym.evaluate(sym.cross(A[0], B[1]), at) == pytest.approx(np.cross(a[0], b[1]))
    assert sym.evaluate(sym.dot(A[0], B[1]), at) == pytest.approx(a[0] @ b[1])
    assert sym.evaluate(sym.transpose(A), at) == pytest.approx(a.T)


def test_what_is_shared_counts_once():
    x = sym.symbols("x")
    y = x + 1
    for _ in range(60):
        y = y * y + 1
    assert sym.operations(y) == 121
    definitions, short = sym.shared([y, y + x])
    assert sym.operations(short) <= 3
    assert len(definitions) <= 61


def test_definitions_give_the_same_numbers():
    at = values(1)
    given = [polynomial(7), f"sin({polynomial(7)}) + ({polynomial(7)})^2"]
    definitions, short = sym.shared(given)
    known = dict(at)
    for name, part in definitions.items():
        known[name] = sym.evaluate(part, known)
    assert sym.evaluate(short, known) == pytest.approx(sym.evaluate(given, at), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sym.symbols("2x"), "is not a name"),
        (lambda: sym.symbols(""), "give names"),
        (lambda: sym.expression(None), "is neither an expression"),
        (lambda: sym.expression("2*"), "ends too early"),
        (lambda: sym.derivative("x", "2*x"), "is not a symbol"),
        (lambda: sym.evaluate("x*y", {"x": 1.0}), "no value given for y"),
        (lambda: sym.coefficients("sin(x)", "x"), "not a polynomial in x"),
        (lambda: sym.solve([[1, 2]], [1]), "must be square"),
        (lambda: sym.solve([["a", 0], [0, "b"]], [1]), "give as many"),
        (lambda: sym.solve([["a", "2*a"], ["b", "2*b"]], [1, 1]), "singular"),
        (lambda: sym.solve([[1] * 13] * 13, [1] * 13), "more than 12"),
        (lambda: sym.solve([[f"a{j}" for j in range(7)]] * 7, [1] * 7), "singular"),
        (lambda: sym.symbols("l pi"), "is a number in formulas"),
        (lambda: sym.substitute("x", None), "by name"),
        (lambda: sym.evaluate("x", [1.0]), "by name"),
        (lambda: sym.dot(1, 2), "not a list"),
        (lambda: sym.dot(["x"], ["y", "z"]), "1 and 2 entries"),
        (lambda: sym.cross([1, 2], [3, 4, 5]), "three each"),
        (lambda: sym.product([["a", "b"]], ["x", "y", "z"]), "rows of 2 entries and columns of 3"),
        (lambda: sym.product([["a", "b"]], [["x", "y"]]), "rows of 2 entries and columns of 1"),
        (lambda: sym.transpose([["a", "b"], ["c"]]), "equally long"),
        (lambda: sym.jacobian("x*y", ["x", "y"]), "not a list"),
    ],
)
def test_what_cannot_be_done_is_refused(call, words):
    with pytest.raises(FormulaError, match=words):
        call()


@pytest.mark.parametrize("value", ["a", 1j, None, [1.0, 2.0]])
def test_values_are_numbers(value):
    with pytest.raises(ModelError, match=r"evaluate: x = .* must be a number"):
        sym.evaluate("x^2", {"x": value})


def test_absolute_value_of_an_expression():
    assert sym.evaluate(abs(sym.symbols("x") - 3), {"x": 1.0}) == 2.0


def test_pivots_that_are_no_numbers_at_some_values():
    """Roots that exist for large values only do not make a matrix singular."""
    n = 6
    A = [["sqrt(x - 5)" if i == j else 0 for j in range(n)] for i in range(n)]
    assert sym.evaluate(sym.solve(A, [1] * n), {"x": 9.0}) == pytest.approx(np.full(n, 0.5))


def test_expressions_in_models():
    m = sr.Model(parameters={"rho": 3.0})
    l = m.parameter("l", 0.5)
    mass = sym.simplify("rho*l*cos(0)") * 1
    body = m.add(sr.Body("arm", mass=sym.substitute(mass, {"l": 2 * l})))
    assert body.mass == 3.0
    assert m.with_parameters(l=1.0).bodies["arm"].mass == 6.0
