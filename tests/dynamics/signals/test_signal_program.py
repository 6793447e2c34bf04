"""Signals: sensors, formulas and blocks of control against independent calculations."""

import numpy as np
import pytest
from scipy import signal as control
from scipy.integrate import solve_ivp

import sharnir as sr
from sharnir.errors import FormulaError, ModelError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")


def pendulum(**parameters):
    m = sr.Model("pendulum", parameters=parameters)
    bob = m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, -1)))
    m.add(sr.Revolute("O", m.ground, bob, at=(0, 0, 0), axis="y", v=0.3))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_controlled_pendulum(formulation):
    m = pendulum(wanted=0.7)
    m.add(sr.Signal("error", "wanted - O.q"))
    m.add(sr.PID("controller", "error", kp=30, ki=20, kd=6, rate="-O.v"))
    m.add(sr.LowPass("felt", "O.a", time_constant=0.05))
    m.add(sr.JointForce("motor", "O", "controller - 0.1*v"))
    r = m.simulate(5.0, output=0.1, tolerance=1e-10, formulation=formulation)

    def rates(t, y):
        q, v, integral, felt = y
        a = (30 * (0.7 - q) + 20 * integral - 6.1 * v - 9.81 * np.sin(q)) / 1.01
        return [v, a, 0.7 - q, (a - felt) / 0.05]

    exact = solve_ivp(rates, (0, 5), [0, 0.3, 0, 0], rtol=1e-12, atol=1e-12, t_eval=r.t).y
    assert np.abs(r["O.q"] - exact[0]).max() < 1e-8
    assert np.abs(r["felt"] - exact[3]).max() < 1e-6
    assert np.abs(r["controller"] - (30 * (0.7 - exact[0]) + 20 * exact[2] - 6 * exact[1])).max() < 1e-6


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_sensors_equal_the_channels(formulation):
    m = pendulum()
    tip = m.add(sr.Body("tip", mass=0.5, inertia=(0.01, 0.02, 0.03), position=(0, 0, -2)))
    m.add(sr.Ball("B", "bob", tip, at=(0, 0, -1.5)))
    m.add(
        sr.Signal("height", "tip.z"),
        sr.Signal("speed", "tip.x_dot"),
        sr.Signal("thrust", "tip.y_ddot", unit="m/s²"),
        sr.Signal("angle", "O.q"),
        sr.Signal("rate", "O.v"),
        sr.Signal("acceleration", "O.a"),
        sr.Signal("gap", "d", {"d": sr.PointDistance("ground", "tip", at_a=(1, 0, 0))}),
        sr.Signal("closing", "d_dot", {"d": sr.PointDistance("ground", "tip", at_a=(1, 0, 0))}),
        sr.Signal("lean", "c", {"c": sr.DirectionCosine("ground", "z", "tip", "z")}),
        sr.Signal("slip", "u", {"u": sr.PointVelocity("tip", axis="x", axes_of="tip", at=(0, 0, -2))}),
    )
    r = m.simulate(1.0, output=0.05, tolerance=1e-9, formulation=formulation)
    tip_position, velocity = r["tip.position"], r["tip.velocity"]
    assert np.abs(r["height"] - tip_position[:, 2]).max() < 1e-12
    assert np.abs(r["speed"] - velocity[:, 0]).max() < 1e-12
    assert np.abs(r["thrust"] - r["tip.acceleration"][:, 1]).max() < 1e-9
    assert np.abs(r["angle"] - r["O.q"]).max() < 1e-12 and np.abs(r["rate"] - r["O.v"]).max() < 1e-12
    assert np.abs(r["acceleration"] - r["O.a"]).max() < 1e-9
    d = tip_position - np.array([1.0, 0.0, 0.0])
    assert np.abs(r["gap"] - np.linalg.norm(d, axis=1)).max() < 1e-12
    assert np.abs(r["closing"] - np.einsum("ij,ij->i", d, velocity) / np.linalg.norm(d, axis=1)).max() < 1e-12
    w, x, y, z = r["tip.rotation"].T
    assert np.abs(r["lean"] - (1 - 2 * (x * x + y * y))).max() < 1e-12
    first = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
    assert np.abs(r["slip"] - np.einsum("ij,ij->i", first, velocity)).max() < 1e-12


