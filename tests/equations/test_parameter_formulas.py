"""The user's parameters as letters: formulas in the place of numbers come back in the equations, and nothing is lost."""

import re

import numpy as np
import pytest

import lettered_models
import sharnir as sr
import zoo

from .states import picked


def double_pendulum(m1="m1", l1="l1", m2="m2", l2="l2"):
    m = sr.Model("double pendulum", gravity=(0, 0, "-g"), parameters={"g": 9.81})
    a, b, c, d = (m.parameter(name, value) for name, value in ((m1, 1.0), (l1, 0.8), (m2, 1.2), (l2, 0.7)))
    m.add(sr.Body("a", mass=a, inertia=(a * b**2 / 12, a * b**2 / 12, 0), com=(0, 0, -b / 2)))
    m.add(sr.Revolute("q1", "ground", "a", at=(0, 0, 0), axis="y"))
    m.add(sr.Body("b", mass=c, inertia=(c * d**2 / 12, c * d**2 / 12, 0), com=(0, 0, -d / 2), position=(0, 0, -b)))
    m.add(sr.Revolute("q2", "a", "b", at=(0, 0, -b), axis="y", damping=f"0.1*{m2}"))
    return m


def test_parameters_are_the_letters():
    equations = double_pendulum().equations(letters=True)
    assert set(equations.letters) == {"g", "m1", "l1", "m2", "l2"}
    assert str(equations.rows[1].left).startswith("m2*l2*(3*l1*cos(q2) + 2*l2)*q1''/6 + m2*l2^2*q2''/3 + ")
    assert all(len(str(row)) <= 250 for row in equations.rows)
    only = double_pendulum().equations(letters="parameters")
    assert only.rows[1].right is equations.rows[1].right and str(only.rows[1].right) == "-m2*q2'/10"


@pytest.mark.parametrize("letters", [True, "parameters"])
def test_renaming_a_parameter_changes_its_name_and_nothing_else(letters):
    """Names that would stand elsewhere in the alphabet, or are Greek, leave all else as it is."""
    names = {"m1": "zeta", "l1": "a_length", "m2": "x1", "l2": "mu"}
    before, after = double_pendulum().equations(letters), double_pendulum(**names).equations(letters)
    swapped = re.sub(r"\b(m1|l1|m2|l2)\b", lambda found: names[found[0]], str(before))
    assert swapped == str(after)
    assert str(before.renamed(names)) == str(after)


@pytest.mark.parametrize("letters", [True, "parameters"])
def test_other_values_in_the_letters_give_the_other_model(letters):
    m, rng = double_pendulum(), np.random.default_rng(2)
    equations = m.equations(letters)
    for _ in range(3):
        values = {name: value * rng.uniform(0.6, 1.5) for name, value in m.parameters.items()}
        q, v = rng.uniform(-2, 2, (2, 2))
        want = m.with_parameters(**values).compile().accelerations(q, v)
        assert equations.accelerations(q, v, **values) == pytest.approx(want, rel=1e-11, abs=1e-11)


FIELDS = {sr.Body: ("mass", "com", "position"), sr.Joint: ("at", "damping")}


@pytest.mark.parametrize("name", ["tree 0", "tree 1", "one Revolute", "one Universal"])
def test_every_number_a_parameter(name):
    """A parameter for every mass, moment, point, spring and damper of a random tree."""
    model = lettered_models.lettered(zoo.model(name), only=FIELDS)
    equations = model.equations(letters="parameters")
    assert len(equations.letters) > 5
    rng = np.random.default_rng(4)
    values = {name: value * rng.uniform(0.98, 1.02) for name, value in model.parameters.items()}
    system = model.with_parameters(**values).compile()
    q, v = zoo.state(system, 1)
    own_q, own_v, numbers = picked(equations, system, q, v)
    want = system.accelerations(q, v, 0.4)[numbers]
    assert np.abs(equations.accelerations(own_q, own_v, 0.4, **values) - want).max() < 1e-9 * max(1.0, np.abs(want).max())


def turned(axis):
    m = sr.Model("turned", parameters={"c": 0.6, "m": 2.0})
    m.add(sr.Body("a", mass="m", com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Revolute("O", "ground", "a", at=(0, 0, 0), axis=axis))
    return m


def test_what_formulas_cannot_say_is_refused_or_stays_a_letter():
    """An axis that depends on a parameter is a number in the equations."""
    with pytest.raises(sr.ModelError, match="also through axes, rotations or other fields"):
        turned(("c", 1, 0)).equations(letters="parameters")
    assert "m_a" in turned(("c", 1, 0)).equations(letters=True).letters
    assert set(turned((0.6, 1, 0)).equations(letters="parameters").letters) == {"m"}
    m = turned((0, 1, 0))
    m.add(sr.Spring("s", "ground", "a", at_a=(0, 0, "c"), at_b=(1, 0, 0), stiffness=3))  # its length is that in the drawing
    with pytest.raises(sr.ModelError, match="in a way that no formula of the model expresses, such as a distance in the drawing"):
        m.equations(letters="parameters")
    with pytest.raises(sr.ModelError, match="letters = 'all' must be False, True or 'parameters'"):
        m.equations(letters="all")


def test_a_parameter_called_g_that_is_not_gravity():
    m = sr.Model("gear", parameters={"g": 3.0})
    m.add(sr.Body("a", mass="g", com=(1, 0, 0)), sr.Revolute("O", "ground", "a", at=(0, 0, 0), axis="y"))
    equations = m.equations(letters=True)
    assert equations.letters["g"] == 3.0 and equations.letters["g_0"] == 9.81
    assert equations.accelerations([0.2], [0.0]) == pytest.approx(m.compile().accelerations([0.2], [0.0]), rel=1e-13)
