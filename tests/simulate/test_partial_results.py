"""What users' functions raise, and actions in any order: the error is ours and carries what was computed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, SharnirError, SimulationError


def pendulum(**options) -> sr.Model:
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", **options))
    return m


def stone() -> sr.Model:
    m = sr.Model("stone")
    m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    return m


def late(t: float) -> None:
    if t > 0.5:
        raise ValueError("too late")


MODELS = {"pendulum": pendulum, "stone": stone}


@pytest.mark.parametrize("name", MODELS)
def test_a_callback_that_raises(name):
    with pytest.raises(SimulationError, match=r"callback: at t = 0\.6 it raised ValueError\('too late'\)") as caught:
        MODELS[name]().simulate(1.0, callback=lambda now: late(now.t), communication=0.1)
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.result.t[-1] == pytest.approx(0.6)
    assert caught.value.result.failure


def test_a_callback_that_gives_nonsense():
    m = pendulum()
    m.add(sr.Input("u"))
    for answer, words in (
        ({"v": 1.0}, "is not an Input"),
        (5, "by name"),
        ({"u": "text"}, "must be a number"),
        ({"u": np.nan}, "finite"),
    ):
        with pytest.raises(SharnirError, match=words):
            m.simulate(1.0, callback=lambda now, answer=answer: answer, communication=0.1)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("events", [False, True])
def test_a_progress_function_that_raises(name, events):
    def progress(fraction: float) -> None:
        late(fraction)

    m = MODELS[name]()
    if events:
        m.add(sr.Event("never", at=1e9, actions=sr.Stop()))
    with pytest.raises(SimulationError, match=r"the progress function raised ValueError\('too late'\)") as caught:
        m.simulate(300.0, output=0.01, progress=progress, max_step=1e-3)
    assert isinstance(caught.value.__cause__, ValueError)
    assert len(caught.value.result.t) > 100


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.filterwarnings("ignore::sharnir.SlowFunctionWarning")
def test_failing_runs_of_free_bodies_carry_their_results(formulation):
    def kick(t, r, R, v, w, force, torque):
        if t > 0.5:
            raise ValueError("too late")

    m = stone()
    m.add(sr.UserForce("kick", ["stone"], kick))
    with pytest.raises(SimulationError, match="too late") as caught:
        m.simulate(1.0, formulation=formulation)
    assert len(caught.value.result.t) == 250
    m = stone()
    m.add(sr.Force("f", "stone", ("sqrt(0.5 - t)", 0, 0)))
    with pytest.raises(SimulationError, match="not a number") as caught:
        m.simulate(1.0, formulation=formulation)
    assert len(caught.value.result.t) == 250


def two_arms() -> sr.Model:
    m = sr.Model("arms")
    m.add(
        sr.Body("a", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, 1))
    )
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"), sr.Revolute("B", "a", "b", at=(0, 0, 1), axis="y"))
    return m


FIRST = {
    "Join ball": sr.Join(sr.Ball("latch", "ground", "b", at=(1, 0, 1)), gap=5),
    "Join hinge": sr.Join(sr.Revolute("hinge", "ground", "b", at=(1, 0, 1), axis="y"), gap=5),
    "Join B": sr.Join("B", gap=5),
    "Attach": sr.Attach("a", "b"),
    "Attach hold": sr.Attach("a", "ground", joint="hold"),
}
SECOND = {
    "Stop": sr.Stop(),
    "Lock": sr.Lock("B"),
    "Lock latch": sr.Lock("latch"),
    "Lock hinge": sr.Lock("hinge"),
    "Lock hold": sr.Lock("hold"),
    "Unlock": sr.Unlock("B"),
    "Unlock latch": sr.Unlock("latch"),
    "SetMotion": sr.SetMotion("B", "0.1*t", relative=True),
    "SetMotion hinge": sr.SetMotion("hinge", "0.1*t"),
    "SetMotion latch": sr.SetMotion("latch", "t"),
    "Release": sr.Release("B"),
    "Release hold": sr.Release("hold"),
    "Release latch": sr.Release("latch"),
    "SetSpeed": sr.SetSpeed("B", 1.0),
    "Rebound": sr.Rebound("B", 0.5),
    "Attach again": sr.Attach("a", "b"),
}


@pytest.mark.parametrize("first", FIRST)
def test_actions_in_any_order_work_or_are_refused_in_words(first):
    """Both orders, in one event and in two, in both formulations."""
    cases = list(product(SECOND.values(), (True, False), (True, False)))
    for k, (other, together, forward) in enumerate(cases):
        pair = [FIRST[first], other] if forward else [other, FIRST[first]]
        m = two_arms()
        try:
            if together:
                m.add(sr.Event("e", at=0.1, actions=pair))
            else:
                m.add(sr.Event("e", at=0.1, actions=pair[0]), sr.Event("f", at=0.2, actions=pair[1]))
            m.simulate(0.25, formulation=("joint", "absolute")[k % 2])
        except (ModelError, SimulationError):  # anything else, a KeyError above all, fails the test
            continue


@pytest.mark.parametrize("change", [sr.Attach("a", "b"), sr.Release("B"), sr.Lock("B"), sr.Release("A")], ids=repr)
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_stop_before_a_change_of_structure(change, formulation):
    """Actions of one event all happen at its moment; the run ends with them."""
    ends = []
    for actions in ([sr.Stop("end"), change], [change, sr.Stop("end")]):
        m = two_arms()
        m.add(sr.Event("e", at=0.105, actions=actions))
        result = m.simulate(1.0, formulation=formulation, output=0.01)
        assert result.stats["stopped"] == "end"
        assert result.t[-1] == pytest.approx(0.105)
        ends.append(result)
    np.testing.assert_allclose(ends[0]["b.velocity"][-1], ends[1]["b.velocity"][-1], atol=1e-12)