def test_blocks_against_scipy():
    m = pendulum()
    m.add(
        sr.Signal("source", "sin(3*t) + (t > 1)"),
        sr.TransferFunction("second", "source", numerator=(2, 1), denominator=(0.5, 0.3, 4)),
        sr.StateSpace("lag", "source", A=[[-1, 2], [0, -3]], B=[1, 1], C=[1, -1], D=0.5),
        sr.Integral("area", "source", initial=2.0),
        sr.Derivative("slope", "t**2", time_constant=1e-3),
        sr.Limit("cut", "source", limits=(0.1, 0.3)),
    )
    r = m.simulate(4.0, output=0.01, tolerance=1e-9, max_step=0.01)
    fine = np.linspace(0, 4, 400001)
    u = np.sin(3 * fine) + (fine > 1)

    def exact(system):
        return control.lsim(system, u, fine)[1][::1000]

    assert np.abs(r["second"] - exact(control.TransferFunction([2, 1], [0.5, 0.3, 4]))).max() < 1e-4
    lag = control.StateSpace([[-1.0, 2.0], [0.0, -3.0]], [[1.0], [1.0]], [[1.0, -1.0]], [[0.5]])
    assert np.abs(r["lag"] - exact(lag)).max() < 1e-4
    t = r.t
    assert np.abs(r["area"] - (2 + (1 - np.cos(3 * t)) / 3 + np.maximum(t - 1, 0))).max() < 1e-5
    assert np.abs(r["slope"][10:] - (2 * t[10:] - 2e-3)).max() < 5e-3
    assert r["cut"].max() == 0.3 and r["cut"].min() == 0.1


def test_a_saturated_controller_does_not_wind_up():
    def farthest(*signals):
        m = sr.Model(gravity=(0, 0, 0))
        m.add(sr.Body("car", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x"))
        m.add(*signals, sr.JointForce("drive", "rail", "motor"))
        r = m.simulate(30.0, output=0.1, tolerance=1e-8, max_step=0.1)
        assert np.abs(r["motor"]).max() <= 1.0
        return r["rail.q"].max()

    held = farthest(sr.PID("motor", "10 - rail.q", kp=4, ki=1, kd=4, rate="-rail.v", limits=(-1, 1)), sr.Signal("e", "t"))
    naive = sr.PID("wish", "10 - rail.q", kp=4, ki=1, kd=4, rate="-rail.v")
    wound = farthest(naive, sr.Limit("motor", "wish", limits=(-1, 1)))
    assert 10.0 < held < wound - 3.0


def test_signals_in_all_kinds_of_forces():
    m = sr.Model(gravity=(0, 0, 0), parameters={"k": 3.0})
    m.add(sr.Body("car", mass=2, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x", v=1.0))
    m.add(sr.Signal("push", "1 + 0.5*sin(2*t)"))
    m.add(sr.Force("thrust", "car", ("k*push", 0, 0)), sr.Torque("twist", "car", (0, 0, "push")))
    m.add(sr.Spring("rope", "ground", "car", at_a=(-5, 0, 0), at_b=(0, 0, 0), force="x + push"))
    r = m.simulate(3.0, output=0.1, tolerance=1e-10)
    exact = solve_ivp(
        lambda t, y: [y[1], (2 * (1 + 0.5 * np.sin(2 * t)) - y[0]) / 2], (0, 3), [0, 1], rtol=1e-11, atol=1e-12, t_eval=r.t
    )
    assert np.abs(r["rail.q"] - exact.y[0]).max() < 1e-8
    assert np.abs(r["rope.force"] - (exact.y[0] + 1 + 0.5 * np.sin(2 * r.t))).max() < 1e-7


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_sensor_and_a_motor_in_a_cut_joint(formulation):
    m = sr.Model("four-bar")
    a, b = m.add(
        sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5)),
        sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1), position=(1, 0, 1)),
    )
    c = m.add(sr.Body("c", mass=1, inertia=(0.1, 0.1, 0.1), position=(2, 0, 0.5)))
    m.add(sr.Revolute("A", m.ground, a, at=(0, 0, 0), axis="y", v=1.0), sr.Revolute("B", a, b, at=(0, 0, 1), axis="y"))
    m.add(sr.Revolute("C", b, c, at=(2, 0, 1), axis="y"), sr.Revolute("D", m.ground, c, at=(2, 0, 0), axis="y"))
    for joint in "ABCD":
        m.add(sr.Signal(f"angle_{joint}", f"{joint}.q"), sr.Signal(f"rate_{joint}", f"{joint}.v"))
    for joint in "BC":
        m.add(sr.JointForce(f"brake_{joint}", joint, f"-0.3*rate_{joint}"))
    r = m.simulate(0.7, output=0.05, tolerance=1e-9, formulation=formulation)
    for joint in "ABCD":
        assert np.abs(r[f"angle_{joint}"] - r[f"{joint}.q"]).max() < 1e-9
    plain = sr.Model("four-bar")
    for element in (*m.bodies.values(), *m.joints.values()):
        plain.add(element)
    for joint in "BC":
        plain.add(sr.JointForce(f"brake_{joint}", joint, "-0.3*v"))
    assert np.abs(plain.simulate(0.7, output=0.05, tolerance=1e-9)["A.q"] - r["A.q"]).max() < 1e-7


