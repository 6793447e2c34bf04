"""Users' Python functions, about which nothing is known: pulses as long as an output interval are not stepped over."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate import ALL_INTEGRATORS
from sharnir.simulate.user_function_steps import user_functions


def slider(**drive):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=10, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", **drive))
    return m


def pulse(q, v, t):
    return 100.0 if 5.0 < t < 5.05 else 0.0


@pytest.mark.parametrize("integrator", [name for name, kind in ALL_INTEGRATORS.items() if kind.adaptive and kind.order > 1])
def test_pulses_of_a_function_of_time(integrator):
    """5 N s on 10 kg; outputs every 0.04 s."""
    result = slider(torque=pulse).simulate(20, integrator=integrator)
    assert result["P.v"][-1] == pytest.approx(0.5, rel=2e-4)
    assert np.abs(result["P.q"]).max() == pytest.approx(result["P.q"][-1])


def test_every_place_for_a_function():
    def zone(t, r, R, v, w, force, torque):
        if 0.5 < r[0, 0] < 0.52:
            force[0, 0] = 50.0

    m = slider(v=1.0)
    m.add(sr.UserForce("U", ["b"], zone))
    result = m.simulate(2.0, output=0.01)
    assert result["P.v"][-1] == pytest.approx(np.sqrt(1.0 + 2.0 * 50.0 * 0.02 / 10.0), rel=1e-4)
    m = slider()
    m.add(sr.Function("u", lambda t: 100.0 if 5.0 < t < 5.05 else 0.0, ["t"]), sr.JointForce("F", "P", "u"))
    assert m.simulate(20)["P.v"][-1] == pytest.approx(0.5, rel=2e-4)


def test_many_runs_and_steps_by_another_program():
    m = slider(torque=pulse)
    assert sr.simulate_many(m, 20, q=[[0.0], [1.0]])["P.v"][:, -1] == pytest.approx([0.5, 0.5], rel=2e-4)
    run = m.stepper()
    for k in range(400):  # every communication step is looked into
        run.step(0.05 * (k + 1))
    assert run["P.v"] == pytest.approx(0.5, rel=2e-4)


def test_the_run_says_how_far_it_looks():
    m = slider(torque=pulse)
    assert "Python functions and curves seen every 0.04 s, shorter pulses may be missed" in str(m.simulate(20).trust)
    assert "Python functions" not in str(m.simulate(20, max_step=0.01).trust)
    fixed = m.simulate(20, integrator="rk4", step=0.01).trust
    assert "Python functions" not in str(fixed) and "fixed steps: errors not estimated" in str(fixed)
    assert "Python functions" not in str(slider(torque="-q").simulate(20).trust)


def test_what_is_known_is_not_limited():
    """Formulas, tables and what is sampled are no unknown functions; max_step is the user's own word."""
    m = slider(torque="-q")
    m.add(sr.Sampled("s", lambda t, q: q, inputs=["P.q"], period=0.5))
    assert user_functions(m.compile()) == []
    free = slider(torque=lambda q, v, t: 0.0)
    assert len(user_functions(free.compile())) == 1
    assert free.simulate(20).stats["steps"] > 100
    assert free.simulate(20, max_step=20.0).stats["steps"] < 50
