"""There is memory for every switch of a formula: the bound, found in its text, is not below what is written."""

from __future__ import annotations

import pytest

from sharnir.dynamics.memory.held_sides import HeldSides
from sharnir.dynamics.memory.switch_count import most_of
from sharnir.model.formula import parse

FORMULAS = {  # text: switches that are written
    "q^2 - 3*v": 0,
    "sign(v)*step(q - 1)": 2,
    "if(q > 1, sign(v), floor(3*q))": 3,
    "max(q, v, 0.5) - min(q, 1)": 3,
    "if(q >= 0, if(v < 0, 1, 2), q)": 2,
    "exp(-((q - 5)/0.01)^2)": 2,
    "1/cosh((q - 0.4)/0.01)^2": 4,
    "3/(1 + ((q - 0.4)/0.01)^2)": 2,
    "cos(q)^500 + sign(t)": 2,
    "tanh((q - 1)/0.01) - tanh((q - 2)/0.01)": 8,
}


@pytest.mark.parametrize(("text", "written"), FORMULAS.items())
def test_bound_holds_what_is_written(text: str, written: int) -> None:
    sides = HeldSides(100)
    sides.source(parse(text, ("q", "v", "t")), {}, "force")
    assert sides.count == written
    assert most_of(text, 1) >= written


def test_bound_is_the_least_where_nothing_switches() -> None:
    assert most_of("q^2 - 3*v", 1) == 0
    assert most_of((1.0, "sign(v)", {"a": "step(q)"}), 1) == 2
