"""What kind of value each field of each element holds in a model file: the table behind the schema, reading and writing."""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, fields
from typing import Any

from sharnir.model.base_motion import BaseMotion
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.bodies.shapes import ALL_SHAPES
from sharnir.model.constraints import ALL_CONSTRAINTS, ALL_VARIABLES
from sharnir.model.contact import ALL_LAWS, CONTACT_SHAPES, Friction
from sharnir.model.events import ALL_ACTIONS, Event
from sharnir.model.forces import ALL_FORCES, ALL_TYRES, UserForce
from sharnir.model.joints import ALL_JOINTS
from sharnir.model.signals import ALL_BLOCKS, ALL_OBSERVED, ALL_SENSORS, ALL_SIGNALS, CODED, DeadZone, RateLimiter

# by field name, or by class and field name where the same word means different things
KINDS: dict[str, str] = {
    "parent": "name",
    "child": "name",
    "body": "name",
    "joint": "name",
    **dict.fromkeys(("a", "b", "wheel", "ball", "surface", "relative_to", "axes_of"), "name"),
    "mass": "number",
    "density": "number",
    "pitch": "number",
    "radius": "number",
    "length": "number",
    "stiffness": "number",
    "damping": "number",
    "angle": "number",
    **dict.fromkeys(
        ("coefficient", "static", "stribeck_speed", "viscous", "axial_radius", "width", "preload", "smoothing"), "number"
    ),
    "JointFriction.law": "text",
    **dict.fromkeys(("area", "mu", "J2", "efficiency"), "number"),
    **dict.fromkeys(("Drag.coefficient", "Drag.density", "linear", "sound", "command"), "function"),
    "wind": "three functions",
    **dict.fromkeys(("drag", "side", "lift", "Aerodynamics.density"), "function"),
    **{"Aerodynamics.moment": "three functions", "Aerodynamics.damping": "vector"},
    "freedom": "freedom",
    **dict.fromkeys(("ratio", "offset", "constant", "tube", "s"), "number"),
    **dict.fromkeys(("kp", "ki", "kd", "time_constant", "filter_time", "initial", "D"), "number"),
    **dict.fromkeys(("B", "C", "numerator", "denominator", "StateSpace.initial"), "list"),
    "A": "matrix",
    **{f"{block.__name__}.limits": "list" for block in (*ALL_BLOCKS, DeadZone, RateLimiter)},
    **dict.fromkeys(("period", "Quantizer.step", "low", "high", "off", "on", "Delay.time", "PadeDelay.time"), "number"),
    **dict.fromkeys(("SampleHold.offset", "DiscreteStateSpace.offset", "DiscreteTransferFunction.offset"), "number"),
    "DiscreteStateSpace.initial": "list",
    "Relay.initial": "flag",
    "order": "integer",
    "signal": "name",
    **dict.fromkeys(("Difference.inputs", "Difference.updates"), "texts"),
    "Difference.states": "values",
    "Difference.output": "text",
    "inputs": "list of text",
    "Lookup.table": "table",
    "tables": "tables",
    **dict.fromkeys(("when", "message", "Event.direction"), "text"),
    **dict.fromkeys(("Event.at", "every", "restitution", "lower", "upper", "rest_speed"), "number"),
    **dict.fromkeys(("parameter", "event"), "name"),
    "times": "integer",
    "enabled": "flag",
    "initially": "flag",
    "value": "value",
    "coordinate": "coordinate",
    "variable": "variable",
    "actions": "actions",
    "Join.joint": "joined",
    "gap": "number",
    "relative": "flag",
    **dict.fromkeys(("exhaust_speed", "propellant"), "number"),
    "tank": "vector",
    "tank_inertia": "list",
    "jet_damping": "flag",
    "Thrust.force": "value",
    "com": "vector",
    "position": "vector",
    "velocity": "vector",
    "angular_velocity": "vector",
    "at": "vector",
    "at_a": "vector",
    "at_b": "vector",
    "size": "vector",
    "center": "vector",
    "start": "vector",
    "end": "vector",
    "origin": "vector",
    "through": "vector",
    "inertia": "inertia",
    "axis": "axis",
    **dict.fromkeys(("axis2", "x_axis", "axis_a", "axis_b", "normal", "direction"), "axis"),
    "rotation": "rotation",
    "shape": "shape",
    "color": "color",
    "mesh": "text",
    "axes": "text",
    **dict.fromkeys(("formula", "input", "rate", "unit"), "text"),
    "parent_frame": "frame",
    "child_frame": "frame",
    "q": "numbers",
    "v": "numbers",
    "rest": "numbers",
    "motion": "motion",
    "limits": "limits",
    "mimic": "mimic",
    "freedoms": "freedoms",
    **dict.fromkeys(("joint_a", "joint_b", "pinion", "rack", "cam", "follower"), "coordinate"),
    "terms": "terms",
    "profile": "profile",
    "curve": "curve",
    "variables": "variables",
    "reduced": "reduced",
    "frame_at": "name",
    **dict.fromkeys(("w", "xi"), "numbers"),
    "torque": "function",
    "force": "function",
    "Force.force": "three functions",
    "Torque.torque": "three functions",
    "Bushing.stiffness": "six",
    "Bushing.damping": "six",
    "Bushing.preload": "six",
    "Distance.length": "profile",
    **dict.fromkeys(("shape_a", "shape_b", "ContactGroup.shape"), "contact shape"),
    **{"ContactGroup.bodies": "names", "walls": "contact shapes", "walls_of": "name"},
    "law": "contact law",
    "friction": "friction",
    "tyre": "tyre",
    **dict.fromkeys(("resistance", "trail", "grip", "camber", "longitudinal", "cornering"), "function"),
    **dict.fromkeys(
        ("LinearTyre.friction", "BrushTyre.friction", "lateral_friction", "low_speed", "lateral_compliance"), "number"
    ),
    **{"MagicFormula.x": "list", "MagicFormula.y": "list", "FormulaTyre.x": "function", "FormulaTyre.y": "function"},
    **{f"{law.__name__}.{field.name}": "number" for law in (*ALL_LAWS, Friction) for field in fields(law)},
    **{"Plane.point": "vector", "Surface.formula": "text", "span": "list", "inside": "flag"},
    **dict.fromkeys(("Profile.x", "Profile.y", "Revolution.radius"), "profile"),
    "PointOnCurve.axes": "rotation",
    "PointOnSurface.axes": "rotation",
    "PointOnSurface.surface": "text",
    "Angle.angle": "freedom",
    **dict.fromkeys(("component", "output"), "text"),
    "ForceOutput.force": "name",
    **{f"{joint.__name__}.{field}": "numbers" for joint in ALL_JOINTS for field in ("stiffness", "damping")},
    **{f"{joint.__name__}.torque": "functions" for joint in ALL_JOINTS},
    **{f"BaseMotion.{field.name}": "motion" for field in fields(BaseMotion)},
}

