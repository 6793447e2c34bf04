"""Bounds of steps: what they are made of, one by one, and what comes of them where contacts, wheels and stops are met."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.contact.conservative_advancement import expected_depth, travel_time
from sharnir.dynamics.contact.contact_laws import EXPONENTIAL, LINEAR, POWER
from sharnir.dynamics.contact.contact_reports import contact_reports
from sharnir.dynamics.contact.shape_extents import half_thickness
from sharnir.dynamics.evaluation.joint_stops import first_root
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.errors import ModelWarning
from sharnir.integrate import integrate
from sharnir.integrate.stepping import step_horizon

G = 9.81


def test_travel_time_is_the_root_of_a_cubic() -> None:
    r = np.random.default_rng(0)
    for _ in range(200):
        way, v, a, j, longest = r.uniform(0.1, 2), r.uniform(-2, 2), r.uniform(0, 3), r.uniform(0, 3), r.uniform(0.1, 5)
        roots = np.roots([j / 6, a / 2, v, -way])
        expected = min([x.real for x in roots if abs(x.imag) < 1e-9 and x.real > 0] + [longest])
        assert travel_time(way, v, a, j, longest) == pytest.approx(expected, rel=2e-3)


def test_first_root_of_a_parabola() -> None:
    r = np.random.default_rng(0)
    for _ in range(200):
        c, b, a = r.normal(size=3)
        roots = [x.real for x in np.roots([a / 2, b, c]) if abs(x.imag) < 1e-9 and x.real > 0]
        assert first_root(c, b, a) == pytest.approx(min(roots, default=math.inf))
    assert first_root(1.0, -2.0, 0.0) == 0.5
    assert first_root(1.0, 0.0, 0.0) == math.inf


@pytest.mark.parametrize(("kind", "k", "n"), [(POWER, 1e5, 1.5), (POWER, 1e4, 2.2), (LINEAR, 1e4, 0.0)])
def test_expected_depth_is_where_the_law_stops_a_mass(kind: float, k: float, n: float) -> None:
    """m v²/2 = ∫ N dδ, by a sum."""
    m, v, power = 2.0, 3.0, 1.0 if kind == LINEAR else n
    depth = expected_depth(np.array([kind, k, n, 0.0]), 0, m, v, 0.0)
    x = (np.arange(20000) + 0.5) * depth / 20000
    assert np.sum(k * x**power) * depth / 20000 == pytest.approx(0.5 * m * v * v, rel=1e-6)
    sag = expected_depth(np.array([kind, k, n, 0.0]), 0, m, 0.0, G)
    assert k * sag**power == pytest.approx(m * G)


def test_expected_depth_of_an_exponential_law() -> None:
    """One length of the law, and as far as it needs to take the energy."""
    k, alpha, m, v = 2.0, 300.0, 1.0, 5.0
    depth = expected_depth(np.array([EXPONENTIAL, k, alpha, 0.0]), 0, m, v, 0.0) - 1.0 / alpha
    assert k / alpha * math.exp(alpha * depth) == pytest.approx(0.5 * m * v * v)


def test_half_thickness_of_a_cam() -> None:
    cam = sr.Profile("a*cos(s)", "0.8*a*sin(s)", (0, 2 * math.pi), inside=False)
    assert half_thickness(cam, {"a": 0.5}) == pytest.approx(0.4, rel=1e-3)
    assert half_thickness(sr.Profile("cos(s)", "sin(s)", (0, 2 * math.pi)), {}) == math.inf


def answer_of(m: sr.Model, asked: float, formulation: str = "joint") -> np.ndarray:
    """What a system says to a step from its initial state on."""
    system = m.compile(formulation=formulation)
    problem, y = system.problem(), system.y0
    ahead = np.zeros(step_horizon.memory_size(problem.n, problem.horizon_memory))
    ahead[step_horizon.ASKED], ahead[step_horizon.CREDIT] = asked, 1.0
    ahead[step_horizon.HEADER : step_horizon.HEADER + problem.n] = system.observe_rates(np.zeros(1), y[None])[0]
    call_once(problem.horizon.address, 0.0, y, ahead, problem.table, problem.params, problem.work)
    return ahead


def falling_ball(height: float, v: float, law: Any, radius: float = 0.1) -> sr.Model:
    m = sr.Model()
    m.add(sr.Body("ball", mass=1, inertia=(0.004,) * 3, position=(0, 0, height + radius), velocity=(3, 0, v)))
    m.add(sr.Contact("floor", "ball", "ground", sr.Sphere(radius), sr.Plane(), law=law))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize(("height", "v"), [(1.0, 0.0), (2.0, -30.0), (0.5, 4.0)])
def test_touch_of_a_falling_ball(height: float, v: float, formulation: str) -> None:
    touch = (v + math.sqrt(v * v + 2 * G * height)) / G
    ahead = answer_of(falling_ball(height, v, sr.Hertz(1e8)), 100.0, formulation)
    assert ahead[step_horizon.CROSSING] == pytest.approx(touch, rel=1e-6)
    assert touch < ahead[step_horizon.SAFE] < touch + 0.01 / math.hypot(v, math.sqrt(2 * G * height))
    ahead = answer_of(falling_ball(height, v, sr.Hertz(1e8)), 0.9 * touch, formulation)
    assert ahead[step_horizon.CROSSING] == math.inf
    assert ahead[step_horizon.SAFE] == math.inf


def test_a_turning_rod_meets_a_post() -> None:
    """The end of a rod on a hinge, at 2 m from it and 1 rad away: what is safe is not beyond, and steps come there in the end."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(
        sr.Body("rod", mass=1, inertia=(0.3, 0.3, 0.3), position=(1, 0, 0)),
        sr.Revolute("O", "ground", "rod", at=(0, 0, 0), axis="z", v=50.0),
    )
    post = sr.Sphere(0.1, (2 * math.cos(1.0), 2 * math.sin(1.0), 0))
    m.add(sr.Contact("post", "rod", "ground", sr.Sphere(0.05, (1, 0, 0)), post, law=sr.Hertz(1e9)))
    touch = (1.0 - 2 * math.asin(0.15 / 4)) / 50.0
    assert answer_of(m, 10.0)[step_horizon.SAFE] < touch + 0.01 / 100
    r = m.simulate(3 * touch)
    assert r["O.v"][-1] == pytest.approx(-50.0, rel=1e-6)
    assert r["O.q"].max() < 1.0 - 2 * math.asin(0.15 / 4) + 0.01


