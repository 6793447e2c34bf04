"""modelDescription.xml of an FMU of FMI 2.0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from sharnir import __version__

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


def base_unit(unit: str) -> str:
    """What a unit is in SI units; nothing for a unit that is not known."""
    if unit not in BASE_UNITS:
        return ""
    powers = " ".join(f'{x}="{power}"' for x, power in zip(DIMENSIONS, BASE_UNITS[unit], strict=True) if power)
    return f"<BaseUnit {powers}/>"
