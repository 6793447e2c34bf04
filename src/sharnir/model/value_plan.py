"""A model with other values of its parameters, quickly: only elements with formulas are made again, most of them without checks.

Bodies and joints whose formulas stand in plain numbers and vectors are copied with other numbers in them, which are computed
for all of them by one function. What their constructors would check is looked at for all of them at once; where it might fail,
NotPlain says so, and the model is made as usual, with the usual error. All other elements are made by their constructors.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.model.bodies.body import Body, six
from sharnir.model.bodies.shapes import solid
from sharnir.model.changed_elements import update_followers
from sharnir.model.joints import Joint
from sharnir.model.links import with_freedom_number
from sharnir.model.parameters.entry_formulas import read
from sharnir.model.parameters.parameter import Parameters
from sharnir.model.parameters.template import Template
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Name, Node, Number

if TYPE_CHECKING:
    from sharnir.model.model import Model

OF_BODIES = frozenset({"mass", "com", "inertia", "position"})
OF_JOINTS = frozenset({"at", "q", "v", "damping", "stiffness", "rest"})
ELEMENTS = ("_bodies", "_joints", "_signals", "_forces", "_constraints", "_events")
NOT_NEGATIVE = ("mass", "damping", "stiffness")
NEAR = 1e-10  # of the limits of what is physical: inertias there are left to the constructor


class NotPlain(Exception):
    """Something may be wrong with these values; constructors know what."""


class Entries:
    """Formulas and constants, each with a place in one list of values.

    >>> entries = Entries()
    >>> entries.place("2*l"), entries.place(3)
    (0, 1)
    >>> entries.compiled()({"l": 0.5})
    [1.0, 3.0]
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def place(self, entry: Any) -> int:
        """Where the value of a number or formula will stand."""
        self.nodes.append(read(entry).node if isinstance(entry, str) else Number(float(entry)))
        return len(self.nodes) - 1

    def compiled(self) -> Callable[[Mapping[str, float]], list[float]]:
        """One function of the parameters that gives all values; shared parts are computed once."""
        lines: list[str] = []
        texts: dict[Any, str] = {}
        for k, node in enumerate(ordered(self.nodes)):
            parts = [texts[argument] for argument in node.arguments]
            if isinstance(node, Number):
                texts[node] = repr(float(node.value))
                continue
            texts[node] = f"v{k}"
            lines.append(f"    v{k} = {_source(node, parts)}")
        body = "\n".join(lines)
        scope: dict[str, Any] = {"math": math} | {f"f{k}": row.value for k, row in enumerate(ROWS.values())}
        exec(f"def values(p):\n{body}\n    return [{', '.join(texts[node] for node in self.nodes)}]", scope)
        return scope["values"]


def _source(node: Any, parts: list[str]) -> str:
    """Python text of one operation, as `symbolic.evaluation` computes it."""
    if isinstance(node, Name):
        return f"p[{node.name!r}]"
    if node.function in ("+", "*"):
        return f" {node.function} ".join(f"({part})" for part in parts)
    if node.function == "neg":
        return f"-({parts[0]})"
    if node.function in ("sin", "cos"):
        return f"math.{node.function}({parts[0]})"
    return f"float(f{list(ROWS).index(node.function)}({', '.join(parts)}))"


