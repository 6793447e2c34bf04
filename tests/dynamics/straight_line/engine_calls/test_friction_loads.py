"""Friction that depends on reactions, in derived code: accelerations, loads, bristles and whole runs against the engine."""

import numpy as np
import pytest

import flexible_mechanisms
import mechanisms
import sharnir as sr
from random_mechanisms import add_touching, random_loop, random_tree
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.power_balance import WITH_BALANCE
from sharnir.dynamics.memory import layout as L
from sharnir.equations.letters import Letters
from sharnir.equations.opened_joints import OpenedJoints
from sharnir.kernel import PLAIN
from sharnir.model.forces.joint_friction import JOINTS
from sharnir.symbolic.evaluation import evaluated

from ...friction.test_friction_in_any_frame import arm as framed_arm
from ...friction.test_joint_friction import arm, pendulum, rod
from ..test_derived_functions import call, difference
from ..test_random_mechanisms import conditioning
from .test_engine_forces import same_runs

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

SEEDS = [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 40))]


def rubbing(m, seed, part=1.0):
    """Friction in the joints that may have it, of both laws."""
    rng = np.random.default_rng(4000 + seed)
    for joint in list(m.joints.values()):
        if type(joint) in JOINTS and rng.random() < part and not any(x is not None for x in joint.motion or ()):
            more = {"length": 0.5} if rng.random() < 0.5 else {}
            more |= {"law": "lugre"} if rng.random() < 0.3 else {}
            size = {} if JOINTS[type(joint)] == "prismatic" else {"radius": 0.05}
            preload = float(rng.integers(2))
            m.add(sr.JointFriction(f"f {joint.name}", joint.name, coefficient=0.15, viscous=0.1, preload=preload, **size, **more))
    return m


def compare(m, y, t, factor=1.0, by_engine=False, **options):
    """ẏ and power by derived code and by the engine at one state; the friction must matter."""
    engine, system = m.compile(**options), m.compile(method="symbolic", **options)
    for x in (engine, system):
        x.table[L.F_BALANCE] = engine.derivative.address
    if engine.constrained:
        call(PROJECTION.address, engine, t, y, 8)
    wanted = call(WITH_BALANCE.address, engine, t, y, len(y) + 1)
    found = call(system.derived.balanced, system, t, y, len(y) + 1)
    assert (system.work[system.handed_over] > 0.0) == by_engine
    assert np.isnan(found).tolist() == np.isnan(wanted).tolist()
    if np.isfinite(wanted).all():
        assert difference(found[:-1], wanted[:-1]) < 1e-10 * factor
        assert abs(found[-1] - wanted[-1]) < 1e-9 * factor * max(1.0, np.abs(wanted).max())
    return system


def start(engine, seed, spread=0.0):
    """A state near the start, with bristles bent a little."""
    rng = np.random.default_rng(seed)
    y = engine.y0 + np.concatenate(
        [spread * rng.standard_normal(engine.n_q), rng.standard_normal(engine.n_v), 1e-6 * rng.standard_normal(engine.n_z)]
    )
    for k in engine.assembly.coordinates.quaternions:
        y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
    return y


def test_all_kinds_of_joints():
    """One of them against the tree."""
    m = arm()
    for seed in range(3):
        compare(m, start(m.compile(), seed, 0.3), 0.2)


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_trees(seed):
    m = rubbing(random_tree(seed), seed)
    if seed % 2:
        add_touching(m, np.random.default_rng(3000 + seed))
    compare(m, start(m.compile(), seed, 0.3), 0.3 + 0.01 * seed)


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_loops(seed):
    """Where constraints are redundant, reactions are chosen by the engine, which then computes."""
    m = rubbing(random_loop(seed), seed, 0.5)
    engine = m.compile()
    y = start(engine, seed, 0.02)
    call(PROJECTION.address, engine, 0.3, y, 8)
    handed = seed in NEAR_SINGULAR or bool(m.compile(method="symbolic").derived.derivation.left.whole)
    compare(m, y, 0.3, 10.0 * max(1.0, conditioning(engine, y)), handed)


NEAR_SINGULAR = {39}


@pytest.mark.parametrize("name", ["four_bar", "crank_rocker", "spatial_slider_crank", "slider_crank", "andrews"])
def test_every_joint_of_a_loop(name):
    """The one that is cut among them: what is redundant in a plane has no part in the friction."""
    m = getattr(mechanisms, name)()
    for joint in list(m.joints.values()):
        if type(joint) in JOINTS:
            size = {} if JOINTS[type(joint)] == "prismatic" else {"radius": 0.01}
            m.add(sr.JointFriction(f"f {joint.name}", joint.name, coefficient=0.1, **size))
    engine = m.compile()
    for seed in range(2):
        y = start(engine, seed, 0.01)
        call(PROJECTION.address, engine, 0.0, y, 8)
        system = compare(m, y, 0.0)
    assert not system.derived.derivation.left.whole


@pytest.mark.parametrize("base", [None, {"x": "0.3*sin(3*t)", "rz": "0.5*t"}])
@pytest.mark.parametrize("frames", [False, True])
def test_frames_and_a_moving_ground(frames, base):
    m = framed_arm(frames, base)
    compare(m, start(m.compile(), 1, 0.3), 0.2)


def test_flexible_bodies():
    m = flexible_mechanisms.tree()
    m.add(sr.JointFriction("f", "weight joint", coefficient=0.2, radius=0.02, length=0.1, preload=5.0))
    m.add(sr.JointFriction("g", "gimbal", coefficient=0.2, radius=0.02))
    engine = m.compile()
    q, v = flexible_mechanisms.state(engine, 2, turn=0.2, deformation=1e-3)
    compare(m, np.concatenate([q, v, engine.z0]), 0.1)


