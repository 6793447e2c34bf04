"""The mixed problem against forward and inverse dynamics, against dense algebra, and with loops in both formulations."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import constrained_mechanisms
import sharnir as sr
import zoo
from sharnir.dynamics.inverse.mixed_recursion import solve_mixed
from sharnir.flexible import Section, reduce, straight_beam
from sharnir.kernel import PLAIN

BOTH = ("joint", "absolute")


def near(a, b, tolerance=1e-10):
    """Equal to a part of the largest number."""
    return np.abs(np.asarray(a) - b).max(initial=0.0) <= tolerance * max(1.0, np.abs(b).max(initial=0.0))


def reduced():
    """A steel rod of one metre along x with two interfaces."""
    return reduce(straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.02), elements=4), interfaces={"a": 0, "b": 4}, modes=2)


def elastic_tree(**options):
    """A body with two branches, elastic links, joints of several kinds; options: of the shoulder."""
    m, link = sr.Model("elastic tree"), reduced()
    m.add(sr.Body("base", mass=3, inertia=(0.2, 0.3, 0.4)), sr.Prismatic("rail", "ground", "base", axis="x", v=0.4, damping=2.0))
    m.add(sr.FlexibleBody("upper", reduced=link), sr.Revolute("shoulder", "base", "upper:a", axis="y", **(options or {"v": 0.7})))
    m.add(sr.FlexibleBody("lower", reduced=link, position=(1, 0, 0)))
    m.add(sr.Universal("elbow", "upper:b", "lower:a", at=(1, 0, 0), axis="y", axis2="z", v=(0.5, -1.0)))
    m.add(sr.Body("hand", mass=0.6, inertia=(2e-3, 3e-3, 4e-3), position=(2, 0, 0), com=(0.05, 0, 0.02)))
    m.add(sr.Ball("wrist", "lower:b", "hand", at=(2, 0, 0), v=(0.3, 0.2, -0.4)))
    m.add(sr.FlexibleBody("tail", reduced=link, rotation=sr.rotation_about("z", 2.0)))
    m.add(sr.Revolute("hip", "base", "tail:a", axis="z", v=-1.0, stiffness=3.0))
    m.add(sr.Force("pull", "tail:b", (3.0, "5*t", 1.0)))
    return m


def state(system):
    """The initial state with elastic coordinates of a fraction of a millimetre."""
    random = np.random.default_rng(3)
    q, v = system.q0.copy(), system.v0.copy()
    for first, speed, h in system.assembly.coordinates.elastic.values():
        q[first : first + h] += 2e-4 * random.normal(size=h)
        v[speed : speed + h] += 1e-2 * random.normal(size=h)
    return q, v


def elastic_loop(motion=None, formulation="joint"):
    """A slider-crank with an elastic rod; the crank turns freely, or as `motion` says."""
    m = sr.Model("slider-crank")
    crank = {"v": 2.0} if motion is None else {"motion": motion}
    m.add(sr.Body("crank", mass=1, inertia=(0.1, 0.1, 0.1)), sr.Revolute("O", "ground", "crank", axis="y", **crank))
    angle = math.asin(0.3)
    turn = sr.rotation_about("y", angle)
    far = (math.cos(angle), 0.0, 0.0)
    m.add(sr.FlexibleBody("rod", reduced=reduced(), position=(0, 0, 0.3), rotation=turn))
    m.add(sr.Revolute("A", "crank", "rod:a", at=(0, 0, 0.3), axis="y", damping=0.3))
    m.add(sr.Body("slider", mass=2, inertia=(1, 1, 1), position=far))
    m.add(sr.Ball("B", "rod:b", "slider", at=far), sr.Prismatic("S", "ground", "slider", axis="x", at=far))
    return m.compile(formulation)


@pytest.mark.parametrize("name", ["bush", "floating", "humanoid", "forces", "joint forces", "prescribed", "moving base"])
def test_both_ends_on_rigid_trees(name):
    s = zoo.system(name)
    (q, v), t, rng = zoo.state(s, 5), 0.8, np.random.default_rng(6)
    tau, wanted = rng.normal(size=s.n_v), rng.normal(size=s.n_v)
    assert near(s.mixed_dynamics(q, v, tau, t=t).vdot, s.accelerations(q, v, t, tau=tau))
    joints = [x.name for x in s.tree.joints if s.assembly.coordinates.ranges[x.name][3]]
    problem = s.mixed_problem(joints)
    found = problem.solve(q, v, accelerations=wanted, t=t)
    assert problem.chi.all()
    assert near(found.vdot, wanted)
    assert near(found.tau, s.inverse_dynamics(q, v, wanted, t))


def test_ends_on_an_elastic_tree():
    """All forces given: forward dynamics. All motions given: elastic coordinates stay free, nothing acts on them."""
    s = elastic_tree().compile()
    q, v = state(s)
    tau = np.where(np.arange(s.n_v) < 8, np.arange(s.n_v) - 3.0, 0.0)
    assert near(s.mixed_dynamics(q, v, tau, t=0.3).vdot, s.accelerations(q, v, 0.3, tau=tau))
    found = s.mixed_problem(["rail", "shoulder", "elbow", "wrist", "hip"]).solve(q, v, accelerations=tau, t=0.3)
    elastic = np.arange(s.n_v) >= 8
    assert near(found.vdot[~elastic], tau[~elastic])
    assert not found.tau[elastic].any()
    need = s.inverse_dynamics(q, v, found.vdot, 0.3)
    assert np.abs(need - found.tau).max() < 1e-10 * np.abs(found.vdot).max()


@pytest.mark.parametrize("motions", [["shoulder"], ["elbow"], ["wrist", "rail"], ["elbow.2", "hip"], ["wrist.y"]])
def test_any_mixture_against_dense_algebra(motions):
    """M v̇ + h = τ, split into known and unknown parts with NumPy."""
    s = elastic_tree().compile()
    q, v = state(s)
    problem, rng = s.mixed_problem([name.replace("elbow.2", second_freedom(s)) for name in motions]), np.random.default_rng(2)
    forces, accelerations = np.zeros(s.n_v), 3.0 * rng.normal(size=s.n_v)
    forces[:8] = rng.normal(size=8)
    found = problem.solve(q, v, forces, accelerations, 0.3)
    given = problem.chi != 0.0
    M, h = s.mass_matrix(q), s.inverse_dynamics(q, v, np.zeros(s.n_v), 0.3)
    vdot = np.where(given, accelerations, 0.0)
    vdot[~given] = np.linalg.solve(M[np.ix_(~given, ~given)], (forces - h - M @ vdot)[~given])
    tau = np.where(given, M @ vdot + h, forces)
    assert near(found.vdot, vdot, 1e-9)
    assert near(found.tau, tau, 1e-8)
    combined = problem.solve(q, v, forces, accelerations, 0.3, method="combined")
    assert near(combined.vdot, vdot, 1e-9)
    assert near(combined.tau, tau, 1e-8)


def second_freedom(system):
    """The name of the second angle of the elbow."""
    return f"elbow.{system.model.joints['elbow'].freedom_names[1]}"


def test_prescribed_in_the_model_or_given_here():
    """A joint with motion= and the same joint with its acceleration given need the same force, and so does the run's channel."""
    t = 0.2
    driven, free = elastic_tree(motion="0.3*sin(2*t)").compile(), elastic_tree(v=0.6).compile()
    names = [free.speeds.index(name) for name in driven.speeds]
    q, v = state(free)
    k = free.speeds.index("shoulder.v")
    q[k], v[k] = 0.3 * math.sin(2 * t), 0.6 * math.cos(2 * t)
    keep = [free.coordinates.index(name) for name in driven.coordinates]
    one = free.mixed_dynamics(q, v, accelerations={"shoulder": -1.2 * math.sin(2 * t)}, t=t)
    two = driven.mixed_dynamics(q[keep], v[names], t=t)
    assert one.forces["shoulder"] == pytest.approx(two.forces["shoulder"], rel=1e-10)
    assert near(one.vdot[names], two.vdot)
    y = np.concatenate([q[keep], v[names]])[None]
    assert driven.observe(np.array([t]), y, np.arange(1))[2][0, 0] == pytest.approx(one.forces["shoulder"], rel=1e-10)


