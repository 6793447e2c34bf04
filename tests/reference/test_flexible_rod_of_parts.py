"""A fast slider-crank whose rod bends far: short flexible parts in a row converge to the geometrically exact rod.

Crank 0.15 m at 150 rad/s, rod 0.3 m of 6 mm steel (data of Meijaard, Jonker, Ellenbroek and Schilder), slider of half its mass.
One body with linear shapes misses the shortening by bending; parts that turn against each other have it, with an error of second
order in their length. The digits are those of a converged shear-flexible rod: place of the slider, deflection of the middle
normal to the chord.
"""

from __future__ import annotations

import numpy as np

import sharnir as sr
from sharnir.flexible import Material, Section, reduce, straight_beam

TIMES = (0.005, 0.01, 0.02)
SLIDER, MIDDLE = (0.391614209, 0.270621884, 0.150725712), (4.53146e-3, 1.591067e-3, 9.69689e-4)
LARGEST = 4.6601e-3  # deflection of the middle in all the motion


def motion(parts):
    """(times, 2): place of the slider, deflection of the middle of a rod of so many parts."""
    length = 0.3 / parts
    beam = straight_beam((0, 0, 0), (length, 0, 0), Section.round(0.003), Material(2e11, 0.3, 7870.0), elements=4)
    part = reduce(beam, {"a": 0, "b": 4}, basis="static")
    m = sr.Model("slider-crank", gravity=(0.0, 0.0, 0.0))
    m.add(sr.Body("crank", mass=0.1, inertia=(1e-3, 1e-3, 1e-3)), sr.Revolute("O", "ground", "crank", axis="z", motion="150*t"))
    for i in range(parts):
        m.add(sr.FlexibleBody(f"part{i}", reduced=part, position=(0.15 + i * length, 0.0, 0.0)))
        if i == 0:
            m.add(sr.Revolute("A", "crank", "part0:a", at=(0.15, 0.0, 0.0), axis="z", v=-225.0))
        else:
            m.add(sr.Fixed(f"weld{i}", f"part{i - 1}:b", f"part{i}:a"))
    m.add(sr.Body("slider", mass=0.03337785114806, inertia=(1e-4, 1e-4, 1e-4), position=(0.45, 0.0, 0.0)))
    m.add(sr.Prismatic("S", "ground", "slider", axis="x"))
    m.add(sr.Revolute("B", f"part{parts - 1}:b", "slider", at=(0.45, 0.0, 0.0), axis="z"))
    result = m.simulate(TIMES[-1], step=0.005, tolerance=1e-7, integrator="dop853")
    found = []
    for t in TIMES:
        at = round(t / 0.005)
        pin, end = 0.15 * np.array([np.cos(150.0 * t), np.sin(150.0 * t)]), np.array([0.45 + result["S.q"][at], 0.0])
        chord = (end - pin) / np.linalg.norm(end - pin)
        middle = result[f"part{parts // 2}:a.position"][at][:2] - pin
        found.append((end[0], chord[0] * middle[1] - chord[1] * middle[0]))
    return np.array(found)


def test_convergence_to_the_exact_rod():
    exact = np.array([SLIDER, MIDDLE]).T
    four, eight = motion(4), motion(8)
    errors = [np.abs(found[:, 1] - exact[:, 1]).max() / LARGEST for found in (four, eight)]
    assert errors[0] < 0.05 and errors[1] < 0.3 * errors[0]  # a quarter, if of second order
    extrapolated = eight + (eight - four) / 3.0
    assert np.abs(extrapolated[:, 1] - exact[:, 1]).max() < 2e-3 * LARGEST
    assert np.abs(extrapolated[:, 0] - exact[:, 0]).max() < 1e-5
