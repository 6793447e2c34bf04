"""Signals, controllers, inputs, parameters that events change, and emptying tanks in derived code, against the engine."""

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.power_balance import WITH_BALANCE
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import PLAIN

from .test_derived_functions import call
from .test_random_mechanisms import difference

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


def arms(loop=False, base=None, parameters=None):
    """Two arms on general hinges; or a ring of four hinges."""
    rng = np.random.default_rng(7)
    m = sr.Model("arms", base_motion=base, parameters=parameters or {})
    names = "abc" if loop else "ab"
    places = ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0.4, 0, 1.3))
    ends = ("ground", *names, "ground")
    for k, name in enumerate(names):
        body = zoo.body(rng, name)
        m.add(sr.Body(name, mass=body.mass, inertia=body.inertia, com=body.com, position=places[k]))
    for k in range(4 if loop else 2):
        axis = "y" if loop else zoo.unit(rng)
        m.add(sr.Revolute("ABCD"[k], *ends[k : k + 2], at=places[k], axis=axis, damping=0.1))
    return m


def compare(m, t=0.4):
    """ẏ and power at states with general states of control."""
    engine, system = m.compile(), m.compile(method="symbolic")
    assert system.method == "symbolic"
    for x in (engine, system):
        x.table[L.F_BALANCE] = engine.derivative.address
    rng, n = np.random.default_rng(3), engine.n_q + engine.n_v
    for _ in range(4):
        y = engine.y0.copy()
        y[:n] += np.concatenate([0.05 * rng.standard_normal(engine.n_q), rng.standard_normal(engine.n_v)])
        for k in engine.assembly.coordinates.quaternions:
            y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
        for k, name in enumerate(engine.assembly.coordinates.z_names, n):
            if name.startswith(".") and not name.endswith("is on"):
                y[k] = y[k] * rng.uniform(0.5, 1.0) + 0.1 * rng.standard_normal() * ("thrust" not in name)
        if engine.constrained:
            call(PROJECTION.address, engine, t, y, 8)
        wanted = call(WITH_BALANCE.address, engine, t, y, len(y) + 1)
        found = call(system.derived.balanced, system, t, y, len(y) + 1)
        assert difference(found[:-1], wanted[:-1]) < 1e-11
        assert abs(found[-1] - wanted[-1]) < 1e-10 * max(1.0, np.abs(wanted).max())
    assert system.work[system.handed_over] == 0.0
    return system


