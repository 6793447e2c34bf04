"""Rotors that turn with freedoms: M + J on the diagonal, beside drives, mimics, loops, events, parameters, flexible bodies."""

from dataclasses import replace

import numpy as np
import pytest

import flexible_mechanisms
import sharnir as sr
import zoo
from sharnir.dynamics.methods.all_methods import ALL_METHODS

J = 0.4


def arm(armature=J, **wrist):
    """A link with a hand; `wrist` are options of the hand's joint, the rotor of which is 0.7 kg m²."""
    m = sr.Model("arm")
    m.add(sr.Body("a", mass=2, com=(0.3, 0, 0.1), inertia=(0.1, 0.2, 0.3)))
    m.add(sr.Body("b", mass=1, com=(0.2, 0.1, 0), inertia=(0.1, 0.2, 0.3), position=(0.6, 0, 0)))
    m.add(sr.Revolute("A", "ground", "a", axis="y", q=0.3, v=0.5, armature=armature))
    m.add(sr.Revolute("B", "a", "b", at=(0.6, 0, 0), axis=(1, 0, 1), armature=armature and 0.7, **wrist))
    return m


def four_bar(armature=J):
    """A loop; its crank and rocker have rotors, so that one of the other joints is cut."""
    m = sr.Model("four-bar")
    for name, x, z in (("crank", 0, 0.5), ("coupler", 1, 1), ("rocker", 2, 0.5)):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.3, 0.2), position=(x, 0, z)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=2.0, armature=armature))
    m.add(
        sr.Revolute("P", "crank", "coupler", at=(0, 0, 1), axis="y"),
        sr.Revolute("Q", "coupler", "rocker", at=(2, 0, 1), axis="y"),
    )
    m.add(sr.Revolute("R", "ground", "rocker", at=(2, 0, 0), axis="y", armature=armature and 0.2))
    return m