class ValuePlan:
    """How the elements of a model follow from its parameters.

    >>> from sharnir.model import Body, Model
    >>> m = Model(parameters={"l": 1.0})
    >>> _ = m.add(Body("bob", mass=1, position=("l", 0, 0)))
    >>> ValuePlan(m).model({"l": 0.5}) == m.with_parameters(l=0.5)
    True
    """

    def __init__(self, model: Model) -> None:
        self.base = model
        self.entries = Entries()
        # part, name, element, formulas by field (places of values, and how they are put together)
        self.plain: list[tuple[str, str, Any, list[tuple[str, Any]]]] = []
        self.made: list[tuple[str, str, Template]] = []
        for (part, name), (template, stored) in model._templates.items():
            if getattr(model, part).get(name) is not stored:
                continue
            fields = self._fields(template, stored)
            if fields is None:
                self.made.append((part, name, template))
            else:
                self.plain.append((part, name, stored, fields))
        given = model._gravity_formulas
        self.gravity = None if given is None else [self.entries.place(x) for x in given]
        self.bounded = [k for *_, fields in self.plain for field, places in fields if field in NOT_NEGATIVE for k in places]
        self.values = self.entries.compiled()

    def _fields(self, template: Template, element: Any) -> list[tuple[str, Any]] | None:
        """Places of the values of every field with formulas; None if the element has to be made by its constructor."""
        formulas, given, place = template.formula_fields, template.entries, self.entries.place
        if type(element) is Body and not formulas - OF_BODIES and element.density is None:
            fields: list[tuple[str, Any]] = []
            if "inertia" in formulas and not (
                len(given["inertia"]) in (3, 6) and all(isinstance(x, (str, int, float)) for x in given["inertia"])
            ):
                return None
            for field in sorted(formulas):
                entries = given[field] if isinstance(given[field], tuple) else (given[field],)
                fields.append((field, [place(x) for x in entries]))
            if "mass" in formulas and given.get("inertia") is None and element.shapes:
                fields.append(("unit", np.array(solid(element.shapes)[2])))
            return fields
        if isinstance(element, Joint) and not formulas - OF_JOINTS and not (formulas - {"at"} and any(element.driven)):
            if formulas - {"at"} and (element.mimic is not None or element.coordinates != "angles"):
                return None
            fields = []
            for field in sorted(formulas):
                entry = given[field]
                if field != "at":
                    entry = entry if isinstance(entry, tuple) else (entry,) * element.n_v
                fields.append((field, [place(x) for x in entry]))
            return fields
        return None

    def model(self, parameters: Mapping[str, float]) -> Model:
        """The model for these values of all parameters; NotPlain or a ModelError where something is wrong with them."""
        with np.errstate(all="ignore"):
            try:
                values = self.values(parameters)
            except (ArithmeticError, ValueError):
                raise NotPlain from None
        if not all(map(math.isfinite, values)) or any(values[k] < 0.0 for k in self.bounded):
            raise NotPlain
        base = self.base
        other = copy.copy(base)
        parts = {part: dict(getattr(base, part)) for part in ELEMENTS}
        templates = dict(base._templates)
        inertias = []
        for part, name, stored, fields in self.plain:
            made = object.__new__(type(stored))
            entries = made.__dict__
            entries.update(stored.__dict__)
            for field, places in fields:
                if field == "mass":
                    entries["mass"] = values[places[0]]
                elif field == "unit":
                    entries["inertia"] = six(entries["mass"] * places)
                elif field == "inertia":
                    six_numbers = [values[k] for k in places]
                    entries["inertia"] = tuple(six_numbers) + (0.0,) * (6 - len(six_numbers))
                    inertias.append(entries["inertia"])
                else:
                    entries[field] = tuple([values[k] for k in places])
            parts[part][name] = made
            templates[part, name] = (templates[part, name][0], made)
        _check_inertias(inertias)
        for part, name, template in self.made:
            parts[part][name] = template.element(parameters)
        for part, name, template in self.made:
            element = parts[part][name] = with_freedom_number(parts[part][name], parts["_joints"])
            templates[part, name] = (template, element)
        if self.made:
            update_followers(base, parts)
        for part, elements in parts.items():
            setattr(other, part, elements)
        other._templates, other._released = templates, dict(base._released)
        if self.gravity is not None:
            other._gravity = tuple(values[k] for k in self.gravity)
        if base._base_motion_template is not None:
            other._base_motion = base._base_motion_template.element(parameters)
        other._parameters = _with_values(base._parameters, parameters, other._take_parameters)
        return other


def snapshot(model: Model) -> Model:
    """The model as it is now, whatever is added to it or changed in it later.

    >>> from sharnir.model import Body, Model
    >>> m = Model(parameters={"l": 1.0})
    >>> now = snapshot(m)
    >>> _ = m.add(Body("bob", mass="l"))
    >>> m.parameters["l"] = 2.0
    >>> len(now.bodies), now.parameters["l"]
    (0, 1.0)
    """
    other = copy.copy(model)
    for part in (*ELEMENTS, "_released", "_templates"):
        setattr(other, part, dict(getattr(model, part)))
    other._parameters = _with_values(model._parameters, model._parameters, other._take_parameters)
    return other


def _with_values(known: Parameters, values: Mapping[str, float], changed: Any) -> Parameters:
    """Parameters with other values, which are known to be in their ranges."""
    made = Parameters.__new__(Parameters)
    dict.update(made, values)
    made.notes = {
        name: note if note.value == values[name] else replace(note, value=values[name]) for name, note in known.notes.items()
    }
    made._changed = changed
    return made


def _check_inertias(inertias: list[tuple[float, ...]]) -> None:
    """The same for moments and products of bodies as they are given."""
    if inertias:
        xx, yy, zz, xy, xz, yz = np.array(inertias).T
        check_moments(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1))


def check_moments(J: np.ndarray) -> None:
    """Inertia matrices of bodies (n, 3, 3) that are physical without doubt; NotPlain: others are left to the usual checks.

    >>> check_moments(np.array([np.eye(3)]))
    """
    low, middle, high = np.linalg.eigvalsh(J).T
    if not (np.all(low >= -NEAR * high) and np.all(high <= (low + middle) * (1.0 + NEAR) + 1e-300)):
        raise NotPlain
