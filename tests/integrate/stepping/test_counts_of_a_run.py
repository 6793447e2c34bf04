"""What a run says about its work is what it did: evaluations of the right-hand side, steps, rejected steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sharnir.integrate import ALL_INTEGRATORS, Problem, integrate
from sharnir.kernel import Pointer, doubles
from sharnir.kernel.signatures import DERIVATIVE


def counted(t, y, ydot, table, params, work):
    """A pendulum that is pushed at t = 2, and that counts how often it is asked."""
    state, rate, count = doubles(y), doubles(ydot), doubles(work)
    rate[0] = state[1]
    rate[1] = -9.0 * math.sin(state[0]) + 40.0 * math.exp(-50.0 * (t - 2.0) * (t - 2.0))
    count[0] += 1.0


def levels(t, y, values, table, params, work):
    """Zero twice in every swing."""
    doubles(values)[0] = doubles(y)[0] - 0.2


COUNTED, LEVELS = Pointer(counted, DERIVATIVE, False), Pointer(levels, DERIVATIVE, False)


def finished(name, rtol=1e-6, **options):
    problem = Problem(COUNTED, 2, work=np.zeros(1), **options)
    step = 0.01 if name == "rk4" else None
    solution = integrate(problem, [1.0, 0.0], np.linspace(0.0, 4.0, 30), name, rtol, rtol, step=step)
    assert solution.status == "finished"
    return solution, int(problem.work[0])


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_every_evaluation_is_counted(name):
    solution, asked = finished(name)
    assert solution.stats["evaluations"] == asked
    assert asked >= solution.stats["steps"]


@pytest.mark.parametrize("name", ["dopri5", "radau5"])
def test_evaluations_of_runs_with_events(name):
    """Looking for an event takes the polynomial of the step, not the right-hand side."""
    solution, asked = finished(name, events=LEVELS, directions=[0], passing=[True])
    assert solution.stats["evaluations"] == asked


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7])
def test_every_attempt_of_dopri5_takes_six_evaluations(rtol):
    """Two for the start; the seventh stage is the first of the next step. The push has some steps rejected."""
    solution, asked = finished("dopri5", rtol)
    assert solution.stats["rejected"] > 0
    assert asked == 2 + 6 * (solution.stats["steps"] + solution.stats["rejected"])