def test_mass_matrix_is_that_without_rotors_and_theirs():
    m = zoo.model("rotors")
    bare = sr.Model("bare", gravity=m.gravity)
    bare.add(*m.bodies.values(), *(replace(joint, armature=0.0) for joint in m.joints.values()))
    one, other = m.compile(), bare.compile()
    q, v = zoo.state(one, 3)
    rotors = np.array([x for joint in one.tree.joints for x in joint.armature])
    np.testing.assert_allclose(one.mass_matrix(q), other.mass_matrix(q) + np.diag(rotors), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(one.bias(q, v), other.bias(q, v))
    assert one.energy(q, v).kinetic == pytest.approx(other.energy(q, v).kinetic + 0.5 * rotors @ v**2, rel=1e-13)


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("wrist", [{"motion": "sin(3*t) + t"}, {"mimic": ("A", -2.0)}], ids=["driven", "mimic"])
def test_methods_agree(method, wrist):
    m = arm(**wrist)
    reference = m.compile(method="composite")
    s = m.compile(method=method)
    assert s.accelerations(s.q0, s.v0) == pytest.approx(reference.accelerations(s.q0, s.v0), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_methods_agree_on_a_loop(method):
    """The multipliers' equations see the rotors: the power balance of the loop without them, plus J v a."""
    s = four_bar().compile(method=method)
    assert [joint.name for joint in s.tree.cuts] in (["P"], ["Q"])
    bare = four_bar(0.0).compile()
    q, v = bare.q0, bare.v0
    a, free = s.accelerations(q, v), bare.accelerations(q, v)
    rate = v / v[bare.speeds.index("O.v")]
    rotors = np.array([{"O": J, "R": 0.2}.get(name.removesuffix(".v"), 0.0) for name in bare.speeds])
    reduced = rate @ bare.mass_matrix(q) @ rate
    k = bare.speeds.index("O.v")
    # (m + Σ J r²) a + Σ J r ṙ v = m a₀, ṙ v = a₀ - r a₀ₖ along the loop without rotors (accelerations that v alone causes)
    curve = free - rate * free[k]
    expected = (reduced * free[k] - rotors @ (rate * curve)) / (reduced + rotors @ rate**2)
    assert a[k] == pytest.approx(expected, rel=1e-10)


def test_a_mimic_joint_adds_its_rotor_by_the_square_of_its_ratio():
    s, bare = (arm(armature, mimic=("A", -2.0)).compile(method="composite") for armature in (J, 0.0))
    right = bare.accelerations(bare.q0, bare.v0)[0]
    follow = np.array([1.0, -2.0])
    m = follow @ bare.mass_matrix(bare.q0) @ follow
    assert s.accelerations(s.q0, s.v0)[0] == pytest.approx(m * right / (m + J + 4 * 0.7), rel=1e-12)


def test_a_drive_accelerates_its_rotor():
    """Force of the drive = that without rotors + J s̈; the arm, whose speed is free, does not notice."""
    bare = arm(0.0, motion="sin(3*t)")
    one = sr.Model("one")
    one.add(*bare.bodies.values(), bare.joints["A"], replace(bare.joints["B"], armature=0.7))
    a, b = one.simulate(0.5, tolerance=1e-9), bare.simulate(0.5, tolerance=1e-9)
    np.testing.assert_allclose(a["A.q"], b["A.q"], atol=1e-12)
    np.testing.assert_allclose(a["B.drive"] - b["B.drive"], -0.7 * 9 * np.sin(3 * a.t), atol=1e-9)


def test_a_rotor_of_a_geared_motor_is_the_same():
    """Against a body that really turns: geared_rotor, ratio² × inertia."""
    models = []
    for turns in (True, False):
        m, bare = sr.Model("arm"), arm(0.0)
        hinge = bare.joints["A"]
        m.add(*bare.bodies.values(), hinge if turns else replace(hinge, armature=J), bare.joints["B"])
        motor = m.add(sr.Motor("motor", "A", torque=0.1, ratio=20.0))
        m.add(*(sr.geared_rotor(motor, J / 400.0) if turns else ()))
        models.append(m)
    a, b = (model.simulate(0.3, output=0.1, tolerance=1e-10) for model in models)
    np.testing.assert_allclose(a["A.q"], b["A.q"], rtol=1e-8)
    np.testing.assert_allclose(a["energy.kinetic"], b["energy.kinetic"], rtol=1e-7)


def test_energy_is_conserved():
    r = zoo.model("rotors").simulate(0.2, tolerance=1e-11)
    assert np.ptp(r.energy.total) < 1e-8 * r.energy.kinetic.max()


def test_inverse_and_mixed_problem():
    """τ = M a + h with rotors; a force that gives one joint its acceleration, and the other what is left."""
    s = arm().compile()
    tau = s.inverse_dynamics(s.q0, s.v0, [1.0, -2.0])
    assert s.accelerations(s.q0, s.v0, tau=tau) == pytest.approx([1.0, -2.0], rel=1e-12)
    found = s.mixed_dynamics(s.q0, s.v0, accelerations={"B": 2.0})
    again = s.accelerations(s.q0, s.v0, tau=[0.0, found.forces["B"]])
    assert again == pytest.approx([found.vdot[0], 2.0], rel=1e-12)


def test_parameters_change_rotors_also_from_and_to_zero():
    m = sr.Model("arm", parameters={"J": 0.5})
    bare = arm(0.0)
    m.add(*bare.bodies.values(), bare.joints["A"])
    m.add(sr.Revolute("B", "a", "b", at=(0.6, 0, 0), axis=(1, 0, 1), armature="2*J"))
    for method in ("articulated", "lagrange1"):
        s = m.compile(method=method)
        for value in (0.25, 0.0, 0.5):
            fresh = m.with_parameters(J=value).compile(method=method)
            np.testing.assert_array_equal(s.with_parameters(J=value).accelerations(s.q0, s.v0), fresh.accelerations(s.q0, s.v0))
        zero = m.with_parameters(J=0.0).compile(method=method)
        assert zero.with_parameters(J=0.5).accelerations(s.q0, s.v0) == pytest.approx(s.accelerations(s.q0, s.v0), rel=1e-14)


def test_a_locked_freedom_holds_its_rotor():
    """A joint that an event locks passes its momentum on, that of its rotor not among it; then it is as good as fixed."""
    m = arm(v=3.0)
    m.add(sr.Event("lock", "t > 0.1", sr.Lock("B")))
    r = m.simulate(0.3, output=0.01, tolerance=1e-10)
    held = sr.Model("held")
    k = int(np.searchsorted(r.t, 0.15))
    angle, q, v = r["B.q"][k], r["A.q"][k], r["A.v"][k]
    assert r["B.q"][-1] == pytest.approx(angle, abs=1e-12)
    held.add(*m.bodies.values(), replace(m.joints["A"], q=q, v=v))
    held.add(replace(m.joints["B"], v=0.0, motion=float(angle), armature=0.0))
    rest = held.simulate(float(r.t[-1] - r.t[k]), tolerance=1e-10)
    assert rest["A.q"][-1] == pytest.approx(r["A.q"][-1], rel=1e-8)


def test_an_impact_moves_rotors():
    """A stop reverses one joint: the impulse leaves M Δv free of what acts on the other joint."""
    m = arm(v=3.0)
    m.add(sr.Event("hit", "B.q > 0.2", sr.Rebound("B", restitution=0.5)))
    r = m.simulate(0.2, output=0.001, tolerance=1e-10)
    s = arm(v=3.0).compile()
    event = r.events[0]
    k = int(np.searchsorted(r.t, event["t"]))
    before, after = (np.array([r["A.v"][j], r["B.v"][j]]) for j in (k - 1, k + 1))
    change = s.mass_matrix([r["A.q"][k], 0.2]) @ (after - before)
    assert abs(change[0]) < 0.02 * abs(change[1])
    bare = arm(0.0).compile().mass_matrix([r["A.q"][k], 0.2]) @ (after - before)
    assert abs(bare[0]) > 0.1 * abs(bare[1])


def flexible_chain(armature):
    m = sr.Model("flexible links")
    for k, before in enumerate(("ground", "link0:tip")):
        m.add(sr.FlexibleBody(f"link{k}", reduced=flexible_mechanisms.rod(1), position=(float(k), 0, 0)))
        m.add(sr.Revolute(f"j{k}", before, f"link{k}:root", at=(float(k), 0, 0), axis="yz"[k], v=1.0, armature=armature))
    return m


@pytest.mark.parametrize("method", [name for name, method in ALL_METHODS.items() if method.handles_flexible])
def test_methods_agree_with_flexible_bodies(method):
    reference, s = (flexible_chain(J).compile(method=name) for name in ("composite", method))
    q = s.q0 + 1e-3 * np.random.default_rng(1).normal(size=s.n_q)
    expected = reference.accelerations(q, s.v0)
    assert s.accelerations(q, s.v0) == pytest.approx(expected, rel=1e-8, abs=1e-9 * np.abs(expected).max())
    difference = s.mass_matrix(q) - flexible_chain(0.0).compile().mass_matrix(q)
    np.testing.assert_allclose(difference, np.diag([J, J] + [0.0] * (s.n_v - 2)), atol=1e-12)


def test_what_cannot_be_done_is_refused():
    with pytest.raises(sr.ModelError, match=r"'A': armature = 0\.4 needs a joint with coordinates of its own"):
        arm().compile(formulation="absolute")
    with pytest.raises(sr.ModelError, match=r"Ball 'j': armature = \(1.0, 2.0, 3.0\) must be one number"):
        sr.Ball("j", "ground", "b", armature=(1, 2, 3))
    with pytest.raises(sr.ModelError, match="Free 'j': armature"):
        sr.Free("j", "ground", "b", armature=1)
    with pytest.raises(sr.ModelError, match="armature"):
        sr.Revolute("j", "ground", "b", axis="x", armature=-1)
