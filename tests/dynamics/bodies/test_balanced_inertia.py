"""Inertia with the consistent mass matrix: motion does not depend on the speed of the observer, weight has a potential."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.flexible import Section, reduce, straight_beam


def rod(inertia="general", elements=4):
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.1, 0.06), elements=elements)
    return reduce(beam, interfaces={"root": 0, "tip": elements}, modes=3, inertia=inertia)


@pytest.mark.parametrize("inertia", ["general", "shifted", "unshifted"])
def test_momentum_is_mass_times_speed_of_the_centre(inertia):
    body = rod(inertia)
    J, rng = body.inertia, np.random.default_rng(3)
    w, v, omega, xi = 1e-2 * rng.normal(size=body.count), rng.normal(size=3), rng.normal(size=3), rng.normal(size=body.count)
    moment = np.array([J.R0[1, 2], -J.R0[0, 2], J.R0[0, 1]]) + J.J_rw @ w
    p = (J.matrix(w) @ np.concatenate([v, omega, xi]))[:3]
    assert p == pytest.approx(J.J_rr @ v + np.cross(omega, moment) + J.J_rw @ xi, abs=1e-10)


def test_a_free_rod_vibrates_in_a_train_as_at_the_station():
    def run(speed):
        m = sr.Model(gravity=(0, 0, 0))
        body = rod()
        w = np.zeros(body.count)
        w[:3] = 1e-3
        m.add(sr.FlexibleBody("rod", reduced=body, w=w, velocity=speed, angular_velocity=(0, 3, 5), frame_at="root"))
        return m.simulate(0.01, output=1e-3, tolerance=1e-10)

    still, moving = run((0, 0, 0)), run((100.0, 20.0, -40.0))
    assert np.abs(still["rod.w"] - moving["rod.w"]).max() < 1e-8 * np.abs(still["rod.w"]).max() + 1e-11
    shift = np.outer(still.t, (100.0, 20.0, -40.0))
    assert np.abs(moving["rod.position"] - still["rod.position"] - shift).max() < 1e-7


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_swinging_rod_keeps_its_energy_under_gravity(formulation):
    m = sr.Model()
    body = rod()
    m.add(sr.FlexibleBody("rod", reduced=body), sr.Revolute("O", "ground", "rod:root", axis="y", v=1.0))
    r = m.simulate(0.05, output=0.005, tolerance=1e-11, formulation=formulation)
    assert np.ptp(r.energy.total) < 1e-7 * np.ptp(r.energy.kinetic)
