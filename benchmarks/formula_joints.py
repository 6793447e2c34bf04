"""Joints by formulas against built-in joints of as many freedoms: time of one evaluation inside compiled code, as ratios.

python benchmarks/formula_joints.py
"""

from __future__ import annotations

import time

import numpy as np

import sharnir as sr
from sharnir.dynamics.evaluation.python_entries import accelerate_states

STATES, ROUNDS = 2000, 15
LINK = {"mass": 1.0, "com": (0.1, 0.02, 0.0), "inertia": (0.01, 0.02, 0.03)}
SHIFT, ANGLE = {"q": "m"}, {"q": "rad"}
TWO, THREE = {"s": "m", "q": "rad"}, {"x": "m", "y": "m", "q": "rad"}
PAIRS = {
    "revolute": (
        lambda k: (sr.Revolute, {"axis": "yz"[k % 2]}),
        lambda k: {"variables": ANGLE, "position": (0, 0, 0), "rotation": ("yz"[k % 2], "q")},
    ),
    "prismatic": (lambda k: (sr.Prismatic, {"axis": "x"}), lambda k: {"variables": SHIFT, "position": ("q", 0, 0)}),
    "screw": (
        lambda k: (sr.Screw, {"axis": "z", "pitch": 0.1}),
        lambda k: {"variables": ANGLE, "position": (0, 0, "0.1*q"), "rotation": ("z", "q")},
    ),
    "cylindrical": (
        lambda k: (sr.Cylindrical, {"axis": "y"}),
        lambda k: {"variables": TWO, "position": (0, "s", 0), "rotation": ("y", "q")},
    ),
    "universal": (
        lambda k: (sr.Universal, {"axis": "x", "axis2": "z"}),
        lambda k: {"variables": {"a": "rad", "b": "rad"}, "position": (0, 0, 0), "rotation": (("x", "a"), ("z", "b"))},
    ),
    "planar": (
        lambda k: (sr.Planar, {"axis": "z"}),
        lambda k: {"variables": THREE, "position": ("x", "y", 0), "rotation": ("z", "q")},
    ),
    "track and screw": (  # what has no counterpart, against the built-in joint of one freedom that is no unit vector
        lambda k: (sr.Screw, {"axis": "y", "pitch": 0.1}),
        lambda k: {
            "variables": ANGLE,
            "position": ("0.1*cos(q)", 0, "0.2*sin(q)"),
            "rotation": (("y", "q"), ("x", "0.3*sin(q)")),
        },
    ),
}


def chain(kind: str, count: int, by_formulas: bool) -> sr.Model:
    """A chain of equal links."""
    m = sr.Model()
    for k in range(count):
        m.add(sr.Body(f"b{k}", position=(0.2 * k, 0, 0), **LINK))
        ends = (f"j{k}", f"b{k - 1}" if k else "ground", f"b{k}")
        made, own = PAIRS[kind][0](k)
        m.add(sr.FormulaJoint(*ends, **PAIRS[kind][1](k)) if by_formulas else made(*ends, **own))
    return m


def evaluation(system: sr.System):
    """A function that measures the CPU time of one evaluation, in seconds, over many states."""
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-1, 1, (STATES, system.n_q)), rng.uniform(-1, 1, (STATES, system.n_v))
    vdot, nothing, scratch = np.zeros_like(v), np.zeros((0, 0)), np.concatenate([system.y0, system.y0])
    f = getattr(system.rates, "address", system.rates)

    def measured() -> float:
        start = time.process_time()
        accelerate_states(f, np.zeros(1), q, v, vdot, nothing, system.table, system.params, system.work, scratch)
        return (time.process_time() - start) / STATES

    return measured


def ratio(kind: str, count: int, method: str) -> tuple[float, float, float]:
    """Microseconds built-in, by formulas, and their ratio: the least of many rounds, both in turn."""
    pair = [evaluation(chain(kind, count, x).compile(method=method)) for x in (False, True)]
    times = np.array([[measured() for measured in pair] for _ in range(ROUNDS + 1)])[1:].min(axis=0) * 1e6
    return times[0], times[1], times[1] / times[0]


if __name__ == "__main__":
    print(f"{'joint':20} {'bodies':>6} {'method':12} {'built-in':>9} {'formulas':>9} {'ratio':>6}")
    for kind in PAIRS:
        for count, method in ((1, "symbolic"), (6, "symbolic"), (6, "articulated"), (60, "articulated"), (10, "composite")):
            a, b, x = ratio(kind, count, method)
            print(f"{kind:20} {count:6} {method:12} {a:6.2f} µs {b:6.2f} µs {x:6.2f}", flush=True)
