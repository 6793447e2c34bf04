"""Systems with other values of parameters: what is filled again equals what is built anew, bit for bit."""

from __future__ import annotations

import re

import numpy as np
import pytest

import sharnir as sr
import zoo
from constrained_mechanisms import KINDS, constrained
from lettered_models import blocks, lettered
from sharnir.errors import ModelError

FIELDS = {
    sr.Body: {"mass", "com", "inertia", "position"},
    sr.Joint: {"at", "q", "v", "damping", "stiffness", "rest"},
    sr.Spring: {"at_a", "at_b", "stiffness", "damping", "length"},
    sr.Bushing: {"at", "stiffness", "damping", "preload"},
}
KINDS_OF_TREES = tuple(kind for kind in zoo.KINDS if kind not in (sr.Ball, sr.Free))


def tree(seed):
    """A random tree of joints with angles, with springs, dampers and bushings."""
    m = zoo.random_tree(seed, 7, KINDS_OF_TREES, styles=("at", "origin"))
    rng = np.random.default_rng(seed)
    m.add(sr.Spring("one", "ground", "b2", at_b=rng.uniform(-1, 1, 3), stiffness=30, damping=0.3, length=0.4))
    m.add(sr.Spring("two", "b1", "b4", stiffness=20), sr.Bushing("three", "b0", "b3", at=(0.1, 0.2, 0.3), stiffness=(5.0,) * 6))
    return m


def changed(model, seed, names=None):
    """Values of parameters so near those that they have that inertias stay physical; zeros stay."""
    rng = np.random.default_rng(seed)
    return {
        name: value * rng.uniform(0.9995, 1.0005) for name, value in model.parameters.items() if names is None or name in names
    }


def assert_equal_systems(a, b):
    assert np.array_equal(a.table.shape, b.table.shape)
    assert np.array_equal(a.params, b.params)
    assert np.array_equal(a.y0, b.y0)
    q, v = zoo.state(b, 1)
    assert np.array_equal(a.accelerations(q, v), b.accelerations(q, v))
    assert a.energy(q, v).total == b.energy(q, v).total


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("method", ["articulated", "composite", "direct"])
def test_random_trees_are_filled_again(seed, method):
    m = lettered(tree(seed), only=FIELDS)
    system = m.compile(method=method)
    for k in range(3):
        values = changed(m, 10 * seed + k)
        other = system.with_parameters(**values)
        assert_equal_systems(other, m.with_parameters(**values).compile(method=method))
        assert other.numbers_only == (k > 0)  # the first is built
        assert other.model == m.with_parameters(**values)
        assert [x.name for x in other.tree.joints] == [x.name for x in system.tree.joints]
    assert system.origin.plan is not False
    assert_equal_systems(system, m.compile(method=method))


FORMULATIONS = ("joint", "absolute")
BUILT = ("cam by table",)  # a switch of the state counts pieces of a table whose knots are parameters


IN_ZOO = [(name, kind) for name in zoo.ZOO for kind in FORMULATIONS if (name, kind) != ("rotors", "absolute")]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "formulation"), IN_ZOO)
def test_all_elements_are_filled_again(name, formulation):
    check_filled(lettered(zoo.model(name)), formulation)


@pytest.mark.sample(3)
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_constraints_are_filled_again(kind, formulation):
    check_filled(lettered(constrained(kind)), formulation, planned=kind not in BUILT)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_signals_and_events_are_filled_again(formulation):
    only = {sr.Body: {"mass"}, sr.Spring: {"stiffness"}, sr.LowPass: {"time_constant"}, sr.PID: {"kp", "ki"}}
    check_filled(lettered(blocks(), only=only), formulation, planned=False)  # a tank loses mass, in `params`


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_controlled_mechanism_is_filled_again(formulation):
    m = chain(2, kp=20.0, ki=2.0, T=0.05, c=0.4, e=0.5, goal=0.3)
    m.add(sr.Signal("error", "goal - j1.q"))
    m.add(sr.PID("pid", "error", kp="kp", ki="ki", filter_time="T"), sr.LowPass("slow", "pid*c", time_constant="2*T"))
    m.add(sr.JointForce("motor", "j1", "slow - c*v"), sr.JointForce("load", "j0", "-c*q"))
    m.add(sr.Event("late", at="c", actions=[sr.SetParameter("goal", "goal/2")]))
    m.add(sr.Event("hit", when="j0.q - c", direction="rising", actions=[sr.Rebound("j0", "e")]))
    assert check_filled(m, formulation) == 5


