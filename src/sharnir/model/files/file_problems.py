"""What is wrong with the structure of a model file: pydantic's findings in words, with their path in the file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from sharnir.model.files import flexible_schema
from sharnir.model.files.field_kinds import (
    BODY_TYPES,
    CONSTRAINT_TYPES,
    CONTACT_SHAPE_TYPES,
    EVENT_TYPES,
    FORCE_TYPES,
    JOINT_TYPES,
    LAW_TYPES,
    SHAPE_TYPES,
    SIGNAL_TYPES,
    VARIABLE_TYPES,
    file_fields,
)
from sharnir.model.files.schema import WORDS, document

TAGS: dict[str, Mapping[str, type]] = {
    "bodies": BODY_TYPES,
    "joints": JOINT_TYPES,
    "forces": FORCE_TYPES,
    "constraints": CONSTRAINT_TYPES,
    "signals": SIGNAL_TYPES,
    "events": EVENT_TYPES,
}
# told apart by a `type` inside a field
INNER_TYPES: dict[str, type] = {**SHAPE_TYPES, **CONTACT_SHAPE_TYPES, **LAW_TYPES, **VARIABLE_TYPES}
CONTACT_TYPES: dict[str, Mapping[str, type]] = {"shape_a": CONTACT_SHAPE_TYPES, "shape_b": CONTACT_SHAPE_TYPES, "law": LAW_TYPES}
INNER_TAGS = frozenset((*INNER_TYPES, *flexible_schema.TAGS))
REDUCED_TYPES = {  # the innermost first
    "section": flexible_schema.SECTION_TYPES,
    "fe": flexible_schema.FE_TYPES,
    "ties": flexible_schema.TIE_TYPES,
}
SPECIFIC = ("missing", "extra_forbidden", "union_tag_invalid", "union_tag_not_found")
Place = tuple[Any, ...]


def structure_problems(data: dict[str, Any]) -> list[tuple[Place, str]]:
    """(place in the file, message) for everything that does not fit the schema.

    >>> structure_problems({"model": {"nam": "arm"}})
    [(('model', 'nam'), "unknown key; did you mean 'name'?")]
    """
    from pydantic import ValidationError

    try:
        document().model_validate(data)
    except ValidationError as error:
        groups: dict[Place, list[Any]] = {}
        for finding in error.errors(include_url=False):
            place = _without_tags(finding["loc"])
            groups.setdefault(place[: 3 if place[0] in TAGS else 2], []).append((place, finding))
        return [problem for group, findings in groups.items() for problem in _group_problems(group, findings, data)]
    return []


def _group_problems(group: Place, findings: list[Any], data: dict[str, Any]) -> Iterable[tuple[Place, str]]:
    """Messages about one field: the specific ones if there are any, else what the field should be."""
    specific = [(place, finding) for place, finding in findings if finding["type"] in SPECIFIC]
    if specific:
        return [(place, _specific(place, finding, data)) for place, finding in specific]
    if group[2:] == ("reduced",) and len(findings[0][0]) > 3:
        return [(place, _plain_words(finding)) for place, finding in findings]
    description = _description(group, data)
    value = shortened(looked_up(data, group))
    if description:
        return [(group, f"should be {description}, not {value}")]
    place, finding = findings[0]
    return [(place, _plain_words(finding))]


def _plain_words(finding: Any) -> str:
    return f"{finding['msg'][0].lower()}{finding['msg'][1:]}, not {shortened(finding['input'])}"


def _specific(place: Place, finding: Any, data: dict[str, Any]) -> str:
    """Missing and unknown keys, missing and unknown types."""
    inner: Iterable[str] = VARIABLE_TYPES if place[0] in ("constraints", "signals", "events") else SHAPE_TYPES
    inner = next((words for part, words in REDUCED_TYPES.items() if part in place[3:]), inner)
    inner = next((words for part, words in CONTACT_TYPES.items() if part in place[2:]), inner)
    options: Iterable[str] = TAGS.get(str(place[0]), inner) if len(place) <= 2 else inner
    if finding["type"] == "missing":
        return "is missing"
    if finding["type"] == "union_tag_not_found":
        return f"needs a type: {', '.join(options)}"
    if finding["type"] == "union_tag_invalid":
        given = finding["ctx"]["tag"]
        if given == "user-force":
            return "a file cannot hold Python code; use a formula or a table in another force"
        return f"unknown type {given!r}{similar(given, options)}; types are {', '.join(options)}"
    return f"unknown key{similar(str(place[-1]), _siblings(place, data))}"


def _siblings(place: Place, data: dict[str, Any]) -> list[str]:
    """Keys that may stand where `place` does."""
    fields = document().model_fields
    if len(place) == 1:
        return list(fields)
    if len(place) == 2:
        return list(fields[place[0]].annotation.model_fields)
    inside = looked_up(data, place[:-1])
    if len(place) == 3:
        return list(_record_of(place, data).model_fields)
    if place[0] == "bodies" and place[2] == "reduced":
        return list(flexible_schema.KEYS)
    if isinstance(inside, dict) and inside.get("type") in INNER_TYPES:
        return [field.name for field in file_fields(INNER_TYPES[inside["type"]])]
    return ["position", "rotation", "x", "y", "kind", "outside", "lower", "upper", "effort", "velocity"] + [
        *("axis", "angle", "degrees", "joint", "multiplier", "offset", "translation", "screw", "pitch"),
        *("freedom", "coefficient"),
    ]


def _record_of(place: Place, data: dict[str, Any]) -> Any:
    """The pydantic class of the element at place[:2]."""
    value = get_args(document().model_fields[place[0]].annotation)[1]
    if not get_args(value):  # events have one type
        return value
    names = list(TAGS[place[0]])
    chosen = looked_up(data, place[:2]).get("type", names[0])  # only bodies may leave it out
    record = get_args(get_args(value)[0])[names.index(chosen)]
    return get_args(record)[0] if place[0] == "bodies" else record


def _description(group: Place, data: dict[str, Any]) -> str | None:
    """What the schema says about the field at `group`."""
    if len(group) == 3:
        field = _record_of(group, data).model_fields.get(group[2])
        return field.description if field is not None else None
    if len(group) == 2 and group[0] == "base_motion":
        return WORDS["motion"].split("; a list")[0]
    if group[0] == "parameters" and len(group) == 2:
        return WORDS["number"]
    return WORDS["vector"] if group == ("model", "gravity") else None


def _without_tags(place: Place) -> Place:
    """pydantic's place without the names of union members that it puts in."""
    result: list[Any] = []
    for k, part in enumerate(place):
        union_member = k == 2 and place[0] in TAGS and part in TAGS[place[0]]
        deeper = k > 2 and isinstance(part, str) and (part in INNER_TAGS or "[" in part or part[:1].isupper())
        plain = k > 2 and part in ("float", "str", "int") and place[0] not in ("simulation",)
        if not (union_member or deeper or plain):
            result.append(part)
    return tuple(result)


def looked_up(data: Any, place: Place) -> Any:
    """The value at a place, or None."""
    for part in place:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def shortened(value: Any, longest: int = 60) -> str:
    """The value as text, cut if it is long."""
    text = repr(value)
    return text if len(text) <= longest else text[:longest] + "…"


def similar(name: str, known: Iterable[str]) -> str:
    """A suggestion if some known word is close."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def path_text(place: Place) -> str:
    """A place as it is written in messages.

    >>> path_text(("bodies", "arm", "shape", 1, "size"))
    'bodies.arm.shape[1].size'
    """
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
