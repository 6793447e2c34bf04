"""The parameters of a model: numbers by name, each with its unit, description and range if they were given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sharnir.arguments import advising, mapping, shown
from sharnir.errors import ModelError
from sharnir.model.checks import element_name, fail, number, sequence, settle
from sharnir.model.formula.parser import reserved, similar

VARIABLES = ("q", "v", "t", "x")  # names that mean something in formulas already


@advising
@dataclass(frozen=True)
class Parameter:
    """A number that formulas of a model refer to by name.

    value : its number.   unit, description : for people.   range : (least, greatest) value that it may have.

    >>> Parameter(0.5, unit="m", range=(0.1, 2)).range
    (0.1, 2.0)
    """

    value: float
    unit: str = ""
    description: str = ""
    range: Sequence[float] | None = None

    def __post_init__(self) -> None:
        settle(self, value=number(self.value, "Parameter", "value"))
        for field in ("unit", "description"):
            if not isinstance(getattr(self, field), str):
                fail("Parameter", field, f"= {shown(getattr(self, field))} must be text")
        if self.range is not None:
            pair = sequence(self.range, "Parameter", "range", "two numbers (least, greatest)")
            if len(pair) != 2:
                fail("Parameter", "range", f"= {shown(self.range)} must be two numbers (least, greatest)")
            low, high = (number(bound, "Parameter", "range", finite=False) for bound in pair)
            if low > high:
                fail("Parameter", "range", f"= ({low!r}, {high!r}) is reversed; the least value comes first")
            settle(self, range=(low, high))

    @property
    def plain(self) -> bool:
        """Whether it is nothing but a number."""
        return not (self.unit or self.description or self.range)


def checked_parameter(name: str, value: Any) -> Parameter:
    """A parameter from a number, a Parameter or a dict of its entries; names that formulas cannot use are refused.

    >>> checked_parameter("k", 3).value
    3.0
    """
    element_name(name, "parameter")
    label = f"parameter {name!r}"
    if reserved(name) or name in VARIABLES:
        remedy = "use letters, digits and _, and no name of a function or of the variables q, v, t, x"
        raise ModelError(f"{label}: this name cannot be used in formulas; {remedy}", field=name)
    if isinstance(value, Mapping):
        entries = mapping(value, label, "value", "a number or {'value': …, 'unit': …, 'description': …, 'range': …}")
        unknown = entries.keys() - {"value", "unit", "description", "range"}
        if unknown or "value" not in entries:
            said = f"has no entry {sorted(unknown)[0]!r}" if unknown else "has no value"
            raise ModelError(f"{label}: {said}; give value, and unit, description, range if you like", field=name)
    else:
        entries = {"value": value}
    try:
        found = value if isinstance(value, Parameter) else Parameter(**entries)
    except ModelError as error:
        raise ModelError(str(error).replace("Parameter", label, 1), field=name) from None
    check_range(name, found.value, found)
    return found


def check_range(name: str, value: float, note: Parameter | None) -> None:
    """Refuse a value outside the range that was given for the parameter."""
    if note is not None and note.range is not None and not note.range[0] <= value <= note.range[1]:
        low, high = note.range
        unit = f" {note.unit}" if note.unit else ""
        raise ModelError(
            f"parameter {name!r}: value = {value!r} is outside its range {low!r} … {high!r}{unit}; choose a value inside, or "
            "give the parameter another range",
            field=name,
        )


class Parameters(dict[str, float]):
    """Parameters by name. Setting one changes the elements whose numbers are formulas of it.

    notes : the parameters that have a unit, a description or a range.

    >>> from sharnir.model import Body, Model
    >>> m = Model(parameters={"m1": 2.0})
    >>> _ = m.add(Body("bob", mass="m1/2"))
    >>> m.parameters["m1"] = 3.0
    >>> m.bodies["bob"].mass
    1.5
    """

    def __init__(self, values: Any, changed: Callable[[dict[str, float]], None]) -> None:
        given = mapping({} if values is None else values, "Model", "parameters", "numbers by name")
        known: dict[str, Parameter] = getattr(values, "notes", {})
        found = {name: known.get(name) or checked_parameter(name, value) for name, value in given.items()}
        super().__init__({name: given[name] if name in known else one.value for name, one in found.items()})
        self.notes = {name: one for name, one in found.items() if not one.plain}
        self._changed = changed

    def changed(self, values: Mapping[str, Any], gone: Iterable[str] = ()) -> dict[str, float]:
        """These parameters with other values, checked."""
        numbers = {name: checked_parameter(name, value).value for name, value in values.items()}
        for name, value in numbers.items():
            check_range(name, value, self.notes.get(name))
        left = set(gone)
        return {name: value for name, value in (dict(self) | numbers).items() if name not in left}

    def known(self, values: Any, label: str) -> dict[str, Any]:
        """Values by name, all of which are parameters of the model."""
        given = mapping(values, label, "parameters", "values by name, such as {'l': 0.6}")
        for name in given:
            if name not in self:
                said = similar(name, list(self)).removesuffix(";")
                listed = f"it has {', '.join(self)}" if self else "it has none"
                raise ModelError(f"{label}: {name!r} is not a parameter of the model ({listed}){said}", field=name)
        return given

    def _set(self, values: Mapping[str, Any], gone: Iterable[str] = ()) -> None:
        wanted = self.changed(values, gone)
        if any(wanted.get(name) != value for name, value in self.items()):  # new ones change no element
            self._changed(wanted)
        super().clear()
        super().update(wanted)
        self.notes = {name: replace(note, value=wanted[name]) for name, note in self.notes.items() if name in wanted}
        self.notes |= {name: one for name, one in values.items() if isinstance(one, Parameter) and not one.plain}

    def __setitem__(self, name: str, value: Any) -> None:
        self._set({name: value})

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        self._set({}, (name,))

    def update(self, *values: Any, **more: Any) -> None:
        self._set({name: value for part in (*values, more) for name, value in _by_name(part).items()})

    def __ior__(self, values: Any) -> Any:  # type: ignore[misc]
        self._set(_by_name(values))
        return self

    def setdefault(self, name: str, value: Any = 0.0) -> float:
        if name not in self:
            self._set({name: value})
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        if name not in self and default:
            return default[0]
        value = self[name]
        self._set({}, (name,))
        return value

    def popitem(self) -> tuple[str, float]:
        name = list(self)[-1]
        return name, self.pop(name)

    def clear(self) -> None:
        self._set({}, tuple(self))

    def __reduce__(self) -> Any:
        return _restored, (dict(self), self.notes, self._changed)


def _by_name(values: Any) -> dict[str, Any]:
    """Values by name, from a dict or from pairs."""
    pairs = values
    if not isinstance(values, Mapping):
        try:
            pairs = dict(values)
        except (TypeError, ValueError):
            pairs = values
    return mapping(pairs, "Model", "parameters", "numbers by name")


def _restored(values: dict[str, float], notes: dict[str, Parameter], changed: Any) -> Parameters:
    found = Parameters(values, changed)
    found.notes = notes
    return found
