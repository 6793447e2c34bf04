"""Joints that close loops and in which something acts: their coordinates follow from the bodies, as the engine has them."""

import numpy as np
import pytest

import sharnir as sr
import zoo
from random_mechanisms import COURSE
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.model_compilation import compile_model
from sharnir.kernel import PLAIN

from .test_derived_functions import call
from .test_random_mechanisms import conditioning, difference

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

KINDS = (sr.Revolute, sr.Prismatic, sr.Screw, sr.Cylindrical, sr.Universal, sr.Planar)

COUNTS = {sr.Cylindrical: 2, sr.Universal: 2, sr.Planar: 3}  # freedoms


def ring(seed, kind, **loads):
    """Seven hinges with dampers, one of them driven, and a joint that closes the ring; a third of them on a ground that moves."""
    rng = np.random.default_rng(seed)
    m = sr.Model("ring", base_motion=COURSE if seed % 3 == 0 else None)
    for i in range(8):
        m.add(zoo.body(rng, f"b{i}"))
        does = {"motion": "0.1*sin(t)"} if i == 2 else {"damping": 0.5}
        above = f"b{i - 1}" if i else "ground"
        m.add(sr.Revolute(f"j{i}", above, f"b{i}", at=rng.uniform(-0.6, 0.6, 3), axis=zoo.unit(rng), **does))
    axis = zoo.unit(rng)
    more = {sr.Screw: {"pitch": 0.2}, sr.Universal: {"axis2": tuple(np.cross(axis, zoo.unit(rng)))}}.get(kind, {})
    m.add(kind("close", "ground", "b7", axis=tuple(axis), at=rng.uniform(-0.6, 0.6, 3), **more, **loads))
    return m


def compare(m, t=0.4):
    """ẏ of both at states on the constraints, in which a hinge that closes the loop has turned twice."""
    engine, system = compile_model(m, cut="close"), compile_model(m, cut="close", method="symbolic")
    assert [joint.name for joint in system.tree.cuts] == ["close"]
    rng = np.random.default_rng(1)
    for _ in range(3):
        change = 0.05 * rng.standard_normal(engine.n_q), rng.standard_normal(engine.n_v), np.zeros(engine.n_z)
        y = engine.y0 + np.concatenate(change)
        for k, name in enumerate(engine.assembly.coordinates.z_names):
            angle = name == "close.q" and isinstance(m.joints["close"], sr.Revolute)
            y[engine.n_q + engine.n_v + k] += 4.0 * np.pi * angle
        call(PROJECTION.address, engine, t, y, 8)
        limit = 1e-11 * max(1.0, conditioning(engine, y))
        wanted = call(engine.derivative.address, engine, t, y, len(y))
        assert difference(call(system.derived.derivative, system, t, y, len(y)), wanted) < limit
    assert system.work[system.handed_over] == 0.0


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_springs_dampers_and_torques(kind, seed):
    count = COUNTS.get(kind, 1)
    torque = "0.3*sin(t) - q*v" if count == 1 else ("0.3*sin(t) - q*v",) * count
    compare(ring(seed, kind, stiffness=2.0, damping=0.3, torque=torque))


@pytest.mark.parametrize("kind", KINDS)
def test_drives(kind):
    count = COUNTS.get(kind, 1)
    motion = "0.1*sin(2*t)" if count == 1 else (None, "0.1*sin(2*t)", None)[:count]
    compare(ring(1, kind, motion=motion))


def test_forces_and_constraints_along_their_coordinates():
    m = ring(2, sr.Cylindrical)
    m.add(sr.JointForce("push", "close", "-3*q - v", freedom=1), sr.Constraint("gear", "close.q.shift - 0.5*j0.q"))
    compare(m)


def test_a_run():
    """A four-bar whose joints all have dampers, one of them a spring: the same motion as the engine's, in both formulations."""
    m = sr.Model("four-bar")
    for name, at in (("a", (0, 0, 0)), ("b", (1, 0, 0)), ("c", (1, 0, 1))):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0.3), position=at))
    places = ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0.4, 0, 1.3))
    ends = ("ground", "a", "b", "c", "ground")
    for k, at in enumerate(places):
        m.add(sr.Revolute(f"j{k}", *ends[k : k + 2], at=at, axis="y", damping=0.1, stiffness=2.0 * (k > 1)))
    for formulation in ("joint", "absolute"):
        a, b = (m.simulate(3.0, tolerance=1e-9, formulation=formulation, method=x) for x in ("auto", "symbolic"))
        assert b.stats["method"] == "symbolic" and b.trust.good
        for channel in (f"j{k}.q" for k in range(4)):
            assert np.abs(a[channel] - b[channel]).max() < 2e-6


def test_sensitivities():
    """Of a slider-crank with dampers in all joints, one of whose numbers is a formula; against runs with other values."""
    m = sr.Model("slider-crank", parameters={"d": 0.3, "l": 0.15})
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-5, 1e-3, 1e-3), com=("l/2", 0, 0)))
    m.add(sr.Body("rod", mass=0.2, inertia=(1e-5, 2e-3, 2e-3), com=(0.175, 0, 0), position=("l", 0, 0)))
    m.add(sr.Body("slider", mass=0.1, position=("l + 0.35", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=20, damping="d/30"))
    m.add(sr.Revolute("A", "crank", "rod", at=("l", 0, 0), axis="y", damping="d/30"))
    m.add(sr.Revolute("B", "rod", "slider", at=("l + 0.35", 0, 0), axis="y", damping="d/20"))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x", damping="d"))
    found = {}
    for name in ("d", "l"):
        run = m.simulate(0.3, step=0.1, tolerance=1e-10)
        exact = run.sensitivity("O.q", name)
        value, h = m.parameters[name], 1e-4
        near, far = (
            [m.simulate(0.3, step=0.1, tolerance=1e-11, parameters={name: value + k * x})["O.q"] for k in (1, -1)]
            for x in (h, 2 * h)
        )
        found[name] = exact
        wanted = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * h)
        np.testing.assert_allclose(exact, wanted, atol=1e-5 * np.abs(wanted).max())
    assert np.abs(found["d"]).max() > 0.01 and np.abs(found["l"]).max() > 0.1
