"""Numbers as formulas of parameters: every numeric field of every element, files, other values, errors."""

from __future__ import annotations

import copy
import pickle
import tomllib
from dataclasses import fields, is_dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import sharnir as sr
import zoo
from constrained_mechanisms import KINDS, constrained
from flexible_mechanisms import rod
from lettered_models import blocks, elements_of, lettered
from model.strategies import models
from sharnir.errors import FormulaError, ModelError, ModelFileError
from sharnir.model.files import field_kinds
from sharnir.model.files.model_file import run_from_text, text_of
from sharnir.model.parameters.template import Parametric, Template

MODELS = {
    **{name: (lambda name=name: zoo.model(name)) for name in zoo.ZOO},
    **{f"constraint {kind}": (lambda kind=kind: constrained(kind)) for kind in KINDS},
    "blocks": blocks,
}


@pytest.mark.parametrize("name", MODELS)
def test_every_number_may_be_a_formula(name):
    model = MODELS[name]()
    other = lettered(model)
    assert elements_of(other) == elements_of(model)
    assert (other.gravity, other.base_motion) == (model.gravity, model.base_motion)


def parts(value):
    """Elements and parts of elements inside a value."""
    if isinstance(value, Parametric) and is_dataclass(value):
        yield type(value)
        for field in fields(value):
            yield from parts(getattr(value, field.name))
    elif isinstance(value, (tuple, list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from parts(part)


def test_the_models_here_have_elements_of_every_kind():
    seen = {kind for make in MODELS.values() for part in elements_of(make()) for kind in parts(part)}
    kinds = [x for x in vars(field_kinds).values() if isinstance(x, field_kinds.FileTypes)]
    classes = dict.fromkeys([*field_kinds.BODY_TYPES.values(), *(one for listed in kinds for one in listed.own().values())])
    assert [one.__name__ for one in classes if one not in seen] == ["FlexibleBody", "Mesh"]  # see test_flexible_bodies, test_mesh


@settings(max_examples=60, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None, derandomize=True)
@given(models())
def test_random_models_with_formulas_are_saved_and_read(model):
    other = lettered(model, lambda name, value: f"2*{name} - {name}")
    assert elements_of(other) == elements_of(model)
    again, _ = run_from_text(text_of(other))
    assert again == other
    assert text_of(again) == text_of(other)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "forces"])  # Python functions cannot be saved
def test_files_hold_the_formulas(name):
    if any(callable(part) for joint in MODELS[name]().joints.values() for part in (*joint.torque, *joint.motion)):
        pytest.skip("has Python functions")
    other = lettered(MODELS[name]())
    again, _ = run_from_text(text_of(other))
    assert again == other
    wanted = {name: 1.1 * value for name, value in other.parameters.items() if name == "p2_"}  # of gravity
    assert again.with_parameters(**wanted) == other.with_parameters(**wanted)


def pendulum(l=0.5):
    m = sr.Model("pendulum", gravity=(0, 0, "-g"), parameters={"g": 9.81, "m1": 2.0})
    l = m.parameter("l", l, unit="m", description="length", range=(0.1, 2))
    m.add(sr.Body("bob", mass="m1/2", position=(2 * l, 0, 0), shape=sr.Box((l, "l/5", 0.1))))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", q=sr.sin(l), damping="0.1*l", torque=-2 * l))
    m.add(sr.Spring("s", "ground", "bob", at_b=(l, 0, 0), stiffness="100*m1", length=sr.sqrt(l)))
    return m


def test_expressions_give_numbers():
    m = pendulum()
    bob, hinge = m.bodies["bob"], m.joints["O"]
    assert (bob.mass, bob.position, bob.shape.size) == (1.0, (1.0, 0.0, 0.0), (0.5, 0.1, 0.1))
    assert bob.inertia == sr.Body("bob", mass=1, shape=sr.Box((0.5, 0.1, 0.1))).inertia
    assert (hinge.q, hinge.damping, hinge.torque) == ((0.479425538604203,), (0.05,), ("-2*l",))
    assert (m.forces["s"].stiffness, m.forces["s"].length) == (200.0, 0.5**0.5)
    assert m.gravity == (0.0, 0.0, -9.81)


def test_other_values_are_as_if_built_with_them():
    m = pendulum()
    assert m.with_parameters(l=0.6) == pendulum(0.6) != m
    assert m == pendulum()
    m.parameters["l"] = 0.6
    assert m == pendulum(0.6)
    m.parameters |= {"l": 0.5}
    assert m == pendulum()


def test_plain_models_keep_no_templates():
    assert not zoo.model("forces")._templates
    assert isinstance(sr.Body("a", mass=1), sr.Body)


