"""A document as a Python script that builds the same model and runs it."""

from __future__ import annotations

import json
import keyword
import math
from collections.abc import Mapping
from typing import Any

from sharnir.app.studio.catalogue import SECTIONS
from sharnir.errors import ModelError
from sharnir.model.base_motion import BaseMotion
from sharnir.model.files.field_kinds import TYPES_OF_KIND
from sharnir.model.values import kinds_of


def script(document: Mapping[str, Any]) -> str:
    """The text of the script; running it gives the model of the document.

    >>> hinge = {"type": "revolute", "parent": "ground", "child": "bob", "at": [0, 0, 0], "axis": "y"}
    >>> print(script({"bodies": {"bob": {"mass": 1}}, "joints": {"O": hinge}, "simulation": {"t_end": 2}}), end="")
    import sharnir as sr
    <BLANKLINE>
    m = sr.Model("model")
    m.add(sr.Body("bob", mass=1))
    m.add(sr.Revolute("O", parent="ground", child="bob", at=(0, 0, 0), axis="y"))
    <BLANKLINE>
    result = m.simulate(t_end=2)
    print(result.report())
    """
    head = dict(document.get("model") or {})
    name = head.pop("name", "model")
    given = [quoted(name), *(f"{key}={text(value)}" for key, value in head.items())]
    lines = ["import sharnir as sr", "", f"m = sr.Model({', '.join(given)})"]
    for key, value in (document.get("parameters") or {}).items():
        lines.append(f"m.parameter({quoted(key)}, {parameter(value)})")
    if document.get("base_motion"):
        lines.append(f"m.base_motion = {element(None, document['base_motion'], BaseMotion)}")
    entries = [(section, key, entry) for section in SECTIONS for key, entry in (document.get(section) or {}).items()]
    leading = [x for x in entries if x[0] == "bodies" or (x[0] == "signals" and x[2].get("type") == "input")]
    for section, key, entry in leading + [x for x in entries if x not in leading]:
        kinds = SECTIONS[section]
        kind = kinds[entry.get("type", next(iter(kinds)))]
        if any(field.word == "reduced" for field in kinds_of(kind).values()):
            raise ModelError(f"{kind.__name__} {key!r}: reduced models cannot be written as a script; save a model file")
        lines.append(f"m.add({element(key, entry, kind)})")
    settings = ", ".join(f"{key}={text(value)}" for key, value in (document.get("simulation") or {"t_end": 5.0}).items())
    return "\n".join([*lines, "", f"result = m.simulate({settings})", "print(result.report())", ""])


def parameter(value: Any) -> str:
    """The arguments of `Model.parameter` behind the name."""
    if not isinstance(value, Mapping):
        return text(value)
    others = [f"{key}={text(entry)}" for key, entry in value.items() if key != "value"]
    return ", ".join([text(value.get("value")), *others])


def element(name: str | None, entry: Mapping[str, Any], kind: type) -> str:
    """The constructor of an element, or of a part of one."""
    kinds = kinds_of(kind)
    given = [] if name is None else [quoted(name)]
    for key, value in entry.items():
        if key != "type":
            if keyword.iskeyword(key):
                raise ModelError(f"{kind.__name__}: field {key!r} cannot be written as an argument")
            given.append(f"{key}={field(value, kinds[key].word if key in kinds else '')}")
    return f"sr.{kind.__name__}({', '.join(given)})"


def field(value: Any, word: str) -> str:
    """The value of a field of some kind."""
    if isinstance(value, Mapping):
        part = TYPES_OF_KIND.get(word, {}).get(value.get("type", ""))
        if part is not None:
            return element(None, value, part)
        return table(value, word)
    if isinstance(value, (list, tuple)):
        inner = ", ".join(field(entry, word) for entry in value)
        return f"({inner}{',' if len(value) == 1 else ''})"
    return text(value)


def table(value: Mapping[str, Any], word: str) -> str:
    """Tables that stand for objects: curves, frames, rotations, limits, freedoms; others are dictionaries."""
    if set(value) >= {"x", "y"} or "axes" in value:
        name = "GridTable" if "axes" in value else "Table"
        return f"sr.{name}({', '.join(f'{key}={text(entry)}' for key, entry in value.items())})"
    if word == "frame":
        return f"sr.Frame({', '.join(f'{key}={field(entry, key)}' for key, entry in value.items())})"
    if word == "rotation":
        return text(list(quaternion(value)))
    if word in ("limits", "friction"):
        return f"sr.{word.capitalize()}({', '.join(f'{key}={text(entry)}' for key, entry in value.items())})"
    if word in ("mimic", "coordinate", "variable", "terms"):
        return f"({', '.join(text(entry) for entry in value.values())})"
    if word == "freedoms":
        kind = next(key for key in ("rotation", "translation", "screw") if key in value)
        others = [f"{key}={text(entry)}" for key, entry in value.items() if key != kind]
        return f"sr.{kind.capitalize()}({', '.join([text(value[kind]), *others])})"
    return "{" + ", ".join(f"{quoted(key)}: {field(entry, word)}" for key, entry in value.items()) + "}"


def quaternion(value: Mapping[str, Any]) -> tuple[float, ...]:
    """The quaternion of a rotation {axis, degrees} or {axis, angle}."""
    axis = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}
    given, angle = value.get("axis"), value.get("angle", value.get("degrees"))
    direction: Any = axis[given] if isinstance(given, str) else given or ["?"]
    if not all(isinstance(x, (int, float)) for x in (angle, *direction)):
        raise ModelError(f"rotation = {dict(value)!r}: formulas in rotations cannot be written as a script; save a model file")
    half = 0.5 * (float(angle) if "angle" in value else math.radians(float(angle)))
    length = math.hypot(*direction)
    return (math.cos(half), *(math.sin(half) * x / length for x in direction))


def text(value: Any) -> str:
    """Plain data as Python writes it."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(key)}: {text(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(text(entry) for entry in value)}{',' if len(value) == 1 else ''})"
    return repr(value)


def quoted(word: str) -> str:
    """Text in double quotes, as Python reads it.

    >>> print(quoted('a "b"'))
    "a \\"b\\""
    """
    return json.dumps(word, ensure_ascii=False)
