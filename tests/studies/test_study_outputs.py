"""Outputs: every reduction against a closed form, units, and what is refused."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.results import Channel, Result
from sharnir.studies.reductions import REDUCTIONS
from sharnir.studies.study_outputs import StudyOutput, study_outputs

T = np.linspace(0.0, 2.0, 2001)
RUN = Result(
    T,
    [
        Channel("O.q", np.sin(np.pi * T), "rad"),
        Channel("a-b.v", T * T, "m/s"),
        Channel("tip.position", np.stack([T, 2 * T, 3 * T], axis=1), "m"),
        Channel("motor.torque", 3.0 + 0.0 * T, "N m"),
    ],
)
VALUES = {"k": 4.0}
CLOSED = {
    "max(O.q)": (1.0, "rad"),
    "min(O.q)": (-1.0, "rad"),
    "span(O.q)": (2.0, "rad"),
    "mean(a_b)": (4.0 / 3.0, "m/s"),
    "rms(O.q)": (np.sqrt(0.5), "rad"),
    "deviation(t)": (2.0 / np.sqrt(12.0), "s"),
    "initial(tip.position.x) + final(tip.position.y)": (4.0, "m"),
    "at(a_b, 0.5)": (0.25, "m/s"),
    "integral(a_b)": (8.0 / 3.0, None),
    "integral(motor.torque)": (6.0, "N m s"),
    "time_of_max(O.q)": (0.5, "s"),
    "time_of_min(O.q)": (1.5, "s"),
    "first_time(tip.position.z > 3)": (1.001, "s"),
    "duration(O.q > 0.5)": (2.0 / 3.0, "s"),
    "max(max(O.q, 0.25*t))": (1.0, None),
    "k*max(abs(O.q))^2": (4.0, None),
    "max(O.q)/min(O.q)": (-1.0, ""),
    "2*k": (8.0, "N"),
    "max(motor.torque)/k": (0.75, "N m/N"),
    "if(max(O.q) > 0.5, 1, 0)": (1.0, ""),
    "final(motor.torque*O.q)": (0.0, "N m rad"),
}


def output(formula):
    return study_outputs({"y": formula}, {"a_b": "a-b.v"})[0]


@pytest.mark.parametrize("formula", CLOSED)
def test_values_and_units(formula):
    value, unit = CLOSED[formula]
    assert output(formula).value(RUN, VALUES) == pytest.approx(value, abs=2e-3 if "duration" in formula else 1e-6)
    assert output(formula).unit(RUN, VALUES, {"k": "N"}) == unit


def test_every_reduction_is_among_them():
    assert all(any(f"{name}(" in formula for formula in CLOSED) for name in REDUCTIONS)


def test_jumps_are_integrated_on_both_sides():
    run = Result([0.0, 1.0, 1.0, 2.0], [Channel("a.b", [0.0, 0.0, 3.0, 3.0])])
    assert StudyOutput("y", "integral(a.b)").value(run, {}) == 3.0


def test_moments_outside_the_run_are_not_a_number():
    assert np.isnan(output("at(O.q, 3)").value(RUN, VALUES))
    assert np.isnan(output("first_time(O.q > 2)").value(RUN, VALUES))


def test_functions_of_a_result():
    assert StudyOutput("y", lambda result: result["O.q"].max()).value(RUN, {}) == 1.0
    with pytest.raises(sr.ModelError, match=r"(?s)output 'y': value = array.* of its function must be a number"):
        StudyOutput("y", lambda result: result["O.q"]).value(RUN, {})


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("O.q", r"output 'y' = 'O.q' is a function of time; take max\(O.q\)"),
        ("max(O.p)", "no channel 'O.p'; did you mean 'O.q'"),
        ("max(tip.position)", "has components; name one of them: tip.position.x"),
        ("max(K)", "no channel 'K'|did you mean 'k'"),
        ("biggest(O.q)", "unknown function 'biggest'"),
        ("max(O.q", "expected '\\)' to close max"),
        ("at(O.q)", r"at\(\) takes 2 arguments, not 1"),
        ("at(O.q, t)", "the second argument of at must be a number"),
    ],
)
def test_formulas_that_make_no_sense(formula, said):
    with pytest.raises(sr.ModelError, match=said):
        output(formula).unit(RUN, VALUES, {})


def test_outputs_that_are_none():
    for given in ({}, {"y": 3}, [1]):
        with pytest.raises(sr.ModelError, match="Study: outputs"):
            study_outputs(given, None)
