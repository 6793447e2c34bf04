"""The model: registering, references, equality, and the way to upper rooms."""

import pytest

import sharnir as sr
from sharnir.errors import FormulaError, ModelError
from sharnir.model import (
    BaseMotion,
    Body,
    Force,
    Free,
    Joint,
    JointForce,
    Model,
    Planar,
    Revolute,
    Spring,
    Table,
    TorsionSpring,
    UserForce,
)
from sharnir.model import model as module


def pendulum():
    m = Model("pendulum", parameters={"k": 3})
    bob = m.add(Body("bob", mass=1, position=(1, 0, 0)))
    m.add(Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y", torque="-k*v"))
    m.add(Spring("spring", m.ground, bob, stiffness=3))
    return m


def test_elements_by_name_in_order():
    m = Model()
    a, b, j = m.add(Body("b", mass=1), Body("a", mass=2), Revolute("b", "b", "a", axis="x"))
    assert list(m.bodies) == ["b", "a"]
    assert (m.bodies["a"], m.joints["b"], m.body("ground")) == (b, j, m.ground)
    assert a.name == "b"
    with pytest.raises(TypeError):
        m.bodies["c"] = a  # elements come in by add only


def test_equality_is_by_content_and_order():
    assert pendulum() == pendulum()
    m = pendulum()
    m.add(Body("c", mass=1))
    assert m != pendulum()
    x, y = Model(), Model()
    x.add(Body("a", mass=1), Body("b", mass=1))
    y.add(Body("b", mass=1), Body("a", mass=1))
    assert x != y
    assert pendulum() != "pendulum"


def test_copies_are_independent():
    m = pendulum()
    other = m.copy("other")
    other.add(Body("c", mass=1))
    other.parameters["k"] = 4
    assert list(m.bodies) == ["bob"]
    assert m.parameters == {"k": 3}
    assert (other.name, other.joints) == ("other", m.joints)


def test_repr_and_summary():
    m = pendulum()
    assert repr(m) == "Model('pendulum': 1 body, 1 joint, 1 force)"
    assert m.summary().splitlines() == [
        "pendulum: 1 body, 1 joint, 1 force; free joint coordinates: 1; gravity (0.0, 0.0, -9.81) m/s²",
        "  Body 'bob': 1 kg",
        "  Revolute 'hinge': ground -> bob, 1 freedom",
        "  Spring 'spring': on ground, bob",
    ]


@pytest.mark.parametrize(
    ("element", "field", "words"),
    [
        (Body("bob", mass=2), "name", "already a body"),
        (Revolute("hinge", "ground", "bob", axis="x"), "name", "already a joint"),
        (Spring("spring", "ground", "bob"), "name", "already a force"),
        (Body("ground", mass=2), "name", "taken by the ground"),
        (Revolute("j", "ground", "bobb", axis="x"), "child", "'bobb' is not a body.*did you mean 'bob'"),
        (Revolute("j", "x", "bob", axis="x"), "parent", "'x' is not a body.*add it first"),
        (Revolute("j", "ground", "bob", axis="x", mimic=("hing",)), "mimic", "did you mean 'hinge'"),
        (Force("f", "rod", (1, 2, 3)), "body", "'rod' is not a body"),
        (Spring("s", "bob", "rod"), "b", "'rod' is not a body"),
        (JointForce("f", "hing", 1), "joint", "'hing' is not a joint.*did you mean 'hinge'"),
        (TorsionSpring("f", "hinge", 1, freedom=1), "freedom", "freedom = 1 does not exist.*has: 0"),
        (UserForce("f", ("bob", "rod"), lambda t, r, R, v, w, force, torque: None), "bodies", "'rod' is not a body"),
        (JointForce("f", "hinge", "-c*q"), "torque", "unknown name 'c'.*parameters"),
        (Force("f", "bob", (0, 0, "q")), "force", "unknown name 'q'"),
        (Revolute("j", "ground", "bob", axis="x", motion="omega*t"), "motion", "unknown name 'omega'"),
        (Spring("s", "ground", "bob", force="k*y"), "force", "unknown name 'y'"),
    ],
)
def test_what_does_not_fit_is_refused(element, field, words):
    m = pendulum()
    with pytest.raises(ModelError, match=words) as caught:
        m.add(element)
    assert caught.value.field == field
    assert m == pendulum()


def test_mimic_of_a_follower_or_of_a_wide_joint():
    m = pendulum()
    m.add(Body("a", mass=1), Body("b", mass=1), Body("c", mass=1))
    m.add(Revolute("follow", "bob", "a", axis="x", mimic=("hinge", 2)))
    with pytest.raises(ModelError, match="follow 'hinge' directly"):
        m.add(Revolute("third", "a", "b", axis="x", mimic=("follow", 2)))
    m.add(Planar("plane", "a", "b", axis="z"))
    with pytest.raises(ModelError, match="3 freedoms"):
        m.add(Revolute("third", "b", "c", axis="x", mimic=("plane", 2)))
    assert "free joint coordinates: 4" in m.summary()


def test_forces_in_joints_without_an_angle():
    m = Model()
    m.add(Body("a", mass=1), Free("flight", "ground", "a"))
    m.add(JointForce("drag", "flight", "-3*v", freedom=5), JointForce("thrust", "flight", 3))
    for torque in ("-3*q", Table((0, 1), (0, 1)), lambda q, v, t: -v):
        with pytest.raises(ModelError, match=r"JointForce 'f': torque.*no single angle"):
            m.add(JointForce("f", "flight", torque))
    with pytest.raises(ModelError, match=r"TorsionSpring 's'.*use Bushing"):
        m.add(TorsionSpring("s", "flight", 1))


@pytest.mark.parametrize("thing", [3, "body", None, BaseMotion(), Body])
def test_only_elements_can_be_added(thing):
    with pytest.raises(ModelError, match="elements are Body, Fixed"):
        Model().add(thing)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"name": ""}, "name"),
        ({"gravity": (0, 0)}, "gravity.*3 are needed"),
        ({"gravity": 9.81}, "gravity.*3 numbers"),
        ({"parameters": {"k": "3"}}, "parameter 'k'"),
        ({"parameters": {"sin": 3}}, "parameter 'sin'.*function"),
        ({"parameters": {"t": 3}}, "variables"),
        ({"parameters": {"a b": 3}}, "letters, digits"),
        ({"parameters": {"lambda": 3}}, "letters, digits"),
        ({"parameters": {"_x": 3}}, "letters, digits"),
        ({"base_motion": {"w": 1}}, "base_motion"),
        ({"base_motion": "x"}, "base_motion"),
        ({"base_motion": {"x": "c*t"}}, "unknown name 'c'"),
    ],
)
def test_wrong_models(entries, words):
    with pytest.raises(ModelError, match=words):
        Model(**entries)


