"""Kernels stay inside their arrays: a sample of all that there is, every access of memory checked, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def trees():
    """All joints, by all methods."""
    import zoo

    for name in (
        "tree 1",
        "one Free",
        "one Screw",
        "one FreedomSequence",
        "bush",
        "forces",
        "joint forces",
        "prescribed",
        "gears",
    ):
        for method in zoo.methods(name):
            s = zoo.system(name, method)
            s.accelerations(*zoo.state(s, 1))
        q, v = zoo.state(s, 1)
        s.inverse_dynamics(q, v, v)
        s.mass_matrix(q)
        s.energy(q, v)
        s.bodies(q, v)


def loops():
    """Cut joints and constraints, by all solvers, in both formulations."""
    import constrained_mechanisms
    import mechanisms

    for solver in ("dense", "sparse", "null-space"):
        s = mechanisms.spatial_slider_crank().compile(solver=solver)
        s.observe_rates(np.zeros(1), s.y0[None])
    for kind in ("coupler", "formula", "disc", "nonholonomic"):
        for formulation in ("joint", "absolute"):
            s = constrained_mechanisms.constrained(kind).compile(formulation=formulation)
            s.observe_multipliers(np.zeros(1), s.y0[None])


def flexible():
    """Flexible bodies in trees and loops, by all methods."""
    import flexible_mechanisms
    from sharnir.dynamics.methods.all_methods import ALL_METHODS

    for method in (name for name, kind in ALL_METHODS.items() if kind.handles_flexible and name != "symbolic"):
        s = flexible_mechanisms.tree().compile(method=method)
        s.accelerations(*flexible_mechanisms.state(s, 1))
    s = flexible_mechanisms.slider_crank().compile()
    s.observe_rates(np.zeros(1), s.y0[None])


def friction():
    """Friction in the joints of a loop, by its reactions."""
    import mechanisms
    import sharnir as sr

    for formulation in ("joint", "absolute"):
        m = mechanisms.slider_crank(theta=0.7)
        for joint in list(m.joints.values()):
            pin = isinstance(joint, sr.Revolute)
            m.add(sr.JointFriction(f"rub {joint.name}", joint.name, coefficient=0.1, **({"radius": 0.02} if pin else {})))
        s = m.compile(formulation=formulation)
        y = s.y0
        y[s.n_q : s.n_q + s.n_v] += 0.3
        s.observe_rates(np.zeros(1), y[None])


def signals():
    """Sensors, blocks, clocks, delays and inputs, in a run."""
    from agree.test_plain_control import numbers

    numbers()


def contacts():
    """Pairs of shapes and a box that falls onto a plane, in runs."""
    import sharnir as sr

    m = sr.Model("stack")
    m.add(sr.Body("box", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.099), shape=sr.Box((0.2, 0.2, 0.2))))
    m.add(sr.Body("ball", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.298), shape=sr.Sphere(0.1)))
    m.add(sr.Free("f", "ground", "box"), sr.Free("g", "ground", "ball"))
    law, rub = sr.HuntCrossley(1e5, damping=0.2), sr.Friction(0.3, speed=0.01)
    m.add(sr.Contact("floor", "box", "ground", shape_b=sr.Plane(), law=law, friction=rub))
    m.add(sr.Contact("top", "ball", "box", law=law, friction=rub))
    m.simulate(2e-3, step=1e-3, integrator="rk4")


def events():
    """Events with actions: rebounds, clocks, changes of signals."""
    from dynamics.events.test_compiled_actions import rebounds, switches

    for build in (rebounds, switches):
        build().simulate(0.4, output=0.2, tolerance=1e-4)


SAMPLES = {f.__name__: f for f in (trees, loops, flexible, friction, signals, contacts, events)}


@cache
def run_checked(script):
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    environment = os.environ | {"SHARNIR_CHECK_BOUNDS": "1", "PYTHONPATH": paths}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)


ALL_SAMPLES = """
import traceback

from kernel.test_bounds import SAMPLES

for name, sample in SAMPLES.items():
    try:
        sample()
        print(name, "stays inside")
    except Exception:
        print(name, traceback.format_exc())
"""


@pytest.mark.parametrize("name", SAMPLES)
def test_no_kernel_leaves_its_memory(name):
    done = run_checked(ALL_SAMPLES)
    assert f"{name} stays inside" in done.stdout, (done.stdout + done.stderr)[-2000:]


KERNELS = """
import numpy as np
import zoo
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_work
from sharnir.kernel import address, doubles, entry, fixed_doubles, fixed_ints, shift

s = zoo.system("one Revolute")
before = s.work.copy()
"""
KERNEL = """

@entry
def kernel_{0}(table, params, work):
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    {1}


try:
    kernel_{0}(s.table, s.params, s.work)
except IndexError as error:
    print({0}, error)
print({0}, "has written" if s.work.tobytes() != before.tobytes() else "has written nothing")
s.work[:] = before
"""
FAULTS = {
    "w[-1] = 1.0": "kernel_0 (<string>, line 15) writes item -1 of",
    "w[-1]": "reads item -1 of",
    "w[work.size]": "reads item",
    "shift(w, 3)[work.size - 3]": "reads item",
    "shift(w, -1)": "begins at item -1",
    "tab[L.N_BODY] = 2": "writes item 0 of memory that is fixed",
    "par[L.GRAVITY] = 0.0": "writes item 0 of memory that is fixed",
    "w[body_work(tab, tab[L.N_BODY])] = 0.0": "between two sections of memory",  # one body too many
    "w[body_work(tab, tab[L.N_BODY])]": "reads item",
}


RIGHT = "w[body_work(tab, tab[L.N_BODY] - 1)] = w[body_work(tab, 0)] + 1.0"


def said_of(line):
    """What one of these kernels did; all of them run in one process."""
    lines = [*FAULTS, RIGHT]
    done = run_checked(KERNELS + "".join(KERNEL.format(k, x) for k, x in enumerate(lines)))
    assert done.returncode == 0, done.stderr[-2000:]
    return [x.split(" ", 1)[1] for x in done.stdout.splitlines() if x.split()[0] == str(lines.index(line))]


@pytest.mark.parametrize("line", FAULTS)
def test_wrong_kernels_are_caught(line):
    error, written = said_of(line)
    assert f"kernel_{list(FAULTS).index(line)} " in error and FAULTS[line] in error
    assert written == "has written nothing"


def test_memory_that_is_not_the_engines_may_hold_anything():
    """Arrays from np.empty can hold what guards were made of: only places in blocks of the engine count."""
    script = """
import numpy as np
import zoo
from sharnir.kernel import address, doubles, entry
from sharnir.kernel.bounds import guards

zoo.system("one Revolute")
rest = guards(np.float64).copy()


@entry
def fill(x):
    for k in range(x.size):
        doubles(address(x))[k] = 1.0


fill(rest)
print(rest.sum())
"""
    done = run_checked(script)
    assert done.stdout.strip() == "3.0", done.stderr[-2000:]


def test_right_kernels_pass():
    assert said_of(RIGHT) == ["has written"]
