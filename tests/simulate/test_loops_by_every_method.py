"""Runs of closed mechanisms by every method: the channels, reactions and multipliers of separate bodies, and published digits."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from mechanisms import ANDREWS_JOINTS, ANDREWS_START
from random_loops import closed_state, rates
from reference.loop_digits import LOOP_DIGITS
from sharnir.dynamics.methods.all_methods import ALL_METHODS

OTHERS = [name for name in ALL_METHODS if name not in ("articulated", "symbolic")]  # symbolic refuses some of these elements
BY_METHOD = pytest.mark.parametrize(
    "method", [pytest.param(name, marks=pytest.mark.slow) if name == "extended" else name for name in OTHERS]
)


def rubbing():
    """A spatial slider-crank, nowhere redundant, whose slider is loaded and rubs under what it carries."""
    m = mechanisms.spatial_slider_crank()
    m.add(sr.JointFriction("rubbing", "slide", 0.2, length=0.1), sr.Force("load", "slider", force=("3*sin(20*t)", 4.0, -20.0)))
    return m


def broken():
    """A four-bar whose coupler comes off."""
    m = mechanisms.closed_pendulum()
    m.add(sr.Event("break", at=0.2, actions=sr.Release("B")))
    return m


def controlled():
    """A four-bar turned by a controller with states; a tool that swings as prescribed hangs on its rocker, another is geared."""
    m = mechanisms.closed_pendulum()
    m.add(sr.PID("control", "1 + 2*t - O.q", kp=60, ki=20, kd=3), sr.JointForce("motor", "O", "control"))
    at = tuple(np.array(m.bodies["rod3"].position))
    m.add(sr.Body("tool", mass=0.4, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02), position=at))
    m.add(sr.Revolute("swing", "rod3", "tool", at=at, axis="z", motion="0.5*sin(6*t)"))
    m.add(sr.Body("wheel", mass=0.5, inertia=(0.02, 0.02, 0.03), position=(0, 0, 1)))
    m.add(sr.Revolute("shaft", "ground", "wheel", axis="z"), sr.Gear("gear", "O", "shaft", ratio=-2.0))
    return m


RUNS = {
    "four-bar": mechanisms.closed_pendulum,
    "friction": rubbing,
    "release": broken,
    "control": controlled,
}
CONSERVATIVE = ("four-bar", "release")


@cache
def run(name, method, end=0.5):
    return RUNS[name]().simulate(end, output=end / 10, method=method, tolerance=1e-10)


def compared(name, channel, values):
    """What is unique: reactions of a planar loop are determined in its plane only."""
    if not channel.endswith((".reaction", ".reaction_local")) or name == "friction":
        return values
    return values[:, [0, 1, 5]]


@BY_METHOD
@pytest.mark.parametrize("name", RUNS)
def test_the_same_run(name, method):
    end = 0.01 if (name, method) == ("friction", "extended") else 0.5  # which is in Python, and loads are found by iteration
    one, other = run(name, "articulated", end), run(name, method, end)
    assert (one.stats["method"], other.stats["method"]) == ("articulated", method)
    assert set(one.channels) == set(other.channels)
    for channel in one.channels:
        a, b = (compared(name, channel, r[channel]) for r in (one, other))
        if channel.endswith(".rotation"):
            b = b * np.sign((a * b).sum(axis=1, keepdims=True))
        kept = ~np.isnan(a)  # nothing is recorded of a joint after its release
        assert kept.any() and (kept == ~np.isnan(b)).all(), channel
        assert np.abs(a - b)[kept].max() < 2e-7 * (1.0 + np.abs(a[kept]).max()), channel
    assert other.stats["position_residual"] < 1e-9
    assert [e["t"] for e in one.events] == pytest.approx([e["t"] for e in other.events])
    if name in CONSERVATIVE:
        assert other.stats["energy_change"] < 1e-7


def test_the_runs_show_what_they_are_for():
    friction, control = run("friction", "articulated"), run("control", "articulated")
    assert np.ptp(run("four-bar", "articulated")["O.q"]) > 0.1
    release = run("release", "articulated")
    assert [e["name"] for e in release.events] == ["break"]
    assert np.isnan(release["B.q"][-1]) and not np.isnan(release["A.q"]).any()
    assert friction.energy.total[-1] < friction.energy.total[0] - 1e-3
    assert np.abs(control["gear.force"]).max() > 0.1 and np.ptp(control["swing.q"]) > 0.4


@BY_METHOD
def test_digits_of_andrews(method):
    """The published angles, and multipliers as reactions at E, at the start and at 0.01 s."""
    r = mechanisms.andrews().simulate(0.01, output=[0.01], integrator="dop853", tolerance=1e-12, method=method)
    exact = np.array(LOOP_DIGITS["andrews"]["0.01"])
    angles = np.array([r[f"{name}.q"][-1] for name in ANDREWS_JOINTS]) + ANDREWS_START
    assert np.abs(angles - exact[:7]).max() < 1e-9 * max(1.0, np.abs(exact[:7]).max())
    start = np.concatenate([r[f"{name}.reaction"][0, :2] for name in ("E3", "E4", "E6")])
    assert start == pytest.approx([98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0], abs=1e-9 * 98.6)
    assert np.ptp(r.energy.total) < 1e-9 * mechanisms.ANDREWS["mom"]


@pytest.mark.parametrize("method", ["inverse-iterative", "direct-iterative"])
def test_what_iterations_remember_does_not_show(method):
    """They start from the last position's matrix: after others, far away, the accelerations are those of a new system."""
    m = mechanisms.closed_pendulum()
    used, exact = m.compile(method=method), m.compile(method="articulated")
    for seed in range(12):
        y = closed_state(exact, seed)
        a, b, c = (rates(s, y) for s in (used, m.compile(method=method), exact))
        scale = np.abs(c).max()
        assert np.abs(a - b).max() < 1e-10 * scale and np.abs(a - c).max() < 1e-10 * scale
