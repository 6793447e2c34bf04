"""What is said when a mechanism cannot be assembled: the element, the least gap, the nearest value, the drives."""

import math
import re

import numpy as np
import pytest

import sharnir as sr

BOTH = ("joint", "absolute")
CRANK, COUPLER, ROCKER, BASE = math.hypot(0.3, 0.4), math.hypot(1.2, 0.2), math.hypot(0.2, 0.6), 1.3


def four_bar(**options: dict) -> sr.Model:
    """Hinges O, A, B, C about y; options per joint."""
    m = sr.Model("four-bar")
    m.add(sr.Body("crank", mass=1, shape=sr.Rod((0, 0, 0), (0.3, 0, 0.4))))
    m.add(sr.Body("coupler", mass=2, shape=sr.Rod((0, 0, 0), (1.2, 0, 0.2)), position=(0.3, 0, 0.4)))
    m.add(sr.Body("rocker", mass=1, shape=sr.Rod((0, 0, 0), (0.2, 0, 0.6)), position=(BASE, 0, 0)))
    places = {"O": ("ground", "crank", (0, 0, 0)), "A": ("crank", "coupler", (0.3, 0, 0.4))}
    places |= {"B": ("coupler", "rocker", (1.5, 0, 0.6)), "C": ("ground", "rocker", (BASE, 0, 0))}
    for name, (a, b, at) in places.items():
        m.add(sr.Revolute(name, a, b, at=at, axis="y", **options.get(name, {})))
    return m


def chain(far: float, bend: float = 0.0) -> sr.Model:
    """Two links of 1 m from the origin to a pin at `far`, drawn straight, or bent by an angle that is not kept."""
    m = sr.Model("chain")
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Revolute("A", "ground", "a", axis="y", parent_frame=sr.Frame()))
    turned = sr.Frame((1, 0, 0), sr.rotation_about("y", bend))
    m.add(sr.Revolute("B", "a", "b", axis="y", parent_frame=turned))
    ends = {"parent_frame": sr.Frame((far, 0, 0)), "child_frame": sr.Frame((1, 0, 0))}
    m.add(sr.Revolute("C", "ground", "b", axis="y", **ends))
    return m


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize(("far", "bend"), [(2.1, 0.0), (3.0, 0.0), (5.0, 0.0), (3.0, 0.7), (5.0, -1.5)])
def test_the_gap_that_is_told_is_the_least_one(formulation: str, far: float, bend: float) -> None:
    with pytest.raises(sr.ModelError, match=r"joint '.' cannot be closed") as raised:
        chain(far, bend).compile(formulation)
    gap = float(re.search(r"gap of (\S+) m", str(raised.value))[1])
    assert gap == pytest.approx(far - 2.0, rel=0.006)


@pytest.mark.parametrize("formulation", BOTH)
def test_the_nearest_value_is_told(formulation: str) -> None:
    """The rocker ends where crank and coupler are stretched: law of cosines in the triangle of the two centres."""
    end = math.asin(((CRANK + COUPLER) ** 2 - BASE**2 - ROCKER**2) / (2 * BASE * ROCKER)) - math.atan2(0.2, 0.6)
    with pytest.raises(sr.ModelError, match=r"C\.q = 0\.5 cannot be reached: the nearest value is") as raised:
        four_bar().compile(formulation, initial=sr.Initial(q={"C": 0.5}))
    assert float(re.search(r"the nearest value is (\S+);", str(raised.value))[1]) == pytest.approx(end, abs=1e-4)
    four_bar().compile(formulation, initial=sr.Initial(q={"C": 0.99 * end}))


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("given", [{"q": {"O.v": 1.0}}, {"guess": {"O.v": 1.0}}, {"v": {"O.q": 1.0}}])
def test_a_name_with_the_wrong_letter_is_refused(formulation: str, given: dict) -> None:
    field, (name, right) = next(iter(given)), ("O.q", "O.v") if "v" in given else ("O.v", "O.q")
    with pytest.raises(sr.ModelError, match=rf"{field} has '{re.escape(name)}', a .*; write '{re.escape(right)}'"):
        four_bar().compile(formulation, initial=sr.Initial(**given))


@pytest.mark.parametrize("formulation", BOTH)
def test_drives_that_contradict_each_other_are_named(formulation: str) -> None:
    model = four_bar(O={"motion": "t"}, C={"motion": "0.3*t"})
    for run in (
        lambda: model.simulate(1.0, formulation=formulation),
        lambda: model.kinematics([0, 0.1], formulation=formulation),
    ):
        with pytest.raises(sr.ModelError, match=r"motions that 'O' and 'C' prescribe contradict each other"):
            run()
    with pytest.raises(sr.ModelError, match=r"cannot be closed.*what 'O' and 'C' prescribe at t = 0"):
        four_bar(O={"motion": "0.2 + t"}, C={"motion": "0.3"}).compile(formulation)


def test_only_drives_of_the_same_mechanism_are_named() -> None:
    m = four_bar(O={"motion": "t"}, C={"motion": "0.3*t"})
    m.add(sr.Body("fan", mass=1, inertia=(1, 1, 1)), sr.Revolute("axle", "ground", "fan", axis="z", motion="9*t"))
    with pytest.raises(sr.ModelError) as raised:
        m.compile()
    assert "axle" not in str(raised.value)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_dead_point_names_the_drive(formulation: str) -> None:
    m = sr.Model("stretched")
    m.add(
        *(sr.Body(name, mass=1, inertia=(1, 1, 1), position=(x, 0, 0)) for name, x in (("crank", 0), ("rod", 1), ("slider", 3)))
    )
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y"), sr.Revolute("A", "crank", "rod", at=(1, 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "slider", at=(3, 0, 0), axis="y"))
    m.add(sr.Prismatic("S", "ground", "slider", axis="x", motion="-t"))
    with pytest.raises(sr.ModelError, match=r"what 'S' prescribes cannot be followed from this position.*dead point"):
        m.compile(formulation)


def test_a_zero_is_printed_as_zero() -> None:
    """Crank and slide stand still in the dead point, up to rounding; the wish contradicts."""
    m = sr.Model("tilted")
    turn = sr.rotation_about("y", 0.7)
    R = np.array(sr.Frame((0, 0, 0), turn).rotation_matrix)
    m.add(*(sr.Body(n, mass=1, inertia=(1, 1, 1), position=R @ (x, 0, 0)) for n, x in (("crank", 0), ("rod", 1), ("slider", 3))))
    m.add(
        sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y"), sr.Revolute("A", "crank", "rod", at=R @ (1, 0, 0), axis="y")
    )
    m.add(sr.Revolute("B", "rod", "slider", at=R @ (3, 0, 0), axis="y"), sr.Prismatic("S", "ground", "slider", axis=R[:, 0]))
    with pytest.raises(sr.ModelError, match=r"S\.v = 1 contradicts the constraints: there it is 0;"):
        m.compile(initial=sr.Initial(v={"S": 1.0}))
