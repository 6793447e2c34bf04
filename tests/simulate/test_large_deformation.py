"""Runs of flexible bodies that leave the theory of small displacements say so."""

import warnings

import numpy as np
import pytest

import sharnir as sr
from flexible_mechanisms import RADIUS, rod
from sharnir.errors import ModelWarning
from sharnir.flexible import STEEL


def cantilever(load):
    m = sr.Model("cantilever", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("beam", reduced=rod(2, damping=0.5)), sr.Fixed("clamp", "ground", "beam:root"))
    m.add(sr.Force("load", "beam:tip", (0, 0, load), at=(1, 0, 0)))
    return m


EI = STEEL.E * np.pi * RADIUS**4 / 4


def test_a_beam_that_is_bent_too_far_is_named():
    """F L³/3EI and F L²/2EI of the beam's end, at rest under its load."""
    with pytest.warns(ModelWarning, match="FlexibleBody 'beam' leaves the range of small displacements") as told:
        r = cantilever(3 * EI * 0.25).simulate(0.02, output=0.002, initial="equilibrium")
    text = str(told[0].message)
    assert len(told) == 1
    assert "Divide the body into parts" in text
    assert r["beam:tip.displacement.z"][0] == pytest.approx(0.25, rel=5e-3)
    assert np.linalg.norm(r["beam:tip.turn"][0]) == pytest.approx(0.375, rel=5e-3)
    shift, turn = (np.linalg.norm(r[f"beam:tip.{key}"], axis=1) for key in ("displacement", "turn"))
    assert f"node 6 moves by {shift.max():.3g} m (25 % of its size) at t = " in text
    assert f"node 6 turns by {turn.max():.3g} rad at t = " in text  # at rest: rounding decides when


@pytest.mark.parametrize("events", [False, True])
def test_small_deformations_are_not_told(events):
    m = cantilever(3 * EI * 0.05)
    if events:
        m.add(sr.Event("late", at=0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.simulate(1.0, output=0.1)


def test_a_run_with_a_change_of_structure_tells_once():
    m = cantilever(3 * EI * 0.25)
    m.add(sr.Event("off", at=0.5, actions=sr.Release("clamp")))
    with pytest.warns(ModelWarning, match="leaves the range of small displacements") as told:
        m.simulate(0.6, output=0.1)
    assert len(told) == 1