def ball_and_box(speed: float, law: Any) -> sr.Model:
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=1, inertia=(0.004,) * 3, position=(-5, 0, 0), velocity=(speed, 0, 0)))
    m.add(sr.Body("box", mass=4, inertia=(0.1,) * 3))
    m.add(sr.Contact("c", "ball", "box", sr.Sphere(0.1), sr.Box((0.5, 0.5, 0.5)), law=law))
    return m


@pytest.mark.parametrize("speed", [0.5, 10.0, 300.0])
def test_a_ball_does_not_fly_through_a_box(speed: float) -> None:
    """Head-on and elastic: v' = v (m - M)/(m + M) = -0.6 v."""
    r = ball_and_box(speed, sr.Hertz(1e6 * max(1.0, speed / 10) ** 2)).simulate(20.0 / speed)
    assert r["ball.velocity"][-1] == pytest.approx([-0.6 * speed, 0, 0], rel=1e-6, abs=1e-6 * speed)
    assert r["ball.position"][:, 0].max() < -0.3
    assert np.abs(r["energy.total"] / r["energy.total"][0] - 1).max() < 2e-7


@pytest.mark.parametrize("stiffness", [1e5, 1e7, 1e9, 1e11])
def test_a_bouncing_ball_keeps_its_energy(stiffness: float) -> None:
    """22 bounces; each changes the energy by less than 2e-7 of it, as much as a swing of a pendulum does."""
    r = falling_ball(1.0, 0.0, sr.Hertz(stiffness)).simulate(10.0)
    energy = r["energy.total"] - r["energy.kinetic"][0]
    assert np.abs(energy - energy[0]).max() < 22 * 2e-7 * G


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("law", [sr.Hertz(1e7), sr.LinearLaw(1e6), sr.ExponentialLaw(1.0, 2000.0)])
@pytest.mark.parametrize("speed", [3.0, 300.0])
def test_stops_in_joints_keep_the_energy(law: Any, speed: float, formulation: str) -> None:
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("slider", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "slider", axis="x", v=speed))
    m.add(sr.JointLimit("stop", "P", -5, 5, law=law))
    r = m.simulate(60.0 / speed, formulation=formulation)
    assert np.abs(r["P.q"]).max() < 5.4
    assert np.abs(r["energy.total"] / r["energy.total"][0] - 1).max() < 2e-6


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_stops_have_a_memory_each(formulation: str) -> None:
    """Two sliders that nothing connects take no more steps together than the one and the other, and move as they do alone."""
    sliders = {"a": (1.0, "3*sin(2*t)"), "b": (-2.0, "-4")}

    def run(names: str) -> Any:
        m = sr.Model(gravity=(0, 0, 0))
        for k in names:
            v, force = sliders[k]
            m.add(sr.Body(k, mass=1, inertia=(1, 1, 1)), sr.Prismatic(f"P{k}", "ground", k, axis="x", v=v))
            m.add(sr.JointLimit(f"stop {k}", f"P{k}", -0.5, 0.5, law=sr.LinearLaw(1e4)), sr.JointForce(f"f{k}", f"P{k}", force))
        return m.simulate(3.0, formulation=formulation)

    both, alone = run("ab"), {k: run(k) for k in "ab"}
    assert both.stats["steps"] <= sum(r.stats["steps"] for r in alone.values())
    for k in "ab":
        np.testing.assert_allclose(both[f"P{k}.q"], alone[k][f"P{k}.q"], atol=1e-6)


