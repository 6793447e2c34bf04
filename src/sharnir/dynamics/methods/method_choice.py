"""The default method of a model: the cheapest according to a cost model fitted to measurements.

The iterative methods are never chosen: they remember the state before, so results would depend on the order of evaluations,
and in the measurements (benchmarks/auto_choice.py) they are not the fastest anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.memory_builder import Assembly
from sharnir.dynamics.methods.all_methods import ALL_METHODS, FEW_EQUATIONS, METHODS
from sharnir.errors import ModelError

CANDIDATES = tuple(name for name, method in ALL_METHODS.items() if method.candidate)
# Separate bodies stay unless another method saves this part: only they run batches in vector registers, and they keep
# the most digits on long chains.
WORTH_IT = 0.05
MANY_SPEEDS = 100  # with loops; beyond, no method was faster than separate bodies, and the features of all paths take time


@cache
def cost_model() -> dict[str, Any]:
    """Coefficients per method, nanoseconds per unit of each feature; made by benchmarks/fit_cost_model.py."""
    return json.loads((files("sharnir.dynamics.methods") / "cost_model.json").read_text())


def levels(before: Sequence[int], own: Sequence[int] | None = None) -> np.ndarray:
    """How many there are on the way from each to the base, itself included; `own` counts each as so many.

    >>> levels([-1, 0, 1, 0]).tolist()
    [1.0, 2.0, 3.0, 2.0]
    """
    found: list[float] = []
    for k, b in enumerate(before):
        found.append((1.0 if own is None else own[k]) + (found[b] if b >= 0 else 0.0))
    return np.array(found)


def features(a: Assembly) -> dict[str, float]:
    """What costs depend on: numbers of bodies, joints and speeds, lengths of paths, operations of the eliminations."""
    c, parent = a.coordinates, a.placement.parent
    n, kind, speeds = c.n_v, np.array(c.kind), np.array(c.count_v, float)
    level = levels(c.ancestor)
    solved = np.arange(1.0, n + 1.0) if c.mimics else level  # mimic joints tie branches together: the matrix fills up
    above = levels(parent, c.count_v)  # speeds on the path of each body
    of = np.array(parent)
    apart = ((of >= 0) & (of != np.arange(len(of)) - 1)).sum()
    row = np.argsort(of, kind="stable")  # sisters side by side
    sisters = np.arange(len(of)) - np.searchsorted(of[row], of[row])  # earlier ones
    neighbours = np.empty(len(of))
    neighbours[row] = np.where(of[row] < 0, 0, sisters + 1)  # earlier sisters, and the parent
    found = {
        "evaluation": 1.0,
        "bodies": float(len(parent)),
        "hinges": float(np.isin(kind, (L.REVOLUTE, L.PRISMATIC)).sum()),
        "quaternions": float(np.isin(kind, (L.BALL, L.FREE)).sum()),
        "sequence_freedoms": float(np.array(c.count_freedom)[kind == L.SEQUENCE].sum()),
        "speeds": float(n),
        "branches": float(apart),
        "path_bodies": float(levels(parent) @ speeds),
        "path_speeds": float(level.sum()),
        "body_speeds": float(above.sum()),
        "body_pairs": float((above**2).sum()),
        "cholesky": float((solved**2).sum()),
        "square": float(n) ** 2,
        "multipliers": float((1.0 + neighbours) ** 2 @ (6.0 - speeds) ** 2),
    }
    return found | loop_features(a, level) if a.elements else found


def loop_features(a: Assembly, level: np.ndarray) -> dict[str, float]:
    """What the part of multipliers depends on: equations, lengths of their paths, speeds that pairs of elements share."""
    c, parent = a.coordinates, a.placement.parent
    body_of = np.repeat(np.arange(len(parent)), c.count_v)
    fill = np.bincount(body_of, level, len(parent))  # numbers in the rows of a triangular factor, per body
    paths, counts = [], [e.count for e in a.elements]
    for e in a.elements:
        path: set[int] = set()
        for target in e.targets:
            i = target if target >= -1 else int(body_of[-2 - target])
            while i >= 0 and i not in path:
                path.add(i)
                i = parent[i]
        paths.append(path)
    speeds = [sum(c.count_v[i] for i in path) for path in paths]
    shared = [counts[e] * counts[f] * sum(c.count_v[i] for i in paths[e] & paths[f]) for e, f in a.pairs]
    rows = float(sum(counts))
    return {
        "elements": float(len(a.elements)),
        "rows": rows,
        "row_bodies": float(sum(n * len(path) for n, path in zip(counts, paths, strict=True))),
        "row_speeds": float(np.dot(counts, speeds)),
        "row_fill": float(sum(n * fill[list(path)].sum() for n, path in zip(counts, paths, strict=True))),
        "pair_speeds": float(sum(shared)),
        "pair_columns": float(sum(counts[e] * counts[f] * speeds[f] for e, f in a.pairs)),
        "row_tree_bodies": rows * len(parent),
        "row_tree_speeds": rows * c.n_v,
        "row_cube": rows**3 if rows <= FEW_EQUATIONS else 0.0,
        "row_pairs": float(sum(counts[e] * counts[f] for e, f in a.pairs)),
    }


def predicted_cost(method: str, found: dict[str, float]) -> float:
    """Nanoseconds of one evaluation in a step loop.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
    >>> found = features(m.compile().assembly)
    >>> predicted_cost("articulated", found) < predicted_cost("composite", found)
    True
    """
    kind = "loops" if "rows" in found else "methods"
    return sum(c * found[name] for name, c in cost_model()[kind][method].items())


def can_solve(method: str, a: Assembly) -> bool:
    """Whether a method accepts the model.

    >>> from sharnir.app.bench import chain
    >>> can_solve("lagrange1", chain(3).compile().assembly)
    True
    """
    try:
        METHODS[method].check(a)
    except ModelError:
        return False
    return True


def choose_method(a: Assembly) -> str:
    """The method with the lowest predicted cost among those that can solve the model; with flexible bodies the O(n) one."""
    if a.coordinates.elastic:
        return "articulated" if can_solve("articulated", a) else "composite"
    if a.elements and a.coordinates.n_v > MANY_SPEEDS:
        return "articulated"
    found = features(a)
    costs = {name: predicted_cost(name, found) for name in CANDIDATES}
    costs["articulated"] *= 1.0 - WORTH_IT
    for name in sorted(costs, key=lambda name: costs[name]):
        if can_solve(name, a):
            return name
    return "composite"
