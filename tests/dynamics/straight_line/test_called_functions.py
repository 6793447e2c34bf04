"""Users' functions and tables of several variables that derived code calls: against the engine, formulas and differences."""

import ctypes
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.straight_line.called_functions import grid_function
from sharnir.kernel import PLAIN
from sharnir.kernel.storage.cache import cache_folder

from .test_signals import GRIDS, arms, compare, same_run

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


def law(q, v, t):
    return math.sin(t) - 3.0 * q - v * abs(v)


def hand(name, place, **given):
    """A body on the second arm, and its joint."""
    return [
        sr.Body(name, mass=1, inertia=(0.1, 0.2, 0.2), position=place),
        sr.Revolute(f"{name} joint", "b", name, at=place, axis="z", **given),
    ]


TRIPLE = (lambda t: math.sin(t), lambda t: math.cos(t), lambda t: -math.sin(t))
ELEMENTS = {
    "forces along freedoms": [
        sr.JointForce("f", "A", law),
        sr.Motor("motor", "B", torque=lambda v, t: (5.0 - 2.0 * v * abs(v)) * math.cos(t)),
        *hand("c", (2, 0, 0), torque=law),
    ],
    "forces on bodies": [
        sr.Spring("spring", "ground", "b", at_a=(0, 2, 0), stiffness=3, force=lambda x, v, t: x**3 - v + t),
        sr.Force("push", "b", (lambda t: t, 0, lambda t: math.cos(t))),
        sr.Drag("drag", "a", area=0.1, coefficient=lambda x, h: 1.0 + 0.1 * x * x + h, density=lambda h: math.exp(-h)),
    ],
    "motions": [*hand("c", (2, 0, 0), motion=lambda t: 0.3 * math.sin(3.0 * t)), *hand("d", (1, 1, 0), motion=TRIPLE)],
}


@pytest.mark.parametrize("kind", ELEMENTS)
def test_users_functions(kind):
    m = arms()
    m.add(*ELEMENTS[kind])
    compare(m)


def test_motion_of_the_base_and_a_joint_that_is_cut():
    m = arms(loop=True, base=sr.BaseMotion(x=lambda t: 0.3 * math.sin(3.0 * t), rz="0.2*t"))
    m.add(sr.JointForce("f", "D", law))
    compare(m)


def test_runs_of_functions_and_tables():
    """Also with knots at which steps end, and by an integrator that wants a Jacobian."""
    m = arms()
    m.add(sr.Function("f", lambda x, y: math.sin(x) * y, ["A.q", "B.v"]), sr.Lookup("u", ["A.q", "f"], GRIDS["linear"]))
    m.add(sr.JointForce("servo", "A", "3*u"), sr.JointForce("other", "B", law))
    _, b = same_run(m, 0.5, ("A.q", "B.q", "u"))
    assert b.stats["engine_evaluations"] == 0
    same_run(m, 0.2, ("A.q", "B.q"), integrator="radau5")


def test_a_function_that_the_interpreter_calls():
    known = {"k": 3.0}
    m = arms()
    m.add(sr.JointForce("f", "A", lambda q, v, t: -known["k"] * q * len(f"{v:.1e}")))
    with pytest.warns(sr.SlowFunctionWarning):
        compare(m)


def test_what_a_function_raises_is_told():
    def law_of_a_while(q, v, t):
        if t > 0.1:
            raise ValueError("too late")
        return -q

    m = arms()
    m.add(sr.JointForce("f", "A", law_of_a_while))
    with pytest.raises(sr.SimulationError, match=r"JointForce 'f': the function raised ValueError\('too late'\)"):
        m.simulate(0.3, method="symbolic")


def test_trials_leave_no_errors():
    """Where switches are looked for, far from the start, a function may raise."""

    def near(q, v, t):
        if abs(q) > 1.5:
            raise ValueError("too far")
        return -q

    m = arms()
    m.add(sr.JointForce("f", "A", near), sr.JointForce("g", "B", "-sign(q - 9)"))
    system = m.compile(method="symbolic")
    assert not system.assembly.functions.errors
    same_run(m, 0.2, ("A.q", "B.q"))


def test_elements_whose_names_read_alike():
    m = arms()
    m.add(*(sr.JointForce(name, x, f) for name, x, f in (("a b", "A", lambda q, v, t: -q), ("a_b", "B", lambda q, v, t: 5.0))))
    m.add(sr.Signal("u", "w(A.q)", tables={"w": sr.Table((-9, 0, 2, 9), (4, 0, -1, -3), smooth=True)}))
    m.add(sr.JointForce("u_w", "A", sr.Table((-9, 9), (-1, 2), smooth=True)), sr.JointForce("servo", "B", "u"))
    compare(m)


