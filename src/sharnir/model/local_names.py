"""Names with a meaning of their own inside one element, which must not hide a parameter or a signal of the model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from sharnir.errors import FormulaError, ModelError
from sharnir.model.constraints.variables import RATE
from sharnir.model.events import START, Event, SetMotion
from sharnir.model.formula import parse
from sharnir.model.given_functions import formulas
from sharnir.model.links import element_formulas
from sharnir.model.signals import Difference, SignalElement
from sharnir.model.signals.signal_element import SECOND_RATE


class Local(NamedTuple):
    """A formula of an element, and the names that mean something there alone."""

    field: str
    text: str
    names: Collection[str]
    tables: Mapping[str, int] | None = None


def local_formulas(element: Any) -> Iterator[Local]:
    """The formulas of an element that have names of their own.

    >>> from sharnir.model import Drag
    >>> [(x.field, x.names) for x in local_formulas(Drag("air", "ball", density="1.2*exp(-h/8500)"))]
    [('density', ('h',))]
    """
    if isinstance(element, SignalElement):
        yield from _of_variables(element)
    else:
        tables = getattr(element, "table_sizes", None)
        yield from (Local(*found, tables) for found in element_formulas(element))
    for action in element.actions if isinstance(element, Event) else ():
        if isinstance(action, SetMotion):
            yield from (Local("actions", text, START) for text in formulas(action.motion))


def _of_variables(element: Any) -> Iterator[Local]:
    """Formulas with variables, inputs, states and tables that the element itself declares."""
    tables = getattr(element, "table_sizes", {})
    if isinstance(element, Difference):
        same = {name for name, text in element.inputs.items() if text.strip() == name}  # an input that is the signal itself
        own = ({*element.inputs, *element.states} - same) | {"y", *tables}
        yield from (Local("inputs", text, tuple(tables), tables) for text in element.inputs.values())
        yield from (Local("updates", text, own, tables) for text in element.updates.values())
        yield Local("output", element.output, own, tables)
        return
    own = {name + end for name in getattr(element, "variables", {}) for end in ("", RATE, SECOND_RATE)} | set(tables)
    yield from (Local(field, text, own, tables) for field, text in element.formulas())


def check_local_names(element: Any, parameters: Collection[str], signals: Collection[str]) -> None:
    """Refuse formulas in which a name of the element hides a parameter or a signal of the model.

    >>> from sharnir.model import Drag
    >>> check_local_names(Drag("air", "ball", density="1.2*exp(-h/8500)"), {"h": 3.0}, ())
    Traceback (most recent call last):
    sharnir.errors.ModelError: Drag 'air': density = '1.2*exp(-h/8500)': 'h' has a meaning of its own here and would hide the \
parameter 'h' of the model; rename the parameter
    """
    if not parameters and not signals:
        return
    for field, text, names, tables in local_formulas(element):
        hidden = [name for name in names if name in parameters or name in signals]
        if not hidden:
            continue
        try:
            used = parse(text, (), None, dotted=True, tables=tables).names
        except FormulaError:  # reported by the check of the formula itself
            continue
        for name in sorted(used.intersection(hidden)):
            kind = "parameter" if name in parameters else "signal"
            label = getattr(element, "label", "base_motion")
            raise ModelError(
                f"{label}: {field} = {text!r}: {name!r} has a meaning of its own here and would hide the {kind} {name!r} of the "
                f"model; rename the {kind}",
                field=field,
            )


def check_all_names(model: Any) -> None:
    """No name of an element hides a parameter or signal of the model, and no signal has the name of a parameter."""
    parameters, signals = model.parameters, model.signals
    both = sorted(set(parameters) & set(signals))
    if both:
        raise ModelError(
            f"{signals[both[0]].label}: the model has a parameter {both[0]!r}, too, and formulas could mean either; rename one"
        )
    if not parameters and not signals:
        return
    parts = (model.joints, model.signals, model.forces, model.constraints, model.events)
    for element in (*(x for part in parts for x in part.values()), *([model.base_motion] if model.base_motion else [])):
        check_local_names(element, parameters, signals)
