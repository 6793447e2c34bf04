"""Sensitivities of runs against runs at other values, closed forms and invariants."""

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from sharnir.dynamics.straight_line.neighbours import PLACES, sixth_order
from sharnir.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


def arm(**more):
    """A pendulum of two links, numbers of which are formulas."""
    m = sr.Model("arm", gravity=(0, 0, "-g"), parameters={"g": 9.81, "l": 0.5, "rho": 3.0, "k": 4.0, "q0": 0.7} | more)
    m.add(sr.Body("a", mass="rho*l", inertia=(0, "rho*l^3/12", "rho*l^3/12"), position=("l/2", 0, 0)))
    m.add(sr.Body("b", mass=1.0, inertia=(0.01, 0.02, 0.03), com=(0.1, 0, 0), position=("l", 0, 0)))
    m.add(sr.Revolute("O", "ground", "a", at=(0, 0, 0), axis="y", q="q0", damping="0.01*rho"))
    m.add(sr.Ball("K", "a", "b", at=("l", 0, 0)))
    m.add(sr.Spring("s", "ground", "b", at_a=(0, 0.1, 0.3), at_b=("1.2*l", 0, 0), stiffness="k", length=0.2))
    return m


def slider_crank(seed):
    rng = np.random.default_rng(seed)
    numbers = {"r": 0.15, "l": 0.35, "mass": 0.2, "d": 0.01}
    m = sr.Model("slider-crank", parameters={name: value * rng.uniform(0.8, 1.25) for name, value in numbers.items()})
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-5, 1e-3, 1e-3), com=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass="mass", inertia=(1e-5, "mass*l^2/12", "mass*l^2/12"), com=("l/2", 0, 0), position=("r", 0, 0)))
    m.add(sr.Body("slider", mass=0.1, position=("r + l", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=20, damping="d"))
    m.add(sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "slider", at=("r + l", 0, 0), axis="y"))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x", damping=0.2))
    return m


def differences(m, name, channels, until, **settings):
    """The derivative of sixth order of whole runs."""
    value = m.parameters[name]
    h = 2e-3 * (abs(value) or 1.0)
    runs = [m.with_parameters(**{name: value + k * h}).simulate(until, tolerance=1e-13, **settings) for k in PLACES]
    return {channel: sixth_order([run[channel] for run in runs], h) for channel in channels}


def check(m, names, channels, until, **settings):
    result = m.simulate(until, **settings)
    for name in names:
        wanted = differences(m, name, channels, until, **settings)
        for channel in channels:
            found = result.sensitivity(channel, name, tolerance=1e-11)
            assert np.abs(wanted[channel]).max() > 1e-8
            assert np.abs(found - wanted[channel]).max() < 1e-8 * np.abs(wanted[channel]).max(), (channel, name)


def test_a_tree_with_a_ball_joint():
    channels = ["O.q", "b.position", "b.angular_velocity.y", "energy.kinetic", "O.reaction", "s.force"]
    check(arm(), ["l", "rho", "k", "g", "q0"], [x for x in channels if x in arm().simulate(0.01)], 0.8, step=0.2)


@pytest.mark.parametrize("seed", range(2))
def test_a_loop(seed):
    check(slider_crank(seed), ["l", "mass", "d"], ["slide.q", "B.q", "rod.velocity", "O.v", "A.reaction.fx"], 0.4, step=0.1)


def test_the_method_of_the_run_does_not_matter():
    m = slider_crank(0)
    a, b = (m.simulate(0.3, step=0.1, method=method).sensitivity("slide.q", "l") for method in ("articulated", "symbolic"))
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()


def test_closed_form_of_an_oscillator():
    m = sr.Model(gravity=(0, 0, 0), parameters={"k": 8.0, "x0": 0.3})
    m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness="k", q="x0"))
    r = m.simulate(3.0, step=0.1)
    w, t = 2.0, r.t
    assert np.abs(r.sensitivity("x.q", "x0") - np.cos(w * t)).max() < 1e-9
    assert np.abs(r.sensitivity("x.q", "k") + 0.3 * t * np.sin(w * t) / (4.0 * w)).max() < 1e-9  # dω/dk = 1/(2 m ω)
    assert np.abs(r.sensitivity("x.q", "x.q") - np.cos(w * t)).max() < 1e-9
    assert np.abs(r.sensitivity("x.q", "x.v") - np.sin(w * t) / w).max() < 1e-9


def test_initial_values_of_a_loop():
    m = mechanisms.slider_crank()
    r, h = m.simulate(0.5, step=0.1, tolerance=1e-12), 1e-3
    name = next(name for name in m.joints if f"{name}.v" in m.compile().speeds)
    found = r.sensitivity(f"{name}.q", f"{name}.v", tolerance=1e-11)
    start = m.compile().v0[m.compile().speeds.index(f"{name}.v")]
    q0 = m.compile().q0[m.compile().coordinates.index(f"{name}.q")]
    runs = [
        m.simulate(0.5, step=0.1, tolerance=1e-13, initial=sr.Initial(q={name: q0}, v={name: start + k * h}))[f"{name}.q"]
        for k in PLACES
    ]
    wanted = sixth_order(runs, h)
    assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max()


def test_what_is_refused():
    noted = slider_crank(0)
    noted.add(sr.Event("passed", when="O.q - 1"))
    assert noted.simulate(0.2, step=0.1).sensitivity("O.q", "l").shape == (3,)
    r = slider_crank(0).simulate(0.2, step=0.1)
    with pytest.raises(sr.ModelError, match="name one parameter"):
        r.sensitivity("O.q", ["l"])
    with pytest.raises(sr.ModelError, match="neither a parameter nor an initial coordinate"):
        r.sensitivity("O.q", "mss")
    with pytest.raises(sr.SharnirError, match="nothing"):
        r.sensitivity("nothing", "l")
    pushed = slider_crank(0)
    pushed.add(sr.JointForce("f", "O", lambda q, v, t: -0.1 * v))
    with pytest.raises(sr.ModelError, match="is a Python function"):
        pushed.simulate(0.2, step=0.1).sensitivity("O.q", "l")


def test_a_result_that_was_saved_says_so(tmp_path):
    r = slider_crank(0).simulate(0.2, step=0.1)
    r.save(tmp_path / "run.h5")
    with pytest.raises(sr.ModelError, match="only numbers"):
        sr.Result.load(tmp_path / "run.h5").sensitivity("O.q", "l")
