"""Reactions, drives, outputs of forces, energies and momenta in formulas of signals and events."""

import numpy as np
import pytest

import flexible_mechanisms
import sharnir as sr
from sharnir.errors import FormulaError, ModelError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")
WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")
XYZ = ("x", "y", "z")


def rod(name, a, b, mass):
    a, b = np.array(a, float), np.array(b, float)
    moment = mass * ((b - a) @ (b - a)) / 12
    return sr.Body(name, mass=mass, inertia=(moment, moment, moment), position=tuple((a + b) / 2))


def four_bar():
    """One joint against the tree, dampers in joints, a spring, a bushing, a wheel with prescribed motion."""
    m = sr.Model("four-bar")
    m.add(
        rod("crank", (0, 0, 0), (0, 0, 1), 1),
        rod("coupler", (0, 0, 1), (2, 0, 1.5), 2),
        rod("rocker", (2, 0, 1.5), (2, 0, 0), 1.5),
    )
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=1.0))
    m.add(sr.Revolute("A", "coupler", "crank", at=(0, 0, 1), axis="y"))
    m.add(sr.Revolute("B", "coupler", "rocker", at=(2, 0, 1.5), axis="y", damping=0.3))
    m.add(sr.Revolute("C", "ground", "rocker", at=(2, 0, 0), axis="y", damping=0.2))
    m.add(sr.Spring("s", "ground", "coupler", stiffness=30, damping=1, at_a=(0, 0, 3)))
    m.add(sr.Bushing("b", "ground", "coupler", at=(1, 0, 1.25), stiffness=(5, 5, 5, 1, 1, 1)))
    m.add(sr.Body("wheel", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1)))
    m.add(sr.Revolute("W", "crank", "wheel", at=(0, 0, 1), axis="y", motion="3*t + 0.2*sin(5*t)"))
    return m


def channel(result, name):
    """A component of a channel by the name that formulas have for it."""
    if name in result:
        return result[name]
    base, _, part = name.rpartition(".")
    values = result[base]
    return values[:, (WRENCH if part in WRENCH else XYZ).index(part)]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_formulas_see_what_channels_show(formulation):
    m = four_bar()
    names = [f"{joint}.{key}.{c}" for joint in "OABCW" for key in ("reaction", "reaction_local") for c in WRENCH]
    names += ["s.force", "s.length", "b.force.fx", "b.force.ty", "W.drive", "energy.kinetic", "energy.potential", "energy.total"]
    names += ["system.momentum.x", "system.angular_momentum.y", "system.center_of_mass.z"]
    m.add(*(sr.Signal(f"s{k}", name) for k, name in enumerate(names)))
    m.add(sr.Signal("size", "O.reaction.force"), sr.Signal("given", "f", {"f": sr.JointReaction("O", "force", "local")}))
    r = m.simulate(0.5, output=0.05, tolerance=1e-8, formulation=formulation)
    for k, name in enumerate(names):
        assert np.abs(r[f"s{k}"] - channel(r, name)).max() < 1e-11, name
    size = np.linalg.norm(r["O.reaction"][:, :3], axis=1)
    assert np.abs(r["size"] - size).max() < 1e-11
    assert np.abs(r["given"] - size).max() < 1e-11


