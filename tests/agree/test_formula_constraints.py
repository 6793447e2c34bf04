"""Constraints given as formulas: against elements that say the same, against closed forms; what cannot be meant."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from constrained_mechanisms import (
    FORMULATIONS,
    arms,
    body_accelerations,
    constrained,
    general_state,
    multipliers,
    place_of,
    point,
)

G = 9.81
both = pytest.mark.parametrize("formulation", FORMULATIONS)

SPEED_ACROSS = sr.PointVelocity("b", at=(0.2, 0.8, 0.1), axis=(1, 2, 0), relative_to="a", axes_of="b")
SECOND = {"u": sr.JointCoordinate("U", 1)}
DISTANCES = {"d": sr.PointDistance("a", "b", at_a=(0.3, 0.1, 0.2)), "e": sr.PointDistance("a", "c", at_b=(0.2, 0.1, 1.1))}


def same(kind, m):
    """A formula that says what a built-in constraint of the arms says."""
    q = {name: joint.q for name, joint in m.joints.items()}
    length = np.linalg.norm(place_of(m, "b") - (0.3, 0.1, 0.2))
    formula, names = {
        "distance": (f"d - {length!r}", ("d",)),
        "distance of time": ("e - (1.1 + 0.2*sin(3*t + 0.5))", ("e",)),
        "gear": (f"u + 1.7*A.q - ({q['U'][1] + 1.7 * q['A'][0]!r})", ("u",)),
        "cam": ("P.q - (0.1*sin(3*A.q) + k*A.q^2)", ()),
        "driven coupler": (f"A.q - 0.5*D.q - ({q['A'][0] - 0.15!r})", ()),
        "knife edge": ("w", ("w",)),
    }[kind]
    known = SECOND | DISTANCES | {"w": SPEED_ACROSS}
    return sr.Constraint("x", formula.replace("np.float64", ""), {name: known[name] for name in names})


@both
@pytest.mark.parametrize("kind", ["distance", "distance of time", "gear", "cam", "driven coupler", "knife edge"])
def test_a_formula_equals_the_element(kind, formulation):
    m = arms()
    m.add(same(kind, m))
    own, built_in = general_state(m, formulation), general_state(constrained(kind), formulation)
    expected = body_accelerations(built_in)
    for name, a in body_accelerations(own).items():
        assert a == pytest.approx(expected[name], rel=1e-9, abs=1e-9), name
    assert multipliers(own)["x"] == pytest.approx(multipliers(built_in)["x"], rel=1e-8)


@both
def test_a_sleigh_by_formula(formulation):
    """Chaplygin's sleigh with a blade, and with a formula of the planar joint's coordinates."""
    models = []
    for blade in (sr.KnifeEdge("blade", "sleigh"), sr.Constraint("blade", "y_dot*cos(a) - x_dot*sin(a)", PLANE)):
        m = sr.Model()
        m.add(sr.Body("sleigh", mass=2, com=(0.3, 0, 0), inertia=(0.5, 0.5, 0.5)))
        m.add(sr.Planar("ice", "ground", "sleigh", axis="z", v=(1, 0, 2)), blade)
        models.append(m)
    a, b = (m.simulate(2.0, output=[1.0, 2.0], tolerance=1e-11, formulation=formulation) for m in models)
    assert b["sleigh.position"] == pytest.approx(a["sleigh.position"], abs=1e-9)
    assert a["sleigh.angular_velocity"][-1, 2] < 1.5


PLANE = {"x": sr.JointCoordinate("ice", "x"), "y": sr.JointCoordinate("ice", "y"), "a": sr.JointCoordinate("ice", "angle")}


@both
def test_one_rope_over_three_pulleys(formulation):
    """z₁ + 2 z₂ + z₃ = const of three weights: a_i = λ c_i/m_i - g, λ = g Σ c_i/Σ (c_i²/m_i)."""
    m, c, mass = sr.Model(), np.array([1.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0])
    for k in range(3):
        m.add(point(f"w{k}", mass[k], position=(k, 0, 0)))
    m.add(sr.Constraint("rope", "w0.z + 2*w1.z + w2.z"))
    s = m.compile(formulation=formulation)
    lam = G * c.sum() / (c**2 / mass).sum()
    found = body_accelerations(s)
    assert [found[f"w{k}"][2] for k in range(3)] == pytest.approx(lam * c / mass - G)
    assert multipliers(s)["rope"] == pytest.approx([lam])


@both
def test_a_speed_that_is_wanted(formulation):
    """Nonholonomic and not linear: |v| = 2 m/s along a thrown path; the force has no part across the velocity."""
    m = sr.Model(gravity=(0, 0, -1.0))
    m.add(point("stone", velocity=(1.2, 0, 1.6)))
    m.add(sr.Constraint("pace", "stone.x_dot^2 + stone.y_dot^2 + stone.z_dot^2 - 4"))
    r = m.simulate(2.0, step=0.25, tolerance=1e-11, formulation=formulation)
    assert np.linalg.norm(r["stone.velocity"], axis=1) == pytest.approx(2.0, abs=1e-9)
    slope = np.arctanh(np.sin(np.arctan2(r["stone.velocity"][:, 2], r["stone.velocity"][:, 0])))
    assert slope == pytest.approx(slope[0] - 0.5 * r.t, abs=1e-8)  # v θ̇ = -g cos θ


def test_errors_name_the_element():
    m = sr.Model()
    m.add(point("a"), point("b"), sr.Distance("rod", "a", "b"))
    with pytest.raises(sr.ModelError, match=r"'rod'.*coincide.*Ball"):
        m.compile()
    m = sr.Model()
    m.add(point("a"), point("b"))
    m.add(sr.Revolute("A", "ground", "a", axis="z", motion="t"), sr.Revolute("B", "ground", "b", axis="z", motion="t"))
    m.add(sr.Gear("gear", "A", "B", ratio=1))
    with pytest.raises(sr.ModelError, match=r"'gear'.*prescribed"):
        m.compile()
    m = sr.Model()
    m.add(point("ball", position=(0, 0, -0.2)), sr.RollingBall("contact", "ball", 0.2))
    with pytest.raises(sr.ModelError, match=r"'contact'.*0\.2 m below the plane"):
        m.compile()
