"""Large systems on two threads: the same numbers to the last bit as on one, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from large_mechanisms import LENGTH, mesh
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse import subtree_tasks as tasks
from sharnir.dynamics.sparse.elimination_plan import plan_elimination
from sharnir.integrate import integrate
from sharnir.kernel import threads

GRID = np.array([0.0, 0.01, 0.03])


@pytest.fixture
def eager(monkeypatch):
    """Every system that can be divided is, and there are two processors."""
    monkeypatch.setattr(tasks, "WORTH_SHARING", 0.0)
    monkeypatch.setattr(threads, "processors", lambda: 2)


def net(n, hinges=False):
    """A net of rods on ball joints; with hinges, plates hang at its free edge."""
    m = mesh(n)
    for k in range(n if hinges else 0):
        at = (n * LENGTH, k * LENGTH, 0)
        m.add(sr.Body(f"plate{k}", mass=0.5, inertia=(1e-3, 1e-3, 2e-3), position=(n * LENGTH, k * LENGTH, -0.05)))
        m.add(sr.Revolute(f"hinge{k}", f"warp{n - 1},{k}", f"plate{k}", at=at, axis="y"))
    return m


def tasks_of(system):
    return int(system.table[system.table[L.T_SOLVER] + S.N_TASK])


def end(system, alone, **options):
    problem = system.problem()
    solution = integrate(
        problem.alone() if alone else problem, system.y0, GRID, **({"integrator": "rk4", "step": 1e-3} | options)
    )
    assert solution.success and not [x for x in threading.enumerate() if x.name == "sharnir kernels"]
    return solution.y


@pytest.mark.parametrize("hinges", [False, True])
def test_one_and_two_threads_give_the_same_bits(eager, monkeypatch, hinges):
    system = net(8, hinges).compile("absolute", solver="sparse")
    assert tasks_of(system) > 4 and system.problem().box > 0 and system.table[L.IN_PARTS] == 1
    one, two = end(system, True), end(system, False)
    assert np.array_equal(one, two)
    monkeypatch.setattr(tasks, "WORTH_SHARING", np.inf)
    whole = net(8, hinges).compile("absolute", solver="sparse")
    assert tasks_of(whole) == 1 and whole.problem().box == -1
    assert np.abs(end(whole, True) - one).max() < 1e-9


def test_redundant_equations(eager):
    """A second joint at the same place: the attempt without regularization fails in some task, and in both cases the same way."""
    m = net(7)
    for r, c in ((2, 2), (5, 4)):
        m.add(sr.Ball(f"again{r},{c}", f"warp{r - 1},{c}", f"warp{r},{c}", at=(r * LENGTH, c * LENGTH, 0)))
    system = m.compile("absolute", solver="sparse")
    assert tasks_of(system) > 4
    assert np.array_equal(end(system, True), end(system, False))
    single = net(7).compile("absolute", solver="sparse")
    assert np.abs(end(system, False) - end(single, True)).max() < 1e-6


def test_interrupted(eager):
    system = net(7).compile("absolute", solver="sparse")

    def stop(part):
        raise KeyboardInterrupt

    problem = system.problem()
    solution = integrate(problem, system.y0, np.array([0.0, 10.0]), "rk4", step=1e-3, progress=stop)
    assert solution.status == "interrupted"
    assert problem.work[problem.box] == 0.0 and not [x for x in threading.enumerate() if x.name == "sharnir kernels"]
    with pytest.raises(ZeroDivisionError):
        integrate(problem, system.y0, np.array([0.0, 10.0]), "rk4", step=1e-3, progress=lambda part: 1 / 0)
    assert problem.work[problem.box] == 0.0 and not [x for x in threading.enumerate() if x.name == "sharnir kernels"]


def test_runs_at_the_same_time(eager, monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 3)  # two of the four runs get a second thread
    systems = [net(n).compile("absolute", solver="sparse") for n in (6, 7)]
    alone = [end(system, True) for system in systems]

    def run(k):
        problem, y0 = systems[k % 2].problem(), systems[k % 2].y0
        return integrate(problem, y0, GRID, "rk4", step=1e-3).y

    with ThreadPoolExecutor(4) as pool:
        for k, y in enumerate(pool.map(run, range(8))):
            assert np.array_equal(y, alone[k % 2])


def test_ensembles_use_processors_by_themselves(eager):
    given = {"v": 0.01 * np.ones((2, 6 * 78)), "step": 1e-3, "integrator": "rk4", "formulation": "absolute"}
    runs, again = sr.simulate_many(net(6), 0.01, **given), sr.simulate_many(net(6), 0.01, **given, threads=1)
    assert np.array_equal(runs.q, again.q)


def test_small_systems_have_one_task():
    assert net(4).compile("absolute", solver="sparse").problem().box == -1


def test_a_full_matrix_is_not_divided(eager):
    """One supernode, and nothing to share."""
    pairs = np.array([(e, f) for e in range(30) for f in range(e + 1)])
    assert plan_elimination([3] * 30, pairs).table[S.N_TASK] == 1


def test_plain_python():
    code = """
import numpy as np
import dynamics.sparse.test_threaded_cholesky as T
from sharnir.dynamics.sparse import subtree_tasks as tasks
from sharnir.dynamics.sparse.elimination_plan import plan_elimination
tasks.WORTH_SHARING = 0.0
system = T.net(4).compile("absolute", solver="sparse")
print(T.tasks_of(system), *system.accelerations(system.q0, system.v0).tolist())
"""
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(root / "src"), str(root / "tests")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    numbers = [float(x) for x in done.stdout.split()]
    assert numbers[0] > 2
    system = net(4).compile("absolute", solver="sparse")
    assert np.abs(np.array(numbers[1:]) - system.accelerations(system.q0, system.v0)).max() < 1e-9
