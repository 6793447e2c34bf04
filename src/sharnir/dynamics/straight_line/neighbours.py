"""Systems of the same model at values around that of one parameter, and derivatives of sixth order of whatever they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.errors import ModelError, SharnirError

PLACES = (-3, -2, -1, 1, 2, 3)
WEIGHTS = (-1.0 / 60.0, 3.0 / 20.0, -3.0 / 4.0, 3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0)  # exact for polynomials of degree 6
STEPS = (3e-3, 3e-4, 3e-5)  # of the value, or of 1 where it is zero; shorter ones where a model cannot be built


def sixth_order(values: Any, step: float) -> np.ndarray:
    """The derivative from values at the PLACES, which are multiples of the step.

    >>> abs(float(sixth_order([k**3 for k in PLACES], 1.0))) < 1e-15
    True
    """
    return np.tensordot(np.array(WEIGHTS) / step, np.array([np.asarray(x, float) for x in values]), 1)


class Neighbours:
    """Systems at values of one parameter around its own; they are built as the system was, but compute by the engine."""

    def __init__(self, system: Any, name: str) -> None:
        if system.origin is None:
            raise ModelError("derivatives by parameters: this system was not compiled from a model; use Model.compile")
        known = system.origin.model.parameters
        known.known({name: 0.0}, "derivatives by parameters")
        self.value = float(system.values.get(name, known[name]))
        said = ""
        for step in STEPS:
            self.step = step * (abs(self.value) or 1.0)
            try:
                self.systems = [_built(system, {name: self.value + k * self.step}) for k in PLACES]
            except SharnirError as error:
                said = str(error)
                continue
            if all(_alike(system, other) for other in self.systems):
                return
            said = "more than numbers of its equations would change"
        raise ModelError(
            f"parameter {name!r}: the derivative with respect to it does not exist at {self.value!r}: {said}", field=name
        )

    def slope(self, function: Callable[[Any], Any]) -> np.ndarray:
        """The derivative of something that a system has."""
        return sixth_order([function(other) for other in self.systems], self.step)


def _built(system: Any, values: dict[str, float]) -> Any:
    """The system with other values, whatever ranges parameters have."""
    origin = system.origin
    model = origin.model.copy()
    model.parameters.notes = {}
    model.parameters.update(system.values | values)
    settings = dict(origin.settings)
    if settings["method"] == "symbolic":
        settings["method"] = "auto"
    return system.rebuilding.compiled(model, **settings)


def _alike(system: Any, other: Any) -> bool:
    """Whether two systems have the same bodies, coordinates and cut joints."""
    same = system.coordinates == other.coordinates and system.speeds == other.speeds and system.n_z == other.n_z
    cuts = ([joint.name for joint in x.tree.cuts] for x in (system, other))
    return bool(same and system.tree.bodies == other.tree.bodies and len({tuple(x) for x in cuts}) == 1)