def built(m, values, formulation):
    """The system that is built anew, or the error that this gives."""
    try:
        return m.with_parameters(**values).compile(formulation)
    except ModelError as error:
        return error


def check_filled(m, formulation, planned=True):
    """What is filled again is what is built anew, bit by bit: numbers, initial state, memory, accelerations."""
    system = m.compile(formulation)
    found = 0
    for k in range(5):
        values = changed(m, k)
        expected = built(m, values, formulation)
        if isinstance(expected, ModelError):  # axes that have to be perpendicular are not any more
            with pytest.raises(ModelError, match=re.escape(str(expected))):
                system.with_parameters(**values)
            continue
        other = system.with_parameters(**values)
        found += 1
        assert np.array_equal(other.params, expected.params)
        assert np.array_equal(other.pristine.places, expected.pristine.places)
        assert np.array_equal(other.pristine.values, expected.pristine.values, equal_nan=True)
        assert other.model == expected.model
        assert np.array_equal(other.y0, expected.y0)
        q, v = zoo.state(expected, k) if not expected.constrained else (expected.q0, expected.v0)
        assert np.array_equal(other.accelerations(q, v), expected.accelerations(q, v))
        assert np.array_equal(other.accelerations(q, v, t=0.3), expected.accelerations(q, v, t=0.3))
    assert bool(system.origin.plan) == planned
    return found


def test_shapes_and_axes_are_filled_again():
    m = sr.Model(parameters={"w": 0.3, "a": 0.2, "rho": 700.0, "h": 0.01})
    m.add(sr.Body("a", density="rho", shape=sr.Box(("2*w", "w", "w/2"), center=("w", 0, 0))))
    m.add(sr.Body("b", mass=1, shape=sr.Cylinder("w/3", "w"), position=("2*w", 0, 0), rotation=sr.rotation_about("y", "a")))
    m.add(sr.Revolute("A", "ground", "a", axis=("sin(a)", "cos(a)", 0), at=(0, 0, 0)))
    m.add(sr.Screw("B", "a", "b", axis=(0, "sin(a)", "cos(a)"), pitch="h", at=("2*w", 0, 0)))
    m.add(sr.PointOnPlane("C", "ground", "b", normal=("sin(a)", 0, "cos(a)")))
    assert check_filled(m, "joint") == check_filled(m, "absolute") == 5


def test_formulas_of_forces_and_motions_are_filled_again():
    m = chain(3, k=1.0, w=2.0, power=2.0, s=0.5)
    m.add(sr.JointForce("drive", "j0", "-k*v - k*abs(q)^power"), sr.JointForce("steps", "j1", "if(q > s, k, -k)*sin(w*t)"))
    m.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Revolute("driven", "b1", "arm", axis="z", motion="s*sin(w*t) + abs(t)*k"))
    m.add(sr.Force("push", "b1", force=("k*cos(w*t)", 0, "step(t - s)"), at=("l", 0, 0)))
    assert check_filled(m, "joint") == check_filled(m, "absolute") == 5


def test_compiled_code_is_the_same_for_all_values():
    """Other values of parameters compile nothing."""
    from sharnir.dynamics.memory.c_functions import _given_code, _source_code

    m = chain(2, k=1.0)
    m.add(sr.JointForce("drive", "j0", "-k*v - sin(k*q)"))
    system = m.compile()
    before = _source_code.cache_info().misses, _given_code.cache_info().misses
    for k in (2.0, 3.0, 4.0):
        system.with_parameters(k=k)
    assert (_source_code.cache_info().misses, _given_code.cache_info().misses) == before


