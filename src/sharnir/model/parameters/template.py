"""Elements with formulas of the model's parameters in place of numbers; `Model.add` makes elements with numbers of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import chain
from typing import Any, Self

import numpy as np

from sharnir.arguments import check_settings, is_triple, shown
from sharnir.errors import FormulaError, ModelError
from sharnir.model.parameters.entry_formulas import (
    DEEPEST,
    SCALAR,
    Unfinished,
    changed,
    formula_text,
    has_formulas,
    names_in,
    read,
    value_of,
    with_values,
)
from sharnir.model.values import kinds_of
from sharnir.symbolic.nodes import Name, Operand

PLAIN = frozenset({float, int, bool, type(None)})


class Parametric:
    """A class whose numbers may be formulas: with such entries its constructor gives a Template.

    >>> from sharnir.model import Body
    >>> Body("bob", mass="2*m")
    Template(Body, name='bob', mass='2*m')
    """

    def __new__(cls, *arguments: Any, **entries: Any) -> Self:
        positional, words = _FIELDS.get(cls) or _read_fields(cls)
        if words and not entries.keys() <= words.keys():
            name = entries.get("name", arguments[0] if arguments and positional[:1] == ["name"] else None)
            check_settings(
                entries,
                words,
                f"{cls.__name__} {name!r}" if isinstance(name, str) else cls.__name__,
                getattr(cls, "elsewhere", None),
            )
        for name, value in chain(zip(positional, arguments, strict=False), entries.items()):
            kind = type(value)
            if kind in PLAIN or (kind is str and words.get(name) not in SCALAR):
                continue
            if kind is tuple and (is_triple(value) or PLAIN.issuperset(map(type, value))):
                continue
            if words.get(name) == "name" and not isinstance(value, (Operand, Unfinished)):  # another element in place of its name
                continue
            if name in words and has_formulas(value, words[name]):
                given = dict(zip(positional, arguments, strict=False)) | entries
                fitting = len(given) == len(arguments) + len(entries) and given.keys() <= words.keys()
                return Template(cls, given) if fitting else object.__new__(cls)  # type: ignore[return-value]
        return object.__new__(cls)


_FIELDS: dict[type, tuple[list[str], dict[str, str]]] = {}  # of each class: names of positional fields, kinds of all


def _read_fields(cls: type) -> tuple[list[str], dict[str, str]]:
    """Positional fields and kinds of fields; no kinds of a class that does not say them, which `Model.add` refuses."""
    listed = [field.name for field in fields(cls) if field.init and not field.kw_only] if is_dataclass(cls) else []
    try:
        words = {name: kind.word for name, kind in kinds_of(cls).items()} if is_dataclass(cls) else {}
    except ModelError:
        words = {}
    _FIELDS[cls] = (listed, words)
    return _FIELDS[cls]


def _words(cls: type) -> dict[str, str]:
    """The kind of every field."""
    return (_FIELDS.get(cls) or _read_fields(cls))[1]


class Template(Unfinished):
    """An element, or a part of one, with formulas of parameters: its class, and its entries by name with formulas as text.

    >>> from sharnir.model import Body
    >>> bob = Body("bob", mass="2*m", position=("l", 0, 0))
    >>> bob.element({"m": 0.5, "l": 1.0}).mass
    1.0
    >>> sorted(bob.parameters)
    ['l', 'm']
    """

    __slots__ = ("_open", "entries", "formula_fields", "kind")

    def __init__(self, kind: type, entries: Mapping[str, Any]) -> None:
        words = _words(kind)
        self.kind = kind
        self.entries: dict[str, Any] = {}
        self.entries["name"] = entries.get("name")
        if "name" not in words:
            del self.entries["name"]
        for name, value in entries.items():
            self.entries[name] = self._stored(name, value, words[name])
        self.formula_fields = {field.partition(".")[0] for field, _ in self.formulas()}  # fields in which numbers are formulas
        # those, and fields with parts that are templates
        self._open = {field for field, value in self.entries.items() if has_formulas(value, words[field])}

    def _stored(self, field: str, value: Any, kind: str) -> Any:
        """An entry with expressions as text; text that is not a formula is refused here already."""

        def stored(part: Any) -> Any:
            if isinstance(part, Template):
                return part.name if kind in ("name", "names") else part
            if isinstance(part, Name) and kind == "name":  # SetParameter(l, …)
                return part.name
            text = formula_text(part) if isinstance(part, Operand) else part
            try:
                read(text)
            except FormulaError as error:
                message = f"{self.label}: {field}: {error.reason}"
                raise FormulaError(message, text=error.text, position=error.position, field=field) from None
            return text

        if kind == "name":
            value = getattr(value, "name", value)
        entry = _frozen(changed(value, kind, stored))
        return (*entry, *(1.0, 0.0)[len(entry) - 1 :]) if kind == "mimic" and isinstance(entry, tuple) else entry

    @property
    def label(self) -> str:
        """Its name in messages."""
        name = self.entries.get("name")
        return self.kind.__name__ if name is None else f"{self.kind.__name__} {name!r}"

    @property
    def name(self) -> Any:
        """The name of the element."""
        return self.entries.get("name")

    def formulas(self) -> Iterator[tuple[str, str]]:
        """(field, formula) of all numbers that are formulas, those of its parts too."""
        words = _words(self.kind)
        for field, value in self.entries.items():
            found: list[Any] = []

            def note(part: Any, found: list[Any] = found) -> Any:
                found.append(part)
                return part

            if words[field] not in ("name", "names"):
                changed(value, words[field], note)
            for part in found:
                if isinstance(part, Template):
                    yield from ((f"{field}.{inner}", text) for inner, text in part.formulas())
                else:
                    yield field, part

    @property
    def parameters(self) -> set[str]:
        """Names in its formulas."""
        return {name for _, text in self.formulas() for name in names_in(text)}

    @property
    def signature(self) -> Any:
        """What it adds to the element with numbers: its formulas by their fields."""
        words = _words(self.kind)
        kept = {field: self.entries[field] for field in self.formula_fields}
        kept = {field: tuple(part[1:] for part in x) if words[field] == "terms" else x for field, x in kept.items()}
        return self.kind, {field: changed(x, words[field], _signature) for field, x in kept.items()}

    def element(self, parameters: Mapping[str, float]) -> Any:
        """The element with the numbers that its formulas give."""
        words = _words(self.kind)
        values = {
            field: self._number(field, value, words[field], parameters) if field in self._open else value
            for field, value in self.entries.items()
        }
        made: Any = object.__new__(self.kind)  # its numbers are numbers now: no need to look for formulas again
        try:
            made.__init__(**values)
            return made
        except ModelError as error:
            used = {field: text for field, text in self.formulas() if error.field is None or error.field.startswith(field)}
            used = used or dict(self.formulas())
            given = "; ".join(f"{field} = {text!r}{with_values(text, parameters)}" for field, text in list(used.items())[:6])
            raise type(error)(f"{error} (formulas: {given})", field=error.field) from None

    def _number(self, field: str, value: Any, kind: str, parameters: Mapping[str, float]) -> Any:
        """An entry with numbers in the place of formulas."""

        def number(part: Any) -> Any:
            if isinstance(part, Template):
                try:
                    return part.element(parameters)
                except ModelError as error:
                    raise ModelError(f"{self.label}: {field}: {error}", field=field) from None
            found = value_of(part, parameters, self.label, field)
            return int(found) if kind == "integer" and found.is_integer() else found

        return value if kind in ("name", "names") else changed(value, kind, number)

    def __getattr__(self, field: str) -> Any:
        """Entries as they were given."""
        if field in self.__slots__ or field.startswith("__"):
            raise AttributeError(field)
        if field in self.entries:
            return self.entries[field]
        remedy = "model.add(…) returns the element with its numbers"
        raise AttributeError(f"{self.label} has formulas of parameters and no {field!r}; {remedy}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and (self.kind, self.entries) == (other.kind, other.entries)

    def __hash__(self) -> int:
        return hash((self.kind, self.name))

    def __repr__(self) -> str:
        listed = "".join(f", {field}={shown(value)}" for field, value in self.entries.items() if value is not None)
        return f"Template({self.kind.__name__}{listed})"


def _signature(part: Any) -> Any:
    return part.signature if isinstance(part, Template) else part


def stored_formulas(value: Any, kind: str, parameters: Mapping[str, float], label: str, field: str) -> tuple[Any, Any]:
    """A value outside of elements: itself with formulas as text (None if it has none), and its numbers.

    >>> stored_formulas((0, 0, "-g"), "vector", {"g": 10.0}, "Model", "gravity")
    ((0, 0, '-g'), (0, 0, -10.0))
    """
    if not has_formulas(value, kind):
        return None, value
    given = changed(value, kind, lambda part: formula_text(part) if isinstance(part, Operand) else part)
    return _frozen(given), changed(given, kind, lambda text: value_of(text, parameters, label, field))


def _frozen(value: Any, level: int = 0) -> Any:
    """Lists and arrays as tuples, dicts as copies, so that nothing changes later and equal entries are equal."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if level > DEEPEST:
        return value
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(part, level + 1) for part in value)
    return {name: _frozen(part, level + 1) for name, part in value.items()} if isinstance(value, dict) else value
