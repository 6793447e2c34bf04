"""Limits of one joint coordinate, as robot descriptions give them."""

from __future__ import annotations

import math
from typing import Any

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, sequence, settle
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import Number, default, element


@element
class Limits(Parametric):
    """Range of a coordinate [rad or m], largest drive effort [N m or N] and speed [rad/s or m/s].

    >>> Limits(-1.5, 1.5).effort
    inf
    """

    lower: Number = default(-math.inf)
    upper: Number = default(math.inf)
    effort: Number = default(math.inf)
    velocity: Number = default(math.inf)

    def __post_init__(self) -> None:
        for field in ("lower", "upper"):
            settle(self, **{field: number(getattr(self, field), "Limits", field, finite=False)})
        for field in ("effort", "velocity"):
            settle(self, **{field: number(getattr(self, field), "Limits", field, finite=False, low=0)})
        if self.lower > self.upper:
            fail("Limits", "lower", f"= {shown(self.lower)} is above upper = {shown(self.upper)}; exchange them")


def stored_limits(value: Any, count: int, label: str) -> tuple[Limits | None, ...] | None:
    """None, or one Limits (or None) per freedom; a pair means (lower, upper)."""
    if value is None:
        return None
    if isinstance(value, Limits):
        value = (value,)
    entries = sequence(value, label, "limits", "(lower, upper) or one such pair per freedom")
    if count == 1 and len(entries) == 2 and all(isinstance(entry, (int, float)) for entry in entries):
        entries = (entries,)
    if len(entries) != count:
        fail(label, "limits", f"= {shown(value)} must have one pair (lower, upper) per freedom: {count}")
    limits = tuple(one_limits(entry, label) for entry in entries)
    return limits if any(entry is not None for entry in limits) else None


def one_limits(value: Any, label: str) -> Limits | None:
    """Limits of one freedom from Limits, a pair, or None."""
    if value is None or isinstance(value, Limits):
        return value
    pair = sequence(value, label, "limits", "a pair (lower, upper)")
    if len(pair) != 2:
        fail(label, "limits", f"= {shown(value)} must be a pair (lower, upper)")
    lower, upper = (number(bound, label, "limits", finite=False) for bound in pair)
    if lower > upper:
        fail(label, "limits", f"= ({lower!r}, {upper!r}) are reversed; the lower one comes first")
    return Limits(lower, upper)
