"""Straight-line code of a model against the engine: rates, power, projection, whole runs; what it cannot do it names."""

import ctypes

import numpy as np
import pytest

import constrained_mechanisms
import mechanisms
import sharnir as sr
import zoo
from sharnir.app.bench import chain
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.power_balance import WITH_BALANCE
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

TREES = [name for name in zoo.ZOO if name not in ("prescribed", "gears")]
LOOPS = {
    "closed pendulum": mechanisms.closed_pendulum,
    "slider-crank": mechanisms.slider_crank,
    "spatial slider-crank": mechanisms.spatial_slider_crank,
    "Andrews": mechanisms.andrews,
    "Bricard": mechanisms.bricard,
    "crank-rocker": mechanisms.crank_rocker,
    "four-bars": mechanisms.four_bar,
}
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_int64] * 5)


def call(address, system, t, y, size):
    """What a C function of the engine's kind writes."""
    out = np.full(size, np.nan)
    blocks = (system.table, system.params, system.work)
    FUNCTION(address)(t, y.ctypes.data, out.ctypes.data, *(x.ctypes.data for x in blocks))
    return out


def difference(found, wanted):
    return np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))


def state_of(system, seed):
    q, v = zoo.state(system, seed)
    return np.concatenate([q, v, system.z0])


def compare(model, states=None, t=0.7):
    """Rates and power of derived code and of the engine at the same states; returns the system."""
    engine, system = model.compile(), model.compile(method="symbolic")
    assert system.method == "symbolic"
    engine.table[L.F_BALANCE] = engine.derivative.address
    for y in [state_of(engine, seed) for seed in range(3)] if states is None else states(engine):
        wanted = call(WITH_BALANCE.address, engine, t, y, len(y) + 1)
        assert difference(call(system.derived.derivative, system, t, y, len(y)), wanted[:-1]) < 5e-11
        found = call(system.derived.balanced, system, t, y, len(y) + 1)
        assert difference(found[:-1], wanted[:-1]) < 5e-11
        assert abs(found[-1] - wanted[-1]) < 1e-9 * max(1.0, np.abs(wanted).max())
    return system


@pytest.mark.parametrize("name", TREES)
def test_trees(name):
    compare(zoo.model(name))


@pytest.mark.parametrize("kind", sr.ALL_JOINTS)
def test_every_joint(kind):
    style = "at" if kind in (sr.Ball, sr.Free) else ("at", "origin", "frames", "far")[sr.ALL_JOINTS.index(kind) % 4]
    compare(zoo.one_joint(kind, style))


def test_the_extended_system_agrees():
    for model in (chain(5), chain(4, freedoms=2), chain(3, freedoms=3), zoo.model(TREES[0])):
        reference, system = model.compile(method="extended"), model.compile(method="symbolic")
        q, v = zoo.state(system, 3)
        assert difference(system.accelerations(q, v), reference.accelerations(q, v)) < 1e-11


def test_absolute_coordinates():
    m = mechanisms.slider_crank()
    m.add(sr.Body("stone", mass=1, inertia=(1, 2, 3), position=(0, 3, 0)), sr.Free("fly", "ground", "stone"))
    engine, system = m.compile("absolute"), m.compile("absolute", method="symbolic")
    for y in around(engine):
        wanted = call(engine.derivative.address, engine, 0.0, y, len(y))
        assert difference(call(system.derived.derivative, system, 0.0, y, len(y)), wanted) < 1e-10


def test_mimic_joints():
    model = zoo.model("gears")
    compare(model, lambda system: [system.y0])


def test_prescribed_motions():
    m = sr.Model("driven", base_motion=sr.BaseMotion(x="0.1*sin(3*t)", ry="0.2*t^2"))
    m.add(sr.Body("a", mass=2, inertia=(1, 2, 3), com=(0.1, 0, 0)), sr.Body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Revolute("A", "ground", "a", axis="z", motion="sin(2*t)"))
    m.add(sr.Cylindrical("B", "a", "b", axis="x", motion=(None, sr.Table((0, 1, 2), (0, 0.3, 0.5), "cubic")), damping=0.3))
    compare(m)


def around(system):
    """The start, and states near it that satisfy the constraints."""
    found, rng = [system.y0], np.random.default_rng(5)
    for _ in range(4):
        y = system.y0 + np.concatenate(
            [0.02 * rng.standard_normal(system.n_q), rng.standard_normal(system.n_v), np.zeros(system.n_z)]
        )
        call(PROJECTION.address, system, 0.0, y, 8)
        found.append(y)
    return found


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name):
    compare(LOOPS[name](), around, 0.0)


