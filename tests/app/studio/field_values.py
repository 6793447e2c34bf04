"""A document with one element of every kind, and for every field of it a value that is right and one that is wrong."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sharnir.app.studio.catalogue import catalogue

Place = tuple[Any, ...]

TABLE = {"x": [0, 1, 2], "y": [0, 1, 3], "kind": "cubic"}
BOX = {"type": "box", "size": [0.2, 0.1, 0.1]}
MEASURED = {"type": "point-coordinate", "body": "a", "axis": "z"}
# a world in which every element has something to refer to
WORLD: dict[str, Any] = {
    "model": {"name": "world"},
    "parameters": {"p": 0.25},
    "bodies": {
        "a": {"mass": 1, "inertia": [1, 1, 1], "shape": {"type": "sphere", "radius": 0.1}},
        "b": {"mass": 2, "inertia": [1, 1, 1], "position": [1, 0, 0], "shape": {"type": "sphere", "radius": 0.1}},
        "c": {"mass": 1, "inertia": [1, 1, 1], "position": [2, 0, 1], "shape": {"type": "sphere", "radius": 0.1}},
        "d": {"mass": 1, "inertia": [1, 1, 1], "position": [5, 0, 0]},
        "e": {"mass": 1, "inertia": [1, 1, 1]},
    },
    "joints": {
        "crank": {"type": "revolute", "parent": "ground", "child": "d", "axis": "y", "motion": "t"},
        "hinge": {"type": "revolute", "parent": "ground", "child": "a", "axis": "y"},
        "slide": {"type": "prismatic", "parent": "a", "child": "b", "axis": "x"},
    },
    "forces": {
        "pull": {"type": "spring", "a": "ground", "b": "c", "stiffness": 1},
        "hold": {"type": "bushing", "a": "ground", "b": "e", "at": [0, 0, 0], "stiffness": [1, 1, 1, 1, 1, 1]},
    },
    "constraints": {"rope": {"type": "distance", "a": "a", "b": "c"}},
    "signals": {"u": {"type": "input"}, "m": {"type": "signal", "formula": "hinge.q"}},
    "events": {"late": {"at": 1, "actions": [{"type": "stop"}]}},
    "simulation": {"t_end": 1.0},
}

# by kind: right, wrong
BY_KIND: dict[str, tuple[Any, Any]] = {
    "number": (0.3, "nobody*2"),
    "integer": (2, 1.5),
    "text": ("word", 3),
    "file": ("meshes/other.obj", "nothing.stl"),
    "formula": ("0.5*hinge.q", "sin("),
    "choice": ("body", "sideways"),
    "json": (True, [[]]),
    "rows": ([[0, 0, 0], [1, 0, 0]], [["a"]]),
    "whole numbers": ({"root": 0, "tip": 3, "middle": 1}, {"root": "a"}),
    "fe": (None, {"type": "blob"}),
    "section": ({"type": "tube", "radius": 0.02, "inner": 0.01}, {"type": "blob"}),
    "material": ("aluminium", "cheese"),
    "ties": ([{"type": "rigid-tie", "nodes": [0, 1], "label": 9, "at": [0, 0, 0.1]}], [{"type": "blob"}]),
    "fe damping": ({"stiffness": 1e-5}, "much"),
    "vector": ([0.1, 0.2, 0.3], [1, 2]),
    "six": ([1, 2, 3, 4, 5, 6], [1, 2, 3]),
    "list": ([-2, 3], "many"),
    "list of text": (["hinge.q"], [1]),
    "texts": ({"z": "m"}, {"z": 3}),
    "values": ({"z": 0.5}, {"z": []}),
    "table": ({"x": [0, 1], "y": [0, 2]}, {"x": [0, 1]}),
    "tables": ({"f": {"x": [0, 1], "y": [0, 2]}}, {"f": {"x": [0, 1], "y": 2}}),
    "flag": (True, "yes"),
    "value": ("0.5 + p", [1]),
    "matrix": ([[-2.0]], [["a"]]),
    "inertia": ([1, 2, 2.5], [1, 2]),
    "axis": ([0, 0.6, 0.8], "w"),
    "rotation": ({"axis": "z", "degrees": 30}, [1, 2]),
    "shape": (BOX, {"type": "blob"}),
    "contact shape": ({"type": "sphere", "radius": 0.2}, {"type": "blob"}),
    "contact shapes": ([{"type": "plane"}], [{"type": "blob"}]),
    "contact law": ({"type": "hertz", "stiffness": 2e6}, {"type": "blob"}),
    "tyre": ({"type": "brush-tyre", "longitudinal": 6e4, "cornering": 5e4}, {"type": "blob"}),
    "friction": ({"kinetic": 0.3}, -1),
    "color": ("tomato", 3),
    "frame": ({"position": [0.1, 0, 0]}, {"place": [0, 0, 0]}),
    "numbers": (0.2, "nobody*2"),
    "motion": ("0.1*sin(t)", "sin("),
    "limits": ([-1, 2], [1]),
    "mimic": ({"joint": "hinge", "multiplier": 2}, {"joint": "nobody"}),
    "freedoms": ([{"rotation": "x"}, {"screw": "z", "pitch": 0.01}], [{"turn": "x"}]),
    "units": ({"q1": "m"}, {"q1": "km"}),
    "three formulas": (["q1", "0.1", 0], ["q1", 0]),
    "turns": (["z", "q1"], 3),
    "function": ("0.5 + p", "sin("),
    "functions": ("-0.1*q", "sin("),
    "three functions": (["0.1*p", 0, TABLE], [0, 1]),
    "freedom": (0, 7),
    "coordinate": ({"joint": "hinge", "freedom": 0}, "nobody"),
    "terms": ([{"joint": "hinge", "coefficient": 2}, {"joint": "slide", "coefficient": 1}], [{"joint": "nobody"}]),
    "profile": ("0.1*sin(q)", "sin("),
    "curve": (["s", "0", "s^2"], ["s", "0"]),
    "variables": ({"z": MEASURED}, {"z": {"type": "blob"}}),
    "variable": (MEASURED, {"type": "blob"}),
    "actions": ([{"type": "stop", "message": "there"}], [{"type": "blob"}]),
    "joined": ("hinge", "nobody"),
    "names": (["a", "b"], ["nobody"]),
    "reduced": ({"fe": {"type": "straight-beam"}}, 3),
}
NAMES = {"body": ("c", "nobody"), "joint": ("slide", "nobody"), "": ("late", "nobody")}
ROUND_BAR = {"type": "round", "radius": 0.02}
BEAM = {"type": "straight-beam", "start": [0, 0, 0], "end": [1, 0, 0], "section": ROUND_BAR, "elements": 3}
REDUCED = {"fe": BEAM, "interfaces": {"root": 0, "tip": 3}, "modes": 1}
# what elements need beyond the values of their kinds, by section or part and type
LINEAR = {"type": "linear-law", "stiffness": 1e4}
ENDS = {"start": [0, 0, 0], "end": [0.3, 0, 0]}
ROUND = {"x": "cos(s)", "y": "sin(s)", "span": [0, 6.283185307179586]}
ENTRIES: dict[tuple[str, str], dict[str, Any]] = {
    ("bodies", "body"): {"mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 2], "shape": BOX},
    ("bodies", "flexible-body"): {"type": "flexible-body", "reduced": REDUCED, "position": [0, 0, 3]},
    ("joints", "universal"): {"axis2": "x"},
    ("joints", "planar"): {"axis": "z"},
    ("joints", "freedom-sequence"): {"freedoms": [{"rotation": "x"}]},
    ("forces", "drag"): {"area": 0.1, "coefficient": 1},
    ("constraints", "point-on-curve"): {"a": "ground", "b": "e", "curve": ["s", "0", "0"]},
    ("constraints", "point-on-surface"): {"a": "ground", "b": "e", "surface": "x + z"},
    ("constraints", "distance"): {"a": "b", "b": "e"},
    ("forces", "central-gravity"): {"radius": 6e6},
    ("forces", "joint-friction"): {"radius": 0.01, "law": "lugre", "stiffness": 1e4},
    ("forces", "joint-limit"): {"lower": -1, "law": LINEAR},
    ("forces", "thrust"): {"propellant": 0.2, "exhaust_speed": 1000},
    ("constraints", "gear"): {"joint_b": "slide"},
    ("constraints", "rack"): {"rack": "slide"},
    ("constraints", "cam"): {"follower": "slide"},
    ("constraints", "constraint"): {"formula": "z - 1", "variables": {"z": {"type": "point-distance", "a": "b", "b": "e"}}},
    ("events", "event"): {"when": "hinge.q > 1", "actions": [{"type": "stop"}]},
    ("signals", "state-space"): {"A": [[-1.0]], "B": [1.0], "C": [1.0]},
    ("signals", "discrete-state-space"): {"A": [[0.5]], "B": [1.0], "C": [1.0]},
    ("signals", "difference"): {"output": "z", "states": {"i": 0}, "updates": {"i": "i + z"}},
    ("signals", "signal"): {"formula": "z", "variables": {"z": {"type": "point-distance", "a": "a", "b": "c"}}},
    ("shape", "rod"): ENDS,
    ("shape", "mesh"): {"file": "meshes/part.obj"},
    ("contact shape", "mesh"): {"file": "meshes/part.obj"},
    ("contact shape", "capsule"): ENDS,
    ("contact shape", "slot"): ENDS,
    ("contact shape", "surface"): {"formula": "z"},
    ("contact shape", "profile"): ROUND,
    ("contact shape", "revolution"): {"radius": "0.2 + 0.1*s", "span": [0, 1]},
    ("contact law", "hunt-crossley"): {"restitution": 0.5, "speed": 1},
    ("tyre", "magic-formula"): {"x": [10, 1.6, 1, 0.9], "y": [9, 1.3, 1, 0.9]},
    ("variable", "force-output"): {"force": "hold", "output": "force", "component": "fy"},
    ("variable", "direction-cosine"): {"axis_a": "x", "axis_b": "z"},
    ("variable", "angle"): {"angle": 2},
    ("variable", "joint-drive"): {"joint": "crank"},
    ("actions", "set-motion"): {"motion": "t"},
}
# right and wrong where the kind alone does not tell, by type (or "" for any) and field
SPECIAL: dict[tuple[str, str], tuple[Any, Any]] = {
    ("body", "mass"): (3, -1),
    ("mesh", "file"): ("meshes/other.obj", "nothing.stl"),
    ("mesh", "scale"): ([0.001, 0.001, 0.001], [1, 0, 1]),
    ("", "density"): (2700, "nobody*2"),
    ("", "parent"): ("b", "nobody"),
    ("", "child"): ("c", "nobody"),
    ("", "a"): ("b", "nobody"),
    ("", "surface"): ("b", "nobody"),
    ("", "relative_to"): ("b", "nobody"),
    ("", "axes"): ("body", "sideways"),
    ("point-on-curve", "axes"): BY_KIND["rotation"],
    ("point-on-surface", "axes"): BY_KIND["rotation"],
    ("slot", "start"): ([0.1, 0, 0], [1, 2]),
    ("slot", "end"): ([0.1, 0.1, 0], [1, 2]),
    ("ball", "q"): ([0.6, 0.8, 0, 0], [1]),
    ("free", "q"): ([0, 0, 1, 0.6, 0.8, 0, 0], [1]),
    ("", "tube"): (0.05, "nobody*2"),
    ("", "frame_at"): ("tip", "elbow"),
    ("", "w"): ([0.0, 0, 0, 0, 0, 0, 0.001], [1, 2]),
    ("", "xi"): ([0.0, 0, 0, 0, 0, 0, 0.001], [1, 2]),
    ("", "reduced"): (REDUCED | {"modes": 2}, {"fe": {"type": "blob"}}),
    ("planar", "x_axis"): ("y", "w"),
    ("universal", "axis2"): ("x", "w"),
    ("formula-joint", "variables"): ({"q1": "rad"}, {"q1": "km"}),
    ("formula-joint", "tables"): (
        {"f": {"x": [0, 1, 2], "y": [0, 2, 3], "kind": "cubic", "outside": "extend"}},
        {"f": {"x": [0, 1], "y": 2}},
    ),
    ("thrust", "tank"): ([2, 0, 1.1], [1, 2]),
    ("thrust", "tank_inertia"): ([0.1, 0.2, 0.2], [1]),
    ("joint-friction", "law"): ("lugre", "sticky"),
    ("joint-limit", "lower"): (-2, "nobody*2"),
    ("joint-limit", "freedom"): (0, 7),
    ("point-on-curve", "s"): (0.3, "nobody*2"),
    ("point-on-surface", "surface"): ("x^2 - z", "x^"),
    ("point-on-curve", "b"): ("e", "nobody"),
    ("point-on-curve", "a"): ("b", "nobody"),
    ("point-on-curve", "origin"): ([0, 0, 0.1], [1, 2]),
    ("distance", "a"): ("d", "nobody"),
    ("distance", "at_b"): ([0, 0, 0.1], [1, 2]),
    ("distance", "length"): ("1.1 + 0.1*sin(t)", "sin("),
    ("gear", "joint_b"): ({"joint": "slide", "freedom": 0}, "nobody"),
    ("rack", "rack"): ({"joint": "slide", "freedom": 0}, "nobody"),
    ("cam", "follower"): ({"joint": "slide", "freedom": 0}, "nobody"),
    ("constraint", "formula"): ("2*z - 2", "z -"),
    ("constraint", "variables"): ({"z": {"type": "point-distance", "a": "ground", "b": "b"}}, {"z": {"type": "blob"}}),
    ("signal", "formula"): ("2*z", "z -"),
    ("state-space", "B"): ([2.0], "many"),
    ("state-space", "C"): ([2.0], "many"),
    ("state-space", "initial"): ([2.0], "many"),
    ("discrete-state-space", "B"): ([2.0], "many"),
    ("discrete-state-space", "C"): ([2.0], "many"),
    ("discrete-state-space", "initial"): ([2.0], "many"),
    ("transfer-function", "numerator"): ([2.0], "many"),
    ("transfer-function", "denominator"): ([1.0, 2.0], "many"),
    ("discrete-transfer-function", "numerator"): ([2.0], "many"),
    ("discrete-transfer-function", "denominator"): ([1.0, 0.5], "many"),
    ("difference", "output"): ("2*z", "z -"),
    ("difference", "states"): ({"i": 2}, {"i": []}),
    ("difference", "updates"): ({"i": "i - z"}, {"i": 3}),
    ("", "unit"): ("m", 3),
    ("", "input"): ("2*hinge.q", "hinge.q +"),
    ("p-i-d", "rate"): ("-hinge.v", "hinge.v +"),
    ("event", "when"): ("hinge.q > 2", "hinge.q >"),
    ("event", "at"): (2.0, "nobody*2"),
    ("event", "every"): (0.5, "nobody*2"),
    ("event", "direction"): ("rising", "sideways"),
    ("event", "variables"): ({"z": MEASURED}, {"z": {"type": "blob"}}),
    ("rod", "start"): ([0.1, 0, 0], [1, 2]),
    ("rod", "end"): ([0.1, 0.2, 0], [1, 2]),
    ("", "exponent"): (1.8, "nobody*2"),
    ("magic-formula", "x"): ([11, 1.6, 1, 0.9], [1]),
    ("magic-formula", "y"): ([11, 1.6, 1, 0.9], [1]),
    ("surface", "formula"): ("z - x^2", "z -"),
    ("profile", "x"): ("2*cos(s)", "cos("),
    ("profile", "y"): ("2*sin(s)", "sin("),
    ("profile", "span"): ([-3.141592653589793, 3.141592653589793], "many"),
    ("revolution", "radius"): ("0.3", "cos("),
    ("revolution", "span"): ([0, 2], "many"),
    ("joint-reaction", "component"): ("fx", "sideways"),
    ("joint-reaction", "axes"): ("local", "sideways"),
    ("joint-drive", "joint"): ("crank", "nobody"),
    ("angle", "axes"): ("xyz", "abc"),
    ("angle", "angle"): ("yaw", "sideways"),
    ("force-output", "force"): ("hold", "nobody"),
    ("force-output", "output"): ("force", "colour"),
    ("force-output", "component"): ("fx", "colour"),
    ("stop", "message"): ("there", 3),
    ("set-parameter", "parameter"): ("p", "nobody"),
    ("set-signal", "signal"): ("u", "nobody"),
    ("attach", "joint"): ("clasp", 3),
    ("set-motion", "motion"): ("q0 + t", "sin("),
}
# fields that exclude each other: what must go
WITHOUT = {
    ("body", "density"): "mass",
    ("event", "at"): "when",
    ("event", "every"): "when",
    ("hunt-crossley", "damping"): "restitution speed",
}
ALIKE = {"joined": "joints", "contact shapes": "contact shape"}
FIRST = {"parent": "ground", "child": "e", "a": "a", "b": "c", "surface": "ground"}
FIRST |= {"parameter": "p", "signal": "u", "force": "pull"}
FREEDOMS = {"fixed": 0, "cylindrical": 2, "universal": 2, "ball": 3, "planar": 3, "free": 6}


@dataclass(frozen=True)
class Case:
    """One field in a document that is right."""

    document: dict[str, Any]
    place: Place
    field: dict[str, Any]
    right: Any
    wrong: Any

    def changed(self, value: Any) -> dict[str, Any]:
        """The document with another value in the field."""
        found = copy.deepcopy(self.document)
        inner = found
        for key in self.place[:-1]:
            inner = inner[key]
        inner[self.place[-1]] = copy.deepcopy(value)
        return found


def entry(part: str, record: dict[str, Any]) -> dict[str, Any]:
    """An element of a kind with its required fields."""
    made: dict[str, Any] = {} if part in ("bodies", "events", "friction") else {"type": record["type"]}
    for field in record["fields"]:
        if field["required"]:
            made[field["name"]] = copy.deepcopy(given(field))
    return made | copy.deepcopy(ENTRIES.get((ALIKE.get(part, part), record["type"]), {}))


def given(field: dict[str, Any]) -> Any:
    """A value for a required field."""
    if field["kind"] == "name":
        first = {
            "parent": "ground",
            "child": "e",
            "a": "a",
            "b": "c",
            "surface": "ground",
            "parameter": "p",
            "signal": "u",
            "force": "pull",
        }
        return first.get(field["name"], {"body": "c", "joint": "hinge"}.get(field.get("of", ""), "late"))
    return BY_KIND[field["kind"]][0]


def values(kind: str, field: dict[str, Any]) -> tuple[Any, Any]:
    """What is right and what is wrong in a field."""
    if (kind, field["name"]) in SPECIAL:
        return SPECIAL[kind, field["name"]]
    if ("", field["name"]) in SPECIAL:
        return SPECIAL["", field["name"]]
    if field["kind"] == "name":
        return NAMES[field.get("of", "")]
    if kind in FREEDOMS and field["kind"] in ("numbers", "functions", "motion", "limits"):
        n, right = FREEDOMS[kind], {"numbers": 0.2, "functions": "-0.1*v", "motion": "0.1*sin(t)", "limits": [-1, 2]}
        return [right[field["kind"]]] * n, [[]] * 7
    return BY_KIND[field["kind"]]


# where parts stand: the host's section and entry, and the way from there
CONTACT = {"type": "contact", "a": "a", "b": "c", "law": {"type": "hertz", "stiffness": 1e6}}
WHEEL = {"type": "wheel", "wheel": "c", "radius": 0.3, "law": {"type": "linear-law", "stiffness": 2e5}}
HOSTS: dict[str, tuple[str, dict[str, Any], Place]] = {
    "shape": ("bodies", {"mass": 1, "position": [0, 0, 2]}, ("shape",)),
    "contact shape": ("forces", CONTACT, ("shape_a",)),
    "contact shapes": (
        "forces",
        {"type": "contact-group", "law": {"type": "hertz", "stiffness": 1e6}, "walls": [0]},
        ("walls", 0),
    ),
    "contact law": ("forces", CONTACT, ("law",)),
    "friction": ("forces", CONTACT, ("friction",)),
    "tyre": ("forces", WHEEL, ("tyre",)),
    "variable": ("signals", {"type": "signal", "formula": "z", "variables": {}}, ("variables", "z")),
    "actions": ("events", {"at": 1, "actions": [0]}, ("actions", 0)),
    "joined": ("events", {"at": 1, "actions": [{"type": "join", "joint": {"name": "latch"}}]}, ("actions", 0, "joint", "joint")),
}


def cases() -> Iterator[Case]:
    """Every field of every element and of every part of one."""
    found = catalogue()
    for section, records in found["sections"].items():
        for record in records:
            document = with_entry((section, "new"), entry(section, record))
            yield from of_record(document, (section, "new"), record)
    yield from of_flexible_bodies(found["parts"])
    yield from of_sections(found)
    for part, (section, host, way) in HOSTS.items():
        for record in found["parts"][part]:
            document = with_entry((section, "new"), host)
            document = with_entry((section, "new", *way), entry(part, record), document)
            yield from of_record(document, (section, "new", *way), record)


STEEL = {"E": 2e11, "nu": 0.3, "density": 7800}
PLACES = ("bodies", "new", "reduced")
FLEXIBLE: dict[str, tuple[Place, dict[str, dict[str, Any]]]] = {  # parts of flexible bodies: where they are, what they need
    "reduction": ((), {"reduction": REDUCED}),
    "fe": (
        ("fe",),
        {
            "straight-beam": BEAM,
            "beam-frame": {
                "type": "beam-frame",
                "section": ROUND_BAR,
                "nodes": [[0, 0, 0], [0.4, 0, 0], [0.8, 0, 0], [1, 0, 0]],
                "elements": [[0, 1], [1, 2], [2, 3]],
            },
        },
    ),
    "section": (
        ("fe", "section"),
        {
            "round": ROUND_BAR,
            "tube": {"type": "tube", "radius": 0.02, "inner": 0.01},
            "rectangle": {"type": "rectangle", "width": 0.02, "height": 0.03},
            "moments": {"type": "moments", "area": 1e-3, "Iy": 1e-7, "Iz": 1e-7, "J": 2e-7},
        },
    ),
    "material": (("fe", "material"), {"material": STEEL}),
    "fe damping": (("damping",), {"rayleigh": {"stiffness": 1e-5}, "modaldamping": {"ratio": 0.01}}),
    "ties": (("ties", 0), {"rigid-tie": {"type": "rigid-tie", "nodes": [1, 2], "at": [0.5, 0, 0.1], "label": 9}}),
}
# of flexible bodies: fields whose right values depend on others
OF_FLEXIBLE: dict[Any, Any] = {
    ("rayleigh", "mass"): 0.1,
    ("beam-frame", "nodes"): [[0, 0, 0], [0.5, 0, 0], [0.9, 0, 0], [1.2, 0, 0]],
    ("beam-frame", "elements"): [[0, 1], [1, 2], [2, 3]],
    ("beam-frame", "labels"): [0, 1, 2, 3],
    ("modaldamping", "at"): "root",
    "modes": 2,
    "frequency": 500.0,
    "basis": "static",
    "inertia": "shifted",
    "damping": 0.02,
    "stiffening": True,
    "solver": "superlu",
    "ties": [{"type": "rigid-tie", "nodes": [1, 2], "at": [0.5, 0, 0.1], "label": 9}],
    "fe": BEAM | {"elements": 4},
    "elements": 5,
    "theory": "euler",
    "mass": "lumped",
    "rotary": True,
    "orientation": [0, 1, 0],
    "end": [1.5, 0, 0],
    "start": [0.1, 0, 0],
    "inner": 0.005,
    "radius": 0.03,
    "against": "root",
    "at": [0.5, 0, 0.2],
    "label": 12,
    "node": 0,
    "nodes": [2],
    "ratio": 0.05,
}


def of_flexible_bodies(found: dict[str, Any]) -> Iterator[Case]:
    """The parts of a flexible body that are made without a file."""
    host = ENTRIES["bodies", "flexible-body"]
    for part, (way, entries) in FLEXIBLE.items():
        for record in found[part]:
            if record["type"] not in entries:
                continue
            place = (*PLACES, *way)
            document = with_entry(("bodies", "new"), host | {"reduced": REDUCED | {"ties": [0]} if part == "ties" else REDUCED})
            document = with_entry(place, entries[record["type"]], document)
            for field in record["fields"]:
                right, wrong = BY_KIND[field["kind"]]
                right = OF_FLEXIBLE.get((record["type"], field["name"]), OF_FLEXIBLE.get(field["name"], right))
                existing = field["name"] == "node"  # it takes the place of a new node
                base = without((*place, "at"), without((*place, "label"), document)) if existing else document
                yield Case(base, (*place, field["name"]), field, right, wrong)


SETTINGS: dict[str, tuple[Any, Any]] = {
    "t_end": (2.0, "long"),
    "step": (0.01, "short"),
    "output": (0.1, "often"),
    "tolerance": (1e-8, "small"),
    "integrator": ("radau5", "eulr"),
    "formulation": ("absolute", "relative"),
    "method": ("auto", "magic"),
    "solver": ("dense", "magic"),
    "order": (4, 2.5),
    "max_step": (0.1, "long"),
    "correction": ("position", "always"),
    "stabilization": ([0.1, 1.0], "much"),
    "options": ({"max_evaluations": 1000}, {"rho": "much"}),
}


def of_sections(found: dict[str, Any]) -> Iterator[Case]:
    """The model itself, the settings of a run, parameters, and the motion of the base."""
    for field in found["settings"]:
        right, wrong = SETTINGS[field["name"]]
        base = WORLD if field["name"] != "order" else with_entry(("simulation", "integrator"), "abm")
        yield Case(base, ("simulation", field["name"]), field, right, wrong)
    for name, right, wrong in (("name", "arm", 3), ("gravity", [0, 0, "-p"], [1, 2])):
        yield Case(WORLD, ("model", name), {"kind": name}, right, wrong)
    described = with_entry(("parameters", "p"), {"value": 0.25})
    for name, right, wrong in (("value", 2.0, "a"), ("unit", "m", 3), ("description", "long", 3), ("range", [0, 1], [1])):
        yield Case(described, ("parameters", "p", name), {"kind": name}, right, wrong)
    moved = with_entry(("base_motion",), {"x": "t"})
    for field in found["base_motion"]["fields"]:
        yield Case(moved, ("base_motion", field["name"]), field, "0.1*sin(t)", "sin(")


def of_record(document: dict[str, Any], place: Place, record: dict[str, Any]) -> Iterator[Case]:
    """The fields of one element."""
    for field in record["fields"]:
        right, wrong = values(record["type"], field)
        base = document
        for other in WITHOUT.get((record["type"], field["name"]), "").split():
            base = without((*place, other), base)
        yield Case(base, (*place, field["name"]), field, right, wrong)


def without(place: Place, document: dict[str, Any]) -> dict[str, Any]:
    """A document without a field."""
    found = copy.deepcopy(document)
    inner = found
    for key in place[:-1]:
        inner = inner[key]
    del inner[place[-1]]
    return found


def with_entry(place: Place, made: Any, document: dict[str, Any] = WORLD) -> dict[str, Any]:
    """A document with something at a place."""
    return Case(document, place, {}, None, None).changed(made)
