"""Beams on turning hubs: published frequencies, closed forms, and the spin-up of Kane, Ryan and Banerjee (1987).

The reference of the spin-up is a geometrically exact rod with Simo and Vu-Quoc's data (spectral elements, 9 digits).
"""

import math
from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Legendre, Polynomial
from scipy.linalg import eigh

import sharnir as sr
from reference.rows_of_parts import extrapolated as extrapolated_rows
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


EI, EA, LENGTH = 1.4e4, 2.8e7, 10.0
TURN = "if(t < 15, 0.4*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)"
SPIN_UP = {  # tip in the turning frame by the second: along the beam, across it
    1: (-2.436340060008e-05, -0.02054353197676),
    3: (-0.002728288564613, -0.217267358746),
    5: (-0.01265463624912, -0.4684761834411),
    6: (-0.01697124949862, -0.5435964002806),
    7: (-0.01861825545194, -0.5713118064628),
    8: (-0.01662991958902, -0.5428415351388),
    10: (-0.007072336299309, -0.3628145156367),
    12: (-0.0008039872676875, -0.1509006970855),
    14: (0.0004900604974676, -0.02029133776788),
    15: (0.0005139897046558, 0.00130362628286),
    16: (0.0005139214714998, 0.003079741734466),
    18: (0.0005138730455325, -0.002068277404815),
    20: (0.0005145324049192, 0.0007265808189925),
}
LARGEST = 0.57383475919  # deflection, at 6.762 s


def spun_up(parts, t_end, stiffening=True, tolerance=1e-7):
    """The same of parts in a row, (times, 2), one row per second."""
    h, shear = LENGTH / parts, 1e7 / (0.5 * EA)
    section = Section(area=1.0, Iy=EI / EA, Iz=EI / EA, J=2 * EI / EA, shear_y=shear, shear_z=shear)
    if parts == 1:
        fe = straight_beam((0, 0, 0), (h, 0, 0), section, Material(EA, 0.0, 1.2), elements=20)
        part = reduce(fe, interfaces={"a": 0, "b": 20}, modes=6, stiffening=stiffening)
    else:
        fe = straight_beam((0, 0, 0), (h, 0, 0), section, Material(EA, 0.0, 1.2), elements=2)
        part = reduce(fe, interfaces={"a": 0, "b": 2}, basis="static", stiffening=stiffening)
    m = sr.Model("spin-up", gravity=(0, 0, 0))
    for i in range(parts):
        m.add(sr.FlexibleBody(f"p{i}", reduced=part, position=(i * h, 0, 0)))
        if i > 0:
            m.add(sr.Fixed(f"weld{i}", f"p{i - 1}:b", f"p{i}:a"))
    m.add(sr.Revolute("hub", "ground", "p0:a", axis="z", motion=TURN))
    r = m.simulate(t_end, step=1.0, integrator="radau5", tolerance=tolerance)
    x, y = r[f"p{parts - 1}:b.position"][:, :2].T
    rising = 0.4 * (r.t**2 / 2 + (15 / (2 * math.pi)) ** 2 * (np.cos(2 * math.pi * r.t / 15) - 1))
    angle = np.where(r.t < 15, rising, 6 * r.t - 45)
    return np.stack([x * np.cos(angle) + y * np.sin(angle) - LENGTH, y * np.cos(angle) - x * np.sin(angle)], axis=1)


def exact_until(t_end):
    seconds = [t for t in SPIN_UP if t <= t_end]
    return seconds, np.array([SPIN_UP[t] for t in seconds])


def test_spin_up():
    """One body, whose displacements are of second order: 0.5 % of the largest deflection. Without stiffening it gives way."""
    found = spun_up(1, 15, tolerance=1e-6)
    seconds, exact = exact_until(15)
    assert found[seconds, 1] == pytest.approx(exact[:, 1], abs=5e-3 * LARGEST)
    assert found[seconds, 0] == pytest.approx(exact[:, 0], abs=1.5e-4)
    assert found[15, 0] == pytest.approx(5.14317455e-4, rel=2e-3)  # the centrifugal stretch that is left, (tan a)/a - 1


@pytest.mark.filterwarnings("ignore:model 'spin-up'")
def test_spin_up_without_stiffening():
    assert abs(spun_up(1, 7, stiffening=False, tolerance=1e-6)[7, 1]) > 1.5 * LARGEST


def test_spin_up_of_parts_in_a_row():
    """Errors of 4, 8 and 16 parts fall by four; extrapolated, 1.2·10⁻⁵ of the largest deflection is left."""
    seconds, exact = exact_until(8)
    rows = [spun_up(parts, 8)[seconds] for parts in (4, 8, 16)]
    errors = [np.abs(found - exact).max() for found in rows]
    assert errors[0] < 1e-3 * LARGEST
    assert errors[0] / errors[1] > 3.8 and errors[1] / errors[2] > 3.8
    assert np.abs(extrapolated_rows(rows) - exact).max() < 1.2e-5 * LARGEST


def test_spin_up_of_parts_without_stiffening():
    """These converge to the same rod: what a part leaves out becomes small with its length."""
    seconds, exact = exact_until(8)
    rows = [spun_up(parts, 8, stiffening=False)[seconds] for parts in (4, 8, 16)]
    errors = [np.abs(found - exact).max() for found in rows]
    assert errors[0] / errors[1] > 3.8 and errors[1] / errors[2] > 3.8
    assert np.abs(extrapolated_rows(rows) - exact).max() < 5e-4 * LARGEST


@pytest.mark.slow
def test_digits_of_the_spin_up():
    """8, 16 and 32 parts, extrapolated: 10⁻⁶ of the largest deflection, all 20 seconds."""
    seconds, exact = exact_until(20)
    rows = [spun_up(parts, 20, tolerance=1e-8)[seconds] for parts in (8, 16, 32)]
    found = extrapolated_rows(rows)
    assert np.abs(found - exact).max() < 1e-6 * LARGEST
