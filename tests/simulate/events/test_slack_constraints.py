"""Constraints that events let go and that take hold again: ropes, wheels, beads on wires, gears."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, SimulationError

BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])
G, SPEED = 9.81, 6.5
SMALL = (1e-3, 1e-3, 1e-3)


def on_a_rope(*events, speed=SPEED):
    """A ball on a rope of 1 m, pushed at its lowest point; the rope pulls while its force is below zero."""
    m = sr.Model("ball on a rope")
    m.add(sr.Body("ball", mass=2, inertia=SMALL, position=(0, 0, -1), velocity=(speed, 0, 0)))
    m.add(sr.Distance("rope", "ground", "ball", at_a=(0, 0, 0), length=1.0), *events)
    return m


def tight(**settings):
    length = {"d": sr.PointDistance("ground", "ball", at_a=(0, 0, 0))}
    return sr.Event("tight", "d > 1", sr.Join("rope"), variables=length, **settings)


SLACK = sr.Event("slack", "rope.force > 0", sr.Release("rope"))


@BOTH
def test_a_rope_goes_slack_and_jerks(formulation):
    """Tension m (v²/l + g cos θ) = 0 with v² = v0² - 2 g l (1 - cos θ); a parabola with p·p = l² + t³ (g² t/4 - g v_z), tight
    again at t = 4 v_z/g; the jerk takes the radial part of the kinetic energy."""
    r = on_a_rope(SLACK, tight()).simulate(1.9, output=0.01, tolerance=1e-11, formulation=formulation)
    cos = (2 - SPEED**2 / G) / 3
    sin, v = math.sqrt(1 - cos**2), math.sqrt(-G * cos)
    start, velocity = np.array([sin, -cos]), v * np.array([cos, sin])
    flight = 4 * velocity[1] / G
    slack, taut = r.events
    assert [slack["name"], taut["name"]] == ["slack", "tight"]
    assert taut["t"] - slack["t"] == pytest.approx(flight, abs=1e-9)
    t = r.t[(r.t > slack["t"]) & (r.t < taut["t"])] - slack["t"]
    path = start + np.outer(t, velocity) - np.outer(t**2, [0, G / 2])
    apart = (r.t > slack["t"]) & (r.t < taut["t"])
    np.testing.assert_allclose(r["ball.position"][apart][:, [0, 2]], path, atol=1e-8)
    end, last = start + velocity * flight - np.array([0, G / 2 * flight**2]), velocity - np.array([0, G * flight])
    assert slack["energy_after"] == pytest.approx(slack["energy_before"], abs=1e-12)
    assert taut["energy_before"] - taut["energy_after"] == pytest.approx((last @ end) ** 2, rel=1e-8)  # mass 2
    assert np.isnan(r["rope.force"][apart]).all()
    assert (r["rope.force"][~apart] < 0).all()
    behind = r.t > taut["t"]
    np.testing.assert_allclose(np.linalg.norm(r["ball.position"][behind], axis=1), 1.0, atol=1e-10)
    np.testing.assert_allclose(r.energy.total[behind], taut["energy_after"], rtol=1e-8)


@pytest.mark.parametrize(("integrator", "speed"), [("rk4", 4.908333333333333), ("radau5", 6.95), ("bdf", 5.0), ("dopri5", 6.0)])
def test_rounding_does_not_tie_what_has_just_come_apart(integrator, speed):
    """Behind the release the length differs from that of the rope by t³: for a while rounding alone says whether it is longer."""
    settings = {"step": 0.001} if integrator == "rk4" else {}
    r = on_a_rope(SLACK, tight(), speed=speed).simulate(5.0, output=0.01, integrator=integrator, **settings)
    names = [event["name"] for event in r.events]
    assert names == ["slack", "tight"] * (len(names) // 2) + ["slack"] * (len(names) % 2)
    cos = (2 - speed**2 / G) / 3
    flight = 4 * math.sqrt(-G * cos * (1 - cos**2)) / G
    assert r.events[1]["t"] - r.events[0]["t"] == pytest.approx(flight, abs=1e-6)
    assert np.nanmax(r["rope.force"]) <= 0.0
    assert np.linalg.norm(r["ball.position"], axis=1).max() < 1 + 1e-9


@BOTH
def test_a_rope_that_begins_slack(formulation):
    """A stone is dropped 0.5 m below a hook with a rope of 2 m: it falls 1.5 m freely, then the rope takes its whole energy."""
    m = sr.Model("fall into a rope")
    m.add(sr.Body("ball", mass=2, inertia=SMALL, position=(0, 0, -0.5)))
    m.add(sr.Distance("rope", "ground", "ball", at_a=(0, 0, 0), length=2.0))
    m.add(sr.Event("begins slack", at=0, actions=sr.Release("rope")), SLACK, sr.Event("tight", "ball.z < -2", sr.Join("rope")))
    r = m.simulate(1.0, output=0.05, tolerance=1e-10, formulation=formulation)
    fall = math.sqrt(2 * 1.5 / G)
    assert [event["name"] for event in r.events] == ["begins slack", "tight"]
    assert r.events[1]["t"] == pytest.approx(fall, abs=1e-9)
    assert r.events[1]["energy_before"] - r.events[1]["energy_after"] == pytest.approx(2 * G * 1.5, rel=1e-9)
    free, behind = r.t < fall, r.t > fall
    np.testing.assert_allclose(r["ball.position"][free][:, 2], -0.5 - G / 2 * r.t[free] ** 2, atol=1e-9)
    np.testing.assert_allclose(r["ball.position"][behind], np.tile([0, 0, -2], (behind.sum(), 1)), atol=1e-9)
    np.testing.assert_allclose(r["rope.force"][behind], -2 * G, rtol=1e-9)
    assert np.isnan(r["rope.force"][(r.t > 0) & free]).all()


@BOTH
def test_a_jerk_between_free_balls_keeps_momentum(formulation):
    """Two spinning balls on a rope fixed off their centres: momentum and angular momentum about the origin stay."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.2, 0.3), velocity=(0, 0.3, 0), angular_velocity=(0, 0.2, 2)))
    m.add(sr.Body("b", mass=3, inertia=(0.3, 0.2, 0.1), position=(2, 0, 0), velocity=(0, 0.9, 0.1)))
    m.add(sr.Distance("rope", "a", "b", at_a=(0.2, 0.1, 0), at_b=(1.9, 0, 0.1), length=1.7))
    m.add(sr.Event("loose", at=0.0, actions=sr.Release("rope")), sr.Event("tied", at=0.3, actions=sr.Join("rope", gap=1.0)))
    r = m.simulate(1.0, output=0.05, tolerance=1e-10, formulation=formulation)
    k = int(np.searchsorted(r.t, 0.301))
    np.testing.assert_allclose(r["system.momentum"], np.tile(r["system.momentum"][0], (len(r.t), 1)), atol=1e-10)
    spin = r["system.angular_momentum"]
    np.testing.assert_allclose(spin[k:], np.tile(spin[k], (len(r.t) - k, 1)), atol=1e-8)
    assert r.events[1]["energy_after"] < r.events[1]["energy_before"]
    assert np.isfinite(r["rope.force"][k:]).all()


