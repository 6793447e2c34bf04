"""A run that cannot go on says which element stopped it."""

import math

import pytest

import sharnir as sr
from sharnir.integrate import Solution
from sharnir.simulate.failure import whereabouts

BOTH = ("joint", "absolute")


def bead(*constraints: object) -> sr.Model:
    """A body at (0, 0, 1)."""
    m = sr.Model("bead")
    m.add(sr.Body("bead", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)), *constraints)
    return m


@pytest.mark.parametrize("formulation", BOTH)
def test_two_rods_that_become_straight_are_named(formulation: str) -> None:
    """Both are 1 m long at t = 2, and their ends 2 m apart."""
    rods = [
        sr.Distance(name, "ground", "bead", at_a=(x, 0, 0), length="1.5 - 0.25*t") for name, x in (("left", -1), ("right", 1))
    ]
    with pytest.raises(sr.SimulationError, match=r"after t = 2: .*there 'left' and 'right' constrain the same motion") as raised:
        bead(*rods).simulate(3.0, formulation=formulation)
    assert raised.value.result.t[-1] < 2.0


@pytest.mark.parametrize("formulation", BOTH)
def test_a_formula_that_ceases_to_be_a_number_is_named(formulation: str) -> None:
    with pytest.raises(sr.SimulationError, match=r"after t = 1: .*Constraint 'f': formula = '.*' is not a number where .*t = 1"):
        bead(sr.Constraint("f", "bead.x + 1 - sqrt(1 - t)")).simulate(2.0, formulation=formulation)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_drive_beyond_reach_is_named(formulation: str) -> None:
    """A slider that is pulled off the reach of crank and rod."""
    m = sr.Model("reach")
    places = {"crank": (0, 0, 0), "rod": (0.6, 0, 0.8), "slider": (1.2, 0, 0)}
    m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1), position=p) for name, p in places.items()))
    m.add(
        sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y"), sr.Revolute("A", "crank", "rod", at=(0.6, 0, 0.8), axis="y")
    )
    m.add(
        sr.Revolute("B", "rod", "slider", at=(1.2, 0, 0), axis="y"), sr.Prismatic("S", "ground", "slider", axis="x", motion="t")
    )
    with pytest.raises(sr.SimulationError, match=r"at t = 0\.8.* s 'S' leads where the mechanism cannot follow"):
        m.simulate(1.0, step=0.01, formulation=formulation)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_force_that_ceases_to_be_a_number_is_named(formulation: str) -> None:
    def car(torque: object = 0.0) -> sr.Model:
        m = sr.Model("car", gravity=(0, 0, 0))
        m.add(sr.Body("car", mass=1, inertia=(1, 1, 1)))
        m.add(sr.Prismatic("road", "ground", "car", axis="x", q=1.0, v=-1.0, torque=torque))
        m.add(sr.JointForce("fine", "road", "-0.1*v"))
        return m

    pushed = car()
    pushed.add(sr.JointForce("push", "road", "sqrt(1 - t)"))
    with pytest.raises(sr.SimulationError, match=r"after t = 1; JointForce 'push': its force is not a number at t = 1"):
        pushed.simulate(3.0, formulation=formulation)
    with pytest.raises(sr.SimulationError, match=r"at t = 0; .*Prismatic 'road': its force is not a number at t = 0"):
        car("sqrt(-q)").simulate(3.0, formulation=formulation)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_motion_that_ceases_to_be_a_number_is_named(formulation: str) -> None:
    m = sr.Model("arm")
    m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1), position=(x, 0, 0)) for name, x in (("a", 0), ("b", 1))))
    m.add(sr.Revolute("A", "ground", "a", axis="y", motion="sqrt(1 - t)"), sr.Revolute("B", "a", "b", at=(1, 0, 0), axis="y"))
    with pytest.raises(sr.SimulationError, match=r"after t = 1: .*joint 'A': the motion is nan at t = 1"):
        m.simulate(3.0, formulation=formulation)


def test_other_failures_are_left_as_they_are() -> None:
    m = sr.Model("blow-up", gravity=(0, 0, 0))
    m.add(sr.Body("car", mass=1), sr.Prismatic("road", "ground", "car", axis="x", q=1.0, v=1.0))
    m.add(sr.JointForce("push", "road", "2*q^3"))  # q = 1/(1 - t)
    with pytest.raises(sr.SimulationError, match=r"after t = 1") as raised:
        m.simulate(2.0)
    assert "there" not in str(raised.value) and "push" not in str(raised.value)


def test_leaving_a_strict_table_names_the_element():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "b", axis="x", v=1.0))
    m.add(sr.JointForce("brake", "rail", sr.Table((0.0, 0.5), (0.0, -0.1), outside="error")))
    with pytest.raises(sr.SimulationError, match=r"JointForce 'brake'.*outside the range of its Table") as info:
        m.simulate(2.0)
    assert 0.0 < info.value.result.t[-1] < 0.7


def test_axes_that_become_dependent_are_named():
    """Three slides, of which one is turned into the plane of the others while the carried body flies straight on."""
    m = sr.Model("slides", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)))
    freedoms = (
        sr.Freedom("translation", "x"),
        sr.Freedom("translation", "y"),
        sr.Freedom("rotation", "x"),
        sr.Freedom("translation", "z"),
    )
    m.add(sr.FreedomSequence("j", "ground", "b", freedoms=freedoms, v=(0.0, 0.0, 1.0, 1.0)))
    with pytest.raises(sr.SimulationError, match=r"by then j.v.* m/s: the axes of joint 'j' become dependent.*other axes"):
        m.simulate(3.0)
    with pytest.warns(sr.RunWarning, match=r"lost 0\.5 J .* between t = 1\.5"):  # at 90°; 0.5 J turn about x
        m.simulate(3.0, formulation="absolute")


@pytest.mark.parametrize(("t", "speed"), [(1.0, math.inf), (math.nan, 5e6)])
def test_nothing_is_said_of_a_last_state_that_is_not_a_number(t: float, speed: float) -> None:
    s = bead().compile()
    end = s.y0.copy()
    end[s.n_q] = speed
    assert whereabouts(s, Solution(s.y0[:0], s.y0[:0], "stalled", "", {"t_reached": t}, end=end)) == ""


def test_a_free_joint_from_the_far_side_holds_no_force():
    m = sr.Model()
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Free("f", "b", "ground", v=(1, 0, 0, 0, 0, 0)))
    s = m.compile()
    end = s.y0.copy()
    end[s.n_q] = 1e6
    assert "1e+06" in whereabouts(s, Solution(s.y0[:0], s.y0[:0], "stalled", "", {"t_reached": 1.0}, end=end))
