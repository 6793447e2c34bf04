"""Geometric stiffening: rotating cantilevers, a hanging beam, the spin-up of a beam against geometrically exact theory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from flexible.free_body import Body, accelerations, lagrange_force, speeds, tilde
from flexible.modes.test_craig_bampton import box
from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.beams import straight_beam
from sharnir.flexible.finite_elements.material import Material
from sharnir.flexible.finite_elements.section import Section
from sharnir.flexible.modes.craig_bampton import craig_bampton
from sharnir.flexible.modes.geometric_stiffness import beams_of, section_forces
from sharnir.flexible.modes.shape_matrix import frequencies_of
from sharnir.flexible.reduction import reduce

# first flapping frequencies of a rotating uniform cantilever, hub radius 0, by Ω (Wright et al., J. Appl. Mech. 49 (1982) 197)
FLAP = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604}


def slender(elements=20, mass="consistent"):
    """A beam with EI = ρA = L = 1 and EA = 1e6."""
    section, material = Section(area=1e3, Iy=1e-3, Iz=1e-3, J=2e-3), Material(1e3, 0.0, 1e-3)
    return straight_beam((0, 0, 0), (1, 0, 0), section, material, elements=elements, theory="euler", mass=mass)


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
    assert section_forces(beam, beams_of(beam), u).force[:, 0, 0] == pytest.approx(1.0 - middle, abs=2e-2)
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


def beam_rotation(first, second, L, s):
    """(3, h) rotation θ of a section of a beam along x, and its slope θ': deflections are cubic, the twist is linear."""
    up = np.array([6 * s * (s - 1) / L, (1 - s) * (1 - 3 * s), 6 * s * (1 - s) / L, s * (3 * s - 2)])
    bow = np.array([(12 * s - 6) / L, 6 * s - 4, (6 - 12 * s) / L, 6 * s - 2]) / L
    y, z = ([first[c], sign * first[r], second[c], sign * second[r]] for c, r, sign in ((1, 5, 1), (2, 4, -1)))
    theta = np.array([(1 - s) * first[3] + s * second[3], -np.tensordot(up, z, 1), np.tensordot(up, y, 1)])
    return theta, np.array([(second[3] - first[3]) / L, -np.tensordot(bow, z, 1), np.tensordot(bow, y, 1)])


def crossed(a, b):
    """(…, 3, h, h) a_i × b_j of two sets (…, 3, h)."""
    return np.cross(a[..., :, None], b[..., None, :], axisa=-3, axisb=-3, axisc=-3)


class BentBody(Body):
    """A straight beam along x as a sum over its nodes: ρ + H w + u₂(w), with rotations θ + θ₂, or the affine part of u₂ and θ₂.

    Strains stay as they are in linear theory: θ₂' = ½ θ × θ', u₂' = θ₂ × e + ½ θ × (θ × e), zero at `support`. Within an element
    all these are polynomials of degree 5 at most, which six points integrate exactly.
    """

    def __init__(self, model, shapes, support, affine):
        super().__init__(model.nodes, model.mass.toarray(), shapes)
        n, h = len(self.nodes), self.h
        u, x = shapes.reshape(n, 6, h), self.nodes[:, 0]
        place = np.linspace(0.0, 1.0, 6)
        powers = place[:, None] ** np.arange(6)
        up_to = (place[:, None] ** np.arange(1, 7) / np.arange(1, 7)) @ np.linalg.inv(powers)  # integrals from 0
        field = np.zeros((n, 6, h, h))
        for e in range(n - 1):
            L = x[e + 1] - x[e]
            theta, slope = zip(*(beam_rotation(u[e], u[e + 1], L, s) for s in place), strict=True)
            turned = field[e, 3:] + 0.5 * L * np.einsum("ks,scij->kcij", up_to, crossed(np.array(theta), np.array(slope)))
            tilt = np.array([crossed(X, np.cross(X, [1.0, 0, 0], axisa=0, axisc=0)) for X in theta])
            rate = np.cross(turned, [1.0, 0, 0], axisa=1, axisc=1) + 0.5 * tilt
            field[e + 1, 3:], field[e + 1, :3] = turned[-1], field[e, :3] + L * np.einsum("s,scij->cij", up_to[-1], rate)
        moved = field[support].copy()
        for k in range(n):  # less the rigid motion that brings the support back
            field[k, :3] -= moved[:3] + np.cross(moved[3:], self.nodes[k] - self.nodes[support], axisa=0, axisc=0)
            field[k, 3:] -= moved[3:]
        field = field.reshape(6 * n, h, h)
        field = field + field.transpose(0, 2, 1)
        if affine:
            Z = np.zeros((n, 6, 9))
            Z[:, range(6), range(6)] = 1.0
            Z[:, 1, 5], Z[:, 2, 4] = x, -x
            for c in range(3):
                Z[:, c, 6 + c] = x
            Z = Z.reshape(6 * n, 9)
            G = Z.T @ self.mass @ Z
            field = np.einsum("nk,kij->nij", Z @ np.linalg.pinv(G, 1e-12), np.einsum("nk,nij->kij", self.mass @ Z, field))
        self.second = field  # u₂ = ½ Σ second w w

    def node_speeds(self, w):
        V = super().node_speeds(w)
        place = 0.5 * self.second @ w @ w
        for k in range(len(self.nodes)):
            V[6 * k : 6 * k + 3, 3:6] -= tilde(place[6 * k : 6 * k + 3])
        V[:, 6:] += self.second @ w
        return V


