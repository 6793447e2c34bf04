"""Equilibria and modes beside signals that never come to rest: those that nothing uses only look on."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError

BOTH = ("joint", "absolute")
ONLOOKERS = {
    "integral": [sr.Integral("i", "O.q")],
    "of a constant": [sr.Integral("i", "1")],
    "of time": [sr.Integral("i", "t")],
    "twice": [sr.Integral("i", "O.q"), sr.Integral("j", "i")],
    "transfer function": [sr.TransferFunction("c", "O.q", (1.0,), (1.0, 0.0))],
    "state space": [sr.StateSpace("c", "O.q", A=[[0, 0], [0, 0]], B=[[0], [1]], C=[[1, 0]])],
    "controller": [sr.PID("c", "0.3 - O.q", kp=2, ki=1)],
}


def pendulum(*signals):
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", damping=0.1), *signals)
    return m


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("name", ONLOOKERS)
def test_unused_states(name, formulation):
    """The equilibrium and the swing of the pendulum itself, and a zero for the integral."""
    m, alone = pendulum(*ONLOOKERS[name]), pendulum()
    assert m.statics(formulation=formulation)["O.q"] == pytest.approx(np.pi / 2)
    swing = alone.modes().eigenvalues[0]
    found = m.modes(formulation=formulation).eigenvalues
    assert np.abs(found - swing).min() < 1e-6 * abs(swing) and np.abs(found).min() < 1e-6


def test_filter_in_use_settles():
    m = pendulum(sr.LowPass("slow", "O.q", time_constant=0.2), sr.Integral("i", "slow"), sr.JointForce("f", "O", "-5*slow"))
    q = m.statics()["O.q"]
    assert 9.81 * 0.5 * np.cos(q) == pytest.approx(5 * q)


@pytest.mark.parametrize("formulation", BOTH)
def test_integral_in_use_is_refused_in_words(formulation):
    m = pendulum(sr.Integral("i", "1"), sr.JointForce("f", "O", "-2*i"))
    for ask in (m.statics, m.modes):
        with pytest.raises(ModelError, match="do not come to rest"):
            ask(formulation=formulation)
