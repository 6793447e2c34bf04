"""Rods that bend far, by rows of rigid parts with springs between them: convergence to exact rod theory and published numbers.

A rod of n parts: turns between neighbours have the stiffness EI/h of a piece of length h = L/n (twice that at the clamp, half a
piece away); stretch and shear sit in the middle of every part. The error falls with h², so two rows give an extrapolated one.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.flexible import Material, Section, beam_frame, reduce
from sharnir.model.frames import rotation_matrix

ELASTICA = {1: (0.9435667637166231, 0.3017207737998135), 10: (0.4450044022462487, 0.8106090248802965)}  # x/L, y/L by P L²/EI


def elastica(parts, load):
    """End of an inextensible cantilever under a dead force across it."""
    m, h = sr.Model(gravity=(0, 0, 0)), 1 / parts
    for i in range(parts):
        m.add(sr.Body(f"p{i}", mass=h, inertia=(1e-6 * h, h**3 / 12, h**3 / 12), com=(h / 2, 0, 0), position=(i * h, 0, 0)))
        stiffness = parts * (2.0 if i == 0 else 1.0)
        before = "ground" if i == 0 else f"p{i - 1}"
        m.add(sr.Revolute(f"r{i}", before, f"p{i}", at=(i * h, 0, 0), axis="-y", stiffness=stiffness))
    m.add(sr.Force("P", f"p{parts - 1}", force=(0, 0, load), at=(1, 0, 0)))
    rest = m.statics()
    angle = np.cumsum([rest[f"r{i}.q"] for i in range(parts)])
    return np.array([np.cos(angle).mean(), np.sin(angle).mean()])


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load):
    """Slopes up to 82°: errors of 8, 16 and 32 parts fall by four; extrapolated twice, less than 2·10⁻⁷ of the length is left."""
    exact = np.array(ELASTICA[load])
    eight, sixteen, more = (elastica(parts, load) for parts in (8, 16, 32))
    errors = [np.abs(found - exact).max() for found in (eight, sixteen, more)]
    assert errors[0] < 0.01
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02) and errors[1] / errors[2] == pytest.approx(4.0, rel=0.02)
    once = [sixteen + (sixteen - eight) / 3, more + (more - sixteen) / 3]
    assert np.abs(once[1] + (once[1] - once[0]) / 15 - exact).max() < 2e-7


def rod_end(parts, length, path, axes, k, force, planar=False):
    """Where the end of a clamped rod comes to rest; k: EA, shear along y and z, GJ, EI about y and z; axes: columns t, y, z."""
    m, h, s = sr.Model(gravity=(0, 0, 0)), length / parts, np.linspace(0, 1, parts + 1)

    def joined(name, a, b, at, freedoms):
        kinds = tuple(kind(tuple(axis)) for kind, axis, _ in freedoms)
        stiffness = tuple(float(value) for *_, value in freedoms)
        m.add(sr.FreedomSequence(name, a, b, at=tuple(at), freedoms=kinds, stiffness=stiffness))

    for i in range(parts):
        middle = (s[i] + s[i + 1]) / 2
        for name in (f"a{i}", f"b{i}"):
            m.add(sr.Body(name, mass=h / 2, inertia=(h**3 / 2,) * 3, position=tuple(path(middle))))
        t, y, z = axes(middle).T
        shifts = [(sr.Translation, t, k[0] / h), (sr.Translation, y, k[1] / h), (sr.Translation, z, k[2] / h)]
        joined(f"s{i}", f"a{i}", f"b{i}", path(middle), shifts[::2] if planar else shifts)
        t, y, z = axes(s[i]).T
        g = (2.0 if i == 0 else 1.0) * np.array(k[3:]) / h
        turns = [(sr.Rotation, t, g[0]), (sr.Rotation, y, g[1]), (sr.Rotation, z, g[2])]
        if i % 2 == 0:  # forwards and backwards by turns, so that what depends on their order cancels
            turns.reverse()
        joined(f"j{i}", "ground" if i == 0 else f"b{i - 1}", f"a{i}", path(s[i]), turns[1:2] if planar else turns)
    m.add(sr.Force("P", f"b{parts - 1}", force=tuple(f"{x}*t" for x in force), at=tuple(path(1.0))))
    system, q = m.compile(), None
    for share in (1.0,) if planar else (1 / 3, 2 / 3, 1.0):
        rest = system.equilibrium(q=q, t=share)
        q = rest.q
    last = system.bodies(rest.q, rest.v)[f"b{parts - 1}"]
    return last.position + np.array(rotation_matrix(last.rotation)) @ (path(1.0) - path((s[-2] + s[-1]) / 2))


def test_shear_deformable_cantilever():
    """Nachbagauer and others (2011): L = 2 m, h = 0.5 m; 1024 of their elements give (0.15097103, 0.71056837) m."""
    w, h, E, nu = 0.1, 0.5, 2.07e11, 0.3
    shear = 10 * (1 + nu) / (12 + 11 * nu) * E / (2 * (1 + nu)) * w * h
    k = (E * w * h, shear, shear, 1.0, E * w * h**3 / 12, 1.0)
    exact = np.array([2 - 0.150971144239, 0.0, -0.710568597854])

    def end(parts):
        return rod_end(parts, 2.0, lambda s: np.array([2.0 * s, 0, 0]), lambda s: np.eye(3), k, (0, 0, -5e8 * h**3), planar=True)

    four, eight, more = end(4), end(8), end(16)
    errors = [np.abs(found - exact).max() for found in (four, eight, more)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02) and errors[1] / errors[2] == pytest.approx(4.0, rel=0.02)
    once = [eight + (eight - four) / 3, more + (more - eight) / 3]
    np.testing.assert_allclose(once[1] + (once[1] - once[0]) / 15, exact, atol=1e-7)
    np.testing.assert_allclose(once[1], [2 - 0.15097103, 0, -0.71056837], atol=3e-6)


@pytest.mark.slow
def test_bend_of_45_degrees():
    """Bathe and Bolourchi: an arc of radius 100 under 600 across it; exact rod theory, and published ends of eight elements."""

    def path(s):
        return 100 * np.array([math.sin(s * math.pi / 4), 1 - math.cos(s * math.pi / 4), 0.0])

    def axes(s):
        c, d = math.cos(s * math.pi / 4), math.sin(s * math.pi / 4)
        return np.array([[c, -d, 0], [d, c, 0], [0, 0, 1.0]])

    k = (1e7, 5e6, 5e6, 5e6 / 6, 1e7 / 12, 1e7 / 12)
    exact = np.array([47.1504385736, 15.684800534, 53.4748587918])
    four, eight = (rod_end(parts, 25 * math.pi, path, axes, k, (0, 0, 600.0)) for parts in (4, 8))
    errors = [np.linalg.norm(found - exact) for found in (four, eight)]
    assert errors[0] < 1.6 and errors[0] / errors[1] > 3.5
    assert np.linalg.norm(eight + (eight - four) / 3 - exact) < 0.25  # 0.4 % of the deflection, as among published ends
    assert eight == pytest.approx([47.23, 15.79, 53.37], abs=0.45)  # Simo and Vu-Quoc


def test_tapered_cantilever():
    """ρA and EI fall to half along it (Hodges and Pierce): 4.31517, 23.5193, 63.1992; steps of constant section, extrapolated."""
    found = []
    for elements in (20, 40):
        x = (np.arange(elements) + 0.5) / elements
        sections = [Section(area=1e3 * c, Iy=1e-3 * c, Iz=1e-3 * c, J=2e-3 * c) for c in 1 - x / 2]
        nodes = np.stack([np.linspace(0, 1, elements + 1), np.zeros(elements + 1), np.zeros(elements + 1)], axis=1)
        lines = [(i, i + 1) for i in range(elements)]
        fe = beam_frame(nodes, lines, sections, Material(1e3, 0.0, 1e-3), theory="euler")
        m = sr.Model("blade", gravity=(0, 0, 0))
        m.add(
            sr.FlexibleBody("blade", reduced=reduce(fe, interfaces={"root": 0}, modes=10)),
            sr.Fixed("clamp", "ground", "blade:root"),
        )
        found.append(2 * math.pi * m.modes().frequencies[[0, 2, 4]])
    assert found[1] + (found[1] - found[0]) / 3 == pytest.approx([4.31517, 23.5193, 63.1992], rel=1e-5)
