"""Motors with windings, duty cycles and rotors of their own, as the guide builds them: closed forms of the run-up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

import sharnir as sr

K, OHM, GEAR, LOAD, ROTOR = 0.05, 2.0, 20.0, 0.02, 2e-5


def drive(**parts: float) -> sr.Model:
    """A load, and the rotor that turns GEAR times as fast."""
    m = sr.Model("drive", parameters={"k": K, "R": OHM, "n": GEAR, **parts})
    m.add(sr.Body("load", mass=1, inertia=(LOAD,) * 3), sr.Body("rotor", mass=0.1, inertia=(ROTOR,) * 3))
    m.add(sr.Revolute("O", "ground", "load", axis="z"))
    m.add(sr.Revolute("shaft", "ground", "rotor", axis="z", mimic=("O", GEAR)))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_run_up_with_a_rotor(formulation: str) -> None:
    """v = v₀ (1 - e^(-t/T)), T = (J + n² J_rotor) w₀/(n² M₀), with stall torque M₀ and no-load speed w₀."""
    stall, free = K * 12 / OHM, 12 / K
    m = drive(stall=stall, free=free)
    m.add(sr.Signal("duty", "0.5"))
    m.add(sr.Motor("motor", "O", torque="stall*(duty - v/free)", ratio=GEAR))
    r = m.simulate(0.2, step=0.02, tolerance=1e-10, formulation=formulation)
    T = (LOAD + GEAR**2 * ROTOR) * free / (GEAR**2 * stall)
    assert r["O.v"] == pytest.approx(0.5 * free / GEAR * (1 - np.exp(-r.t / T)), abs=1e-6)
    assert r["energy.kinetic"][-1] == pytest.approx(0.5 * (LOAD + GEAR**2 * ROTOR) * r["O.v"][-1] ** 2)


@pytest.mark.parametrize("integrator", ["dopri5", "radau5"])
def test_run_up_with_a_winding(integrator: str) -> None:
    """L di/dt = u - R i - k w with J dw/dt = k i: a linear system of two equations."""
    L = 0.02
    m = drive()
    m.add(sr.Signal("voltage", "12"))
    m.add(sr.LowPass("current", input="(voltage - k*n*O.v)/R", time_constant=L / OHM))
    m.add(sr.Motor("motor", "O", torque="k*current", ratio=GEAR))
    r = m.simulate(0.2, step=0.02, tolerance=1e-9, integrator=integrator)
    J = (LOAD + GEAR**2 * ROTOR) / GEAR**2
    A = np.array([[-OHM / L, -K / L, 12 / L], [K / J, 0, 0], [0, 0, 0]])
    expected = np.array([expm(A * t) @ (0, 0, 1) for t in r.t])
    assert r["current"] == pytest.approx(expected[:, 0], abs=1e-6)
    assert r["motor.speed"] == pytest.approx(expected[:, 1], abs=1e-5)
    assert math.isclose(r["motor.torque"][1], GEAR * K * expected[1, 0], rel_tol=1e-5)
