"""Messages with their place in the document: the element that a sentence names, and its field where that can be told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SECTIONS = ("joints", "bodies", "forces", "constraints", "signals", "events", "parameters")
SETTINGS = ("max_step", "tolerance", "t_end", "step", "integrator", "solver", "stabilization", "correction", "method", "output")


def linked(text: str, document: Mapping[str, Any], kind: str = "error", field: str | None = None) -> dict[str, Any]:
    """A message and the place that it is about.

    >>> document = {"bodies": {"bob": {"mass": -1}}, "joints": {"O": {"damping": 2}}, "simulation": {"t_end": 1}}
    >>> linked("Revolute 'O': damping = -1 must not be negative", document)["place"]
    ['joints', 'O', 'damping']
    >>> linked("the run has lost 3 J; repeat the run with a smaller tolerance", document)["place"]
    ['simulation', 'tolerance']
    >>> linked("something else", document)["place"]
    []
    """
    place = element_place(text, document, field) or setting_place(text)
    return {"text": text, "kind": kind, "place": place}


def element_place(text: str, document: Mapping[str, Any], field: str | None = None) -> list[str]:
    """The first element that a sentence names in quotation marks."""
    found: list[tuple[int, list[str]]] = []
    for section in SECTIONS:
        entries = document.get(section)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            at = min((k for k in (text.find(f"'{name}'"), text.find(f'"{name}"')) if k >= 0), default=-1)
            if at >= 0:
                found.append((at, [section, str(name), *field_of(text[at:], entry, field)]))
    return min(found, default=(0, []))[1]


def field_of(text: str, entry: Any, given: str | None) -> list[str]:
    """The field that the words behind a name are about."""
    if given is not None:
        return [given]
    after = re.match(r"['\"]\S*['\"]:? (\w+)(?:\[\d+\])?\b", text)
    known = isinstance(entry, dict) and after is not None and after[1] in entry
    return [after[1]] if after is not None and (known or re.match(r"['\"]\S*['\"]:? \w+(\[\d+\])? = ", text)) else []


def setting_place(text: str) -> list[str]:
    """The setting of a run that a sentence mentions."""
    for name in SETTINGS:
        if re.search(rf"\b{name}\b", text):
            return ["simulation", name]
    return []
