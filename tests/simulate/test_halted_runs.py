"""Runs that cannot go on stop, say when, where and what to do, and keep what they have."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr


def shrinking(length):
    """A free body at the end of a rod whose length is prescribed."""
    m = sr.Model("shrinking rod")
    m.add(sr.Body("p", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Distance("d", "ground", "p", at_a=(0, 0, 0), length=length))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_rod_that_shrinks_to_nothing(formulation):
    """The angular momentum stays, so the body turns ever faster: v = L / (1 - t), and no integrator reaches t = 1."""
    with pytest.raises(sr.SimulationError, match=r"stopped at t = 0\.99.*would not pass t = 1") as caught:
        shrinking("1-t").simulate(2.0, formulation=formulation)
    message, result = str(caught.value), caught.value.result
    assert "constraint 'd' holds a force of" in message and "by then p.v." in message and "max_evaluations" in message
    assert not result.complete and 0.99 < result.t[-1] < 1.0
    assert np.linalg.norm(result["p.position"], axis=1) == pytest.approx(1.0 - result.t, abs=1e-9)
    assert result.stats["evaluations"] < 10**7


def test_a_rod_that_becomes_short_and_long_again():
    """No singularity, 60 turns per second at the shortest: passed."""
    r = shrinking("sqrt((1-t)^2 + 1e-4)").simulate(2.0, output=0.1)
    assert r.complete
    assert np.linalg.norm(r["p.position"], axis=1) == pytest.approx(np.sqrt((1.0 - r.t) ** 2 + 1e-4), abs=1e-9)


def test_a_dead_end_names_who_is_stuck():
    """Two rods in line can follow the drawn-out length no further than t = 2."""
    m = sr.Model("dead end")
    m.add(sr.Body("p", mass=1, inertia=(1, 1, 1), position=(0.5, 0, 0.8660254037844386)))
    m.add(sr.Distance("a", "ground", "p", at_a=(0, 0, 0)), sr.Distance("b", "ground", "p", at_a=(1, 0, 0), length="1 + 0.5*t"))
    m.add(sr.PointOnPlane("flat", "ground", "p", normal="y"))
    with pytest.raises(sr.SimulationError, match=r"t = (2|1\.9)") as caught:
        m.simulate(3.0)
    assert "'a'" in str(caught.value) or "'b'" in str(caught.value)


def test_limits_are_options_of_every_integrator():
    m = shrinking("1-t")
    with pytest.raises(sr.SimulationError, match=r"after 300\d\d evaluations") as caught:
        m.simulate(2.0, options={"max_evaluations": 30_000})
    assert caught.value.result.t[-1] > 0.9
    with pytest.raises(sr.ModelError, match="max_evaluations = 0 must be a positive number"):
        m.simulate(2.0, integrator="radau5", options={"max_evaluations": 0})
