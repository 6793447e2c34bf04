"""Andrews' squeezing mechanism: the digits of a quadruple-precision solution, in both formulations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mechanisms import ANDREWS, ANDREWS_JOINTS, ANDREWS_START, andrews
from reference.closure import FORMULATIONS, gap
from reference.loop_digits import LOOP_DIGITS

TIMES = tuple(LOOP_DIGITS["andrews"])


@cache
def run(formulation, integrator="dop853", tolerance=1e-13):
    return andrews().simulate(
        0.05, output=[float(t) for t in TIMES], integrator=integrator, tolerance=tolerance, formulation=formulation
    )


def angles(r, k):
    return np.array([r[f"{name}.q"][k] for name in ANDREWS_JOINTS]) + ANDREWS_START


def rates(r, k):
    return np.array([r[f"{name}.v"][k] for name in ANDREWS_JOINTS])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_ten_digits(formulation):
    """At 0.03 s, and at 0.01 and 0.02 on the way; errors grow a hundred times from 0.03 to 0.05 s."""
    r = run(formulation)
    for k, t in enumerate(TIMES, start=1):
        exact = np.array(LOOP_DIGITS["andrews"][t])
        scale, limit = max(1.0, np.abs(exact[:7]).max()), 1e-8 if t == "0.05" else 1e-10
        assert np.abs(angles(r, k) - exact[:7]).max() < limit * scale, t
        assert np.abs(rates(r, k) - exact[7:14]).max() < 10 * limit * np.abs(exact[7:14]).max(), t


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_accelerations_and_reactions(formulation):
    """The 27 numbers of the test set at the start and at 0.03 s: q̈, and λ as the forces on K3, K4 and K6 in E."""
    r = run(formulation)
    exact = np.array(LOOP_DIGITS["andrews"]["0.03"])
    lam = np.concatenate([r[f"{name}.reaction"][3, :2] for name in ("E3", "E4", "E6")])
    assert np.abs(lam - exact[21:]).max() < 2e-8 * np.abs(exact[21:]).max()
    start = np.concatenate([r[f"{name}.reaction"][0, :2] for name in ("E3", "E4", "E6")])
    expected = [98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0]
    assert start == pytest.approx(expected, abs=1e-9 * 98.6)
    assert r["K1.angular_acceleration"][0, 2] == pytest.approx(14222.4439199541139, rel=1e-11)
    assert r["K1.angular_acceleration"][3, 2] == pytest.approx(exact[14], abs=1e-8 * np.abs(exact[14:21]).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_energy_balance(formulation):
    """IFToMM A03: T + V less the work of the torque stays (a constant torque counts as potential); so does the closure."""
    r = run(formulation)
    assert r.energy.kinetic[-1] > 0.1 * ANDREWS["mom"] * np.ptp(r["O.q"])
    assert np.ptp(r.energy.total) < 1e-10 * ANDREWS["mom"] * np.ptp(r["O.q"])
    assert gap(andrews(), r) < 1e-11


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_default_settings(formulation):
    """Who knows nothing gets a closed mechanism and six digits."""
    m = andrews()
    r = m.simulate(0.03, step=0.001, formulation=formulation)
    assert gap(m, r) < 1e-9
    assert angles(r, -1) == pytest.approx(LOOP_DIGITS["andrews"]["0.03"][:7], abs=1e-4)
    assert np.ptp(r.energy.total) < 1e-6 * ANDREWS["mom"] * np.ptp(r["O.q"])


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["abm", "radau5", "bdf"])
def test_other_integrators(integrator, formulation):
    """Multistep and implicit methods with step control reach six digits."""
    r = run(formulation, integrator, 1e-9)
    assert angles(r, 3) == pytest.approx(LOOP_DIGITS["andrews"]["0.03"][:7], abs=2e-5)


def test_one_freedom_and_redundant_constraints():
    """Ten spatial hinges on seven bodies: 42 - 50 + 9 redundant = 1 freedom."""
    m = andrews()
    assert m.compile("absolute").freedoms == 1
    assert m.compile("joint").freedoms == 1
