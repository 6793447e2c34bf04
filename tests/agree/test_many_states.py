"""Many states at once: vector lanes and threads give what single states give."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.dynamics.methods.all_methods import ALL_METHODS


def states(s, count):
    return (np.array(x) for x in zip(*(zoo.state(s, seed) for seed in range(count)), strict=True))


@pytest.mark.parametrize("name", [name for name in zoo.ZOO if name != "gears"])
def test_lanes_equal_single_states(name):
    """Nineteen states: two full groups and a rest. Sums may be ordered otherwise, so a few roundings are allowed."""
    s = zoo.system(name)
    q, v = states(s, 19)
    tau = np.random.default_rng(0).normal(size=v.shape)
    many = s.accelerations(q, v, 0.4, tau=tau)
    for k in range(19):
        one = s.accelerations(q[k], v[k], 0.4, tau=tau[k])
        assert many[k] == pytest.approx(one, rel=1e-11, abs=1e-11 * np.abs(one).max())


@pytest.mark.parametrize("kind", sr.ALL_JOINTS)
@pytest.mark.parametrize("style", ["frames", "far"])
def test_every_joint_in_lanes(kind, style):
    if style == "far" and kind in (sr.Ball, sr.Free):
        style = "origin"
    s = zoo.one_joint(kind, style).compile(method="articulated")
    assert s.vectorizes is (kind is not sr.FormulaJoint)  # formulas are called one state at a time
    q, v = states(s, 9)
    many = s.accelerations(q, v)
    single = np.array([s.accelerations(a, b) for a, b in zip(q, v, strict=True)])
    assert many == pytest.approx(single, rel=1e-12, abs=1e-12 * np.abs(single).max())


@pytest.mark.parametrize("name", [*(f"tree {k}" for k in range(6)), "floating", "prescribed", "bush"])
def test_runs_in_lanes(name):
    """Fixed steps of several starts side by side: rates of coordinates and unit quaternions among it."""
    m, s = zoo.model(name), zoo.system(name)
    rows = 9
    q, v = np.tile(s.q0, (rows, 1)), s.v0 + 0.1 * np.random.default_rng(2).normal(size=(rows, s.n_v))
    v[4] = s.v0
    many = sr.simulate_many(m, 0.02, q=q, v=v, step=0.005, integrator="rk4", method="articulated")
    one = m.simulate(0.02, step=0.005, integrator="rk4", method="articulated")
    for body in m.bodies:
        for key in ("position", "rotation", "velocity"):
            assert many[4][f"{body}.{key}"] == pytest.approx(one[f"{body}.{key}"], abs=1e-12)


def test_what_lanes_can_do():
    """A model with force elements goes state by state, and says so; prescribed motions do not hinder."""
    assert zoo.system("prescribed").vectorizes
    assert not zoo.system("forces").vectorizes
    assert not zoo.system("tree 1", "composite").vectorizes


@pytest.mark.parametrize("method", ALL_METHODS)
def test_threads_do_not_show(method):
    s = zoo.system("tree 1", method)
    rng, n = np.random.default_rng(1), 30 if method == "extended" else 5001 if "iterative" not in method else 301
    some_q, some_v = states(s, 30)
    rows = rng.integers(30, size=n)
    q, v = some_q[rows], some_v[rows]
    found = [s.accelerations(q, v, threads=threads) for threads in (1, 2, 3, None)]
    if "iterative" in method:  # they remember the state before, so digits depend on the order
        assert found[1] == pytest.approx(found[0], rel=1e-9, abs=1e-9)
        return
    for other in found[1:]:
        assert (other == found[0]).all()


def test_shapes():
    s = zoo.system("one Ball")
    q, v = states(s, 6)
    a = s.accelerations(q, v)
    assert s.accelerations(q.reshape(2, 3, -1), v.reshape(2, 3, -1)).shape == (2, 3, s.n_v)
    assert (s.accelerations(q.reshape(2, 3, -1), v.reshape(2, 3, -1)).reshape(6, -1) == a).all()
    assert s.accelerations(q[:0], v[:0]).shape == (0, s.n_v)
    assert (s.accelerations(q[:, ::1].copy(order="F"), v) == a).all()
    with pytest.raises(sr.ModelError, match="must have 8 numbers"):
        s.accelerations(q[:, :3], v)
    with pytest.raises(sr.ModelError, match="leading axes"):
        s.accelerations(q, v[:2])


def test_drive_of_one_call_is_forgotten_in_the_next():
    s = zoo.system("tree 2")
    q, v = zoo.state(s, 1)
    before = s.accelerations(q, v)
    s.accelerations(q, v, tau=np.ones(s.n_v))
    assert (s.accelerations(q, v) == before).all()


def test_a_bad_state_does_not_spoil_the_next():
    """Not-a-number in one state must stay there: in its lane, and out of what methods remember."""
    for method in ALL_METHODS:
        s = zoo.system("bush", method)
        q, v = zoo.state(s, 1)
        good = s.accelerations(q, v)
        assert not np.isfinite(s.accelerations(q * np.nan, v)).all()
        assert s.accelerations(q, v) == pytest.approx(good, rel=1e-9)
    s = zoo.system("bush")
    rows_q, rows_v = np.tile(q, (11, 1)), np.tile(v, (11, 1))
    rows_q[4] = np.nan
    many = s.accelerations(rows_q, rows_v)
    assert not np.isfinite(many[4]).any()
    assert np.delete(many, 4, 0) == pytest.approx(np.tile(good, (10, 1)), rel=1e-11)
