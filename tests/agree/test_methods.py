"""All methods give the same accelerations, pairwise, on the whole zoo; the extended system (E) is among them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.errors import ModelError


def difference(a, b):
    return np.linalg.norm(a - b) / max(np.linalg.norm(a), np.linalg.norm(b))


@pytest.mark.parametrize("name", zoo.ZOO)
def test_methods_agree(name):
    for seed, t in ((1, 0.0), (2, 0.7), (3, 1.9)):
        found = {}
        for method in zoo.methods(name):
            s = zoo.system(name, method)
            q, v = zoo.state(s, seed)
            found[method] = s.accelerations(q, v, t)
        for one, other in itertools.combinations(found, 2):
            assert difference(found[one], found[other]) < 1e-10, (one, other)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_every_method_solves_something(method):
    """A method that is listed is tested, and what it refuses it refuses by name."""
    solved = [name for name in zoo.ZOO if method in zoo.methods(name)]
    assert len(solved) >= 20
    for name in ("gears", "moving base"):
        if name not in solved:
            with pytest.raises(ModelError, match=f"method '{method}'"):
                zoo.model(name).compile(method=method)


def with_acting_forces():
    """A tree with the forces that depend on reactions, touch, burn or blow."""
    m, rng = (
        zoo.random_tree(61, 6, (sr.Revolute, sr.Ball, sr.Cylindrical, sr.Prismatic), branching=0.3),
        np.random.default_rng(61),
    )
    single = [j.name for j in m.joints.values() if j.n_v == 1]
    m.add(
        sr.Contact("touch", "b1", "ground", sr.Sphere(5.0), sr.Plane(), law=sr.Hertz(100.0), friction=0.3),
        sr.ContactGroup("group", ("b0", "b3", "b5"), walls=sr.Plane(), law=sr.Hertz(80.0), friction=0.2, shape=sr.Sphere(2.0)),
        sr.Wheel("wheel", "b2", axis=zoo.unit(rng, 3), radius=4.0, law=sr.LinearLaw(50.0), tyre=sr.LinearTyre(20.0, 30.0)),
        sr.JointLimit("stop", single[0], lower=0.5, upper=0.6, law=sr.LinearLaw(20.0)),
        sr.JointFriction("bearing", single[-1], 0.1, radius=0.05),
        sr.Motor("motor", single[0], "2*(1 - v/30)", command="0.5*cos(t)"),
        sr.Drag("air", "b3", 0.5, 0.8, wind=(1, "t", 0)),
        sr.Aerodynamics("wing", "b4", area=0.3, lift="0.4 + 5*alpha", drag=0.1),
        sr.CentralGravity("earth", 30.0, center=(10, 10, 10)),
        sr.Thrust("engine", "b5", "3 + t", axis=zoo.unit(rng, 3), exhaust_speed=20, propellant=0.1 * m.bodies["b5"].mass),
    )
    return m


def test_the_zoo_has_every_force():
    elements = [*zoo.model("forces").forces.values(), *with_acting_forces().forces.values()]
    assert {type(force) for force in elements} == set(sr.ALL_FORCES)


def test_methods_agree_on_forces_that_touch_burn_and_blow():
    """Also with absolute coordinates, whose accelerations of bodies must be the same."""
    m = with_acting_forces()
    systems = [m.compile(method=method) for method in ALL_METHODS if method != "symbolic"]  # there are no closed forms
    for seed, t in ((1, 0.0), (2, 0.7), (3, 1.9)):
        q, v = zoo.state(systems[0], seed)
        found = [s.accelerations(q, v, t) for s in systems]
        for a, b in itertools.combinations(found, 2):
            assert difference(a, b) < 1e-9
        assert np.isfinite(found[0]).all()


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_methods_agree_on_many_trees(seed):
    m = zoo.random_tree(seed, 5 + seed % 12, branching=(seed % 5) / 5)
    systems = [m.compile(method=method) for method in ALL_METHODS]
    q, v = zoo.state(systems[0], seed)
    found = [s.accelerations(q, v) for s in systems]
    # random axes may stand almost parallel: then no method can know more digits than the matrix leaves
    limit = max(1e-10, 1e-16 * np.linalg.cond(systems[0].mass_matrix(q)))
    for a, b in itertools.combinations(found, 2):
        assert difference(a, b) < limit


@pytest.mark.parametrize("method", ALL_METHODS)
def test_own_generalized_forces(method):
    """`tau` adds to what acts already: the difference is M⁻¹ τ."""
    s = zoo.system("tree 2", method)
    q, v = zoo.state(s, 4)
    tau = np.random.default_rng(0).normal(size=s.n_v)
    gain = s.accelerations(q, v, tau=tau) - s.accelerations(q, v)
    assert s.mass_matrix(q) @ gain == pytest.approx(tau, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("method", ["inverse-iterative", "direct-iterative"])
def test_iterative_methods_keep_agreeing_along_a_run(method):
    """What they remember of the last state must not show in the next, near or far."""
    name = "humanoid"
    result = zoo.model(name).simulate(1.0, step=0.01, method=method)
    s, reference = zoo.system(name, method), zoo.system(name, "extended")
    states = np.hstack([np.hstack([result[f"{j.name}.q"].reshape(len(result.t), -1) for j in s.tree.joints if j.n_v])])
    speeds = np.hstack([result[f"{j.name}.v"].reshape(len(result.t), -1) for j in s.tree.joints if j.n_v])
    assert states.shape[1] == s.n_q
    for k in (0, 1, 2, 3, 50, 51, 100, 0, 99):  # steps, and jumps
        a, b = s.accelerations(states[k], speeds[k]), reference.accelerations(states[k], speeds[k])
        assert difference(a, b) < 1e-10, k
    other = zoo.model(name).simulate(1.0, step=0.01, method="articulated")
    for channel in ("pelvis.position", "left hand.position", "head.rotation"):
        assert np.abs(result[channel] - other[channel]).max() < 1e-5
