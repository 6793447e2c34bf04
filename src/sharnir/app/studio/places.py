"""Places of problems: a message about an element is brought to the field of the part that it speaks of.

Elements check their parts (shapes, laws, tyres, sensors, actions) when they are made, and then know the part by its class only:
"Contact 'touch': law: Hertz: exponent = 0.3 must be at least 1". A form shows the message at that field of that part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sharnir.app.studio.catalogue import SECTIONS
from sharnir.model.contact import Friction
from sharnir.model.files.field_kinds import TYPES_OF_KIND, file_fields
from sharnir.model.values import kinds_of

Place = tuple[Any, ...]
# how messages name what does not exist
UNKNOWN = re.compile(
    r"'([^']+)' is not an? (?:body|joint|parameter|signal|event|force)|(?:there is no|has no|without the) \w+ '([^']+)'|"
    r"\w+\('([^']+)'\)"
)
# phrases of messages about sensors that do not name the field they mean
HINTS = {"; name one: ": "component", "has a drive only in": "freedom"}
NAMING = ("name", "names", "coordinate", "variable", "joined", "terms", "mimic", "text")


def class_of(document: Mapping[str, Any], place: Place) -> type | None:
    """The class of the element at a place."""
    kinds = SECTIONS.get(str(place[0])) if len(place) > 1 else None
    entry = (document.get(place[0]) or {}).get(place[1]) if kinds else None
    if kinds is None or not isinstance(entry, dict):
        return None
    return kinds.get(entry.get("type", next(iter(kinds))))


def parts(value: Any, word: str, place: Place) -> Iterator[tuple[Place, type, dict[str, Any]]]:
    """All parts inside a value of some kind: their places, classes and entries; inner ones first."""
    if isinstance(value, list):
        for k, entry in enumerate(value):
            yield from parts(entry, word, (*place, k))
    elif isinstance(value, dict):
        kinds_here: Mapping[str, type] = TYPES_OF_KIND.get(word, {})
        found = kinds_here.get(str(value.get("type", "")))
        if word == "friction":
            found = Friction
        if word == "joined" and "joint" in value:
            yield from parts(value["joint"], word, (*place, "joint"))
        elif found is None:
            for key, entry in value.items():
                yield from parts(entry, word, (*place, key))
        else:
            kinds = kinds_of(found)
            for field in file_fields(found):
                if field.name in value:
                    yield from parts(value[field.name], kinds[field.name].word, (*place, field.name))
            yield place, found, value


def innermost(document: Mapping[str, Any], place: Place, message: str) -> Place:
    """The place of the field that a message speaks of; the given one if it is not in a part.

    >>> ball = {"mass": 1, "shape": [{"type": "box", "size": [1, 1, 1]}, {"type": "sphere", "radius": -1}]}
    >>> innermost({"bodies": {"b": ball}}, ("bodies", "b", "shape"), "Body 'b': shape: Sphere: radius = -1 must be positive")
    ('bodies', 'b', 'shape', 1, 'radius')
    """
    element = class_of(document, place)
    if element is None or len(place) > 3:
        return place
    entry, kinds = document[place[0]][place[1]], kinds_of(element)
    chosen = len(place) == 3 and place[2] in kinds
    inside = [part for key in kinds for part in parts(entry.get(key), kinds[key].word, (*place[:2], key))]
    for at, part, _ in inside:
        for phrase, name in HINTS.items():
            if phrase in message and name in kinds_of(part):
                return (*at, name)
    for at, part, _ in inside:
        for field in file_fields(part):
            named = re.search(rf"\b{part.__name__}(?: '[^']*')?: {re.escape(field.name)}\b", message)
            if named and (not chosen or at[2] == place[2]):
                return (*at, field.name)
    if message.startswith("Friction: "):  # given by its coefficient alone
        return (*place[:2], "friction")
    return _named(entry, kinds, place, message) or (place if chosen or len(place) < 3 else place[:2])


def _named(entry: dict[str, Any], kinds: Mapping[str, Any], place: Place, message: str) -> Place | None:
    """The field that holds a name which does not exist."""
    unknown = UNKNOWN.search(message)
    if unknown is None:
        return None
    name = next(word for word in unknown.groups() if word)
    found = [part for key in entry if key in kinds for part in parts(entry[key], kinds[key].word, (*place[:2], key))]
    for at, part, value in found:
        for field, kind in kinds_of(part).items():
            if kind.word in NAMING and _holds(value.get(field), name):
                return (*at, field)
    for key, value in entry.items():
        if key in kinds and kinds[key].word in NAMING and _holds(value, name):
            return (*place[:2], key)
    return None


def _holds(value: Any, name: str) -> bool:
    return value == name or (isinstance(value, (list, dict)) and name in (value.values() if isinstance(value, dict) else value))