def test_redundant_reactions_are_left_to_the_engine():
    """All evaluations, and a run says so."""
    m = mechanisms.bricard()
    joint = next(joint for joint in m.joints.values() if type(joint) in JOINTS)
    m.add(sr.JointFriction("f", joint.name, coefficient=0.1, radius=0.02, length=0.3))
    with pytest.warns(sr.ModelWarning, match="constraints are redundant"):
        a, b = (m.simulate(0.1, tolerance=1e-9, method=method) for method in ("articulated", "symbolic"))
    assert b.stats["engine_evaluations"] > 100
    np.testing.assert_allclose(b[f"{joint.name}.q"], a[f"{joint.name}.q"], atol=1e-7)


def test_jam_is_an_error():
    """As the engine says it."""
    m = sr.Model("drawer")
    m.add(sr.Body("drawer", mass=1, inertia=(0.1, 0.1, 0.1), com=(0, 2, 0)))
    m.add(sr.Prismatic("P", "ground", "drawer", axis="x", v=1.0), sr.JointForce("pull", "P", -50.0))
    m.add(sr.JointFriction("f", "P", coefficient=0.9, length=0.1))
    for method in ("articulated", "symbolic"):
        with pytest.raises(sr.SharnirError, match="jams"):
            m.simulate(1.0, method=method)


def linkage(law):
    """A four-bar with friction in all joints."""
    m = sr.Model("four-bar")
    m.add(rod("crank", (0, 0, 0), (0, 0, 1), 1))
    m.add(rod("coupler", (0, 0, 1), (2, 0, 1.5), 2), rod("rocker", (2, 0, 1.5), (2, 0, 0), 1.5))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=2.0))
    m.add(sr.Revolute("A", "coupler", "crank", at=(0, 0, 1), axis="y"))
    m.add(sr.Revolute("B", "coupler", "rocker", at=(2, 0, 1.5), axis="y"))
    m.add(sr.Revolute("C", "ground", "rocker", at=(2, 0, 0), axis="y"))
    options = {"law": law, "stiffness": 2e3, "damping": 50.0} if law == "lugre" else {"law": law}
    m.add(*(sr.JointFriction(f"f{joint}", joint, coefficient=0.15, radius=0.05, static=0.2, **options) for joint in "OABC"))
    return m


@pytest.mark.parametrize("law", ["coulomb", "lugre"])
def test_runs(law):
    """Energy, loads, and bristles that stick."""
    a, b = same_runs(linkage(law), 0.5, ("O.q", "fA.load", "fC.power"), 1e-5)
    assert b.stats["energy_residual"] < 1e-6
    assert a["energy.total"][-1] < a["energy.total"][0] - 0.5


def test_a_bearing_that_comes_to_rest():
    m = pendulum(coefficient=0.3, radius=0.1)
    a, b = (m.simulate(3.0, tolerance=1e-8, integrator="radau5", method=method) for method in ("articulated", "symbolic"))
    np.testing.assert_allclose(b["O.q"], a["O.q"], atol=1e-5)
    assert b.stats["method"] == "symbolic" and b.stats["engine_evaluations"] == 0


def test_parameters_in_geometry():
    """Numbers of the second derivation, that of the reactions, are those of the first."""
    m = sr.Model("pendulum", parameters={"l": 0.7, "mu": 0.3})
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=("l", 0, 0)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", v=1.0))
    m.add(
        sr.Body("b", mass=2, inertia=(0.1, 0.2, 0.1), position=("2*l", 0, 0)),
        sr.Revolute("B", "a", "b", at=("l", 0, 0), axis="y"),
    )
    m.add(*(sr.JointFriction(f"f{x}", x, coefficient="mu", radius=0.05, preload=1.0) for x in "AB"))
    system = m.compile(method="symbolic")
    for values in ({"l": 0.9}, {"mu": 0.1}, {"l": 0.6, "mu": 0.2}):
        other = system.with_parameters(**values)
        engine = m.with_parameters(**values).compile()
        y = start(engine, 3, 0.3)
        wanted = call(engine.derivative.address, engine, 0.0, y, len(y))
        assert other.method == "symbolic"
        assert difference(call(other.derived.derivative, other, 0.0, y, len(y)), wanted) < 1e-10


def test_a_joint_with_friction_breaks():
    m = pendulum(coefficient=0.1, radius=0.1)
    m.add(sr.Event("break", "O.reaction.force > 20", sr.Release("O")))
    a, b = (m.simulate(1.5, output=0.05, tolerance=1e-9, method=method) for method in ("articulated", "symbolic"))
    assert [e["name"] for e in a.events] == [e["name"] for e in b.events]


def test_reactions_by_opened_joints():
    """Of a pendulum that turns about the vertical: weight, centripetal force, and the moment of the weight, in its own axes."""
    m = sr.Model()
    m.add(sr.Body("bob", mass=2, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="z"))
    tree = m.compile().tree
    reactions = OpenedJoints(m, tree, Letters(), ["O"], [])
    phi, v = 0.7, 2.0
    held = evaluated(reactions.held, {reactions.m.coordinates[0].name: phi, reactions.m.speeds[0].name: v})
    np.testing.assert_allclose(held, [-2 * v * v, 0, 2 * 9.81, 0, -2 * 9.81, 0], atol=1e-12)
