"""Ensembles: every run of many equals the same run alone."""

import numpy as np
import pytest

import sharnir as sr
import zoo


def arm(name="arm", damping=0.0, hand=1.0):
    m = sr.Model(name)
    m.add(sr.Body("upper", mass=1, inertia=(0.1, 0.1, 0.02), com=(0, 0, -0.3)))
    m.add(sr.Body("hand", mass=hand, inertia=(0.05, 0.04, 0.02), com=(0.05, 0, -0.1), position=(0, 0, -0.6)))
    m.add(sr.Revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis="y", q=0.4, damping=damping))
    m.add(sr.Ball("wrist", "upper", "hand", v=(0.3, -0.2, 1.0)))
    return m


def speeds(count, n, seed=0):
    return np.random.default_rng(seed).normal(size=(count, n))


@pytest.mark.parametrize("integrator", ["rk4", "dopri5"])
def test_runs_equal_single_runs(integrator):
    m, v = arm(), speeds(11, 4)
    runs = sr.simulate_many(m, 0.5, v=v, step=0.01, integrator=integrator)
    assert len(runs) == 11 and runs.q.shape == (11, 51, 5)
    for i in (0, 7, 10):
        alone = arm()
        alone._joints["shoulder"] = sr.Revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis="y", q=0.4, v=v[i, 0])
        alone._joints["wrist"] = sr.Ball("wrist", "upper", "hand", v=v[i, 1:])
        expected = alone.simulate(0.5, step=0.01, integrator=integrator)
        assert runs[i]["wrist.q"] == pytest.approx(expected["wrist.q"], abs=1e-12)
        assert runs[i]["hand.position"] == pytest.approx(expected["hand.position"], abs=1e-12)
        assert runs["shoulder.q"][i] == pytest.approx(expected["shoulder.q"], abs=1e-12)


@pytest.mark.parametrize("integrator", ["rk4", "dop853"])
def test_threads_do_not_matter(integrator):
    v = speeds(19, 4)
    one, two = (sr.simulate_many(arm(), 0.2, v=v, step=0.02, integrator=integrator, threads=k) for k in (1, 2))
    assert (one.q == two.q).all() and (one.v == two.v).all()


def test_models_with_other_parameters():
    models = [arm(f"arm {k}", damping=0.1 * k, hand=1.0 + k) for k in range(3)]
    runs = sr.simulate_many(models, 0.3, step=0.05)
    for m, run in zip(models, runs, strict=True):
        assert (run["wrist.q"] == m.simulate(0.3, step=0.05)["wrist.q"]).all()
        assert run.title == m.name


def test_forces_that_do_not_vectorize_still_run_with_rk4():
    m = zoo.random_tree(3, count=3)
    m.add(sr.Spring("s", "ground", "b2", stiffness=30.0, length=0.1))
    system = m.compile(method="articulated")
    assert not system.vectorizes
    runs = sr.simulate_many(m, 0.05, v=speeds(3, system.n_v), step=0.01, integrator="rk4")
    assert np.isfinite(runs.q).all()


def test_one_failed_run_does_not_spoil_the_others():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("bead", mass=1), sr.Prismatic("wire", "ground", "bead", axis="x", torque="v*v*v"))  # speed explodes at 1/(2 v²)
    runs = sr.simulate_many(m, 1.0, v=[[0.1], [1.0], [0.2]], step=0.1)
    assert list(runs.failures) == [1] and "0.5" in runs.failures[1]
    assert np.isfinite(runs.q[[0, 2]]).all() and np.isnan(runs.q[1, -1]).all()
    assert not runs[1].complete and len(runs[1].t) < 11 and runs[0].complete
    speeds = runs["wire.v"]  # by channel, too: not-a-number where there is nothing
    assert speeds.shape == (3, 11) and np.isnan(speeds[1, -1]) and np.isfinite(speeds[0]).all()


def test_quaternions_are_put_to_unit_length():
    q = np.tile([0.4, 2.0, 0.0, 0.0, 0.0], (3, 1))
    runs = sr.simulate_many(arm(), 0.1, q=q, step=0.05)
    assert np.linalg.norm(runs.q[:, :, 1:], axis=2) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"v": np.zeros((3, 2))}, "columns"),
        ({"q": np.zeros((2, 5)), "v": np.zeros((3, 4))}, "do not fit"),
        ({"integrator": "rk4"}, "step="),
    ],
)
def test_clear_errors(options, message):
    with pytest.raises(sr.ModelError, match=message):
        sr.simulate_many(arm(), 0.1, **options)


