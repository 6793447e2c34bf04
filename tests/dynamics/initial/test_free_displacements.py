"""Conditions on single displacements, or on the rotation, of a Free joint."""

import numpy as np
import pytest

import sharnir as sr

BOTH = ("joint", "absolute")
TURN = sr.rotation_about((1, 2, 3), 0.8)


def buoy() -> sr.Model:
    """A turned body on a Free joint with turned frames, tied by a rope that is off its origin, and spinning."""
    m = sr.Model("buoy")
    body = sr.Body("buoy", mass=2, inertia=(0.2, 0.3, 0.4), com=(0.1, 0, 0))
    frame = sr.Frame((0.2, 0.1, 1), sr.rotation_about("z", 0.6))
    free = sr.Free("f", "ground", "buoy", parent_frame=frame, q=(0.1, 0, 0, *TURN), v=(0, 0.1, 0, 1, 2, 3))
    m.add(body, free)
    m.add(sr.Distance("rope", "ground", "buoy", at_a=(0, 0, 0), at_b=(0.3, 0.2, 1), length=0.9))
    return m


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("wanted", [{"f.x": 0.3}, {"f.q.y": -0.2}, {"f.x": 0.3, "f.z": -0.1}])
def test_single_displacements_are_kept(formulation: str, wanted: dict) -> None:
    system = buoy().compile(formulation, initial=sr.Initial(q=wanted))
    drawn = np.array([0.2, 0.1, 1.0])
    axes = np.array(sr.Frame((0, 0, 0), sr.rotation_about("z", 0.6)).rotation_matrix)
    place = axes.T @ (system.bodies(system.q0, system.v0)["buoy"].position - drawn)
    for name, value in wanted.items():
        assert place["xyz".index(name[-1])] == pytest.approx(value, abs=1e-12)
    assert np.abs(system.constraints(system.q0)).max() < 1e-12
    result = buoy().simulate(0.01, formulation=formulation, initial=sr.Initial(q=wanted))
    for name, value in wanted.items():
        assert result["f.q"][0, "xyz".index(name[-1])] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("formulation", BOTH)
def test_the_rotation_is_kept_as_a_whole(formulation: str) -> None:
    four = np.array((0.5, -0.5, 0.5, 0.5))
    result = buoy().simulate(0.01, formulation=formulation, initial=sr.Initial(q={"f.rotation": 2.0 * four, "f.x": 0.3}))
    assert np.abs(result["f.q"][0, 3:] @ four) == pytest.approx(1.0, abs=1e-12)
    assert result["f.q"][0, 0] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_free_joint_that_is_cut(formulation: str) -> None:
    """It measures one body from another; both hang on hinges, and a rod ties them."""
    m = sr.Model("pair")
    m.add(
        sr.Body("a", mass=1, inertia=(1, 1, 1), position=(0, 0, -1)), sr.Body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, -1))
    )
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"), sr.Revolute("B", "ground", "b", at=(1, 0, 0), axis="y"))
    m.add(sr.Free("gap", "a", "b", at=(1, 0, -1)))
    result = m.simulate(0.01, formulation=formulation, initial=sr.Initial(q={"gap.z": 0.2}))
    assert result["gap.q"][0, 2] == pytest.approx(0.2, abs=1e-12)
    turn = result["A.q"][0]
    apart = result["b.position"][0] - result["a.position"][0]
    along = np.array([-np.sin(-turn), 0.0, np.cos(turn)])  # the z axis of a
    assert apart @ along == pytest.approx(0.2, abs=1e-12)


def test_what_cannot_be_given_is_said() -> None:
    with pytest.raises(sr.ModelError, match=r"'f\.rx': a rotation can only be given as a whole.* 'f\.rotation' = \(w, x, y, z\)"):
        buoy().compile(initial=sr.Initial(q={"f.rx": 0.1}))
    with pytest.raises(sr.ModelError, match=r"'f\.rotation' = \(1, 0, 0\) needs 4 finite numbers"):
        buoy().compile(initial=sr.Initial(q={"f.rotation": (1, 0, 0)}))
    with pytest.raises(sr.ModelError, match=r"v has 'f\.rotation'"):
        buoy().compile(initial=sr.Initial(v={"f.rotation": (1, 0, 0, 0)}))
    with pytest.raises(sr.ModelError, match=r"f\.q\.x = 9 contradicts|cannot be"):
        buoy().compile(initial=sr.Initial(q={"f.x": 9.0}))