def test_a_driven_elastic_tree_in_both_formulations():
    """The same force from the recursion, from the equations of cut joints, and in the channels of runs."""
    forces = []
    for formulation in BOTH:
        m = elastic_tree(motion="0.3*sin(2*t)")
        s = m.compile(formulation)
        forces.append(s.mixed_dynamics(s.q0, s.v0).forces["shoulder"])
        assert m.simulate(1e-4, output=1e-4, formulation=formulation)["shoulder.drive"][0] == pytest.approx(forces[-1], rel=1e-9)
    assert forces[0] == pytest.approx(forces[1], rel=1e-9)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize(
    ("forces", "accelerations"),
    [({}, {}), ({"A": 0.7, "S": 3.0}, {"O": 4.0}), ({"O": 2.0}, {"S": -5.0}), ({"S": 1.0, "O": -1.0}, {"A": 6.0})],
)
def test_loops_with_an_elastic_rod(formulation, forces, accelerations):
    """Recursion, combined system, and a check from outside: with the found forces, forward dynamics gives the accelerations."""
    s, other = elastic_loop(formulation=formulation), elastic_loop()
    found = s.mixed_dynamics(s.q0, s.v0, forces, accelerations)
    combined = s.mixed_dynamics(s.q0, s.v0, forces, accelerations, method="combined")
    assert near(found.vdot, combined.vdot, 1e-8)
    forward = s.mixed_dynamics(s.q0, s.v0, forces | found.forces)
    assert near(found.vdot, forward.vdot, 1e-9)
    if not forces:
        assert near(found.vdot, s.accelerations(s.q0, s.v0), 1e-9)
        assert near(found.multipliers, s.multipliers(s.q0, s.v0), 1e-8)
    twin = other.mixed_dynamics(other.q0, other.v0, forces, accelerations)
    assert found.forces == pytest.approx(twin.forces, rel=1e-8)
    assert near(found.vdot[-1], twin.vdot[-1], 1e-9)
    for name, value in combined.forces.items():
        assert found.forces[name] == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_driven_crank_with_an_elastic_rod(formulation):
    """Loops: motion= in the model, its channel, and the acceleration given here."""
    driven, free = elastic_loop("2*t + 3*t^2", formulation), elastic_loop(formulation=formulation)
    found = driven.mixed_dynamics(driven.q0, driven.v0)
    given = free.mixed_dynamics(free.q0, free.v0, accelerations={"O": 6.0})
    assert found.forces["O"] == pytest.approx(given.forces["O"], rel=1e-9)
    channel = driven.observe(np.zeros(1), driven.y0[None], np.arange(1))[2][0, 0]
    assert found.forces["O"] == pytest.approx(channel, rel=1e-9)
    # power: what the drive gives is what the mechanism gains and the damper takes
    rate = driven.observe_rates(np.zeros(1), driven.y0[None])
    h = 1e-6
    states = np.vstack([driven.y0 - h * rate[0], driven.y0 + h * rate[0]])
    energies = driven.observe_energy(np.array([-h, h]), states)[0].sum(axis=1)
    loss = 0.3 * free_speed(free) ** 2
    assert (energies[1] - energies[0]) / (2 * h) == pytest.approx(2.0 * channel - loss, rel=1e-5)


