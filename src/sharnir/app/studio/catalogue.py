"""What a model can contain, for palettes and forms: every element with its fields, made from the classes themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from sharnir.app.studio.field_units import unit_of
from sharnir.app.studio.flexible_forms import flexible_records
from sharnir.app.studio.imports import ENDINGS, FILE_FIELDS
from sharnir.families import tag
from sharnir.model import Model
from sharnir.model.base_motion import BaseMotion
from sharnir.model.contact import Friction
from sharnir.model.files.field_kinds import (
    BODY_TYPES,
    CONSTRAINT_TYPES,
    EVENT_TYPES,
    FORCE_TYPES,
    JOINT_TYPES,
    SIGNAL_TYPES,
    TYPES_OF_KIND,
    file_fields,
    required,
)
from sharnir.model.files.schema import WORDS
from sharnir.model.formula import FUNCTIONS
from sharnir.model.values import kinds_of

SECTIONS: dict[str, Mapping[str, type]] = {
    "bodies": BODY_TYPES,
    "joints": JOINT_TYPES,
    "forces": FORCE_TYPES,
    "constraints": CONSTRAINT_TYPES,
    "signals": SIGNAL_TYPES,
    "events": EVENT_TYPES,
}
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : ")
MORE = re.compile(r"\s{2,}(\w+) : ")  # a second entry on the same line
COMMON = {  # fields that mean the same wherever they occur, and that docstrings leave to their names
    "input": "formula of sensors, signals, parameters and t",
    "inputs": "formulas of sensors, signals, parameters and t",
    "initial": "value at the start",
    "unit": "unit of the signal, for plots",
    "period": "time between two ticks of the clock [s]",
    "offset": "time of the first tick [s]",
    "body": "the body on which it acts",
    "a": "the first body",
    "b": "the second body",
    "joint": "the joint in which it acts",
    "axis": "direction in world axes of the drawing (or in the joint frame)",
    "time": "length of the delay [s]",
    "time_constant": "time constant of the filter [s]",
    "limits": "least and greatest value",
    "numerator": "coefficients, the highest power first",
    "denominator": "coefficients, the highest power first",
    "stiffness": "force per length, or torque per angle",
    "damping": "force per speed, or torque per angular speed",
    "armature": "inertia of a rotor that turns with the freedom, times gear ratio squared",
    "surface": "the body to which the plane belongs",
    "wheel": "the body that rolls",
    "ball": "the body that rolls",
    "freedoms": "translations, rotations and screws, in their order from parent to child",
}
# fields that an element inherits and always refuses: forms do not show them
REFUSED = {
    "fixed": ("q", "v", "damping", "stiffness", "rest", "armature", "torque", "motion", "limits", "mimic"),
    "ball": ("rest", "motion", "limits", "mimic"),
    "free": ("stiffness", "rest", "armature", "motion", "limits", "mimic"),
    **dict.fromkeys(("cylindrical", "universal", "planar"), ("mimic",)),
}
SETTINGS = {
    "t_end": ("number", "end of the run"),
    "step": ("number", "time between outputs; the step size itself for methods with fixed steps"),
    "tolerance": ("number", "relative tolerance of a step"),
    "integrator": ("choice", "method of integration"),
    "formulation": ("choice", "joint or absolute coordinates"),
    "method": ("choice", "how accelerations are computed"),
    "solver": ("choice", "solver of the constraint forces"),
    "order": ("integer", "order of the integrator"),
    "max_step": ("number", "longest step of the integrator"),
    "output": ("number", "time between outputs, where it differs from the step"),
    "correction": ("json", 'correction of drift from the constraints: true, false, "position" or "velocity"'),
    "stabilization": ("json", "Baumgarte's stabilization: true, or [period, damping ratio]"),
    "options": ("values", "further options of the integrator by name, such as rho"),
}
# words that a text may be
CHOICES = {
    ("force", "axes"): ["world", "body"],
    ("torque", "axes"): ["world", "body"],
    ("joint-friction", "law"): ["coulomb", "lugre"],
    ("joint-reaction", "component"): ["force", "torque", "fx", "fy", "fz", "tx", "ty", "tz"],
    ("joint-reaction", "axes"): ["world", "local"],
    ("angle", "axes"): ["xyx", "xyz", "xzx", "xzy", "yxy", "yxz", "yzx", "yzy", "zxy", "zxz", "zyx", "zyz"],
    ("event", "direction"): ["rising", "falling", "both"],
}
NEW_NAMES = {("attach", "joint")}  # names of what an action makes, not of what the model has
# texts that are words, not formulas
PLAIN_TEXTS = ("unit", "file", "message", "output", "component", "law", "axes", "direction", "color")


def catalogue() -> dict[str, Any]:
    """All that a page needs to offer and edit elements.

    >>> found = catalogue()
    >>> [kind["type"] for kind in found["sections"]["bodies"]]
    ['body', 'flexible-body']
    >>> found["sections"]["joints"][1]["fields"][0]["name"]
    'parent'
    """
    sections = {name: [element_record(word, kind) for word, kind in kinds.items()] for name, kinds in SECTIONS.items()}
    parts = {word: [element_record(name, kind) for name, kind in kinds.items()] for word, kinds in TYPES_OF_KIND.items()}
    parts["friction"] = [element_record(tag(Friction), Friction)]
    parts |= flexible_records()
    return {
        "sections": sections,
        "parts": parts,
        "base_motion": element_record(tag(BaseMotion), BaseMotion),
        "words": WORDS,
        "functions": sorted(FUNCTIONS),
        "settings": settings_record(),
        "endings": {word: list(dict.fromkeys(endings)) for word, endings in ENDINGS.items()},
    }


def element_record(word: str, element: type) -> dict[str, Any]:
    """One class: its word in files, its title, a sentence about it, and its fields."""
    own = element.__module__.partition(".")[0] == "sharnir"
    doc, help_of = inspect.getdoc(element) or "", field_help(element)
    kinds, formulas = kinds_of(element), getattr(element, "formula_fields", {})
    fields = []
    for field in file_fields(element):
        told = help_of.get(field.name) or COMMON.get(field.name) or ""
        text = (told or WORDS.get(kinds[field.name].word, "")).replace("`", "")
        entry = {"name": field.name, "kind": kinds[field.name].word, "required": required(field), "help": text}
        entry["unit"] = unit_of(word, field.name, told)
        entry["default"] = plain_default(field)
        if kinds[field.name].of:
            entry["of"] = kinds[field.name].of
        if (word, field.name) in CHOICES:
            entry |= {"kind": "choice", "choices": CHOICES[word, field.name]}
        elif field.name in FILE_FIELDS.get(word, {}):
            entry |= {"kind": "file", "endings": list(FILE_FIELDS[word][field.name])}
        elif (word, field.name) in NEW_NAMES:
            entry["kind"] = "text"
        elif entry["kind"] == "text" and (field.name not in PLAIN_TEXTS or (word, field.name) == ("difference", "output")):
            entry["kind"] = "formula"
        if field.name in REFUSED.get(word, ()):
            entry["refused"] = True
        if field.name in formulas:
            entry["variables"] = list(formulas[field.name])
        fields.append(entry)
    fields.sort(key=lambda entry: not entry["required"])
    about = doc.split("\n\n")[0].replace("\n", " ").replace("`", "")
    found: dict[str, Any] = {"type": word, "title": title(element.__name__), "about": about, "fields": fields}
    return found if own else found | {"library": element.__module__.partition(".")[0]}


def plain_default(field: Any) -> Any:
    """A default that a form can show: a number, a word, a list of them; else nothing."""
    value = field.default
    if isinstance(value, tuple):
        value = list(value)
    plain = (bool, int, float, str)
    return value if isinstance(value, plain) or (isinstance(value, list) and all(isinstance(x, plain) for x in value)) else None


def title(name: str) -> str:
    """The name of a class as words.

    >>> title("TorsionSpring"), title("PID")
    ('Torsion spring', 'PID')
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return words if words.isupper() else words[0] + words[1:].lower()