POINTS = np.random.default_rng(1).standard_normal((4, 5, 4))
AXES = ((-2, -0.5, 1, 3), (-3, -1, 0, 0.5, 2), (-1, 0, 0.4, 1))
GRIDS = {
    "linear": sr.GridTable(AXES[:2], POINTS[:, :, 0].tolist()),
    "straight on": sr.GridTable(AXES[:2], POINTS[:, :, 1].tolist(), outside="extend", smooth=True),
    "cubic": sr.GridTable(AXES[:2], POINTS[:, :, 2].tolist(), "cubic", smooth=True),
    "three variables": sr.GridTable(AXES, POINTS.tolist(), "cubic", smooth=True),
}
BLOCKS = {
    "input": [sr.Input("u", initial=0.7)],
    "formula": [sr.Signal("w", "2*B.v + sin(t)"), sr.Signal("u", "w*A.q")],
    "integral": [sr.Integral("u", "1 - A.q", initial=0.2)],
    "integral that knows itself": [sr.Integral("u", "3*(A.q - u) - w", initial=0.2), sr.Integral("w", "u - w", initial=0.1)],
    "low-pass of an acceleration": [sr.LowPass("u", "A.a + b.x_ddot", time_constant=0.1)],
    "derivative": [sr.Derivative("u", "A.q*B.q")],
    "PID": [sr.PID("u", "1 - A.q", kp=3, ki=2, kd=1, rate="-A.v")],
    "PID with a filter": [sr.PID("u", "1 - A.q", kp=3, ki=2, kd=1)],
    "state space": [sr.StateSpace("u", "A.q", A=((-1, 2), (0, -3)), B=(1, 2), C=(1, -1), D=0.5)],
    "transfer function": [sr.TransferFunction("u", "B.q", numerator=(1, 2), denominator=(0.1, 1, 3))],
    "sampled": [sr.SampleHold("u", "A.q", period=0.1)],
    "sampled in Python": [sr.Sampled("u", lambda t, x: 2 * x, ["A.q"], period=0.1)],
    "table by name": [sr.Signal("u", "2*w(A.q + 0.1*t) - 1", tables={"w": sr.Table((-9, 0, 2, 9), (4, 0, -1, -3), smooth=True)})],
    "lookup": [sr.Lookup("u", ["A.q"], sr.Table((-9, 0, 2, 9), (4, 0, -1, -3), "cubic", smooth=True))],
    "function": [sr.Function("u", lambda x: 2.0 * x / (1.0 + x * x), ["A.q"])],
    "function of four": [sr.Function("u", lambda a, b, c, d: a * b - c * d, ["A.q", "B.q", "A.v", "t + 1"])],
    "linear grid": [sr.Lookup("u", ["3*A.q", "B.v"], GRIDS["linear"])],
    "grid that goes on": [sr.Lookup("u", ["3*A.q", "B.v"], GRIDS["straight on"])],
    "grid by name": [sr.Signal("u", "2*w(3*A.q, t*B.v) - w(0, B.q)", tables={"w": GRIDS["cubic"]})],
    "grid of three": [sr.Lookup("u", ["3*A.q", "B.v", "A.v"], GRIDS["three variables"])],
}
SENSORS = {
    "point": sr.PointCoordinate("b", (1.3, 0.1, 0), axis=(0.6, 0, 0.8), relative_to="a"),
    "distance": sr.PointDistance("b", "ground", (1.3, 0.1, 0), (0, 2, 0)),
    "cosine": sr.DirectionCosine("b", (1, 0, 0), "a", (0, 0.6, 0.8)),
    "velocity": sr.PointVelocity("b", axis=(0, 0.6, 0.8), axes_of="b"),
    "position": sr.Position("b", axis="z", relative_to="a", axes_of="b"),
    "acceleration": sr.Acceleration("b", axis="z", axes_of="b"),
    "angular velocity": sr.AngularVelocity("b", axis="x", axes_of="b"),
    "angle": sr.Angle("b", "pitch"),
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_blocks(kind):
    m = arms()
    m.add(*BLOCKS[kind], sr.JointForce("servo", "A", "3*u - 0.1*v"), sr.Force("push", "b", ("u", 0, "-u^2")))
    compare(m)


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("kind", SENSORS)
def test_sensors(kind, moving):
    """The sensor, its rate where there is one, and its second rate through a filter."""
    variable = SENSORS[kind]
    m = arms(base=sr.BaseMotion(x="0.3*sin(3*t)", rz="0.2*t^2") if moving else None)
    rate = int(variable.is_rate)
    if rate < 2:
        m.add(sr.Signal("s", "x" if rate else "x + 0.3*x_dot", variables={"x": variable}), sr.JointForce("f", "A", "s"))
    last = ("x_ddot", "x_dot", "x")[rate]
    m.add(sr.Signal("late", last, variables={"x": variable}), sr.LowPass("filtered", "late"), sr.JointForce("g", "B", "filtered"))
    compare(m)


def test_sensors_in_a_loop():
    """Of joints in the tree and of the one that is cut."""
    m = arms(loop=True)
    m.add(*(sr.LowPass(f"f{x}", f"{x}.q - 0.2*{x}.v") for x in "ABCD"), sr.Signal("sum", "A.q + 2*B.q - C.q + 3*D.q"))
    m.add(sr.JointForce("servo", "A", "sum + fA - fB + fC - fD"))
    compare(m)


def test_what_events_change():
    """Parameters, and signals that are switched on and off."""
    m = arms(parameters={"k": 3.0, "d": 0.2})
    m.add(sr.PID("u", "k - A.q", kp=2, ki=1), sr.JointForce("servo", "A", "u - d*v + k*q"))
    m.add(sr.Event("e", "t - 0.3", [sr.SetParameter("k", 2.0), sr.Disable("u")]))
    compare(m)


@pytest.mark.parametrize("jet", [True, False])
def test_engines(jet):
    m = sr.Model("rocket", base_motion=sr.BaseMotion(y="0.1*t^2"))
    m.add(sr.Body("rocket", mass=10, inertia=(1.5, 1.2, 0.4), com=(0, 0, 0.2), position=(0.1, 0, 0.3)))
    m.add(sr.Free("flight", "ground", "rocket", v=(1, 2, 3, 0.4, 0.5, 0.6)), sr.Signal("throttle", "200 + 10*rocket.z_dot"))
    nozzle = {"at": (0.1, 0.05, -0.4), "tank": (0.1, 0, 0.6), "tank_inertia": (0.02, 0.02, 0.01), "jet_damping": jet}
    m.add(sr.Thrust("engine", "rocket", "throttle", axis=(0.1, 0, 1), exhaust_speed=500, propellant=2, **nozzle))
    compare(m)


def test_an_engine_in_a_ring():
    """Its mass decides how near singular positions are."""
    m = arms(loop=True)
    m.add(sr.Thrust("engine", "b", 40.0, axis=(1, 0, 1), exhaust_speed=200, propellant=0.2))
    compare(m)


def test_power_of_a_drive_that_turns_a_rotor():
    m = arms()
    m.add(sr.Body("c", mass=1, inertia=(0.2, 0.1, 0.1), com=(0.2, 0, 0)))
    m.add(sr.Cylindrical("C", "b", "c", axis="z", armature=(0.3, 0.2), motion=("0.3*sin(4*t)", None)))
    compare(m)


def test_a_free_joint_from_the_far_side():
    """Equations keep it, but there are none."""
    m = sr.Model("flyer")
    m.add(sr.Body("b", mass=2, inertia=(0.3, 0.2, 0.1), com=(0.1, 0, 0.2)), sr.Body("arm", mass=1, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Free("flight", "b", "ground", v=(1, 2, 3, 0.4, 0.5, 0.6)), sr.Revolute("A", "b", "arm", at=(0.5, 0, 0), axis="y"))
    m.add(sr.JointForce("servo", "A", "-3*q + sin(t)"))
    same_run(m, 0.5, ("b.position", "A.q"))


def same_run(m, until, channels, **settings):
    a, b = (m.simulate(until, tolerance=1e-9, method=x, **settings) for x in ("auto", "symbolic"))
    assert b.stats["method"] == "symbolic" and a.trust.good and b.trust.good
    for channel in channels:
        assert np.abs(a[channel] - b[channel]).max() < 1e-6 * max(1.0, np.abs(a[channel]).max()), channel
    assert [e["name"] for e in a.events] == [e["name"] for e in b.events]
    return a, b


def test_a_run_with_a_sampled_and_a_continuous_controller():
    m = arms()
    m.add(sr.PID("u", "1 - A.q", kp=30, ki=2, kd=6, rate="-A.v"), sr.SampleHold("seen", "B.q", period=0.05))
    m.add(sr.JointForce("servo", "A", "u"), sr.JointForce("other", "B", "-10*seen - v"))
    same_run(m, 2.0, ("A.q", "B.q", "u", "seen"))


def test_a_run_with_events():
    m = arms(parameters={"k": 30.0})
    m.add(sr.PID("u", "0.5 - A.q", kp=20, ki=2, kd=6, rate="-A.v"), sr.JointForce("servo", "A", "u - k*q"))
    m.add(sr.Event("later", "t - 0.5", sr.SetParameter("k", 5.0)), sr.Event("off", "t - 1", sr.Disable("u")))
    a, _ = same_run(m, 1.5, ("A.q", "B.q", "u"))
    assert len(a.events) == 2


def test_a_run_until_the_tank_is_empty():
    m = sr.Model("rocket")
    m.add(sr.Body("rocket", mass=10, inertia=(1.5, 1.2, 0.4), position=(0, 0, 0.3)), sr.Free("flight", "ground", "rocket"))
    m.add(sr.Thrust("engine", "rocket", 400.0, axis=(0.01, 0, 1), exhaust_speed=500, propellant=0.8))
    _, b = same_run(m, 2.0, ("rocket.position.z", "engine.propellant"))
    assert len(b.events) == 1 and abs(b.events[0]["t"] - 1.0) < 1e-6


def test_sensitivity_to_a_gain():
    """Against runs with other values."""
    m = arms(parameters={"k": 3.0})
    m.add(sr.PID("u", "1 - A.q", kp="k", ki=2, kd=1, rate="-A.v"), sr.JointForce("servo", "A", "u"))
    exact = m.simulate(1.0, step=0.25, tolerance=1e-10).sensitivity("B.q", "k")
    h, run = 1e-3, lambda k: m.simulate(1.0, step=0.25, tolerance=1e-12, parameters={"k": k})["B.q"]
    wanted = (8 * (run(3 + h) - run(3 - h)) - (run(3 + 2 * h) - run(3 - 2 * h))) / (12 * h)
    np.testing.assert_allclose(exact, wanted, atol=1e-7 * np.abs(wanted).max())
    assert np.abs(exact).max() > 1e-3


def test_signals_that_no_force_asks_for_may_be_anything():
    m = arms()
    m.add(sr.Delay("late", "A.q", 0.1), sr.Signal("load", "A.reaction.fx"), sr.PID("u", "1 - A.q", kp=3, ki=1))
    m.add(sr.JointForce("servo", "A", "u"))
    same_run(m, 0.5, ("A.q", "load"))


@pytest.mark.parametrize("loop", [False, True])
def test_delays(loop):
    """What is recorded stays with the engine, derived code reads it: delayed feedback, of a delayed signal too, in a formula."""
    m = arms(loop)
    m.add(sr.Delay("late", "A.q + 0.1*B.v", 0.1, initial=0.2), sr.Delay("later", "late^2", 0.05), sr.Integral("sum", "late"))
    m.add(sr.Signal("u", "4*late - later + sum"), sr.JointForce("servo", "A", "-u - 0.1*v"))
    m.add(sr.Event("passes", when="late - 0.05"))
    compare(m)
    a, b = same_run(m, 0.8, ("A.q", "B.q", "late", "later", "sum"))
    assert b.stats["engine_evaluations"] == 0
    assert [e["name"] for e in a.events] == [e["name"] for e in b.events]
    assert np.ptp(b["late"]) > 0.1
    same_run(m, 0.3, ("A.q", "late"), integrator="radau5")


def test_delays_have_no_derivatives():
    m = arms()
    m.add(sr.Delay("late", "A.q", 0.1), sr.JointForce("servo", "A", "late"))
    with pytest.raises(sr.ModelError, match="'late' depends on the past, and so no derivatives are known"):
        m.compile(method="symbolic").derivatives()


def driven_by(text):
    """A body whose joint follows a formula."""
    return sr.Body("c", mass=1, inertia=(1, 1, 1)), sr.Revolute("C", "ground", "c", axis="z", motion=text)


@pytest.mark.parametrize(
    ("elements", "words"),
    [
        ([sr.LowPass("u", "A.reaction.fx")], "observes forces or reactions"),
        ([sr.Input("u"), *driven_by("u")], "rate of a prescribed motion that follows a signal has no closed form"),
    ],
)
def test_what_is_refused_by_name(elements, words):
    m = arms()
    m.add(*elements, sr.JointForce("servo", "A", "u"))
    with pytest.raises(sr.ModelError, match=words):
        m.compile(method="symbolic")
