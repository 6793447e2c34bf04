"""Elements as plain data for files, and back: tables, lists, numbers, text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sharnir.errors import ModelError
from sharnir.families import tag
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.checks import AXES, fail
from sharnir.model.constraints import JointCoordinate
from sharnir.model.contact import Friction
from sharnir.model.events import Event
from sharnir.model.files.field_kinds import (
    ACTION_TYPES,
    CONTACT_SHAPE_TYPES,
    JOINT_TYPES,
    LAW_TYPES,
    SHAPE_TYPES,
    TYRE_TYPES,
    VARIABLE_TYPES,
    file_fields,
    kind,
    required,
)
from sharnir.model.files.table_encoding import read_table, table_data, written_table
from sharnir.model.frames import Frame, rotation_about
from sharnir.model.given_functions import Table
from sharnir.model.joints import Freedom, Limits
from sharnir.model.parameters.entry_formulas import expression

TOGETHER = ("variables", "tables", "texts", "values")  # without these a formula that names them would be refused
NOT_DRIVEN = "free"  # stands for "no motion prescribed" in a list of motions


def element_data(element: Any) -> dict[str, Any]:
    """The fields of an element that differ from their defaults, as plain data.

    >>> from sharnir.model import Revolute
    >>> element_data(Revolute("O", "ground", "crank", axis="y", v=2))
    {'parent': 'ground', 'child': 'crank', 'axis': 'y', 'v': 2.0}
    """
    names = [field.name for field in sorted(file_fields(type(element)), key=lambda field: not required(field))]
    given = {field.name: getattr(element, field.name) for field in file_fields(type(element)) if required(field)}
    if isinstance(element, FlexibleBody):  # the name of the file with the reduced model is known to who writes it
        given |= {"reduced": element.reduced, "frame_at": element.frame_at}
        names.remove("reduced")
    if isinstance(element, Body) and element.shape is not None:
        given["shape"] = element.shape
        given |= {"mass": element.mass} if element.density is None else {"density": element.density}
    if isinstance(element, Event):
        given |= {"when": element.when, "at": element.at, "every": element.every}
        given = {name: value for name, value in given.items() if value is not None}
    values = {name: getattr(element, name) for name in names}
    always = [name for name in getattr(type(element), "always_written", ()) if name in names]
    given |= {name: getattr(element, name) for name in always if getattr(element, name) is not None}
    given |= {name: value for name, value in values.items() if kind(type(element), name) in TOGETHER and value}
    plain = type(element)(**given, **({"name": element.name} if hasattr(element, "name") else {}))
    result = {}
    for name in names:
        value = getattr(element, name)
        if name in given or value != getattr(plain, name):
            result[name] = WRITERS.get(kind(type(element), name), written)(value, element, name)
    return result


def element_from_data(element: type, data: dict[str, Any], name: str | None = None) -> Any:
    """An element from plain data; the error of a wrong field names the field."""
    values: dict[str, Any] = {} if name is None else {"name": name}
    label = f"{element.__name__} {name!r}" if name is not None else element.__name__
    for field in file_fields(element):
        if field.name in data:
            reader = READERS.get(kind(element, field.name), lambda value: value)
            try:
                values[field.name] = reader(data[field.name])
            except ModelError as error:
                raise ModelError(f"{label}: {field.name}: {error}", field=field.name) from None
    return element(**values)


def written(value: Any, element: Any, field: str) -> Any:
    """Numbers, text and tuples of them as they are, tuples as lists."""
    return [written(part, element, field) for part in value] if isinstance(value, tuple) else value


def written_axis(value: Any, element: Any, field: str) -> Any:
    """A coordinate axis by its letter."""
    return next((letter for letter, axis in AXES.items() if axis == value), list(value))


def written_turns(value: Any, element: Any, field: str) -> Any:
    """Rows of a matrix, or turns with the letters of their axes."""
    return [list(part) if len(part) == 3 else [written_axis(part[0], element, field), part[1]] for part in value]


def written_inertia(value: Any, element: Any, field: str) -> list[float]:
    """Three moments, or six numbers if there are products of inertia."""
    return list(value) if any(value[3:]) else list(value[:3])


def written_numbers(value: Any, element: Any, field: str) -> Any:
    """A single entry stands alone."""
    return value[0] if len(value) == 1 else list(value)


def written_function(value: Any, element: Any, field: str) -> Any:
    """A number, formula or Table; a Python function cannot be written."""
    if isinstance(value, Table):
        return table_data(value)
    if callable(value):
        called = getattr(value, "__name__", repr(value))
        label = getattr(element, "label", "base_motion")
        fail(label, field, f"is the Python function {called}, which cannot be saved in a file; use a formula or a Table")
    return [written_function(part, element, field) for part in value] if isinstance(value, tuple) else value


def written_motion(value: Any, element: Any, field: str) -> Any:
    """The motion of the only freedom, or a list of motions."""
    if not hasattr(element, "n_v"):  # base motion
        return written_function(value, element, field)
    entries = [NOT_DRIVEN if entry is None else written_function(entry, element, field) for entry in value]
    return entries[0] if len(entries) == 1 else entries


def written_limits(value: Any, element: Any, field: str) -> Any:
    """[lower, upper] or a table; one per freedom."""
    entries: list[Any] = []
    for limits in value:
        if limits is None:
            entries.append({})
        elif math.isinf(limits.effort) and math.isinf(limits.velocity):
            entries.append([limits.lower, limits.upper])
        else:
            entries.append({name: getattr(limits, name) for name in ("lower", "upper", "effort", "velocity")})
    return entries[0] if len(entries) == 1 else entries


def written_frame(frame: Frame, element: Any, field: str) -> dict[str, Any]:
    """Position and rotation."""
    data: dict[str, Any] = {"position": list(frame.position)}
    return data | ({} if frame.rotation is None else {"rotation": written(frame.rotation, element, field)})


def written_shape(shape: Any, element: Any, field: str) -> Any:
    """A table with its type, or a list of such."""
    if isinstance(shape, tuple):
        return [written_shape(part, element, field) for part in shape]
    return {"type": tag(type(shape)), **element_data(shape)}


def written_freedom(freedom: Freedom) -> dict[str, Any]:
    """{rotation = "x"}, {translation = "y"} or {screw = "z", pitch = …}."""
    data = {freedom.kind: written_axis(freedom.axis, freedom, "axis")}
    return data | ({"pitch": freedom.pitch} if freedom.kind == "screw" else {})


def written_coordinate(coordinate: JointCoordinate, element: Any, field: str) -> Any:
    """The joint's name, or {joint = "name", freedom = …}."""
    return coordinate.joint if coordinate.freedom is None else element_data(coordinate)


