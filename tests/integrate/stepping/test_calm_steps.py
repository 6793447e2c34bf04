"""Steps whose stages stay far from all switches are not searched; those that come near to one are."""

import numpy as np
import pytest

import sharnir as sr

ONE_STEP = ["dop853", "dopri5", "rkf45"]


def driven(force, **joint):
    m = sr.Model("driven", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=2.0, inertia=(1, 1, 1)))
    m.add(sr.Prismatic("P", "ground", "b", axis="x", stiffness=8.0, **joint))
    m.add(sr.Signal("u", "5*sin(3*t) - 2*P.q - P.v"), sr.JointForce("f", "P", force))
    return m


@pytest.mark.parametrize("integrator", ONE_STEP)
@pytest.mark.parametrize("output", [0.01, 5.0])
def test_a_saturation_that_is_never_reached_costs_nothing(integrator, output):
    plain, held = (driven(force).simulate(20.0, output=output, integrator=integrator) for force in ("u", "max(-40, min(40, u))"))
    assert held["P.q"].tolist() == plain["P.q"].tolist()
    assert held.stats["evaluations"] <= plain.stats["evaluations"] + 4  # those of the first search


@pytest.mark.parametrize("integrator", [*ONE_STEP, "rk4", "abm", "radau5"])
@pytest.mark.parametrize("level", [1.0, 3.0, 4.5])
def test_a_saturation_that_is_reached_is_found(integrator, level):
    """After calm steps, and after calm steps that end at a break in time behind which the switch is on its other side."""
    for force in (f"max(-{level}, min({level}, u*(t > 1)))", f"max(-{level}, min({level}, u + 20*(t > 2)))"):
        step = {"step": 2e-3} if integrator == "rk4" else {"tolerance": 1e-9}
        r = driven(force, v=0.1).simulate(5.0, output=0.5, integrator=integrator, **step)
        exact = driven(force, v=0.1).simulate(5.0, output=0.5, tolerance=1e-12, max_step=0.01)
        assert np.abs(r["P.q"] - exact["P.q"]).max() < (1e-6 if integrator == "rk4" else 1e-7)


@pytest.mark.parametrize("integrator", ONE_STEP)
def test_dips_between_two_stages_are_found(integrator):
    """A tent of the place that the motion passes anywhere in a long step: its work is its area."""
    rng, found, exact = np.random.default_rng(3), [], []
    for _ in range(40):
        at, width = float(rng.uniform(1.0, 9.0)), float(10.0 ** rng.uniform(-3, 0.5))
        m = sr.Model("tent", gravity=(0, 0, 0))
        m.add(sr.Body("b", mass=2.0, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=1.0))
        m.add(sr.JointForce("f", "P", f"max(0, 1 - abs(q - {at})/{width})"))
        r = m.simulate(14.0, output=7.0, integrator=integrator)
        inside = width - 0.5 * max(0.0, width - at) ** 2 / width
        found.append(float(r["P.v"][-1]))
        exact.append(np.sqrt(1.0 + inside))
    # the kink of abs() costs the low orders up to 2e-5; a tent that is missed would be 5e-4
    assert np.abs(np.array(found) - exact).max() < 1e-4
