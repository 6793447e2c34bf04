"""Steps of runs with users' Python functions, about which nothing is known: they are sampled in every output interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate.choice import integrator_named
from sharnir.model.signals import Sampled

FEWEST, MOST = 500, 5000  # intervals of a run that are looked into, however its outputs stand

SIMPLE = {float, int, str, bool, type(None)}


def with_user_functions(system: System, settings: dict[str, Any], grid: np.ndarray) -> dict[str, Any]:
    """Settings of a run whose stages stand no further apart than outputs, if the model has users' functions.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1), sr.Prismatic("P", "ground", "b", axis="x", torque=lambda q, v, t: -q))
    >>> given = {"integrator": "bdf", "rtol": 1e-8, "max_step": 9.0}
    >>> round(with_user_functions(m.compile(), given, np.linspace(0, 10, 1001))["max_step"], 9)
    0.01
    """
    if not settings.get("control", True) or len(grid) < 2 or not user_functions(system):
        return settings
    chosen = integrator_named(settings["integrator"], settings.get("order"), settings["rtol"], settings.get("options"))
    return settings | {"max_step": min(settings["max_step"], looked_into(grid) / getattr(chosen, "widest_gap", 1.0))}


def looked_into(grid: np.ndarray) -> float:
    """Length of the intervals of a run, each of which is looked into: those between outputs, neither too many nor too few.

    >>> [looked_into(np.linspace(0.0, 10.0, count)) for count in (11, 1001, 100_001)]
    [0.02, 0.01, 0.002]
    """
    span = float(grid[-1] - grid[0])
    return round(min(max(float(np.median(np.diff(grid))), span / MOST), span / FEWEST), 12)


def user_functions(system: System) -> list[str]:
    """Labels of elements that call Python functions of the user all along; what is sampled is called at its ticks only."""
    model = system.assembly.structure
    signals = [signal for signal in model.signals.values() if not isinstance(signal, Sampled)]
    elements: list[Any] = [*model.joints.values(), *model.forces.values(), *model.constraints.values(), *signals]
    elements += [] if model.base_motion is None else [model.base_motion]
    return [getattr(x, "label", type(x).__name__) for x in elements if holds_function(x)]


def holds_function(entry: Any) -> bool:
    """Whether something holds a function of the user, however deep.

    >>> holds_function((1.0, "2*t", abs)), holds_function((1.0, "2*t"))
    (True, False)
    """
    if type(entry) in SIMPLE:  # nearly all that an element holds
        return False
    if isinstance(entry, (tuple, list)):
        return any(holds_function(part) for part in entry)
    if is_dataclass(entry) and not isinstance(entry, type):
        return any(holds_function(getattr(entry, f.name)) for f in fields(entry))
    if isinstance(entry, Mapping):
        return any(holds_function(part) for part in entry.values())
    return callable(entry) and not isinstance(entry, type) and not type(entry).__module__.startswith("sharnir")