def test_gravity_may_change_but_is_checked():
    m = Model()
    m.gravity = (0, -9.81, 0)
    assert m.gravity == (0, -9.81, 0)
    with pytest.raises(ModelError, match="gravity"):
        m.gravity = "down"


def test_base_motion_may_be_a_dict():
    assert Model(base_motion={"x": "sin(t)"}).base_motion == BaseMotion(x="sin(t)")


def test_formula_error_is_a_model_error_with_the_place():
    with pytest.raises(FormulaError) as caught:
        pendulum().add(JointForce("f", "hinge", "2*q + cc"))
    assert caught.value.position == 6


def test_simulate_and_compile_hand_everything_upward(monkeypatch):
    calls = []

    def upward(where, name):
        return lambda *given, **options: calls.append((where, name, given, options))

    monkeypatch.setattr(module, "upward", upward)
    m = pendulum()
    m.simulate(2.0, step=0.1, integrator="rk4", order=3)
    m.compile(method="composite")
    (run, compiled) = calls
    assert run[:3] == ("sharnir.simulate.simulation", "simulate", (m, 2.0))
    assert run[3] == {
        "step": 0.1,
        "output": None,
        "integrator": "rk4",
        "tolerance": None,
        "formulation": "joint",
        "method": "auto",
        "order": 3,
        "max_step": None,
        "progress": None,
        "options": None,
    }
    assert compiled == (
        "sharnir.dynamics.model_compilation",
        "compile_model",
        (m,),
        {"formulation": "joint", "method": "composite"},
    )


def test_settings_of_constraints_are_handed_upward_where_they_are_not_the_usual_ones(monkeypatch):
    calls = []
    monkeypatch.setattr(module, "upward", lambda where, name: lambda *given, **options: calls.append((name, options)))
    m = pendulum()
    m.simulate(1.0, stabilization=[0.1, 0.7], correction=False)
    m.simulate(1.0, stabilization=True, correction="position", solver="sparse")
    m.compile(solver="null-space")
    m.topology()
    asked = [{key: options.get(key) for key in ("stabilization", "correction", "solver")} for _, options in calls]
    assert asked[0] == {"stabilization": (0.1, 0.7), "correction": False, "solver": None}
    assert asked[1] == {"stabilization": True, "correction": "position", "solver": "sparse"}
    assert asked[2] == {"stabilization": None, "correction": None, "solver": "null-space"}
    assert calls[3] == ("topology", {})


def test_joint_is_abstract():
    with pytest.raises(TypeError):
        Joint("j", "a", "b")
    assert issubclass(Free, Joint)


def test_base_motion_can_be_set_later():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "b", axis="x"))
    m.base_motion = {"x": "0.1*sin(t)"}
    assert m.simulate(0.5)["ground.position"][-1, 0] == pytest.approx(0.1 * 0.479425538604203)
    with pytest.raises(sr.ModelError, match="base_motion"):
        m.base_motion = 3.0
