"""Elements replaced in and removed from models; angles in degrees."""

from __future__ import annotations

import dataclasses
import math
import warnings

import numpy as np
import pytest

import sharnir as sr


def crane(mass: float = 2.0, stiffness: object = 100) -> sr.Model:
    """One element of each kind, with references between them."""
    m = sr.Model("crane", parameters={"k": 100.0})
    m.add(
        sr.Body("arm", mass=mass, shape=sr.Box((1, 0.1, 0.1), center=(0.5, 0, 0))),
        sr.Body("load", mass=1, inertia=(1, 1, 1), position=(1, 0, -1)),
    )
    m.add(sr.Revolute("boom", m.ground, "arm", at=(0, 0, 0), axis="y"), sr.Ball("hook", "arm", "load", at=(1, 0, 0)))
    m.add(sr.Input("u"), sr.Spring("rope", m.ground, "load", stiffness=stiffness), sr.JointForce("drive", "boom", "u"))
    m.add(sr.JointLimit("stop", "boom", lower=-1, law=sr.LinearLaw(1e4, 10)), sr.Event("low", "load.z < -2", sr.Stop()))
    return m


def test_a_replaced_element_is_as_if_built_so() -> None:
    m = crane()
    arm = m.replace("arm", mass=3)
    assert arm is m.bodies["arm"] and m == crane(mass=3.0)
    assert list(m.bodies) == ["arm", "load"]
    assert m.replace(m.forces["rope"], stiffness=50).stiffness == 50


def test_inertia_follows_from_the_new_shape_unless_given() -> None:
    m = crane()
    assert m.replace("arm", shape=sr.Sphere(0.5)).inertia[:3] == pytest.approx([0.4 * 2 * 0.25] * 3)
    given = m.replace("arm", inertia=(1, 1, 1))
    assert m.replace("arm", mass=5).inertia == given.inertia
    m.add(sr.Body("ball", density=1000, shape=sr.Sphere(1)))
    assert m.replace("ball", shape=sr.Sphere(2)).mass == pytest.approx(8 * 1000 * 4 / 3 * math.pi)
    assert m.replace("ball", mass=7).inertia[0] == pytest.approx(0.4 * 7 * 4)


def test_formulas_stay_formulas() -> None:
    m = crane(stiffness="2*k")
    m.replace("rope", damping=3)
    m.parameters["k"] = 7.0
    assert (m.forces["rope"].stiffness, m.forces["rope"].damping) == (14.0, 3.0)
    m.replace("rope", stiffness="3*k")
    assert m.forces["rope"].stiffness == 21.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.replace("arm", mas=1), "replace Body 'arm': 'mas' is not an argument; did you mean 'mass'"),
        (lambda m: m.replace("amr", mass=1), "'amr' is not an element of the model; did you mean 'arm'"),
        (lambda m: m.replace("arm", mass=-1), "mass = -1.0 must not be negative"),
        (lambda m: m.replace("boom", child="lod"), "'lod' is not a body of the model; did you mean 'load'"),
        (lambda m: m.replace("drive", torque="2*w"), "unknown name 'w'"),
        (lambda m: m.replace("boom", name="mast"), "'name' is not an argument"),
        (lambda m: m.remove("load"), "Body 'load' is the child of Ball 'hook'"),
        (lambda m: m.remove("boom"), "Revolute 'boom' is the joint of JointForce 'drive'"),
        (lambda m: m.remove("u"), "unknown name 'u'"),
        (lambda m: m.remove("rope", "nothing"), "'nothing' is not an element"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(change, message: str) -> None:
    m = crane()
    with pytest.raises(sr.ModelError, match=message.replace("(", r"\(")):
        change(m)
    assert m == crane()


def test_removed_elements_take_their_dependents_along() -> None:
    m = crane()
    m.remove("drive")
    m.remove("u")
    m.remove(m.joints["boom"], dependents=True)
    assert list(m.forces) == ["rope"] and list(m.joints) == ["hook"] and list(m.events) == ["low"]
    m.remove("load", dependents=True)
    assert (list(m.bodies), [*m.joints, *m.forces, *m.events]) == (["arm"], [])


def test_a_changed_model_runs_like_a_new_one() -> None:
    m = crane()
    m.replace("arm", mass=3)
    m.remove("low")
    other = crane(mass=3.0)
    other.remove("low")
    states = [x.compile().accelerations([0.1, 1, 0, 0, 0], [0.2, 0.1, 0, 0]) for x in (m, other)]
    assert np.array_equal(*states)


def test_a_name_of_two_elements_asks_for_the_element() -> None:
    m = crane()
    m.add(sr.Body("boom", mass=1))
    with pytest.raises(sr.ModelError, match=r"name of Body 'boom' and Revolute 'boom'; give the element"):
        m.remove("boom")
    m.remove(m.bodies["boom"])
    assert "boom" in m.joints


def test_angles_in_degrees() -> None:
    m = sr.Model(parameters={"a": 30.0})
    m.add(sr.Body("b", mass=1, position=(1, 0, 0)))
    hinge = m.add(sr.Revolute("h", "ground", "b", axis="y", q="90 deg", limits=("-45°", "120 deg"), torque="5 deg*sin(q)"))
    assert hinge.q == (math.pi / 2,) and hinge.limits[0] == sr.Limits(math.radians(-45), math.radians(120))
    assert sr.deg(90) == math.pi / 2 and sr.rotation_about("z", "90 deg") == sr.rotation_about("z", math.pi / 2)
    assert sr.rotation_rpy("10 deg", 0, sr.deg(20)) == sr.rotation_rpy(math.radians(10), 0, math.radians(20))
    assert m.replace("h", q="a*1 deg").q == (math.radians(30),)
    assert m.replace("h", q=sr.deg(m.parameter("c", 60.0))).q == pytest.approx((math.pi / 3,))
    with pytest.raises(sr.FormulaError):
        m.replace("h", q="90 degree")


@pytest.mark.parametrize("angle", [90, -45.0, 360])
def test_angles_that_look_like_degrees_are_warned_of(angle: float) -> None:
    with pytest.warns(sr.ModelWarning, match=r'if degrees are meant, write ".* deg" or sharnir.deg'):
        sr.Revolute("h", "ground", "b", axis="y", q=angle)
    with pytest.warns(sr.ModelWarning, match="limits"):
        sr.Revolute("h", "ground", "b", axis="y", limits=(-abs(angle), abs(angle)))
    with pytest.warns(sr.ModelWarning, match="rotation_about"):
        sr.rotation_about("x", angle)


def test_other_angles_are_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sr.Revolute("h", "ground", "b", axis="y", q=3 * math.pi, limits=(-1e16, 1e16))
        sr.Prismatic("s", "ground", "b", axis="y", q=90, limits=(-90, 90))
        sr.Revolute("h", "ground", "b", axis="y", q="90 deg", v=90)


def test_dataclasses_replace_checks_as_constructors_do() -> None:
    arm = crane().bodies["arm"]
    with pytest.raises(sr.ModelError, match="Body 'arm': 'mas' is not an argument; did you mean 'mass'"):
        dataclasses.replace(arm, mas=1)
    with pytest.raises(sr.ModelError, match=r"Body 'arm': mass = -1.0 must not be negative"):
        dataclasses.replace(arm, mass=-1)
