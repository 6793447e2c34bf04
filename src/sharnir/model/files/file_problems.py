"""What is wrong with the structure of a model file: pydantic's findings in words, with their path in the file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from sharnir.families import tag
from sharnir.model.files import flexible_schema
from sharnir.model.files.field_kinds import (
    BODY_TYPES,
    CONSTRAINT_TYPES,
    EVENT_TYPES,
    FORCE_TYPES,
    JOINT_TYPES,
    SIGNAL_TYPES,
    TYPES_OF_KIND,
    file_fields,
)
from sharnir.model.files.schema import WORDS, document
from sharnir.model.forces import ForceElement
from sharnir.model.signals import SignalElement
from sharnir.model.values import holds_code, kinds_of

TAGS: dict[str, Mapping[str, type]] = {
    "bodies": BODY_TYPES,
    "joints": JOINT_TYPES,
    "forces": FORCE_TYPES,
    "constraints": CONSTRAINT_TYPES,
    "signals": SIGNAL_TYPES,
    "events": EVENT_TYPES,
}
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
    if group[0] == "parameters" and isinstance(looked_up(data, group), dict):
        return [((*place[:2], place[-1]), _plain_words(finding)) for place, finding in findings if len(place) > 3]
    inside = _inside_parts(findings, data)
    if inside:
        return [(place, f"should be {WORDS[word]}, not {shortened(looked_up(data, place))}") for place, word in inside.items()]
    description = _description(group, data)
    value = shortened(looked_up(data, group))
    if description:
        return [(group, f"should be {description}, not {value}")]
    place, finding = findings[0]
    return [(place, _plain_words(finding))]


def _inside_parts(findings: list[Any], data: dict[str, Any]) -> dict[Place, str]:
    """Fields of parts (shapes, laws, actions, …) that are to blame, with the words of their kinds."""
    found: dict[Place, str] = {}
    for place, _ in findings:
        for end in range(len(place), 3, -1):
            part = _inner_types(place[: end - 1], data)[1]
            if part is not None and place[end - 1] in kinds_of(part) and looked_up(data, place[: end - 1]) is not None:
                found[place[:end]] = kinds_of(part)[place[end - 1]].word
                break
    return found


def _plain_words(finding: Any) -> str:
    return f"{finding['msg'][0].lower()}{finding['msg'][1:]}, not {shortened(finding['input'])}"


def _specific(place: Place, finding: Any, data: dict[str, Any]) -> str:
    """Missing and unknown keys, missing and unknown types."""
    inner: Iterable[str] = _inner_types(place, data)[0]
    inner = next((words for part, words in REDUCED_TYPES.items() if part in place[3:]), inner)
    options: Iterable[str] = TAGS.get(str(place[0]), inner) if len(place) <= 2 else inner
    if finding["type"] == "missing":
        return "is missing"
    if finding["type"] == "union_tag_not_found":
        return f"needs a type: {', '.join(options)}"
    if finding["type"] == "union_tag_invalid":
        given = finding["ctx"]["tag"]
        coded = (kind for family in (ForceElement.family, SignalElement.family) for kind in family if holds_code(kind))
        if given in map(tag, coded):
            return "a file cannot contain Python code; use a formula or a table in another force or signal"
        return f"unknown type {given!r}{similar(given, options)}; types are {', '.join(options)}"
    return f"unknown key{similar(str(place[-1]), _siblings(place, data))}"


def _inner_types(place: Place, data: dict[str, Any]) -> tuple[Mapping[str, type], type | None]:
    """Types that may stand at or around a place inside an element, and the class of the part that stands there."""
    types: Mapping[str, type] = TAGS.get(str(place[0]), {})
    part = types.get(_type_at(data, place[:2]) or next(iter(types), ""))
    for k in range(2, len(place)):
        word = kinds_of(part)[place[k]].word if part is not None and place[k] in kinds_of(part) else ""
        if word in TYPES_OF_KIND:
            types, part = TYPES_OF_KIND[word], None
        if part is None:
            part = types.get(_type_at(data, place[: k + 1]) or "")
    return types, part


def _type_at(data: dict[str, Any], place: Place) -> str | None:
    """The word after `type` in the table at a place."""
    entry = looked_up(data, place)
    return str(entry["type"]) if isinstance(entry, dict) and "type" in entry else None


def _siblings(place: Place, data: dict[str, Any]) -> list[str]:
    """Keys that may stand where `place` does."""
    fields = document().model_fields
    if len(place) == 1:
        return list(fields)
    if len(place) == 2:
        return list(getattr(fields[place[0]].annotation, "model_fields", ()))  # parameters have any names
    inside = looked_up(data, place[:-1])
    if len(place) == 3:
        return list(_record_of(place, data).model_fields)
    if place[0] == "bodies" and place[2] == "reduced":
        return list(flexible_schema.KEYS)
    part = _inner_types(place[:-1], data)[1] if isinstance(inside, dict) and "type" in inside else None
    if part is not None:
        return [field.name for field in file_fields(part)]
    return ["position", "rotation", "x", "y", "kind", "outside", "smooth", "lower", "upper", "effort", "velocity"] + [
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
        return "a number, or {value, unit, description, range}"
    return WORDS["vector"] if group == ("model", "gravity") else None


def _without_tags(place: Place) -> Place:
    """pydantic's place without the names of union members that it puts in."""
    result: list[Any] = []
    inner_tags = {word for types in TYPES_OF_KIND.values() for word in types} | flexible_schema.TAGS
    tagged = len(place) > 2 and place[0] in TAGS and place[2] in TAGS[place[0]]
    for k, part in enumerate(place):
        union_member = k == 2 and tagged
        field = k == 3 and tagged  # some fields are called like a type, such as position
        field = field or (k > 3 and place[k - 1] in inner_tags and place[k - 1] != result[-1])  # behind a tag
        deeper = k > 2 and not field and isinstance(part, str) and (part in inner_tags or "[" in part or _is_class(part))
        plain = k > 2 and part in ("float", "str", "int") and place[0] not in ("simulation",)
        if not (union_member or deeper or plain):
            result.append(part)
    return tuple(result)


def _is_class(part: str) -> bool:
    """Whether a part of a place is the name of a class, not a key such as E or Iy."""
    return part[:1].isupper() and part not in flexible_schema.KEYS


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
    return f"; did you mean {close[0]!r}?" if close and close[0] != name else ""


def path_text(place: Place) -> str:
    """A place as it is written in messages.

    >>> path_text(("bodies", "arm", "shape", 1, "size"))
    'bodies.arm.shape[1].size'
    """
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
