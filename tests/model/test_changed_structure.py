"""The structure that events find and change: what holds at the start, which forces rest, what an action needs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import sharnir as sr
from sharnir.model.changed_structure import Structure, at_start


def swing(**event):
    """A bob on a rope, which an event lets go."""
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Distance("rope", "ground", "bob"))
    if event:
        m.add(sr.Event("cut", actions=sr.Release("rope"), **event))
    return m


@pytest.mark.parametrize(
    ("event", "holds"),
    [
        ({}, True),
        ({"at": 0.0}, False),
        ({"at": 0.5}, True),
        ({"at": 0.0, "enabled": False}, True),
        ({"when": "t > -1"}, True),
        ({"every": 0.5}, True),
    ],
)
def test_constraints_that_an_event_of_the_first_moment_lets_go(event, holds):
    assert ("rope" in at_start(swing(**event)).constraints) == holds


@pytest.mark.parametrize(("motion", "unlocked", "rests"), [(0.3, True, True), (0.3, False, False), (None, True, False)])
def test_stops_of_a_freedom_that_is_held_until_an_event_rest(motion, unlocked, rests):
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "a", axis="y", motion=motion))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Revolute("P", "ground", "b", axis="y"))
    m.add(sr.JointLimit("s", "O", -1, 1, restitution=0.5), sr.JointLimit("t", "P", -1, 1, restitution=0.5))
    if unlocked:
        m.add(sr.Event("free", at=1.0, actions=sr.Unlock("O")))
    found = at_start(m)
    assert ("s" not in found.forces) == rests and "t" in found.forces


@pytest.mark.parametrize(("name", "words"), [("O", "has come apart"), ("later", "is not together")])
def test_an_action_on_a_joint_that_is_not_there_says_why(name, words):
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)))
    joint = m.add(sr.Revolute("O", "ground", "a", axis="y"))
    lock = SimpleNamespace(label="Lock")
    Structure().check_joint(m, "O", lock, "Event 'e'", 0.5)
    with pytest.raises(sr.ModelError, match=rf"Event 'e': Lock\('{name}'\) at t = 0.5: this joint {words}"):
        Structure(released={"O": joint}).check_joint(m, name, lock, "Event 'e'", 0.5)
