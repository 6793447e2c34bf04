"""Prescribed motions whose speed jumps are refused before the run; SetMotion makes the impact."""

import warnings

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, ModelWarning
from sharnir.simulate.motion_jumps import first_jump


def swing(motion=None, *elements, **settings):
    """A cart on a rail with a pendulum below it."""
    m = sr.Model(gravity=(0, 0, 0), parameters={"a": 0.5}, **settings)
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x", motion=motion))
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1)))
    m.add(sr.Revolute("O", "cart", "bob", axis="y", at=(0, 0, 0)), *elements)
    return m


JUMPS = {
    "max(0, t - a)": 0.5,
    "min(t, 0.25)": 0.25,
    "if(t < 0.5, 0, t - 0.5)": 0.5,
    "abs(t - 0.5)": 0.5,
    "step(t - 0.7)*(t - 0.7)": 0.7,
    "floor(4*t)": 0.25,
    "sign(t - 0.6)*(t - 0.6)": 0.6,
    "0.1*(t > 0.3)": 0.3,
    "abs(sin(4*t))": np.pi / 4,
    "max(0, t^2 - 0.25)": 0.5,
    "t - 0.2*floor(t/0.2)": 0.2,
    ("0.5*t", "0.5 + (t > 0.8)", "0"): 0.8,
    sr.Table((0, 0.2, 0.4, 0.6), (0, 0.1, 0.3, 0.6), "cubic"): 0.6,
    sr.Table((0.1, 0.2, 0.4, 2), (0, 0.1, 0.3, 0.6), "cubic"): 0.1,
}


@pytest.mark.parametrize(("motion", "t"), JUMPS.items(), ids=str)
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_jumps_are_refused_with_their_time(motion, t, formulation):
    with pytest.raises(ModelError, match=rf"Prismatic 'rail': motion.*jumps from .* at t = {t:.6g}, .*SetMotion"):
        swing(motion).simulate(1.0, formulation=formulation)
    assert swing(motion).simulate(0.9 * t).stats["t_reached"] == 0.9 * t  # it does not come so far


def test_a_kink_is_no_jump_of_the_position():
    with pytest.raises(ModelError, match=r"its speed jumps from -4 to 4 at t = 0\.785398"):
        swing("abs(sin(4*t))").simulate(1.0)


@pytest.mark.parametrize(
    "motion",
    [
        "if(t < 0.5, t^2, t - 0.25)",
        "max(0, t - 0.5)^2",
        "abs(t - 0.5)^3",
        "step(t - 0.5)*(1 - cos(t - 0.5))",
        "0.3",
        "min(t, 5)",
        sr.Table((0, 0.3, 0.6), (0, 0.1, 0.3), "cubic", "extend"),
        sr.Table((0, 0.1, 0.2, 0.3, 0.4), (0, 1, 0, -1, 0), "cubic", "repeat"),
        sr.Table((0, 0.2, 0.4, 1.0), (0, 0.1, 0.3, 0.6), "cubic"),
    ],
    ids=str,
)
def test_smooth_motions_run(motion):
    swing(motion).simulate(1.0, output=0.5)


def test_random_pieces():
    """x = a + b (t - c) before c, and another slope behind: found whenever the slopes differ."""
    rng, m = np.random.default_rng(3), sr.Model()
    for _ in range(200):
        c, a, b = rng.uniform(0.1, 0.9), *rng.normal(size=2)
        change = rng.choice([0.0, 1e-6, 1e-3, 1.0, -30.0])
        before, after = f"{a} + {b}*(t - {c})", f"{a} + {b + change}*(t - {c})"
        forms = (
            f"if(t < {c}, {before}, {after})",
            f"{before} + {change}*max(0, t - {c})",
            f"{before} + 0.5*{change}*abs(t - {c})",
        )
        found = first_jump(str(rng.choice(forms)), m, 1.0)
        assert (found is not None) == (change != 0.0)
        assert found is None or found.t == pytest.approx(c, rel=1e-12)


def test_other_things_that_follow_time():
    for element in (
        sr.Distance("c", "ground", "cart", at_a=(-2, 0, 0), length="2 + max(0, t - 0.5)"),
        sr.Constraint("c", "rail.q - max(0, t - 0.5)"),
        sr.Constraint("c", "rail.v - (t > 0.5)"),
    ):
        with pytest.raises(ModelError, match=f"{type(element).__name__} 'c'.*jumps from .* at t = 0.5"):
            swing(None, element).simulate(1.0)
    with pytest.raises(ModelError, match=r"base_motion: x.*jumps from 0 to 1 at t = 0.5"):
        swing(base_motion={"x": "max(0, t - 0.5)"}).simulate(1.0)


def test_all_ways_of_running_look():
    with pytest.raises(ModelError, match="jumps"):
        sr.simulate_many(swing("abs(t - 0.5)"), 1.0, q=[[0.0], [0.1]])
    run = swing("abs(t - 0.5)").stepper()
    run.step(0.4)
    with pytest.raises(ModelError, match="jumps"):
        run.step(0.6)


def test_where_all_motion_is_prescribed_nothing_needs_an_impulse():
    m = sr.Model()
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x", motion="max(0, t - 0.5)"))
    assert m.simulate(1.0)["rail.q"][-1] == 0.5


def test_events_that_may_end_the_motion_make_it_a_warning():
    with pytest.warns(ModelWarning, match="jumps from 0 to 1 at t = 0.5"):
        swing("max(0, t - 0.5)", sr.Event("free", at=0.4, actions=sr.Unlock("rail"))).simulate(1.0)


def test_set_motion_makes_the_impact():
    """The bob keeps its momentum along x but for the pin: ω (J + m l²) = m l v."""
    start = sr.Event("start", at=0.5, actions=sr.SetMotion("rail", "q0 + (t - t0)"))
    for formulation in ("joint", "absolute"):
        r = swing("0*t", start).simulate(1.0, formulation=formulation, output=0.25)
        assert r["O.v"][-1] == pytest.approx(1 / 1.1, rel=1e-6)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("motion", ["abs(sin(4*t))", "max(0, 4*t)", "if(t > 0, 4*t, 0)", "4*sqrt(t^2)"])
def test_a_kink_at_the_start_is_none(motion, formulation):
    """A run begins behind it: with the speed that follows, and what hangs on the driven body moves with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = swing(motion).simulate(0.1, formulation=formulation)
    smooth = swing("sin(4*t)" if "sin" in motion else "4*t").simulate(0.1)
    assert result["rail.v"][0] == pytest.approx(4.0)
    for channel in ("rail.q", "O.q", "O.v"):
        assert result[channel] == pytest.approx(smooth[channel], abs=1e-7)


def test_a_ground_and_a_length_with_a_kink_at_the_start():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Prismatic("P", "ground", "b", axis="x"))
    m.add(sr.Distance("D", "ground", "b", length="1 + abs(sin(4*t))"))
    assert m.simulate(0.1)["P.v"][0] == pytest.approx(4.0)
    m = sr.Model(gravity=(0, 0, 0), base_motion=sr.BaseMotion(x="abs(sin(4*t))"))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x"))
    result = m.simulate(0.1)
    assert result["P.v"] == pytest.approx(4.0 - 4.0 * np.cos(4.0 * result.t), abs=1e-7)
