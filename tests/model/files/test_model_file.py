"""Model files: exact round trip, natural writing, all problems at once."""

import math
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from model.strategies import models
from sharnir import model as sr
from sharnir.errors import ModelError, ModelFileError
from sharnir.model.files.field_kinds import (
    CONSTRAINT_TYPES,
    FORCE_TYPES,
    JOINT_TYPES,
    SHAPE_TYPES,
    VARIABLE_TYPES,
    file_fields,
    kind,
)
from sharnir.model.files.model_file import load_run, run_from_text, text_of
from sharnir.model.files.schema import WORDS

FILES = Path(__file__).parent
SLIDER_CRANK = (FILES / "slider_crank.toml").read_text(encoding="utf-8")


@settings(
    max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None, derandomize=True
)
@given(models())
def test_round_trip_is_exact(model):
    text = text_of(model)
    again, _ = run_from_text(text)
    for part in ("bodies", "joints", "forces", "constraints"):
        assert list(getattr(again, part).items()) == list(getattr(model, part).items())
    assert again == model
    assert text_of(again) == text


def test_files_on_disk(tmp_path):
    model, run = run_from_text(SLIDER_CRANK)
    path = tmp_path / "model.toml"
    model.save(path, run)
    assert sr.Model.load(path) == model
    assert load_run(str(path)) == (model, {"t_end": 2, "step": 0.001, "integrator": "rk4"})


def test_natural_writing():
    model, _ = run_from_text(SLIDER_CRANK)
    assert model.parameters == {"k": 200, "Omega": 3.5}
    assert model.bodies["rod"].mass == pytest.approx(7800 * math.pi * 1e-4 * 0.35)
    assert model.bodies["slider"].rotation == sr.rotation_about("y", math.pi / 2)
    assert model.bodies["slider"].shape == sr.Box((0.1, 0.05, 0.05))
    assert model.joints["O"] == sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=20, torque="k*sin(Omega*t) - 0.1*v")
    assert model.joints["B"].motion == (None, "0.1*t", ("t", 1, 0))
    assert model.joints["B"].freedoms[2] == sr.Freedom("screw", "z", 0.1)
    assert model.forces["return"].force == sr.Table((0, 1, 2), (0, 1, 8), kind="cubic")


def test_written_files_are_short():
    model = sr.Model("m")
    model.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)))
    model.add(sr.Revolute("hinge", model.ground, "arm", axis="-y", damping=0.5))
    expected = """[model]
name = "m"
gravity = [0.0, 0.0, -9.81]

[bodies.arm]
mass = 1.0
inertia = [1.0, 1.0, 1.0]

[joints.hinge]
type = "revolute"
parent = "ground"
child = "arm"
axis = "-y"
damping = 0.5
"""
    assert text_of(model) == expected


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 1.7976931348623157e308, 5e-324, -0.0, 123456789.123456789])
def test_floats_read_back_bit_by_bit(value):
    model = sr.Model(parameters={"a": value})
    again, _ = run_from_text(text_of(model))
    assert again.parameters["a"].hex() == value.hex()


def test_python_functions_cannot_be_saved(tmp_path):
    model = sr.Model()
    model.add(sr.Body("arm", mass=1))
    model.add(sr.Revolute("hinge", "ground", "arm", axis="x", torque=lambda q, v, t: -q))
    with pytest.raises(ModelError, match=r"Revolute 'hinge': torque.*function.*formula or a Table"):
        model.save(tmp_path / "m.toml")
    assert not (tmp_path / "m.toml").exists()
    other = sr.Model(base_motion={"x": math.sin})
    with pytest.raises(ModelError, match=r"base_motion: x.*formula"):
        text_of(other)
    third = sr.Model()
    third.add(sr.Body("arm", mass=1), sr.UserForce("wind", "arm", lambda t, r, R, v, w, force, torque: None))
    with pytest.raises(ModelError, match="UserForce 'wind'"):
        text_of(third)


def test_settings_of_constraints():
    text = "[simulation]\nstabilization = [0.1, 0.7]\ncorrection = false\nsolver = 'sparse'"
    assert run_from_text(text)[1] == {"stabilization": [0.1, 0.7], "correction": False, "solver": "sparse"}
    assert run_from_text("[simulation]\nstabilization = true\ncorrection = 'position'")[1]["stabilization"] is True
    with pytest.raises(ModelFileError, match=r"simulation.stabilization"):
        run_from_text("[simulation]\nstabilization = [0.1]")


def test_constraints_in_natural_writing():
    model, _ = run_from_text(SLIDER_CRANK + CONSTRAINTS)
    assert model.constraints["belt"].joint_b == sr.JointCoordinate("B", "d2")
    assert model.constraints["sum"].terms == ((sr.JointCoordinate("O"), 2.0), (sr.JointCoordinate("B", 0), 1.0))
    assert model.constraints["rail"].variables == {"h": sr.PointCoordinate("slider", axis="z")}
    assert model.constraints["wire"].axes == sr.rotation_about("x", math.pi / 2)
    assert model.constraints["wire"].curve[1] == sr.Table((0, 1, 2, 3), (0, 1, 2, 4), kind="cubic")


