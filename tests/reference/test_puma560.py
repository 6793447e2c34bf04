"""PUMA 560, the robot of the textbooks: inverse dynamics, mass matrix, gravity load as published and as recomputed."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import sharnir as sr
from agree.by_hand import pose, rotation
from reference.digits import DIGITS
from sharnir.dynamics.methods.all_methods import ALL_METHODS

HALF = math.pi / 2
DH = ((0, HALF, 0), (0.4318, 0, 0), (0.0203, -HALF, 0.15005), (0, HALF, 0.4318), (0, -HALF, 0), (0, 0, 0))  # a, α, d
MASS = (0, 17.4, 4.8, 0.82, 0.34, 0.09)
COM = ((0, 0, 0), (-0.3638, 0.006, 0.2275), (-0.0203, -0.0141, 0.070), (0, 0.019, 0), (0, 0, 0), (0, 0, 0.032))
INERTIA = (
    (0, 0.35, 0),
    (0.13, 0.524, 0.539),
    (0.066, 0.086, 0.0125),
    (1.8e-3, 1.3e-3, 1.8e-3),
    (0.3e-3, 0.4e-3, 0.3e-3),
    (0.15e-3, 0.15e-3, 0.04e-3),
)
GEAR = np.array((-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686))
MOTOR = np.array((200, 200, 200, 33, 33, 33)) * 1e-6
VISCOUS = np.array((1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6))
DRY = np.array((0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3))
QN = (0, math.pi / 4, math.pi, 0, math.pi / 4, 0)
PUMA, PUBLISHED = DIGITS["puma560"], DIGITS["puma560_published"]


@cache
def puma(method="composite", pull=False):
    """Standard Denavit–Hartenberg: turn about z of the link before, then d, a, α lead to the link's own frame."""
    m = sr.Model("PUMA 560")
    for i, (a, alpha, d) in enumerate(DH):
        link = sr.Body(f"link{i + 1}", mass=MASS[i], com=COM[i], inertia=(1, 1, 1))
        # published moments of links 1 and 3 are no real body's; the model would refuse them
        object.__setattr__(link, "inertia", (*INERTIA[i], 0.0, 0.0, 0.0))
        beyond = np.linalg.inv(pose(p=(0, 0, d)) @ pose(p=(a, 0, 0)) @ pose(rotation((1, 0, 0), alpha)))
        frames = {"parent_frame": sr.Frame(), "child_frame": sr.Frame(beyond[:3, 3], beyond[:3, :3])}
        m.add(link, sr.Revolute(f"joint{i + 1}", "ground" if i == 0 else f"link{i}", link, axis="z", **frames))
    if pull:  # the robot presses on something with (1, 2, 3), (1, 2, 3) in the axes of its hand, so that presses back
        at = _flange()
        m.add(sr.Force("f", "link6", (-1, -2, -3), at=at, axes="body"), sr.Torque("n", "link6", (-1, -2, -3), axes="body"))
    return m.compile(method=method)


def _flange():
    from sharnir.model.placement import placements

    return placements(puma().model)["link6"].position


def close(found, recomputed, published=None):
    assert found == pytest.approx(np.array(recomputed), rel=1e-12, abs=1e-12)
    if published is not None:
        assert found == pytest.approx(np.array(published), abs=6e-5)


def test_gravity_load():
    s, zero = puma(), np.zeros(6)
    close(s.inverse_dynamics(QN, zero, zero), PUMA["rne(qn,0,0)"], PUBLISHED["rne(qn,0,0)"])
    close(s.bias(zero, zero), PUMA["gravload(qz)"])
    close(s.bias((0, HALF, -HALF, 0, 0, 0), zero), PUMA["gravload(qr=[0,pi/2,-pi/2,0,0,0])"])


def test_inverse_dynamics():
    s, one, zero = puma(), np.ones(6), np.zeros(6)
    links = s.inverse_dynamics(QN, one, one)
    close(links, PUMA["rne(qn,1,1) no friction no motor"])
    motors = GEAR**2 * MOTOR
    close(links + motors, PUMA["rne(qn,1,1) no friction"])
    friction = np.abs(GEAR) * (VISCOUS * np.abs(GEAR) + DRY)
    assert links + motors + friction == pytest.approx(PUBLISHED["rne(qn,1,1)"], rel=2e-5)
    close(s.inverse_dynamics(QN, zero, one) + motors, PUMA["rne(qn,0,1)"])
    generic = next(value for key, value in PUMA.items() if key.startswith("generic"))
    q, v, a = np.arange(1, 7) / 10, (0.6, -0.5, 0.4, -0.3, 0.2, -0.1), (1, 2, -1, 0.5, -0.5, 3)
    close(s.inverse_dynamics(q, v, a), generic)


def test_force_at_the_hand():
    key, zero = "rne(qn,0,0,fext=[1,2,3,1,2,3])", np.zeros(6)
    close(puma(pull=True).inverse_dynamics(QN, zero, zero), PUMA[key], PUBLISHED[key])


def test_mass_matrix():
    close(puma().mass_matrix(QN), PUMA["M(qn) links only"])
    close(puma().mass_matrix(QN) + np.diag(GEAR**2 * MOTOR), PUMA["M(qn) with motor inertia"], PUBLISHED["M(qn)"])
    close(puma().mass_matrix(np.zeros(6)) + np.diag(GEAR**2 * MOTOR), PUMA["M(qz) with motor inertia"])


def test_forward_dynamics_with_motors():
    s, v, tau = puma(), np.array((0.1, 0.2, 0.8, 0.2, 0.5, 1)), np.array((1, 3.2, 1.8, 0.1, 0.7, 4.6))
    M = s.mass_matrix(QN) + np.diag(GEAR**2 * MOTOR)
    close(np.linalg.solve(M, tau - s.bias(QN, v)), PUMA["accel(qn,qd,torque) no friction"])


@pytest.mark.parametrize("method", [k for k, m in ALL_METHODS.items() if m.handles_massless])
def test_forward_dynamics_undoes_the_generic_state(method):
    """Link 1 has no mass of its own, which Lagrange I cannot do."""
    s = puma(method)
    q, v, a = np.arange(1, 7) / 10, np.array((0.6, -0.5, 0.4, -0.3, 0.2, -0.1)), (1, 2, -1, 0.5, -0.5, 3)
    tau = next(value for key, value in PUMA.items() if key.startswith("generic"))
    assert s.accelerations(q, v, tau=tau) == pytest.approx(a, rel=1e-9)