def free_speed(system):
    """Speed of hinge A at the start: that of the rod less that of the crank."""
    states = system.bodies(system.q0, system.v0)
    return states["rod:a"].angular_velocity[1] - states["crank"].angular_velocity[1]


@pytest.mark.parametrize("formulation", BOTH)
def test_inverse_dynamics_of_rigid_loops(formulation):
    s = constrained_mechanisms.four_bar().compile(formulation)
    for joint in ("O", "C"):
        wanted = {joint: 3.0, "P": -2.0}
        need = s.inverse_dynamics(s.q0, s.v0, wanted, drives=list(wanted))
        found = s.mixed_dynamics(s.q0, s.v0, accelerations=wanted)
        assert [found.forces[name] for name in wanted] == pytest.approx(need, rel=1e-9)


@pytest.mark.parametrize("kind", ["distance of time", "gear", "driven coupler", "disc", "formula", "helix", "mimic"])
def test_other_constraints(kind):
    """Equations between bodies and between speeds, of time, of speeds only; mimic joints."""
    own = constrained_mechanisms
    s = zoo.system("gears", "composite") if kind == "mimic" else own.general_state(own.constrained(kind))
    q, v = s.q0, s.v0
    assert near(s.mixed_dynamics(q, v).vdot, s.accelerations(q, v), 1e-9)
    name = {"mimic": "j1", "driven coupler": "P"}.get(kind, "A")
    found = s.mixed_dynamics(q, v, accelerations={name: 2.0})
    assert near(s.mixed_dynamics(q, v, {name: found.forces[name]}).vdot, found.vdot, 1e-9)
    assert found.vdot[s.assembly.coordinates.ranges[name][2]] == pytest.approx(2.0)


@pytest.mark.parametrize("element", [sr.Gear("g", "A", "B", ratio=2.0), sr.Constraint("g", "B.q - 2*A.q")])
def test_a_driven_axle_feels_the_gear_on_it(element):
    """J q̈ of its own wheel, and twice the torque that the other one needs: 2 + 2·4 N m."""
    m = sr.Model(gravity=(0, 0, 0))
    for name in ("a", "b"):
        m.add(sr.Body(name, mass=1, inertia=(1, 1, 1)))
    m.add(sr.Revolute("A", "ground", "a", axis="z", motion="t^2"), sr.Revolute("B", "ground", "b", axis="z"), element)
    s = m.compile()
    assert s.mixed_dynamics(s.q0, s.v0).forces["A"] == pytest.approx(10.0)
    assert m.simulate(0.2, output=0.1)["A.drive"] == pytest.approx([10.0] * 3)


