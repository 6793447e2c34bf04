"""Ensembles whose runs have events, clocks, delays and engines: every run equals the same run alone."""

import numpy as np
import pytest

import sharnir as sr


def ball(v=0.0):
    """A ball on a rail that bounces: impacts at closed-form times."""
    m = sr.Model("ball", parameters={"pull": 0.0})
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "ball", axis="z", q=1.0, v=v))
    m.add(sr.Force("wind", "ball", (0, 0, "pull")))
    m.add(sr.Event("hit", "P.q < 0", (sr.Rebound("P", restitution=0.8), sr.SetParameter("pull", "pull + 0.5"))))
    return m


def test_impacts_of_every_run():
    speeds = np.array([[0.0], [1.0], [-2.0]])
    runs = sr.simulate_many(ball(), 1.5, v=speeds, output=0.1, tolerance=1e-10)
    assert not runs.failures
    for v, run, height in zip(speeds[:, 0], runs, runs["P.q"], strict=True):
        alone = ball(v).simulate(1.5, output=0.1, tolerance=1e-10)
        assert [e["t"] for e in run.events] == [e["t"] for e in alone.events]
        assert run.events[0]["t"] == pytest.approx((v + np.sqrt(v * v + 2 * 9.81)) / 9.81, abs=1e-9)
        assert (height == alone["P.q"]).all()
    assert (runs.q[:, :, 0] == runs["P.q"]).all()
    again = sr.simulate_many(ball(), 1.5, v=speeds[1:], output=0.1, tolerance=1e-10)
    assert (again["P.q"] == runs["P.q"][1:]).all()  # parameters begin anew with every run


def test_runs_that_stop_and_release():
    """Not-a-number behind a stop, and q, v behind a change of structure; channels of bodies go on."""
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
    m.add(sr.Event("cut", "O.q > 1", sr.Release("O")), sr.Event("turn", "O.q < -0.5", sr.Stop("turned back")))
    runs = sr.simulate_many(m, 1.0, v=[[0.0], [-6.0]], output=0.05)
    cut, stopped = runs
    alone = m.simulate(1.0, output=0.05)
    assert (cut["bob.position"] == alone["bob.position"]).all()
    after = runs.t > cut.events[0]["t"]
    assert np.isnan(runs.q[0, after]).all()
    assert np.isfinite(runs.q[0, ~after]).all()
    assert np.isfinite(runs["bob.position"][0]).all()
    end = stopped.events[-1]["t"]
    assert stopped.t[-1] == pytest.approx(end)
    assert stopped.stats["stopped"] == "turned back"
    assert np.isnan(runs["bob.position"][1, runs.t > end]).all()
    assert np.isfinite(runs["bob.position"][1, runs.t < end]).all()


def test_one_failed_run_does_not_spoil_the_others():
    m = sr.Model("drop")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "ball", axis="z", q=1.0))
    m.add(sr.Event("hit", "P.q < 0", sr.Rebound("P", restitution=0.3)))  # comes to rest: chatters
    runs = sr.simulate_many(m, 1.0, v=[[0.0], [9.0]], output=0.1)
    assert list(runs.failures) == [0]
    assert "chatters" in runs.failures[0]
    assert np.isnan(runs.q[0, -1]).all()
    assert np.isfinite(runs.q[1]).all()


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_clocks_delays_and_engines(formulation):
    m = sr.Model("cart")
    m.add(sr.Body("cart", mass=20, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x"))
    m.add(sr.Sampled("u", lambda t, x: -3.0 * x, inputs=("rail.q",), period=0.05), sr.Delay("late", "rail.v", 0.1))
    m.add(sr.JointForce("push", "rail", "u - late"))
    m.add(sr.Thrust("engine", "cart", 100.0, axis="x", exhaust_speed=200, propellant=0.2))
    system = m.compile(formulation)
    v = np.tile(system.v0, (2, 1))
    v[1] += np.eye(system.n_v)[0]
    runs = sr.simulate_many(m, 1.0, v=v, output=0.1, formulation=formulation)
    alone = m.simulate(1.0, output=0.1, formulation=formulation)
    assert (runs[0]["rail.q"] == alone["rail.q"]).all()
    assert (runs[0]["engine.propellant"] == alone["engine.propellant"]).all()
    assert runs[1]["rail.v"][0] == pytest.approx(1.0)
    assert [e["name"] for e in runs[1].events] == ["engine burnout"]
