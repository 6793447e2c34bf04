"""Constraints against closed forms, against joints that do the same, and between the formulations."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import sharnir as sr
from constrained_mechanisms import FORMULATIONS, KINDS, body_accelerations, constrained, general_state, multipliers, point

G = 9.81
both = pytest.mark.parametrize("formulation", FORMULATIONS)


# ---- between formulations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moving_ground", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_formulations(kind, moving_ground):
    m = constrained(kind, moving_ground)
    joint, absolute = (general_state(m, f) for f in FORMULATIONS)
    expected = body_accelerations(joint)
    for name, a in body_accelerations(absolute).items():
        assert a == pytest.approx(expected[name], rel=1e-9, abs=1e-9), name
    assert multipliers(absolute)["x"] == pytest.approx(multipliers(joint)["x"], rel=1e-8, abs=1e-9)


@both
@pytest.mark.parametrize("kind", KINDS)
def test_solvers(kind, formulation):
    """Dense, sparse and null-space solvers give the same accelerations and multipliers."""
    m = constrained(kind)
    dense = general_state(m, formulation)
    expected = dense.observe_rates(np.zeros(1), dense.y0[None])
    for solver in ("sparse", "null-space"):
        s = m.compile(formulation=formulation, solver=solver)
        s.q0[:], s.v0[:], s.z0[:] = dense.q0, dense.v0, dense.z0
        assert s.observe_rates(np.zeros(1), s.y0[None]) == pytest.approx(expected, rel=1e-10, abs=1e-10), solver
        assert multipliers(s)["x"] == pytest.approx(multipliers(dense)["x"], rel=1e-9, abs=1e-10), solver


@pytest.mark.parametrize("kind", ["helix", "three bodies", "torus", "nonholonomic"])
def test_runs_in_both_formulations(kind):
    m = constrained(kind)
    a, b = (m.simulate(0.3, output=[0.3], tolerance=1e-11, formulation=f) for f in FORMULATIONS)
    for name in m.bodies:
        assert b[f"{name}.position"][-1] == pytest.approx(a[f"{name}.position"][-1], abs=1e-8)


# ---- points ----------------------------------------------------------------------------------------------------------------


@both
def test_a_rod_without_mass_is_a_pendulum(formulation):
    """λ is the force with which the rod pushes: it pulls with m (g cos θ + v²/l)."""
    m = sr.Model()
    m.add(point("bob", 2.0, position=(math.sin(1.2), 0, -math.cos(1.2))), sr.Distance("rod", "ground", "bob"))
    r = m.simulate(2.0, step=0.1, tolerance=1e-11, formulation=formulation)
    theta = np.arctan2(r["bob.position"][:, 0], -r["bob.position"][:, 2])
    v2 = (r["bob.velocity"] ** 2).sum(axis=1)
    assert v2 == pytest.approx(2 * G * (np.cos(theta) - math.cos(1.2)), abs=1e-8)
    assert np.linalg.norm(r["bob.position"], axis=1) == pytest.approx(1.0, abs=1e-12)
    s = m.compile(formulation=formulation)
    s.v0[:3] = 3.0 * np.array([math.cos(1.2), 0, math.sin(1.2)])
    assert multipliers(s)["rod"] == pytest.approx([-2 * (G * math.cos(1.2) + 9.0)])


@both
def test_a_rod_that_grows_is_a_driven_slider(formulation):
    """Distance with a length of time against a bead on a rail whose shift is prescribed; the rail weighs nothing much."""
    start = (math.sin(0.7), 0, -math.cos(0.7))
    rope, rail = sr.Model(), sr.Model()
    rope.add(point("bob", position=start), sr.Distance("rope", "ground", "bob", length="1 + 0.3*sin(2*t)"))
    rail.add(sr.Body("rail", mass=0, position=(0, 0, 0)), sr.Body("bob", mass=1, position=start))
    rail.add(sr.Revolute("O", "ground", "rail", at=(0, 0, 0), axis="y"))
    rail.add(sr.Prismatic("slide", "rail", "bob", axis=start, motion="0.3*sin(2*t)"))
    a = rope.simulate(2.0, output=[0.5, 1.0, 2.0], tolerance=1e-11, formulation=formulation)
    b = rail.simulate(2.0, output=[0.5, 1.0, 2.0], tolerance=1e-11)
    assert a["bob.position"] == pytest.approx(b["bob.position"], abs=1e-8)
    pull = rope.compile(formulation=formulation)
    assert multipliers(pull)["rope"] == pytest.approx(-G * math.cos(0.7))


@both
def test_three_points_on_a_plane_are_a_planar_joint(formulation):
    table, legs = sr.Model(gravity=(1.0, -2.0, -9.0)), sr.Model(gravity=(1.0, -2.0, -9.0))
    puck = sr.Body("puck", mass=2, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5), position=(0, 0, 0.5))
    table.add(puck, sr.Planar("on it", "ground", "puck", axis="z", v=(1, 0, 2)))
    legs.add(dataclasses.replace(puck, velocity=(1, 0, 0), angular_velocity=(0, 0, 2)))
    legs.add(*(sr.PointOnPlane(f"leg {k}", "ground", "puck", at=at) for k, at in enumerate(((1, 0, 0), (0, 1, 0), (-1, -1, 0)))))
    s = legs.compile(formulation=formulation)
    assert body_accelerations(s)["puck"] == pytest.approx(body_accelerations(table.compile())["puck"], abs=1e-10)
    assert sum(force[0] for force in multipliers(s).values()) == pytest.approx(2 * 9.0, abs=1e-9)


@both
def test_trammel(formulation):
    """A rod whose ends stay on two lines: its centre goes round a circle, θ̈ = -m g l/2 cos θ/(J + m l²/4)."""
    m, theta = sr.Model(), 0.6
    ends = np.array([2 * math.cos(theta), 0, 0]), np.array([0, 0, 2 * math.sin(theta)])
    m.add(sr.Body("rod", mass=3, inertia=(1.0, 1.0, 1.0), position=tuple((ends[0] + ends[1]) / 2)))
    m.add(sr.PointOnLine("x line", "ground", "rod", at=tuple(ends[0]), axis="x"))
    m.add(sr.PointOnLine("z line", "ground", "rod", at=tuple(ends[1]), axis="z"))
    r = m.simulate(0.4, step=0.05, tolerance=1e-11, formulation=formulation)
    assert np.linalg.norm(r["rod.position"], axis=1) == pytest.approx(1.0, abs=1e-11)
    angle = np.arctan2(r["rod.position"][:, 2], r["rod.position"][:, 0])
    rate2 = 2 * 3 * G * (math.sin(theta) - np.sin(angle)) / (1.0 + 3.0)
    assert r["rod.angular_velocity"][:, 1] ** 2 == pytest.approx(rate2, abs=1e-8)
    assert rate2[-1] > 1


@both
def test_bead_on_a_helix(formulation):
    """z = -h s, radius 1: s = g h t²/(2 (1 + h²)), many turns."""
    m, h = sr.Model(parameters={"h": 0.3}), 0.3
    m.add(point("bead", position=(1, 0, 0)))
    m.add(sr.PointOnCurve("wire", "ground", "bead", curve=("cos(s)", "sin(s)", "-h*s")))
    r = m.simulate(5.0, step=0.5, tolerance=1e-11, formulation=formulation)
    s = G * h * r.t**2 / (2 * (1 + h * h))
    assert s[-1] > 4 * math.pi
    expected = np.stack([np.cos(s), np.sin(s), -h * s], axis=1)
    assert r["bead.position"] == pytest.approx(expected, abs=1e-8)


@both
def test_bead_on_a_parabola(formulation):
    """z = x²: energy, and (1 + 4 x²) ẍ + 4 x ẋ² + 2 g x = 0 at the start; the force at the bottom is m (g + 2 v²)."""
    m = sr.Model()
    m.add(point("bead", 2.0, position=(0.8, 0, 0.64)))
    m.add(sr.PointOnCurve("wire", "ground", "bead", curve=("s", "0", "s^2"), s=0.8))
    r = m.simulate(3.0, step=0.25, tolerance=1e-11, formulation=formulation)
    x, z = r["bead.position"][:, 0], r["bead.position"][:, 2]
    assert z == pytest.approx(x**2, abs=1e-12)
    assert r["bead.velocity"][:, 0] ** 2 * (1 + 4 * x**2) == pytest.approx(2 * G * (0.64 - z), abs=1e-8)
    s = m.compile(formulation=formulation)
    assert body_accelerations(s)["bead"][0] == pytest.approx(-2 * G * 0.8 / (1 + 4 * 0.64))
    m = sr.Model()
    m.add(point("bead", 2.0, velocity=(1.5, 0, 0)), sr.PointOnCurve("wire", "ground", "bead", curve=("s", "0", "s^2")))
    s = m.compile(formulation=formulation)
    assert np.linalg.norm(multipliers(s)["wire"]) == pytest.approx(2 * (G + 2 * 1.5**2))


@both
def test_a_bowl_is_a_spherical_pendulum(formulation):
    models = [sr.Model(), sr.Model()]
    for m in models:
        m.add(point("ball", position=(0.6, 0, -0.8), velocity=(0, 1.3, 0)))
    models[0].add(sr.Distance("rope", "ground", "ball"))
    models[1].add(sr.PointOnSurface("bowl", "ground", "ball", surface="x^2 + y^2 + z^2 - 1"))
    a, b = (m.simulate(2.0, output=[1.0, 2.0], tolerance=1e-11, formulation=formulation) for m in models)
    assert b["ball.position"] == pytest.approx(a["ball.position"], abs=1e-8)
    rope, bowl = (m.compile(formulation=formulation) for m in models)
    assert multipliers(bowl)["bowl"] == pytest.approx(multipliers(rope)["rope"])
    assert multipliers(rope)["rope"] == pytest.approx(-(G * 0.8 + 1.3**2))


# ---- rolling ---------------------------------------------------------------------------------------------------------------


@both
def test_ball_on_a_turntable(formulation):
    """A solid ball on a table with Ω goes round a circle with 2/7 Ω, seen from the ground (Milne 1948)."""
    m, omega, r = sr.Model(), 3.5, 0.1
    m.add(sr.Body("table", mass=1, inertia=(1, 1, 1)), sr.Revolute("axle", "ground", "table", axis="z", motion=f"{omega}*t"))
    J = 0.4 * 1.0 * r**2
    m.add(sr.Body("ball", mass=1, inertia=(J, J, J), position=(0.5, 0, r), velocity=(0.2, 0.1, 0)))
    m.add(sr.RollingBall("contact", "ball", r, surface="table"))
    out = m.simulate(3.0, step=0.25, tolerance=1e-11, formulation=formulation)
    x, v = (
        out["ball.position"][:, 0] + 1j * out["ball.position"][:, 1],
        out["ball.velocity"][:, 0] + 1j * out["ball.velocity"][:, 1],
    )
    rate = 2 / 7 * omega
    assert v == pytest.approx(v[0] * np.exp(1j * rate * out.t), abs=1e-8)
    assert x == pytest.approx(x[0] + v[0] * (np.exp(1j * rate * out.t) - 1) / (1j * rate), abs=1e-8)
    s = m.compile(formulation=formulation)
    assert multipliers(s)["contact"][0] == pytest.approx(G)


@both
@pytest.mark.parametrize(("tube", "lean"), [(0.0, 0.5), (0.2, 0.5), (0.2, 0.0)])
def test_where_a_leaning_wheel_touches(tube, lean, formulation):
    """The centre is (radius - tube) cos lean + tube high; the material point below it at the edge is at rest."""
    axis = np.array([0, math.cos(lean), math.sin(lean)])
    height = (0.5 - tube) * math.cos(lean) + tube
    m = sr.Model()
    wheel = sr.Body(
        "w", mass=1, inertia=(0.1, 0.2, 0.1), position=(0, 0, height), velocity=(1, 0, 0), angular_velocity=(0.4, 2, 0)
    )
    m.add(wheel, sr.RollingDisc("contact", "w", axis=tuple(axis), radius=0.5, tube=tube))
    s = m.compile(formulation=formulation)
    state = s.bodies(s.q0, s.v0)["w"]
    assert state.position == pytest.approx([0, 0, height], abs=1e-12)
    down = (axis[2] * axis - [0, 0, 1]) / math.cos(lean)
    arm = (0.5 - tube) * down - tube * np.array([0, 0, 1])
    assert state.velocity + np.cross(state.angular_velocity, arm) == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.linalg.norm(state.velocity) > 0.5