@pytest.mark.parametrize("name", LOOPS)
def test_projection(name):
    model = LOOPS[name]()
    engine, system = model.compile(), model.compile(method="symbolic")
    rng = np.random.default_rng(2)
    for size in (1e-9, 1e-8, 1e-7):
        y = engine.y0 + size * rng.standard_normal(len(engine.y0))
        y[engine.n_q + engine.n_v :] = engine.z0
        own, wanted = y.copy(), y.copy()
        said = call(system.derived.projection, system, 0.0, own, 8)
        call(PROJECTION.address, engine, 0.0, wanted, 8)
        assert said[3] == 0.0
        assert np.abs(own - wanted).max() < 1e-4 * size + 1e-12  # both are nearest, in the metric of the masses
        assert call(PROJECTION.address, engine, 0.0, own, 8)[0] < 1e-12


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", sorted(constrained_mechanisms.KINDS))
def test_constraints(kind):
    model = constrained_mechanisms.constrained(kind, len(kind) % 2 == 0)
    engine, system = model.compile(), model.compile(method="symbolic")
    y = constrained_mechanisms.general_state(model).y0
    wanted = call(engine.derivative.address, engine, 0.0, y, len(y))
    assert difference(call(system.derived.derivative, system, 0.0, y, len(y)), wanted) < 1e-10


RUNS = {
    "chain": (lambda: chain(3), 1.0),
    "balls": (lambda: chain(2, freedoms=3), 1.0),
    "slider-crank": (mechanisms.slider_crank, 2.0),
    "spatial slider-crank": (mechanisms.spatial_slider_crank, 2.0),
    "Andrews": (mechanisms.andrews, 0.03),
    "four-bars through positions in line": (mechanisms.four_bar, 5.0),
    "parallelogram from a position in line": (mechanisms.planar_parallelogram, 1.0),
    "Bricard": (mechanisms.bricard, 2.0),
}


@pytest.mark.parametrize(
    ("name", "integrator"), [*((name, "auto") for name in RUNS), ("chain", "radau5"), ("slider-crank", "radau5")]
)
def test_runs(name, integrator):
    make, until = RUNS[name]
    a = make().simulate(until, tolerance=1e-9, integrator=integrator)
    b = make().simulate(until, tolerance=1e-9, integrator=integrator, method="symbolic")
    assert b.stats["method"] == "symbolic"
    assert a.trust.good and b.trust.good
    for channel in (x for x in a.channels if x.endswith((".q", ".reaction.fx"))):
        size = max(1.0, np.abs(a[channel]).max())
        assert np.abs(a[channel] - b[channel]).max() < 2e-6 * size, channel


def test_events_and_releases_go_on():
    def model():
        m = mechanisms.slider_crank()
        name = next(iter(m.joints))
        m.add(sr.Event("passed", when=f"{name}.q + 0.4"))
        return m

    a, b = model().simulate(3.0, tolerance=1e-9), model().simulate(3.0, tolerance=1e-9, method="symbolic")
    assert len(a.events) == len(b.events) > 0
    assert np.allclose([e["t"] for e in a.events], [e["t"] for e in b.events], atol=1e-7)


def test_tables_and_formulas_of_time():
    m = sr.Model()
    m.add(sr.Body("b", mass=2, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=0.3))
    m.add(
        sr.JointForce("wave", "P", "3*sin(2*t) - 0.5*v + smooth(min(q, 1, t))"),
        sr.JointForce("curve", "P", sr.Table((-9, 0, 2, 9), (4, 0, -1, -3), "cubic", smooth=True)),
    )
    compare(m)


@pytest.mark.parametrize("motion", [None, "0.3*sin(2*t)"])
def test_power_of_constraints_that_are_not_linear_in_speeds(motion):
    """v₁² + v₂² stays: the multiplier has power 2 λ (v₁² + v₂²), and the balance of energy closes with it."""
    m = sr.Model()
    for k, (name, axis) in enumerate((("a", "x"), ("b", "z"))):
        m.add(sr.Body(name, mass=1 + k, inertia=(1, 1, 1)), sr.Prismatic(f"P{k}", "ground", name, axis=axis, v=1.0 + k))
    m.add(sr.Body("c", mass=1, inertia=(1, 1, 1)), sr.Prismatic("C", "b", "c", axis=(1, 0, 1), motion=motion))
    m.add(sr.Constraint("speed", "P0.v^2 + P1.v^2 - 5"), sr.JointForce("push", "P0", "3*sin(5*t)"))
    derived, engine = m.simulate(2.0, method="symbolic"), m.simulate(2.0)
    for result in (derived, engine):
        assert result.stats["energy_residual"] < 1e-6
        np.testing.assert_allclose(result["P0.v"] ** 2 + result["P1.v"] ** 2, 5.0, rtol=1e-9)
    assert np.ptp(derived.energy.total) > 1.0
    np.testing.assert_allclose(derived["P1.q"], engine["P1.q"], atol=1e-6)
