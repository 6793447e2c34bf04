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
        sr.RunWarning,
        match=r"joint 'z' passes its limits: z\.q is below -1 from t = 0\.45\d s on, farthest at t = 1 s with -4\.905 m; .*Limit",
    ) as told:
        result = falling((-1, 0)).simulate(1.0)
    assert len(told) == 1 and not result.trust.good and "JointLimit" in result.report()


def test_freedoms_of_a_joint_are_told_apart():
    m = sr.Model("plane", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Planar("p", "ground", "b", axis="z", v=(0, 3, 0), limits=((-1, 1), (-1, 1), None)))
    with pytest.warns(sr.RunWarning, match=r"p\.q\.y is above 1 from t = 0\.333 s on, farthest at t = 1 s with 3 m"):
        m.simulate(1.0)


def test_a_start_outside_is_told():
    m = sr.Model("start", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1), sr.Prismatic("z", "ground", "b", axis="z", q=2, limits=(-1, 1)))
    with pytest.warns(sr.RunWarning, match=r"z\.q is above 1 from the start, farthest at t = 0 s with 2 m"):
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
