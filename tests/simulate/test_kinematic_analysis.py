"""Driven mechanisms without freedoms: positions, speeds, accelerations, drive forces; inverse dynamics with loops."""

import math

import numpy as np
import pytest

import large_mechanisms
import mechanisms
import sharnir as sr

BOTH = ("joint", "absolute")


def slider_motion(theta, omega=10.0):
    """Position, speed and acceleration of the slider of mechanisms.slider_crank at constant crank speed."""
    r, L = 0.15, 0.3
    s, c = r * np.sin(theta), r * np.cos(theta)
    root = np.sqrt(L**2 - s**2)
    x, dx = c + root, -s - s * c / root
    ddx = -c - (c * c - s * s) / root - (s * c) ** 2 / root**3
    return x, omega * dx, omega**2 * ddx


@pytest.mark.parametrize("formulation", BOTH)
def test_slider_crank_follows_its_closed_form(formulation):
    m = mechanisms.slider_crank(theta=1.0, motion="10*t")
    times = np.linspace(0.0, 2.0, 41)
    result = m.kinematics(times, formulation=formulation)
    x, v, a = slider_motion(1.0 + 10.0 * times)
    x0 = slider_motion(1.0)[0]
    assert result["slide.q"] == pytest.approx(x - x0, abs=1e-12)
    assert result["slide.v"] == pytest.approx(v, abs=1e-11)
    assert result["slide.a"] == pytest.approx(a, abs=1e-9)
    assert result["O.q"] == pytest.approx(10.0 * times)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_drive_does_the_work(formulation, side):
    """∫ drive ω dt = change of energy (Simpson's rule over one turn), open and crossed branch."""
    m = mechanisms.crank_rocker(side)
    result = m.kinematics(np.linspace(0.0, math.pi / 5, 2001), formulation=formulation)
    power = result["O.drive"] * result["O.v"]
    energy = result["energy.total"]
    work = (power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) * (result.t[2] - result.t[0]) / 6
    assert np.cumsum(work) == pytest.approx(energy[2::2] - energy[0], abs=1e-7 * np.ptp(energy))


def test_simulate_takes_the_same_way():
    for formulation in BOTH:
        m = mechanisms.crank_rocker()
        run = m.simulate(0.3, step=0.01, formulation=formulation)
        analysis = m.kinematics(run.t, formulation=formulation)
        assert run.stats["integrator"] == "kinematics"
        for name in ("C.q", "B.v", "O.drive", "coupler.acceleration"):
            assert run[name] == pytest.approx(analysis[name])


