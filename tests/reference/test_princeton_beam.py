"""The Princeton beam (Dowell and Traybar 1975): a thin cantilever, L = 0.508 m, whose end force is turned about its axis.

The force bends the soft direction (y) by up to 34° and thereby twists the stiff one (z). Rows of 4, 8 and 16 flexible parts are
extrapolated. Compared with exact rod theory (11 digits, by shooting), and with beam elements of a commercial program
(Obrezkov, Mikkola and Matikainen 2022).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.rows_of_parts import end, extrapolated, last, straight_row
from sharnir import Force
from sharnir.flexible import Material, Section

pytestmark = pytest.mark.filterwarnings("ignore:equilibrium of model")  # four parts turn by more than 0.2 rad
LENGTH, ALUMINIUM = 0.508, Material(71.7e9, 0.31, 2800.0)
EXACT = {  # of Bauchau's section, by force and angle: displacement along, soft, stiff
    (4.448, 0): (-2.9562520613e-05, 0.0, -0.005003937055),
    (4.448, 45): (-0.0037450523733, 0.05605842519, -0.003716086357),
    (8.896, 15): (-0.0022256506063, 0.042139545531, -0.0099432882077),
    (8.896, 60): (-0.020471629842, 0.12993514206, -0.0063177830774),
    (13.345, 15): (-0.0052674025197, 0.064545065322, -0.015489518701),
    (13.345, 45): (-0.030356518763, 0.15664060531, -0.014650743299),
    (13.345, 90): (-0.050406924529, 0.20069518759, 0.0),
}
ELEMENTS = {  # of Obrezkov's section: soft, stiff
    (8.896, 0): (0.0, 0.0107141763),
    (8.896, 30): (0.07939482948, 0.0101116963),
    (8.896, 60): (0.129887616, 0.006604665004),
    (13.345, 15): (0.06435812858, 0.01645825752),
    (13.345, 45): (0.156467239, 0.0151861844),
    (13.345, 75): (0.196097131, 0.006248967384),
    (13.345, 90): (0.200677707, 0.0),
}


def rectangle(thick: float, wide: float, torsion: float) -> Section:
    return Section(thick * wide, Iy=thick * wide**3 / 12, Iz=wide * thick**3 / 12, J=torsion)


def displacements(section: Section, force: float, degrees: float) -> list[np.ndarray]:
    """Of the ends of 4, 8 and 16 parts; at 0° the force is along the stiff direction."""
    found = []
    for parts in (4, 8, 16):
        m, a = straight_row(parts, LENGTH, section, ALUMINIUM), math.radians(degrees)
        m.add(Force("P", last(m), force=(0, force * math.sin(a), -force * math.cos(a))))
        found.append(end(m) - [LENGTH, 0, 0])
    return found


@pytest.mark.parametrize(("force", "degrees"), EXACT)
@pytest.mark.sample(2)
def test_exact_rod(force, degrees):
    """Errors fall by four; extrapolated twice, at most 1.6·10⁻⁵ of the largest displacement is left."""
    exact = np.array(EXACT[force, degrees])
    rows = displacements(rectangle(3.175e-3, 12.7e-3, 1.1414372847994546e-10), force, degrees)
    errors = [np.abs(found - exact).max() for found in rows]
    assert errors[0] < 0.017 * np.abs(exact).max()
    if degrees:  # else the error of 4 parts is 10⁻⁵ already
        assert [errors[0] / errors[1], errors[1] / errors[2]] == pytest.approx([4.0, 4.0], rel=0.05)
    assert np.abs(extrapolated(rows) - exact).max() < 1.6e-5 * np.abs(exact).max()


@pytest.mark.parametrize(("force", "degrees"), ELEMENTS)
@pytest.mark.sample(2)
def test_published_elements(force, degrees):
    """Their torsion constant is 1.173·10⁻¹⁰ m⁴, 3.4 % more than Saint-Venant's: this one number fits all displacements."""
    _, soft, stiff = extrapolated(displacements(rectangle(3.2024e-3, 12.3777e-3, 1.17297e-10), force, degrees))
    assert [soft, -stiff] == pytest.approx(ELEMENTS[force, degrees], abs=7e-6)


def test_their_torsion_constant_is_not_ours():
    """With Saint-Venant's constant the displacement in the stiff direction, which comes from the twist, differs by 1 %."""
    _, soft, stiff = extrapolated(displacements(rectangle(3.2024e-3, 12.3777e-3, 1.134071935544392e-10), 13.345, 45))
    assert -stiff == pytest.approx(1.01 * 0.0151861844, rel=1e-3)
    assert soft == pytest.approx(0.156467239, rel=1e-3)
