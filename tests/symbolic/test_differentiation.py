"""Derivatives by two ways against each other and against differences."""

import numpy as np
import pytest

from sharnir.errors import FormulaError
from sharnir.model.formula import parse
from sharnir.symbolic.differentiation import gradient, rates
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.functions import FUNCTIONS
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name

from .random_expressions import NAMES, expression, values

H = 1e-5


@pytest.mark.parametrize("seed", range(30))
def test_forward_backward_and_differences_agree(seed):
    node, at = expression(seed), values(seed)
    by = [Name(name) for name in NAMES]
    backward = np.array(evaluated(gradient(node, by), at))
    forward = np.array([evaluated(rates([node], {x: ONE}), at)[0] for x in by])
    np.testing.assert_allclose(backward, forward, rtol=1e-10, atol=1e-12)
    steps = [
        (evaluated([node], at | {name: at[name] + H})[0] - evaluated([node], at | {name: at[name] - H})[0]) / (2 * H)
        for name in NAMES
    ]
    np.testing.assert_allclose(forward, steps, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name, row in FUNCTIONS.items() if row.most == 1])
def test_every_function_of_one_argument(name):
    node, x = parse(f"{name}(0.3*x + 0.1)", ("x",)).node, Name("x")
    slope = (evaluated([node], {"x": 0.4 + H})[0] - evaluated([node], {"x": 0.4 - H})[0]) / (2 * H)
    assert evaluated(gradient(node, [x]), {"x": 0.4})[0] == pytest.approx(slope, abs=1e-8)
    assert evaluated(rates([node], {x: ONE}), {"x": 0.4})[0] == pytest.approx(slope, abs=1e-8)


def test_the_branch_that_is_not_taken_does_not_spoil_the_derivative():
    node, x = parse("if(x > 0, x^3, 2*x)", ("x",)).node, Name("x")
    for way in (gradient(node, [x])[0], rates([node], {x: ONE})[0]):
        assert evaluated([way], {"x": 2.0}) == [12.0]
        assert evaluated([way], {"x": -2.0}) == [2.0]


def test_opaque_functions_need_a_slope():
    x = Name("x")
    lift = Call("lift", (x * x,))
    assert str(rates([lift], {x: ONE}, {"lift": ("slope",)})[0]) == "slope(x*x)*(x + x)"
    with pytest.raises(FormulaError, match=r"derivative of lift"):
        rates([lift], {x: ONE})
    assert rates([lift], {Name("y"): ONE}) == [ZERO]
