"""A car on four wheels in the wind: statics, tyres that answer late, plain Python."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sharnir as sr

TYRES = (
    sr.BrushTyre("12*load", 5e4, 0.9, 0.8),
    sr.MagicFormula((11, 1.6, 1.05, 0.1), (9, 1.35, 0.95, -0.6)),
    sr.FormulaTyre("load*kappa*10", "load*alpha*8"),
    sr.LinearTyre(6e4, sr.Table((0, 5000), (0, 6e4))),
)


def car(tyre: Any, **motion: Any) -> sr.Model:
    m = sr.Model("car", parameters={"wet": 0.5})
    m.add(sr.Body("car", mass=1200, inertia=(400, 1400, 1600), position=(0, 0, 0.55), **motion))
    for name, x, y in (("fl", 1.2, 0.7), ("fr", 1.2, -0.7), ("rl", -1.4, 0.7), ("rr", -1.4, -0.7)):
        m.add(sr.Body(name, mass=20, inertia=(1, 2, 1), position=(x, y, 0.3)))
        m.add(sr.Revolute(f"{name} axle", "car", name, axis="y", v=60.0 if motion else 0.0))
        rolling = {"resistance": "0.01 + 1e-4*v", "trail": "0.03*cos(alpha)", "grip": "if(y > 0, wet, 1)"}
        m.add(sr.Wheel(f"{name} tyre", name, radius=0.31, law=sr.HuntCrossley(1e6, damping=0.2), tyre=tyre, **rolling))
    if motion:
        sideways = {"side": "-2*beta", "moment": (0, 0, "-0.1*beta"), "damping": (1, 1, 1), "wind": (0, "3 + 0.1*h", 0)}
        m.add(sr.Aerodynamics("air", "car", area=2.2, length=2.7, drag=0.3, lift="alpha - 0.5", **sideways))
    return m


def accelerations() -> list[list[float]]:
    """Of a moving car, for every tyre."""
    found = []
    for tyre in TYRES:
        s = car(tyre, velocity=(20, 0.5, 0.1), angular_velocity=(0.1, 0.2, 0.3)).compile()
        found.append(np.array(s.accelerations(s.q0, s.v0)).tolist())
    return found


def test_plain_python_agrees() -> None:
    here = Path(__file__).parent
    script = "import json, sys; from test_car_on_wheels import accelerations; json.dump(accelerations(), sys.stdout)"
    paths = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = np.array(accelerations())
    assert np.abs(compiled).max() > 10
    assert np.array(json.loads(done.stdout)) == pytest.approx(compiled, abs=1e-9)


def test_the_car_stands() -> None:
    """Loads by the lever rule; what a wheel weighs goes to its own tyre."""
    m = car(TYRES[0])
    r = m.simulate(0.1, step=0.1, initial="equilibrium")
    front = 1200 * 9.81 * 1.4 / 2.6 / 2 + 20 * 9.81
    assert r["fl tyre.load"] == pytest.approx(front, rel=1e-3)  # the car has pitched by the depths of its wheels
    assert r["fl tyre.load"] + r["rr tyre.load"] == pytest.approx(1280 * 9.81 / 2, rel=1e-9)
    assert r["rr tyre.depth"][0] == pytest.approx((r["rr tyre.load"][0] / 1e6) ** (2 / 3), rel=1e-9)


def test_a_tyre_that_answers_late() -> None:
    """A relaxation length σ: the slip angle through a filter with the time constant σ/v."""
    m = sr.Model("rig", gravity=(0, 0, 0))
    m.add(sr.Body("wheel", mass=10, inertia=(1, 1, 1), position=(0, 0, 0.3)))
    freedoms = (sr.Translation("x"), sr.Translation("y"))
    m.add(sr.FreedomSequence("rail", "ground", "wheel", freedoms=freedoms, motion=("20*t", "-0.2*t")))
    m.add(sr.LowPass("late", input="tyre.slip_angle", time_constant=0.5 / 20))
    m.add(sr.Wheel("tyre", "wheel", radius=0.31, law=sr.LinearLaw(4e5), tyre=sr.FormulaTyre(x=0, y="5e4*late")))
    r = m.simulate(0.1, step=0.01)
    assert r["tyre.lateral"] == pytest.approx(5e4 * math.atan(0.01) * (1 - np.exp(-r.t / 0.025)), abs=1e-3)
