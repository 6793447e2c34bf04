"""The tolerance of every entry, by the rule of motion_scale.py written down a second time, step by step beside a run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sharnir.integrate import ALL_INTEGRATORS, Problem, Run, Settings
from sharnir.integrate.stepping.motion_scale import amplitude, beside, reach
from sharnir.kernel import Pointer, doubles
from sharnir.kernel.signatures import DERIVATIVE

N_Q = 6
START = [0.0, 1000.0, -0.5, 2e-4, 0.0, 40.0]  # of the coordinates; they turn, creep, swing, and stay
FREE, SHARED = math.inf, -1.0
EXTENT = [FREE, FREE, 0.25, SHARED, SHARED, FREE] + [FREE, 0.0, FREE, SHARED, SHARED, 0.0] + [FREE]


def swinging(t, y, ydot, table, params, work):
    """q̈ = functions of time, and ż."""
    state, rate = doubles(y), doubles(ydot)
    for i in range(6):
        rate[i] = state[6 + i]
    rate[6] = 4.0 * math.cos(2.0 * t)
    rate[7] = 1e-3 * math.cos(t)
    rate[8] = -3.0 * math.sin(t)
    rate[9] = 1e-4 * math.cos(3.0 * t)
    rate[10] = 0.2 * math.cos(3.0 * t)
    rate[11] = 0.0
    rate[12] = 5.0 + math.sin(t)


SWINGING = Pointer(swinging, DERIVATIVE, False)


def test_amplitudes():
    """The difference of the extremes, or the largest absolute value: half of it for a swing about zero."""
    assert amplitude(-1.0, 1.0) == 1.0
    assert amplitude(0.0, 1.0) == amplitude(-1.0, 0.0) == 1.0
    assert amplitude(7.0, 9.0) == amplitude(-9.0, -7.0) == 2.0
    assert amplitude(-1.0, 3.0) == amplitude(-3.0, 1.0) == 3.0


def test_reach():
    """Of coordinates the amplitude within their extent, of speeds the value, or without extent the amplitude."""
    assert reach(2.0, 5.0, 4.0, math.inf, True) == 3.0
    assert reach(2.0, 5.0, 4.0, 0.5, True) == 0.5
    assert reach(2.0, 5.0, 4.0, -1.0, True) == 3.0
    assert reach(2.0, 5.0, -4.0, math.inf, False) == reach(2.0, 5.0, 4.0, -1.0, False) == 4.0
    assert reach(2.0, 5.0, -4.0, 0.0, False) == 3.0
    assert [beside(True, 1.0), beside(True, -1.0), beside(False, 1.0)] == [1.0, 0.0, 0.0]


def expected(low, high, y, atol, rtol):
    """a · atol + rtol · reach + rounding"""
    ranges = [min(b - a, max(abs(a), abs(b))) for a, b in zip(low, high, strict=True)]
    size = [min(1.0, max([1e-4, *part])) for part in (ranges[:N_Q], ranges[N_Q:])]
    reached = []
    for i, extent in enumerate(EXTENT):
        own = ranges[i] if i < N_Q or extent == 0.0 else abs(y[i])
        reached.append(min(own, extent) if i < N_Q and extent >= 0.0 else own)
    for i, j in ((3, 4), (9, 10)):
        reached[i] = reached[j] = max(reached[i], reached[j])
    rounding = [1e-15 * (abs(x) + 0.2 * (i < N_Q and EXTENT[i] >= 0.0)) for i, x in enumerate(y)]
    return [size[i >= N_Q] * atol[i] + rtol * reached[i] + rounding[i] for i in range(len(y))]


@pytest.mark.parametrize("rtol", [1e-5, 1e-8])
def test_tolerances_follow_the_motion(rtol):
    scale = np.linspace(1.0, 3.0, 13)
    problem = Problem(SWINGING, 13, n_q=N_Q, n_v=N_Q, extent=np.array(EXTENT), scale=scale)
    run = Run(problem, [*START, *[0.0] * 7], [0.0, 3.0], ALL_INTEGRATORS["dopri5"](), Settings(rtol=rtol, atol=1e-9))
    low = high = np.array([*START, *[0.0] * 7])
    found = []
    while not run.done:
        run.advance(1)
        low, high = np.minimum(low, run.state), np.maximum(high, run.state)
        found.append(run._atol.copy())
        np.testing.assert_allclose(found[-1], expected(low, high, run.state, 1e-9 * scale, rtol), rtol=1e-5)
    assert len(found) > 5
    assert found[-1][0] > 5.0 * found[0][0]  # they have grown with the motion
    assert found[-1][1] < 1e-3 * rtol * 1000.0  # far from the origin
