"""Runs with other values of parameters: one, many, with initial states, with events, from the command line."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import sharnir as sr
from sharnir.app.cli import app
from sharnir.errors import ModelError


def pendulum(l=0.5, k=2.0):
    m = sr.Model("pendulum", gravity=(0, 0, "-g"), parameters={"g": 9.81, "k": k})
    l = m.parameter("l", l, unit="m", range=(0.1, 2))
    m.add(sr.Body("bob", mass=1, position=(l, 0, 0), inertia=(0.1, "l^2/12", 0.1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", q="0.2*l", torque="-k*v*l"))
    return m


def bouncing(l=0.5):
    """A ball that falls from the height l and bounces."""
    m = sr.Model("ball")
    l = m.parameter("l", l)
    m.add(sr.Body("ball", mass="2*l"), sr.Prismatic("z", "ground", "ball", axis="z", q=l))
    m.add(sr.Event("floor", "z.q < 0", sr.Rebound(sr.JointCoordinate("z"), "l")))
    return m


def test_simulate_takes_values():
    m = pendulum()
    a = m.simulate(1.0, step=0.1, parameters={"l": 0.8, "k": 1.0})
    b = pendulum(0.8, 1.0).simulate(1.0, step=0.1)
    assert np.array_equal(a["O.q"], b["O.q"])
    assert m == pendulum()
    with pytest.raises(ModelError, match="simulate: 'll' is not a parameter"):
        m.simulate(1.0, parameters={"ll": 1.0})
    with pytest.raises(ModelError, match="outside its range"):
        m.simulate(1.0, parameters={"l": 3.0})


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_systems_take_values(formulation):
    a = pendulum().compile(formulation).with_parameters(l=0.8)
    b = pendulum(0.8).compile(formulation)
    assert np.array_equal(a.y0, b.y0)
    assert np.array_equal(a.accelerations(a.q0, a.v0), b.accelerations(b.q0, b.v0))
    assert a.formulation == formulation
    again = a.with_parameters(k=5.0, l=0.5)
    c = pendulum(0.5, 5.0).compile(formulation)
    v = np.full(c.n_v, 0.3)
    assert np.array_equal(again.accelerations(c.q0, v), c.accelerations(c.q0, v))


@pytest.mark.parametrize("integrator", ["auto", "rk4"])
def test_many_runs_take_values_and_states_together(integrator):
    lengths, q = [0.3, 0.5, 0.7, 0.9], [[0.1], [0.2], [0.3], [0.4]]
    runs = sr.simulate_many(pendulum(), 1.0, q=q, step=0.05, integrator=integrator, parameters={"l": lengths, "k": 1.5})
    assert len(runs) == 4
    for i, length in enumerate(lengths):
        m = pendulum(length, 1.5)
        alone = sr.simulate_many(m, 1.0, q=[q[i]], step=0.05, integrator=integrator)
        assert runs["O.q"][i] == pytest.approx(alone["O.q"][0], abs=1e-14)


def test_many_runs_with_events():
    lengths = [0.3, 0.5, 0.7]
    runs = sr.simulate_many(bouncing(), 0.4, step=0.05, parameters={"l": lengths})
    for i, length in enumerate(lengths):
        alone = bouncing(length).simulate(0.4, step=0.05)
        assert runs["z.q"][i] == pytest.approx(alone["z.q"], abs=1e-13)
        times = [event["t"] for event in alone.events]
        assert len(times) >= 1
        assert [event["t"] for event in runs[i].events] == pytest.approx(times, abs=1e-13)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"l": [0.3, 0.4], "k": [1.0, 2.0, 3.0]}, r"parameters\['l'\] has the shape \(2,\)"),
        ({"x1": 1.0}, "'x1' is not a parameter"),
        ({"l": [0.3, 5.0]}, "outside its range"),
        ([0.3], "values by name"),
    ],
)
def test_values_that_do_not_fit(parameters, words):
    with pytest.raises(ModelError, match=words):
        sr.simulate_many(pendulum(), 1.0, step=0.1, parameters=parameters)
    with pytest.raises(ModelError, match="for one model"):
        sr.simulate_many([pendulum(), pendulum()], 1.0, step=0.1, parameters={"l": 0.3})
    with pytest.raises(ModelError, match="do not fit together"):
        sr.simulate_many(pendulum(), 1.0, q=[[0.1], [0.2]], step=0.1, parameters={"l": [0.3, 0.4, 0.5]})


def test_initial_conditions_are_formulas():
    m = pendulum()
    system = m.compile(initial=sr.Initial(q={"O": "2*l"}))
    assert system.q0 == pytest.approx([1.0])
    for length in (0.6, 0.7, 0.8):
        assert system.with_parameters(l=length).q0 == pytest.approx([2 * length])
    assert m.simulate(0.1, step=0.1, initial=sr.Initial(q={"O": "2*l"}), parameters={"l": 0.3})["O.q"][0] == pytest.approx(0.6)


def test_command_line(tmp_path):
    path, table = tmp_path / "pendulum.toml", tmp_path / "motion.csv"
    pendulum().save(path, {"t_end": 0.5, "step": 0.1})
    run = CliRunner().invoke(app, ["run", str(path), "--set", "l=0.8", "--set", "k=1", "-o", str(table)])
    assert run.exit_code == 0, run.output
    rows = np.genfromtxt(table, delimiter=",", names=True)
    expected = pendulum(0.8, 1.0).simulate(0.5, step=0.1)["O.q"]
    assert rows[next(name for name in rows.dtype.names if name.startswith("Oq"))] == pytest.approx(expected, rel=1e-9)
    wrong = CliRunner().invoke(app, ["run", str(path), "--set", "l=5"])
    assert wrong.exit_code == 1
    assert CliRunner().invoke(app, ["run", str(path), "--set", "l"]).exit_code == 2
    assert CliRunner().invoke(app, ["check", str(path), "--set", "l=0.8"]).exit_code == 0
    assert CliRunner().invoke(app, ["check", str(path), "--set", "length=0.8"]).exit_code == 1
    assert CliRunner().invoke(app, ["equations", str(path), "--set", "l=0.8"]).exit_code == 0
