"""Fast filters behind a slow motion, against closed forms: the tolerance holds at outputs and events, not at steps only."""

import numpy as np
import pytest

import sharnir as sr


@pytest.mark.parametrize("T", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10])
def test_low_pass_and_derivative_of_a_sine(T, tolerance):
    m = sr.Model("filters", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=1.0, stiffness=4.0))
    m.add(sr.Signal("u", "2*P.q"), sr.LowPass("low", "u", time_constant=T), sr.Derivative("rate", "u", time_constant=T))
    m.add(sr.Event("half", "low > 0.5"))
    r = m.simulate(3.0, output=0.01, tolerance=tolerance)
    w, divisor = 2.0, 1 + (2.0 * T) ** 2

    def low(t):
        return (np.sin(w * t) - w * T * np.cos(w * t) + w * T * np.exp(-t / T)) / divisor

    error = 300 * tolerance
    assert np.abs(r["low"] - low(r.t)).max() < error
    assert np.abs(r["rate"] - (np.sin(w * r.t) - low(r.t)) / T).max() < error / T
    assert len(r.events) == 1 and abs(low(r.events[0]["t"]) - 0.5) < error
