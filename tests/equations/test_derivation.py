"""Equations derived as expressions against the engine: every joint, force and constraint, trees and loops."""

import numpy as np
import pytest

import constrained_mechanisms
import mechanisms
import sharnir as sr
import zoo

from .states import difference, residuals_of_text

TREES = [name for name in zoo.ZOO if name not in ("forces", "prescribed", "gears")]
LOOPS = {
    "parallelogram": mechanisms.planar_parallelogram,
    "closed pendulum": mechanisms.closed_pendulum,
    "crank-rocker": mechanisms.crank_rocker,
    "slider-crank": mechanisms.slider_crank,
    "spatial slider-crank": mechanisms.spatial_slider_crank,
    "Andrews": mechanisms.andrews,
    "Bricard": mechanisms.bricard,
    "four-bar": constrained_mechanisms.four_bar,
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.parametrize("name", TREES)
def test_trees(name, letters):
    system, model = zoo.system(name), zoo.model(name)
    equations = model.equations(letters)
    for seed in range(2):
        q, v = zoo.state(system, seed)
        assert difference(equations, system, q, v, 0.7) < 1e-11
    if not letters:
        assert residuals_of_text(equations, system, q, v, 0.7) < 1e-11


@pytest.mark.parametrize("style", ["at", "origin", "frames", "far"])
@pytest.mark.parametrize("kind", sr.ALL_JOINTS)
def test_every_joint_placed_in_every_way(kind, style):
    if style == "far" and kind in (sr.Ball, sr.Free):
        style = "at"
    model = zoo.one_joint(kind, style)
    system = model.compile()
    q, v = zoo.state(system)
    assert difference(model.equations(), system, q, v) < 1e-11


def without(model, *names):
    """The same model without some forces."""
    other = model.copy()
    for name in names:
        del other._forces[name]
    return other


def test_every_force_with_a_closed_form():
    model = without(zoo.model("forces"), "air")
    system = model.compile()
    for equations in (model.equations(), model.equations(letters=True)):
        for seed in range(3):
            q, v = zoo.state(system, seed)
            assert difference(equations, system, q, v, 0.7) < 1e-11


def test_forces_without_a_closed_form_are_named():
    equations = zoo.model("forces").equations()
    assert "F_air_b5_x" in equations.inputs
    assert "UserForce 'air'" in str(equations)
    with pytest.raises(sr.ModelError, match="give a value for F_air_b5_x"):
        equations.accelerations(np.zeros(len(equations.coordinates)), np.zeros(len(equations.speeds)))


def test_friction_is_a_named_force_along_every_freedom():
    m = sr.Model("bearings")
    for name, at in (("a", (0, 0, 0)), ("b", (1, 0, 0))):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0), position=at))
    m.add(sr.Ball("S", "ground", "a", at=(0, 0, 0)), sr.Revolute("R", "a", "b", axis="y", at=(1, 0, 0)))
    m.add(sr.JointFriction("f", "S", coefficient=0.1, radius=0.02), sr.JointFriction("h", "R", coefficient=0.1, radius=0.02))
    equations = m.equations()
    assert equations.inputs == ("T_f_x", "T_f_y", "T_f_z", "T_h")
    assert [str(row.right) for row in equations.rows] == ["T_f_x", "T_f_y", "T_f_z", "T_h"]


def rocket(mass=10.0, com=(0, 0, 0.2), inertia=(1.5, 1.2, 0.4)):
    m = sr.Model("rocket")
    m.add(sr.Body("rocket", mass=mass, inertia=inertia, com=com, position=(0.1, 0, 0.3)))
    m.add(sr.Free("flight", "ground", "rocket", v=(1, 2, 3, 0.4, 0.5, 0.6)))
    return m


@pytest.mark.parametrize("letters", [False, True])
def test_a_body_that_loses_mass(letters):
    """With a full tank against the engine; with less in it, and no thrust, against a body that is lighter by as much."""
    m = rocket()
    nozzle = {"at": (0.1, 0.05, -0.4), "tank": (0.1, 0, 0.6), "tank_inertia": (0.02, 0.02, 0.01)}
    m.add(sr.Thrust("engine", "rocket", 200.0, axis=(0.1, 0, 1), exhaust_speed=500, propellant=2, **nozzle))
    equations, system = m.equations(letters), m.compile()
    assert set(equations.inputs) == {"F_engine", "m_engine_propellant"}
    q, v, t = system.q0, system.v0, 0.0
    assert difference(equations, system, q, v, t, F_engine=200.0, m_engine_propellant=2.0) < 1e-11
    left, c, tank = 0.5, np.array([0, 0, 0.2]), np.array([0, 0, 0.3])
    gone = 2.0 - left
    middle = (10.0 * c - gone * tank) / (10.0 - gone)

    def about(mass, r):
        return mass * (r @ r * np.eye(3) - np.outer(r, r))

    J = np.diag([1.5, 1.2, 0.4]) + about(10.0, c) - gone / 2.0 * np.diag([0.02, 0.02, 0.01]) - about(gone, tank)
    J -= about(10.0 - gone, middle)
    lighter = rocket(10.0 - gone, tuple(middle), tuple(J.diagonal()))
    want = lighter.compile().accelerations(q, v)
    assert equations.accelerations(q, v, F_engine=0.0, m_engine_propellant=left) == pytest.approx(want, rel=1e-11, abs=1e-11)


