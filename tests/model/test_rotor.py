"""Rotors behind gears: M + n² J on the diagonal, in trees and loops, in both formulations, and where joints lock and break."""

import numpy as np
import pytest

import sharnir as sr

J, RATIO = 1e-3, 30.0
BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])


def arm(rotors=True, lift="y", torque=0.1):
    """Two links in space with a motor in each joint."""
    m = sr.Model("arm")
    m.add(sr.Body("a", mass=2, inertia=(0.1, 0.2, 0.3), com=(0.5, 0, 0)))
    m.add(sr.Revolute("A", "ground", "a", axis="z", q=0.3, v=1.0))
    m.add(sr.Body("b", mass=1, inertia=(0.05, 0.06, 0.07), com=(0.3, 0.1, 0), position=(1, 0, 0)))
    m.add(sr.Revolute("B", "a", "b", at=(1, 0, 0), axis=lift, q=0.2, v=-2.0))
    for joint in "AB":
        motor = m.add(sr.Motor(f"m{joint}", joint, torque=torque, ratio=RATIO))
        if rotors:
            m.add(*sr.geared_rotor(motor, J))
    return m


@BOTH
def test_reflected_inertia(formulation):
    """(M + n² J 1) a = what the model without rotors has on its right side; its energy is ½ n² J Σ v² more."""
    bare = arm(rotors=False).compile()
    right = bare.mass_matrix(bare.q0) @ bare.accelerations(bare.q0, bare.v0)
    exact = np.linalg.solve(bare.mass_matrix(bare.q0) + RATIO**2 * J * np.eye(2), right)
    r = arm().simulate(0.01, output=0.01, tolerance=1e-10, formulation=formulation)
    assert [r["A.a"][0], r["B.a"][0]] == pytest.approx(exact, rel=1e-9)
    energy = bare.energy(bare.q0, bare.v0)
    assert r["energy.kinetic"][0] == pytest.approx(energy.kinetic + 0.5 * RATIO**2 * J * (1 + 4), rel=1e-12)
    assert r["mB_shaft.v"] == pytest.approx(RATIO * r["B.v"], rel=1e-9)


@pytest.mark.parametrize("method", ["composite", "direct"])
def test_methods_agree(method):
    one, other = arm().compile(), arm().compile(method=method)
    assert other.accelerations(one.q0, one.v0) == pytest.approx(one.accelerations(one.q0, one.v0), rel=1e-10)


def test_inverse_dynamics_needs_torque_for_the_rotor():
    bare, s = arm(rotors=False).compile(), arm().compile()
    a = np.array([3.0, -7.0])
    names = [name.removesuffix(".v") for name in s.speeds]
    factor = {"A": ("A", 1.0), "B": ("B", 1.0), "mA_shaft": ("A", RATIO), "mB_shaft": ("B", RATIO)}
    spread = np.array([[factor[name][1] * (factor[name][0] == joint) for joint in "AB"] for name in names])
    needed = spread.T @ s.inverse_dynamics(s.q0, s.v0, spread @ a)  # of all speeds, brought onto those of the joints
    assert needed == pytest.approx(bare.inverse_dynamics(bare.q0, bare.v0, a) + RATIO**2 * J * a, rel=1e-10)


