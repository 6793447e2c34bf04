"""Numbers in attributes of XML elements, and <origin> as a frame."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from sharnir.errors import ModelError
from sharnir.model.checks import number
from sharnir.model.frames import Frame, rotation_rpy


def numbers(element: Element | None, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """Numbers in an attribute; as many as in the default."""
    text = None if element is None else element.get(attribute)
    if text is None:
        return default
    parts = text.split()
    tag = "" if element is None else element.tag
    if len(parts) != len(default):
        raise ModelError(f"<{tag} {attribute}={text!r}> needs {len(default)} number{'s' if len(default) > 1 else ''}")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        raise ModelError(f"<{tag} {attribute}={text!r}> must hold numbers") from None
    return tuple(number(value, f"<{tag}>", attribute) for value in values)


def scalar(element: Element | None, attribute: str, default: float | None = None) -> float:
    """One number in an attribute; an error if it is missing without default."""
    if default is None and (element is None or element.get(attribute) is None):
        raise ModelError(f"<{element.tag if element is not None else '?'}> needs the attribute {attribute!r}")
    return numbers(element, attribute, (0.0 if default is None else default,))[0]


def origin(parent: Element) -> Frame:
    """The <origin xyz rpy> of an element; the identity if there is none."""
    element = parent.find("origin")
    angles = numbers(element, "rpy", (0.0, 0.0, 0.0))
    return Frame(numbers(element, "xyz", (0.0, 0.0, 0.0)), rotation_rpy(*angles) if any(angles) else None)