@pytest.mark.parametrize("formulation", BOTH)
def test_drives_that_fight_a_loop_are_named(formulation):
    s = constrained_mechanisms.four_bar().compile(formulation)
    names = ["O", "A"]
    with pytest.raises(sr.ModelError, match="'O' and 'A' cannot all be given"):
        s.mixed_dynamics(s.q0, s.v0, accelerations=dict.fromkeys(names, 1.0))
    with pytest.raises(sr.ModelError, match="singular"):
        s.mixed_dynamics(s.q0, s.v0, accelerations=dict.fromkeys(names, 1.0), method="combined")


def test_wrong_questions():
    s = elastic_tree().compile()
    with pytest.raises(sr.ModelError, match="both a force and an acceleration"):
        s.mixed_dynamics(s.q0, s.v0, {"hip": 1.0}, {"hip": 1.0})
    with pytest.raises(sr.ModelError, match="given twice"):
        s.mixed_problem(["elbow", second_freedom(s)])
    with pytest.raises(sr.ModelError, match=r"no joint 'knee'; joints are [^:]*$"):
        s.mixed_dynamics(s.q0, s.v0, accelerations={"knee": 1.0})
    with pytest.raises(sr.ModelError, match="it needs 2 finite numbers"):
        s.mixed_dynamics(s.q0, s.v0, accelerations={"elbow": 1.0})
    with pytest.raises(sr.ModelError, match="method"):
        s.mixed_dynamics(s.q0, s.v0, method="magic")
    with pytest.raises(sr.ModelError, match="not among the given ones"):
        s.mixed_problem(["hip"]).solve(s.q0, s.v0, accelerations={"rail": 1.0})


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_one_kernel_for_every_choice():
    s = elastic_tree().compile()
    for motions in ([], ["hip"], ["rail", "wrist"]):
        s.mixed_problem(motions).solve(s.q0, s.v0)
    assert len(solve_mixed.signatures) == 1


def numbers():
    """Some answers as a list: a tree, and a loop in both formulations."""
    systems = elastic_tree().compile(), elastic_loop(), elastic_loop(formulation="absolute")
    chosen = {"hip": 1.0, "elbow": (2.0, 3.0)}, {"O": 4.0}, {"O": 4.0}
    found = [s.mixed_dynamics(s.q0, s.v0, accelerations=x) for s, x in zip(systems, chosen, strict=True)]
    return np.concatenate([np.concatenate([x.vdot, x.tau]) for x in found])


def test_plain_python_agrees():
    tests = Path(__file__).parents[2]
    path = os.pathsep.join([str(tests.parent / "src"), str(tests)])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    script = "import dynamics.inverse.test_mixed_problem as t; print(*map(float, t.numbers()))"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    plain, compiled = np.array(done.stdout.split(), float), numbers()
    assert plain == pytest.approx(compiled, abs=1e-8 * np.abs(compiled).max())


OBLIQUE = {
    "angles": ((sr.Rotation("z"), sr.Rotation("y"), sr.Rotation("x")), {"C.rz": 3.0, "C.ry": -2.0}, "C.rx"),
    "slides": ((sr.Translation("y"), sr.Rotation("z"), sr.Translation((1, 2, 2))), {"C.y": 3.0, "C.rz": 0.0}, "C.d3"),
}


@pytest.mark.parametrize("kind", OBLIQUE)
def test_forces_beside_a_driven_freedom_of_the_same_joint(kind):
    """Freedoms of which the last is driven and whose axes are oblique; absolute coordinates hold the joint by equations."""
    freedoms, forces, driven = OBLIQUE[kind]
    answers = []
    for formulation in BOTH:
        m = sr.Model("gimbal")
        m.add(sr.Body("arm", mass=2, inertia=(0.3, 0.2, 0.1), com=(0.2, 0.1, 0.3)))
        motion, speed = (None, None, "0.4 + t + 2*t^2"), (0.5, -0.3, 0.0)
        m.add(sr.FreedomSequence("C", "ground", "arm", freedoms=freedoms, motion=motion, q=(0.3, 0.8, 0.0), v=speed))
        s = m.compile(formulation)
        answers.append([s.mixed_dynamics(s.q0, s.v0, given).forces[driven] for given in (forces, None)])
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)
    assert abs(answers[0][0] - answers[0][1]) > 0.1
