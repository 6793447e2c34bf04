"""Beams on turning hubs: published frequencies, closed forms, and the spin-up of Kane, Ryan and Banerjee (1987)."""

import math
from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Legendre, Polynomial
from scipy.linalg import eigh

import sharnir as sr
from sharnir.flexible import Material, Section, reduce, straight_beam

# flapping of a uniform cantilever without hub by Ω: power series, 30 digits; Wright et al., J. Appl. Mech. 49 (1982), have five
FLAP = {
    0: (3.5160152685001513, 22.03449156466677, 61.697214413549105),
    2: (4.137319573025358, 22.614921956504052, 62.27318410567162),
    6: (7.3603730193100185, 26.80908167849793, 66.68391438150489),
    12: (13.170150487506177, 37.603112331191866, 79.61447848945721),
}


def beam(elements=24, density=1e-3, stiffening=True, modes=16):
    """EI = L = 1, EA = 1e6, and ρA = 1 unless given otherwise."""
    section = Section(area=1e3, Iy=1e-3, Iz=1e-3, J=2e-3)
    fe = straight_beam((0, 0, 0), (1, 0, 0), section, Material(1e3, 0.0, density), elements=elements, theory="euler")
    return reduce(fe, interfaces={"root": 0, "tip": elements}, modes=modes, stiffening=stiffening)


def hub(omega, reduced, radius=0.0, mass=0.0):
    """Frequencies (rad/s) of a beam that turns about z, and whether each is in the plane of rotation."""
    m = sr.Model("hub", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("beam", reduced=reduced, position=(radius, 0, 0)))
    m.add(sr.Revolute("shaft", "ground", "beam:root", at=(0, 0, 0), axis="z", motion=f"{omega}*t"))
    if mass:
        m.add(sr.Body("weight", mass=mass, position=(radius + 1, 0, 0)), sr.Fixed("weld", "beam:tip", "weight"))
    modes = m.modes(equilibrium=False, initial="steady")
    tip = m.compile().assembly.coordinates.elastic["beam"]
    shape = m.bodies["beam"].reduced.interfaces["tip"].shape @ modes.shapes[tip[1] : tip[1] + tip[2]]
    return modes.eigenvalues.imag, np.abs(shape[1]) > np.abs(shape[2])


def exact_flap(omega, radius=0.0, mass=0.0, count=14):
    """Rayleigh and Ritz, x² times Legendre's polynomials: ∫ f''² + ∫ N f'² over ∫ f² + m f(1)², N the pull of what is outside."""
    x, weight = np.polynomial.legendre.leggauss(40)
    x, weight = 0.5 * (x + 1), 0.5 * weight
    f = [Polynomial([0, 0, 1]) * Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial) for k in range(count)]
    value, slope, bend = (np.array([p.deriv(k)(x) if k else p(x) for p in f]) for k in range(3))
    pull = omega**2 * (0.5 * (1 - x**2) + radius * (1 - x) + mass * (1 + radius))
    tip = np.array([p(1.0) for p in f])
    K = (bend * weight) @ bend.T + (slope * weight * pull) @ slope.T
    M = (value * weight) @ value.T + mass * np.outer(tip, tip)
    return np.sqrt(eigh(K, M, eigvals_only=True)[:3])


@cache
def two_meshes():
    return beam(24, modes=30), beam(48, modes=30)


def extrapolated(omega):
    """Flapping and lagging frequencies of two meshes, without the error of second order of their elements."""
    coarse, fine = (hub(omega, mesh) for mesh in two_meshes())
    if omega == 0:  # equal in all directions: no mode has one of its own
        values = [found[0][:6].reshape(3, 2).T for found in (coarse, fine)]
    else:
        values = [np.array([found[~inside][:3], found[inside][:3]]) for found, inside in (coarse, fine)]
    return values[1] + (values[1] - values[0]) / 3.0


@pytest.mark.parametrize("omega", FLAP)
def test_flapping_and_lagging(omega):
    """Out of the plane as published; in the plane ω² is less by Ω². Without stiffening the first stays as it is at rest.

    What is left is the stretch of a beam with EA = 10⁶, 2·10⁻⁵ at Ω = 12.
    """
    flap, lag = extrapolated(omega)
    exact = np.array(FLAP[omega])
    assert flap == pytest.approx(exact, rel=3e-5)
    assert lag == pytest.approx(np.sqrt(exact**2 - omega**2), rel=2e-4 if omega else 3e-5)
    if omega:
        plain, inside = hub(omega, beam(stiffening=False))
        assert plain[~inside][0] == pytest.approx(FLAP[0][0], rel=1e-4)


@pytest.mark.parametrize(("radius", "mass"), [(0.5, 0.0), (2.0, 0.0), (0.0, 1.0), (0.3, 2.0)])
def test_hub_radius_and_a_mass_at_the_tip(radius, mass):
    """A mass that is joined to the tip pulls at it: this comes through the second-order displacement of the node."""
    assert exact_flap(6.0) == pytest.approx(FLAP[6], rel=1e-7)
    found, inside = hub(6.0, beam(), radius, mass)
    exact = exact_flap(6.0, radius, mass)
    assert found[~inside][:2] == pytest.approx(exact[:2], rel=1e-3)
    assert found[inside][:2] == pytest.approx(np.sqrt(exact[:2] ** 2 - 36.0), rel=1e-3)


def spun_up(stiffening, t_end):
    """Tip displacement in the turning frame, by the second: along the beam, across it."""
    EI, EA, L = 1.4e4, 2.8e7, 10.0
    section = Section(area=1.0, Iy=EI / EA, Iz=EI / EA, J=2 * EI / EA)
    fe = straight_beam((0, 0, 0), (L, 0, 0), section, Material(EA, 0.0, 1.2), elements=20, theory="euler")
    m = sr.Model("spin-up", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("beam", reduced=reduce(fe, interfaces={"root": 0, "tip": 20}, modes=6, stiffening=stiffening)))
    turn = "0.4*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1))"
    m.add(sr.Revolute("hub", "ground", "beam:root", axis="z", motion=turn))
    r = m.simulate(t_end, step=1.0, integrator="radau5", tolerance=1e-6)
    x, y = r["beam:tip.position"][:, :2].T
    angle = 0.4 * (r.t**2 / 2 + (15 / (2 * math.pi)) ** 2 * (np.cos(2 * math.pi * r.t / 15) - 1))
    return x * np.cos(angle) + y * np.sin(angle) - L, y * np.cos(angle) - x * np.sin(angle)


def test_spin_up():
    """Geometrically exact rod theory with Simo and Vu-Quoc's data (10 digits); without stiffening the beam gives way."""
    along, across = spun_up(True, 15)
    exact = np.array([-0.2172673587460, -0.4684761834411, -0.5435964002806, -0.5713118064628, -0.3628145156367])
    assert across[[3, 5, 6, 7, 10]] == pytest.approx(exact, abs=5e-3 * 0.5738)
    exact = np.array([-2.728288564613e-3, -1.265463624912e-2, -1.697124949862e-2, -1.861825545194e-2, -7.072336299309e-3])
    assert along[[3, 5, 6, 7, 10]] == pytest.approx(exact, abs=1.5e-4)
    assert along[15] == pytest.approx(5.14317455e-4, rel=2e-3)  # the centrifugal stretch that is left
    assert abs(across[15]) < 5e-3
    assert abs(spun_up(False, 7)[1][7]) > 1.5 * 0.5738