@BOTH
def test_loops(formulation):
    """A four-bar with a rotor in every joint, cut or not: energy stays, and both formulations go the same way."""
    m = sr.Model("four-bar")
    for name, at in (("a", (0, 0, 0.5)), ("b", (1, 0, 1)), ("c", (2, 0, 0.5))):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.2, 0.1), position=at))
    pins = (
        ("A", "ground", "a", (0, 0, 0)),
        ("B", "a", "b", (0, 0, 1)),
        ("C", "b", "c", (2, 0, 1)),
        ("D", "ground", "c", (2, 0, 0)),
    )
    for name, first, second, at in pins:
        m.add(sr.Revolute(name, first, second, at=at, axis="y", **({"v": 2.0} if name == "A" else {})))
        m.add(*sr.geared_rotor(m.add(sr.Motor(f"m{name}", name, torque=0.0, ratio=RATIO)), J))
    r = m.simulate(0.5, output=0.1, tolerance=1e-10, formulation=formulation)
    # a parallelogram: crank and rocker about their pins, the coupler in translation, each rotor with n v
    inertia = 2 * (0.2 + 0.25) + 1.0 + 4 * RATIO**2 * J
    height = 2 * 0.5 * np.cos(r["A.q"]) + np.cos(r["A.q"])
    v2 = (0.5 * inertia * 4 + 9.81 * 2 - 9.81 * height) / (0.5 * inertia)
    assert r["A.v"] ** 2 == pytest.approx(v2, rel=1e-8)


def test_spindle():
    """A slide of mass m behind a spindle of n rad/m: m + n² J."""
    m = sr.Model("slide", gravity=(0, 0, 0))
    m.add(sr.Body("car", mass=5, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "car", axis="x"))
    m.add(*sr.geared_rotor(m.add(sr.Motor("motor", "P", torque=0.2, ratio=1000.0)), 2e-5))
    assert m.simulate(0.1)["P.a"][0] == pytest.approx(1000 * 0.2 / (5 + 1e6 * 2e-5), rel=1e-9)


@BOTH
def test_locking_and_breaking(formulation):
    """A plastic impact stops the rotor with its joint; a rotor whose joint breaks turns on alone."""
    m = arm(torque=0.0)
    m.add(sr.Event("jam", at=0.1, actions=sr.Lock("B")), sr.Event("free", at=0.2, actions=sr.Unlock("B")))
    m.add(sr.Event("break", at=0.3, actions=sr.Release("B")))
    r = m.simulate(0.4, output=0.02, tolerance=1e-9, formulation=formulation)
    locked, broken = (r.t > 0.11) & (r.t < 0.19), r.t > 0.31
    assert r["mB_shaft.v"][locked] == pytest.approx(0.0, abs=1e-9)
    assert r["mB_shaft.v"][broken] == pytest.approx(r["mB_shaft.v"][broken][0], rel=1e-9)
    jam, free, apart = r.events
    assert jam["energy_after"] < jam["energy_before"]
    assert free["energy_after"] == pytest.approx(free["energy_before"], rel=1e-9)
    assert apart["energy_after"] == pytest.approx(apart["energy_before"], rel=1e-9)


@BOTH
@pytest.mark.parametrize("motion", ["0.5*t^2", ("0.5*t^2", "t", 1.0), lambda t: 0.5 * t * t])
def test_driven_joints(formulation, motion):
    """Followers of a prescribed motion: the shaft needs J n q̈."""
    m = sr.Model("drive", gravity=(0, 0, 0))
    m.add(sr.Body("load", mass=1, inertia=(1, 1, 0.5)), sr.Revolute("O", "ground", "load", axis="z", motion=motion))
    m.add(*sr.geared_rotor(sr.Motor("m", "O", torque=0.0, ratio=10.0), J))
    m.add(sr.Body("fan", mass=1, inertia=(1, 1, 1)), sr.Revolute("F", "ground", "fan", axis="x", mimic=("O", 20.0, 0.1)))
    r = m.simulate(1.0, output=0.25, formulation=formulation)
    assert r["m_shaft.drive"] == pytest.approx(J * 10, rel=1e-6)
    assert r["O.drive"] == pytest.approx(0.5, rel=1e-6)
    assert r["F.q"] == pytest.approx(10 * r.t**2 + 0.1, abs=1e-9)


def test_files_hold_rotors(tmp_path):
    m = arm()
    m.save(tmp_path / "arm.toml")
    assert sr.Model.load(tmp_path / "arm.toml") == m
    with pytest.raises(sr.ModelError, match="rotor of Motor 'm': inertia"):
        sr.geared_rotor(sr.Motor("m", "A", torque=1.0), 0.0)
