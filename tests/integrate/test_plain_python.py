"""The same source as plain Python (NUMBA_DISABLE_JIT=1) gives the same numbers up to rounding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sharnir.integrate import ALL_INTEGRATORS, integrate, textbook_problem

SCRIPT = """
import json, sys
from integrate.textbook import spinning
from integrate.test_plain_python import numbers
json.dump({name: numbers(name) for name in sys.argv[1:]}, sys.stdout)
"""


def numbers(name):
    """A short run with a quaternion, a grid, dense output, and step control where there is one."""
    from integrate.textbook import spinning

    problem = textbook_problem(spinning, 5, quaternions=[1])
    step = 0.1 if name == "rk4" else None
    solution = integrate(problem, [0.0, 1.0, 0.0, 0.0, 0.0], np.linspace(0.0, 2.0, 12), name, 1e-6, 1e-6, step=step, dense=True)
    even = integrate(problem, [0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 1.0], name, 1e-6, 1e-6, step=0.1, control=False)
    counts = [solution.stats[key] for key in ("steps", "rejected", "evaluations")]
    return {"y": solution.y.tolist(), "between": solution(0.777).tolist(), "even": even.y.tolist(), "counts": counts}


@pytest.fixture(scope="module")
def plain():
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    command = [sys.executable, "-c", SCRIPT, *ALL_INTEGRATORS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_plain_python_agrees(plain, name):
    compiled = numbers(name)
    assert plain[name]["counts"] == compiled["counts"]
    # the doubled steps of a controlled Adams start magnify rounding in high differences, up to a fraction of the tolerance 1e-6
    # … and Newton's method ends within a part of the tolerance, in the last bits not everywhere alike
    limit = 1e-11 if ALL_INTEGRATORS[name].implicit else 1e-14
    rounding = {"y": 1e-8, "between": 1e-8, "even": 1e-13} if name == "abm" else dict.fromkeys(("y", "between", "even"), limit)
    for key, limit in rounding.items():
        assert np.abs(np.array(plain[name][key]) - np.array(compiled[key])).max() < limit