def test_copies_are_independent():
    m = pendulum()
    for other in (m.copy(), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert other == m
        other.parameters["l"] = 1.0
        assert other == pendulum(1.0)
        assert m == pendulum()


def test_units_descriptions_and_ranges():
    m = pendulum()
    assert m.parameters.notes["l"] == sr.Parameter(0.5, "m", "length", (0.1, 2))
    data = tomllib.loads(text_of(m))
    assert data["parameters"] == {
        "g": 9.81,
        "m1": 2.0,
        "l": {"value": 0.5, "unit": "m", "description": "length", "range": [0.1, 2.0]},
    }
    assert data["bodies"]["bob"]["position"] == ["2*l", 0, 0]
    assert data["model"]["gravity"] == [0, 0, "-g"]
    assert run_from_text(text_of(m))[0] == m


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"l": 3}, "parameter 'l': value = 3.0 is outside its range 0.1 … 2.0 m"),
        ({"ll": 1}, "'ll' is not a parameter of the model (it has g, m1, l); did you mean 'l'?"),
        ({"m1": -1}, "Body 'bob': mass = -0.5 must not be negative (formulas: mass = 'm1/2' with m1 = -1.0)"),
        ({"l": "long"}, "parameter 'l': value = 'long' must be a number"),
        ({"g": float("nan")}, "parameter 'g': value = nan must be a finite number"),
    ],
)
def test_wrong_values(values, words):
    m = pendulum()
    with pytest.raises(ModelError) as caught:
        m.with_parameters(**values)
    assert words in str(caught.value)
    if "ll" not in values:
        with pytest.raises(ModelError):
            m.parameters.update(values)
    assert m == pendulum()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sr.Body("a", mass="m2"), "Body 'a': mass: unknown name 'm2'; did you mean 'm1'?"),
        (
            lambda: sr.Body("a", mass="m1 - 9"),
            "mass = -7.0 must not be negative (formulas: mass = 'm1 - 9' with m1 = 2.0)",
        ),
        (lambda: sr.Body("a", mass="1/(l - l)"), "Body 'a': mass = '1/(l - l)' has no finite value with l = 0.5"),
        (lambda: sr.Body("a", mass="log(-l)"), "has no finite value with l = 0.5"),
        (lambda: sr.Body("a", mass=1, position=("l", "k", 0)), "Body 'a': position: unknown name 'k'"),
        (lambda: sr.Body("a", mass=1, shape=sr.Sphere("-l")), "Body 'a': shape: Sphere: radius = -0.5 must be positive"),
        (lambda: sr.PadeDelay("a", "O.q", 0.1, order="3*l"), "order"),
        (lambda: sr.Body("a", mass="m1*"), "Body 'a': mass: the formula ends too early"),
        (lambda: sr.Body("a", mass="sinn(l)"), "unknown function 'sinn'"),
    ],
)
def test_errors_name_element_field_formula_and_values(make, words):
    m = pendulum()
    with pytest.raises(ModelError) as caught:
        m.add(make())
    assert words in str(caught.value)
    assert "a" not in m.bodies


def test_parameters_that_elements_need_cannot_be_removed():
    m = pendulum()
    with pytest.raises(FormulaError, match="unknown name 'm1'"):
        del m.parameters["m1"]
    assert m == pendulum()


def test_parameters_are_new():
    m = pendulum()
    with pytest.raises(ModelError, match="already a parameter"):
        m.parameter("l", 1.0)
    m.add(sr.Signal("load", "O.q"))
    with pytest.raises(ModelError, match="a signal of the model has the same name"):
        m.parameter("load", 1.0)
    with pytest.raises(ModelError, match=r"range = \(2\.0, 1\.0\) is reversed"):
        m.parameter("b", 1.5, range=(2, 1))
    with pytest.raises(ModelError, match="outside its range"):
        m.parameter("b", 0.5, range=(1, 2))


def test_templates_say_what_they_are():
    bob = sr.Body("bob", mass="m1")
    assert isinstance(bob, Template)
    assert bob.name == "bob"
    assert bob.mass == "m1"
    assert repr(bob) == "Template(Body, name='bob', mass='m1')"
    with pytest.raises(AttributeError, match=r"model\.add"):
        _ = bob.inertia_matrix
    m = sr.Model(parameters={"m1": 1.0})
    m.add(bob)
    assert m.add(sr.Revolute("O", m.ground, bob, axis="y", q="m1")).child == "bob"


