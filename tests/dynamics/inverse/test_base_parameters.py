"""The combinations of inertial parameters that the dynamics depends on: closed forms, published counts, loops."""

import numpy as np
import pytest

import sharnir as sr
from reference.test_puma560 import puma


def test_planar_arm_of_two_links():
    """Textbook: the mass of the second link counts with the first as a point at the elbow (length 0.8)."""
    m = sr.Model()
    m.add(sr.Body("upper", mass=3, com=(0.3, 0, 0.1), inertia=(0.1, 0.2, 0.25)))
    m.add(sr.Body("fore", mass=2, com=(0.2, 0.1, 0), inertia=(0.1, 0.3, 0.25), position=(0.8, 0, 0)))
    m.add(sr.Revolute("A", "ground", "upper", at=(0, 0, 0), axis="y", armature=0.5))
    m.add(sr.Revolute("B", "upper", "fore", at=(0.8, 0, 0), axis="y", armature=0.1))
    base = m.compile().base_parameters()
    about_origin = 0.2 + 3 * (0.3**2 + 0.1**2)
    wanted = {
        "upper.mx + 0.8*fore.m": 0.9 + 1.6,
        "upper.mz": 0.3,
        "upper.Jyy + 0.64*fore.m + A.armature": about_origin + 0.64 * 2 + 0.5,
        "fore.mx": 0.4,
        "fore.mz": 0.0,
        "fore.Jyy": 0.3 + 2 * 0.2**2,
        "B.armature": 0.1,
    }
    assert base.names == tuple(wanted)
    assert base.values == pytest.approx(list(wanted.values()), abs=1e-12)
    assert {"upper.m", "upper.my", "fore.Jxx"} <= set(base.lost) and "fore.m" not in base.lost


def test_count_of_an_industrial_robot():
    """36 of a robot with six turning joints whose first axis is along gravity and whose next two are parallel (Khalil), and the
    rotors of the joints beyond those whose axes they share."""
    base = puma().base_parameters()
    assert len([name for name in base.names if "armature" not in name.split(" ")[0]]) == 36
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 6))
    forces = puma().regressor(q, v, a)[:, base.columns] @ base.values
    assert forces == pytest.approx(puma().inverse_dynamics(q, v, a, elements=False), rel=1e-10, abs=1e-10)


def four_bar(pi=None):
    """Crank, coupler and rocker with ten numbers each, by default some that a linkage may have."""
    places = {"crank": (0, 0, 0), "coupler": (0.2, 0, 0.3), "rocker": (0.9, 0, 0)}
    m = sr.Model("four-bar")
    for k, (name, place) in enumerate(places.items()):
        mass, com, inertia = 2.0 + k, np.array((0.1, 0.0, 0.05 * k)), (0.4, 0.5, 0.6, 0, 0, 0)
        if pi is not None:
            mass, com = pi[10 * k], pi[10 * k + 1 : 10 * k + 4] / pi[10 * k]
            a, b, c, d, e, f = pi[10 * k + 4 : 10 * k + 10]
            J = np.array([[a, b, c], [b, d, e], [c, e, f]]) - mass * (com @ com * np.eye(3) - np.outer(com, com))
            inertia = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        m.add(sr.Body(name, mass=mass, com=com, inertia=inertia, position=place, any_inertia=True))
    m.add(sr.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="y"))
    m.add(sr.Revolute("B", "crank", "coupler", at=(0.2, 0, 0.3), axis="y"))
    m.add(sr.Revolute("C", "coupler", "rocker", at=(0.8, 0, 0.7), axis="y"))
    m.add(sr.Revolute("D", "ground", "rocker", at=(0.9, 0, 0), axis="y", v=1.5))
    return m


def test_of_a_loop():
    """Masses of a four-bar linkage that are changed without changing its base parameters change no acceleration; others do."""
    system = four_bar().compile()
    base, pi = system.base_parameters(), system.inertial_parameters.values
    assert len(base) < 10
    rng = np.random.default_rng(0)
    hidden = np.linalg.svd(base.matrix[:, :30])[2][np.linalg.matrix_rank(base.matrix[:, :30], 1e-9) :]
    change = hidden.T @ rng.normal(0.0, 0.1, len(hidden))
    accelerations = system.accelerations(system.q0, system.v0)
    same = four_bar(pi[:30] + change).compile()
    assert np.abs(change).max() > 0.05
    assert same.accelerations(system.q0, system.v0) == pytest.approx(accelerations, rel=1e-9)
    seen = base.matrix[0, :30] * 0.1 / np.linalg.norm(base.matrix[0, :30])
    other = four_bar(pi[:30] + seen).compile()
    assert np.abs(other.accelerations(system.q0, system.v0) - accelerations).max() > 1e-3