def wind(t, r, R, v, w, force, torque):
    for k in range(2):
        force[k, 0] = (k + 1) * t
        torque[k, 2] = (k + 1) * r[k, 2]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forces_of_constraints_and_of_users(formulation):
    m = four_bar()
    m.add(sr.Body("bob", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0)), sr.Distance("wire", "coupler", "bob"))
    m.add(sr.Body("disc", mass=0.5, shape=sr.Cylinder(0.2, 0.05), position=(4, 0, 0.2), velocity=(1, 0, 0)))
    m.add(sr.PointOnLine("line", "ground", "disc", axis="x"))
    m.add(sr.UserForce("wind", ("rocker", "coupler"), wind))
    names = ["wire.force", "wind.force_coupler.fx", "wind.force_coupler.tz", "wind.force_rocker.tz"]
    m.add(*(sr.Signal(f"s{k}", name) for k, name in enumerate(names)))
    m.add(sr.Signal("side", "f", {"f": sr.ForceOutput("line", "force", "2")}))
    r = m.simulate(0.3, output=0.05, tolerance=1e-8, formulation=formulation)
    for k, name in enumerate(names):
        assert np.abs(r[f"s{k}"] - channel(r, name)).max() < 1e-11, name
    assert np.abs(r["side"] - r["line.force"][:, 1]).max() < 1e-11
    assert np.abs(r["s0"]).max() > 1.0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_flexible_bodies(formulation):
    m = flexible_mechanisms.tree()
    joints = {"a": "gimbal", "b": "elbow", "c": "weight joint", "d": "clapper joint"}
    m.add(*(sr.Signal(f"{k}{c}", "f", {"f": sr.JointReaction(name, c)}) for k, name in joints.items() for c in WRENCH))
    m.add(sr.Signal("work", "energy.total"))
    r = m.simulate(0.02, output=0.005, tolerance=1e-7, formulation=formulation)
    for k, name in joints.items():
        for i, c in enumerate(WRENCH):
            assert np.abs(r[f"{k}{c}"] - r[f"{name}.reaction"][:, i]).max() < 1e-9 * np.abs(r[f"{name}.reaction"]).max()
    assert np.abs(r["work"] - r["energy.total"]).max() < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_an_event_on_a_reaction(formulation):
    """A bob on a string, from rest at 90°: the force is 3 m g cos φ."""
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=2, inertia=(1e-12, 1e-12, 1e-12), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
    free = m.copy()
    m.add(sr.Event("taut", "hypot(O.reaction.x, O.reaction.z) > 40", sr.Stop()))
    r = m.simulate(2.0, output=0.01, tolerance=1e-11, formulation=formulation)
    (event,) = r.events
    last = free.simulate(event["t"], output=event["t"], tolerance=1e-11, formulation=formulation)["O.q"][-1]
    assert np.sin(last) * 3 * 2 * 9.81 == pytest.approx(40, rel=1e-8)


def test_a_filtered_reaction_may_drive():
    m = four_bar()
    m.add(sr.LowPass("felt", "O.reaction.fx", time_constant=0.01), sr.JointForce("motor", "O", "-0.01*felt"))
    r = m.simulate(0.2, output=0.05, tolerance=1e-9)
    other = m.simulate(0.2, output=0.05, tolerance=1e-9, formulation="absolute")
    assert np.abs(r["felt"] - other["felt"]).max() < 1e-5 * np.abs(r["felt"]).max()


def test_wrong_names_are_said():
    m = four_bar()
    for text, words in {
        "O.nothing": "'O.nothing' does not exist",
        "s.nothing": "has no output 'nothing'; it has length, rate, force",
        "b.force": "has several components; name one: fx",
        "s.force.fx": "is a single number",
        "O.drive": "only in freedoms with prescribed motion: none",
    }.items():
        other = m.copy()
        other.add(sr.Signal("u", text))
        with pytest.raises(ModelError, match=words):
            other.compile()
    m.add(sr.Signal("u", "O.reaction.fx"), sr.JointForce("motor", "O", "u"))
    with pytest.raises(ModelError, match="depends on accelerations or reactions"):
        m.compile()
    with pytest.raises(FormulaError, match="put it through a Derivative block"):
        sr.Signal("y", "f_dot", {"f": sr.JointReaction("O")})


def test_files_hold_observed_variables():
    m = four_bar()
    m.add(sr.Signal("a", "f + g", {"f": sr.JointReaction("O", "mz", "local"), "g": sr.ForceOutput("b", "force", "tx")}))
    m.add(sr.Signal("c", "f + system.momentum.y", {"f": sr.JointDrive("W")}))
    again, _ = run_from_text(text_of(m))
    assert again.signals == m.signals
