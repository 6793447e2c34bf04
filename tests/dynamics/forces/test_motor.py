"""Motors with torque–speed curves against closed forms, in trees and loops, with commands and signals."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")


def rotor(**motor):
    m = sr.Model("rotor")
    m.add(sr.Body("disc", mass=1, inertia=(0.1, 0.1, 0.2)), sr.Revolute("O", "ground", "disc", axis="z"))
    m.add(sr.Motor("motor", "O", **motor))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_motor_runs_up_along_its_curve(formulation):
    """J v̇ = n η T₀ (1 - n v/w₀): an exponential."""
    m = rotor(torque="2*(1 - v/300)", ratio=10, efficiency=0.8)
    r = m.simulate(1.0, output=0.1, tolerance=1e-10, formulation=formulation)
    rate = 10 * 0.8 * 2 * 10 / 300 / 0.2
    assert r["O.v"] == pytest.approx(30 * (1 - np.exp(-rate * r.t)), abs=1e-8)
    assert r["motor.speed"] == pytest.approx(10 * r["O.v"], rel=1e-12)
    assert r["motor.torque"][0] == pytest.approx(16.0)


def test_the_curve_limits_a_command():
    curve = sr.Table((0, 100, 200), (3.0, 3.0, 0.5))
    r = rotor(torque=curve, command="20*sin(6*t)").simulate(2.0, output=0.01, tolerance=1e-8)
    most, wanted = curve.evaluate(np.abs(r["motor.speed"])), 20 * np.sin(6 * r.t)
    assert r["motor.torque"] == pytest.approx(np.clip(wanted, -most, most), abs=1e-9)
    assert r["motor.power"] == pytest.approx(r["motor.torque"] * r["O.v"], abs=1e-9)


def test_a_linear_motor_in_a_loop_obeys_a_signal():
    m = sr.Model("slider")
    m.add(sr.Body("car", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "ground", "car", axis="x"))
    m.add(sr.Signal("error", "1 - P.q"), sr.Motor("motor", "P", torque=30.0, command="40*error - 10*v"))
    a, b = (m.simulate(3.0, output=0.1, tolerance=1e-9, formulation=f) for f in FORMULATIONS)
    assert a["P.q"][-1] == pytest.approx(1.0, abs=1e-2)
    assert np.abs(a["P.q"] - b["P.q"]).max() < 1e-7
    assert np.abs(a["motor.torque"]).max() == pytest.approx(30.0)


def test_a_motor_on_a_ball_joint_is_refused():
    m = rotor(torque=1.0)
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "disc", "ball"))
    with pytest.raises(ModelError, match="a motor is for Revolute and Prismatic"):
        m.add(sr.Motor("m", "B", 1.0))


def test_files_hold_motors():
    m = rotor(torque=sr.Table((0, 1), (2, 0)), command="3*sin(t)", ratio=5)
    again, _ = run_from_text(text_of(m))
    assert again.forces == m.forces
