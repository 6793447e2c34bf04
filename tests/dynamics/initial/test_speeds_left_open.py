"""Loops with several freedoms of which only some have speeds: what is left open has the least kinetic energy, however cut."""

import random

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.model_compilation import compile_model

CORNERS = [(0, 0, 0), (-0.5, 1, 0), (0.6, 1.8, 0), (1.7, 1.1, 0), (1.2, 0, 0)]
ENDS = ["ground", "b0", "b1", "b2", "b3", "ground"]
GIVEN = {
    "v at the ground": (0, {"v": 1.0}),
    "v inside": (2, {"v": 1.0}),
    "drive": (4, {"motion": "t"}),
    "drive inside": (1, {"motion": "t"}),
}


def five_bar(given, bodies=range(4), joints=range(5), tail=False):
    """Two freedoms, one speed; tail: a pendulum hangs on b1."""
    m = sr.Model("five-bar", gravity=(0, 0, 0))
    number, options = GIVEN[given]
    middles = [tuple((np.array(CORNERS[i]) + CORNERS[i + 1]) / 2) for i in range(4)]
    m.add(*(sr.Body(f"b{i}", mass=1 + i, inertia=(0.3, 0.3, 0.1 * (i + 1)), position=middles[i]) for i in bodies))
    for i in joints:
        own = options if i == number else {}
        m.add(sr.Revolute(f"J{i}", ENDS[i], ENDS[i + 1], at=CORNERS[i], axis="z", **own))
    if tail:
        m.add(
            sr.Body("tail", mass=3, inertia=(1, 1, 1), position=(0, 0.5, 0)),
            sr.Revolute("T", "b1", "tail", at=middles[1], axis="z"),
        )
    return m


def turns(system):
    states = system.bodies(system.q0, system.v0)
    return np.array([states[f"b{i}"].angular_velocity[2] for i in range(4)])


@pytest.mark.parametrize("given", GIVEN)
def test_no_cut_changes_the_speeds(given):
    found = [turns(compile_model(five_bar(given), cut=(f"J{i}",))) for i in range(5)]
    assert np.ptp(found, axis=0).max() < 1e-9 * np.abs(found).max()


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_no_order_changes_the_speeds(given, formulation):
    mixed, expected = random.Random(4), turns(five_bar(given).compile())
    for _ in range(6):
        bodies, joints = mixed.sample(range(4), 4), mixed.sample(range(5), 5)
        assert turns(five_bar(given, bodies, joints).compile(formulation)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("given", ["drive", "drive inside"])
def test_kinetic_energy_is_least(given):
    """Any other motion that the drive allows has more."""
    s = compile_model(five_bar(given), cut=("J3",))
    least = s.energy(s.q0, s.v0).kinetic
    _, sizes, V = np.linalg.svd(s.constraint_jacobian(s.q0))
    motions = V[int((sizes > 1e-9 * sizes[0]).sum()) :]
    assert len(motions) == 1
    for step in (-0.1, -1e-3, 1e-3, 0.1):
        assert s.energy(s.q0, s.v0 + step * motions[0]).kinetic > least


def test_what_hangs_on_a_loop_keeps_its_speed():
    """A pendulum that nothing is said about does not turn in its joint."""
    s = five_bar("drive", tail=True).compile()
    assert s.v0[s.speeds.index("T.v")] == 0.0