def written_terms(terms: Any, element: Any, field: str) -> list[dict[str, Any]]:
    """A list of {joint, freedom, coefficient}."""
    return [{**element_data(coordinate), "coefficient": factor} for coordinate, factor in terms]


def written_variables(variables: dict[str, Any], element: Any, field: str) -> dict[str, Any]:
    """Variables by name, each with its type."""
    return {name: {"type": tag(type(variable)), **element_data(variable)} for name, variable in variables.items()}


def written_variable(variable: Any, element: Any, field: str) -> Any:
    """A joint's coordinate in short, or what is measured with its type."""
    if isinstance(variable, JointCoordinate):
        return written_coordinate(variable, element, field)
    return {"type": tag(type(variable)), **element_data(variable)}


def written_joint(joint: Any, element: Any, field: str) -> Any:
    """The name of a joint, or a new one with its name."""
    return {"name": joint.name, "joint": {"type": tag(type(joint)), **element_data(joint)}} if hasattr(joint, "name") else joint


def read_joint(value: Any) -> Any:
    """What `written_joint` writes."""
    return (
        value if isinstance(value, str) else element_from_data(JOINT_TYPES[value["joint"]["type"]], value["joint"], value["name"])
    )


def read_variable(value: Any) -> Any:
    """What `written_variable` writes."""
    if isinstance(value, dict) and "type" in value:
        return element_from_data(VARIABLE_TYPES[value["type"]], value)
    return JointCoordinate(**value) if isinstance(value, dict) else value


