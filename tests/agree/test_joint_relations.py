"""Relations between joints, and mimic joints, against closed forms, in both formulations."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
import zoo
from constrained_mechanisms import FORMULATIONS, body_accelerations, four_bar, multipliers, point

G = 9.81
both = pytest.mark.parametrize("formulation", FORMULATIONS)


def shafts(*elements, inertias=(2.0, 3.0, 5.0), torques=(5.0, 2.0, -1.0), slide=None):
    """Discs on fixed axles A, B, C with torques, and a block on a vertical rail."""
    m = sr.Model()
    for name, J, tau in zip("ABC", inertias, torques, strict=True):
        m.add(sr.Body(name.lower(), mass=1, inertia=(J, J, J)), sr.Revolute(name, "ground", name.lower(), axis="z", torque=tau))
    m.add(point("block", 4.0), sr.Prismatic("rail", "ground", "block", axis="z", torque=4 * G))  # its weight is balanced
    m.add(*elements)
    return m


def joint_accelerations(system, *joints):
    """Accelerations of one-freedom joints about z through the origin, in either formulation."""
    found = body_accelerations(system)
    return [found["block"][2] if joint == "rail" else found[joint.lower()][5] for joint in joints]


@both
def test_gear_pair(formulation):
    """(J₁ + c² J₂) q̈ = τ₁ + c τ₂; the tooth moment on the second shaft is J₂ c q̈ - τ₂."""
    s = shafts(sr.Gear("gear", "A", "B", ratio=-3)).compile(formulation=formulation)
    a = (5.0 - 3.0 * 2.0) / (2.0 + 9.0 * 3.0)
    assert joint_accelerations(s, "A", "B") == pytest.approx([a, -3 * a])
    assert multipliers(s)["gear"] == pytest.approx([3.0 * -3 * a - 2.0])


@both
def test_rack_and_pinion(formulation):
    s = shafts(sr.Rack("rack", "A", "rail", radius=0.2)).compile(formulation=formulation)
    a = 5.0 / (2.0 + 4.0 * 0.2**2)
    assert joint_accelerations(s, "A", "rail") == pytest.approx([a, 0.2 * a])
    assert multipliers(s)["rack"] == pytest.approx([4.0 * 0.2 * a])


@both
def test_coupler_of_three_joints(formulation):
    """q̈ = M⁻¹ (τ + c λ), λ = -cᵀ M⁻¹ τ/(cᵀ M⁻¹ c)."""
    c, J, tau = np.array([1.0, 1.0, -2.0]), np.array([2.0, 3.0, 5.0]), np.array([5.0, 2.0, -1.0])
    s = shafts(sr.Coupler("differential", (("A", 1), ("B", 1), ("C", -2)))).compile(formulation=formulation)
    lam = -(c / J) @ tau / (c @ (c / J))
    assert joint_accelerations(s, "A", "B", "C") == pytest.approx((tau + c * lam) / J)
    assert multipliers(s)["differential"] == pytest.approx([lam])


LIFT = sr.Table(tuple(np.linspace(-1, 7, 81)), tuple(0.01 * (1 - np.cos(np.linspace(-1, 7, 81)))), kind="cubic")


@both
@pytest.mark.parametrize("profile", ["0.01*(1 - cos(q))", LIFT, ("0.01*(1 - cos(q))", "0.01*sin(q)", "0.01*cos(q)")])
def test_cam_driven_follower(profile, formulation):
    """The follower does what the profile says, and the force on it is m (g + p'' ω²)."""
    m = sr.Model()
    m.add(sr.Body("shaft", mass=1, inertia=(1, 1, 1)), sr.Revolute("cam", "ground", "shaft", axis="y", motion="3*t + 0.4"))
    m.add(point("tappet", 0.5), sr.Prismatic("guide", "ground", "tappet", axis="z", q=0.01 * (1 - math.cos(0.4))))
    m.add(sr.Cam("contact", "cam", "guide", profile))
    r = m.simulate(2.0, step=0.1, tolerance=1e-10, formulation=formulation)
    limit = 1e-10 if not isinstance(profile, sr.Table) else 1e-6
    assert r["tappet.position"][:, 2] == pytest.approx(0.01 * (1 - np.cos(3 * r.t + 0.4)), abs=limit)
    s = m.compile(formulation=formulation)
    assert multipliers(s)["contact"] == pytest.approx([0.5 * (G + 0.01 * math.cos(0.4) * 9)], rel=1e-9 if limit < 1e-9 else 1e-3)


@both
def test_cam_gives_and_takes_energy(formulation):
    """A cam that turns freely slows down while it lifts: J q̇² + m (p' q̇)² + 2 m g p = const."""
    m = sr.Model()
    m.add(sr.Body("shaft", mass=1, inertia=(1, 0.02, 1)), sr.Revolute("cam", "ground", "shaft", axis="y", v=6.0))
    m.add(point("tappet", 2.0), sr.Prismatic("guide", "ground", "tappet", axis="z"))
    m.add(sr.Cam("contact", "cam", "guide", "0.005*(1 - cos(q))"))
    r = m.simulate(6.0, step=0.05, tolerance=1e-11, formulation=formulation)
    assert r["tappet.position"][:, 2].max() > 0.0099
    assert np.ptp(r.energy.total) < 1e-9 * r.energy.kinetic.max()


@both
def test_gears_across_a_loop(formulation):
    """A slider geared to the rocker of a four-bar, whichever joint is cut."""
    m = four_bar(sr.Gear("x", "C", "P", ratio=0.4))
    r = m.simulate(1.0, step=0.1, tolerance=1e-10, formulation=formulation)
    assert r["P.q"] == pytest.approx(0.4 * r["C.q"], abs=1e-10)
    assert np.ptp(r["P.q"]) > 0.1
    assert np.ptp(r.energy.total) < 1e-7 * r.energy.kinetic.max()


# ---- mimic joints ----------------------------------------------------------------------------------------------------------


def test_mimic_joints_in_absolute_coordinates():
    m = zoo.model("gears")
    joint, absolute = (m.compile(formulation=f) for f in FORMULATIONS)
    assert joint.assembly.coordinates.mimics
    expected = body_accelerations(joint)
    for name, a in body_accelerations(absolute).items():
        assert a == pytest.approx(expected[name], rel=1e-9, abs=1e-9)


@both
def test_mimic_joints_beside_constraints(formulation):
    """A constraint that does nothing makes an equation of the mimic joint; the motion stays the same."""
    plain, with_constraint = sr.Model(), sr.Model()
    for m in (plain, with_constraint):
        m.add(*zoo.model("gears").bodies.values(), *zoo.model("gears").joints.values(), *zoo.model("gears").forces.values())
    with_constraint.add(point("far", position=(9, 9, 9)), sr.PointOnPlane("floor", "ground", "far"))
    s = with_constraint.compile(formulation=formulation)
    assert not s.assembly.coordinates.mimics
    found, expected = body_accelerations(s), body_accelerations(plain.compile())
    for name, a in expected.items():
        assert found[name] == pytest.approx(a, rel=1e-9, abs=1e-9)


@both
def test_mimic_joints_in_loops(formulation):
    """The slider on the coupler follows the rocker, which may be cut."""
    m = four_bar(mimic=("C", 0.4, 0.1))
    r = m.simulate(1.0, step=0.1, tolerance=1e-10, formulation=formulation)
    assert r["P.q"] == pytest.approx(0.4 * r["C.q"] + 0.1, abs=1e-10)
    gear = sr.Gear("x", "C", "P", ratio=0.4, offset=0.1)
    geared = four_bar(gear, shift=0.1).simulate(1.0, step=0.1, tolerance=1e-10, formulation=formulation)
    assert r["slider.position"] == pytest.approx(geared["slider.position"], abs=1e-8)