def test_a_stop_is_not_met_and_left_within_a_step() -> None:
    """A mass on a spring touches a hard stop lightly, at the end of its swing, and goes back as it came."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=1.0, stiffness=1.0))
    m.add(sr.JointLimit("stop", "P", upper=0.9999, law=sr.Hertz(1e15)))
    r = m.simulate(2.0, output=[0.5, 1.0, 2.0])
    free = math.asin(0.9999)  # when the bound is met; the speed there turns round
    assert r["P.q"][-1] == pytest.approx(math.sin(2 * free - 2.0), abs=2e-5)


def test_a_wheel_does_not_fall_through_the_road() -> None:
    m = sr.Model()
    m.add(sr.Body("wheel", mass=20, inertia=(1, 2, 1), position=(0, 0, 30), velocity=(0, 0, -300)))
    m.add(sr.Wheel("tyre", "wheel", radius=0.3, tube=0.05, law=sr.LinearLaw(2e9), tyre=sr.LinearTyre(1e4, 1e4)))
    r = m.simulate(0.3)
    assert r["wheel.position"][:, 2].min() > 0.2
    assert r["wheel.velocity"][-1, 2] > 290


def test_deep_penetration_is_reported() -> None:
    with pytest.warns(ModelWarning, match=r"Contact 'c' by 3\.5 times that at t = 0\.0050"):
        ball_and_box(1000.0, sr.Hertz(1e6)).simulate(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ball_and_box(10.0, sr.Hertz(1e6)).simulate(1.0)


def test_fixed_steps_are_reported_and_short_ones_not() -> None:
    m = ball_and_box(10.0, sr.Hertz(1e6))
    with pytest.warns(ModelWarning, match="fixed steps are so long"):
        m.simulate(1.0, integrator="rk4", step=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.simulate(1.0, integrator="rk4", step=1e-4)


def test_reports_are_those_of_the_contact() -> None:
    system = falling_ball(1.0, 0.0, sr.Hertz(1e5)).compile()
    problem = system.problem()
    solution = integrate(problem, system.y0, np.linspace(0, 1, 2001), "dop853")
    report = contact_reports(system, problem.work)["Contact 'floor'"]
    deepest = -1.0 - solution.y[:, 2].min()  # coordinates begin at zero
    assert report.depth * 0.1 == pytest.approx(deepest, rel=0.02)


def test_there_is_nothing_to_ask_without_contacts() -> None:
    m = sr.Model()
    m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    assert m.compile().problem().horizon is None


def heap(n: int) -> sr.Model:
    m = sr.Model()
    r = np.random.default_rng(0)
    for k in range(n):
        place = (0.11 * (k % 2) + r.uniform(-0.005, 0.005), 0.11 * (k // 2 % 2), 0.06 + 0.11 * (k // 4))
        m.add(sr.Body(f"b{k}", density=1000, shape=sr.Sphere(0.05), position=place))
    sides = [sr.Plane((0.2 * x, 0.2 * y, 0), (-x, -y, 0)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    m.add(sr.ContactGroup("heap", walls=[sr.Plane(), *sides], law=sr.HuntCrossley(1e6, damping=0.5)))
    return m


@pytest.mark.parametrize(
    ("integrator", "tolerance", "t_end"), [("dopri5", 1e-4, 0.6), ("dop853", 1e-8, 0.6), ("radau5", 1e-6, 20.0)]
)
def test_a_heap_does_not_crawl(integrator: str, tolerance: float, t_end: float) -> None:
    """Evaluations with and without bounds of the steps, of balls that fall and, implicitly, come to rest."""
    system, grid = heap(4 if integrator == "radau5" else 12).compile(), np.linspace(0.0, t_end, 21)
    bounded = integrate(system.problem(), system.y0, grid, integrator, tolerance, 1e-2 * tolerance)
    free = integrate(replace(system.problem(), horizon=None), system.y0, grid, integrator, tolerance, 1e-2 * tolerance)
    assert bounded.success and free.success
    assert bounded.stats["evaluations"] < 1.25 * free.stats["evaluations"]
    assert integrator != "radau5" or bounded.stats["largest_step"] > 1.0
