"""A smooth function of one variable with its first two derivatives: cam profiles, coordinates of curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sharnir.arguments import shown
from sharnir.model.checks import fail
from sharnir.model.constraints.vector_formula import Helper
from sharnir.model.formula import Expression, parse
from sharnir.model.given_functions import Table, stored_entry
from sharnir.symbolic.nodes import Name, Number

SHAPE = "(value, slope, curvature)"


def stored_profile(value: Any, variable: str, label: str, field: str) -> Any:
    """A checked number, formula, cubic Table, or triple (value, slope, curvature) of these and of Python functions.

    >>> stored_profile("0.1*sin(q)", "q", "Cam 'c'", "profile")
    '0.1*sin(q)'
    """
    if isinstance(value, (tuple, list)):
        if len(value) != 3:
            fail(label, field, f"= {shown(value)} must be a function of {variable} or a triple {SHAPE}")
        return tuple(stored_entry(entry, (variable,), label, field) for entry in value)
    entry = stored_entry(value, (variable,), label, field)
    if isinstance(entry, Table) and entry.kind != "cubic":
        fail(label, field, 'is a Table of kind "linear", whose slope jumps; use kind="cubic"')
    if callable(entry):
        called = getattr(entry, "__name__", repr(entry))
        remedy = f"give the triple {SHAPE} of functions, a formula, or a cubic Table"
        fail(label, field, f"= {called} is a Python function, whose slope and curvature are not known; {remedy}")
    return entry


def profile_expressions(
    entry: Any, argument: str, prefix: str, parameters: Mapping[str, float], variable: str
) -> tuple[tuple[Expression, ...], tuple[Helper, ...]]:
    """Value, slope and curvature at `argument` as expressions, and the helpers that they need.

    entry : stored form, a function of `variable`.
    prefix : begins the names of the helpers.

    >>> [str(e) for e in profile_expressions("q^2", "a", "p", {}, "q")[0]]
    ['a^2.0', '2.0*a', '2.0']
    """
    if isinstance(entry, str):
        value = parse(entry, (variable,), parameters).renamed({variable: argument})
        slope = value.derivative(argument)
        return (value, slope, slope.derivative(argument)), ()
    if isinstance(entry, float):
        return tuple(Expression(Number(number), (argument,)) for number in (entry, 0.0, 0.0)), ()
    parts = entry if isinstance(entry, tuple) else (entry,) * 3
    expressions, helpers = [], []
    for order, part in enumerate(parts):
        if isinstance(part, float):
            expressions.append(Expression(Number(part), (argument,)))
        elif isinstance(part, str):
            expressions.append(parse(part, (variable,), parameters).renamed({variable: argument}))
        else:
            name = f"{prefix}{order}"
            expressions.append(Expression(Name(name), (argument, name)))
            helpers.append(Helper(name, part, 0 if isinstance(entry, tuple) else order, argument))
    return tuple(expressions), tuple(helpers)
