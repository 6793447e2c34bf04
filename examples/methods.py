"""Every solution method of Ivanov et al. 2012 on the same tree: the accelerations agree, the work differs."""

import os
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from matplotlib.figure import Figure

import sharnir as sr

METHODS = ("articulated", "composite", "direct", "lagrange1", "inverse-iterative", "direct-iterative")
m = sr.Model("tree")
bodies = [m.ground]
for k in range(40):  # each body hangs on the one half its number: a tree with many branches
    body = sr.Body(f"b{k}", mass=1, position=(0.1 * k, 0, 0), shape=sr.Box((0.3, 0.2, 0.1)))
    m.add(body, sr.Universal(f"u{k}", bodies[(k + 1) // 2], body, axis="y", axis2="z"))
    bodies.append(body)

q, v = np.random.default_rng(1).normal(size=(2, m.compile().n_v))
accelerations, times = {}, {}
for method in METHODS:
    system = m.compile(method=method)
    accelerations[method] = system.accelerations(q, v)
    many_q, many_v = np.tile(q, (200, 1)), np.tile(v, (200, 1))
    begin = perf_counter()
    system.accelerations(many_q, many_v, threads=1)
    times[method] = (perf_counter() - begin) / 200
reference = accelerations["articulated"]
difference = max(np.abs(a - reference).max() / np.abs(reference).max() for a in accelerations.values())
print(f"{len(METHODS)} methods, {system.n_v} freedoms: largest relative difference {difference:.1e}")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure = Figure(figsize=(6, 2.4), layout="constrained")
axes = figure.subplots()
axes.barh(list(times), [1e6 * t for t in times.values()], color="#2f6fde")
axes.set_xlabel("one of 200 states [µs]")
figure.savefig(folder / "methods.png")
print(f"picture: {folder / 'methods.png'}")