def slender_body(support, mass="consistent"):
    beam = slender(6, mass)
    body = reduce(beam, interfaces={"root": 0, "tip": 6}, modes=3, stiffening=True).fixed_at(support)
    u = np.concatenate([body.shapes, body.rotations], axis=1).reshape(-1, body.count)
    return beam, body, u


@pytest.mark.parametrize("support", ["root", "tip"])
def test_mass_matrix_and_force_of_a_bent_beam(support):
    """M(w) and k(w, v, ω, ẇ) against the sum over the nodes and Lagrange's equations by complex steps.

    Lumped masses: there the sums need no balance of momentum.
    """
    beam, body, u = slender_body(support, mass="lumped")
    other, inertia = BentBody(beam, u, 0 if support == "root" else 6, affine=True), body.stiffened_inertia
    rng = np.random.default_rng(4)
    q, qdot, qddot = rng.normal(size=(3, 6 + body.count))
    q[6:] *= 0.02
    assert inertia.matrix(q[6:]) == pytest.approx(other.matrix(q[6:]), abs=1e-9 * np.abs(other.matrix(q[6:])).max())
    a, s = accelerations(q, qdot, qddot), speeds(q, qdot)
    needed = inertia.matrix(q[6:]) @ a - inertia.force(q[6:], s[:3], s[3:6], s[6:])
    exact = lagrange_force(other, q, qdot, qddot)
    assert needed == pytest.approx(exact, abs=1e-9 * np.abs(exact).max())


def test_energy_is_complete_to_second_order():
    """Against point masses that move with u₂ itself, not its affine part: what differs is of third order; else of second."""
    beam, body, u = slender_body("root", mass="lumped")
    exact, rng = BentBody(beam, u, 0, affine=False), np.random.default_rng(2)
    w, xi, v, omega = rng.normal(size=body.count), rng.normal(size=body.count), rng.normal(size=3), rng.normal(size=3)
    errors = []
    for size in (1e-2, 1e-3, 1e-4):
        speed = np.concatenate([v, omega, size * xi])
        T = 0.5 * speed @ exact.matrix(size * w) @ speed
        errors.append([abs(J.kinetic(size * w, v, omega, size * xi) - T) for J in (body.stiffened_inertia, body.inertia)])
    order = np.log10(np.array(errors)[:-1] / np.array(errors)[1:])
    assert order[-1][0] > 2.9
    assert order[-1][1] == pytest.approx(2.0, abs=0.1)


def test_displacement_of_the_tip():
    """An arc of the angle φ: the chord is L (1 - φ²/6), seen from the root; from the tip it is the same with the other sign."""
    beam, body, u = slender_body("root")
    x, phi = beam.nodes[:, 0], 0.1
    arc = np.zeros((7, 6))
    arc[:, 1], arc[:, 5] = 0.5 * phi * x**2, phi * x
    w = np.linalg.lstsq(u, arc.ravel(), rcond=None)[0]
    assert u @ w == pytest.approx(arc.ravel(), abs=1e-9)
    assert body.stiffening.displacement("tip", w) == pytest.approx([-(phi**2) / 6, 0, 0, 0, 0, 0], abs=1e-9)
    other = body.fixed_at("tip")
    assert other.stiffening.displacement("root", w) == pytest.approx([phi**2 / 6, 0, 0, 0, 0, 0], abs=1e-9)
    assert np.abs(other.stiffening.nodes["tip"]).max() < 1e-9


def test_only_beams_at_an_interface():
    with pytest.raises(ModelError, match="must be an interface"):
        reduce(slender(2), interfaces={"root": 0}, stiffening="tip")
    with pytest.raises(ModelError, match="beams only"):
        reduce(box((2, 1, 1)), interfaces={"root": 0}, modes=1, stiffening="root")
