"""Fits the cost model by which `auto` chooses a method, and writes src/sharnir/dynamics/methods/cost_model.json.

Every method runs a step loop on many trees; its time per evaluation is fitted by non-negative multiples of the features in
sharnir.dynamics.methods.method_choice, with the least squares of relative errors. The same is done for the time that it takes
to derive equations and compile them; `--symbolic` measures that alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from closed_trees import closed_chain, engine, ladder, platform, tied_star, tied_tree
from loop_models import four_bar
from trees import branching_tree, chain, geared, humanoid, star

from sharnir.app.bench import step_times
from sharnir.dynamics.methods.method_choice import features
from sharnir.dynamics.straight_line.quicker_functions import derivation_features

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
LOOPS = ("elements", "rows", "row_bodies", "row_speeds", "row_cube", "row_pairs")
OWN_LOOPS = {
    "articulated": ("pair_speeds",),
    "composite": ("row_fill", "pair_speeds"),
    "direct": ("row_fill", "pair_speeds"),
    "lagrange1": ("pair_columns", "row_tree_bodies", "row_tree_speeds"),
}  # the candidates of `auto`; iterative methods solve the tree once for every equation
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


def closed_models(quick: bool) -> Iterator:
    """Mechanisms with loops of many shapes."""
    sizes = (3, 8, 16) if quick else (2, 3, 4, 6, 8, 12, 16, 24, 40)
    for freedoms in (1, 2, 3):
        for n in sizes:
            for kind in ("ball", "distance"):
                if freedoms * n > 3:
                    yield closed_chain(n, freedoms, kind)
            if n <= 16:
                yield ladder(n, freedoms)
            if n >= 4:
                yield tied_star(n, freedoms)
                yield tied_tree(n, freedoms)
    for n in (1, 3, 6) if quick else (1, 2, 3, 4, 6, 8, 12):
        yield engine(n)
        yield four_bar(n)
    for n in (3, 6):
        yield platform(n)


def measured_loops(quick: bool) -> dict[str, list[tuple[dict[str, float], float]]]:
    """The same of mechanisms with loops."""
    found: dict[str, list[tuple[dict[str, float], float]]] = {name: [] for name in OWN_LOOPS}
    for model in closed_models(quick):
        system = model.compile(method="articulated")
        names = tuple(name for name in OWN_LOOPS if name != "lagrange1" or system.n_v <= 30)
        for name, seconds in step_times(model, names, repeat=3 if quick else 5).items():
            found[name].append((features(system.assembly), 1e9 * seconds / 4.0))
    return found


def measured(quick: bool) -> dict[str, list[tuple[dict[str, float], float]]]:
    """(features, nanoseconds per evaluation) of every method on every model it can solve."""
    found: dict[str, list[tuple[dict[str, float], float]]] = {name: [] for name in FEATURES}
    for model in models(quick):
        speeds = model.compile(method="composite").n_v
        mimics = any(joint.mimic for joint in model.joints.values())
        names = [name for name in FEATURES if speeds <= LONGEST.get(name, 400) or name == "articulated"]
        names = [name for name in names if not (mimics and name in ("articulated", "lagrange1"))]
        facts = features(model.compile(method="composite").assembly)
        for name, seconds in step_times(model, tuple(names), repeat=3 if quick else 7).items():
            found[name].append((facts, 1e9 * seconds / 4.0))
    return found


def fit(
    rows: list[tuple[dict[str, float], float]], names: tuple[str, ...], least: float = 1e-9
) -> tuple[dict[str, float], np.ndarray]:
    """Non-negative coefficients, those above `least`, and the relative errors of the fit."""
    from scipy.optimize import nnls

    A = np.array([[facts[name] / time for name in names] for facts, time in rows])
    coefficients, _ = nnls(A, np.ones(len(rows)))
    return {
        name: round(float(c), 5 if c > 1e-3 else 12) for name, c in zip(names, coefficients, strict=True) if c > least
    }, A @ coefficients - 1.0


def write_fit(content: dict, section: str, errors: str, rows: dict[str, list], names: dict[str, tuple[str, ...]]) -> None:
    """Coefficients of all methods into one section, and how well they fit into another."""
    content[section], content[errors] = {}, {}
    for name, own in rows.items():
        content[section][name], error = fit(own, names[name])
        rms, worst = float(np.sqrt(np.mean(error**2))), float(np.abs(error).max())
        content[errors][name] = {"rms": round(rms, 3), "worst": round(worst, 3)}
        print(f"{section}: {name:18} {len(own)} mechanisms, relative error rms {rms:.3f}, worst {worst:.3f}")


def derivations(quick: bool) -> dict[str, dict[str, float]]:
    """Of derived code: seconds to derive and compile it, and seconds of an evaluation by its operations."""
    from loop_models import andrews, five_loops

    from symbolic import derivation, evaluation, planar_chain, slider_crank

    sizes = (1, 4, 12) if quick else (1, 2, 4, 8, 14, 20)
    trees = [make(n) for n in sizes for make in (planar_chain, lambda n: chain(n, 1), lambda n: chain(max(1, n // 2), 3))]
    loops = [slider_crank(), andrews(), five_loops(), *map(engine, (1, 3, 5)), *map(four_bar, (1, 2, 4, 7))]
    made, evaluated = [], []  # type: list[tuple[dict[str, float], float]], list[tuple[dict[str, float], float]]
    for model in [*trees, *loops]:
        system = model.compile()
        made.append((derivation_features(system), derivation(model)))
        system.derive()
        evaluated.append(({"operations": system.derived.derivation.operations}, evaluation(system)))
        print(f"{model.name:40} derived in {made[-1][1]:.3f} s, {evaluated[-1][0]['operations']} operations", flush=True)
    found = {"derivation": fit(made, tuple(made[0][0])), "evaluation": fit(evaluated, ("operations",), 0)}
    for name, (numbers, error) in found.items():
        print(f"{name}: {numbers}, relative error rms {np.sqrt(np.mean(error**2)):.3f}, worst {np.abs(error).max():.3f}")
    return {name: numbers for name, (numbers, _) in found.items()}


def main(quick: bool = False) -> None:
    """Measure, fit, write; `--loops`: mechanisms with loops only; `--symbolic`: derivations only; `--quick`: fewer sizes."""
    content = json.loads(FILE.read_text())
    content["symbolic"] = derivations(quick)
    if "--symbolic" in sys.argv:
        FILE.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        return
    if "--loops" not in sys.argv:
        write_fit(content, "methods", "relative_error_of_fit", measured(quick), FEATURES)
    own = {name: (*FEATURES[name], *LOOPS, *names) for name, names in OWN_LOOPS.items()}
    write_fit(content, "loops", "relative_error_of_fit_with_loops", measured_loops(quick), own)
    FILE.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    print(f"written: {FILE.name}")


if __name__ == "__main__":
    main("--quick" in sys.argv)
