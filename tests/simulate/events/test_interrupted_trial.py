"""Ctrl-C while `auto` tries the implicit integrator ends the run, as at any other time."""

from dataclasses import replace

import numpy as np
import pytest

from sharnir.integrate import integrate, textbook_problem
from sharnir.simulate.events import stiffness_switch as stiffness


def fast(t, y, yd):
    yd[0] = -1e5 * (y[0] - 2.0)


def test_an_interruption_during_the_trial_is_not_lost(monkeypatch: pytest.MonkeyPatch):
    def interrupted(*given, **settings):
        return replace(integrate(*given, **settings), status="interrupted")

    monkeypatch.setattr(stiffness, "integrate", interrupted)
    settings = {"integrator": "auto", "rtol": 1e-6, "atol": 1e-8}
    solution = stiffness.integrate_auto(textbook_problem(fast, 1), np.zeros(1), np.linspace(0.0, 10.0, 11), settings)
    assert solution.status == "interrupted"
    assert 0.0 < solution.stats["t_reached"] < 10.0
