"""Balls that fall into a box: a group of contacts against one contact for each pair, and how the time grows with their number.

python benchmarks/contacts.py
"""

from __future__ import annotations

import math
from itertools import combinations
from time import process_time
from typing import Any

import numpy as np
from checks import Check, print_checks

import sharnir as sr

RADIUS, SPACING, T_END = 0.05, 0.12, 1.0
LAW, FRICTION = sr.HuntCrossley(1e6, damping=0.5), sr.Friction(0.3, speed=0.01)


def places(n: int) -> np.ndarray:
    """A grid of places for the balls above the floor, a little disturbed."""
    side = math.ceil(n ** (1 / 3))
    k = np.arange(n)
    grid = np.column_stack([k % side - (side - 1) / 2, k // side % side - (side - 1) / 2, k // side**2 + 0.8])
    return SPACING * grid + np.random.default_rng(0).uniform(-0.005, 0.005, (n, 3))


def walls(n: int) -> list[sr.Plane]:
    """A floor and four sides."""
    w = 0.5 * SPACING * math.ceil(n ** (1 / 3)) + 0.02
    return [sr.Plane(), *(sr.Plane((w * x, w * y, 0), (-x, -y, 0)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))]


def balls(n: int, grouped: bool = True) -> sr.Model:
    """The balls, with a group or with a contact for each pair."""
    m = sr.Model(f"{n} balls")
    names = [f"b{k}" for k in range(n)]
    for name, place in zip(names, places(n), strict=True):
        m.add(sr.Body(name, density=1000, shape=sr.Sphere(RADIUS), position=tuple(place)))
    if grouped:
        m.add(sr.ContactGroup("pile", walls=walls(n), law=LAW, friction=FRICTION))
        return m
    for a, b in combinations(names, 2):
        m.add(sr.Contact(f"{a}-{b}", a, b, law=LAW, friction=FRICTION))
    for k, wall in enumerate(walls(n)):
        for name in names:
            m.add(sr.Contact(f"{name}-{k}", name, "ground", shape_b=wall, law=LAW, friction=FRICTION))
    return m


def run_of(m: sr.Model) -> tuple[float, dict[str, Any]]:
    """CPU seconds and statistics of a warm run."""
    given: dict[str, Any] = {"output": 0.01, "integrator": "dopri5", "tolerance": 1e-4}
    m.simulate(0.001, **given)
    begin = process_time()
    r = m.simulate(T_END, **given)
    return process_time() - begin, r.stats


def mujoco_seconds(n: int) -> tuple[float, float] | None:
    """CPU seconds of MuJoCo for the same balls with its own contacts, and its step; None if it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    half = 0.5 * SPACING * math.ceil(n ** (1 / 3)) + 0.02
    planes = [(0, 0, 0, 0, 0, 1), *((-half * x, -half * y, 0, x, y, 0) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))]
    text = "".join(f'<geom type="plane" size="5 5 1" pos="{p[0]} {p[1]} {p[2]}" zaxis="{p[3]} {p[4]} {p[5]}"/>' for p in planes)
    for x, y, z in places(n):
        text += f'<body pos="{x} {y} {z}"><freejoint/><geom size="{RADIUS}" density="1000" friction="0.3"/></body>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    begin = process_time()
    for _ in range(round(T_END / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return process_time() - begin, model.opt.timestep


def run(quick: bool = False) -> list[Check]:
    """Time of an evaluation of a run with a group, over that with pairs; its growth; MuJoCo's time."""
    counts = (20, 60) if quick else (20, 60, 180)
    checks, cost = [], []
    for n in counts:
        seconds, stats = run_of(balls(n))
        cost.append(seconds / stats["evaluations"])
        note = f"{seconds:.2g} s for {T_END:g} s of motion, {stats['evaluations']} evaluations of {1e6 * cost[-1]:.3g} µs"
        before, old = run_of(balls(n, grouped=False))
        ratio = before / old["evaluations"] / cost[-1]
        peer = mujoco_seconds(n)
        if peer is not None:
            note += f"; MuJoCo with its own contacts and fixed steps of {1e3 * peer[1]:g} ms: {peer[0]:.2g} s"
        checks.append(Check(f"{n} balls in a box", "time with a contact for each pair / with a group", ratio, 1.0, False, note))
    growth = float(np.polyfit(np.log(counts), np.log(cost), 1)[0])
    checks.append(Check("balls in a box", f"exponent of the time of an evaluation, {counts[0]} … {counts[-1]}", growth, 1.2))
    return checks


if __name__ == "__main__":
    print_checks(run())
