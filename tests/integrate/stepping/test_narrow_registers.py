"""The same numbers on a machine whose vector registers hold four floats: rows are padded to eight, but worked on by four."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sharnir import kernel
from sharnir.integrate import ALL_INTEGRATORS, integrate, textbook_problem

SCRIPT = """
import json, sys
from integrate.stepping.test_narrow_registers import numbers
json.dump({name: numbers(name) for name in sys.argv[1:]}, sys.stdout)
"""
NAMES = ["dopri5", "bdf"]  # explicit, and with a matrix


def decay(t, y, yd):
    for i in range(13):
        yd[i] = -(i + 1.0) * y[i] / 13.0


def numbers(name):
    solution = integrate(textbook_problem(decay, 13), np.ones(13), [0.0, 0.4, 1.0], name, 1e-7, 1e-7, dense=True)
    return {"lanes": kernel.LANES, "y": solution.y.tolist(), "between": solution(0.777).tolist()}


@pytest.fixture(scope="module")
def narrow():
    tests = Path(__file__).parents[2]
    path = os.pathsep.join([str(tests), str(tests.parent / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"SHARNIR_LANES": "4" if kernel.LANES == 8 else "8", "PYTHONPATH": path}
    command = [sys.executable, "-c", SCRIPT, *NAMES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_other_registers_agree(narrow, name):
    assert name in ALL_INTEGRATORS
    assert narrow[name]["lanes"] != kernel.LANES
    here = numbers(name)
    t = np.array([0.4, 1.0])
    exact = np.exp(-(np.arange(13) + 1.0) / 13.0 * t[:, None])
    assert np.abs(np.array(narrow[name]["y"])[1:] - exact).max() < 1e-5
    for key in ("y", "between"):
        assert np.abs(np.array(narrow[name][key]) - np.array(here[key])).max() < 1e-9
