"""An explicit integrator on a stiff model is told, and what would do instead; on one that is not stiff nothing is said."""

import warnings

import pytest

import sharnir as sr


def oscillator(stiffness, damping):
    m = sr.Model("oscillator")
    m.add(sr.Body("b", mass=1), sr.Prismatic("z", "ground", "b", axis="z", stiffness=stiffness, damping=damping, q=0.01))
    return m


def test_a_stiff_model_that_crawls_is_told():
    with pytest.warns(sr.RunWarning, match=r"'dopri5' crawls: .* steps.*because the model is stiff; use integrator='radau5'"):
        result = oscillator(1e6, 2e5).simulate(1.0, integrator="dopri5")
    assert "crawls" in str(result.trust) and "crawls" not in result.stats


def test_a_fast_oscillation_needs_its_steps():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = oscillator(1e8, 0.0).simulate(1.0, integrator="dopri5", tolerance=1e-9)
    assert result.stats["evaluations"] > 200_000
