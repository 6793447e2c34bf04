"""Checks of what the user says: each returns the value in its stored form, or raises a ModelError naming element and remedy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn, TypeAlias

import numpy as np

from sharnir.errors import ModelError

Triple: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = tuple[Triple, Triple, Triple]

AXES: dict[str, Triple] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AXES |= {"-" + key: (0.0 - a, 0.0 - b, 0.0 - c) for key, (a, b, c) in list(AXES.items())}
UNIT_TOLERANCE = 1e-14  # a vector this close to unit length is kept as it is, so that storing twice changes nothing


def fail(label: str, field: str, message: str) -> NoReturn:
    """Raise the ModelError "<element>: <field> <message>"."""
    raise ModelError(f"{label}: {field} {message}", field=field.partition(" ")[0])


def settle(element: Any, **values: Any) -> None:
    """Store checked values in a frozen dataclass (only from its __post_init__)."""
    for field, value in values.items():
        object.__setattr__(element, field, value)


def number(
    value: Any, label: str, field: str, *, low: float | None = None, above: float | None = None, finite: bool = True
) -> float:
    """A float; NaN, text and booleans are refused, infinity too unless `finite=False`.

    >>> number(3, "Body 'arm'", "mass", low=0)
    3.0
    """
    if isinstance(value, (str, bytes, bool, np.bool_)) or value is None:
        fail(label, field, f"= {value!r} must be a number")
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        fail(label, field, f"= {value!r} must be a number")
    if math.isnan(result) or (finite and math.isinf(result)):
        fail(label, field, f"= {result!r} must be a {'finite number' if finite else 'number, not NaN'}")
    if low is not None and result < low:
        remedy = "must not be negative" if low == 0 else f"must be at least {low!r}"
        fail(label, field, f"= {result!r} {remedy}")
    if above is not None and result <= above:
        remedy = "must be positive" if above == 0 else f"must be greater than {above!r}"
        fail(label, field, f"= {result!r} {remedy}")
    return result


def vector(value: Any, size: int, label: str, field: str, **bounds: Any) -> tuple[float, ...]:
    """A tuple of `size` floats.

    >>> vector([1, 2, 3], 3, "Body 'arm'", "position")
    (1.0, 2.0, 3.0)
    """
    entries = sequence(value, label, field, f"{size} numbers")
    if len(entries) != size:
        fail(label, field, f"= {value!r} has {len(entries)} entries, needs {size}")
    if size == 1:
        return (number(entries[0], label, field, **bounds),)
    return tuple(number(entry, label, f"{field}[{k}]", **bounds) for k, entry in enumerate(entries))


def sequence(value: Any, label: str, field: str, expected: str) -> tuple[Any, ...]:
    """The entries of a list, tuple or array; text and other things are refused."""
    if isinstance(value, (str, bytes, dict, set, frozenset)) or not isinstance(value, Iterable):
        fail(label, field, f"= {value!r} must be {expected}")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        fail(label, field, f"= {value!r} must be {expected}")
    return tuple(value.tolist()) if isinstance(value, np.ndarray) else tuple(value)


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
            fail(label, field, f'= {value!r} must be "x", "y", "z", "-x", "-y", "-z" or three numbers')
        return AXES[key]
    axis = vector(value, 3, label, field)
    largest = max(map(abs, axis))
    if largest == 0.0:
        fail(label, field, "= (0, 0, 0) has no direction; give a non-zero vector")
    return unit(axis)  # type: ignore[return-value]


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
    if not isinstance(value, str):
        raise ModelError(f"{kind}: the name must be text, not {value!r}", field="name")
    if not value.strip() or value != value.strip():
        raise ModelError(f"{kind}: the name {value!r} must not be empty or begin or end with a blank", field="name")
    if "." in value:
        remedy = value.replace(".", "_")
        message = f"{kind}: the name {value!r} must not contain a dot (channels are called 'name.q'); try {remedy!r}"
        raise ModelError(message, field="name")
    if any(ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 for letter in value):
        raise ModelError(f"{kind}: the name {value!r} must not contain line breaks or control characters", field="name")
    return value


def reference(value: Any, label: str, field: str, kind: str = "body") -> str:
    """The name of a body or joint given as the object or as its name."""
    name = value if isinstance(value, str) else getattr(value, "name", None)
    if not isinstance(name, str) or not name.strip():
        fail(label, field, f"= {value!r} must be a {kind} or its name")
    return name


def choice(value: Any, options: tuple[str, ...], label: str, field: str) -> str:
    """One of the words in `options`."""
    if value not in options:
        fail(label, field, f"= {value!r} must be one of {', '.join(map(repr, options))}")
    return str(value)


def colour(value: Any, label: str, field: str = "color") -> str | tuple[float, ...] | None:
    """A colour: CSS text such as "steelblue" or "#4682b4", or 3 or 4 numbers from 0 to 1."""
    if value is None:
        return None
    if isinstance(value, str):
        if not value.strip():
            fail(label, field, 'is empty; give a name such as "steelblue", "#4682b4" or (r, g, b)')
        return value
    entries = sequence(value, label, field, "a colour name or 3 or 4 numbers from 0 to 1")
    if len(entries) not in (3, 4):
        fail(label, field, f"= {value!r} must have 3 or 4 entries (red, green, blue, opacity)")
    result = vector(entries, len(entries), label, field, low=0)
    if max(result) > 1:
        fail(label, field, f"= {value!r} must have entries from 0 to 1")
    return result