def test_drag_and_motors():
    m = sr.Model("cart")
    m.add(sr.Body("car", mass=2, inertia=(1, 1, 1)), sr.Body("arm", mass=0.5, com=(0.3, 0, 0), inertia=(0.01, 0.02, 0.03)))
    m.add(sr.Prismatic("rail", "ground", "car", axis="x"), sr.Revolute("O", "car", "arm", axis="y", limits=(-1, 1)))
    m.add(sr.Drag("air", "arm", area=0.3, coefficient="1 + 0.1*x", density="1.2 - 0.01*h", linear=0.2, wind=(1, "t", 0)))
    m.add(sr.Motor("servo", "O", torque="2*(1 - v/30)", command="3*sin(t) - 0.2*v", ratio=5, efficiency=0.9))
    m.add(sr.Motor("drive", "rail", torque="4 - v", ratio=2), sr.JointLimit("stop", "O", law=sr.Hertz(1e3)))
    system = m.compile()
    for seed in range(4):
        q, v = np.random.default_rng(seed).uniform(-2, 2, (2, 2))
        for letters in (False, True):
            assert difference(m.equations(letters), system, q, v, 0.4) < 1e-11


def test_prescribed_motions():
    system, model = zoo.system("prescribed"), zoo.model("prescribed")
    equations, t = model.equations(), 0.7
    q, v = zoo.state(system)
    # the one that is a Python function is differentiated by differences: its exact values are given
    exact = {"q_j3": 0.3 * np.sin(1.7 * t) + 0.1 * t * t, "q_j3'": 0.51 * np.cos(1.7 * t) + 0.2 * t}
    exact["q_j3''"] = -0.867 * np.sin(1.7 * t) + 0.2
    assert difference(equations, system, q, v, t) < 1e-8
    assert difference(equations, system, q, v, t, **exact) < 1e-9  # the engine's own differences


def test_mimic_joints():
    model = zoo.model("gears")
    system, equations = model.compile(), model.equations(letters=True)
    assert len(equations.speeds) == 3
    assert difference(equations, system, system.q0, system.v0) < 1e-11


@pytest.mark.parametrize("moving_ground", [False, True])
@pytest.mark.parametrize("kind", constrained_mechanisms.KINDS)
def test_every_constraint(kind, moving_ground):
    model = constrained_mechanisms.constrained(kind, moving_ground)
    system = constrained_mechanisms.general_state(model)
    assert difference(model.equations(), system, system.q0, system.v0) < 1e-11


@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name, letters):
    model = LOOPS[name]()
    system = constrained_mechanisms.general_state(model)
    equations = model.equations(letters)
    assert difference(equations, system, system.q0, system.v0) < 1e-11
    assert residuals_of_text(equations, system, system.q0, system.v0) < 1e-11


def test_redundant_equations_are_dropped():
    assert len(mechanisms.slider_crank().equations().constraints) == 2  # of five
    assert len(mechanisms.andrews().equations().constraints) == 6  # of fifteen


@pytest.mark.parametrize("options", [{"stiffness": 20, "damping": 0.3}, {"torque": "3*sin(t) - 0.1*v"}, {"motion": "0.1*t"}])
def test_forces_and_drives_in_cut_joints(options):
    """The joint that is cut keeps its coordinate as an unknown."""
    m = sr.Model("loop")
    for name, at in (("a", (0, 0, 0)), ("b", (1, 0, 0)), ("c", (1, 0, 1))):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0.3), position=at))
    m.add(sr.Revolute("A", "ground", "a", axis="y", at=(0, 0, 0), damping=0.1, v=1.0 if "motion" not in options else 0.0))
    m.add(sr.Revolute("B", "a", "b", axis="y", at=(1, 0, 0), damping=0.1))
    m.add(sr.Revolute("C", "b", "c", axis="y", at=(1, 0, 1), damping=0.1))
    m.add(sr.Revolute("D", "c", "ground", axis="y", at=(0.4, 0, 1.3), **options))
    system = m.compile()
    cuts = [joint.name for joint in system.tree.cuts]
    equations = m.equations()
    assert difference(equations, system, system.q0, system.v0) < 1e-11
    kept = [name for name in cuts if f"{name}.v" in equations.mechanism.speed_channels or "motion" in options]
    assert kept == cuts != []


@pytest.mark.parametrize("options", [{"damping": 0.5}, {"stiffness": 3.0}, {"torque": (0.3, "sin(t) - 0.2*v", 0.1)}])
def test_forces_in_a_ball_joint_that_closes_a_loop(options):
    m, rng = sr.Model("ring"), np.random.default_rng(4)
    for name in "abc":
        m.add(zoo.body(rng, name))
    m.add(sr.Ball("A", "ground", "a", at=(0, 0, 0)), sr.Universal("B", "a", "b", at=(1, 0, 0), axis="x", axis2="y", damping=1))
    m.add(sr.Revolute("C", "b", "c", axis="z", at=(1, 1, 0), damping=1), sr.Ball("D", "c", "ground", at=(0, 1, 0.3), **options))
    m.add(sr.JointForce("push", "D", 0.3, freedom=1))
    system = constrained_mechanisms.general_state(m)
    assert any(isinstance(joint, sr.Ball) for joint in system.tree.cuts)
    for letters in (False, True):
        assert difference(m.equations(letters), system, system.q0, system.v0) < 1e-11


def test_what_cannot_be_derived_is_named():
    with pytest.raises(sr.ModelError, match="has no bodies"):
        sr.Model().equations()
