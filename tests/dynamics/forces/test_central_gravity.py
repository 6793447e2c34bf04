"""Gravity of a central body: orbits, precession of the nodes, libration, and forces as slopes of the energy."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")

MU, R0, J2, RADIUS = 3.986004418e14, 7.0e6, 1.08263e-3, 6.378137e6


def satellite(inertia, position, velocity, **gravity):
    m = sr.Model("satellite", gravity=(0, 0, 0))
    m.add(sr.Body("sat", mass=100, inertia=inertia, position=position, velocity=velocity, com=gravity.pop("com", (0, 0, 0))))
    m.add(sr.CentralGravity("earth", MU, **gravity))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_kepler_orbit(formulation):
    """One period of an ellipse brings it back; energy and angular momentum stay."""
    speed = 1.1 * np.sqrt(MU / R0)
    m = satellite((1e-3, 1e-3, 1e-3), (R0, 0, 0), (0, speed, 0))
    a = 1 / (2 / R0 - speed**2 / MU)
    r = m.simulate(2 * np.pi * np.sqrt(a**3 / MU), output=100.0, tolerance=1e-11, formulation=formulation)
    end = m.simulate(2 * np.pi * np.sqrt(a**3 / MU), output=2 * np.pi * np.sqrt(a**3 / MU), tolerance=1e-11)
    assert np.abs(end["sat.position"][-1] - (R0, 0, 0)).max() < 1.0
    energy = r["energy.total"]
    assert np.abs(energy - energy[0]).max() < 1e-9 * abs(energy[0])
    assert energy[0] == pytest.approx(-MU * 100 / (2 * a), rel=1e-9)


def test_nodes_precess_by_flattening():
    """Ω̇ = -3/2 n J2 (R/p)² cos i, over ten nearly circular orbits."""
    i, n = 0.9, np.sqrt(MU / R0**3)
    v = np.sqrt(MU / R0)
    m = satellite((1e-3, 1e-3, 1e-3), (R0, 0, 0), (0, v * np.cos(i), v * np.sin(i)), J2=J2, radius=RADIUS)
    span = 10 * 2 * np.pi / n
    r = m.simulate(span, output=span / 200, tolerance=1e-10)
    h = np.cross(r["sat.position"], r["sat.velocity"])
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    slope = np.polyfit(r.t, node, 1)[0]
    assert slope == pytest.approx(-1.5 * n * J2 * (RADIUS / R0) ** 2 * np.cos(i), rel=5e-3)
    assert np.abs(r["energy.total"] / r["energy.total"][0] - 1).max() < 1e-9


def test_gravity_gradient_libration():
    """Pitch of a satellite on a circular orbit: ω = n √(3 (I_y' - I_x')/I_z'), long axis along the radius."""
    n = np.sqrt(MU / R0**3)
    m = sr.Model("satellite", gravity=(0, 0, 0))
    inertia = (10.0, 50.0, 55.0)
    m.add(
        sr.Body(
            "sat",
            mass=100,
            inertia=inertia,
            position=(R0, 0, 0),
            rotation=sr.rotation_about("z", 0.01),
            velocity=(0, np.sqrt(MU / R0), 0),
            angular_velocity=(0, 0, n),
        )
    )
    m.add(sr.CentralGravity("earth", MU))
    period = 2 * np.pi / (n * np.sqrt(3 * (50.0 - 10.0) / 55.0))
    r = m.simulate(period, output=period / 2, tolerance=1e-10)
    w, z = r["sat.rotation"][:, 0], r["sat.rotation"][:, 3]
    p = r["sat.position"]
    lean = 2 * np.arctan2(z, w) - np.arctan2(p[:, 1], p[:, 0])
    lean = (lean + np.pi) % (2 * np.pi) - np.pi
    assert lean == pytest.approx([0.01, -0.01, 0.01], abs=2e-5)


def test_forces_are_slopes_of_the_energy():
    """Potential by differences, over position and attitude, with an offset centre of mass and flattening; both bodies move."""
    m = sr.Model("pair", gravity=(0, 0, 0))
    m.add(sr.Body("planet", mass=50, inertia=(4, 5, 6), com=(0.1, 0.2, 0.3), position=(1, 2, 3)))
    m.add(
        sr.Body(
            "moon", mass=3, inertia=(0.4, 0.5, 0.6, 0.05, 0.02, 0), com=(0.3, -0.2, 0.1), position=(6, 4, 2), velocity=(-4, 9, 6)
        )
    )
    m.add(sr.CentralGravity("g", 900.0, body="planet", center=(0.2, 0.1, 0), J2=0.1, radius=2.0, axis=(1, 2, 2)))
    s = m.compile()
    rng = np.random.default_rng(3)
    q = s.q0 + 0.1 * rng.normal(size=s.n_q)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[10:14] /= np.linalg.norm(q[10:14])
    v = rng.normal(size=s.n_v)
    y = np.concatenate([q, v])[None]
    rates = s.observe_rates(np.zeros(1), y)[0]
    h = 1e-5
    ahead, back = (s.energy(q + d * h * rates[: s.n_q], v).potential for d in (1, -1))
    force = -s.inverse_dynamics(q, v, np.zeros(s.n_v)) + s.inverse_dynamics(q, v, np.zeros(s.n_v), elements=False)
    assert force @ v == pytest.approx(-(ahead - back) / (2 * h), rel=1e-7)
    r = m.simulate(0.4, output=0.05, tolerance=1e-10)
    for name in ("energy.total", "system.momentum", "system.angular_momentum"):
        assert np.abs(r[name] - r[name][0]).max() < 1e-6 * (1 + np.abs(r[name]).max()), name


def test_flattening_needs_a_radius():
    with pytest.raises(ModelError, match="radius is missing"):
        sr.CentralGravity("g", 1.0, J2=0.1)


def test_files_hold_central_gravity():
    m = satellite((1, 1, 1), (R0, 0, 0), (0, 0, 0), center=(0, 0, -9), J2=J2, radius=RADIUS)
    again, _ = run_from_text(text_of(m))
    assert again.forces == m.forces
