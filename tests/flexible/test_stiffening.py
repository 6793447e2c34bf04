"""Geometric stiffening: rotating cantilevers, a hanging beam, the spin-up of a beam against geometrically exact theory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from flexible.test_craig_bampton import box
from sharnir.errors import ModelError
from sharnir.flexible.beams import straight_beam
from sharnir.flexible.craig_bampton import craig_bampton
from sharnir.flexible.material import Material
from sharnir.flexible.reduction import reduce
from sharnir.flexible.section import Section
from sharnir.flexible.shapes import frequencies_of
from sharnir.flexible.stiffening import axial_forces

# first flapping frequencies of a rotating uniform cantilever, hub radius 0, by Ω (Wright et al., J. Appl. Mech. 49 (1982) 197)
FLAP = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604}


def slender(elements=20):
    """A beam with EI = ρA = L = 1 and EA = 1e6."""
    section = Section(area=1e3, Iy=1e-3, Iz=1e-3, J=2e-3)
    return straight_beam((0, 0, 0), (1, 0, 0), section, Material(1e3, 0.0, 1e-3), elements=elements, theory="euler")


@pytest.mark.parametrize("omega", FLAP)
def test_flapping_frequency_of_a_rotating_beam(omega):
    """Linearized about the steady spin; out of its plane the inertia force has no stiffness, K_G is all there is."""
    body = reduce(slender(), interfaces={"root": 0, "tip": 20}, modes=16, stiffening="root").fixed_at("root")
    z = np.linalg.svd(body.shapes[:, 2, :])[2][: np.linalg.matrix_rank(body.shapes[:, 2, :], tol=1e-6)].T  # motions along z
    om, rest, eps = np.array([0, 0, float(omega)]), np.zeros(body.count), 1e-6
    ends = [[body.inertia.force(s * eps * e, np.zeros(3), om, rest)[6:] for s in (1, -1)] for e in np.eye(body.count)]
    inertial = np.array([(plus - minus) / (2 * eps) for plus, minus in ends]).T
    assert np.abs(z.T @ inertial @ z).max() < 1e-6 * max(omega, 1) ** 2 * np.abs(z.T @ body.inertia.J_ww @ z).max()
    K = body.stiffness + body.stiffening.stiffness(np.zeros(3), np.zeros(3), om)
    found = 2 * np.pi * frequencies_of(z.T @ K @ z, z.T @ body.inertia.J_ww @ z)[0]
    assert found == pytest.approx(FLAP[omega], rel=3e-4)


def test_axial_force_of_a_hanging_beam():
    """Held at the top, pulled by its own weight: N falls linearly to zero; pushed from below it is the opposite."""
    beam = slender(10)
    body = reduce(beam, interfaces={"root": 0}, modes=4, stiffening="root")
    shapes = craig_bampton(beam, [0], modes=4).matrix
    inner = np.arange(6, beam.size)
    u = np.zeros((beam.size, 1))
    load = beam.mass @ beam.rigid_motions()[:, :1]  # gravity 1 along x, away from the root
    u[6:, 0] = np.linalg.solve(beam.stiffness[inner][:, inner].toarray(), load[6:, 0])
    middle = (np.arange(10) + 0.5) / 10
    assert axial_forces(beam, u)[:, 0] == pytest.approx(1.0 - middle, abs=2e-2)
    hanging = body.stiffening.stiffness(np.array([-1.0, 0, 0]), np.zeros(3), np.zeros(3))  # gravity is an acceleration upward
    assert np.linalg.eigvalsh(hanging).min() > -1e-9 and hanging.shape == (shapes.shape[1],) * 2


def test_spin_up_of_a_beam():
    """Simo and Vu-Quoc's data; tip deflections of geometrically exact rod theory. Without stiffening the beam gives way."""
    EI, EA, rho, L, T, top = 1.4e4, 2.8e7, 1.2, 10.0, 15.0, 6.0
    E = EA  # area 1
    section = Section(area=1.0, Iy=EI / E, Iz=EI / E, J=2 * EI / E)
    beam = straight_beam((0, 0, 0), (L, 0, 0), section, Material(E, 0.0, rho), elements=20, theory="euler")
    body = reduce(beam, interfaces={"root": 0, "tip": 20}, modes=6, stiffening="root").fixed_at("root")
    tip = body.interface("tip").shape

    def spin(t):
        phase = 2 * np.pi * t / T
        return top / T * (t - T / (2 * np.pi) * np.sin(phase)), top / T * (1 - np.cos(phase))

    def rate(stiff):
        def f(t, y):
            w, xi = np.split(y, 2)
            speed, alpha = spin(t)
            om, al, zero = np.array([0, 0, speed]), np.array([0, 0, alpha]), np.zeros(3)
            K = body.stiffness + (body.stiffening.stiffness(zero, al, om) if stiff else 0.0)
            right = body.inertia.force(w, zero, om, xi)[6:] - body.inertia.J_phiw(w).T @ al - K @ w
            return np.concatenate([xi, np.linalg.solve(body.inertia.J_ww, right)])

        return f

    start = np.zeros(2 * body.count)
    run = solve_ivp(rate(True), (0, 10), start, method="Radau", rtol=1e-5, atol=1e-8, t_eval=[3, 5, 6, 7, 10])
    found = tip[1] @ run.y[: body.count]
    exact = np.array([-0.2172673587460, -0.4684761834411, -0.5435964002806, -0.5713118064628, -0.3628145156367])
    assert np.abs(found - exact).max() < 0.01 * 0.5738
    soft = solve_ivp(rate(False), (0, 10), start, method="Radau", rtol=1e-5, atol=1e-8, t_eval=[10])
    assert abs(tip[1] @ soft.y[: body.count, -1]) > 5 * 0.5738


def test_only_beams_at_an_interface():
    with pytest.raises(ModelError, match="must be an interface"):
        reduce(slender(2), interfaces={"root": 0}, stiffening="tip")
    with pytest.raises(ModelError, match="beams only"):
        reduce(box((2, 1, 1)), interfaces={"root": 0}, modes=1, stiffening="root")
