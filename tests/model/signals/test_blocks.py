"""Blocks of control: numbers that they refuse, and equations against the transfer functions that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr

POSITIVE = [
    (sr.LowPass, "time_constant"),
    (sr.Derivative, "time_constant"),
    (sr.RateLimiter, "time_constant"),
    (sr.PID, "filter_time"),
    (sr.Quantizer, "step"),
    (sr.Delay, "time"),
    (sr.PadeDelay, "time"),
]
NUMBERS = [
    *POSITIVE,
    *((sr.PID, field) for field in ("kp", "ki", "kd", "initial")),
    *((kind, "initial") for kind in (sr.Integral, sr.LowPass, sr.RateLimiter, sr.Delay)),
    *((sr.Relay, field) for field in ("low", "high", "on", "off")),
    (sr.StateSpace, "D"),
]


@pytest.mark.parametrize(("kind", "field"), POSITIVE)
@pytest.mark.parametrize("value", [0, -0.1])
def test_times_and_steps_are_positive(kind, field, value):
    with pytest.raises(sr.ModelError, match=rf"{kind.__name__} 'block': {field} = "):
        kind("block", "O.q", **{field: value})


@pytest.mark.parametrize(("kind", "field"), NUMBERS)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"three", (1.0, 2.0)])
def test_numbers_are_finite_numbers(kind, field, value):
    with pytest.raises(sr.ModelError, match=rf"{kind.__name__} 'block': {field} "):
        kind("block", "O.q", **{field: value})


@pytest.mark.parametrize(("kind", "field"), NUMBERS)
def test_whole_numbers_are_kept_as_floats(kind, field):
    given = {"high": 2} if field == "low" else {}
    assert type(getattr(kind("block", "O.q", **({field: 1} | given)), field)) is float


@pytest.mark.parametrize("kind", [sr.Limit, sr.DeadZone, sr.RateLimiter, sr.PID])
def test_limits_are_in_order(kind):
    for limits in ((1.0, -1.0), (0.5, 0.5), (-1.0, 0.0, 1.0)):
        with pytest.raises(sr.ModelError, match="limits"):
            kind("block", "O.q", limits=limits)
    assert kind("block", "O.q", limits=(-1, 2)).limits == (-1.0, 2.0)


def answered(block, seconds=2.0):
    """The answer of a block to a step of one at t = 0; a body stands by, as a model needs one."""
    m = sr.Model("block")
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Fixed("F", "ground", "b"), block)
    return m.simulate(seconds, output=0.5, tolerance=1e-9)["block"]


def test_answers_to_a_step():
    """Against the inverse Laplace transforms."""
    t = np.arange(0.0, 2.1, 0.5)
    e = np.exp(-t / 0.4)
    # (2 s + 3)/((s + 1)(s + 2)) = 1/(s + 1) + 1/(s + 2)
    second = sr.TransferFunction("block", "1", numerator=(2, 3), denominator=(1, 3, 2))
    expected = {
        "integral": (sr.Integral("block", "1", initial=0.5), 0.5 + t),
        "low pass": (sr.LowPass("block", "1", time_constant=0.4), 1 - e),
        "derivative": (sr.Derivative("block", "1", time_constant=0.4), e / 0.4),
        "transfer": (second, (1 - np.exp(-t)) + 0.5 * (1 - np.exp(-2 * t))),
        "proper": (sr.TransferFunction("block", "1", numerator=(2, 1), denominator=(0.4, 1)), 1 + 4 * e),
        "state space": (sr.StateSpace("block", "1", A=[[0, 1], [-2, -3]], B=[0, 1], C=[3, 2], D=0.25), None),
        "pid": (sr.PID("block", "1", kp=2, ki=3, kd=0.5, filter_time=0.4, initial=0.1), 2 + 3 * (0.1 + t) + 0.5 * e / 0.4),
    }
    expected["state space"] = (expected["state space"][0], 0.25 + expected["transfer"][1])
    for name, (block, values) in expected.items():
        assert answered(block) == pytest.approx(values, abs=1e-6), name