FROM_REDUCED = ("mass", "com", "inertia", "shape", "density", "mesh")  # of a flexible body


def kind(element: type, field: str) -> str:
    """The kind of a field.

    >>> from sharnir.model import Spring, Revolute
    >>> kind(Spring, "damping"), kind(Revolute, "damping")
    ('number', 'numbers')
    """
    return KINDS.get(f"{element.__name__}.{field}") or KINDS[field]


def file_fields(element: type) -> list[Field[Any]]:
    """The fields that stand in a file: all that the constructor takes, except the name, which is the key, and what follows."""
    derived = FROM_REDUCED if element is FlexibleBody else ()
    return [field for field in fields(element) if field.init and field.name != "name" and field.name not in derived]


def required(field: Field[Any]) -> bool:
    """True if the constructor has no default for it."""
    return field.default is MISSING and field.default_factory is MISSING


def tag(element: type) -> str:
    """The word for an element's type in files.

    >>> from sharnir.model import TorsionSpring
    >>> tag(TorsionSpring)
    'torsion-spring'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "-", element.__name__).lower()


BODY_TYPES = {tag(body): body for body in (Body, FlexibleBody)}  # a body without a type is rigid
JOINT_TYPES = {tag(joint): joint for joint in ALL_JOINTS}
FORCE_TYPES = {tag(force): force for force in ALL_FORCES if force is not UserForce}  # a file never holds code
SIGNAL_TYPES = {tag(signal): signal for signal in ALL_SIGNALS if signal not in CODED}
EVENT_TYPES = {tag(Event): Event}
ACTION_TYPES = {tag(action): action for action in ALL_ACTIONS}
CONSTRAINT_TYPES = {tag(constraint): constraint for constraint in ALL_CONSTRAINTS}
VARIABLE_TYPES = {tag(variable): variable for variable in (*ALL_VARIABLES, *ALL_SENSORS, *ALL_OBSERVED)}
CONTACT_SHAPE_TYPES = {tag(shape): shape for shape in CONTACT_SHAPES}
LAW_TYPES = {tag(law): law for law in ALL_LAWS}
TYRE_TYPES = {tag(tyre): tyre for tyre in ALL_TYRES}
SHAPE_TYPES = {tag(shape): shape for shape in ALL_SHAPES}
