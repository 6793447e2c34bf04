"""Formulas whose parts are shared: limits count them once, code computes them once, and choices stay choices."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.memory.c_functions import formula_function
from sharnir.kernel.signatures import SCALAR_C
from sharnir.model.formula import Expression, parse
from sharnir.model.formula.expression import call_source, literal
from sharnir.model.formula.shared_parts import WRITTEN_OUT, operations, text_with_parts
from sharnir.symbolic.nodes import Call, Name, Number


def nested(depth):
    """x = sin(x) + x·x, over and over: 3^depth nodes as text, 3·depth operations."""
    x = Name("q")
    for _ in range(depth):
        x = Call("sin", (x,)) + 0.1 * x * x
    return x


def text(node, parts):
    if isinstance(node, Number):
        return literal(float(node.value))
    return node.name if isinstance(node, Name) else call_source(node, parts)


def test_a_formula_that_is_long_as_text_only():
    x = Expression(nested(30), ("q",))
    assert x.node.size > 1e9
    assert operations(x.node) < 300
    assert len(x.source()) < 5000
    assert "operations" in str(x)
    value = 0.7
    for _ in range(30):
        value = math.sin(value) + 0.1 * value * value
    assert x.evaluate(q=0.7) == pytest.approx(value, rel=1e-14)
    f = formula_function(x, ("q",))
    assert SCALAR_C(f.address)(0.7, 0.0, 0.0) == pytest.approx(value, rel=1e-13)
    # dx/dq by the chain rule
    value, slope = 0.7, 1.0
    for _ in range(30):
        value, slope = math.sin(value) + 0.1 * value * value, slope * (math.cos(value) + 0.2 * value)
    g = formula_function(x.derivative("q"), ("q",))
    assert SCALAR_C(g.address)(0.7, 0.0, 0.0) == pytest.approx(slope, rel=1e-12)


def test_too_many_operations_are_refused():
    with pytest.raises(sr.FormulaError, match="too long"):
        Expression(nested(8000), ("q",))


@pytest.mark.parametrize("seed", range(20))
def test_short_texts_with_names_have_the_same_values(seed):
    """Random graphs with choices: what is computed on one side only is computed again behind them."""
    rng = np.random.default_rng(seed)
    nodes = [Name("q"), Name("t"), Number(0.5)]
    for _ in range(25):
        a, b, c, d = (nodes[k] for k in rng.integers(max(0, len(nodes) - 8), len(nodes), 4))
        kind = rng.integers(4)
        nodes.append(
            [
                lambda a=a, b=b: a + Call("sin", (b,)),
                lambda a=a, b=b: Call("cos", (a,)) * b,
                lambda a=a, b=b, c=c, d=d: Call("if", (Call(">", (a, b)), Call("sqrt", (c * c,)), d + c)),
                lambda a=a, b=b, c=c: Call("if", (Call("<", (a, c)), b, Call("log", (c * c + 1,)))),
            ][kind]()
        )
    root = nodes[-1]
    code = text_with_parts(root, text, longest=1)
    for q, t in rng.uniform(-2, 2, (5, 2)):
        expected = Expression(root, ("q", "t")).evaluate(q=q, t=t)
        assert eval(code, {"math": math}, {"q": q, "t": t}) == pytest.approx(expected, rel=1e-12)


def test_a_part_on_one_side_is_not_computed_on_the_other():
    """log(q) is not asked for where q is below zero, although it stands twice."""
    code = text_with_parts(parse("if(q > 0, log(q) + log(q)^2, 0)", ("q",)).node, text, longest=1)
    assert code.count(":=") == 1
    assert eval(code, {"math": math}, {"q": -1.0}) == 0.0


def test_a_constraint_whose_second_derivatives_are_long():
    """As text they would have more than the limit; the run keeps the constraint and its energy."""
    inner = "sin(A.q*B.q + 0.2)"
    for _ in range(5):
        inner = f"sin({inner}*A.q + B.q)*cos({inner})"
    g = parse(f"B_ - 0.1*{inner}".replace(".q", "_"), ("A_", "B_"))
    assert g.derivative("A_").derivative("A_").node.size > WRITTEN_OUT
    m = sr.Model()
    m.add(sr.Body("a", mass=1), sr.Body("b", mass=2), sr.Prismatic("A", "ground", "a", axis="z", q=0.1))
    m.add(sr.Prismatic("B", "ground", "b", axis="z"), sr.Constraint("c", f"B.q - 0.1*{inner}"))
    result = m.simulate(0.5, step=0.1)
    assert g.evaluate(A_=result["A.q"], B_=result["B.q"]) == pytest.approx(np.zeros(6), abs=1e-10)
    assert result["B.q"][-1] != pytest.approx(result["B.q"][0], abs=1e-3)
    assert result.energy.total == pytest.approx(result.energy.total[0], abs=1e-7)