def test_models_of_other_structure_are_refused():
    with pytest.raises(sr.ModelError, match="has coordinates other than those of"):
        sr.simulate_many([arm(), zoo.random_tree(1, count=2)], 0.1)


def test_one_bad_state_does_not_spoil_its_lanes():
    v = speeds(9, 4)
    v[3, 0] = np.nan
    runs = sr.simulate_many(arm(), 0.1, v=v, step=0.01, integrator="rk4")
    assert list(runs.failures) == [3]
    assert np.isfinite(np.delete(runs.q, 3, axis=0)).all()
    v[3, 0] = 0.0
    assert np.delete(sr.simulate_many(arm(), 0.1, v=v, step=0.01, integrator="rk4").q, 3, 0) == pytest.approx(
        np.delete(runs.q, 3, 0), abs=1e-13
    )


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_states_off_the_loops_start_from_the_nearest_ones(formulation):
    """As `stats` says; states on the loops are not touched."""
    m = slider_crank()
    system = m.compile(formulation)
    near = sr.simulate_many(m, 0.01, q=system.q0 + np.array([[0.0], [1e-3]]), formulation=formulation, step=0.01)
    assert 0.0 < near.stats["start_correction"] < 3e-3
    assert np.abs(near.q[0, 0] - system.q0).max() < 1e-12
    assert np.abs(system.constraints(near.q[1, 0])).max() < 1e-12
    q, v = system.assemble(sr.Initial(q={"O": 0.5}, v={"O": 2.0}))
    exact = sr.simulate_many(m, 0.01, q=q, v=v, formulation=formulation, step=0.01)
    assert exact.stats["start_correction"] < 1e-12
    assert exact["O.q"][0, 0] == pytest.approx(0.5, abs=1e-12)


def slider_crank():
    m = sr.Model("slider-crank")
    places = {"crank": (0, 0, 0), "rod": (0.6, 0, 0.8), "slider": (2.1, 0, 0)}
    m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1), position=p) for name, p in places.items()))
    m.add(
        sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y"), sr.Revolute("A", "crank", "rod", at=(0.6, 0, 0.8), axis="y")
    )
    m.add(sr.Revolute("B", "rod", "slider", at=(2.1, 0, 0), axis="y"), sr.Prismatic("S", "ground", "slider", axis="x"))
    return m


def loop_with_parameters():
    """A slider-crank with a spring, whose lengths and masses are parameters."""
    m = sr.Model("slider-crank", parameters={"l": 0.35, "r": 0.1, "k": 50.0, "m1": 1.0})
    m.add(sr.Body("crank", mass="m1", inertia=("m1*r^2/12",) * 3, position=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass="2*m1", inertia=("m1*l^2/6",) * 3, position=("r + l/2", 0, 0)))
    m.add(sr.Body("piston", mass=0.5, inertia=(1e-3,) * 3, position=("r + l", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=10))
    m.add(sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "piston", at=("r + l", 0, 0), axis="y"))
    m.add(sr.Prismatic("C", "ground", "piston", at=("r + l", 0, 0), axis="x", torque="if(q > -0.01, -k*q, -2*k*q)"))
    return m


@pytest.mark.parametrize("integrator", ["auto", "dopri5", "abm", "bdf", "radau5", "generalized-alpha"])
def test_runs_in_one_memory_equal_runs_of_their_own(integrator):
    """What a run leaves behind, such as weights, Jacobians or sides of switches, does not reach the next one."""
    m, l = loop_with_parameters(), [0.33, 0.34, 0.36, 0.37, 0.38, 0.39]
    settings = {"step": 0.02, "integrator": integrator, "tolerance": 1e-6, "threads": 1}
    m.parameters["k"] = 60.0
    runs = sr.simulate_many(m, 0.2, parameters={"l": l}, **settings)
    assert not runs.failures
    assert len({float(q[-1, 0]) for q in runs.q}) == len(l)
    for i, value in enumerate(l):
        alone = sr.simulate_many(m.with_parameters(l=value), 0.2, **settings)
        assert (runs.q[i] == alone.q[0]).all()
        assert (runs.v[i] == alone.v[0]).all()
        assert runs[i].stats["steps"] == alone[0].stats["steps"]
        assert runs[i].stats["energy_residual"] == alone[0].stats["energy_residual"]
    states = sr.simulate_many(m, 0.2, v=runs.v[[0, 0], 0] * [[1.0], [0.5]], **settings)
    again = sr.simulate_many(m, 0.2, v=runs.v[[0, 0], 0] * [[0.5], [1.0]], **settings)
    assert (states.q == again.q[::-1]).all()
