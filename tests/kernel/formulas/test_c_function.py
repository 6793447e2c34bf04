"""Functions taken from blocks of machine code: they stay usable whatever the garbage collector does."""

from __future__ import annotations

import gc
from functools import cache

import pytest

from sharnir.kernel import PLAIN
from sharnir.kernel.formulas import c_function
from sharnir.kernel.formulas.c_function import BoundFormula, ConstantFunction, TranslatedFunction
from sharnir.kernel.formulas.translation import written
from sharnir.kernel.signatures import SCALAR_C

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code")


class Ring:
    """Garbage that only the collector finds, with functions in it."""

    def __init__(self, functions):
        self.functions, self.itself = functions, self


@cache
def code():
    return TranslatedFunction(written(["def f(x, y, z, p): return p[0] * x + p[1]"], "f", {}), "dddm")


@pytest.mark.parametrize("make", [ConstantFunction, lambda value: BoundFormula(code(), "ddd", (0.0, value))])
def test_blocks_whose_functions_become_garbage_together_are_used_again(make):
    """All places of a block may end up in one ring: its machine code must not end with them."""
    for round_ in range(4):
        ring = Ring([make(float(k)) for k in range(200)])  # more than any block has
        del ring
        gc.collect(1)  # what is new: all that other tests have left would take seconds
        functions = [make(round_ + 0.5 * k) for k in range(200)]
        assert [SCALAR_C(f.address)(1.0, 2.0, 3.0) for f in functions] == [round_ + 0.5 * k for k in range(200)]


def test_places_are_given_back():
    before = len(c_function._free)
    functions = [ConstantFunction(1.0) for _ in range(10)]
    del functions
    gc.collect(1)
    assert len(c_function._free) >= before
