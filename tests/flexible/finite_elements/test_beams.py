"""Beams against closed forms: frequencies with their order of convergence, deflections, rigid inertia."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from flexible.boxes import frequencies
from sharnir.errors import ModelError
from sharnir.flexible import STEEL, Section, beam_frame, straight_beam

FLAT = Section.rectangle(width=0.02, height=0.03)
LENGTH = 1.2
# β L of the lowest two bending modes
ROOTS = {
    "cantilever": (1.8751040687119612, 4.694091132974175),
    "free": (4.730040744862704, 7.853204624095838),
    "supported": (np.pi, 2 * np.pi),
}


def planar(model, support):
    """Bending in x-z only: the other freedoms fixed, and the supports of the case."""
    last = len(model.nodes) - 1
    everywhere = model.with_fixed(model.labels, ["x", "y", "rx", "rz"])
    if support == "cantilever":
        return everywhere.with_fixed([0], ["z", "ry"])
    return everywhere.with_fixed([0, last], ["z"]) if support == "supported" else everywhere


def euler(support, elements, mass="consistent"):
    model = straight_beam((0, 0, 0), (LENGTH, 0, 0), FLAT, STEEL, elements=elements, theory="euler", mass=mass)
    found = frequencies(planar(model, support), 4)
    return found[2:] if support == "free" else found[:2]


def exact(support):
    return np.array(ROOTS[support]) ** 2 / LENGTH**2 * np.sqrt(STEEL.E * FLAT.Iy / (STEEL.density * FLAT.area))


@pytest.mark.parametrize("support", list(ROOTS))
def test_euler_frequencies_converge_with_the_fourth_power(support: str) -> None:
    coarse, fine = (np.abs(euler(support, n) / exact(support) - 1) for n in (8, 16))
    order = np.log2(coarse / fine)
    assert np.all((order > 3.8) & (order < 4.2))
    np.testing.assert_allclose(euler(support, 16), exact(support), rtol=5e-5)


@pytest.mark.parametrize(("support", "order"), [("cantilever", 2), ("free", 2), ("supported", 4)])
def test_lumped_mass_converges(support: str, order: int) -> None:
    coarse, fine = (np.abs(euler(support, n, "lumped") / exact(support) - 1) for n in (12, 24))
    assert np.all(np.log2(coarse / fine) > order - 0.25)


def timoshenko_roots(section, support, count):
    """ω of a Timoshenko beam in x-z from the determinant of the boundary conditions on its four solutions, below the cut-off.

    S (w'' - θ') + ρ A ω² w = 0 and E I θ'' + S (w' - θ) + ρ I ω² θ = 0 with S = k G A have the solutions cosh a x, sinh a x, cos
    b x, sin b x.
    """
    E, rho, A, I = STEEL.E, STEEL.density, section.area, section.Iy
    S = section.shear_z * STEEL.G * A

    def determinant(omega):
        m, j = rho * A * omega**2, rho * I * omega**2
        # S E I p⁴ + (S j + m E I) p² + m (j - S) = 0 for exp(p x)
        half, product = (S * j + m * E * I) / (2 * S * E * I), m * (S - j) / (S * E * I)
        root = np.sqrt(half**2 + product)
        a, b = np.sqrt(root - half), np.sqrt(root + half)
        ga, gb = a + m / (S * a), b - m / (S * b)

        def at(x):
            ch, sh, co, si = np.cosh(a * x), np.sinh(a * x), np.cos(b * x), np.sin(b * x)
            w, slope = np.array([ch, sh, co, si]), np.array([a * sh, a * ch, -b * si, b * co])
            theta, bend = (
                np.array([ga * sh, ga * ch, -gb * si, gb * co]),
                np.array([a * ga * ch, a * ga * sh, -b * gb * co, -b * gb * si]),
            )
            return w, theta, bend, slope - theta

        start, end = at(0.0), at(LENGTH)
        first = (start[0], start[1]) if support == "cantilever" else (start[2], start[3])
        return np.linalg.det(np.array([*first, end[2], end[3]]))

    grid = np.linspace(50.0, 0.98 * np.sqrt(S / (rho * I)), 4000)
    values = np.array([determinant(omega) for omega in grid])
    places = np.flatnonzero(values[:-1] * values[1:] < 0)[:count]
    return np.array([brentq(determinant, grid[i], grid[i + 1], rtol=1e-13) for i in places])


@pytest.mark.parametrize("support", ["cantilever", "free"])
def test_timoshenko_frequencies(support: str) -> None:
    """A stout beam (height = length / 5) against the frequency equation; Euler's theory is off by percents."""
    stout = Section.rectangle(width=0.1, height=0.24)
    expected = timoshenko_roots(stout, support, 3)
    values = []
    for n in (16, 32, 64):
        model = planar(straight_beam((0, 0, 0), (LENGTH, 0, 0), stout, STEEL, elements=n), support)
        found = frequencies(model, 5)
        values.append(found[2:5] if support == "free" else found[:3])
    errors = [np.abs(found / expected - 1) for found in values]
    assert np.all(errors[1] < 3e-3)
    assert np.all(np.log2(errors[0] / errors[1]) > 1.8)
    once = [values[1] + (values[1] - values[0]) / 3, values[2] + (values[2] - values[1]) / 3]  # without the error of order two
    assert once[1] + (once[1] - once[0]) / 15 == pytest.approx(expected, rel=1e-6)
    slender = planar(straight_beam((0, 0, 0), (LENGTH, 0, 0), stout, STEEL, elements=16, theory="euler"), support)
    rough = frequencies(slender, 5)
    assert (rough[3] if support == "free" else rough[1]) > 1.05 * expected[1]


