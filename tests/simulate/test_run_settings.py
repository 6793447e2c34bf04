"""Settings of a run: refused with the setting and its value; `max_step` bounds the steps."""

import pytest

import sharnir as sr


def block(**options):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "b", axis="x", **options))
    return m


def test_a_short_pulse_is_met_with_a_bound_on_the_step():
    m = block(torque="if((t > 5)*(t < 5.01), 100, 0)")
    assert m.simulate(10.0, max_step=0.002, tolerance=1e-6)["rail.v"][-1] == pytest.approx(1.0, abs=1e-3)


def test_max_step_must_be_positive():
    with pytest.raises(sr.ModelError, match="max_step = -1"):
        block().simulate(1.0, max_step=-1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_end": "long"}, "t_end = 'long' must be a number"),
        ({"t_end": 1.0, "step": None, "tolerance": "x"}, "tolerance = 'x' must be a number"),
        ({"t_end": 1.0, "step": 1e-12}, "asks for 1e"),
        ({"t_end": 1.0, "output": [[0.5]]}, "must increase"),
    ],
)
def test_settings_of_a_run_are_checked(options, message):
    with pytest.raises(sr.ModelError, match=message):
        block().simulate(**options)
