"""Joints: what every kind answers, how entries are stored, and what is refused."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharnir as sr
from model.strategies import axes, joints
from sharnir.errors import FormulaError, ModelError
from sharnir.model import (
    ALL_JOINTS,
    Ball,
    Body,
    Cylindrical,
    Fixed,
    FormulaJoint,
    Frame,
    Free,
    Freedom,
    FreedomSequence,
    Limits,
    Planar,
    Prismatic,
    Revolute,
    Rotation,
    Screw,
    Table,
    Translation,
    Universal,
)

OWN = {
    Fixed: {},
    Revolute: {"axis": "y"},
    Prismatic: {"axis": "x"},
    Screw: {"axis": "z", "pitch": 0.01},
    Cylindrical: {"axis": "z"},
    Universal: {"axis": "x", "axis2": "y"},
    Ball: {},
    Planar: {"axis": "z"},
    Free: {},
    FreedomSequence: {"freedoms": (Rotation("z"), Translation("x"), Rotation("z"))},
    FormulaJoint: {"variables": {"a": "m", "b": "rad", "c": "1"}, "position": ("a", "b*c", 0), "rotation": ("x", "a*t")},
}
COUNTS = {Fixed: 0, Revolute: 1, Prismatic: 1, Screw: 1, Cylindrical: 2, Universal: 2, Ball: 3, Planar: 3, Free: 6}


def make(kind, **entries):
    return kind("j", "ground", "arm", **OWN[kind], **entries)


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_every_joint_answers_the_same_questions(kind):
    joint = make(kind)
    n = COUNTS.get(kind, 3)
    quaternion = joint.coordinates != "angles"
    assert joint.coordinates == {Ball: "ball", Free: "free"}.get(kind, "angles")
    assert joint.n_v == n
    assert joint.n_q == n + quaternion
    assert len(joint.freedoms) == (0 if quaternion else n)
    assert len(joint.freedom_names) == len(joint.units) == n
    assert len(joint.coordinate_names) == len(joint.coordinate_units) == joint.n_q == len(joint.q)
    assert len(set(joint.freedom_names)) == n
    assert len(set(joint.coordinate_names)) == joint.n_q
    for entry in (joint.v, joint.damping, joint.stiffness, joint.rest, joint.torque):
        assert entry == (0.0,) * n
    assert joint.motion == (None,) * n
    assert joint.driven == (False,) * n
    assert joint.name in repr(joint)
    assert joint == replace(joint)
    assert hash(joint) == hash(replace(joint))


def test_names_and_units_of_freedoms():
    assert make(Revolute).freedom_names == ("",)
    assert make(Planar).freedom_names == ("x", "y", "angle")
    assert make(Planar).units == ("m", "m", "rad")
    assert make(FreedomSequence).freedom_names == ("rz", "x", "rz_2")
    assert make(Ball).coordinate_names == ("w", "x", "y", "z")
    assert make(Cylindrical).units == ("m", "rad")
    assert make(Screw).units == ("rad",)
    odd = FreedomSequence("j", "a", "b", freedoms=(Rotation((1, 1, 0)), Translation((1, 1, 0)), Freedom("screw", "x", 1)))
    assert len(set(odd.freedom_names)) == 3


def test_bodies_are_stored_by_name():
    joint = Revolute("j", Body("a", mass=1), Body("b", mass=1), axis="x")
    assert (joint.parent, joint.child) == ("a", "b")


def test_scalars_become_tuples():
    joint = make(Revolute, q=1, v=2, damping=3, stiffness=4, rest=5, torque="-k*q")
    assert (joint.q, joint.v, joint.damping, joint.stiffness, joint.rest, joint.torque) == (
        (1,),
        (2,),
        (3,),
        (4,),
        (5,),
        ("-k*q",),
    )
    assert make(Planar, damping=2).damping == (2, 2, 2)
    assert make(Planar, q=np.array([1, 2, 3])).q == (1, 2, 3)
    assert make(Ball, stiffness=3).stiffness == (3, 3, 3)


def test_motion_of_one_freedom_and_of_several():
    triple = ("t", "1", "0")
    assert make(Revolute, motion="sin(t)").motion == ("sin(t)",)
    assert make(Revolute, motion=triple).motion == (triple,)
    assert make(Revolute, motion=(triple,)).motion == (triple,)
    assert make(Planar, motion=(None, "t", triple)).motion == (None, "t", triple)
    assert make(Planar, motion=(None, "t", None)).driven == (False, True, False)
    table = Table((0, 1, 2), (0, 1, 4), kind="cubic")
    assert make(Prismatic, motion=table).motion == (table,)
    assert make(Prismatic, motion=math.sin).motion == (math.sin,)


def test_quaternions_are_normalised():
    assert make(Ball, q=(2, 0, 0, 0)).q == (1, 0, 0, 0)
    assert make(Free, q=(1, 2, 3, 0, 0, 0, 5)).q == (1, 2, 3, 0, 0, 0, 1)


@given(axes)
def test_axes_have_unit_length_and_are_stored_once(axis):
    joint = Revolute("j", "a", "b", axis=axis)
    assert math.isclose(math.hypot(*joint.axis), 1, rel_tol=1e-14)
    assert replace(joint).axis == joint.axis
    assert joint.freedoms == (Freedom("rotation", joint.axis),)


@given(axes)
def test_planar_axes_are_right_handed(axis):
    x, y, n = (np.array(freedom.axis) for freedom in Planar("j", "a", "b", axis=axis).freedoms)
    np.testing.assert_allclose(np.cross(x, y), n, atol=1e-12)


@given(st.data())
def test_any_joint_survives_being_stored_again(data):
    joint = data.draw(joints("j", "a", "b"))
    given_fields = {field.name: getattr(joint, field.name) for field in fields(joint) if field.init}
    assert type(joint)(**given_fields) == joint


def test_limits():
    assert make(Revolute, limits=(-1, 2)).limits == (Limits(-1, 2),)
    assert make(Revolute, limits=Limits(-1, 2, 3, 4)).limits[0].velocity == 4
    assert make(Universal, limits=[(-1, 1), None]).limits == (Limits(-1, 1), None)
    assert make(Revolute).limits is None
    assert make(Revolute, limits=(None,)).limits is None


def test_mimic_is_completed():
    leader = Prismatic("lead", "ground", "hand", axis="x")
    assert make(Revolute, mimic=("lead",)).mimic == ("lead", 1, 0)
    assert make(Revolute, mimic=(leader, -2)).mimic == ("lead", -2, 0)
    assert make(Prismatic, mimic=("lead", 3, 0.5)).mimic == ("lead", 3, 0.5)


def test_frames_or_a_point():
    assert not make(Revolute, at=(1, 2, 3)).uses_frames
    assert make(Revolute, parent_frame=Frame((1, 2, 3))).uses_frames
    assert make(Revolute, child_frame=Frame((1, 2, 3))).uses_frames


@pytest.mark.parametrize("kind", [Ball, Free])
def test_motion_needs_angles(kind):
    with pytest.raises(ModelError, match="use FreedomSequence"):
        make(kind, motion=("sin(t)",) + (None,) * (make(kind).n_v - 1))
    with pytest.raises(ModelError, match=r"limits.*FreedomSequence"):
        make(kind, limits=(-1, 1))
    with pytest.raises(ModelError, match="must not contain q"):
        make(kind, torque=("-3*q",) + (0,) * (make(kind).n_v - 1))
    with pytest.raises(ModelError, match="UserForce"):
        make(kind, torque=(lambda q, v, t: 0.0,) + (0,) * (make(kind).n_v - 1))
    assert make(kind, torque=("-3*v",) + (0,) * (make(kind).n_v - 1)).torque[:2] == ("-3*v", 0)


@pytest.mark.parametrize(
    ("kind", "entries", "field", "words"),
    [
        (Revolute, {"q": (1, 2)}, "q", "2 entries; one per freedom is needed: 1"),
        (Revolute, {"q": float("nan")}, "q", "nan"),
        (Planar, {"v": 3}, "v", "one entry per freedom: 3"),
        (Revolute, {"damping": -1}, "damping", "negative"),
        (Revolute, {"damping": object}, "damping", "must be a number"),
        (Revolute, {"stiffness": -1}, "stiffness", "negative"),
        (Planar, {"torque": "q"}, "torque", "one entry per freedom: 3"),
        (Revolute, {"torque": "3*"}, "torque", "ends too early"),
        (Revolute, {"torque": [None]}, "torque", "None must be a number, a formula"),
        (Revolute, {"torque": lambda q: q}, "torque", "3 arguments"),
        (Revolute, {"motion": lambda: 0}, "motion", "1 argument"),
        (Revolute, {"motion": ("t", "1")}, "motion", "2 entries"),
        (Planar, {"motion": (None, ("t", "1"), None)}, "motion", "triple"),
        (Revolute, {"motion": Table((0, 1), (0, 1))}, "motion", "cubic"),
        (Revolute, {"limits": (2, 1)}, "limits", "reversed"),
        (Revolute, {"limits": (1, 2, 3)}, "limits", "per freedom"),
        (Planar, {"limits": (1, 2)}, "limits", "per freedom"),
        (Revolute, {"limits": [(1, 2, 3)]}, "limits", "pair"),
        (Revolute, {"at": (0, 0)}, "at", "3 are needed"),
        (Revolute, {"at": (0, 0, 0), "parent_frame": Frame()}, "at", "both given"),
        (Revolute, {"parent_frame": (0, 0, 0)}, "parent_frame", "Frame"),
        (Planar, {"mimic": ("a", 1, 0)}, "mimic", "one freedom"),
        (Ball, {"mimic": ("a", 1, 0)}, "mimic", "one freedom"),
        (Revolute, {"mimic": ("j", 1, 0)}, "mimic", "itself"),
        (Revolute, {"mimic": ("a", 1, 0), "q": 1}, "mimic", "follow"),
        (Revolute, {"mimic": ("a", 1, 0), "motion": "t"}, "mimic", "follow"),
        (Revolute, {"mimic": ("a", b"b")}, "mimic", "multiplier = b'b' must be a number"),
        (Revolute, {"mimic": ()}, "mimic", "multiplier"),
        (Ball, {"q": (0, 0, 0, 0)}, "q", "identity"),
        (Ball, {"q": (1, 0, 0)}, "q", "3 entries; 4 are needed"),
        (Ball, {"stiffness": (1, 2, 3)}, "stiffness", "Bushing"),
        (Ball, {"rest": (1, 0, 0)}, "rest", "zero"),
        (Free, {"q": (0, 0, 0)}, "q", "7 are needed"),
        (Free, {"stiffness": 1}, "stiffness", "Bushing"),
    ],
)
def test_errors_name_joint_field_and_remedy(kind, entries, field, words):
    with pytest.raises(ModelError, match=words) as caught:
        make(kind, **entries)
    assert f"{kind.__name__} 'j'" in str(caught.value)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Revolute("j", "a", "a", axis="x"), "two different bodies"),
        (lambda: Revolute("j", "a", 3, axis="x"), "must be a body or its name"),
        (lambda: Revolute("j", "a", "b", axis=(0, 0, 0)), "no direction"),
        (lambda: Revolute("j", "a", "b", axis="w"), '"x", "y", "z"'),
        (lambda: Revolute("j", "a", "b", axis=(1, 2)), "3 are needed"),
        (lambda: Revolute("j", "a", "b", axis=(1, 2, math.inf)), "finite"),
        (lambda: Revolute("j.k", "a", "b", axis="x"), "dot"),
        (lambda: Universal("j", "a", "b", axis="x", axis2="-x"), "parallel"),
        (lambda: Planar("j", "a", "b", axis="x", x_axis=(1, 1, 0)), "perpendicular"),
        (lambda: Screw("j", "a", "b", axis="x", pitch=None), "pitch"),
        (lambda: FreedomSequence("j", "a", "b", freedoms=(Rotation("x"),) * 7), "at most 6"),
        (lambda: FreedomSequence("j", "a", "b", freedoms=("x",)), "Rotation"),
        (lambda: FreedomSequence("j", "a", "b", freedoms="x"), "sequence"),
        (lambda: Freedom("spin", "x"), "'rotation', 'translation', 'screw'"),
        (lambda: Freedom("rotation", "x", 3), "only a screw"),
        (lambda: Limits(2, 1), "exchange"),
        (lambda: Limits(effort=-1), "negative"),
    ],
)
def test_wrong_geometry(build, words):
    with pytest.raises(ModelError, match=words):
        build()


def test_wrong_formula_shows_the_place():
    with pytest.raises(FormulaError) as caught:
        make(Revolute, torque="3*sin(q")
    assert str(caught.value).splitlines() == [
        "Revolute 'j': torque: expected ')' to close sin(",
        "    3*sin(q",
        "           ^",
    ]
    assert caught.value.field == "torque"


def test_initial_values_of_a_prescribed_freedom_are_refused():
    with pytest.raises(sr.ModelError, match="follow from it"):
        sr.Prismatic("rail", "ground", "b", axis="x", q=0.4, motion="0.1*t")


def test_one_damping_for_a_joint_with_a_prescribed_freedom():
    m = sr.Model()
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Universal("u", "ground", "b", axis="x", axis2="y", damping=0.1, motion=("0.2*t", None), v=(0, 1.0)))
    assert m.simulate(0.1)["u.v"][-1, 1] < 1.0
