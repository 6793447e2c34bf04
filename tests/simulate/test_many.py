"""Many runs at once give what single runs give."""

from __future__ import annotations

import numpy as np
import pytest
import zoo

import sharnir as sr


def starts(m, count):
    s = m.compile(method="articulated")
    return s, *(np.array(x) for x in zip(*(zoo.state(s, seed, 0.3) for seed in range(count)), strict=True))


def alone(s, q, v, **options):
    from sharnir.simulate.run import finish, output_times, solve

    s.q0, s.v0 = q, v
    grid = output_times(0.2, 0.05, None)
    return finish(s, solve(s, grid, options.get("integrator", "auto"), None, 0.05, None, None), 0.0)


@pytest.mark.parametrize("integrator", ["auto", "rk4"])
@pytest.mark.parametrize("name", ["tree 1", "forces"])
def test_many_starts(integrator, name):
    """Eleven: one full group of lanes and a rest, where lanes are used."""
    m = zoo.model(name)
    s, q, v = starts(m, 11)
    runs = sr.simulate_many(m, 0.2, q=q, v=v, step=0.05, integrator=integrator, method="articulated")
    assert len(runs) == 11
    assert not runs.failures
    assert runs.q.shape == (11, 5, s.n_q)
    for k in (0, 7, 8, 10):
        one = alone(s, q[k], v[k], integrator=integrator)
        assert runs[k]["b2.position"] == pytest.approx(one["b2.position"], rel=1e-9, abs=1e-9)
    assert runs["b2.position"].shape == (11, 5, 3)


@pytest.mark.parametrize("integrator", ["auto", "rk4"])
def test_threads_do_not_show(integrator):
    m = zoo.model("tree 1")
    _, q, v = starts(m, 20)
    found = [sr.simulate_many(m, 0.1, q=q, v=v, step=0.01, integrator=integrator, method="articulated", threads=k) for k in (1, 3)]
    assert (found[0].q == found[1].q).all()
    assert (found[0].v == found[1].v).all()


def oscillator(k):
    m = sr.Model(f"k = {k}", gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1), sr.Prismatic("rail", "ground", "cart", axis="x", q=1.0, stiffness=k))
    return m


def test_many_parameters():
    runs = sr.simulate_many([oscillator(k) for k in (1.0, 4.0, 9.0)], 1.0, step=0.1)
    for w, x in zip((1, 2, 3), runs["rail.q"], strict=True):
        assert x == pytest.approx(np.cos(w * runs.t), abs=1e-7)


def test_one_failure_does_not_stop_the_others():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1), sr.Prismatic("rail", "ground", "cart", axis="x", torque="v^2"))
    runs = sr.simulate_many(m, 1.0, q=[[0.0]] * 3, v=[[0.5], [3.0], [0.1]], step=0.1)
    assert list(runs.failures) == [1]
    assert np.isfinite(runs.v[[0, 2]]).all()
    assert runs.v[0, :, 0] == pytest.approx(0.5 / (1 - 0.5 * runs.t), rel=1e-6)
    assert np.isnan(runs.v[1, -1, 0])
    assert runs[1].t[-1] < 0.5


def test_lanes_fail_alone():
    """One state that is not a number spoils its own lane only."""
    m = zoo.model("tree 1")
    _, q, v = starts(m, 9)
    v[3, 0] = np.nan
    runs = sr.simulate_many(m, 0.05, q=q, v=v, step=0.01, integrator="rk4", method="articulated")
    assert list(runs.failures) == [3]
    assert np.isfinite(np.delete(runs.q, 3, axis=0)).all()


@pytest.mark.parametrize(("options", "message"), [
    ({"q": [[0.0, 1.0]]}, "columns"), ({"q": [[0.0]] * 2, "v": [[0.0]] * 3}, "fit together"), ({"integrator": "rk4"}, "step"),
])  # fmt: skip
def test_bad_settings(options, message):
    with pytest.raises(sr.ModelError, match=message):
        sr.simulate_many(oscillator(1.0), 1.0, **options)


def test_different_mechanisms_are_refused():
    with pytest.raises(sr.ModelError, match="other coordinates"):
        sr.simulate_many([oscillator(1.0), zoo.model("one Ball")], 1.0)
    with pytest.raises(sr.ModelError, match="empty"):
        sr.simulate_many([], 1.0)
