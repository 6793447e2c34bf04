"""step=h without a tolerance: fixed steps of the implicit integrators of low order, as other programs have them."""

from __future__ import annotations

import numpy as np
import pytest

import mechanisms
import sharnir as sr

STEPS = {"implicit-euler": 0.0005, "park": 0.004, "newmark": 0.004, "hht": 0.004, "generalized-alpha": 0.004}
TIME = 0.4


@pytest.fixture(scope="module")
def reference():
    m = mechanisms.closed_pendulum()
    return m.simulate(TIME, step=TIME, integrator="dop853", tolerance=1e-12)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("name", STEPS)
def test_observed_order(reference, name, formulation):
    m, lengths, errors = mechanisms.closed_pendulum(), [], []
    for count in (1, 2, 4):
        step = STEPS[name] / count
        r = m.simulate(TIME, step=step, output=TIME, integrator=name, formulation=formulation)
        assert r.stats["steps"] == round(TIME / step) and r.stats["rejected"] == 0 and r.stats["fixed_step"]
        assert r.stats["smallest_step"] == pytest.approx(step, rel=1e-9)
        assert r.stats["position_residual"] < 1e-9
        lengths.append(r.stats["largest_step"])
        errors.append(np.abs([r[key][-1] - reference[key][-1] for key in ("A.q", "A.v")]).max())
    order = np.polyfit(np.log(lengths), np.log(errors), 1)[0]
    assert order == pytest.approx(1.0 if name == "implicit-euler" else 2.0, abs=0.2)


def test_with_a_tolerance_the_step_is_that_of_the_output():
    r = mechanisms.closed_pendulum().simulate(TIME, step=0.1, integrator="newmark", tolerance=1e-5)
    assert len(r.t) == 5 and r.stats["steps"] > 20 and "fixed_step" not in r.stats
    assert r.stats["smallest_step"] < 0.5 * r.stats["largest_step"]


def test_without_a_step_it_is_chosen():
    r = mechanisms.closed_pendulum().simulate(TIME, integrator="newmark", output=0.1)
    assert len(r.t) == 5 and "fixed_step" not in r.stats


def test_trapezoidal_rule_by_hand():
    """An oscillator with k/m = 100: a step of constant average acceleration turns its phase by 2 arctan(ω h / 2), exactly."""
    m = sr.Model("oscillator", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("x", "ground", "b", axis="x", q=1.0, stiffness=100.0))
    h = 0.02
    r = m.simulate(1.0, step=h, integrator="newmark")
    phase = 2.0 * np.arctan(0.5 * 10.0 * h) * np.arange(51)
    assert r["x.q"] == pytest.approx(np.cos(phase), abs=1e-7)
    assert r["x.v"] == pytest.approx(-10.0 * np.sin(phase), abs=1e-6)


def test_many_runs_with_fixed_steps():
    m = mechanisms.closed_pendulum()
    one = m.simulate(0.1, step=0.01, integrator="hht")
    runs = sr.simulate_many([m, m], 0.1, step=0.01, integrator="hht")
    assert np.array_equal(runs["A.q"][0], one["A.q"]) and np.array_equal(runs["A.q"][1], one["A.q"])