def test_the_branch_of_the_drawing_is_kept_over_wide_gaps_of_time():
    """One output per two turns: the crossed mechanism stays crossed."""
    for side in (1.0, -1.0):
        m = mechanisms.crank_rocker(side)
        turn = 2 * math.pi / 10
        result = m.kinematics([0.0, 2 * turn, 4 * turn])
        assert result["C.q"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_dead_ends_and_free_mechanisms_are_told():
    m = mechanisms.slider_crank(theta=1.0)
    with pytest.raises(sr.ModelError, match="1 of its freedoms are free"):
        m.kinematics([0.0, 1.0])
    m._joints["slide"] = sr.Prismatic("slide", "ground", "slider", axis="x", motion="0.1*t")
    with pytest.raises(sr.SimulationError, match=r"cannot be closed") as raised:
        m.kinematics(np.linspace(0.0, 2.0, 21))
    reach = 0.45 - slider_motion(1.0)[0]
    assert 0.1 * raised.value.result.t[-1] <= reach < 0.1 * (raised.value.result.t[-1] + 0.1)


@pytest.mark.parametrize("formulation", BOTH)
def test_inverse_dynamics_gives_back_the_drive(formulation):
    """The torque that a prescribed motion needs makes the free mechanism move just so."""
    driven = mechanisms.slider_crank(theta=1.0, motion="5*t + 3*t**2")
    torque = driven.kinematics([0.0, 0.2], formulation=formulation)["O.drive"][0]
    free = mechanisms.slider_crank(theta=1.0, v=5.0).compile(formulation)
    q, v = free.q0, free.v0
    assert free.inverse_dynamics(q, v, {"O": 6.0}, drives=["O"]) == pytest.approx([torque], rel=1e-8)
    applied = mechanisms.slider_crank(theta=1.0, v=5.0, torque=float(torque)).compile(formulation)
    vdot = applied.accelerations(q, v)
    assert free.inverse_dynamics(q, v, vdot, drives=["O"]) == pytest.approx([torque], rel=1e-9)
    # the same power through another joint
    shares = free.inverse_dynamics(q, v, vdot, drives=["slide"])
    result = mechanisms.slider_crank(theta=1.0, v=5.0).simulate(0.01, formulation=formulation)
    assert shares[0] * result["slide.v"][0] == pytest.approx(torque * 5.0, rel=1e-8)


def test_more_drives_than_freedoms_share_the_load_with_least_norm():
    free = mechanisms.slider_crank(theta=1.0, v=5.0).compile()
    q, v = free.q0, free.v0
    one, other, both = (free.inverse_dynamics(q, v, {"O": 6.0}, drives=d) for d in (["O"], ["slide"], ["O", "slide"]))
    a, b = 1.0 / one[0], 1.0 / other[0]  # a τ₁ + b τ₂ = 1
    assert both == pytest.approx(np.array([a, b]) / (a * a + b * b), rel=1e-8)


def test_wrong_accelerations_and_missing_drives_are_named():
    free = mechanisms.slider_crank(theta=1.0, v=5.0).compile()
    with pytest.raises(sr.ModelError, match="vdot violates"):
        free.inverse_dynamics(free.q0, free.v0, np.ones(free.n_v), drives=["O"])
    m = sr.Model()
    for name in "ab":
        m.add(sr.Body(name, mass=1, inertia=(1, 1, 1)), sr.Revolute(name.upper(), "ground", name, axis="y"))
    system = m.compile()
    with pytest.raises(sr.ModelError, match="name a drive for each"):
        system.inverse_dynamics([0, 0], [0, 0], [1.0, 2.0], drives=["A"])
    with pytest.raises(sr.ModelError, match="leave 1 freedoms open"):
        system.inverse_dynamics([0, 0], [0, 0], {"A": 1.0}, drives=["A", "B"])


def test_a_structure_without_freedoms_stands():
    """Two welds hold one lamp: no freedom, redundant, at rest."""
    m = sr.Model()
    m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1)), sr.Fixed("left", "ground", "lamp"), sr.Fixed("right", "ground", "lamp"))
    for formulation in BOTH:
        result = m.simulate(0.1, formulation=formulation)
        assert np.abs(result["lamp.position"]).max() < 1e-14
        assert (result["left.reaction.fz"] + result["right.reaction.fz"])[-1] == pytest.approx(19.62)


@pytest.mark.parametrize("formulation", BOTH)
def test_stewart_platform_with_driven_legs(formulation):
    """Legs get the lengths that are prescribed, and the six drives together give the power."""
    drives = [f"0.05*sin(3*t + {k}) - 0.05*sin({k})" for k in range(6)]
    result = large_mechanisms.stewart(drives=drives).kinematics(np.linspace(0.0, 0.4, 81), formulation=formulation)
    for k in range(6):
        leg = np.linalg.norm(result[f"upper{k}.position"] - result[f"lower{k}.position"], axis=1)
        assert leg - leg[0] == pytest.approx(0.05 * (np.sin(3 * result.t + k) - math.sin(k)), abs=1e-11)
    power = sum(result[f"leg{k}.drive"] * result[f"leg{k}.v"] for k in range(6))
    energy = result["energy.total"]
    work = (power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) * (result.t[2] - result.t[0]) / 6
    assert np.cumsum(work) == pytest.approx(energy[2::2] - energy[0], abs=1e-6 * np.ptp(energy))


@pytest.mark.parametrize("formulation", BOTH)
def test_accelerations_and_drives_that_are_missing_or_no_numbers(formulation):
    system = mechanisms.slider_crank(v=5.0).compile(formulation)
    q, v = system.q0, system.v0
    wrong = [
        (({},), {"drives": ["O"]}, "vdot names no accelerations and leaves 1 freedoms open"),
        (({"O": 0.7},), {"drives": []}, r"drives is empty.*such as drives=\['O'\]"),
        (({"O": 0.7},), {}, r"drives is missing.*such as drives=\['O'\]; joints that can be driven are O, A, B"),
        (({"O": "fast"},), {"drives": ["O"]}, "acceleration of 'O' is 'fast'; it needs a finite number"),
        (({"O": (1.0, 2.0)},), {"drives": ["O"]}, "acceleration of 'O'.*needs a finite number"),
        (([1.0],), {"drives": ["O"]}, "vdot has the shape"),
    ]
    for args, options, words in wrong:
        with pytest.raises(sr.ModelError, match=words):
            system.inverse_dynamics(q, v, *args, **options)
    one, same = (system.inverse_dynamics(q, v, {"O": 0.7}, drives=drives) for drives in ("O", ["O"]))
    assert one == pytest.approx(same, rel=1e-12)


