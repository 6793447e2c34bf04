"""Checks of elements: each returns the value as it is stored, or raises a ModelError that names the element and the remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from sharnir.arguments import NUMBERS, choice, fail, meant, number, sequence, shown, vector
from sharnir.errors import ModelError

__all__ = [
    "AXES",
    "UNIT_TOLERANCE",
    "Rows",
    "Triple",
    "choice",
    "colour",
    "element_name",
    "fail",
    "joints_of",
    "number",
    "point",
    "reference",
    "sequence",
    "settle",
    "shown",
    "unit",
    "unit_axis",
    "vector",
]

Triple: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = tuple[Triple, Triple, Triple]

AXES: dict[str, Triple] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AXES |= {"-" + key: (0.0 - a, 0.0 - b, 0.0 - c) for key, (a, b, c) in list(AXES.items())}
ALONG = {axis: axis for axis in AXES.values()}  # found by tuples of whole numbers, too
COLOURS = frozenset(  # names of CSS
    """
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
    cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray
    darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen
    darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue
    firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew
    hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
    lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
    lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid
    mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream
    mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen
    paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown
    royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow
    springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen
    """.split()  # noqa: SIM905 - a list of 148 literals fills a page
)
COLOUR_CODE = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(rgb|hsl)a?\([0-9.,%/ ]+(deg)?[0-9.,%/ ]*\)|transparent")
UNIT_TOLERANCE = 1e-14  # a vector this close to unit length is kept as it is, so that storing twice changes nothing


def settle(element: Any, **values: Any) -> None:
    """Store checked values in a frozen dataclass (only from its __post_init__)."""
    for field, value in values.items():
        store(element, field, value)


store = object.__setattr__  # what a frozen dataclass itself uses


def point(value: Any, label: str, field: str) -> Triple | None:
    """Three floats, or None where nothing was said."""
    return None if value is None else vector(value, 3, label, field)  # type: ignore[return-value]


def unit_axis(value: Any, label: str, field: str = "axis") -> Triple:
    """A unit vector from "x", "-y", … or three numbers.

    >>> unit_axis("-y", "Revolute 'O'"), unit_axis((0, 0, 5), "Revolute 'O'")
    ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
    """
    if isinstance(value, str):
        key = value.strip().lower().removeprefix("+")
        if key not in AXES:
            fail(label, field, f'= {shown(value)} must be "x", "y", "z", "-x", "-y", "-z" or three numbers')
        return AXES[key]
    if type(value) is tuple and NUMBERS.issuperset(map(type, value)) and value in ALONG:
        return ALONG[value]
    axis = vector(value, 3, label, field)
    largest = max(map(abs, axis))
    if largest == 0.0:
        fail(label, field, "= (0, 0, 0) has no direction; give a non-zero vector")
    return unit(axis)  # type: ignore[return-value]


@lru_cache(maxsize=1000)
def unit(entries: tuple[float, ...]) -> tuple[float, ...]:
    """The vector divided by its length; one of unit length already is returned unchanged."""
    if abs(math.fsum(e * e for e in entries) - 1.0) <= UNIT_TOLERANCE:
        return tuple(e + 0.0 for e in entries)
    largest = max(map(abs, entries))
    scaled = [e / largest for e in entries]
    length = math.sqrt(math.fsum(e * e for e in scaled))
    return tuple(e / length + 0.0 for e in scaled)


def element_name(value: Any, kind: str) -> str:
    """A usable name: text without dots (they separate channel names) and without blanks at the ends."""
    if type(value) is str and value.isidentifier():  # as most are; nothing below can be wrong with these
        return value
    if not isinstance(value, str):
        raise ModelError(f"{kind}: the name must be text, not {shown(value)}", field="name")
    if not value.strip() or value != value.strip():
        raise ModelError(f"{kind}: the name {shown(value)} must not be empty or begin or end with a space", field="name")
    if "." in value:
        remedy = value.replace(".", "_")
        message = f"{kind}: the name {shown(value)} must not contain a dot (channels are called 'name.q'); try {remedy!r}"
        raise ModelError(message, field="name")
    plain = value.isascii() and value.isprintable()
    if not plain and any(ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 for letter in value):
        raise ModelError(f"{kind}: the name {shown(value)} must not contain line breaks or control characters", field="name")
    return value


def reference(value: Any, label: str, field: str, kind: str = "body") -> str:
    """The name of a body or joint given as the object or as its name."""
    name = value if isinstance(value, str) else getattr(value, "name", None)
    if not isinstance(name, str) or not name.strip():
        article = "an" if kind[0] in "aeiou" else "a"
        fail(label, field, f"= {shown(value)} must be {article} {kind} or its name")
    return name


def joints_of(model: Any, label: str) -> Mapping[str, Any]:
    """The joints of what must be a model."""
    joints = getattr(model, "joints", None)
    if not isinstance(joints, Mapping):
        fail(label, "model", f"= {shown(model)} must be a Model")
    return joints


def colour(value: Any, label: str, field: str = "color") -> str | tuple[float, ...] | None:
    """A colour: CSS text such as "steelblue" or "#4682b4", or 3 or 4 numbers from 0 to 1."""
    if value is None:
        return None
    if isinstance(value, str):
        if not value.strip():
            fail(label, field, 'is empty; give a name such as "steelblue", "#4682b4" or (r, g, b)')
        word = value.strip().lower()
        if word not in COLOURS and not COLOUR_CODE.fullmatch(word):
            remedy = 'give a name of CSS such as "steelblue", "#4682b4" or (r, g, b)'
            fail(label, field, f"= {shown(value)} is not a colour; {remedy}{meant(word, COLOURS)}")
        return value
    entries = sequence(value, label, field, "a colour name or 3 or 4 numbers from 0 to 1")
    if len(entries) not in (3, 4):
        fail(label, field, f"= {shown(value)} must have 3 or 4 entries (red, green, blue, opacity)")
    result = vector(entries, len(entries), label, field, low=0)
    if max(result) > 1:
        fail(label, field, f"= {shown(value)} must have entries from 0 to 1")
    return result
