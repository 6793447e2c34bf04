"""Other names for elements and parameters: everything in a document that refers to them follows, formulas included."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

from sharnir.app.studio.catalogue import SECTIONS
from sharnir.errors import ModelError
from sharnir.model.base_motion import BaseMotion
from sharnir.model.checks import element_name
from sharnir.model.files.field_kinds import TYPES_OF_KIND, file_fields
from sharnir.model.values import kinds_of

# what names refer to: by the kind of the field, or by its name
NAMED = {
    "body": ("bodies",),
    "joint": ("joints",),
    "parameter": ("parameters",),
    "signal": ("signals",),
    "event": ("events",),
    "force": ("forces",),
    "joined": ("joints", "constraints"),
}
WORDS_ONLY = {"axes", "unit", "direction", "color", "kind", "outside", "file", "description", "name", "type"}
BARE = ("signals", "parameters")  # sections whose names stand alone in formulas; others are followed by a dot
# what follows the dot of joints and of bodies: elements of different sections may have the same name
OF_JOINTS = r"(?:q|v|a|reaction|drive)\b"
OF_BODIES = r"(?:[vaw]?[xyz]|position|rotation|velocity|acceleration|angular_velocity|angular_acceleration)\b"


def renamed(document: dict[str, Any], section: str, old: str, new: str) -> dict[str, Any]:
    """The document with an element or a parameter called `new` instead of `old`.

    >>> spring = {"type": "spring", "a": "ground", "b": "bob", "force": "k*x"}
    >>> found = renamed({"bodies": {"bob": {"mass": 1}}, "forces": {"s": spring}}, "bodies", "bob", "ball")
    >>> list(found["bodies"]), found["forces"]["s"]["b"]
    (['ball'], 'ball')
    >>> renamed({"parameters": {"k": 1.0}, "forces": {"s": spring}}, "parameters", "k", "c")["forces"]["s"]["force"]
    'c*x'
    """
    entries = document.get(section) or {}
    if old not in entries:
        raise ModelError(f"rename: there is no {old!r} among the {section}")
    if new == old:
        return document
    if section == "parameters":
        if not re.fullmatch(r"[A-Za-z_]\w*", new):
            raise ModelError(f"rename: {new!r} is not a name that formulas can use; take letters, digits and _")
    else:
        element_name(new, "rename")
    taken = [new in (document.get(other) or {}) for other in (section, *(BARE if section in BARE else ()))]
    if any(taken) or (section == "bodies" and new == "ground"):
        raise ModelError(f"rename: there is {new!r} already; choose another name")
    result = copy.deepcopy(document)
    result[section] = {(new if name == old else name): entry for name, entry in result[section].items()}
    others = [other for other in SECTIONS if other != section and old in (document.get(other) or {})]
    follow = Follower(section, old, new, shared=bool(others))
    for name, kinds in SECTIONS.items():
        for entry in (result.get(name) or {}).values():
            if isinstance(entry, dict):
                kind = kinds.get(entry.get("type", next(iter(kinds))))
                if kind is not None:
                    follow.element(entry, kind)
    if isinstance(result.get("base_motion"), dict):
        follow.element(result["base_motion"], BaseMotion)
    if isinstance(result.get("model"), dict) and "gravity" in result["model"]:
        result["model"]["gravity"] = follow.value(result["model"]["gravity"], "vector", "", "gravity")
    return result


class Follower:
    """Changes the places that refer to one element."""

    def __init__(self, section: str, old: str, new: str, shared: bool = False) -> None:
        self.section, self.old, self.new = section, old, new
        end = r"(?![\w.(])" if section in BARE else r"(?=\.)"
        if shared and section not in BARE:
            own = {"joints": OF_JOINTS, "bodies": OF_BODIES}
            end = rf"(?=\.{own[section]})" if section in own else rf"(?=\.(?!{OF_JOINTS}|{OF_BODIES}))"
        self._in_formula = re.compile(rf"(?<![\w.]){re.escape(old)}{end}")

    def element(self, entry: dict[str, Any], kind: type) -> None:
        """All fields of an element, or of a part of one."""
        kinds = kinds_of(kind)
        for field in file_fields(kind):
            if field.name in entry:
                given = kinds[field.name]
                entry[field.name] = self.value(entry[field.name], given.word, given.of, field.name)

    def value(self, value: Any, word: str, of: str, field: str) -> Any:
        """The value of a field of some kind."""
        if word in ("name", "names"):
            what = of or ("joined" if field == "joint" else field)
            return self._each(value, lambda name: self._name(name, what))
        if word in ("coordinate", "terms", "mimic", "variable", "joined") and isinstance(value, str):
            return self._name(value, "joined" if word == "joined" else "joint")
        if isinstance(value, dict):
            return self._table(value, word)
        if isinstance(value, list):
            return [self.value(entry, word, of, field) for entry in value]
        if isinstance(value, str) and field not in WORDS_ONLY and word not in ("axis", "color"):
            return self._in_formula.sub(self.new, value)
        return value

    def _name(self, name: Any, what: str) -> Any:
        return self.new if name == self.old and self.section in NAMED.get(what, ()) else name

    def _each(self, value: Any, change: Callable[[Any], Any]) -> Any:
        return [change(entry) for entry in value] if isinstance(value, list) else change(value)

    def _table(self, value: dict[str, Any], word: str) -> dict[str, Any]:
        """A part with a type of its own, tables by name, or a table that names a joint."""
        part = TYPES_OF_KIND.get(word, {}).get(value.get("type", ""))
        if part is not None:
            self.element(value, part)
            return value
        return {
            key: self._name(entry, "joint")
            if key == "joint" and isinstance(entry, str)
            else self.value(entry, word, "", key)
            if not (word == "joined" and key == "name")
            else entry
            for key, entry in value.items()
        }
