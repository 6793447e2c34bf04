"""Near dead points accelerations pass smoothly to those of the nearest consistent state, and integrators keep their order."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.motion_basis import corrected
from sharnir.dynamics.multipliers.solver_choice import smallest_pivot_of

INERTIA = (0.01, 0.1, 0.1)


def parallelogram(speed=2.0):
    """Cranks of 1 m stand upright, 2 m apart; they lie in line with the coupler after a quarter of a turn."""
    m = sr.Model("parallelogram", gravity=(0, 0, -9.81))
    m.add(
        *(sr.Body(n, mass=1, inertia=INERTIA, position=p) for n, p in (("a", (0, 0, 0.5)), ("k", (1, 0, 1)), ("b", (2, 0, 0.5))))
    )
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", v=speed), sr.Revolute("B", "a", "k", at=(0, 0, 1), axis="y"))
    m.add(sr.Revolute("C", "k", "b", at=(2, 0, 1), axis="y"), sr.Revolute("D", "ground", "b", at=(2, 0, 0), axis="y"))
    return m


def test_accelerations_pass_smoothly_to_those_of_the_corrected_state():
    """Of a state that is off by 10⁻⁶: its own beyond twice the limit, those of the corrected one below it, C¹ in between."""
    system, own = parallelogram().compile(), parallelogram().compile()
    own.params[L.SINGULAR] = 0.0  # no correction at all
    assert system.coordinates == ("A.q", "B.q", "D.q")
    share, distance = [], []
    angles = np.pi / 2 - np.linspace(0.03, 0.1, 281)
    for angle in angles:
        q = np.array([angle, -angle, angle]) + 1e-6 * np.array([1.0, -2.0, 0.5])
        v = np.array([2.0, -2.0, 2.0]) + 1e-5 * np.array([0.3, 0.2, -1.0])
        mine = own.accelerations(q, v)
        distance.append(smallest_pivot_of(own.table, own.work) / system.params[L.SINGULAR])
        y = corrected(own, np.concatenate([q, v, own.z0]), 0.0)
        there = own.accelerations(y[:3], y[3:6])
        parts = (system.accelerations(q, v) - mine) / (there - mine)
        assert np.ptp(parts) < 1e-6
        share.append(parts[0])
    share, distance = np.array(share), np.array(distance)
    assert distance.min() < 0.5 and distance.max() > 3.0
    np.testing.assert_allclose(share[distance <= 1.0], 1.0, atol=1e-6)
    np.testing.assert_allclose(share[distance >= 2.0], 0.0, atol=1e-6)
    assert (np.diff(share) < 1e-6).all()  # from the dead point outwards
    slopes = np.gradient(share, distance)
    assert np.abs(slopes).max() < 2.5
    assert np.abs(np.diff(slopes)).max() < 0.12 * np.abs(slopes).max()  # no corner: slopes change little by little


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_order_over_a_dead_point(formulation):
    """Constant steps of rk4 over the position in line, against the pendulum to which the linkage is equivalent."""
    one = sr.Model("pendulum", gravity=(0, 0, -9.81))
    J = 2 * (INERTIA[1] + 0.25) + 1.0  # about the hinge; the weight has the moment of 2 kg at 1 m, or 4 kg at half of it
    one.add(sr.Body("bob", mass=4, inertia=(1, J - 1.0, 1), position=(0, 0, 0.5)))
    one.add(sr.Revolute("A", "ground", "bob", at=(0, 0, 0), axis="y", v=2.0))
    exact = one.simulate(1.0, output=[0.0, 1.0], tolerance=1e-13)["A.q"][-1]
    assert exact > np.pi / 2 + 0.5
    errors = []
    for steps in (25, 50, 100):
        r = parallelogram().simulate(1.0, output=[0.0, 1.0], integrator="rk4", step=1.0 / steps, formulation=formulation)
        errors.append(abs(r["A.q"][-1] - exact))
    assert np.log2(errors[0] / errors[1]) > 3.5 and np.log2(errors[1] / errors[2]) > 3.5, errors
