"""What is easily got wrong in a model: colours, places given twice, names given twice, masses without inertia."""

from __future__ import annotations

import pytest

import sharnir as sr
from sharnir.model.forces.force_element import ForceElement


@pytest.mark.parametrize("color", ["steelblue", "SteelBlue", "#4682b4", "#abc", "rgb(70, 130, 180)", (0.1, 0.2, 0.3)])
def test_colours(color: str) -> None:
    assert sr.Body("b", mass=1, color=color).color == color


@pytest.mark.parametrize("color", ["stelblue", "#12", "#46 82b4", "rgb(", "my favourite"])
def test_unknown_colours_are_refused(color: str) -> None:
    with pytest.raises(sr.ModelError, match=r"Body 'b': color = .* is not a colour"):
        sr.Body("b", mass=1, color=color)
    with pytest.raises(sr.ModelError, match="did you mean 'tomato'"):
        sr.Sphere(1, color="tomatoe")


def test_channels_of_joints_and_forces_of_one_name_are_apart() -> None:
    """A joint and a force may have the same name, since no force reports what a joint does."""
    of_joints = {"q", "v", "a", "drive", "reaction", "reaction_local"}
    for force in ForceElement.family.own():
        declared = force.outputs if isinstance(force.outputs, tuple) else ()  # of others they depend on the bodies
        assert not of_joints & {key for key, _, _ in declared}, force
        assert not of_joints & force.freedom_outputs.keys(), force
    m = sr.Model()
    m.add(sr.Body("b", mass=1, position=(1, 0, 0)), sr.Revolute("pin", "ground", "b", at=(0, 0, 0), axis="y"))
    m.add(sr.Spring("pin", "ground", "b", at_a=(0, 0, 1), stiffness=10))
    assert {"pin.q", "pin.force", "pin.length"} <= {*m.simulate(0.1, step=0.1).channels}


def test_a_lone_point_mass_is_told_what_to_give_and_flies_so() -> None:
    m = sr.Model()
    m.add(sr.Body("stone", mass=2))
    with pytest.raises(sr.ModelError, match=r"'stone' is a point mass, .* a FreedomSequence of three Translations"):
        m.compile()
    m.add(sr.FreedomSequence("flight", "ground", "stone", freedoms=[sr.Translation(axis) for axis in "xyz"], v=(1, 0, 2)))
    system = m.compile()
    assert system.n_v == 3
    assert system.accelerations(system.q0, system.v0).tolist() == [0.0, 0.0, -9.81]


def test_pages_have_the_ending_of_pages(tmp_path) -> None:
    result = sr.Result(
        [0.0, 1.0], [sr.Channel("b.position", [[0.0, 0.0, 0.0]] * 2, "m"), sr.Channel("b.rotation", [[1.0, 0, 0, 0]] * 2)]
    )
    with pytest.raises(sr.ModelError, match=r"neither a page nor a video; .*\.html, \.htm for a page, or \.mp4, \.webm, \.gif"):
        result.animate(tmp_path / "motion.avi")
    assert not [*tmp_path.iterdir()]
