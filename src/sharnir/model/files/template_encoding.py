"""Elements with formulas as plain data for files: formulas as they are, everything else that was given as numbers and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sharnir.families import tag
from sharnir.model.files.element_encoding import NOT_DRIVEN, WRITERS, element_data, written, written_freedom, written_limits
from sharnir.model.files.field_kinds import TYPES_OF_KIND, file_fields, kind
from sharnir.model.joints import Freedom, Limits
from sharnir.model.parameters.template import Template


def template_data(template: Template, parameters: Mapping[str, float]) -> dict[str, Any]:
    """The entries that were given, as plain data.

    >>> from sharnir.model import Body, Box
    >>> template_data(Body("arm", mass="m", shape=Box(("l", 1, 1))), {"m": 1.0, "l": 2.0})
    {'mass': 'm', 'shape': {'type': 'box', 'size': ['l', 1, 1]}}
    """
    element = template.element(parameters)
    formulas = template.formula_fields
    result = {}
    for name in (field.name for field in file_fields(template.kind)):
        entry = template.entries.get(name)
        if name in formulas:
            result[name] = _written(entry, kind(template.kind, name), parameters, getattr(element, name))
        elif entry is not None and not _nothing(value := getattr(element, name)):
            result[name] = WRITERS.get(kind(template.kind, name), written)(value, element, name)
    return result


def _nothing(value: Any) -> bool:
    """Whether a field says nothing: None, or None for every freedom."""
    return value is None or (isinstance(value, tuple) and value != () and all(part is None for part in value))


def _written(entry: Any, word: str, parameters: Mapping[str, float], stored: Any) -> Any:
    """A field with formulas; `stored` is what it holds with numbers."""
    if word == "mimic":
        return dict(zip(("joint", "multiplier", "offset"), (stored[0], *entry[1:]), strict=False))
    if word == "terms":
        pairs = zip(stored, entry, strict=True)
        return [{**element_data(coordinate), "coefficient": part[1]} for (coordinate, _), part in pairs]
    return _plain(entry, word, parameters)


def _plain(entry: Any, word: str, parameters: Mapping[str, float]) -> Any:
    if isinstance(entry, Template):
        return _part(entry, word, parameters)
    if isinstance(entry, Mapping):
        return {name: _plain(part, word, parameters) for name, part in entry.items()}
    if isinstance(entry, (tuple, list)):
        return [_plain(part, word, parameters) for part in entry]
    if isinstance(entry, Freedom):
        return written_freedom(entry)
    if word == "motion" and entry is None:
        return NOT_DRIVEN
    if word == "limits" and (entry is None or isinstance(entry, Limits)):
        return written_limits((entry,), None, word)
    if word in TYPES_OF_KIND and hasattr(entry, "__dataclass_fields__"):
        return {"type": tag(type(entry)), **element_data(entry)}
    return WRITERS[word](entry, None, word) if hasattr(entry, "__dataclass_fields__") else entry


def _part(part: Template, word: str, parameters: Mapping[str, float]) -> dict[str, Any]:
    """A part of an element: a shape, a law, a frame, a table, …"""
    if part.kind is Freedom:
        data = {part.entries["kind"]: _plain(part.entries["axis"], "axis", parameters)}
        return data | ({"pitch": part.entries["pitch"]} if part.entries.get("pitch") else {})
    data = template_data(part, parameters)
    if word == "joined":
        return {"name": part.name, "joint": {"type": tag(part.kind), **data}}
    return {"type": tag(part.kind), **data} if word in TYPES_OF_KIND else data