WRITERS: dict[str, Callable[[Any, Any, str], Any]] = {
    "axis": written_axis,
    "inertia": written_inertia,
    "numbers": written_numbers,
    "function": written_function,
    "functions": lambda value, element, field: written_numbers(
        [written_function(part, element, field) for part in value], element, field
    ),
    "three functions": written_function,
    "motion": written_motion,
    "limits": written_limits,
    "frame": written_frame,
    **dict.fromkeys(("shape", "contact shape", "contact shapes", "contact law", "tyre"), written_shape),
    "friction": lambda value, element, field: element_data(value),
    "mimic": lambda value, element, field: dict(zip(("joint", "multiplier", "offset"), value, strict=True)),
    "freedoms": lambda value, element, field: [written_freedom(part) for part in value],
    "coordinate": written_coordinate,
    "terms": written_terms,
    "profile": written_function,
    "curve": written_function,
    "table": written_table,
    "tables": lambda value, element, field: {name: written_table(one, element, field) for name, one in value.items()},
    "texts": lambda value, element, field: dict(value),
    "units": lambda value, element, field: dict(value),
    "turns": written_turns,
    "values": lambda value, element, field: dict(value),
    "variables": written_variables,
    "variable": written_variable,
    "joined": written_joint,
    "actions": lambda value, element, field: [{"type": tag(type(part)), **element_data(part)} for part in value],
}


def read_function(value: Any) -> Any:
    """A Table from a table; others as they are, lists entry by entry."""
    if isinstance(value, list):
        return tuple(read_function(part) for part in value)
    return Table(**value) if isinstance(value, dict) else value


def read_motion(value: Any) -> Any:
    """As read_function, with None for "free"."""
    if isinstance(value, list):
        return tuple(read_motion(part) for part in value)
    return None if value == NOT_DRIVEN else read_function(value)


def read_rotation(value: Any) -> Any:
    """Quaternion or matrix as given; a table is an axis and an angle."""
    if not isinstance(value, dict):
        return value
    if ("angle" in value) == ("degrees" in value):
        raise ModelError("give either angle (in rad) or degrees with the axis")
    if "angle" in value:
        return rotation_about(value["axis"], value["angle"])
    degrees = value["degrees"]
    angle: Any = expression(degrees) * (math.pi / 180) if isinstance(degrees, str) else math.radians(degrees)
    return rotation_about(value["axis"], angle)


def read_limits(value: Any) -> Any:
    """Limits from tables; an empty table means no limit; pairs as they are."""
    if isinstance(value, dict):
        return Limits(**value) if value else None
    return tuple(read_limits(part) if isinstance(part, (dict, list)) else part for part in value)


def read_shape(value: Any) -> Any:
    """A shape, or a tuple of shapes."""
    if isinstance(value, list):
        return tuple(read_shape(part) for part in value)
    return element_from_data(SHAPE_TYPES[value["type"]], value)


def read_freedom(value: dict[str, Any]) -> Freedom:
    """One freedom from {rotation = "x"}, {translation = "y"} or {screw = "z", pitch = …}."""
    kinds = [word for word in Freedom.kinds if word in value]
    if len(kinds) != 1:
        raise ModelError(f"each entry needs exactly one of {', '.join(Freedom.kinds)}, not {value!r}")
    return Freedom(kinds[0], value[kinds[0]], value.get("pitch", 0.0))


READERS: dict[str, Callable[[Any], Any]] = {
    "function": read_function,
    "functions": read_function,
    "three functions": read_function,
    "motion": read_motion,
    "rotation": read_rotation,
    "limits": read_limits,
    "frame": lambda value: Frame(value.get("position", (0.0, 0.0, 0.0)), read_rotation(value.get("rotation"))),
    "shape": read_shape,
    "contact shape": lambda value: element_from_data(CONTACT_SHAPE_TYPES[value["type"]], value),
    "contact shapes": lambda value: tuple(element_from_data(CONTACT_SHAPE_TYPES[part["type"]], part) for part in value),
    "contact law": lambda value: element_from_data(LAW_TYPES[value["type"]], value),
    "tyre": lambda value: element_from_data(TYRE_TYPES[value["type"]], value),
    "friction": lambda value: element_from_data(Friction, value) if isinstance(value, dict) else value,
    "mimic": lambda value: (value["joint"], value.get("multiplier", 1.0), value.get("offset", 0.0)),
    "freedoms": lambda value: tuple(read_freedom(part) for part in value),
    "coordinate": lambda value: JointCoordinate(**value) if isinstance(value, dict) else value,
    "terms": lambda value: tuple((JointCoordinate(part["joint"], part.get("freedom")), part["coefficient"]) for part in value),
    **dict.fromkeys(("profile", "curve"), read_function),
    "table": read_table,
    "tables": lambda value: {name: read_table(one) for name, one in value.items()},
    "variable": read_variable,
    "joined": read_joint,
    "actions": lambda value: tuple(element_from_data(ACTION_TYPES[part["type"]], part) for part in value),
    "variables": lambda value: {name: element_from_data(VARIABLE_TYPES[part["type"]], part) for name, part in value.items()},
}