@BOTH
def test_what_would_have_to_push_is_let_go_at_once(formulation):
    """A carriage is pulled back by 5 N; thrown against the end of its rope it stops there, and goes back as from rest."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=1, inertia=SMALL, position=(1, 0, 0)), sr.Prismatic("P", "ground", "ball", axis="x"))
    m.add(sr.JointForce("back", "P", -5.0), sr.Distance("rope", "ground", "ball", at_a=(0, 0, 0)))
    m.add(sr.Event("start", at=0.0, actions=sr.Release("rope")), SLACK, sr.Event("tight", "P.q > 0", sr.Join("rope")))
    m.add(sr.Event("thrown", at=0.2, actions=sr.SetSpeed("P", 2.0)))
    r = m.simulate(1.0, output=0.1, tolerance=1e-10, formulation=formulation)
    hit = 0.2 + (2 - math.sqrt(3)) / 5
    assert [event["name"] for event in r.events][1:] == ["thrown", "tight", "slack"]
    assert [event["t"] for event in r.events][2:] == pytest.approx([hit, hit], abs=1e-9)
    behind = r.t > hit
    np.testing.assert_allclose(r["P.q"][behind], -2.5 * (r.t[behind] - hit) ** 2, atol=1e-8)


@BOTH
def test_a_rolling_wheel_lifts_off_and_lands(formulation):
    """A pushed disc is lifted for 0.1 s: it leaves the ground when its normal force would pull, keeps its spin, flies and lands;
    there the rim is stopped by an impulse along the ground, so m v + I ω/r stays."""
    m = sr.Model(parameters={"lift": 0.0})
    m.add(sr.Body("disc", mass=2, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.1), velocity=(1, 0, 0)))
    m.add(sr.RollingDisc("rolls", "disc", axis="y", radius=0.1), sr.Force("push", "disc", (2, 0, "lift")))
    m.add(sr.Event("up", at=0.5, actions=sr.SetParameter("lift", 2 * (G + 5))))
    m.add(sr.Event("down", at=0.6, actions=sr.SetParameter("lift", 0)))
    m.add(sr.Event("off", "rolls.force.1 < 0", sr.Release("rolls")), sr.Event("on", "disc.z < 0.1", sr.Join("rolls")))
    r = m.simulate(1.0, output=0.02, tolerance=1e-10, formulation=formulation)
    landing = 0.6 + (0.5 + math.sqrt(0.25 + 2 * G * 0.025)) / G
    assert [event["name"] for event in r.events] == ["up", "off", "down", "on"]
    assert r.events[1]["t"] == pytest.approx(0.5)
    assert r.events[3]["t"] == pytest.approx(landing, abs=1e-9)
    v, spin = r["disc.velocity"][:, 0], r["disc.angular_velocity"][:, 1]
    start, a = v[0], 2 / (2 + 0.01 / 0.1**2)  # rolling: F/(m + I/r²)
    on, off, behind = r.t < 0.5, (r.t > 0.5) & (r.t < landing), r.t > landing
    np.testing.assert_allclose(v[on], start + a * r.t[on], atol=1e-8)
    left = start + a * 0.5
    np.testing.assert_allclose(spin[off], 10 * left, rtol=1e-8)
    np.testing.assert_allclose(v[off], left + r.t[off] - 0.5, rtol=1e-8)
    assert np.isnan(r["rolls.force"][off]).all()
    caught = (2 * (left + landing - 0.5) + 0.01 / 0.1 * 10 * left) / (2 + 1)
    np.testing.assert_allclose(v[behind], caught + a * (r.t[behind] - landing), rtol=1e-7)
    np.testing.assert_allclose(v[behind], 0.1 * spin[behind], rtol=1e-10)
    np.testing.assert_allclose(r["disc.position"][behind][:, 2], 0.1, atol=1e-10)
    np.testing.assert_allclose(r["rolls.force"][behind][:, 0], 2 * G, rtol=1e-8)


@BOTH
def test_a_bead_leaves_its_wire_and_meets_it_elsewhere(formulation):
    """A bead on a circle is let go and blown across: a parabola until the circle; there it keeps the speed along the wire."""
    m = sr.Model(gravity=(0, 0, 0), parameters={"F": 0.0})
    m.add(sr.Body("bead", mass=1, inertia=SMALL, position=(1, 0, 0), velocity=(0, 1, 0)))
    m.add(sr.PointOnCurve("wire", "ground", "bead", curve=("cos(s)", "sin(s)", "0")), sr.Force("wind", "bead", ("F", 0, 0)))
    m.add(sr.Event("off", at=1.0, actions=(sr.Release("wire"), sr.SetParameter("F", -30.0))))
    m.add(sr.Event("on", "hypot(bead.x, bead.y) > 1", sr.Join("wire")))
    m.add(sr.Event("other change", at=1.5, actions=sr.Release("wire")), sr.Event("at once", at=1.5, actions=sr.Join("wire")))
    r = m.simulate(2.0, output=0.02, tolerance=1e-11, formulation=formulation)
    start, v, a = np.array([np.cos(1), np.sin(1)]), np.array([-np.sin(1), np.cos(1)]), np.array([-15.0, 0.0])
    roots = np.roots([a @ a, 2 * a @ v, 2 * a @ start + v @ v, 0.0])  # |start + v t + a t²|² = 1, less the root at t = 0
    flight = min(x.real for x in roots if abs(x.imag) < 1e-12 and x.real > 1e-6)
    on = next(event for event in r.events if event["name"] == "on")
    assert on["t"] == pytest.approx(1 + flight, abs=1e-9)
    end, last = start + v * flight + a * flight**2, v + 2 * a * flight
    speed2 = (last @ np.array([-end[1], end[0]])) ** 2
    assert on["energy_after"] == pytest.approx(speed2 / 2, rel=1e-7)
    behind = r.t > on["t"]
    where, velocity = r["bead.position"][behind], r["bead.velocity"][behind]
    np.testing.assert_allclose(np.linalg.norm(where, axis=1), 1.0, atol=1e-10)
    work = -30 * (where[:, 0] - end[0])
    np.testing.assert_allclose((velocity**2).sum(axis=1), speed2 + 2 * work, rtol=1e-6)


@BOTH
def test_a_point_keeps_its_place_on_a_curve_when_something_else_changes(formulation):
    """The nearest place is looked for from where it was, not from where it began: a spiral comes by at the same angle again."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("bead", mass=1, inertia=SMALL, position=(1, 0, 0), velocity=(0, 20, 0)))
    m.add(sr.PointOnCurve("wire", "ground", "bead", curve=("cos(s)", "sin(s)", "0.1*s")))
    m.add(sr.Body("stone", mass=1, inertia=SMALL), sr.Ball("hook", "ground", "stone"))
    m.add(sr.Event("falls", at=1.0, actions=sr.Release("hook")))
    r = m.simulate(2.0, output=0.1, tolerance=1e-10, formulation=formulation)
    s = 10 * r["bead.position"][:, 2]
    rate = s[1] / r.t[1]
    np.testing.assert_allclose(s, rate * r.t, rtol=1e-7)


