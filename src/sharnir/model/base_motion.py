"""Prescribed motion of the ground."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.errors import ModelError
from sharnir.model.checks import settle
from sharnir.model.given_functions import stored_motion
from sharnir.model.parameters.template import Parametric, Template
from sharnir.model.values import Motion, default, element


@element
class BaseMotion(Parametric):
    """The ground moves by (x, y, z) [m] and turns by rx about x, then ry about y', then rz about z'' [rad].

    Each entry is None or, as a function of time, a number, formula, Table, callable, or a triple of these
    (position, speed, acceleration).

    >>> BaseMotion(z="0.01*sin(20*t)").driven
    ('z',)
    """

    x: Motion = default(None)
    y: Motion = default(None)
    z: Motion = default(None)
    rx: Motion = default(None)
    ry: Motion = default(None)
    rz: Motion = default(None)

    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = dict.fromkeys(("x", "y", "z", "rx", "ry", "rz"), ("t",))

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            settle(self, **{name: stored_motion(getattr(self, name), "base_motion", name)})

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the entries that are given."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is not None)


def stored_base_motion(value: Any) -> Any:
    """A BaseMotion from a BaseMotion, a dict of its entries, or None."""
    if value is None or isinstance(value, (BaseMotion, Template)):
        return value
    known = [field.name for field in fields(BaseMotion)]
    if not isinstance(value, dict) or not set(value) <= set(known):
        message = f"Model: base_motion = {shown(value)} must be a BaseMotion or a dict of {', '.join(known)}"
        raise ModelError(message, field="base_motion")
    return BaseMotion(**value)
