"""Joints that leave their limits without stops are named, once; with stops, or within them, nothing is said."""

import warnings

import pytest

import sharnir as sr


def falling(limits, *more):
    m = sr.Model("fall")
    m.add(sr.Body("b", mass=1), sr.Prismatic("z", "ground", "b", axis="z", limits=limits), *more)
    return m


def test_the_farthest_point_outside_is_told():
    with pytest.warns(
        sr.RunWarning, match=r"joint 'z' passes its limits: z\.q = -4\.905 m at t = 1 s, below -1; .*JointLimit"
    ) as told:
        result = falling((-1, 0)).simulate(1.0)
    assert len(told) == 1 and not result.trust.good and "JointLimit" in result.report()


def test_freedoms_of_a_joint_are_told_apart():
    m = sr.Model("plane", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Planar("p", "ground", "b", axis="z", v=(0, 3, 0), limits=((-1, 1), (-1, 1), None)))
    with pytest.warns(sr.RunWarning, match=r"p\.q\.y = 3 m at t = 1 s, above 1"):
        m.simulate(1.0)


@pytest.mark.parametrize(
    "model",
    [
        falling((-6, 0)),
        falling((-1, 0), sr.JointLimit("stop", "z", -1, 0, law=sr.HuntCrossley(1e5, 0.5))),
    ],
)
def test_silence_within_limits_and_with_stops(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.simulate(1.0)
