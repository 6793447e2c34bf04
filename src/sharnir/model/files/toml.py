"""Plain data as TOML text: sections, and inline tables inside them. Floats are written so that they read back exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sharnir.errors import ModelError

BARE = re.compile(r"[A-Za-z0-9_-]+")


def key_text(key: str) -> str:
    """A key, quoted where TOML needs it.

    >>> key_text("crank"), key_text("left arm")
    ('crank', '"left arm"')
    """
    return key if BARE.fullmatch(key) else string_text(key)


def string_text(text: str) -> str:
    """A string in double quotes with escapes."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
    letters = (escapes.get(c, c if ord(c) >= 32 and ord(c) != 127 else f"\\u{ord(c):04X}") for c in text)
    return f'"{"".join(letters)}"'


def value_text(value: Any) -> str:
    """A value on one line.

    >>> value_text({"axis": "y", "limits": [-1.5, 1.5]})
    '{axis = "y", limits = [-1.5, 1.5]}'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, (int, float)):
        return repr(value)  # inf, -inf and nan are spelt as in TOML
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(value_text(part) for part in value)}]"
    if isinstance(value, Mapping):
        parts = (f"{key_text(key)} = {value_text(part)}" for key, part in value.items())
        return "{" + ", ".join(parts) + "}"
    raise ModelError(f"{value!r} cannot be written to a model file; use numbers, text, lists or tables")


def section_text(title: tuple[str, ...], entries: Mapping[str, Any]) -> str:
    """A section with one line per entry.

    >>> print(section_text(("bodies", "crank"), {"mass": 0.4}), end="")
    [bodies.crank]
    mass = 0.4
    """
    lines = [f"[{'.'.join(map(key_text, title))}]"]
    lines += [f"{key_text(key)} = {value_text(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"
