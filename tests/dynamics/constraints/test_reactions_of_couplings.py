"""Gears, racks, cams, couplers and formulas act through the joints whose coordinates they tie: reactions in both formulations."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr

KINDS = ("gear", "coupler", "cam", "formula", "speeds", "mimic")


def tied(kind: str, seed: int) -> sr.Model:
    """A random tree of five bodies with two of its freedoms tied."""
    rng = np.random.default_rng(seed)
    m = sr.Model(gravity=tuple(rng.normal(size=3) * 5))
    at = np.zeros(3)
    for k in range(5):
        at = at + rng.uniform(0.2, 0.6, 3)
        J = tuple(rng.uniform(0.3, 0.4, 3))
        m.add(sr.Body(f"b{k}", mass=rng.uniform(1, 3), inertia=J, position=tuple(at), com=tuple(rng.uniform(-0.1, 0.1, 3))))
        parent = "ground" if k == 0 or rng.random() < 0.3 else f"b{rng.integers(k)}"
        ends = (parent, f"b{k}") if rng.random() < 0.6 else (f"b{k}", parent)
        axis, point = tuple(rng.normal(size=3)), tuple(at - rng.uniform(-0.2, 0.2, 3))
        joint = (sr.Revolute, sr.Prismatic, sr.Cylindrical, sr.Universal)[0 if k < 2 and kind == "mimic" else rng.integers(4)]
        more = {"axis2": tuple(np.cross(axis, rng.normal(size=3)))} if joint is sr.Universal else {}
        mimic = {"mimic": ("j0", 0.7, 0.0)} if kind == "mimic" and k == 1 else {}
        m.add(joint(f"j{k}", *ends, axis=axis, at=point, **more, **mimic))
    freedoms = [(name, f) for name, joint in m.joints.items() for f in range(joint.n_v)]
    (a, i), (b, j), (c, l) = (freedoms[n] for n in rng.permutation(len(freedoms))[:3])
    x, y = sr.JointCoordinate(a, i), sr.JointCoordinate(b, j)
    if kind == "gear":
        m.add(sr.Gear("tie", (a, i), (b, j), ratio=rng.normal()))
    elif kind == "coupler":
        m.add(sr.Coupler("tie", (((a, i), rng.normal()), ((b, j), rng.normal()), ((c, l), 1.0))))
    elif kind == "cam":
        m.add(sr.Cam("tie", (a, i), (b, j), "0.3*sin(q)"))
    elif kind == "formula":
        m.add(sr.Constraint("tie", "x + 0.3*x*y - 0.5*y", {"x": x, "y": y}))
    elif kind == "speeds":
        m.add(sr.Constraint("tie", "x_dot - 0.4*cos(x)*y_dot", {"x": x, "y": y}))
    return m


@pytest.mark.parametrize("kind", KINDS)
def test_both_formulations_agree(kind):
    for seed in range(12):
        m = tied(kind, seed)
        found = {}
        for formulation in ("joint", "absolute"):
            s = m.compile(formulation)
            found[formulation] = s.reactions(s.q0, s.v0)
        for name, reaction in found["joint"].items():
            size = np.abs(reaction).max() + 1.0
            np.testing.assert_allclose(found["absolute"][name], reaction, atol=1e-9 * size, err_msg=f"{kind} {seed} {name}")


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_reactions_are_all_that_acts_on_a_geared_wheel(formulation):
    """Two wheels geared to each other: what comes through the axle turns each of them, J α = τ."""
    m = sr.Model(gravity=(0, 0, 0))
    for k, name in enumerate("ab"):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1 * (k + 1), 0.1), position=(k, 0, 0)))
    m.add(sr.Revolute("A", "ground", "a", axis="y", torque=3.0), sr.Revolute("B", "ground", "b", axis="y"))
    m.add(sr.Gear("gear", "A", "B", ratio=-0.5))
    s = m.compile(formulation)
    alpha = 3.0 / (0.1 + 0.25 * 0.2)
    found = s.reactions(s.q0, s.v0)
    assert found["A"] == pytest.approx([0, 0, 0, 0, 0.1 * alpha, 0], abs=1e-9)
    assert found["B"] == pytest.approx([0, 0, 0, 0, -0.5 * 0.2 * alpha, 0], abs=1e-9)


def test_a_gear_on_the_joint_that_closes_a_loop():
    """Which joint of a parallelogram is cut does not matter to the reactions, nor does the formulation."""

    def model():
        m = sr.Model()
        for name, at in (("left", (0, 0, 0.5)), ("right", (1, 0, 0.5)), ("top", (0.5, 0, 1.0)), ("wheel", (2, 0, 0))):
            m.add(sr.Body(name, mass=1, inertia=(0.1, 0.2, 0.3), position=at))
        for name, a, b, at in (
            ("A", "ground", "left", (0, 0, 0)),
            ("B", "left", "top", (0, 0, 1)),
            ("D", "ground", "right", (1, 0, 0)),
        ):
            m.add(sr.Revolute(name, a, b, axis="y", at=at))
        m.add(sr.Ball("C", "top", "right", at=(1, 0, 1)), sr.Revolute("W", "ground", "wheel", axis="y", at=(2, 0, 0)))
        m.add(sr.Gear("gear", "D", "W", ratio=2.0))
        return m

    found = []
    for formulation, cut in (("joint", ()), ("joint", "D"), ("joint", "C"), ("absolute", ())):
        from sharnir.dynamics.model_compilation import compile_model

        s = compile_model(model(), formulation, cut=cut)
        found.append(s.reactions(s.q0, s.v0))
    for other in found[1:]:
        for name in ("A", "D", "W"):
            np.testing.assert_allclose(other[name], found[0][name], atol=1e-8)
