"""Formulas of the model's parameters in place of numbers: where they may appear in a field, and their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import FormulaError
from sharnir.model.formula import Expression, parse
from sharnir.model.formula.parser import LONGEST
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.nodes import Name, Node, Number, Operand, node_of
from sharnir.symbolic.printing import Piece, Text, written

SCALAR = frozenset({"number", "integer", "numbers", "friction"})  # kinds of fields that are text where they are one formula
# kinds whose lists hold numbers, so that text in them is a formula
LISTS = frozenset({"vector", "six", "list", "matrix", "inertia", "axis", "rotation", "color", "numbers", "limits"})
NAMED = frozenset({"mimic", "terms"})  # text that comes first is a name
DEEPEST = 8  # lists inside each other; a table on a grid has five
OTHER_TEXT = frozenset({"name", "names", "text", "flag", "code", "freedom", "reduced"})


class ExactText(Text):
    """Text that `parse` reads to the same numbers."""

    def number(self, value: Any) -> Piece:
        return (repr(value), super().number(1)[1]) if isinstance(value, float) else super().number(value)


def formula_text(node: Operand) -> str:
    """An expression as the text of a formula.

    >>> from sharnir.symbolic.nodes import Name
    >>> formula_text(0.1 * Name("l") + 3)
    '0.1*l + 3'
    """
    if node.size > LONGEST:
        raise FormulaError(f"the expression has {node.size:.3g} operations, which are too many for a formula; use fewer")
    return written(node, ExactText())[0]  # type: ignore[arg-type]


def changed(value: Any, kind: str, change: Callable[[Any], Any], level: int = 0) -> Any:
    """The value of a field with change(x) in the place of every formula, expression and template x in it.

    >>> changed(("l", 0, "2*l"), "vector", str.upper)
    ('L', 0, '2*L')
    >>> changed("-k*q", "function", str.upper)
    '-k*q'
    """
    if isinstance(value, str):
        return change(value) if (kind in SCALAR if level == 0 else kind in LISTS or kind == "values") else value
    if isinstance(value, (Operand, Unfinished)):
        return change(value)
    if level > DEEPEST or (isinstance(value, Mapping) and (kind in LISTS or kind in SCALAR)):
        return value
    if isinstance(value, Mapping):
        return {name: changed(part, kind, change, level + 1) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "OU":
            return value
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        if kind == "mimic":
            return (*value[:1], *(changed(part, "number", change) for part in value[1:]))
        if kind == "terms":
            return tuple(changed(part, "mimic", change) for part in value)
        found = [changed(part, kind, change, level + 1) for part in value]
        return value if all(a is b for a, b in zip(found, value, strict=True)) else tuple(found)
    return value


class Unfinished:
    """Something that has formulas in the place of numbers; see Template."""


class Found(Exception):
    """There is a formula."""


def has_formulas(value: Any, kind: str) -> bool:
    """Whether formulas stand where a field of this kind holds numbers, or expressions anywhere.

    >>> has_formulas(("l", 0, 0), "vector"), has_formulas("y", "axis"), has_formulas("m", "number")
    (True, False, True)
    """
    if value is None or type(value) in (float, int, bool):
        return False
    if kind in OTHER_TEXT and not isinstance(value, (Operand, Unfinished)):
        return False

    def stop(_: Any) -> Any:
        raise Found

    try:
        changed(value, kind, stop)
    except Found:
        return True
    return False


@lru_cache(maxsize=4096)
def read(text: str) -> Expression:
    """A formula of names that may be parameters of some model."""
    return parse(text, (), None)


def expression(value: Any) -> Node:
    """A number, a formula or an expression as an expression.

    >>> str(expression("2*l") + 1)
    '2*l + 1'
    """
    return read(value).node if isinstance(value, str) else node_of(value)


def names_in(text: str) -> set[str]:
    """Names in a formula.

    >>> sorted(names_in("2*l + sin(a)"))
    ['a', 'l']
    """
    return set(read(text).names)


def value_of(text: str, parameters: Mapping[str, float], label: str, field: str) -> float:
    """The number that a formula gives; names other than parameters and values that are not finite are refused.

    >>> value_of("2*l", {"l": 0.5}, "Body 'arm'", "mass")
    1.0
    """
    formula = read(text)
    node = formula.node
    if isinstance(node, Number):
        return float(node.value)
    if isinstance(node, Name) and node.name in parameters:
        return float(parameters[node.name])
    if not formula.names <= parameters.keys():
        try:
            parse(text, (), parameters)
        except FormulaError as error:
            remedy = "add it with model.parameter(name, value), or under [parameters] in a file"
            message = f"{label}: {field}: {error.reason} ({remedy})"
            raise FormulaError(message, text=error.text, position=error.position, field=field) from None
    with np.errstate(all="ignore"):
        try:
            value = evaluated((node,), parameters)[0]
        except (OverflowError, ZeroDivisionError, ValueError):
            value = math.nan
    if not math.isfinite(value):
        said = f"= {shown(text)} has no finite value{with_values(text, parameters)}"
        raise FormulaError(f"{label}: {field} {said}; change the formula or the values", field=field)
    return value


def with_values(text: str, parameters: Mapping[str, float]) -> str:
    """The parameters in a formula with their values, for messages.

    >>> with_values("2*l", {"l": 0.5, "m": 1.0})
    ' with l = 0.5'
    """
    listed = ", ".join(f"{name} = {parameters[name]!r}" for name in sorted(names_in(text)) if name in parameters)
    return f" with {listed}" if listed else ""
