"""Wheels on planes → their records."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.contact import wheel as W
from sharnir.dynamics.contact.contact_records import LAWS
from sharnir.dynamics.forces.force_elements import force_function
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.blocks import Blocks
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.model.forces import Wheel

TYRES = {"linear": W.LINEAR, "brush": W.BRUSH, "magic": W.MAGIC, "formula": W.FORMULA}


def wheel_row(blocks: Blocks, row: np.ndarray, force: Wheel, drawing: Drawing) -> None:
    """The record of a wheel."""
    a, b, tyre = str(force.wheel), str(force.surface), force.tyre
    own = ("resistance", "trail", "grip", "camber")
    names = [*(force.formula_fields[name] for name in own), *tyre.formula_fields.values()]
    names += [("load",)] * (6 - len(names))
    entries: list[Any] = [*(getattr(force, name) for name in own), *tyre.entries]
    numbers = [*drawing.point(a, force.center), *drawing.direction(a, force.axis), force.radius - force.tube, force.tube]
    numbers += [*drawing.point(b, force.through), *drawing.direction(b, force.normal), force.low_speed]
    numbers.append(force.lateral_compliance)
    numbers += [LAWS[force.law.kind], *force.law.numbers, TYRES[tyre.kind]]
    numbers += [x if isinstance(x, float) else 0.0 for x in entries]
    addresses = [
        0 if isinstance(x, float) else drawing.functions.scalar(x, variables, force.label)
        for x, variables in zip(entries, names, strict=True)
    ]
    row[L.BODY_A], row[L.BODY_B] = drawing.number(a), drawing.number(b)
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, *tyre.numbers])
    row[L.FUNCTION], row[L.FUNCTION + 1] = force_function(W.WHEEL), blocks.append("table", None, addresses)