def test_a_freedom_that_only_a_speed_holds_needs_integration():
    m = sr.Model("belt")
    m.add(sr.Body("box", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "box", axis="x"))
    m.add(sr.Constraint("belt", "P.v - 1"))
    with pytest.raises(sr.ModelError, match="'belt' holds for speeds only, so 1 position must be found by integration"):
        m.kinematics([0.0, 1.0])
    assert m.simulate(1.0)["P.q"][-1] == pytest.approx(1.0, abs=1e-9)


DEAD_POINT = [("-0.1*t", r"'S' .*dead point"), ("-0.1*t**2", r"dead point\): 'S' does not say which way")]


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize(("motion", "words"), DEAD_POINT)
def test_a_slider_driven_from_its_dead_point(formulation, motion, words):
    """Crank and rod stretched: the slider cannot begin to move, or it may go with the crank on either side."""
    m = sr.Model("stretched")
    for name, x in (("crank", 0.5), ("rod", 2.0), ("slider", 3.0)):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y"), sr.Revolute("A", "crank", "rod", at=(1, 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "slider", at=(3, 0, 0), axis="y"))
    m.add(sr.Prismatic("S", "ground", "slider", axis="x", motion=motion))
    with pytest.raises(sr.SharnirError, match=words):
        m.kinematics([0.0, 0.1], formulation=formulation)


@pytest.mark.parametrize("formulation", BOTH)
def test_filters_go_on_where_all_motion_is_prescribed(formulation):
    """2 (1 - e^(-t/T)) of a constant speed; a driven loop goes where it goes without a filter."""
    m = sr.Model("rail")
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x", motion="2*t"))
    m.add(sr.LowPass("filtered", input="cart.x_dot", time_constant=0.1))
    r = m.simulate(0.3, step=0.05, formulation=formulation)
    assert r["filtered"] == pytest.approx(2 * (1 - np.exp(-r.t / 0.1)), abs=1e-6)
    with pytest.raises(sr.ModelError, match="use simulate"):
        m.kinematics([0.0, 0.1])
    m = mechanisms.slider_crank(theta=1.0, motion="10*t")
    m.add(sr.LowPass("filtered", input="slide.v", time_constant=0.1))
    r = m.simulate(0.5, step=0.01, tolerance=1e-9, formulation=formulation)
    x, v, _ = slider_motion(1.0 + 10.0 * r.t)
    assert r["slide.q"] == pytest.approx(x - x[0], abs=1e-7)
    change = np.sum(0.5 * (v[1:] + v[:-1] - r["filtered"][1:] - r["filtered"][:-1])) * 0.01 / 0.1  # trapezoids
    assert r["filtered"][-1] == pytest.approx(change, abs=1e-2)


@pytest.mark.parametrize("times", [[0.0, 1.0, 0.5], [0.0, 0.5, 0.5, 1.0], [-1.0, 0.0, 1.0], []])
def test_times_increase_from_zero_on(times):
    m = sr.Model("arm")
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "b", axis="z", motion="t"))
    with pytest.raises(sr.ModelError, match="times must be numbers that increase, from 0 on"):
        m.kinematics(times)
    assert m.kinematics([0.5, 2.0])["O.q"] == pytest.approx([0.5, 2.0], abs=1e-12)


def test_free_freedoms_come_before_those_that_only_a_speed_holds():
    """One slider runs with a belt, the other is free: what is missing first is a motion for the free one."""
    m = sr.Model("belt and a free slider")
    for name in ("one", "two"):
        m.add(sr.Body(name, mass=1, inertia=(1, 1, 1)), sr.Prismatic(f"P_{name}", "ground", name, axis="x"))
    m.add(sr.Constraint("belt", "P_one.v - 1"))
    with pytest.raises(sr.ModelError, match="1 of its freedoms are free; prescribe them"):
        m.kinematics([0.0, 1.0])
