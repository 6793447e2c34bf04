"""Runs by derived code whose structure changes, and runs through singular positions: who has computed is counted and said."""

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from sharnir.app.demos.machines import engine
from sharnir.dynamics.straight_line import derived_functions, quicker_functions
from sharnir.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


@pytest.fixture
def made(monkeypatch):
    """Names of models whose equations were derived."""
    found, init = [], derived_functions.Derivation.__init__

    def counted(self, system, *given, **more):
        found.append(system.model.name)
        init(self, system, *given, **more)

    monkeypatch.setattr(derived_functions.Derivation, "__init__", counted)
    return found


def released(method):
    m = mechanisms.slider_crank()
    joint = m.compile().tree.cuts[0].name
    m.add(sr.Event("cut", at=0.4, actions=[sr.Release(joint)]))
    return m.simulate(0.8, step=0.1, tolerance=1e-10, method=method)


def same(a, b):
    for channel in (x for x in a.channels if x.endswith(".position")):
        assert np.abs(a[channel] - b[channel]).max() < 1e-6 * max(1.0, np.abs(a[channel]).max()), channel


def test_a_release_in_a_loop_is_derived_again(made):
    a, b = released("articulated"), released("symbolic")
    assert len(made) == 2
    assert b.stats["method"] == "symbolic"
    same(a, b)


def test_a_release_that_would_take_long_goes_on_with_the_engine(made, monkeypatch):
    monkeypatch.setattr(quicker_functions, "MOMENT", 0.0)
    a, b = released("articulated"), released("symbolic")
    assert len(made) == 1
    assert b.stats["method"].startswith("symbolic → ")
    same(a, b)


def test_singular_positions_are_counted_and_said():
    m = mechanisms.four_bar()  # in line twice in each turn
    a, b = m.simulate(5.0, tolerance=1e-9), m.simulate(5.0, tolerance=1e-9, method="symbolic")
    assert 0 < b.stats["engine_evaluations"] <= b.stats["evaluations"] + 3 * b.stats["steps"]
    assert f"{b.stats['engine_evaluations']} evaluations by the engine" in b.report()
    assert "engine_evaluations" not in a.stats
    assert "by the engine" not in a.report()
    same(a, b)


def test_far_from_singular_positions_the_engine_is_not_asked():
    b = mechanisms.slider_crank().simulate(1.0, method="symbolic")
    assert b.stats["engine_evaluations"] == 0
    assert "by the engine" not in b.report()


def test_positions_that_close_no_loop_do_not_count():
    """Of the random positions of a large mechanism some close no loop, and what pivots are there says nothing about it."""
    m = engine.model()
    eq, rng = m.equations(), np.random.default_rng(1)
    near = eq.positions_near(np.array(eq.mechanism.start), 2.0, 6, rng)
    off = [max(abs(eq.evaluate([row.value for row in eq.constraints], q, np.zeros(len(eq.speeds))))) for q in near]
    assert 0 < len(near) < 6
    assert max(off) < 1e-9
    b = m.simulate(0.02, method="symbolic")
    assert b.stats["method"] == "symbolic"
    assert b.stats["engine_evaluations"] == 0


@pytest.mark.parametrize("make", [mechanisms.andrews, mechanisms.four_bar, mechanisms.planar_parallelogram])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_runs_through_singular_positions_equal_the_engines(make, tolerance):
    until = 0.05 if make is mechanisms.andrews else 4.0
    a, b = (make().simulate(until, tolerance=tolerance, method=method) for method in ("auto", "symbolic"))
    for channel in (x for x in a.channels if x.endswith(".q")):
        assert np.abs(a[channel] - b[channel]).max() < 2e3 * tolerance * max(1.0, np.abs(a[channel]).max()), channel


def test_signals_and_records_go_on():
    def model():
        m = mechanisms.slider_crank()
        m.add(sr.Signal("twice", "2*O.q"))
        return m

    a, b = model().simulate(0.5, step=0.1), model().simulate(0.5, step=0.1, method="symbolic")
    assert np.abs(a["twice"] - b["twice"]).max() < 1e-6
    assert set(a.channels) == set(b.channels)


def locked(method, turns, other=False):
    """A slider-crank with a swinging arm whose hinge locks where it is, and unlocks, again and again."""
    m = mechanisms.slider_crank()
    carrier, axis = next(iter(m.bodies)), next(joint.axis for joint in m.joints.values() if isinstance(joint, sr.Revolute))
    m.add(sr.Body("arm", mass=0.1, inertia=(1e-3, 2e-3, 2e-3), position=(0.1, 0, 0.2)))
    m.add(sr.Revolute("swing", carrier, "arm", at=(0, 0, 0.2), axis=axis, damping=0.01))
    m.add(
        sr.Event("lock", every=0.02, at=0.01, actions=sr.Lock("swing")), sr.Event("free", every=0.02, actions=sr.Unlock("swing"))
    )
    if other:
        m.add(sr.Event("drop", at=0.02 * turns - 0.005, actions=sr.Release("swing")))
    return m.simulate(0.02 * turns, step=0.01, tolerance=1e-10, method=method)


def test_structures_that_come_back_are_not_derived_again(made):
    """The mechanism, the one with a held hinge, the same with the angle in memory, and the one without the hinge."""
    a, b = locked("articulated", 20, True), locked("symbolic", 20, True)
    assert len(b.events) == 41
    assert len(made) <= 5
    assert b.stats["method"] == "symbolic"
    assert b.stats["engine_evaluations"] == 0
    assert np.nanmax(a["swing.q"]) - np.nanmin(a["swing.q"]) > 0.02  # it is held somewhere else each time
    same(a, b)


def test_runs_of_many_share_what_is_derived(made):
    m = mechanisms.slider_crank()
    joint = m.compile().tree.cuts[0].name
    m.add(sr.Event("cut", at=0.1, actions=[sr.Release(joint)]))
    system = m.compile(method="symbolic")
    runs = sr.simulate_many(m, 0.2, v=np.outer([0.9, 1.0, 1.1], system.v0), step=0.1, method="symbolic")
    assert len(made) == 3  # twice for the model as it begins
    assert [run.stats["method"] for run in runs] == ["symbolic"] * 3