def test_expressions_in_functions_of_parts():
    m = sr.Model(parameters={"a": 0.3})
    b = m.parameter("b", 2.0)
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1), position=(0, 0, 3)))
    wall = sr.Revolution(b + 1, span=(-1, 1))
    contact = m.add(sr.Contact("c", "ball", "ground", sr.Sphere(0.1), wall, law=sr.LinearLaw(1e4)))
    assert contact.shape_b.radius == "b + 1"
    assert m.template(contact) is None
    drive = m.add(sr.Revolute("O", "ground", "ball", axis="x", torque=2 * b), sr.Signal("s", b / 2))
    assert (drive[0].torque, drive[1].formula) == (("2*b",), "b/2")
    assert sr.SetParameter(b, 3).element({}).parameter == "b"


def test_rotations_by_formulas():
    m = sr.Model(parameters={"a": 0.3})
    one = m.add(sr.Body("a", rotation=sr.rotation_about("z", "a")))
    two = m.add(sr.Body("b", rotation=sr.rotation_about((0, 0, "2*a"), "a")))
    three = m.add(sr.Body("c", rotation=sr.rotation_rpy(0, 0, "a")))
    assert one.rotation == two.rotation == sr.rotation_about("z", 0.3)
    assert three.rotation == sr.rotation_rpy(0, 0, 0.3)
    text = '[parameters]\na = 30\n[bodies.d]\nrotation = {axis = "x", degrees = "a"}'
    assert run_from_text(text)[0].bodies["d"].rotation == pytest.approx(sr.rotation_about("x", 0.5235987755982988), abs=1e-15)


def test_stops_follow_limits_of_formulas():
    def model(low):
        m = sr.Model()
        low = m.parameter("low", low)
        m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("A", "ground", "a", axis="x", limits=(low, 1)))
        m.add(sr.JointLimit("stop", "A", restitution=0.5))
        return m

    assert model(-1.0).with_parameters(low=-0.5) == model(-0.5)
    assert list(model(-1.0).with_parameters(low=-0.5).events.values()) == list(model(-0.5).events.values())


def test_flexible_bodies(tmp_path):
    """Nodes go with their body, and files keep the formulas."""

    def model(length):
        m = sr.Model("beam", parameters={"l": length})
        m.add(sr.FlexibleBody("beam", reduced=rod(), position=("l", 0, "2*l")))
        m.add(sr.Fixed("clamp", "ground", "beam:root", at=("l", 0, "2*l")))
        return m

    m = model(0.5)
    other = m.with_parameters(l=0.7)
    assert other == model(0.7)
    assert elements_of(other) == elements_of(model(0.7)) != elements_of(m)
    assert np.array_equal(other.compile().params, model(0.7).compile().params)
    m.save(tmp_path / "beam.toml")
    assert sr.Model.load(tmp_path / "beam.toml").with_parameters(l=0.7) == other


def test_wrong_files_name_formulas():
    text = '[parameters]\nl = {value = 3, range = [0, 1]}\n[bodies.a]\nmass = "k"\n[bodies.b]\nmass = "l*"\nposition = ["l"]'
    with pytest.raises(ModelFileError) as caught:
        run_from_text(text)
    found = dict(caught.value.problems)
    assert "outside its range 0.0 … 1.0" in found["parameters.l"]
    assert "unknown name 'k'" in found["bodies.a.mass"]
    assert "three numbers" in found["bodies.b.position"]


@cache
def chain():
    m = sr.Model("chain")
    l, rho = m.parameter("l", 0.2), m.parameter("rho", 3.0)
    for k in range(5):
        m.add(sr.Body(f"b{k}", mass=rho * l, inertia=(rho * l**3 / 12,) * 3, position=((k + 0.5) * l, 0, 0)))
        m.add(sr.Revolute(f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(k * l, 0, 0), axis="y"))
    return m


def test_runs_see_the_values():
    m = chain()
    longer = m.with_parameters(l=0.3)
    plain = sr.Model("chain")
    for k in range(5):
        plain.add(sr.Body(f"b{k}", mass=3.0 * 0.3, inertia=(3.0 * 0.3**3 / 12,) * 3, position=((k + 0.5) * 0.3, 0, 0)))
        plain.add(sr.Revolute(f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(k * 0.3, 0, 0), axis="y"))
    a, b = longer.compile(), plain.compile()
    assert a.accelerations(a.q0, a.v0) == pytest.approx(b.accelerations(b.q0, b.v0), rel=1e-13)


def test_elements_that_events_would_have_to_change_are_refused():
    m = pendulum()
    m.add(sr.Event("later", at=1.0, actions=(sr.SetParameter("l", 0.7),)))
    with pytest.raises(ModelError, match=r"'l'.*Body 'bob'.*position"):
        m.compile()


def test_replaced_elements_are_plain():
    bob = pendulum().bodies["bob"]
    assert isinstance(replace(bob, mass=3.0), sr.Body)
