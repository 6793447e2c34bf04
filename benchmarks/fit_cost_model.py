"""Fits the cost model by which `auto` chooses a method, and writes src/sharnir/dynamics/methods/cost_model.json.

Every method runs a step loop on many trees; its time per evaluation is fitted by non-negative multiples of the features in
sharnir.dynamics.methods.method_choice, with the least squares of relative errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from trees import branching_tree, chain, geared, humanoid, star

from sharnir.app.bench import COMPILED_METHODS, step_times
from sharnir.dynamics.methods.method_choice import features

FILE = Path(__file__).resolve().parent.parent / "src" / "sharnir" / "dynamics" / "methods" / "cost_model.json"
COMMON = ("evaluation", "bodies", "hinges", "quaternions", "sequence_freedoms", "speeds", "branches")
MATRIX = (*COMMON, "path_bodies", "path_speeds", "cholesky", "square")
FEATURES = {
    "articulated": COMMON,
    "composite": MATRIX,
    "direct": (*COMMON, "path_speeds", "body_speeds", "body_pairs", "cholesky", "square"),
    "lagrange1": (*COMMON, "multipliers"),
    "inverse-iterative": MATRIX,
    "direct-iterative": MATRIX,
}
LONGEST = {"direct": 100, "lagrange1": 300, "inverse-iterative": 150, "direct-iterative": 150}  # speeds; beyond, time is wasted


def models(quick: bool) -> Iterator:
    """Trees of many shapes."""
    sizes = (1, 3, 10, 30) if quick else (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 300)
    for freedoms in (1, 2, 3):
        for n in sizes:
            yield chain(n, freedoms)
        for n in [x for x in sizes if 3 <= x <= 100]:
            yield branching_tree(n, freedoms)
            yield branching_tree(n, freedoms, children=4)
        for n in [x for x in sizes if 3 <= x <= 50]:
            yield star(n, freedoms)
            yield star(n, freedoms, hub_freedoms=1)
    yield humanoid()
    for n in [x for x in sizes if 2 <= x <= 50]:
        yield geared(n)


def measured(quick: bool) -> dict[str, list[tuple[dict[str, float], float]]]:
    """(features, nanoseconds per evaluation) of every method on every model it can solve."""
    found: dict[str, list[tuple[dict[str, float], float]]] = {name: [] for name in COMPILED_METHODS}
    for model in models(quick):
        speeds = model.compile(method="composite").n_v
        mimics = any(joint.mimic for joint in model.joints.values())
        names = [name for name in COMPILED_METHODS if speeds <= LONGEST.get(name, 400) or name == "articulated"]
        names = [name for name in names if not (mimics and name in ("articulated", "lagrange1"))]
        facts = features(model.compile(method="composite").assembly)
        for name, seconds in step_times(model, tuple(names), repeat=3 if quick else 7).items():
            found[name].append((facts, 1e9 * seconds / 4.0))
    return found


def fit(rows: list[tuple[dict[str, float], float]], names: tuple[str, ...]) -> tuple[dict[str, float], np.ndarray]:
    """Non-negative coefficients, and the relative errors of the fit."""
    from scipy.optimize import nnls

    A = np.array([[facts[name] / time for name in names] for facts, time in rows])
    coefficients, _ = nnls(A, np.ones(len(rows)))
    return {name: round(float(c), 5) for name, c in zip(names, coefficients, strict=True) if c > 1e-9}, A @ coefficients - 1.0


def main(quick: bool = False) -> None:
    """Measure, fit, write."""
    methods, errors = {}, {}
    for name, rows in measured(quick).items():
        methods[name], error = fit(rows, FEATURES[name])
        errors[name] = {"rms": round(float(np.sqrt(np.mean(error**2))), 3), "worst": round(float(np.abs(error).max()), 3)}
        print(f"{name:18} {len(rows)} trees, relative error rms {errors[name]['rms']:.3f}, worst {errors[name]['worst']:.3f}")
    content = {
        "about": "nanoseconds of one evaluation = sum of coefficient × feature; made by benchmarks/fit_cost_model.py",
        "relative_error_of_fit": errors,
        "methods": methods,
    }
    FILE.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    print(f"written: {FILE.name}")


if __name__ == "__main__":
    main()
