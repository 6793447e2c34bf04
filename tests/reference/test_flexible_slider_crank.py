"""The slider-crank with an elastic rod of the IVP Test Set: published digits, damped rod, and the rod with its true mass."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reference.elastic_crank import L1, L2, M2, Rod, model, ritz

DIGITS = json.loads(Path(__file__).with_name("flexible_digits.json").read_text())["slider_crank"]
CASES = {
    "published": (Rod(), "initial_1"),
    "recomputed": (Rod(), "initial_1"),
    "damped": (Rod(damping=True), "initial_1"),
    "consistent mass": (Rod(literal=False), "initial_2"),
}


def state_of(rod, start):
    """The test set's initial state with speeds that satisfy the constraints, as the published digits need it."""
    p, v = np.split(np.array(DIGITS[start]), 2)
    p[2] = L1 + L2 + p[6]  # the published place of the slider is off by 2e-10 m, which an index-2 run keeps
    return p, rod.consistent(p, v)


@pytest.mark.parametrize("case", [case for case in CASES if case != "published"])
def test_equations_by_hand(case):
    """Accelerations and multipliers of the end state, so that the equations below are those of the test set."""
    end = np.array(DIGITS[case])
    found = CASES[case][0].accelerations(end[:7], end[7:14])
    assert np.abs(found - end[14:]).max() < 2e-11 * np.abs(end[14:]).max()


@pytest.mark.parametrize("case", CASES)
def test_digits(case):
    rod, start = CASES[case]
    p, v = state_of(rod, start)
    result = model(rod, p, v).simulate(0.1, step=0.1, tolerance=1e-12)
    end = np.array(DIGITS[case])
    w, xi = result["rod.w"][-1], result["rod.xi"][-1]
    assert result["O.q"][-1] + result["A.q"][-1] == pytest.approx(end[1], abs=1e-11)
    assert result["O.v"][-1] + result["A.v"][-1] == pytest.approx(end[8], rel=1e-9)
    assert L1 + L2 + result["S.q"][-1] == pytest.approx(end[2], abs=2.1e-10)
    assert np.abs(w - end[3:7]).max() < 1e-8 * np.abs(end[3:7]).max()
    assert np.abs(xi - end[10:14]).max() < 1e-6 * np.abs(end[10:14]).max()
    # A a + Gᵀ λ = F: the torque of the drive is -λ3
    assert result["O.drive"][-1] == pytest.approx(-end[23], rel=1e-6)


def test_ritz_shapes():
    """Beam elements with the same shapes as formulas give the test set's integrals, and the mass with the factor 1/15."""
    rod, body = Rod(literal=False), ritz(elements=80)
    I, inertia = rod.integrals, body.inertia
    assert np.abs(inertia.J_rw[0] - I["c1"]).max() < 2e-4 * M2
    assert np.abs(inertia.J_rw[1] - I["c2"]).max() < 1e-6 * M2
    assert np.abs(inertia.Q0[2] - I["c21"]).max() < 1e-6 * M2 * L2
    assert np.abs(inertia.P[:, 2, 2] - 2.0 * I["c12"]).max() < 2e-4 * M2 * L2
    assert np.abs(inertia.Q[:, 2, :] - I["B"]).max() < 2e-4 * M2
    # sections have rotary inertia, which the test set leaves out: (2π h/L)²/12 of the mass at most
    assert np.abs(inertia.J_ww - rod.mass).max() < 3e-3 * M2
    assert np.abs(body.stiffness / np.where(rod.stiffness, rod.stiffness, np.inf) - (rod.stiffness != 0)).max() < 2e-3
    assert inertia.J_rr[0, 0] == pytest.approx(M2)
