"""Mimic joints against Lagrange multipliers: M v̇ = Q + Nᵀλ, N v̇ = 0 solved by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sharnir as sr
import zoo

METHODS = zoo.methods("gears")


@pytest.mark.parametrize("method", METHODS)
def test_multipliers(method):
    s = zoo.system("gears", method)
    names = {name: k for k, name in enumerate(s.speeds)}
    N = np.zeros((3, s.n_v))
    for row, (own, leader, c) in enumerate((("j2", "j0", -0.5), ("j4", "j1", 0.3), ("j5", "j1", 2.0))):
        N[row, names[f"{own}.v"]], N[row, names[f"{leader}.v"]] = 1.0, -c
    for seed in range(3):
        q, v = zoo.state(s, seed)
        tau = np.random.default_rng(seed).normal(size=s.n_v)
        M, Q = s.mass_matrix(q), tau - s.inverse_dynamics(q, v, np.zeros(s.n_v))
        K = np.block([[M, N.T], [N, np.zeros((3, 3))]])
        expected = np.linalg.solve(K, np.concatenate([Q, np.zeros(3)]))[: s.n_v]
        assert s.accelerations(q, v, tau=tau) == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_initial_values_follow_the_leader():
    s = zoo.system("gears", "composite")
    value = dict(zip(s.coordinates, s.q0, strict=True)) | dict(zip(s.speeds, s.v0, strict=True))
    assert value["j2.q"] == pytest.approx(-0.5 * value["j0.q"] + 0.1)
    assert value["j5.v"] == pytest.approx(2.0 * value["j1.v"])


@pytest.mark.parametrize("method", METHODS)
def test_the_ratio_is_kept_over_a_run(method):
    r = zoo.model("gears").simulate(2.0, method=method)
    assert r["j2.q"] == pytest.approx(-0.5 * r["j0.q"] + 0.1, abs=1e-12)
    assert r["j4.v"] == pytest.approx(0.3 * r["j1.v"], abs=1e-12)
    assert np.ptp(r["j5.q"]) > 0.1


def test_energy_is_kept_with_mimics():
    m = sr.Model("free gears")
    m.add(*zoo.model("gears").bodies.values())
    m.add(*zoo.model("gears").joints.values())
    E = m.simulate(1.0, tolerance=1e-12).energy
    assert np.ptp(E.total) < 1e-9 * np.ptp(E.potential)


def test_a_gear_is_one_body_with_reflected_inertia():
    """Two discs on fixed axles with ratio c: (J1 + c² J2) q̈ = τ1 + c τ2."""
    m = sr.Model(gravity=(0, 0, 0))
    for name, J in (("a", 2.0), ("b", 3.0)):
        m.add(sr.Body(name, mass=1, inertia=(J, J, J)))
    m.add(
        sr.Revolute("A", "ground", "a", axis="z", torque=5.0),
        sr.Revolute("B", "ground", "b", axis="z", torque=2.0, mimic=("A", -3.0)),
    )
    for method in METHODS:
        s = m.compile(method=method)
        a = (5.0 - 3.0 * 2.0) / (2.0 + 9.0 * 3.0)
        assert s.accelerations(s.q0, s.v0) == pytest.approx([a, -3.0 * a], rel=1e-14)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_leader_with_a_motion(formulation):
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1)))
    m.add(
        sr.Revolute("A", "ground", "a", axis="z", motion="t^2"), sr.Revolute("B", "ground", "b", axis="z", mimic=("A", 2.0, 0.5))
    )
    r = m.simulate(1.0, output=0.25, formulation=formulation)
    assert r["B.q"] == pytest.approx(2 * r.t**2 + 0.5, abs=1e-9)
    assert r["B.v"] == pytest.approx(4 * r.t, abs=1e-9)


def test_methods_without_a_mass_matrix_have_equations():
    """What others fold into the mass matrix is a constraint for them, with a force between the teeth."""
    assert zoo.model("gears").compile().method in METHODS
    folded = zoo.system("gears", "composite")
    q, v = zoo.state(folded, 5)
    for method in ("articulated", "lagrange1", "extended"):
        s = zoo.model("gears").compile(method=method)
        assert (s.constrained, folded.constrained) == (True, False)
        assert s.accelerations(q, v) == pytest.approx(folded.accelerations(q, v), rel=1e-10, abs=1e-10)


def test_a_later_joint_may_lead():
    """The order of declaration does not matter to the engine (the model wants leaders first, the numbering may turn that)."""
    rng = np.random.default_rng(3)
    m = sr.Model()
    m.add(*(zoo.body(rng, name) for name in "abc"))
    lead = zoo.joint(sr.Revolute, rng, "C", "b", "c", at=(1, 0, 0))
    m.add(lead)
    m.add(zoo.joint(sr.Revolute, rng, "B", "a", "b", at=(0, 0, 0)))
    m.add(dataclasses.replace(zoo.joint(sr.Revolute, rng, "A", "ground", "a", at=(0, 1, 0)), q=None, v=0.0, mimic=("C", 0.7)))
    found = [m.compile(method=method) for method in METHODS]
    assert found[0].speeds.index("A.v") < found[0].speeds.index("C.v")
    q, v = zoo.state(found[0], 1)
    for s in found[1:]:
        assert s.accelerations(q, v) == pytest.approx(found[0].accelerations(q, v), rel=1e-11)
