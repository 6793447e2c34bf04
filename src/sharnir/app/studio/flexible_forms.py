"""Forms of flexible bodies: the FE model, its section and material, ties and reduction, made from the schema of model files."""

from __future__ import annotations

from typing import Any

from sharnir.app.studio.imports import FILE_FIELDS
from sharnir.model.files.schema import schema

HELP = {
    "fe": "where the FE model comes from",
    "interfaces": "nodes where joints and forces attach, by name; joints then name them as body:node",
    "modes": "how many normal modes are added to the static shapes of the interfaces; 10 if left out",
    "frequency": "the highest frequency of the normal modes, instead of their number",
    "basis": "which shapes describe the deformation",
    "inertia": "how the moving body's inertia is computed: the mass matrix as it is, or rigid bodies at the nodes",
    "damping": "part of critical damping, one number or one per shape; or Rayleigh or modal damping",
    "stiffening": "a spinning or pulled beam gets stiffer: true, or the interface it is held at",
    "solver": "solver of the FE equations; the fastest if left out",
    "ties": "nodes that move with an interface node, as one piece (RBE2) or on average (RBE3)",
    "start": "first end of the beam, in the body's axes",
    "end": "other end of the beam, in the body's axes",
    "elements": "number of elements; nodes are numbered from 0 at the start",
    "section": "cross-section of the beam",
    "material": "steel, aluminium, or modulus, Poisson's ratio and density",
    "orientation": "direction of the section's local y axis",
    "theory": "with or without shear deformation",
    "mass": "consistent or lumped masses; of a file: name of the mass matrix",
    "rotary": "whether masses have rotary inertia",
    "name": "name of the part, for reports",
    "nodes": "nodes, in the body's axes",
    "labels": "numbers of the nodes, if not 0, 1, 2, …",
    "mesh": "file of the mesh, in the folder of the model",
    "units": "units of the file, such as mm-t-s",
    "path": "file of an FE program, in the folder of the model",
    "format": "format of the file, if its ending does not tell",
    "mapping": "file that maps rows to nodes and directions",
    "stiffness": "of a file: name of the stiffness matrix; of Rayleigh damping: its factor [s]",
    "check": "whether the matrices are checked",
    "radius": "outer radius",
    "inner": "inner radius",
    "width": "along the local y axis",
    "height": "along the local z axis",
    "nu": "Poisson's ratio",
    "area": "area of the section",
    "Iy": "second moment of area about y",
    "Iz": "second moment of area about z",
    "J": "torsion constant",
    "shear_y": "shear factor along y",
    "shear_z": "shear factor along z",
    "E": "Young's modulus",
    "density": "mass per volume",
    "at": "place of the interface node; of modal damping: the interface at which modes are clamped",
    "node": "number of an existing node to use instead",
    "label": "number of the new node",
    "rotations": "whether rotations are tied, too",
    "weights": "weights of the nodes",
    "against": "what moves against the damping: ground, or an interface",
    "ratio": "part of critical damping, one number or one per mode",
}
UNITS = {"frequency": "Hz", "start": "m", "end": "m", "radius": "m", "inner": "m", "width": "m", "height": "m", "area": "m²"}
UNITS |= {"Iy": "m⁴", "Iz": "m⁴", "J": "m⁴", "E": "Pa", "density": "kg/m³", "at": "m"}
PARTS = {  # kinds of parts, and their definitions in the schema
    "reduction": ("Reduction",),
    "fe": ("StraightBeam", "BeamFrame", "Solid", "FEFile"),
    "section": ("RoundSection", "TubeSection", "RectangleSection", "Section"),
    "material": ("Material",),
    "ties": ("RigidTie", "AveragedTie"),
    "fe damping": ("Rayleigh", "ModalDamping"),
}
KINDS = {"fe": "fe", "section": "section", "material": "material", "ties": "ties", "damping": "fe damping"}
KINDS |= {"interfaces": "whole numbers", "nodes": "rows", "elements": "rows", "stiffening": "json"}
KINDS |= {"labels": "list", "weights": "list"}
PLAIN = {"number": "number", "integer": "integer", "boolean": "flag", "string": "text", "array": "vector"}


def flexible_records() -> dict[str, list[dict[str, Any]]]:
    """Records of the parts of a flexible body, as the catalogue has them for other parts.

    >>> [record["type"] for record in flexible_records()["section"]]
    ['round', 'tube', 'rectangle', 'moments']
    """
    definitions = schema()["$defs"]
    return {kind: [record(definitions[name], name) for name in names] for kind, names in PARTS.items()}


def record(definition: dict[str, Any], name: str) -> dict[str, Any]:
    """One definition of the schema as a record."""
    word = definition["properties"].get("type", {}).get("const", name.lower())
    given = [key for key in definition["properties"] if key != "type"]
    fields = [field(key, definition["properties"][key], key in definition.get("required", ()), word) for key in given]
    fields.sort(key=lambda entry: not entry["required"])
    title = {"fe-file": "FE file", "modaldamping": "Modal damping"}.get(word, word.replace("-", " ").capitalize())
    return {"type": word, "title": title, "about": definition["description"], "fields": fields}


def field(name: str, given: dict[str, Any], needed: bool, word: str) -> dict[str, Any]:
    """One field of a record."""
    plain = given.get("type") or next((x["type"] for x in given.get("anyOf", ()) if "type" in x), "string")
    kind = KINDS.get(name, PLAIN.get(plain, "json"))
    if word == "straight-beam" and name == "elements":
        kind = "integer"
    if word in ("rigid-tie", "averaged-tie") and name == "nodes":
        kind = "json"
    if word == "modaldamping":
        kind = {"ratio": "numbers", "at": "text"}[name]
    found = {"name": name, "kind": kind, "required": needed, "help": HELP[name], "unit": UNITS.get(name, "")}
    if word == "modaldamping":
        found["unit"] = ""
    choices = given.get("enum") or next((x["enum"] for x in given.get("anyOf", ()) if "enum" in x), None)
    if choices and kind != "material":
        found |= {"kind": "choice", "choices": choices}
    if name in FILE_FIELDS.get(word, {}):
        found |= {"kind": "file", "endings": list(FILE_FIELDS[word][name])}
    default = given.get("default")
    return found | {"default": default if isinstance(default, (bool, int, float, str)) else None}
