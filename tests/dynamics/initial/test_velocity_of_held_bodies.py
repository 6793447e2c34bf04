"""velocity= of bodies that joints or constraints hold: what the error tells one to do works when it is done."""

import re

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError

BOTH = ("joint", "absolute")


def body(name, position, **options):
    return sr.Body(name, mass=1, inertia=(1, 1, 1), position=position, **options)


def text(model, formulation="joint"):
    with pytest.raises(ModelError) as error:
        model.compile(formulation)
    return str(error.value)


def four_bar(speeds=None, **options):
    """Crank, coupler and rocker; options are the coupler's."""
    m, speeds = sr.Model("four-bar", gravity=(0, 0, 0)), speeds or {}
    m.add(body("crank", (0, 0.5, 0)), body("coupler", (1, 1, 0), **options), body("rocker", (2, 0.5, 0)))
    for name, parent, child, at in (
        ("A", "ground", "crank", (0, 0, 0)),
        ("B", "crank", "coupler", (0, 1, 0)),
        ("C", "coupler", "rocker", (2, 1.2, 0)),
        ("D", "ground", "rocker", (2, 0, 0)),
    ):
        m.add(sr.Revolute(name, parent, child, at=at, axis="z", v=speeds.get(name, 0.0)))
    return m


@pytest.mark.parametrize("formulation", BOTH)
def test_body_in_a_loop(formulation):
    said = text(four_bar(velocity=(1, 0, 0)), formulation)
    names = re.findall(r"'(\w)'", said.split("set v of")[1])
    assert names and "follow from the loop" in said
    for name in names:
        s = four_bar({name: 0.7}).compile(formulation)
        assert np.abs(s.constraints(s.q0, s.v0)).max() < 1e-9
        assert np.linalg.norm(s.bodies(s.q0, s.v0)["coupler"].velocity) > 0.1


@pytest.mark.parametrize("formulation", BOTH)
def test_body_on_a_free_one(formulation):
    def chain(**velocities):
        m = sr.Model("chain", gravity=(0, 0, 0))
        m.add(body("b", (1, 0, 0), **velocities.get("b", {})), body("a", (0, 0, 0), **velocities.get("a", {})))
        return m.add(sr.Revolute("H", "b", "a", at=(0.5, 0.5, 0), axis="z")) and m

    assert "give velocity and angular_velocity to body 'b', which carries it" in text(
        chain(a={"velocity": (1, 0, 0)}), formulation
    )
    s = chain(b={"velocity": (1, 0, 0)}).compile(formulation)
    assert s.bodies(s.q0, s.v0)["a"].velocity == pytest.approx([1, 0, 0])


def test_body_that_cannot_move():
    m = sr.Model("held")
    m.add(body("a", (0, 0, 0), velocity=(1, 0, 0)), sr.Revolute("H", "ground", "a", axis="z", motion="t"))
    assert "leave them out" in text(m)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("velocity", [(0, 1, 0), (1, 1, 0), (3, -2, 5)])
def test_velocity_against_a_constraint(formulation, velocity):
    """A body on a rod, turned in space: the velocity that the error gives is one that the rod allows."""

    def on_a_rod(**options):
        m = sr.Model("rod", gravity=(0, 0, 0))
        m.add(body("a", (0, 0, 0), rotation=sr.rotation_about((1, 2, 3), 0.8), **options))
        return m.add(sr.Distance("D", "ground", "a", at_a=(0, 1, 0), at_b=(0, 0, 0))) and m

    said = text(on_a_rod(velocity=velocity), formulation)
    found = [float(x) for x in re.search(r"there it is \((.*?)\)", said)[1].split(",")]
    assert found == pytest.approx([velocity[0], 0.0, velocity[2]], abs=1e-5)
    s = on_a_rod(velocity=found).compile(formulation)
    assert s.bodies(s.q0, s.v0)["a"].velocity == pytest.approx(found, abs=1e-9)
    left = on_a_rod().compile(formulation)
    assert left.v0 == pytest.approx(np.zeros(6))
