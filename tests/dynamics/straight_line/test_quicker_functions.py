"""Long runs go over to code derived for their model, at the same step always, and give the same motion."""

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from sharnir.app.bench import chain
from sharnir.dynamics.straight_line import quicker_functions
from sharnir.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


@pytest.fixture
def early(monkeypatch):
    """Go over soon."""
    monkeypatch.setattr(quicker_functions, "evaluations_before", lambda system: 1500)


@pytest.mark.parametrize(("make", "until"), [(mechanisms.slider_crank, 5.0), (mechanisms.andrews, 0.03), (lambda: chain(3), 5.0)])
def test_the_motion_is_the_same(early, make, until):
    a, b = make().simulate(until, method="articulated"), make().simulate(until)
    assert "symbolic_from" not in a.stats
    assert 0.0 < b.stats["symbolic_from"] < until
    assert b.trust.good
    for channel in (x for x in a.channels if x.endswith(".q")):
        assert np.abs(a[channel] - b[channel]).max() < 1e-5 * max(1.0, np.abs(a[channel]).max())


def test_the_pieces_of_a_run_do_not_matter(early):
    m = mechanisms.slider_crank()
    a, b = m.simulate(5.0), m.simulate(5.0, progress=lambda part: None)
    assert a.stats["symbolic_from"] == b.stats["symbolic_from"]
    assert all(np.array_equal(a[x], b[x]) for x in a.channels)


def test_events_go_on(early):
    m = mechanisms.slider_crank()
    m.add(sr.Event("passed", when="O.q + 0.4"))
    a, b = m.simulate(5.0, method="articulated"), m.simulate(5.0)
    assert "symbolic_from" in b.stats
    assert len(a.events) == len(b.events) > 5
    assert np.allclose([e["t"] for e in a.events], [e["t"] for e in b.events], atol=1e-5)


def test_what_is_worth_it(monkeypatch):
    few = quicker_functions.evaluations_before(mechanisms.slider_crank().compile())
    assert few is not None
    assert 10_000 < few < 200_000
    assert quicker_functions.evaluations_before(chain(60).compile()) is None
    assert quicker_functions.quicker_functions(chain(10, freedoms=3).compile()) is not None
    monkeypatch.setattr(quicker_functions, "WORTH_IT", 0.1)
    assert quicker_functions.quicker_functions(chain(10, freedoms=3).compile()) is None  # the engine is as quick


def test_what_has_no_closed_form_stays_with_the_engine(early):
    def still(t, r, R, v, w, force, torque):
        """Nothing, as nobody but the function knows."""

    for force, quicker in (
        (lambda body: sr.UserForce("drag", [body], still), True),
        (lambda body: sr.JointForce("drag", "O", lambda q, v, t: -0.01 * v), True),
    ):
        m = mechanisms.slider_crank()
        m.add(force(next(iter(m.bodies))))
        assert ("symbolic_from" in m.simulate(5.0).stats) == quicker


@pytest.mark.parametrize("method", ["auto", "symbolic"])
def test_trials_of_an_implicit_integrator_derive_nothing(early, monkeypatch, method):
    """They use what the run computes by; a second derivation would take longer than the trial."""
    from sharnir.dynamics.straight_line import derived_directions, derived_functions
    from sharnir.simulate.events import stiffness_switch

    made, tried = [], []
    for room, name in ((derived_functions, "solution_of"), (derived_directions, "DerivedDirections")):
        plain = getattr(room, name)
        monkeypatch.setattr(room, name, lambda *given, plain=plain, name=name: (made.append(name), plain(*given))[1])
    pays = stiffness_switch.pays
    monkeypatch.setattr(stiffness_switch, "pays", lambda *given: (tried.append(given), pays(*given))[1])
    monkeypatch.setattr(stiffness_switch, "FIRST_TRIAL", 4000)
    result = mechanisms.slider_crank().simulate(5.0, method=method)
    assert result.trust.good
    assert tried
    assert made == ["solution_of"]
    assert all(problem.quicker is None and problem.jacobian is None for problem, *_ in tried)
