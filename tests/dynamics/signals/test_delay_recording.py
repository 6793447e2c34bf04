"""Tapes of delays in long runs: they forget what nobody asks for, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate.stepping.history_tape import USED
from sharnir.simulate.events import sampling_clocks as clocks


def swing(*elements):
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, -1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", v=0.5))
    m.add(sr.Delay("late", "O.q", time=0.1), sr.Delay("later", "late", time=0.25))
    m.add(sr.JointForce("push", "O", "-0.2*late + 0.1*later"), *elements)
    return m


def strikes():
    return sr.Event("hit", "O.q > 0.05", sr.SetSpeed("O", "-0.9*O.v"))


@pytest.mark.parametrize("integrator", ["dop853", "radau5", "bdf"])
@pytest.mark.parametrize("event", [None, strikes()])
def test_what_is_forgotten_changes_nothing(monkeypatch, integrator, event):
    """Against a run whose tapes have room for everything, to the last bit; and against the signal itself, earlier."""
    results = []
    for records in (40, 100_000):
        monkeypatch.setattr(clocks, "RECORDS", records)
        monkeypatch.setattr(clocks, "MOST_AT_ONCE", 20)
        m = swing() if event is None else swing(event)
        results.append(m.simulate(12.0, output=0.05, integrator=integrator, tolerance=1e-9, max_step=0.01))
    short, long = results
    for name in ("O.q", "O.a", "late", "later", "O.reaction", "energy.total"):
        np.testing.assert_array_equal(short[name], long[name], err_msg=name)
    np.testing.assert_allclose(short["late"][2:], short["O.q"][:-2], atol=1e-8)
    np.testing.assert_allclose(short["later"][8:], short["O.q"][1:-7], atol=1e-7)  # before there is the kink of the start
    assert short.events == long.events


def test_tapes_do_not_grow_with_the_steps(monkeypatch):
    monkeypatch.setattr(clocks, "MOST_AT_ONCE", 500)
    run, lengths = swing().stepper(max_step=1e-3), []
    for t in (5.0, 8.0, 10.0):
        run.step(t)
        lengths.append(sum(len(tape) for tape in run._loop.clocks.tapes.values()))
    r = run.result()
    assert r.stats["steps"] >= 10_000 and lengths[0] == lengths[1] == lengths[2]
    assert all(tape[USED] < 4000 for tape in run._loop.clocks.tapes.values())
    at = swing().simulate(9.9, output=[9.9], max_step=1e-3)["O.q"][-1]
    assert r["late"][-1] == pytest.approx(at, abs=1e-7)
