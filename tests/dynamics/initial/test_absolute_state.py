"""Ball and free joints whose child comes first on the way from the ground: the same motions as declared the other way round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import sharnir as sr
from sharnir.model.frames import rotation_matrix

Joints = Callable[[bool], list]
TURN = np.array([0.9, 0.1, 0.2, 0.3]) / np.sqrt(0.95)
SPIN = np.array([0.3, 0.2, -0.1])


def ball(name: str, near: str, far: str, height: float, turned: bool, moving: bool = True) -> sr.Ball:
    """The same relative position and motion, declared from either side."""
    q, v = (TURN, SPIN) if moving else (np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3))
    if not turned:
        return sr.Ball(name, near, far, at=(0, 0, height), q=q, v=v)
    return sr.Ball(name, far, near, at=(0, 0, height), q=q * [1, -1, -1, -1], v=-np.array(rotation_matrix(tuple(q))) @ v)


def model(turned: str, moving: bool = True, **extra: sr.Body) -> sr.Model:
    """A chain a, b, c, d: a hinge with a speed, then balls, of which the named ones are declared from the far side."""
    m = sr.Model()
    for k, name in enumerate("abcd"):
        m.add(sr.Body(name, mass=1 + k, com=(0.1, 0, 0), inertia=(1, 1.5, 2), position=(0, 0, -k)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0.5), axis="y", q=0.3, v=1.0, damping=0.5))
    for name, near, far, height in (("B", "a", "b", -0.5), ("C", "b", "c", -1.5), ("D", "c", "d", -2.5)):
        m.add(ball(name, near, far, height, name in turned, moving))
    m.add(sr.Spring("spring", "ground", "d", at_a=(1, 0, -3), stiffness=50.0))
    return m


@pytest.mark.parametrize("turned", ["B", "D", "BC", "BD", "BCD"])
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_motions_do_not_depend_on_the_declaration(turned: str, formulation: str) -> None:
    expected = model("").simulate(0.5, step=0.1, tolerance=1e-11)
    found = model(turned).simulate(0.5, step=0.1, tolerance=1e-11, formulation=formulation)
    channels = [f"{body}.{end}" for body in "abcd" for end in ("position", "rotation", "velocity", "angular_velocity")]
    for channel in (*channels, "A.q", "A.v", "A.reaction", "energy.total"):
        scale = 1.0 + np.abs(expected[channel]).max()
        assert found[channel] == pytest.approx(expected[channel], abs=1e-8 * scale), channel
    for name in "BCD":
        sign = -1 if name in turned else 1
        assert found[f"{name}.q"] == pytest.approx(expected[f"{name}.q"] * ([1, -1, -1, -1] if sign < 0 else 1), abs=1e-8)
        assert found[f"{name}.reaction"][:, :3] == pytest.approx(sign * expected[f"{name}.reaction"][:, :3], rel=1e-6, abs=1e-6)


def test_values_of_initial_are_those_of_the_declared_joint() -> None:
    initial = sr.Initial(q={"B": tuple(TURN)}, v={"B": tuple(SPIN), "A": 0.7})
    back = sr.Initial(
        q={"B": tuple(TURN * [1, -1, -1, -1])}, v={"B": tuple(-np.array(rotation_matrix(tuple(TURN))) @ SPIN), "A": 0.7}
    )
    one = model("", moving=False).simulate(0.2, step=0.1, tolerance=1e-11, initial=initial)
    other = model("B", moving=False).simulate(0.2, step=0.1, tolerance=1e-11, initial=back)
    assert other["A.v"][0] == pytest.approx(0.7, abs=1e-12) and other["B.v"][0] == pytest.approx(back.v["B"], abs=1e-9)
    assert other["b.position"][0] == pytest.approx(one["b.position"][0], abs=1e-9)
    assert other["b.angular_velocity"][0] == pytest.approx(one["b.angular_velocity"][0], abs=1e-9)


def test_forces_in_the_joint_and_a_free_joint() -> None:
    """Damping and torques act in the axes of the declared child; a free joint holds nothing, but has forces."""

    def run(turned: bool) -> sr.Result:
        m = sr.Model(gravity=(0, 0, 0))
        m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 2, 3), position=(1, 0, 0)))
        m.add(sr.Revolute("A", "ground", "a", axis="z", v=1.0))
        ends = ("b", "a") if turned else ("a", "b")
        m.add(sr.Free("F", *ends, v=(0, 0, 0, 0.3, 0, 0) if not turned else (0, 0, 0, -0.3, 0, 0), damping=0.4))
        return m.simulate(1.0, step=0.1, tolerance=1e-11)

    one, other = run(False), run(True)
    assert other["A.q"][0] == one["A.q"][0] and other["A.v"][0] == pytest.approx(1.0, abs=1e-12)
    assert one["b.angular_velocity"][0] == pytest.approx(other["b.angular_velocity"][0], abs=1e-12)
    assert one["b.velocity"][0] == pytest.approx(other["b.velocity"][0], abs=1e-12)
    assert other["energy.total"][-1] < other["energy.total"][0] - 1e-3


def test_the_ground_may_be_the_child() -> None:
    def run(turned: bool) -> sr.Result:
        m = sr.Model()
        m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0)))
        m.add(sr.Ball("pin", *(("bob", "ground") if turned else ("ground", "bob")), at=(0, 0, 0), damping=0.1))
        return m.simulate(1.0, step=0.1, tolerance=1e-11)

    assert run(True)["bob.position"] == pytest.approx(run(False)["bob.position"], abs=1e-9)


def test_massless_bodies_between_joints() -> None:
    """A body without mass that a ball leads away from needs no inertia."""

    def run(turned: bool) -> sr.Result:
        m = sr.Model()
        m.add(sr.Body("link", mass=0, position=(0, 0, -1)), sr.Body("bob", mass=1, inertia=(1, 2, 3), position=(0.5, 0, -2)))
        m.add(sr.Ball("pin", *(("link", "ground") if turned else ("ground", "link")), at=(0, 0, 0)))
        m.add(sr.Revolute("hinge", "link", "bob", at=(0, 0, -1.5), axis="y"))
        return m.simulate(0.5, step=0.1, tolerance=1e-11)

    assert run(True)["bob.position"] == pytest.approx(run(False)["bob.position"], abs=1e-8)