def field_help(element: type) -> dict[str, str]:
    """What docstrings say about the fields of a class and of those that it is derived from.

    >>> from sharnir.model import Spring
    >>> field_help(Spring)["length"]
    'length without tension; default: the distance in the drawing.'
    """
    found: dict[str, str] = {}
    for base in reversed(element.__mro__):
        doc = base.__dict__.get("__doc__")
        if doc:
            found |= _entries(inspect.cleandoc(doc))
    return found


def _entries(doc: str) -> dict[str, str]:
    found: dict[str, str] = {}
    names: list[str] = []
    for line in doc.splitlines():
        start = ENTRY.match(line)
        if start:
            names = start.group(1).split(", ")
            text = line[start.end() :]
            more = MORE.search(text)
            if more:
                found[more.group(1)] = text[more.end() :].strip()
                text = text[: more.start()]
            for name in names:
                found[name] = text.strip()
        elif names and line.startswith(" ") and line.strip():
            for name in names:
                found[name] += " " + line.strip()
        else:
            names = []
    return found


def settings_record() -> list[dict[str, Any]]:
    """The settings of a run, with what may be chosen."""
    from sharnir.app.text_settings import known_words

    choices, defaults = known_words(), inspect.signature(Model.simulate).parameters
    return [
        {
            "name": name,
            "kind": kind,
            "help": text,
            "unit": unit_of("simulation", name),
            "required": name == "t_end",
            "default": defaults[name].default if name != "t_end" else None,
            **({"choices": list(choices[name])} if name in choices else {}),
        }
        for name, (kind, text) in SETTINGS.items()
    ]