@pytest.mark.parametrize("kind", GRIDS)
def test_slopes_of_tables(kind):
    """Compiled and evaluated, against differences within cells; outside they follow what the table does there."""
    table, h = GRIDS[kind], 1e-4
    for along in range(len(table.axes)):
        f = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * len(table.axes))(grid_function(table, along).address)
        for at in np.random.default_rng(1).uniform(-4, 4, (40, len(table.axes))):
            if any(np.abs(np.array(axis) - x).min() < 3 * h for axis, x in zip(table.axes, at, strict=True)):
                continue
            step = h * np.eye(len(at))[along]
            wanted = (table.evaluate(*(at + step)) - table.evaluate(*(at - step))) / (2 * h)
            assert abs(f(*at) - wanted) < 1e-6
            assert abs(f(*at) - table.evaluate(*at, along=along)) < 1e-12 * max(1.0, abs(wanted))


def test_sensitivity_to_a_number_in_the_argument_of_a_table():
    m = arms(parameters={"k": 2.0})
    m.add(sr.Lookup("u", ["k*A.q", "B.v"], GRIDS["cubic"]), sr.JointForce("f", "B", "u"))
    exact = m.simulate(0.5, step=0.25, tolerance=1e-10).sensitivity("B.q", "k")
    h, run = 1e-3, lambda k: m.simulate(0.5, step=0.25, tolerance=1e-12, parameters={"k": k})["B.q"]
    wanted = (8 * (run(2 + h) - run(2 - h)) - (run(2 + 2 * h) - run(2 - 2 * h))) / (12 * h)
    np.testing.assert_allclose(exact, wanted, atol=1e-6 * np.abs(wanted).max())
    assert np.abs(exact).max() > 1e-3


def test_derivatives_of_users_functions():
    """Refused by name; those of time are differentiated, and what can do without takes differences."""
    m = arms(parameters={"k": 2.0})
    m.add(sr.Force("push", "b", (lambda t: math.cos(t), 0, 0)), sr.JointForce("g", "B", "-k*q"))
    plain = arms(parameters={"k": 2.0})
    plain.add(sr.Force("push", "b", ("cos(t)", 0, 0)), sr.JointForce("g", "B", "-k*q"))
    np.testing.assert_allclose(*(x.compile(method="symbolic").derivatives().q for x in (m, plain)), rtol=1e-12)
    m.add(sr.JointForce("f", "A", law))
    system = m.compile(method="symbolic")
    for derive in (system.derivatives, lambda: m.simulate(0.1).sensitivity("A.q", "k")):
        with pytest.raises(sr.ModelError, match="'f' is a Python function, whose derivatives are not known"):
            derive()
    np.testing.assert_allclose(system.linearize().A, m.compile().linearize().A, atol=1e-6)


def spring(k):
    return lambda q, v, t: -k * q * abs(q)


def gain(k):
    return lambda x: k * x


def pushed(a, b, c, formulas=False):
    """Arms with functions that differ in numbers only."""
    m = arms()
    for name, k in (("A", a), ("B", b)):
        m.add(sr.JointForce(f"f{name}", name, f"-{k!r}*q*abs(q)" if formulas else spring(k)))
    m.add(sr.Signal("u", f"{c!r}*A.q") if formulas else sr.Function("u", gain(c), ["A.q"]))
    m.add(sr.Lookup("w", ["u", "B.q"], GRIDS["cubic"]), sr.JointForce("servo", "B", "w"))
    return m


def accelerations(*numbers, method="symbolic", formulas=False):
    system = pushed(*numbers, formulas=formulas).compile(method=method)
    return list(system.accelerations([0.4, -0.3], [0.2, 0.1]))


def test_code_from_disk_calls_the_functions_of_this_process(tmp_path):
    """Closures of one line share derived code, in a process and on disk, with their own numbers."""
    cases = ((2.0, 3.0, 0.5), (3.0, 2.0, 0.7))
    wanted = [accelerations(*x, method="auto", formulas=True) for x in cases]
    np.testing.assert_allclose([accelerations(*x) for x in cases], wanted, rtol=1e-11)
    script = tmp_path / "script.py"
    script.write_text(
        "from sharnir.kernel.formulas import machine_code\n"
        "made = []\n"
        "machine_code.store = lambda name, code: made.append(name)\n"
        "from dynamics.straight_line.test_called_functions import accelerations\n"
        "print(*accelerations(3.0, 2.0, 0.7), *accelerations(2.0, 3.0, 0.5), len(made))\n"
    )
    root = Path(__file__).parents[3]
    path = os.pathsep.join(map(str, (root / "src", root / "tests")))
    given = os.environ | {"PYTHONPATH": path, "SHARNIR_CACHE_DIR": str(cache_folder().parent)}
    done = subprocess.run([sys.executable, script], env=given, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    *numbers, made = map(float, done.stdout.split())
    assert made == 0
    np.testing.assert_allclose(numbers, [*wanted[1], *wanted[0]], rtol=1e-11)
