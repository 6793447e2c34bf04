"""Units of fields, as forms show them beside their inputs: from docstrings, from names, and from what a joint's freedoms are."""

from __future__ import annotations

import re

UNIT = re.compile(r"\[([^\[\]]+)\]")
NONE = "–"  # a pure number
OWN = "own"  # in the unit of the signal, the formula or the coordinate that it belongs to; nothing can be shown

BY_NAME = {
    **dict.fromkeys(("com", "at", "at_a", "at_b", "position", "size", "center", "radius", "inner_radius", "start", "end"), "m"),
    **dict.fromkeys(("length", "through", "tube", "origin", "point"), "m"),
    **dict.fromkeys(("t_end", "step", "output", "max_step", "every", "filter_time", "period"), "s"),
    **dict.fromkeys(
        ("friction", "lateral_friction", "coefficient", "static", "kinetic", "restitution", "ratio", "efficiency"), NONE
    ),
    **dict.fromkeys(("exponent", "grip", "resistance", "nu", "shear_y", "shear_z", "scale", "orientation", "weights"), NONE),
    **dict.fromkeys(("drag", "side", "lift", "moment", "tolerance"), NONE),
    **dict.fromkeys(("input", "initial", "limits", "kp", "ki", "kd", "rate", "low", "high", "off", "on", "B", "C", "D"), OWN),
    **dict.fromkeys(("numerator", "denominator", "formula", "when", "value", "motion", "labels", "w", "xi", "span", "s"), OWN),
    "mass": "kg",
    "velocity": "m/s",
    "angular_velocity": "rad/s",
    "gravity": "m/s²",
}
TURN = {"q": "rad", "v": "rad/s", "damping": "N m s/rad", "stiffness": "N m/rad", "torque": "N m", "armature": "kg m²"}
SHIFT = {"q": "m", "v": "m/s", "damping": "N s/m", "stiffness": "N/m", "torque": "N", "armature": "kg"}
BOTH = {"q": "m, rad", "v": "m/s, rad/s", "damping": "N s/m, N m s/rad", "stiffness": "N/m, N m/rad", "torque": "N, N m"}
BOTH["armature"] = "kg, kg m²"
JOINTS = {
    **dict.fromkeys(("revolute", "screw", "universal"), TURN),
    "prismatic": SHIFT,
    "ball": TURN | {"q": NONE},
    "free": BOTH | {"q": "m, –"},
    **dict.fromkeys(("cylindrical", "planar", "freedom-sequence"), BOTH),
    "formula-joint": dict.fromkeys(TURN, OWN),
}
JOINTS = {word: units | dict.fromkeys(("rest", "motion", "limits"), units["q"]) for word, units in JOINTS.items()}
FREEDOM = {"torque": "N m or N", "stiffness": "N m/rad or N/m", "damping": "N m s/rad or N s/m", "angle": "rad or m"}
TYRE = {"longitudinal": "N", "cornering": "N/rad", "x": NONE, "y": NONE}
BY_TYPE: dict[str, dict[str, str]] = {
    **JOINTS,
    "torque": {"torque": "N m"},
    "joint-force": FREEDOM,
    "torsion-spring": FREEDOM,
    "spring": {"force": "N"},
    "bushing": {"stiffness": "N/m, N m/rad", "damping": "N s/m, N m s/rad", "preload": "N, N m"},
    "aerodynamics": {"density": "kg/m³", "sound": "m/s", "wind": "m/s", "damping": NONE},
    "joint-friction": {"axial_radius": "m", "smoothing": "m/s", "law": "", "damping": "s/m"},
    "joint-limit": {"restitution": NONE, "rest_speed": "m/s or rad/s"},
    "motor": {"command": "N m or N"},
    "thrust": {"tank": "m", "tank_inertia": "kg m²"},
    "gear": {"offset": "rad or m"},
    "coupler": {"constant": "rad or m"},
    "cam": {"profile": "m or rad"},
    "point-on-curve": {"curve": "m"},
    "point-on-surface": {"surface": OWN},
    "constraint": {"formula": OWN},
    "profile": {"x": "m", "y": "m"},
    "exponential-law": {"steepness": "1/m or 1/rad"},
    "linear-law": {"stiffness": "N/m", "damping": "N s/m"},
    "hertz": {"stiffness": "N/m^n"},
    "hunt-crossley": {"stiffness": "N/m^n", "speed": "m/s"},
    "lankarani-nikravesh": {"stiffness": "N/m^n"},
    "flores": {"stiffness": "N/m^n"},
    "linear-tyre": TYRE,
    "brush-tyre": TYRE,
    "magic-formula": TYRE,
    "rayleigh": {"stiffness": "s", "mass": "1/s"},
    "base-motion": {**dict.fromkeys("xyz", "m"), **dict.fromkeys(("rx", "ry", "rz"), "rad")},
}


def unit_of(word: str, name: str, told: str = "") -> str:
    """The unit of a field of an element, given its word in files and what its docstring says.

    >>> unit_of("revolute", "stiffness"), unit_of("prismatic", "v"), unit_of("wheel", "radius", "of the rim [m].")
    ('N m/rad', 'm/s', 'm')
    """
    if name in BY_TYPE.get(word, {}):
        found = BY_TYPE[word][name]
    else:
        unit = UNIT.search(told)
        found = unit.group(1) if unit else BY_NAME.get(name, "")
    return "" if found == OWN else found


def is_told(word: str, name: str, told: str = "") -> bool:
    """Whether it is known what unit a field has, were it none at all or that of a signal."""
    return name in BY_TYPE.get(word, {}) or bool(UNIT.search(told)) or name in BY_NAME
