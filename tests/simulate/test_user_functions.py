"""Users' own Python functions: compiled into the loop, or slow with a warning; what they raise arrives."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.kernel.user import SlowFunctionWarning


def slider(torque, **options):
    m = sr.Model("slider", gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1), sr.Prismatic("rail", "ground", "cart", axis="x", torque=torque, **options))
    return m


def spring(q, v, t):
    return -9.0 * q


def drag(t, r, R, v, w, force, torque):
    for k in range(3):
        force[0, k] = -0.5 * v[0, k]


NAMES = {"drag": 0.5}


def slow_drag(t, r, R, v, w, force, torque):
    coefficient = next(value for name, value in sorted(NAMES.items(), key=lambda item: str(item)))  # nothing for a compiler
    force[0] = -coefficient * v[0]


def thrown(function):
    m = sr.Model("thrown")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1), velocity=(3, 0, 4)), sr.UserForce("air", "ball", function))
    return m


def test_compiled_functions():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        r = slider(spring, q=1.0).simulate(1.0, step=0.1, tolerance=1e-11)
        ball = thrown(drag).simulate(1.0, step=0.1, tolerance=1e-11)
    assert r["rail.q"] == pytest.approx(np.cos(3 * r.t), abs=1e-9)
    assert ball["ball.velocity"][:, 0] == pytest.approx(3 * np.exp(-0.5 * ball.t), rel=1e-9)
    assert ball["air.force"][:, 0] == pytest.approx(-0.5 * ball["ball.velocity"][:, 0], rel=1e-12)


def test_slow_fallback_warns_and_agrees():
    with pytest.warns(SlowFunctionWarning, match="'air'.*slow"):
        slow = thrown(slow_drag).simulate(1.0, step=0.1)
    fast = thrown(drag).simulate(1.0, step=0.1)
    assert slow["ball.position"] == pytest.approx(fast["ball.position"], abs=1e-12)

    def table(q, v, t):
        return json.loads("-9.0") * q

    with pytest.warns(SlowFunctionWarning, match="'rail'"):
        r = slider(table, q=1.0).simulate(1.0, step=0.1)
    assert r["rail.q"] == pytest.approx(np.cos(3 * r.t), abs=1e-6)


def late(q, v, t):
    if t > 0.4:
        raise ValueError("too late")
    return 1.0


def slow_late(q, v, t):
    if t > 0.4:
        raise ValueError(json.dumps("too late"))
    return 1.0


def late_force(t, r, R, v, w, force, torque):
    if t > 0.4:
        raise ValueError("too late")
    force[0, 0] = 1.0


def out_of_bounds(t, r, R, v, w, force, torque):
    k = 0 if t < 0.4 else 3
    force[k, 0] = 1.0


@pytest.mark.filterwarnings("ignore::sharnir.kernel.user.SlowFunctionWarning")
@pytest.mark.parametrize(
    ("model", "error"),
    [
        (slider(late), ValueError),
        (slider(slow_late), ValueError),
        (thrown(late_force), ValueError),
        (thrown(out_of_bounds), IndexError),
    ],
    ids=["compiled", "slow", "force", "index"],
)
def test_exceptions_arrive(model, error, capfd):
    """Compiled or not, what a user's function raises stops the run and is the cause of the error."""
    with pytest.raises(sr.SimulationError, match="the function raised") as caught:
        model.simulate(1.0, step=0.05)
    assert isinstance(caught.value.__cause__, error)
    assert caught.value.result.t[-1] == pytest.approx(0.4, abs=0.051)
    assert "Exception ignored" not in capfd.readouterr().err
    with pytest.raises(sr.SimulationError):  # and again: nothing remembers the first time
        model.simulate(1.0, step=0.05)
    assert model.simulate(0.3).complete


@pytest.mark.filterwarnings("ignore::sharnir.kernel.user.SlowFunctionWarning")
def test_exception_at_the_start_is_told_before_the_run():
    def never(q, v, t):
        raise ValueError("never")

    with pytest.raises(sr.ModelError, match="never"):
        slider(never).simulate(1.0)


def test_function_of_energy_only():
    """Potential energy asks functions at states that the motion never has; what they raise there is no failure."""

    def friction(q, v, t):
        if v == 0.0:
            raise ZeroDivisionError("no direction")
        return -0.1 * v / abs(v)

    r = slider(friction, v=1.0).simulate(1.0, step=0.1)
    assert r["rail.v"] == pytest.approx(1 - 0.1 * r.t, abs=1e-8)


def test_threads_and_functions():
    """Two runs of one model in two threads do not meet."""
    from concurrent.futures import ThreadPoolExecutor

    m = zoo.model("forces")
    alone = m.simulate(0.2, step=0.05)["b5.position"]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: m.simulate(0.2, step=0.05)["b5.position"], range(2)))
    for other in found:
        assert (other == alone).all()
