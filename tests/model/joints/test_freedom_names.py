"""Freedoms of joints by their names in forces: the same as by their numbers, and refused with the names that there are."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError


def plate(*forces):
    m = sr.Model("plate", gravity=(0, 0, 0))
    m.add(sr.Body("plate", mass=2, inertia=(1, 1, 1)), sr.Planar("P", "ground", "plate", axis="z", v=(0.3, 1.0, 0.5)))
    m.add(*forces)
    return m


def forces(x, y, angle):
    return (
        sr.JointForce("drive", "P", "cos(3*t)", freedom=x),
        sr.TorsionSpring("spring", "P", stiffness=4.0, freedom=angle),
        sr.JointLimit("stop", "P", -0.3, 0.2, law=sr.LinearLaw(1e3, 5.0), restitution=0.5, freedom=y),
    )


def test_names_are_numbers(tmp_path):
    named, numbered = plate(*forces("x", "y", "angle")), plate(*forces(0, 1, 2))
    assert named == numbered
    assert [named.forces[name].freedom for name in ("drive", "stop", "spring")] == [0, 1, 2]
    r = named.simulate(2.0, output=0.1)
    assert r["P.q"][:, 1].max() < 0.3
    np.testing.assert_array_equal(r["P.q"], numbered.simulate(2.0, output=0.1)["P.q"])
    path = tmp_path / "plate.toml"
    named.save(path)
    path.write_text(path.read_text().replace("freedom = 1", 'freedom = "y"'))
    assert 'freedom = "y"' in path.read_text()
    assert sr.Model.load(path) == named


def test_what_is_added_is_what_is_stored():
    m = plate()
    stop = m.add(sr.JointForce("drive", "P", 1.0, freedom="y"))
    assert stop is m.forces["drive"]
    assert stop.freedom == 1


@pytest.mark.parametrize("freedom", ["z", 3])
def test_unknown_names_are_refused_with_those_that_there_are(freedom):
    for force in forces(freedom, freedom, freedom):
        with pytest.raises(ModelError, match=r"does not exist; Planar 'P' has: 0 \(x\), 1 \(y\), 2 \(angle\)"):
            plate(force)


@pytest.mark.parametrize("freedom", ["", 1.5, True, -1, 6])
def test_what_is_no_freedom_is_refused(freedom):
    with pytest.raises(ModelError, match="must be a number 0 … 5, or a name"):
        sr.JointForce("drive", "P", 1.0, freedom=freedom)
