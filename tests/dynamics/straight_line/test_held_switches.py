"""Formulas with jumps and bends in derived code: within a step of a run it takes the sides that the engine holds."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.straight_line import held_switches
from sharnir.kernel import PLAIN

from .test_signals import arms, compare, same_run

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

FORMULAS = {
    "sign": [sr.JointForce("f", "A", "-sign(q)")],
    "two of a kind": [sr.JointForce("f", "A", "-3*sign(q - 0.1)"), sr.JointForce("g", "B", "-2*sign(q - 0.1)")],
    "nested": [sr.JointForce("f", "A", "if(q > 0.1, if(v > 0.1, -3, 4), 2*floor(5*q))")],
    "bends": [sr.JointForce("f", "A", "-9*max(q, 0.1) + min(v, 0)")],
    "in a signal": [sr.Signal("u", "if(A.q >= 0.1, 3, -2)"), sr.JointForce("f", "B", "u + step(q - 0.1)")],
    "in a block": [sr.Limit("u", "5*A.q", limits=(-1, 1)), sr.JointForce("f", "B", "u")],
    "peak": [sr.JointForce("f", "A", "exp(-((q - 0.1)/0.001)^2)")],
    "table": [sr.JointForce("f", "A", sr.Table((-1, -0.1, 0.1, 1), (4, -2, 3, -1)))],
    "in an idle branch": [
        sr.JointForce("f", "A", "if(t < 0.05, 2, if(q > 0.1, -1, 1))"),
        sr.Event("e", "t > 0.6", sr.SetSpeed("B", 0.3)),
    ],
    "beside an event": [sr.JointForce("f", "A", "-sign(q)"), sr.Event("e", "if(A.q > 0.1, 1, -1)")],
}


@pytest.mark.parametrize("kind", FORMULAS)
def test_rates_and_runs(kind):
    m = arms()
    m.add(*FORMULAS[kind])
    compare(m)
    _, b = same_run(m, 1.5, ("A.q", "B.q"))
    assert b.stats["engine_evaluations"] == 0


@pytest.mark.parametrize("kind", FORMULAS)
def test_sides_that_are_held(kind, monkeypatch):
    """The check of a system notices a switch that is not held."""
    m = arms()
    m.add(*FORMULAS[kind])
    system = m.compile(method="symbolic")
    held_switches.check_held(system, system.derived.derivation.held, system.derived.derivative)
    if kind in ("in a block", "peak", "table", "bends"):  # nothing that jumps is held
        return
    monkeypatch.setattr("sharnir.dynamics.straight_line.derived_functions.held_nodes", lambda *arguments: {})
    with pytest.raises(sr.ModelError, match=r"cannot follow the jumps or bends in formulas of (JointForce|Signal|Event)"):
        m.compile(method="symbolic")


def test_a_ring_with_an_angle_of_the_joint_that_is_cut():
    """Off the constraints, derived code and the engine differ; the check looks at states of a run."""
    m = arms(loop=True)
    m.add(sr.JointForce("f", "A", "-sign(q - 0.1)"), sr.JointForce("g", "D", "3*q - floor(4*q)"))
    _, b = same_run(m, 1.0, ("A.q", "D.q"))
    assert b.stats["engine_evaluations"] == 0


def test_friction_that_sticks_is_left_to_the_engine():
    m = arms()
    m.add(sr.JointForce("f", "A", "-60*sign(v)"), sr.JointForce("g", "B", "-1"))
    with pytest.warns(sr.RunWarning, match="switches back and forth"):
        a, b = (m.simulate(0.3, tolerance=1e-8, method=x) for x in ("auto", "symbolic"))
    assert b.stats["engine_evaluations"] > 0
    assert np.abs(a["B.q"] - b["B.q"]).max() < 1e-6


def test_sensitivities_are_refused():
    m = arms(parameters={"k": 2.0})
    m.add(sr.JointForce("f", "A", "-k*sign(q)"))
    with pytest.raises(sr.ModelError, match="jump or bend with the state"):
        m.simulate(0.1).sensitivity("A.q", "k")
