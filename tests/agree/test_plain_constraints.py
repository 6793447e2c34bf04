"""Constraints as plain Python (NUMBA_DISABLE_JIT=1) give the same numbers as compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from constrained_mechanisms import FORMULATIONS, constrained, general_state

KINDS = ("distance of time", "helix", "surface", "cam by table", "driven coupler", "torus", "knife edge", "three bodies")
SCRIPT = """
import json, sys
from agree.test_plain_constraints import numbers
json.dump({name: numbers(name) for name in sys.argv[1:]}, sys.stdout)
"""


def numbers(kind):
    """Accelerations, rates of tracked coordinates and multipliers in both formulations."""
    found = []
    for formulation in FORMULATIONS:
        s = general_state(constrained(kind), formulation)
        found += [*s.observe_rates(np.zeros(1), s.y0[None])[0], *s.observe_multipliers(np.zeros(1), s.y0[None])[0]]
    return [float(x) for x in found]


@pytest.fixture(scope="module")
def plain():
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", SCRIPT, *KINDS], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_plain_python_agrees(plain, kind):
    compiled = numbers(kind)
    assert plain[kind] == pytest.approx(compiled, rel=1e-9, abs=1e-9 * (1 + max(map(abs, compiled))))