CONSTRAINTS = """
[constraints.belt]
type = "gear"
joint_a = "O"
joint_b = {joint = "B", freedom = "d2"}
ratio = -2
[constraints.sum]
type = "coupler"
terms = [{joint = "O", coefficient = 2}, {joint = "B", freedom = 0, coefficient = 1}]
[constraints.rail]
type = "constraint"
formula = "h - 0.1*sin(Omega*crank.x) + O.q"
variables = {h = {type = "point-coordinate", body = "slider", axis = "z"}}
[constraints.wire]
type = "point-on-curve"
a = "ground"
b = "rod"
curve = ["s", {x = [0, 1, 2, 3], y = [0, 1, 2, 4], kind = "cubic"}, ["s^2", "2*s", 2]]
axes = {axis = "x", degrees = 90}
"""


def test_followers_may_stand_before_their_leader():
    text = """
    [bodies.a]
    mass = 1
    [bodies.b]
    mass = 1
    [joints.second]
    type = "revolute"
    parent = "a"
    child = "b"
    axis = "x"
    mimic = {joint = "first", multiplier = 2}
    [joints.first]
    type = "revolute"
    parent = "ground"
    child = "a"
    axis = "x"
    """
    model, _ = run_from_text(text)
    assert list(model.joints) == ["first", "second"]
    assert model.joints["second"].mimic == ("first", 2, 0)
    assert run_from_text(text_of(model))[0] == model


WRONG = (FILES / "wrong.toml").read_text(encoding="utf-8")


def test_all_problems_are_reported_together_with_their_paths():
    with pytest.raises(ModelFileError) as caught:
        run_from_text(WRONG, source="wrong.toml")
    found = {}
    for path, message in caught.value.problems:
        found[path] = message
    expected = {
        "surprise": "unknown key",
        "model.nam": "did you mean 'name'",
        "parameters.k": "should be a number, or {value, unit, description, range}, not 'much'",
        "parameters.sin": "cannot be used in formulas",
        "base_motion.x": "should be a number, formula of t or table",
        "bodies.a.mas": "did you mean 'mass'",
        "bodies.b.mass": "must not be negative",
        "bodies.c.mass": "unknown name 'heavy'",
        "bodies.d.inertia": "not physical",
        "bodies.e.shape.radius": "is missing",
        "bodies.e.shape.radus": "did you mean 'radius'",
        "bodies.f.shape[0]": "did you mean 'sphere'",
        "bodies.h.i.name": "must not contain a dot",
        "joints.j1": "unknown type 'revolut'; did you mean 'revolute'",
        "joints.j2": "needs a type: fixed, revolute",
        "joints.j3.axis": "is missing",
        "joints.j4.axis": "no direction",
        "joints.j5.child": "'gg' is not a body of the model",
        "joints.j7.torque": "expected ')'",
        "joints.j8.axis": 'should be "x", "y", "z"',
        "joints.j9.torque": "unknown name 'omega'",
        "joints.j10.parent_frame": "either angle",
        "forces.f1": "a file cannot contain Python code",
        "forces.f2.force": "should be three entries",
        "forces.f3.torque": "must increase",
        "constraints.c1": "did you mean 'distance'",
        "constraints.c2.radius": "must be positive",
        "constraints.c3.joint_a": "'j11' is not a joint",
        "constraints.c4.variables.x": "unknown type 'point-coordinat'; did you mean 'point-coordinate'",
        "constraints.c5.variables.x.axs": "did you mean 'axis'",
        "constraints.c6.formula": "unknown name 'w'",
        "constraints.c7.curve": "should be three entries x, y, z",
        "constraints.c8.terms[0].coefficient": "is missing",
        "simulation.t_end": "number",
        "simulation.tollerance": "did you mean 'tolerance'",
    }
    assert set(found) == set(expected)
    for path, words in expected.items():
        assert words in found[path], path
    assert str(caught.value).startswith("wrong.toml: 35 problems\n  ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[model\n", "not valid TOML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "nested too deeply|valid TOML"),
        (b"a = " + b"9" * 5000, "valid TOML"),
        (b"[bodies]\na = 3\n", "bodies.a"),
        (b"bodies = 3\n", "bodies"),
        (b"[joints]\nj = []\n", "joints.j"),
    ],
)
def test_broken_files(tmp_path, content, words):
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=words) as caught:
        sr.Model.load(path)
    assert str(caught.value).startswith("broken.toml: ")


def test_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        sr.Model.load(tmp_path / "nothing.toml")


TYPES = (JOINT_TYPES, FORCE_TYPES, CONSTRAINT_TYPES, VARIABLE_TYPES, SHAPE_TYPES)


@pytest.mark.parametrize("element", [sr.Body, sr.BaseMotion, *(kind for types in TYPES for kind in types.values())])
def test_every_field_has_a_kind(element):
    for field in file_fields(element):
        assert kind(element, field.name) in WORDS


def test_files_import_pydantic_only_when_read():
    import subprocess

    code = "import sys, sharnir.model; assert not {'pydantic', 'scipy', 'numba'} & set(sys.modules)"
    source = str(Path(sr.__file__).parents[2])
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": source})


def test_other_formats_are_refused(tmp_path):
    with pytest.raises(ModelError, match=r"x\.json: a model file is TOML text"):
        sr.Model("x").save(tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize("line", ["when = 3", 'actions = "stop"', 'actions = {type = "stop"}', "times = []"])
def test_wrong_values_of_events_are_named(line):
    text = "[bodies.a]\nmass = 1\n[events.x]\nat = 1\n" + line
    with pytest.raises(ModelError, match=r"events\.x\.") as caught:
        run_from_text(text)
    assert line.split(" ")[0] in str(caught.value)