@BOTH
def test_gears_come_out_of_mesh(formulation):
    """Each wheel keeps its speed; meshed again where the teeth meet, the momenta of both go together."""
    m = sr.Model(gravity=(0, 0, 0))
    for name, speed in (("a", 2.0), ("b", 0.0)):
        m.add(sr.Body(name, mass=1, inertia=(1, 1, 0.5)), sr.Revolute(name.upper(), "ground", name, axis="z", v=speed))
    m.add(sr.Gear("gear", "A", "B", ratio=-2.0), sr.JointForce("brake", "A", -1.0))
    m.add(sr.Event("out", at=0.5, actions=sr.Release("gear")), sr.Event("in", at=1.0, actions=sr.Join("gear", gap=10)))
    r = m.simulate(1.5, output=0.1, tolerance=1e-10, formulation=formulation)
    off, on = (r.t > 0.5) & (r.t < 1.0), r.t > 1.0
    np.testing.assert_allclose(np.ptp(r["B.v"][off]), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.diff(r["A.v"][off]), -0.2, atol=1e-9)
    ratio = r["B.v"][on] / r["A.v"][on]
    np.testing.assert_allclose(ratio, r["B.v"][0] / r["A.v"][0], rtol=1e-9)
    n = r["B.v"][0] / r["A.v"][0]
    before = r["A.v"][r.t <= 0.5][-1] - 2 * 0.5
    caught = (before + n * r["B.v"][off][-1]) / (1 + n**2)
    assert r["A.v"][on][-1] == pytest.approx(caught - 2 / (1 + n**2) * (r.t[-1] - 1.0), abs=1e-7)


