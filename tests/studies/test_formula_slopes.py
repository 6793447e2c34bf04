"""Exact derivatives of outputs against differences of whole runs."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.studies.formula_slopes import SLOPES, output_slope
from sharnir.studies.study_outputs import StudyOutput


def pendulum():
    m = sr.Model("pendulum", parameters={"l": 0.5, "c": 0.1})
    m.add(sr.Body("rod", mass="3*l", inertia=(0, "l^3/4", "l^3/4"), position=("l/2", 0, 0)))
    m.add(sr.Revolute("O", "ground", "rod", at=(0, 0, 0), axis="y", damping="c", v=0.3))
    return m


FORMULAS = [f"{name}(O.v)" for name in SLOPES] + [
    "at(O.q, 0.33)",
    "max(abs(O.reaction.fx))/l",
    "rms(l*O.v^2 - sin(O.q)) + c^2",
    "mean(if(O.q > 0.5, O.v, 0))",
    "max(max(O.v, 0.1*t)) - min(atan2(O.v, 2))",
]


@pytest.fixture(scope="module")
def runs():
    m, given = pendulum(), {"step": 0.05, "tolerance": 1e-12}
    run = m.simulate(0.8, **given)
    h = 1e-4
    near = {}
    for by, value in {"l": 0.5, "c": 0.1}.items():
        near[by] = [(value + s * h, m.simulate(0.8, parameters={by: value + s * h}, **given)) for s in (-1, 1)]
    return run, near


@pytest.mark.parametrize("formula", FORMULAS)
def test_slopes_are_those_of_differences(runs, formula):
    run, near = runs
    output, values = StudyOutput("y", formula), {"l": 0.5, "c": 0.1}
    for by, pair in near.items():
        low, high = (output.value(other, values | {by: value}) for value, other in pair)
        assert output_slope(output, run, values, by) == pytest.approx((high - low) / 2e-4, rel=3e-6, abs=1e-6)


def test_what_has_no_exact_derivative(runs):
    for formula in ("first_time(O.q > 1)", lambda result: 1.0):
        with pytest.raises(sr.ModelError, match="no exact derivative"):
            output_slope(StudyOutput("y", formula), runs[0], {"l": 0.5, "c": 0.1}, "l")
    assert np.isfinite(runs[0]["O.q"]).all()
