"""Nodes: equal ones are one object, numbers stay exact, constructors fold what costs nothing."""

import gc
import pickle
from fractions import Fraction

import numpy as np
import pytest

from sharnir.errors import FormulaError
from sharnir.symbolic import nodes
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.functions import atan2, cos, sin
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name, Number, minus, negative, plus, product, times, total

x, y = Name("x"), Name("y")


def test_equal_nodes_are_one_object_also_after_pickling():
    one = sin(2 * x + y) * cos(y)
    assert sin(2 * Name("x") + Name("y")) * cos(Name("y")) is one
    assert pickle.loads(pickle.dumps(one)) is one


def test_numbers_stay_exact_where_they_are_given_so():
    assert Number(3.0) is Number(3)
    third = Number(1) / Number(3)
    assert third.value == Fraction(1, 3)
    assert (third * 3) is ONE
    assert isinstance(Number(0.1).value, float)
    assert isinstance(Number(2**60).value, float)
    assert (Number(0.5) + Number(0.5)) is ONE


def test_zero_and_one_disappear():
    assert x + 0 is x and x * 1 is x and x * 0 is ZERO and x**1 is x and x**0 is ONE and 0 / x is ZERO
    assert minus(x, x) is ZERO and plus(ZERO, x) is x and times(ONE, x) is x and times(ZERO, x) is ZERO
    assert negative(-x) is x
    assert (-x) * (-y) is x * y


@pytest.mark.parametrize("pair", [(plus, total), (times, product)])
def test_operations_of_two_agree_with_those_of_many(pair):
    two, many = pair
    values = {"x": 1.3, "y": -0.7}
    for a in (x, -x, Number(-1), Number(2), sin(x)):
        for b in (y, -y, Number(0), Number(0.25), x):
            assert evaluated([two(a, b)], values) == pytest.approx(evaluated([many(a, b)], values), rel=1e-15)


def test_nested_sums_stop_being_dissolved_where_they_would_explode():
    s = x + y
    for _ in range(60):
        s = s + s
    assert len(s.arguments) <= 2 * nodes.WIDEST
    assert evaluated([s], {"x": 1.0, "y": 1.0})[0] == 2.0**61


def test_nodes_that_nobody_has_are_forgotten():
    gc.collect(1)  # what is new: all that other tests have left would take seconds
    before = len(nodes._TABLE)
    many = [Call("sin", (Name(f"name {k}"),)) for k in range(100)]
    assert len(nodes._TABLE) >= before + 200
    del many
    gc.collect(1)
    assert len(nodes._TABLE) <= before + 1


def test_arrays_that_do_not_go_together_are_refused():
    assert np.allclose(atan2(np.ones(3), 1.0), np.pi / 4)
    with pytest.raises(FormulaError, match=r"atan2\(\): arrays of the shapes \(7,\) and \(0,\)"):
        atan2(np.ones(7), np.zeros(0))


@pytest.mark.parametrize("other", [np.array([1.0, 2.0]), (1, 2), "k"])
def test_what_is_no_number_is_refused_in_words(other):
    with pytest.raises(TypeError, match="is none; take its entries"):
        Name("l")*other  # fmt: skip
    with pytest.raises(TypeError, match="is none; take its entries"):
        other*Name("l")  # fmt: skip