@pytest.mark.parametrize("seed", range(6))
def test_random_loops_are_filled_again(seed):
    """Closed mechanisms with speeds at the start: the state is assembled again."""
    rng = np.random.default_rng(seed)
    r, l, e = rng.uniform(0.1, 0.2), rng.uniform(0.4, 0.6), rng.uniform(-0.05, 0.05)
    m = sr.Model(
        "slider-crank", gravity=(0, 0, "-g"), parameters={"g": 9.81, "r": r, "l": l, "e": e, "w": rng.uniform(-9, 9), "k": 3.0}
    )
    m.add(sr.Body("crank", mass="k*r", inertia=(0.01,) * 3, position=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass="k*l", inertia=(0.02,) * 3, position=("r + l/2", 0, "e/2")))
    m.add(sr.Body("piston", mass=0.5, inertia=(0.01,) * 3, position=("r + l", 0, "e")))
    m.add(
        sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v="w"),
        sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"),
    )
    m.add(sr.Revolute("B", "rod", "piston", at=("r + l", 0, "e"), axis="y", damping="k/100"))
    m.add(sr.Prismatic("C", "ground", "piston", axis="x", torque="-k*q", stiffness="k"))
    for formulation in FORMULATIONS:
        assert check_filled(m, formulation) == 5


def test_later_changes_of_the_model_do_not_matter():
    m = chain(2)
    system, before = m.compile(), m.copy()
    m.add(sr.Body("late", mass="rho"))
    m.parameters["rho"] = 5.0
    for length in (0.3, 0.4, 0.5):
        assert_equal_systems(system.with_parameters(l=length), before.with_parameters(l=length).compile())


def chain(n=30, **more):
    m = sr.Model("chain", gravity=(0, 0, "-g"), parameters={"g": 9.81, **more})
    l, rho = m.parameter("l", 0.2, range=(0, 5)), m.parameter("rho", 3.0)
    for k in range(n):
        m.add(sr.Body(f"b{k}", mass=rho * l, inertia=(rho * l**3 / 12,) * 3, position=((k + 0.5) * l, 0, 0)))
        m.add(sr.Revolute(f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(k * l, 0, 0), axis="y"))
    return m


def test_chains_of_values():
    m = chain(4)
    system = m.compile()
    one = system.with_parameters(l=0.3).with_parameters(rho=2.0).with_parameters(g=1.6)
    assert_equal_systems(one, m.with_parameters(l=0.3, rho=2.0, g=1.6).compile())
    assert_equal_systems(one.with_parameters(l=0.2, rho=3.0, g=9.81), m.compile())


def test_wrong_values_give_the_usual_errors():
    m = chain(3)
    system = m.compile()
    for _ in range(2):
        for values, words in (
            ({"rho": -1.0}, "Body 'b0': mass = -0.2 must not be negative"),
            ({"l": 9.0}, "outside its range"),
            ({"rho": 0.0}, "nothing with inertia moves"),
            ({"length": 1.0}, "is not a parameter"),
        ):
            with pytest.raises(ModelError, match=words):
                system.with_parameters(**values)


def test_shapes_follow_their_mass():
    m = sr.Model(parameters={"m1": 2.0})
    m.add(sr.Body("a", mass="m1", shape=sr.Box((1, 2, 3), center=(0.1, 0, 0))), sr.Revolute("A", "ground", "a", axis="x"))
    system = m.compile()
    for mass in (2.5, 3.5):
        assert_equal_systems(system.with_parameters(m1=mass), m.with_parameters(m1=mass).compile())
    assert system.origin.plan


def test_dampers_that_vanish_are_built():
    m = sr.Model(parameters={"d": 0.5})
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("A", "ground", "a", axis="x", damping="d"))
    system = m.compile()
    for d in (0.4, 0.3, 0.0):
        other, built = system.with_parameters(d=d), m.with_parameters(d=d).compile()
        assert np.array_equal(other.table[:100], built.table[:100])
        assert_equal_systems(other, built)
    with pytest.raises(ModelError, match=r"damping = -1\.0 must not be negative"):
        system.with_parameters(d=-1.0)


def test_runs_of_filled_systems():
    m = chain(3)
    lengths = [0.1, 0.2, 0.3, 0.4]
    runs = sr.simulate_many(m, 0.5, step=0.05, parameters={"l": lengths})
    for i, length in enumerate(lengths):
        alone = m.simulate(0.5, step=0.05, parameters={"l": length})
        assert runs["j2.q"][i] == pytest.approx(alone["j2.q"], abs=1e-12)
        assert runs[i]["b2.position"] == pytest.approx(alone["b2.position"], abs=1e-12)
        assert runs[i].energy.total == pytest.approx(alone.energy.total, abs=1e-12)
