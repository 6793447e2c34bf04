"""Rods that bend far, by rows of rigid parts with springs between them: convergence to exact rod theory and published numbers.

A rod of n parts: turns between neighbours have the stiffness EI/h of a piece of length h = L/n (twice that at the clamp, half a
piece away); stretch and shear sit in the middle of every part. The error falls with h², so two rows give an extrapolated one.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import sharnir as sr
from reference.rows_of_parts import arc_row, end, extrapolated, last, part, row, straight_row
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


def test_shear_deformable_cantilever_under_a_small_load():
    """The same with a thousandth of the force: 256 of their elements give (1.88847418e-7, 8.09900305e-4) m.

    The shift along the beam is of second order. Within a part sections do not turn as they shear, which leaves κ γ h/2 per
    length: here an error of first order in h, then one of second.
    """
    w, h, E, nu = 0.1, 0.5, 2.07e11, 0.3
    k = 10 * (1 + nu) / (12 + 11 * nu)
    section = Section(w * h, Iy=w * h**3 / 12, Iz=h * w**3 / 12, J=1e-3, shear_y=k, shear_z=k)
    rows = []
    for parts in (4, 8, 16):
        m = straight_row(parts, 2.0, section, Material(E, nu, 7850.0))
        m.add(sr.Force("P", last(m), force=(0, 0, -5e5 * h**3)))
        rows.append(end(m) - [2.0, 0, 0])
    assert rows[2][2] == pytest.approx(-8.09903253977e-4, rel=1e-8)  # exact rod theory
    assert rows[2][2] == pytest.approx(-8.09900305e-4, rel=5e-6)
    first = [fine + (fine - coarse) for coarse, fine in pairwise(found[0] for found in rows)]
    second = first[1] + (first[1] - first[0]) / 3
    assert second == pytest.approx(-1.88849164751e-7, rel=6e-4)
    assert abs(rows[2][0] + 1.88849164751e-7) > 4e-3 * 1.88849164751e-7  # so it is not the 16 parts themselves


BEND = {  # tips by the torsion constant and the load: exact rod theory (shooting, 12 digits)
    (1 / 6, 300): (58.7791224897, 22.2447809454, 40.1918916701),
    (1 / 6, 600): (47.1504385736, 15.684800534, 53.4748587918),
    (0.141, 450): (51.9747624731, 18.3720430289, 48.7009672302),
}


def bend(parts, torsion, load):
    """Tip of an arc of 45° and radius 100, of section 1 × 1, under a dead load across its plane."""
    section = Section(1.0, Iy=1 / 12, Iz=1 / 12, J=torsion, shear_y=1.0, shear_z=1.0)
    m = arc_row(parts, 100.0, math.pi / 4, section, Material(1e7, 0.0, 1e-3))
    m.add(sr.Force("P", last(m), force=(0, 0, load)))
    return end(m)


@pytest.mark.filterwarnings("ignore:equilibrium of model")  # of four parts that turn by 0.26 rad
@pytest.mark.parametrize(("torsion", "load"), BEND)
def test_bend_of_45_degrees(torsion, load):
    """Rows of 4, 8 and 16 flexible parts: errors fall by four; extrapolated, 10⁻⁴ of the deflection is left."""
    exact = np.array(BEND[torsion, load])
    rows = [bend(parts, torsion, load) for parts in (4, 8, 16)]
    errors = [np.linalg.norm(found - exact) for found in rows]
    assert errors[0] < 1.9 and errors[0] / errors[1] > 3.6 and errors[1] / errors[2] > 3.8
    assert np.linalg.norm(extrapolated(rows) - exact) < 5e-3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:equilibrium of model")
def test_published_tips_of_the_bend():
    """Bathe and Bolourchi's bend under 600. Five digits of Ibrahimbegović (1995), whose torsion constant is 0.141."""
    rows = [bend(parts, 0.141, 600) for parts in (8, 16, 32)]
    found = extrapolated(rows)
    assert found == pytest.approx([46.8967695969, 15.5603254042, 53.6048584572], abs=5e-4)  # exact rod theory
    start = np.array([70.7106781187, 29.2893218813, 0.0])
    assert found - start == pytest.approx([-23.814, -13.729, 53.605], abs=1e-3)
    assert found == pytest.approx([46.90, 15.56, 53.60], abs=0.006)  # 32 elements of Exudyn
    assert found - start == pytest.approx([-23.5, -13.4, 53.4], abs=0.35)  # eight elements of Bathe and Bolourchi (1979)


def test_torsion_and_bending_by_a_dead_moment():
    """Nachbagauer and others (2013): a moment about x and y at the end; 40 elements of a commercial program have five digits."""
    h, w, E, nu = 0.2, 0.4, 2.07e11, 0.3
    polar = (h * w**3 + w * h**3) / 12
    section = Section(h * w, Iy=h * w**3 / 12, Iz=w * h**3 / 12, J=0.5768 * polar, shear_y=0.8331, shear_z=0.7961)
    rows = []
    for parts in (4, 8):
        m = straight_row(parts, 2.0, section, Material(E, nu, 7850.0))
        m.add(sr.Torque("M", last(m), torque=(0.5e6, 2e6, 0)))
        rows.append(end(m) - [2.0, 0, 0])
    exact = [-1.09437985579e-4, -1.86436456164e-4, -1.81174027438e-2]
    assert extrapolated(rows) == pytest.approx(exact, abs=2e-9)
    assert extrapolated(rows) == pytest.approx([-1.0939e-4, -1.8646e-4, -1.8117e-2], abs=5e-7)


def softest(parts, load):
    """Least ω² of a right-angled frame of two strips, 240 mm each and 30 × 0.6 mm, with a load in its plane at the free end."""
    wide, thick, leg = 0.03, 6e-4, 0.24
    torsion = wide * thick**3 * (1 / 3 - 0.21 * thick / wide)
    section = Section(wide * thick, Iy=wide * thick**3 / 12, Iz=thick * wide**3 / 12, J=torsion)
    h = leg / parts
    one = part(np.outer([0, 0.5, 1], [h, 0, 0]), section, Material(7.124e10, 0.31, 2700.0))
    along = [(one, (i * h, 0.0, 0.0), 0.0) for i in range(parts)]
    m = row(along + [(one, (leg, -i * h, 0.0), -math.pi / 2) for i in range(parts)])
    m.add(sr.Force("P", last(m), force=(load, 0, 0)))
    return m.compile().equilibrium(stable=False).stiffness[0]


def test_right_angled_frame_buckles_sideways():
    """Simo and Vu-Quoc (1986) give 1.088 N, read from a curve; the load at which the least stiffness vanishes is 1.084 N."""
    critical = []
    for parts in (4, 8):
        loads = [1.0, 1.1]
        values = [softest(parts, load) for load in loads]
        for _ in range(3):
            loads.append(loads[-1] - values[-1] * (loads[-1] - loads[-2]) / (values[-1] - values[-2]))
            values.append(softest(parts, loads[-1]))
        critical.append(loads[-1])
    assert extrapolated(critical) == pytest.approx(1.0841, abs=5e-4)
    assert extrapolated(critical) == pytest.approx(1.088, rel=5e-3)


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
