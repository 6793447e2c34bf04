"""Steps whose stages stay far from all switches are not searched; those that come near to one are."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate import ALL_INTEGRATORS
from sharnir.integrate.run import Run
from sharnir.integrate.stepping.run_memory import STALE
from sharnir.kernel import PLAIN

ONE_STEP = ["dop853", "dopri5", "rkf45"]
ACCURATE = [*ONE_STEP, "abm", "radau5"]
OTHERS = ["abm", "bdf", "radau5", "generalized-alpha", "park"]


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


@pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")
@pytest.mark.parametrize("integrator", ONE_STEP)
def test_derived_code_tells_how_near_its_switches_came(integrator):
    plain, held = (
        driven(force).simulate(20.0, output=5.0, integrator=integrator, method="symbolic")
        for force in ("u", "max(-40, min(40, u))")
    )
    assert np.abs(held["P.q"] - plain["P.q"]).max() < 1e-12
    assert held.stats["evaluations"] <= plain.stats["evaluations"] + 4


def gentle(limit, integrator):
    """A run on its way of a controller with a saturation, and whether its last step was searched."""
    m = sr.Model("gentle", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=2.0, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", stiffness=8.0, q=1.0))
    m.add(sr.Signal("u", "-2*P.q - 0.1*P.v"), sr.JointForce("f", "P", f"max(-{limit}, min({limit}, u))"))
    system = m.compile()
    problem = system.problem()
    return Run(problem, system.y0, [0.0, 10.0], ALL_INTEGRATORS[integrator]())


@pytest.mark.parametrize("integrator", OTHERS)
def test_steps_of_other_methods_are_searched_only_near_a_saturation(integrator):
    """By the mark that values of event functions at the end of the last step are not known."""
    found = {}
    for limit in (40.0, 0.01):
        run, calm = gentle(limit, integrator), []
        while not run.done:
            run.advance(10)
            calm.append(run._counter[STALE])
        found[limit] = float(np.mean(calm[20:]))
    assert found[40.0] > 0.9
    assert found[0.01] < 0.98


@pytest.mark.parametrize("integrator", [*ONE_STEP, "rk4", *OTHERS])
@pytest.mark.parametrize("method", ["auto", "symbolic"])
def test_teeth_as_far_apart_as_steps_are_long_are_found(integrator, method):
    """Narrow teeth that a motion with steady speed passes: samples at equal distances could all fall between them."""
    if method == "symbolic" and PLAIN:
        pytest.skip("machine code of one's own is not plain Python")
    pitch, end = 0.0125, 1.0
    m = sr.Model("teeth", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=2.0, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=1.0, q=0.4 * pitch))
    m.add(sr.JointForce("f", "P", f"max(0, cos({2 * np.pi / pitch}*q) - 0.99)"))
    step = {"step": pitch} if integrator == "rk4" else {"tolerance": 1e-8}
    r = m.simulate(end, output=end, integrator=integrator, method=method, **step)
    half = np.arccos(0.99)
    tooth = (np.sin(half) - 0.99 * half) * pitch / np.pi  # work of one
    passed = round((r["P.q"][-1] - 0.4 * pitch) / pitch)
    assert 0.5 * 2.0 * (r["P.v"][-1] ** 2 - 1.0) == pytest.approx(passed * tooth, rel=0.03)


@pytest.mark.parametrize("integrator", [*ONE_STEP, "rk4", *OTHERS])
@pytest.mark.parametrize("level", [1.0, 3.0, 4.5])
def test_a_saturation_that_is_reached_is_found(integrator, level):
    """After calm steps, and after calm steps that end at a break in time behind which the switch is on its other side."""
    for force in (f"max(-{level}, min({level}, u*(t > 1)))", f"max(-{level}, min({level}, u + 20*(t > 2)))"):
        step = {"step": 2e-3} if integrator == "rk4" else {"tolerance": 1e-9 if integrator in ACCURATE else 1e-10}
        r = driven(force, v=0.1).simulate(5.0, output=0.5, integrator=integrator, **step)
        exact = driven(force, v=0.1).simulate(5.0, output=0.5, tolerance=1e-12, max_step=0.01)
        assert np.abs(r["P.q"] - exact["P.q"]).max() < (1e-7 if integrator in ACCURATE else 1e-6)


@pytest.mark.parametrize("integrator", [*ONE_STEP, *OTHERS])
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
