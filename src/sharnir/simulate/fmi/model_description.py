"""modelDescription.xml of an FMU of FMI 2.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, fromstring
from xml.sax.saxutils import quoteattr

from sharnir import __version__
from sharnir.model import Model

BASE_UNITS = {  # exponents of kg, m, s, rad
    "rad": (0, 0, 0, 1),
    "m": (0, 1, 0, 0),
    "s": (0, 0, 1, 0),
    "kg": (1, 0, 0, 0),
    "rad/s": (0, 0, -1, 1),
    "m/s": (0, 1, -1, 0),
    "rad/s2": (0, 0, -2, 1),
    "m/s2": (0, 1, -2, 0),
    "1/s": (0, 0, -1, 0),
    "N": (1, 1, -2, 0),
    "N m": (1, 2, -2, 0),
    "N/m": (1, 0, -2, 0),
}
DIMENSIONS = ("kg", "m", "s", "rad")
OF_JOINTS = {  # channels, and what they are
    **{"q": "coordinate", "v": "speed", "a": "acceleration", "drive": "drive"},
    **{"reaction": "reaction", "reaction_local": "reaction in local axes"},
}


@dataclass(frozen=True)
class Variable:
    """A real variable: name, causality, start value (None: it is computed), unit, description, range."""

    name: str
    causality: str
    start: float | None = None
    unit: str = ""
    description: str = ""
    range: Any = None

    def xml(self, number: int, numbers: dict[str, int]) -> str:
        """As an element; its value reference is its number from 0."""
        kind = {"parameter": "tunable"}.get(self.causality, "continuous")
        initial = "" if self.causality == "input" else f' initial="{"calculated" if self.start is None else "exact"}"'
        entries = [] if self.start is None else [f'start="{self.start!r}"']
        entries += [f"unit={quoteattr(self.unit)}"] if self.unit not in ("", "1") else []
        if self.range is not None:
            entries += [f'{word}="{x!r}"' for word, x in zip(("min", "max"), self.range, strict=True) if abs(x) < float("inf")]
        if self.name.startswith("der(") and self.name[4:-1] in numbers:
            entries.append(f'derivative="{numbers[self.name[4:-1]]}"')
        said = f" description={quoteattr(self.description)}" if self.description else ""
        return (
            f'    <ScalarVariable name={quoteattr(self.name)} valueReference="{number - 1}" causality="{self.causality}" '
            f'variability="{kind}"{initial}{said}><Real {" ".join(entries)}/></ScalarVariable>'
        )


def model_description(
    name: str, title: str, guid: str, variables: Sequence[Variable], n_states: int, sources: Sequence[str]
) -> str:
    """The whole file; variables in the order of their value references, states first and then their rates."""
    numbers = {variable.name: k + 1 for k, variable in enumerate(variables)}
    units = sorted({variable.unit for variable in variables} - {"", "1"})
    outputs = [numbers[variable.name] for variable in variables if variable.causality == "output"]
    rates = range(n_states + 1, 2 * n_states + 1)
    files = "<SourceFiles>" + "".join(f'<File name="{file}"/>' for file in sources) + "</SourceFiles>"
    same = f'modelIdentifier="{name}" canGetAndSetFMUstate="true" canSerializeFMUstate="true"'
    unknown = {
        "Outputs": outputs,
        "Derivatives": list(rates),
        "InitialUnknowns": [*(k for k in outputs if variables[k - 1].start is None), *rates],
    }
    structure = []
    for word, listed in unknown.items():
        entries = "".join(f'<Unknown index="{k}"/>' for k in sorted(listed))
        structure += [f"    <{word}>{entries}</{word}>"] if listed else []
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<fmiModelDescription fmiVersion="2.0" modelName={quoteattr(title)} guid="{guid}" '
            f'generationTool="sharnir {__version__}" variableNamingConvention="flat" numberOfEventIndicators="0">',
            f"  <ModelExchange {same}>{files}</ModelExchange>",
            f'  <CoSimulation {same} canHandleVariableCommunicationStepSize="true">{files}</CoSimulation>',
            "  <UnitDefinitions>",
            *(f"    <Unit name={quoteattr(unit)}>{base_unit(unit)}</Unit>" for unit in units),
            "  </UnitDefinitions>",
            "  <ModelVariables>",
            *(variable.xml(k + 1, numbers) for k, variable in enumerate(variables)),
            "  </ModelVariables>",
            "  <ModelStructure>",
            *structure,
            "  </ModelStructure>",
            "</fmiModelDescription>\n",
        ]
    ).replace("  <UnitDefinitions>\n  </UnitDefinitions>\n", "")


def channel_note(model: Model, channel: str) -> str:
    """What a channel is, in words.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1), sr.Revolute("pin", "ground", "bob", axis="z"))
    >>> channel_note(m, "pin.v"), channel_note(m, "bob.angular_velocity.x")
    ("speed of Revolute 'pin'", "angular velocity x of Body 'bob'")
    """
    owner, _, rest = channel.partition(".")
    words = rest.split(".")
    groups: list[Mapping[str, Any]] = [model.bodies, model.forces, model.constraints, model.signals]
    groups.insert(0 if words[0] in OF_JOINTS else len(groups), model.joints)
    element = next((group[owner] for group in groups if owner in group), None)
    if element is None:
        return channel.replace(".", " ").replace("_", " ")
    said = " ".join(OF_JOINTS.get(word, word.replace("_", " ")) for word in words)
    return f"{said} of {element.label}" if rest else str(element.label)


def described(root: Element, notes: Mapping[str, Mapping[str, Any]]) -> Element:
    """A modelDescription of FMI 2 or 3 whose variables have the units, descriptions and ranges of `notes`, by their names."""
    listed = root.find("ModelVariables")
    for variable in () if listed is None else listed:
        note = notes.get(variable.get("name", ""), {})
        number = variable.find("Real")  # of FMI 2; in FMI 3 all stands in one element
        number = variable if number is None else number
        if note.get("description"):
            variable.set("description", note["description"])
        if note.get("unit", "") not in ("", "1"):
            number.set("unit", note["unit"])
        for word, bound in zip(("min", "max"), note.get("range") or (), strict=False):
            if abs(bound) < float("inf"):
                number.set(word, repr(float(bound)))
    units = sorted({str(note.get("unit", "")) for note in notes.values()} - {"", "1"})
    if units:
        definitions = Element("UnitDefinitions")
        for unit in units:
            entry = SubElement(definitions, "Unit", name=unit)
            if unit in BASE_UNITS:
                entry.append(fromstring(base_unit(unit)))
        root.insert(max(k for k, part in enumerate(root) if part.tag in ("CoSimulation", "ModelExchange")) + 1, definitions)
    return root


def base_unit(unit: str) -> str:
    """What a unit is in SI units; nothing for a unit that is not known."""
    if unit not in BASE_UNITS:
        return ""
    powers = " ".join(f'{x}="{power}"' for x, power in zip(DIMENSIONS, BASE_UNITS[unit], strict=True) if power)
    return f"<BaseUnit {powers}/>"