def test_a_rope_in_a_file(tmp_path):
    m, path = on_a_rope(SLACK, tight()), tmp_path / "rope.toml"
    m.save(path)
    again = sr.Model.load(path)
    assert again == m
    assert [event["name"] for event in again.simulate(1.9).events] == ["slack", "tight"]


def test_what_cannot_be_let_go_or_tied_is_named():
    with pytest.raises(ModelError, match=r"Release\('ropes'\) names no joint or constraint of the model; did you mean 'rope'"):
        on_a_rope(sr.Event("x", at=1, actions=sr.Release("ropes"))).compile()
    with pytest.raises(ModelError, match=r"Lock\('rope'\) names no joint of the model"):
        on_a_rope(sr.Event("x", at=1, actions=sr.Lock("rope"))).compile()
    both = on_a_rope(sr.Fixed("rope", "ground", "ball"), sr.Event("x", at=1, actions=sr.Release("rope")))
    with pytest.raises(ModelError, match="a joint and a constraint have this name"):
        both.compile()
    with pytest.raises(SimulationError, match=r"its equation is 0\.\d+ from zero, more than gap = 0.001"):
        on_a_rope(SLACK, sr.Event("early", at=0.8, actions=sr.Join("rope"))).simulate(1.0)


def test_a_gear_waits_for_its_joint():
    m = sr.Model(gravity=(0, 0, 0))
    for name in "ab":
        m.add(sr.Body(name, mass=1, inertia=(1, 1, 0.5)), sr.Revolute(name.upper(), "ground", name, axis="z", v=1))
    m.add(sr.Gear("gear", "A", "B", ratio=1.0), sr.Event("off", at=0.1, actions=(sr.Release("gear"), sr.Release("A"))))
    m.add(sr.Event("on", at=0.2, actions=sr.Join("gear")))
    with pytest.raises(SimulationError, match="needs joint 'A', which is released"):
        m.simulate(0.3)
