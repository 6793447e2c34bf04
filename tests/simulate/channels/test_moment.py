"""What callbacks and steppers see of a mechanism whose structure changes."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.results.channel import UnknownChannelError

NAMES = ("O.q", "O.v", "O.a", "O.reaction", "O.reaction_local.fx", "grease.force", "dock.reaction.fz", "dock.q", "dock.drive.x")


def breaking():
    m = sr.Model("breaking pin")
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(1, 0, 0)), sr.Body("wall", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"), sr.Fixed("bolt", "ground", "wall"))
    m.add(sr.JointFriction("grease", "O", 0.01, radius=0.01))
    m.add(sr.Event("breaks", at=0.25, actions=sr.Release("O")))
    m.add(sr.Event("caught", at=0.55, actions=sr.Attach("wall", "bob", joint="dock")))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_channels_of_joints_that_are_apart_are_those_of_the_result(formulation):
    seen = []
    m = breaking()
    names = [name for name in NAMES if name in m.simulate(0.8, output=0.1, formulation=formulation)]
    assert len(names) >= 7

    def look(now):
        seen.append([np.atleast_1d(now[name]) for name in names])

    r = m.simulate(0.8, output=0.1, formulation=formulation, callback=look, communication=0.1)
    assert len(seen) == 9
    for k, values in enumerate(seen):
        for name, value in zip(names, values, strict=True):
            np.testing.assert_allclose(value, np.atleast_1d(r[name][k]), rtol=1e-7, atol=1e-7, err_msg=f"{name} {k}")
    assert np.isnan(r["O.v"][4]) and np.isnan(r["dock.reaction"][4]).all() and np.isfinite(r["dock.reaction"][-1]).all()


def test_a_stepper_reads_a_joint_that_has_come_apart():
    run = breaking().stepper()
    assert np.isnan(run["dock.reaction"]).all() and run["O.v"] == 0.0
    run.step(0.4)
    assert np.isnan(run["O.v"]) and run["O.reaction"].shape == (6,) and np.isnan(run["O.reaction.fx"])
    assert run["bob.position"][2] < 0.0
    with pytest.raises(UnknownChannelError, match=r"no channel 'O.w'"):
        run["O.w"]


def test_where_nothing_can_change_an_unknown_channel_stays_unknown():
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "bob", axis="y"))
    with pytest.raises(UnknownChannelError, match=r"no channel 'O.drive'"):
        m.stepper()["O.drive"]
