"""Many systems with values of their own: their numbers, computed together, are those of systems that are built one by one."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError
from sharnir.kernel.mode import PLAIN

RUNS = 20  # enough for a table


def tree(**more):
    """Links with every kind of number that is a formula: masses, centres, moments, points, initial values, dampers, gravity."""
    m = sr.Model("tree", gravity=(0, "g/9", "-g"), parameters={"g": 9.81, "l": 0.4, "rho": 3.0, "q0": 0.3, "w": -1.5, **more})
    for k in range(4):
        before = f"b{k - 1}" if k else "ground"
        moments = ("rho*l^3/12", "rho*l^3/11", "rho*l^3/10", "rho*l^3/200", 0, 0)
        m.add(sr.Body(f"b{k}", mass="rho*l + 0.1", com=("l/9", 0.01, 0), inertia=moments, position=(f"{k + 0.5}*l", 0, 0.02)))
        kind = (sr.Revolute, sr.Prismatic, sr.Cylindrical, sr.Universal)[k]
        axis = {"axis": "yzxx"[k]} | ({"axis2": "z"} if k == 3 else {})
        start = {"q": "q0", "v": "w"} if k < 2 else {"q": ("q0", 0.1), "v": (0, "w")}
        m.add(kind(f"j{k}", before, f"b{k}", at=(f"{k}*l", 0, 0), damping="rho/100", stiffness="g", **axis, **start))
    m.add(sr.Body("box", mass="rho", shape=sr.Box((0.1, 0.2, 0.3)), position=("-l", 0, 0)), sr.Free("fly", "ground", "box"))
    return m


def springs():
    """Elements that are made by their constructors: a spring between points that move with a parameter."""
    m = tree(k=30.0)
    m.add(sr.Spring("s", "ground", "b1", at_a=(0, 0, "l"), at_b=("1.5*l", 0, 0), stiffness="k", damping="rho/7", length="l/3"))
    return m


def slider_crank():
    m = sr.Model("slider-crank", parameters={"r": 0.1, "l": 0.35, "w": 10.0, "m1": 1.0})
    m.add(sr.Body("crank", mass="m1", inertia=("m1*r^2/12",) * 3, position=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass="2*m1", inertia=("m1*l^2/6",) * 3, position=("r + l/2", 0, 0)))
    m.add(sr.Body("piston", mass=0.5, inertia=(1e-3,) * 3, position=("r + l", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v="w"))
    m.add(sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "piston", at=("r + l", 0, 0), axis="y"))
    m.add(sr.Prismatic("C", "ground", "piston", at=("r + l", 0, 0), axis="x"))
    return m


def ball():
    """Events; the parameter that changes is an initial height, which the program of signals knows too."""
    m = sr.Model("ball", parameters={"h": 1.0, "e": 0.8})
    m.add(sr.Body("ball", mass=1), sr.Prismatic("P", "ground", "ball", axis="z", q="h"))
    m.add(sr.Signal("height", "P.q/h"))
    m.add(sr.Event("bounce", when="P.q", direction="falling", actions=[sr.Rebound("P", "e")]))
    return m


CASES = {"tree": (tree, ("l", "rho", "q0", "w", "g")), "springs": (springs, ("l", "k")), "loop": (slider_crank, ("l", "r", "w"))}
CASES["ball"] = (ball, ("h",))


def rows_of(m, names, seed=0):
    rng = np.random.default_rng(seed)
    return [{name: m.parameters[name] * rng.uniform(0.7, 1.3) for name in names} for _ in range(RUNS)]


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_systems_that_are_built(case):
    m, names = CASES[case][0](), CASES[case][1]
    system = m.compile()
    rows = rows_of(m, names)
    systems = system.with_many_parameters(rows)
    assert system.origin.many  # a table was used
    for row, other in zip(rows, systems, strict=True):
        built = m.with_parameters(**row).compile()
        assert np.array_equal(other.params, built.params)
        assert np.array_equal(other.pristine.values, built.pristine.values)
        assert np.array_equal(other.y0, built.y0)
        assert np.array_equal(other.accelerations(other.q0, other.v0), built.accelerations(built.q0, built.v0))
        assert other.model == built.model
        assert other.energy(other.q0, other.v0).total == built.energy(built.q0, built.v0).total


@pytest.mark.skipif(PLAIN, reason="formulas are compiled")
@pytest.mark.parametrize("mass", ["sqrt(l)*abs(sin(c)) + cos(l)/c + max(c, l)*if(l > c, 1, 2)", "exp(l) + l^-2.5 + l^3"])
def test_formulas_are_one_function_of_machine_code(mass):
    """Where it rounds otherwise than Python does, Python evaluates them; the systems are the same."""
    m = tree(c=0.5)
    m.add(sr.Body("odd", mass=mass, inertia=(1, 1, 1)), sr.Prismatic("slide", "b0", "odd", axis="x"))
    system, rows = m.compile(), rows_of(m, ("l", "c"))
    systems = system.with_many_parameters(rows)
    formulas, all_of_them = system.origin.many.formulas, [dict(m.parameters) | row for row in rows]
    by_python, by_code = np.array([formulas.python(row) for row in all_of_them]), formulas._by_code(all_of_them)
    assert by_code == pytest.approx(by_python, rel=1e-15)
    assert formulas.compiled == np.array_equal(by_code, by_python)
    for row, other in zip(rows, systems, strict=True):
        assert np.array_equal(other.params, m.with_parameters(**row).compile().params)


def test_wrong_values_among_many_give_the_usual_errors():
    m = tree()
    system = m.compile()
    rows = rows_of(m, ("l", "rho"))
    system.with_many_parameters(rows)
    assert system.origin.many
    with pytest.raises(ModelError, match=r"Body 'b0': mass = .* must not be negative"):
        system.with_many_parameters([*rows, {"rho": -5.0}, *rows])
    with pytest.raises(ModelError, match=r"stiffness = -9\.0 must not be negative"):
        system.with_many_parameters([*rows, {"g": -9.0}])
    for wrong in (None, {"rho": 2.0}, "rho"):
        with pytest.raises(ModelError, match="must be a list of values by name"):
            system.with_many_parameters(wrong)
    with pytest.raises(ModelError, match=r"parameters\['rho'\] has the shape \(0,\)"):
        sr.simulate_many(m, 0.1, parameters={"rho": []})


def test_numbers_that_turn_at_a_threshold_are_noticed():
    """A damper that vanishes beyond the values that were looked at is another structure."""
    m = sr.Model(parameters={"d": 0.5})
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("A", "ground", "a", axis="x", damping="max(d, 0)", v=1))
    system = m.compile()
    values = [0.5 + 0.01 * k for k in range(RUNS)]
    system.with_many_parameters([{"d": d} for d in values])
    assert system.origin.many
    for d, other in zip((-1.0, 0.7), system.with_many_parameters([{"d": -1.0}, {"d": 0.7}]), strict=True):
        assert other.accelerations([0.0], [1.0]) == -max(d, 0.0)


@pytest.mark.parametrize("case", CASES)
def test_runs_with_values_of_their_own(case):
    m, names = CASES[case][0](), CASES[case][1]
    rows = rows_of(m, names, 3)
    columns = {name: [row[name] for row in rows] for name in names}
    many = sr.simulate_many(m, 0.7, step=0.05, parameters=columns)
    for i in (0, 7, RUNS - 1):
        alone = m.simulate(0.7, step=0.05, parameters=rows[i])
        assert np.array_equal(many.q[i], np.array([alone[name] for name in many.coordinates]).T)
        assert many[i].energy.total == pytest.approx(alone.energy.total, abs=1e-12)
        assert [event["t"] for event in many[i].events] == [event["t"] for event in alone.events]


def test_parameters_and_initial_states_together():
    m = slider_crank()
    rows = rows_of(m, ("l",))
    q = np.tile(m.compile().q0, (RUNS, 1))
    v = np.outer(np.linspace(0.5, 1.5, RUNS), m.compile().v0)
    many = sr.simulate_many(m, 0.2, step=0.05, q=q, v=v, parameters={"l": [row["l"] for row in rows]})
    i = 13
    other = m.with_parameters(l=rows[i]["l"]).compile()
    one = sr.simulate_many(other.model, 0.2, step=0.05, q=q[i], v=v[i])
    assert many.q[i] == pytest.approx(one.q[0], abs=1e-12)
