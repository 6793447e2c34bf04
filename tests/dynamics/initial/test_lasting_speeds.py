"""Speeds at singular starts: of all that satisfy the equations, those that a motion has; energy is kept from there on."""

import numpy as np
import pytest

import sharnir as sr

INERTIA = (0.01, 0.1, 0.1)


def parallelogram(speeds, gravity=0.0, coupler=1.0, turn=(1.0, 0.0, 0.0, 0.0)):
    """A parallelogram of cranks of 1 m and a coupler of 2 m, all in line, drawn anywhere in space."""
    R = np.array(sr.Frame((0, 0, 0), turn).rotation_matrix)

    def at(x):
        return tuple(R @ (x, 0.0, 0.0))

    m, axis = sr.Model("parallelogram", gravity=tuple(R @ (0, 0, -gravity))), tuple(R[:, 1])
    v = {name: speeds.get(name, 0.0) for name in "ABCD"}
    for name, mass, x in (("a", 1.0, 0.5), ("k", coupler, 2.0), ("b", 1.0, 2.5)):
        m.add(sr.Body(name, mass=mass, inertia=INERTIA, position=at(x), rotation=turn))
    for name, ends, x in (("A", ("ground", "a"), 0), ("B", ("a", "k"), 1), ("C", ("k", "b"), 3), ("D", ("ground", "b"), 2)):
        m.add(sr.Revolute(name, *ends, at=at(x), axis=axis, v=v[name]))
    return m


TURNS = ((1.0, 0.0, 0.0, 0.0), sr.rotation_about((1, 2, 3), 0.8))


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("coupler", [1.0, 5.0])
def test_a_parallelogram_in_line_starts_on_a_branch_and_keeps_its_energy(formulation, coupler, turn):
    result = parallelogram({"A": 1.0}, coupler=coupler, turn=turn).simulate(5.0, formulation=formulation)
    start = [result[f"{name}.v"][0] for name in "ABCD"]
    ratio = start[3]
    assert start[0] == pytest.approx(1.0) and (ratio == pytest.approx(1.0) or ratio == pytest.approx(-3.0) or ratio < 0)
    kinetic = result["energy.kinetic"]
    assert np.ptp(kinetic) < 1e-5 * kinetic.max()  # without gravity it turns for ever


def test_speeds_of_both_branches_are_kept():
    for speeds in ({"A": 1.0, "D": 1.0}, {"A": 1.0, "D": -3.0}):
        s = parallelogram(speeds).compile()
        v = dict(zip(s.speeds, s.v0, strict=True))
        assert v["A.v"] == pytest.approx(1.0)
        result = parallelogram(speeds).simulate(0.5)
        assert result.stats["energy_residual"] < 1e-6


def test_speeds_that_no_motion_has_are_refused():
    with pytest.raises(
        sr.ModelError, match=r"singular position \(a dead point of .*no motion through it has the speeds .*A\.v, D\.v"
    ):
        parallelogram({"A": 1.0, "D": -1.0}).compile()


def test_regular_positions_are_left_alone():
    m = sr.Model("four-bar")
    m.add(
        sr.Body("a", mass=1, inertia=INERTIA, position=(0, 0, 0.5)),
        sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", v=2.0),
    )
    m.add(sr.Body("k", mass=1, inertia=INERTIA, position=(1, 0, 1)), sr.Revolute("B", "a", "k", at=(0, 0, 1), axis="y"))
    m.add(sr.Body("b", mass=1, inertia=INERTIA, position=(2, 0, 0.5)), sr.Revolute("C", "k", "b", at=(2, 0, 1), axis="y"))
    m.add(sr.Revolute("D", "ground", "b", at=(2, 0, 0), axis="y"))
    s = m.compile()
    assert s.v0 == pytest.approx([2.0, -2.0, 2.0])