def test_stiff_integrators_see_states_of_control():
    m = pendulum()
    m.add(sr.LowPass("fast", "O.q", time_constant=1e-5), sr.JointForce("spring", "O", "-50*fast"))
    r = m.simulate(1.0, output=0.1, integrator="radau5", tolerance=1e-8)
    direct = pendulum()
    direct.add(sr.JointForce("spring", "O", "-50*q"))
    assert np.abs(r["O.q"] - direct.simulate(1.0, output=0.1, tolerance=1e-9)["O.q"]).max() < 1e-3
    assert r.stats["steps"] < 500


def test_what_is_wrong_is_said():
    m = pendulum()
    m.add(sr.Signal("a", "b + 1"), sr.Signal("b", "2*a"))
    with pytest.raises(ModelError, match="depend on each other at the same time"):
        m.compile()
    m = pendulum()
    m.add(sr.Signal("felt", "O.a"), sr.JointForce("motor", "O", "-felt"))
    with pytest.raises(ModelError, match="signal 'felt' depends on accelerations"):
        m.compile()
    m = pendulum()
    m.add(sr.Signal("a", "speed + 1"))
    with pytest.raises(FormulaError, match="unknown name 'speed'"):
        m.compile()
    with pytest.raises(FormulaError, match="unknown name 'nothing'"):
        m.add(sr.JointForce("motor", "O", "nothing"))
    with pytest.raises(ModelError, match="cannot be used in formulas"):
        sr.Signal("sin", "1")
    with pytest.raises(ModelError, match="'P' is not a joint"):
        m.add(sr.Signal("p", "P.q"))
    with pytest.raises(ModelError, match="higher degree"):
        sr.TransferFunction("f", "a", numerator=(1, 0), denominator=(1,))


def test_forces_of_signals_are_in_linear_equations():
    m = pendulum()
    m.add(sr.Signal("proportional", "-5*O.q"), sr.JointForce("spring", "O", "proportional"))
    assert m.modes().frequencies[0] == pytest.approx(np.sqrt((9.81 + 5) / 1.01) / (2 * np.pi), rel=1e-6)
    alone = m.modes().frequencies[-1]
    m.add(sr.Integral("area", "O.q"))
    assert m.modes().frequencies[-1] == pytest.approx(alone)  # no force uses it
    m.add(sr.JointForce("drift", "O", "0.1*area"))
    with pytest.raises(ModelError, match="do not come to rest by themselves"):
        m.modes()


def test_files_hold_signals():
    m = pendulum(wanted=0.7)
    m.add(
        sr.Signal("gap", "d", {"d": sr.PointDistance("ground", "bob", at_a=(1, 0, 0))}, unit="m"),
        sr.PID("controller", "wanted - O.q", kp=3, limits=(-1, 1)),
        sr.StateSpace("lag", "gap", A=[[-1]], B=[1], C=[1]),
        sr.JointForce("motor", "O", "controller"),
    )
    again, _ = run_from_text(text_of(m))
    assert again == m and text_of(again) == text_of(m)
