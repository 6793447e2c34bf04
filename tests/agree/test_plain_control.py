"""Signals, clocks and delays as plain Python (NUMBA_DISABLE_JIT=1) give the numbers of the compiled ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import sharnir as sr

SCRIPT = "import json, sys; from agree.test_plain_control import numbers; json.dump(numbers(), sys.stdout)"


def numbers():
    """A pendulum with one of most blocks."""
    m = sr.Model("pendulum", parameters={"wanted": 0.7})
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, -1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", v=0.3))
    m.add(
        sr.Sampled("u", lambda t, q, v: 30 * (0.7 - q) - 6 * v, ["O.q", "O.v"], period=0.1),
        sr.Difference("d", {"e": "wanted - O.q"}, "4*e + i", states={"i": 0}, updates={"i": "i + 0.1*e"}, period=0.05),
        sr.Delay("late", "O.q", time=0.15),
        sr.Lookup("table", ["O.q", "O.v"], sr.GridTable(((0, 1), (0, 1)), ((0, 1), (2, 5)))),
        sr.Relay("relay", "O.q", low=0.1, high=0.2),
        sr.Function("square", lambda q: q * q, ["O.q"]),
        sr.Signal("turn", "bob.pitch_dot + p(O.q)", tables={"p": sr.Table((0, 1), (0, 3))}),
        sr.Input("given", 2.0),
        sr.Input("place"),
        sr.Body("cart", mass=1),
        sr.Prismatic("rail", "ground", "cart", axis="x", motion="2*place + t"),
        sr.JointForce("motor", "O", "u - 0.1*given"),
    )
    outside = {"callback": lambda now: {"place": (now.t + 0.1) ** 3}, "communication": 0.1}
    r = m.simulate(0.4, output=0.05, tolerance=1e-6, integrator="dopri5", **outside)
    names = ("O.q", "rail.q", "rail.v", "rail.drive", "u", "d", "late", "table", "relay", "square", "turn", "given")
    return {name: np.asarray(r[name]).tolist() for name in names}


def test_plain_python_agrees():
    root = Path(__file__).parents[2]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root / "tests")])}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    plain, compiled = json.loads(done.stdout), numbers()
    for name, values in compiled.items():
        assert np.abs(np.array(values) - np.array(plain[name])).max() < 1e-11, name
