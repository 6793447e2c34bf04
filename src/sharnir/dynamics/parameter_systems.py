"""Systems with other values of parameters: which of three ways gives them, a table of numbers, a plan, or building them anew."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from sharnir.dynamics.parameter_refill import SKEW, NotRefillable, Refill
from sharnir.dynamics.parameter_table import ParameterTable
from sharnir.errors import SharnirError

MANY = 12  # systems after which a table of numbers is worth its making


def refilled(system: Any, rows: Sequence[Mapping[str, float]]) -> list[Any]:
    """Systems for other values of all parameters by writing what depends on them again; None where one has to be built."""
    origin = system.origin
    if system.derived is not None:  # its code has the numbers in it
        return [None] * len(rows)
    known = origin.model.parameters
    names = {name for row in rows for name, value in row.items() if value != known[name]}
    if not names <= origin.planned:  # the first plan is for the parameters that are changed, the next one for all
        origin.planned = set(known) if origin.planned else names
        origin.plan, origin.filled = _plan(origin, set(known) - origin.planned), 0
        origin.many = None
    plan = origin.plan
    if plan in (None, False):
        return [None] * len(rows)
    origin.filled += len(rows)
    if origin.filled > MANY and origin.many is None:
        origin.many = _many(plan)
    if origin.many and all(row[name] == known[name] for row in rows for name in plan.fixed):
        try:
            return list(origin.many.systems(rows))
        except (NotRefillable, SharnirError):
            pass
    return [_refilled(plan, row, known) for row in rows]


def _refilled(plan: Any, row: Mapping[str, float], known: Mapping[str, float]) -> Any:
    """One system; None if more than numbers would change, or something is wrong: building anew says what."""
    if any(row[name] != known[name] for name in plan.fixed):
        return None
    try:
        return plan.system(row)
    except (NotRefillable, SharnirError):
        return None


def _many(plan: Any) -> Any:
    """The table of a plan; False if there is none."""
    try:
        return ParameterTable(plan)
    except (NotRefillable, SharnirError):
        return False


def _plan(origin: Any, fixed: set[str]) -> Any:
    """A plan in which these parameters keep their values; False if there is none.

    Where a number that is zero becomes another one, more than numbers may change; parameters that are zero then stay so.
    """
    still = fixed | {name for name, value in origin.model.parameters.items() if value == 0.0}
    for kept, skew in itertools.product((fixed, still), (SKEW, 0.0)):
        try:
            return Refill(origin, kept, skew)
        except (NotRefillable, SharnirError):
            continue
    return False
