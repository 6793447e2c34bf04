"""Forces of the air on bodies with axes → their records."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.forces.aerodynamics import AERODYNAMICS
from sharnir.dynamics.forces.force_elements import force_function
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.blocks import Blocks
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.errors import ModelError
from sharnir.model.forces import Aerodynamics
from sharnir.model.frames import rotation_matrix


def aerodynamics_row(blocks: Blocks, row: np.ndarray, force: Aerodynamics, drawing: Drawing) -> None:
    """The record of forces of the air."""
    place, name, i = drawing.place, str(force.body), drawing.number(str(force.body))
    if i < 0:
        raise ModelError(f"{force.label}: body = {name!r} does not move; name another body", field="body")
    centre = place.user_position[i] + place.user_rotation[i] @ np.array(drawing.model.body(name).com)
    at = place.point(i, centre if force.at is None else np.array(force.at))
    axes = place.user_rotation[i] if force.rotation is None else np.array(rotation_matrix(force.rotation))
    numbers = [*at, *drawing.direction(name, axes).ravel(), force.area, force.length, *force.damping]
    fields = {"wind": force.wind, "density": (force.density,), "sound": (0.0 if force.sound is None else force.sound,)}
    fields |= {"drag": (force.drag,), "side": (force.side,), "lift": (force.lift,), "moment": force.moment}
    entries: list[tuple[Any, tuple[str, ...]]] = [(x, force.formula_fields[key]) for key, xs in fields.items() for x in xs]
    addresses = [0 if isinstance(x, float) else drawing.functions.scalar(x, names, force.label) for x, names in entries]
    row[L.BODY_A], row[L.BODY_B] = i, -1
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, *(x if isinstance(x, float) else 0.0 for x, _ in entries)])
    row[L.FUNCTION], row[L.FUNCTION + 1] = force_function(AERODYNAMICS), blocks.append("table", None, addresses)
