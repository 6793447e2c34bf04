"""Systems with other values of parameters: from a table, by refilling memory, by derived code, or assembled again."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sharnir.arguments import shown
from sharnir.dynamics.parameter_refill import SKEW, NotRefillable, Refill
from sharnir.dynamics.parameter_table import ParameterTable
from sharnir.errors import ModelError, SharnirError

if TYPE_CHECKING:
    from sharnir.dynamics.system import System
    from sharnir.dynamics.system_origin import Origin

MANY = 12  # number of systems from which a table of numbers pays


def systems_with(system: System, rows: Sequence[Mapping[str, float]]) -> list[System]:
    """A system for each set of values of the model's parameters, as if the model had been built with them."""
    origin = system.origin
    if origin is None:
        raise ModelError("with_parameters: this system was not compiled from a model; use Model.compile")
    known = origin.model.parameters
    if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
        raise ModelError(f"with_many_parameters: {shown(rows)} must be a list of values by name, such as [{{'l': 0.6}}]")
    wanted = [known.changed(system.values | known.known(values, "with_parameters")) for values in rows]
    if not wanted:
        return []
    origin.asked += len(wanted)  # making a plan takes time: it is made at the second request
    first = [origin.build(wanted[0])] if origin.asked == len(wanted) else []
    others = wanted[len(first) :]
    if system.derived is None:
        found = refilled(system, others) if others else []
    else:
        found = [_by_derived_code(origin, row) for row in others]
    systems = [*first, *(origin.build(row) if other is None else other for other, row in zip(found, others, strict=True))]
    for other, row in zip(systems, wanted, strict=True):
        other.values = {name: value for name, value in row.items() if value != known[name]}
    return systems


def _by_derived_code(origin: Origin, wanted: Mapping[str, float]) -> System | None:
    """A system with other values that runs the same derived code on other numbers; None if that is not possible."""
    from sharnir.dynamics.straight_line.derivatives import parametric_code

    base, known = origin.system, origin.model.parameters
    names = [name for name, value in wanted.items() if value != known[name]]
    other = base.rebuilding.compiled(origin.model.with_parameters(**wanted), **(dict(origin.settings) | {"method": "auto"}))
    try:
        other.derived = parametric_code(base, names).functions(other)
    except ModelError:
        return None
    if other.derived is None:
        return None
    other.method, other.may_derive, other.origin = "symbolic", False, origin
    return other


def refilled(system: Any, rows: Sequence[Mapping[str, float]]) -> list[Any]:
    """Systems for other values of all parameters by writing what depends on them again; None where one has to be built."""
    origin = system.origin
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
