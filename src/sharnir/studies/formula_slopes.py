"""Derivatives of output formulas along changes of their channels: exact gradients from the sensitivities of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.model.formula import Expression
from sharnir.results import Result
from sharnir.studies.reductions import REDUCTIONS, integral, mean
from sharnir.studies.study_outputs import StudyOutput
from sharnir.symbolic.expression_graph import walk
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Name, Node, Number

Slope = Callable[[np.ndarray, np.ndarray, np.ndarray], float]

# t, x, ∂x → the change of the reduction; those of times (first_time, duration, …) depend on crossings and are left out
SLOPES: dict[str, Slope] = {
    "max": lambda t, x, d: float(d[np.argmax(x)]),
    "min": lambda t, x, d: float(d[np.argmin(x)]),
    "span": lambda t, x, d: float(d[np.argmax(x)] - d[np.argmin(x)]),
    "mean": lambda t, x, d: mean(t, d),
    "integral": lambda t, x, d: integral(t, d),
    "rms": lambda t, x, d: mean(t, x * d) / max(float(np.sqrt(mean(t, x * x))), 1e-300),
    "deviation": lambda t, x, d: (
        mean(t, (x - mean(t, x)) * (d - mean(t, d))) / max(float(np.sqrt(mean(t, (x - mean(t, x)) ** 2))), 1e-300)
    ),
    "initial": lambda t, x, d: float(d[0]),
    "final": lambda t, x, d: float(d[-1]),
}


def output_slope(output: StudyOutput, result: Result, parameters: Mapping[str, float], by: str, tolerance: float = 1e-9) -> float:
    """∂output/∂by of a run, by the chain rule along its formula.

    >>> import sharnir as sr
    >>> m = sr.Model(parameters={"v0": 3.0})
    >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", v="v0"))
    >>> run = m.simulate(2.0, step=0.1)
    >>> round(output_slope(StudyOutput("y", "v0*final(x.q)^2"), run, {"v0": 3.0}, "v0"), 6)
    108.0
    """
    if callable(output.formula):
        raise ModelError(f"{output.label}: a Python function has no exact derivative", field=output.name)

    def both(node: Node, parts: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        values = [value for value, _ in parts]
        value = output._value(node, values, result, parameters)
        if isinstance(node, Number):
            return value, 0.0
        if isinstance(node, Name):
            if node.name in parameters:
                return value, 1.0 if node.name == by else 0.0
            return value, 0.0 if node.name == "t" else result.sensitivity(output._channel(node.name), by, tolerance)
        function = node.function
        if function in REDUCTIONS and len(parts) == REDUCTIONS[function].arguments:
            x, d = (np.broadcast_to(np.asarray(part, float), result.t.shape) for part in parts[0])
            if function == "at":
                return value, float(np.interp(values[1], result.t, d))
            if function not in SLOPES:
                raise ModelError(f"{output.label}: {function} has no exact derivative", field=output.name)
            return value, SLOPES[function](result.t, x, d)
        return value, _chained(function, parts)

    return float(walk(output.node(), both)[1])


def _chained(function: str, parts: list[tuple[Any, Any]]) -> Any:
    """Σ ∂f/∂xₖ ∂xₖ of a function of the language."""
    names = [Name(f"x{k}") for k in range(len(parts))]
    known = {name.name: part[0] for name, part in zip(names, parts, strict=True)}
    total: Any = 0.0
    for partial, (_, change) in zip(ROWS[function].partials(*names), parts, strict=True):
        if np.any(np.asarray(change) != 0.0):
            total = total + Expression(partial, tuple(known)).evaluate(**known) * change
    return total
