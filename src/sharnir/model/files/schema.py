"""The schema of `model.toml`: permitted keys and values, checked by pydantic and published as JSON schema."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from functools import lru_cache, reduce
from os import PathLike
from types import GenericAlias
from typing import Annotated, Any, Literal

from sharnir.atomic_file import write_text
from sharnir.families import Family, tag
from sharnir.libraries import load_libraries
from sharnir.model.base_motion import BaseMotion
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.contact import Friction
from sharnir.model.events import Event
from sharnir.model.files.field_kinds import (
    ACTION_TYPES,
    BODY_TYPES,
    CONSTRAINT_TYPES,
    CONTACT_SHAPE_TYPES,
    FORCE_TYPES,
    JOINT_TYPES,
    LAW_TYPES,
    SHAPE_TYPES,
    SIGNAL_TYPES,
    TYRE_TYPES,
    VARIABLE_TYPES,
    FileTypes,
    file_fields,
    kind,
    required,
)
from sharnir.model.files.flexible_schema import WORDS as REDUCED_WORDS
from sharnir.model.files.flexible_schema import reduced_type

# what messages and the schema say about each kind of value
WORDS = {
    "name": "the name of an element",
    "number": "a number, or a formula of parameters as text",
    "integer": "a whole number, or a formula of parameters as text",
    "text": "text",
    "vector": "three numbers [x, y, z]",
    "six": "six numbers",
    "list": "a list of numbers",
    "list of text": "a list of formulas as text",
    "texts": "formulas as text, by name",
    "values": "numbers by name",
    "table": "a table {x = […], y = […], kind, outside, smooth}, a file beside {file, columns, kind, outside, smooth}, or on a "
    "grid {axes = [[…], […]], values = [[…], …], kind, outside, smooth}",
    "flag": "true or false",
    "value": "a number or a formula as text",
    "variable": 'a joint, {joint, freedom}, or what is measured, such as {type = "point-coordinate", body = "ball", axis = "z"}',
    "joined": 'the name of a joint or constraint, or {name = "latch", joint = {type = "revolute", …}}',
    "actions": 'a list of actions such as {type = "stop"}',
    "matrix": "a list of rows of numbers",
    "inertia": "[Jxx, Jyy, Jzz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three rows of three numbers",
    "axis": '"x", "y", "z", "-x", "-y", "-z" or three numbers',
    "rotation": 'a quaternion [w, x, y, z], three rows of three numbers, or {axis = "x", degrees = 90} (or angle in rad)',
    "shape": 'a shape such as {type = "box", size = [1, 1, 1]}, or a list of shapes',
    "contact shape": 'a shape such as {type = "sphere", radius = 0.1} or {type = "plane"}',
    "contact shapes": 'a list of shapes such as {type = "plane"}',
    "names": "a list of names",
    "contact law": 'a law such as {type = "hertz", stiffness = 1e8}',
    "tyre": 'a tyre such as {type = "linear-tyre", longitudinal = 6e4, cornering = 5e4}',
    "friction": "a coefficient, or {kinetic, static, speed, stribeck_speed, viscous}",
    "color": 'a colour such as "steelblue", "#4682b4" or [r, g, b] from 0 to 1',
    "frame": "a frame {position = [x, y, z], rotation = …}",
    "numbers": "a number, or one number per freedom",
    "motion": "a number, formula of t or table, or a triple of these (position, speed, acceleration); "
    'a list with one per freedom, "free" where none',
    "limits": "[lower, upper] or {lower, upper, effort, velocity}, or a list of these, one per freedom",
    "mimic": "a table {joint, multiplier, offset}",
    "freedoms": 'a list of {rotation = "x"}, {translation = "y"} or {screw = "z", pitch = 0.01}',
    "units": 'units by name: "m", "rad" or "1"',
    "three formulas": "three entries, each a number or a formula as text",
    "turns": 'three rows of three numbers or formulas, a turn ["z", "q"] about an axis, or a list of turns; an axis may be a '
    "letter, three numbers or three formulas",
    "function": "a number, a formula as text, or a table {x = […], y = […], kind, outside, smooth}",
    "functions": "a number, a formula as text, or a table {x = […], y = […], kind, outside, smooth}; a list with one per freedom",
    "three functions": "three entries, each a number, a formula of t as text, or a table {x = […], y = […], kind, outside, "
    "smooth}",
    "freedom": "the number of a freedom from 0, or its name",
    "coordinate": 'the name of a joint, or {joint = "name", freedom = 1}',
    "terms": 'a list of {joint = "name", freedom = 0, coefficient = 1.0}',
    "profile": "a number, formula or cubic table, or a triple of these (value, slope, curvature)",
    "curve": "three entries x, y, z, each a number, formula of s or cubic table, or a triple of these (value, slope, curvature)",
    "tables": "tables by name, each as {x = […], y = […]} or {axes = [[…], […]], values = [[…], …]}",
    "variables": 'a table of variables such as {x = {type = "point-coordinate", body = "rod", axis = "x"}}',
    "reduced": REDUCED_WORDS,
}


def _record(name: str, doc: str, entries: dict[str, Any]) -> Any:
    """A pydantic class with given fields, where unknown keys and text for numbers are errors."""
    from pydantic import ConfigDict, create_model

    settings = ConfigDict(extra="forbid", strict=True, title=name)
    return create_model(name, __config__=settings, __doc__=doc.strip().split("\n")[0], **entries)


def _either(*options: Any) -> Any:
    """The union of types."""
    return reduce(operator.or_, options)


def _listed(entry: Any, least: int = 0, most: int | None = None) -> Any:
    """A list of entries, of given length."""
    from pydantic import Field

    return Annotated[GenericAlias(list, (entry,)), Field(min_length=least, max_length=most)]


@lru_cache(maxsize=1)
def _types() -> dict[str, Any]:
    """The pydantic type of each kind of value."""
    number = _either(float, str)  # a number, or a formula of parameters
    vector, rows = _listed(number, 3, 3), _listed(_listed(number, 3, 3), 3, 3)
    axis = _either(Literal["x", "y", "z", "-x", "-y", "-z"], vector)
    turn = _record("AxisAngle", "A rotation about an axis.", {"axis": axis, "angle": (number, None), "degrees": (number, None)})
    rotation = _either(_listed(number, 4, 4), rows, turn)
    outside = Literal["constant", "extend", "error", "repeat"]
    curve = {"kind": (Literal["linear", "cubic"], "linear"), "outside": (outside, "constant"), "smooth": (bool, False)}
    table = _record("Table", "A curve through points.", {"x": _listed(number), "y": _listed(number), **curve})
    beside = {"file": str, "columns": (_listed(int, 2, 2), [0, 1]), **curve}
    table_file = _record("TableFile", "A curve whose points stand in two columns of a text file beside the model.", beside)
    function = _either(float, str, table, table_file)
    grid = {"axes": _listed(_listed(number)), "values": list[Any], **curve}
    on_grid = _record("GridTable", "A table of several variables.", grid)
    bounds = dict.fromkeys(("lower", "upper", "effort", "velocity"), (number, None))
    limits = _either(_listed(number, 2, 2), _record("Limits", "Limits of one freedom.", bounds))
    turns = dict.fromkeys(("rotation", "translation", "screw"), (axis, None))
    leader = {"joint": str, "multiplier": (number, 1.0), "offset": (number, 0.0)}
    coordinate = {"joint": str, "freedom": (_either(int, str), None)}
    profile = _either(function, _listed(function, 3, 3))
    return {
        "name": str,
        "number": number,
        "integer": _either(int, str),
        "text": str,
        "vector": vector,
        "six": _listed(number, 6, 6),
        "list": _listed(number),
        "list of text": list[str],
        "names": list[str],
        "texts": dict[str, str],
        "values": _named(number),
        "tables": _named(_either(table, on_grid)),
        "table": _either(table, table_file, on_grid),
        "flag": bool,
        "value": _either(float, str),
        "matrix": _listed(_listed(number)),
        "inertia": _either(vector, _listed(number, 6, 6), rows),
        "axis": axis,
        "rotation": rotation,
        "color": _either(str, _listed(number, 3, 4)),
        "frame": _record("Frame", "A frame.", {"position": (vector, None), "rotation": (rotation, None)}),
        "numbers": _either(number, _listed(number)),
        "motion": _either(function, _listed(_either(function, _listed(function, 3, 3)))),
        "limits": _either(limits, _listed(limits)),
        "mimic": _record("Mimic", "Follow another joint.", leader),
        "freedoms": _listed(_record("Freedom", "One elementary freedom.", {**turns, "pitch": (number, None)}), 0, 6),
        "units": dict[str, Literal["m", "rad", "1"]],
        "three formulas": _listed(number, 3, 3),
        "turns": _listed(_either(number, _listed(_either(number, _listed(number, 3, 3)), 2, 3)), 1),
        "function": function,
        "functions": _either(function, _listed(function)),
        "three functions": _listed(function, 3, 3),
        "freedom": _either(int, str),
        "coordinate": _either(str, _record("Coordinate", "A coordinate of a joint.", coordinate)),
        "terms": _listed(_record("Term", "A coordinate of a joint times a number.", {**coordinate, "coefficient": number}), 1),
        "profile": profile,
        "curve": _listed(profile, 3, 3),
    }


def _element(
    element: type, types: dict[str, Any], *, tagged: bool = True, default: bool = False, missing: tuple[str, ...] = ()
) -> Any:
    """The pydantic class of one kind of element; `default`: its type may be left out; `missing`: fields that may not."""
    from pydantic import Field

    entries: dict[str, Any] = {"type": Literal[tag(element)]} if tagged else {}
    if default:
        entries["type"] = (Literal[tag(element)], tag(element))
    for field in file_fields(element):
        sort = kind(element, field.name)
        default_value = ... if required(field) or field.name in missing else None
        entries[field.name] = (types[sort], Field(default_value, description=WORDS[sort]))
    return _record(element.__name__, element.__doc__ or "", entries)


def _one_of(kinds: Mapping[str, type], types: dict[str, Any]) -> Any:
    """One of several elements, told apart by their `type`."""
    from pydantic import Field

    members = [_element(element, types) for element in kinds.values()]
    return Annotated[_either(*members), Field(discriminator="type")]


def _bodies(types: dict[str, Any]) -> Any:
    """A rigid body, whose type need not be given, or a flexible one."""
    from pydantic import Discriminator, Tag

    rigid = _element(Body, types, default=True)
    flexible = _element(FlexibleBody, {**types, "reduced": reduced_type(types, _record)}, missing=("reduced",))
    words = list(BODY_TYPES)
    members = _either(Annotated[rigid, Tag(words[0])], Annotated[flexible, Tag(words[1])])
    return Annotated[members, Discriminator(lambda data: data.get("type", words[0]) if isinstance(data, dict) else words[0])]


def _named(entry: Any) -> Any:
    """Elements by name."""
    return GenericAlias(dict, (str, entry))


def document(own: bool = False) -> Any:
    """The pydantic class of a whole model file; `own`: with the classes of this package only."""
    if not own:
        load_libraries()
    return _document(own, Family.changes)


@lru_cache(maxsize=4)
def _document(own: bool, changes: int) -> Any:
    """The same, made again when a class has been defined."""

    def tagged(kinds: FileTypes, types: dict[str, Any]) -> Any:
        return _one_of(kinds.own() if own else kinds, types)

    types = dict(_types())
    shape = tagged(SHAPE_TYPES, types)
    types["shape"] = _either(shape, _listed(shape))
    types["contact shape"], types["contact law"] = tagged(CONTACT_SHAPE_TYPES, types), tagged(LAW_TYPES, types)
    types["contact shapes"] = _listed(types["contact shape"])
    types["tyre"] = tagged(TYRE_TYPES, types)
    types["friction"] = _either(types["number"], _element(Friction, types, tagged=False))
    measured = tagged(VARIABLE_TYPES, types)
    types["variables"] = _named(measured)
    types["variable"] = _either(types["coordinate"], measured)
    new_joint = {"name": str, "joint": tagged(JOINT_TYPES, types)}
    types["joined"] = _either(str, _record("NewJoint", "A joint that is not there from the beginning.", new_joint))
    types["actions"] = _listed(tagged(ACTION_TYPES, types))
    head = {"name": (str, "model"), "gravity": (types["vector"], [0.0, 0.0, -9.81])}
    numbers = {"t_end": float, "step": float, "output": float, "tolerance": float, "order": int, "max_step": float}
    words = {"integrator": str, "formulation": str, "method": str, "solver": str}
    kept = {"stabilization": _either(bool, _listed(float, 2, 2)), "correction": _either(bool, str)}
    kept["options"] = dict[str, float]
    described = {"value": float, "unit": (str, ""), "description": (str, ""), "range": (_listed(float, 2, 2), None)}
    run = {field: (sort, None) for field, sort in {**numbers, **words, **kept}.items()}
    entries: dict[str, Any] = {
        "model": (_record("ModelSection", "Name of the model and gravity [m/s²].", head), {}),
        "parameters": (_named(_either(float, _record("Parameter", "A parameter of the model.", described))), {}),
        "base_motion": (_element(BaseMotion, types, tagged=False), {}),
        "bodies": (_named(_bodies(types)), {}),
        "joints": (_named(tagged(JOINT_TYPES, types)), {}),
        "signals": (_named(tagged(SIGNAL_TYPES, types)), {}),
        "forces": (_named(tagged(FORCE_TYPES, types)), {}),
        "constraints": (_named(tagged(CONSTRAINT_TYPES, types)), {}),
        "events": (_named(_element(Event, types, tagged=False)), {}),
        "simulation": (_record("Simulation", "Settings of a run.", run), {}),
    }
    return _record("ModelFile", "A sharnir model file (TOML).", entries)


def schema(own: bool = False) -> dict[str, Any]:
    """The JSON schema of a model file; `own`: with the classes of this package only, as it is published.

    >>> sorted(schema()["properties"])
    ['base_motion', 'bodies', 'constraints', 'events', 'forces', 'joints', 'model', 'parameters', 'signals', 'simulation']
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **without_null(document(own).model_json_schema())}


def without_null(data: Any) -> Any:
    """The schema without "default: null": TOML has no null, a key that is not given is left out."""
    if isinstance(data, dict):
        return {key: without_null(value) for key, value in data.items() if not (key == "default" and value is None)}
    return [without_null(value) for value in data] if isinstance(data, list) else data


def write_schema(path: str | PathLike[str]) -> None:
    """Write the JSON schema to a file, as it is published in the documentation."""
    text = json.dumps(schema(own=True), indent=1, ensure_ascii=False) + "\n"
    write_text(path, text)
