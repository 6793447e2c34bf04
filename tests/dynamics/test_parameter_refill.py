"""Systems with other values of parameters: what is filled again equals what is built anew, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo
from constrained_mechanisms import KINDS, constrained
from lettered_models import blocks, lettered
from sharnir.dynamics.parameter_refill import LateAssembly
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
        assert isinstance(other.assembly, LateAssembly) == (k > 0)  # the first is built
        assert other.model == m.with_parameters(**values)
        assert [x.name for x in other.tree.joints] == [x.name for x in system.tree.joints]
    assert system.origin.plan is not False
    assert_equal_systems(system, m.compile(method=method))


@pytest.mark.parametrize("name", zoo.ZOO)
def test_systems_of_all_elements(name):
    check_whatever_way(lettered(zoo.model(name)))


@pytest.mark.parametrize("kind", KINDS)
def test_systems_with_constraints(kind):
    check_whatever_way(lettered(constrained(kind), only={sr.Body: {"mass", "com", "inertia"}, sr.Joint: {"damping"}}))


def test_systems_with_signals_and_events():
    check_whatever_way(lettered(blocks(), only={sr.Body: {"mass"}, sr.Spring: {"stiffness"}, sr.LowPass: {"time_constant"}}))


def check_whatever_way(m):
    """Whether numbers are filled again or models built: it is the same."""
    system = m.compile()
    names = [name for name in m.parameters if name in ("p2_", "p3_", "p20_", "p25_")]
    for k in range(3):
        values = changed(m, k, names)
        expected = m.with_parameters(**values).compile()
        other = system.with_parameters(**values)
        assert np.array_equal(other.y0, expected.y0)
        assert np.array_equal(other.params, expected.params)


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


def test_parameters_in_compiled_formulas_are_built():
    m = chain(2, k=1.0)
    m.add(sr.JointForce("drive", "j0", "-k*v"))
    system = m.compile()
    for k in (2.0, 3.0, 4.0):
        for values in ({"k": k}, {"l": 0.1 * k}, {"l": 0.1 * k, "k": k}):
            assert_equal_systems(system.with_parameters(**values), m.with_parameters(**values).compile())
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
