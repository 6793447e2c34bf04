"""The same kernels as plain Python (NUMBA_DISABLE_JIT=1) give the same numbers: a second opinion on the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zoo

NAMES = (
    "tree 1",
    "tree 3",
    "one Screw",
    "one Free",
    "floating",
    "bush",
    "forces",
    "joint forces",
    "prescribed",
    "moving base",
    "gears",
    "rotors",
)
SCRIPT = """
import json, sys
from agree.test_plain_python import numbers
json.dump({name: numbers(name) for name in sys.argv[1:]}, sys.stdout)
"""


def numbers(name):
    """One of everything that a system can be asked."""
    found, t = {}, 0.3
    for method in zoo.methods(name):
        if method == "symbolic":  # machine code by its nature
            continue
        s = zoo.system(name, method)
        q, v = zoo.state(s, 1)
        found[method] = s.accelerations(q, v, t)
    rows = [zoo.state(s, seed) for seed in range(5)]
    s = zoo.system(name, zoo.methods(name)[0])
    found["many"] = s.accelerations(np.array([q for q, _ in rows]), np.array([v for _, v in rows]), t)
    found["inverse"] = s.inverse_dynamics(q, v, v, t)
    found["bias"] = s.bias(q, v, t)
    found["mass"] = s.mass_matrix(q, t)
    E = s.energy(q, v, t)
    found["energy"] = [E.kinetic, E.potential, E.mass, *E.center_of_mass, *E.momentum, *E.angular_momentum]
    last = s.tree.bodies[-1]
    found["jacobian"] = s.jacobian(last, q, (1, 2, 3), t)
    b = s.bodies(q, v, t)[last]
    found["body"] = [*b.position, *b.rotation, *b.velocity, *b.acceleration, *b.angular_acceleration, *b.reaction]
    if name in ("one Free", "forces"):
        r = zoo.model(name).simulate(0.02, step=0.01, integrator="rk4")
        found["run"] = r[f"{last}.position"]
        found["run energy"] = r.energy.total
    return {key: np.asarray(value).ravel().tolist() for key, value in found.items()}


@pytest.fixture(scope="module")
def plain():
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", SCRIPT, *NAMES], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_plain_python_agrees(plain, name):
    compiled = numbers(name)
    limit = 1e-9 if name == "prescribed" else 1e-11  # second differences of a user's motion magnify rounding by 1e6
    assert set(plain[name]) == set(compiled)
    for key, values in compiled.items():
        assert plain[name][key] == pytest.approx(values, rel=limit, abs=limit * (1 + max(map(abs, values)))), key