@pytest.mark.parametrize("theory", ["euler", "timoshenko"])
def test_static_deflections_are_exact(theory: str) -> None:
    """Tip force and moment on a cantilever along a slanted axis, in its own axes; one element is enough."""
    start, axis, up = np.array([0.3, -0.2, 0.1]), np.array([2.0, 1.0, 2.0]) / 3, np.array([-1.0, 2.0, 0.0])
    z = up - (up @ axis) * axis
    z /= np.linalg.norm(z)
    y = np.cross(z, axis)
    section = Section(2e-4, 3e-9, 5e-9, 4e-9, 0.8, 0.7)
    model = straight_beam(start, start + LENGTH * axis, section, STEEL, elements=3, theory=theory, orientation=up).with_fixed([0])
    E, G, L = STEEL.E, STEEL.G, LENGTH
    soft = 1.0 if theory == "timoshenko" else 0.0
    tip = model.freedoms_of(3)
    cases = [
        (np.r_[100 * axis, 0, 0, 0], np.r_[100 * L / (E * 2e-4) * axis, 0, 0, 0]),
        (
            np.r_[10 * z, 0, 0, 0],
            np.r_[10 * (L**3 / (3 * E * 3e-9) + soft * L / (0.7 * G * 2e-4)) * z, -10 * L**2 / (2 * E * 3e-9) * y],
        ),
        (
            np.r_[10 * y, 0, 0, 0],
            np.r_[10 * (L**3 / (3 * E * 5e-9) + soft * L / (0.8 * G * 2e-4)) * y, 10 * L**2 / (2 * E * 5e-9) * z],
        ),
        (np.r_[0, 0, 0, 2 * axis], np.r_[0, 0, 0, 2 * L / (G * 4e-9) * axis]),
        (np.r_[0, 0, 0, 2 * y], np.r_[-2 * L**2 / (2 * E * 3e-9) * z, 2 * L / (E * 3e-9) * y]),
    ]
    for load, expected in cases:
        force = np.zeros(model.size)
        force[tip] = load
        found = np.linalg.solve(model.stiffness.toarray(), force)[tip]
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_rigid_inertia_of_a_beam_is_that_of_its_geometry() -> None:
    """A slanted bar with its cross-section: consistent mass and rotary inertia give a solid's inertia tensor exactly."""
    w, h, axis = 0.02, 0.03, np.array([1.0, 2.0, -2.0]) / 3
    up = np.array([0.0, 0.0, 1.0])
    model = straight_beam((1, 2, 3), np.array((1, 2, 3)) + LENGTH * axis, FLAT, STEEL, elements=5)
    y = np.cross(up, axis) / np.linalg.norm(np.cross(up, axis))
    axes = np.array([axis, y, np.cross(axis, y)])
    mass = STEEL.density * w * h * LENGTH
    own = mass / 12 * np.diag([w**2 + h**2, LENGTH**2 + h**2, LENGTH**2 + w**2])
    found = model.rigid_inertia()
    assert found.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(found.center, np.array((1, 2, 3)) + LENGTH / 2 * axis, rtol=1e-12)
    np.testing.assert_allclose(found.inertia, axes.T @ own @ axes, atol=1e-11)
    assert found.asymmetry < 1e-12


@pytest.mark.parametrize("theory", ["euler", "timoshenko"])
@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_frame_is_free_and_heavy_as_its_beams(theory: str, mass: str) -> None:
    nodes = [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0.5, 0]]
    frame = beam_frame(
        nodes,
        [[11, 12], [12, 13], [13, 14]],
        [Section.tube(0.05, 0.04), FLAT, Section.round(0.02)],
        labels=[11, 12, 13, 14],
        theory=theory,
        mass=mass,
    )
    assert frame.check().free
    lengths = (1.0, 1.0, np.sqrt(0.25 + 1))
    areas = (np.pi * (0.05**2 - 0.04**2), 0.02 * 0.03, np.pi * 0.02**2)
    assert frame.rigid_inertia().mass == pytest.approx(
        STEEL.density * sum(a * b for a, b in zip(lengths, areas, strict=True)), rel=1e-12
    )
    assert frame.lines.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_torsion_constant_of_a_rectangle() -> None:
    """Timoshenko and Goodier, table for J = k a b³."""
    for ratio, k in ((1.0, 0.1406), (1.5, 0.1958), (2.0, 0.2287), (5.0, 0.2913), (10.0, 0.3123)):
        assert pytest.approx(k * ratio, rel=5e-4) == Section.rectangle(ratio, 1.0).J
        assert pytest.approx(k * ratio, rel=5e-4) == Section.rectangle(1.0, ratio).J


def test_wrong_beams() -> None:
    nodes = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    with pytest.raises(ModelError, match="nodes has 0 rows; a beam needs two nodes"):
        beam_frame(np.zeros((0, 3)), [[0, 1]], Section.round(0.01))
    with pytest.raises(ModelError, match="element 0 names the node 7"):
        beam_frame(nodes, [[0, 7]], FLAT)
    with pytest.raises(ModelError, match="element 1 has no length"):
        beam_frame(nodes, [[0, 1], [1, 2]], FLAT)
    with pytest.raises(ModelError, match="orientation of element 0 lies along the beam"):
        beam_frame(nodes, [[0, 1]], FLAT, orientation=(1, 0, 0))
    with pytest.raises(ModelError, match="2 entries of section for 1 elements"):
        beam_frame(nodes, [[0, 1]], [FLAT, FLAT])
    with pytest.raises(ModelError, match="theory = 'kirchhoff' is not known; use one of timoshenko, euler"):
        beam_frame(nodes, [[0, 1]], FLAT, theory="kirchhoff")
    with pytest.raises(ModelError, match=r"inner = 0.2 must lie between 0 and radius = 0.1"):
        Section.tube(0.1, 0.2)
