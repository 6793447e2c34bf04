"""Which method a model gets when the user does not say: the cheapest by a cost model fitted to measurements."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from sharnir.dynamics.assemble import Assembly


@cache
def cost_model() -> dict[str, Any]:
    """Coefficients per method, nanoseconds per unit of each feature; made by benchmarks/fit_cost_model.py."""
    return json.loads((files("sharnir.dynamics") / "cost_model.json").read_text())


def features(parent: list[int], count_v: list[int], ancestor: list[int]) -> dict[str, float]:
    """What costs depend on: bodies, speeds, lengths of paths, and the operations of a Cholesky along the tree.

    >>> features([-1, 0], [1, 1], [-1, 0])["speeds"]
    2.0
    """
    level = np.zeros(len(ancestor))
    for k, a in enumerate(ancestor):
        level[k] = 1.0 if a < 0 else level[a] + 1.0
    depth = np.zeros(len(parent))
    for i, p in enumerate(parent):
        depth[i] = 1.0 if p < 0 else depth[p] + 1.0
    n = float(len(ancestor))
    return {
        "evaluation": 1.0,
        "bodies": float(len(parent)),
        "speeds": n,
        "path_bodies": float(depth @ np.array(count_v, float)),
        "path_speeds": float(level.sum()),
        "cholesky": float((level**2).sum()),
        "square": n * n,
    }


def predicted_cost(method: str, found: dict[str, float]) -> float:
    """Nanoseconds of one evaluation."""
    return sum(c * found[name] for name, c in cost_model()["methods"][method].items())


def choose_method(a: Assembly) -> str:
    """The method with the lowest predicted cost among those that can solve the model."""
    c = a.coordinates
    candidates = ["composite"] if c.mimics else ["articulated", "composite"]
    found = features(a.placement.parent, c.count_v, c.ancestor)
    return min(candidates, key=lambda name: predicted_cost(name, found))
