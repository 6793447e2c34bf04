"""Default classes: what an element has that does not say otherwise, by its class, or by the nearest `childclass`."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from sharnir.errors import ModelError
from sharnir.model.mjcf.mjcf_numbers import ORIENTATIONS

# they share one set of defaults, whatever the tag by which it is given
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor")
TENDONS = ("spatial", "fixed")
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain")
Steps = list[tuple[str, dict[str, str]]]


class DefaultClasses:
    """All <default> elements of a file.

    >>> from xml.etree.ElementTree import fromstring
    >>> text = '<mujoco><default><joint damping="1"/><default class="leg"><joint armature="2"/></default></default></mujoco>'
    >>> DefaultClasses(fromstring(text)).attributes(fromstring('<joint class="leg" damping="3"/>'), "")
    {'damping': '3', 'armature': '2', 'class': 'leg'}
    """

    def __init__(self, root: Element) -> None:
        self._steps: dict[str, dict[str, Steps]] = {"main": {}}
        for element in root.findall("default"):
            self._read(
                element, element.get("class", "main"), {} if element.get("class", "main") != "main" else self._steps["main"]
            )

    def _read(self, element: Element, name: str, above: dict[str, Steps]) -> None:
        own = {tag: list(steps) for tag, steps in above.items()}
        for child in element:
            if child.tag != "default":
                own.setdefault(_kind(child.tag), []).append((child.tag, dict(child.attrib)))
        self._steps[name] = own
        for child in element.findall("default"):
            if not child.get("class"):
                raise ModelError(f"<default> inside of class {name!r} has no class; name it")
            self._read(child, child.get("class", ""), own)

    def steps(self, element: Element, inherited: str, kind: str | None = None) -> Steps:
        """Tags and attributes of the defaults that hold for an element, the most general first, then its own."""
        name = element.get("class", inherited) or "main"
        if name not in self._steps:
            raise ModelError(f"<{element.tag}> {element.get('name', '')!r} has class {name!r}, which is not defined")
        return [*self._steps[name].get(kind or _kind(element.tag), []), (element.tag, dict(element.attrib))]

    def attributes(self, element: Element, inherited: str, kind: str | None = None) -> dict[str, str]:
        """The attributes of an element with those that it inherits."""
        found: dict[str, str] = {}
        for _, given in self.steps(element, inherited, kind):
            if any(key in given for key in ORIENTATIONS):  # another way to say the same
                found = {key: value for key, value in found.items() if key not in ORIENTATIONS}
            found |= {key: value for key, value in given.items() if value.strip()}
        return found


def _kind(tag: str) -> str:
    return "general" if tag in ACTUATORS else "tendon" if tag in TENDONS else tag
