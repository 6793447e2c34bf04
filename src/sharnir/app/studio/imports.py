"""Files of other programs as parts of a document: robot descriptions, FE models, reduced models."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.readers.fe_files import SUFFIXES
from sharnir.model import Body
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.mesh_file import SUFFIXES as SURFACES
from sharnir.model.files.table_file import KEYS as TABLE_KEYS
from sharnir.model.robot_files import ROBOTS, robot_model

MESHES = (".msh", ".vtk", ".vtu", ".inp", ".bdf", ".med")  # of solids, with elements inside
CAD = (".step", ".stp", ".iges", ".igs")
REDUCED = ".npz"
IMPORTED = (*ROBOTS, REDUCED, *MESHES, *SUFFIXES, *SURFACES)
TABLES = (".csv", ".txt", ".dat", ".tsv")
# endings of the files that a field may name, by the word of its element or part
FILE_FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "mesh": {"file": SURFACES},
    "solid": {"mesh": MESHES},
    "fe-file": {
        "path": tuple(SUFFIXES),
        "mesh": (*MESHES, ".dat", ".pch"),
        "mass": tuple(SUFFIXES),
        "mapping": (".mapping", ".txt", ".csv", ".dat"),
    },
}
ENDINGS = {  # what a page can open, and what fields that are no part of a record may name
    "opened": (".toml", *IMPORTED, *CAD),
    "bodies": (REDUCED, *MESHES, *SUFFIXES, *SURFACES),
    "table": TABLES,
    "reduced": (REDUCED,),
}
DENSITY = 7850.0  # of steel
MODES = 6


def with_file_names(data: Any, name: Callable[[str], str]) -> Any:
    """A document, or a part of one, in which the files that it names have other names.

    >>> body = {"shape": {"type": "mesh", "file": "a.stl"}, "mass": 1}
    >>> with_file_names({"bodies": {"arm": body}}, lambda file: "meshes/" + file)["bodies"]["arm"]["shape"]["file"]
    'meshes/a.stl'
    """
    if isinstance(data, list):
        return [with_file_names(entry, name) for entry in data]
    if not isinstance(data, dict):
        return data
    files = set(FILE_FIELDS.get(str(data.get("type")), ()))
    if "file" in data and set(data) <= TABLE_KEYS:
        files = {"file"}
    if "mass" in files and not str(data.get("mass")).lower().endswith(tuple(SUFFIXES)):
        files -= {"mass"}  # the name of a matrix
    return {
        key: name(entry) if isinstance(entry, str) and (key in files or key == "reduced") else with_file_names(entry, name)
        for key, entry in data.items()
    }


def imported(path: Path, name: str) -> dict[str, Any]:
    """A whole document, or a body with its name, from a file; `name` is its path in the folder of the studio."""
    suffix = path.suffix.lower()
    if suffix in CAD:
        raise ModelError(
            f"{path.name}: CAD files are not read; write the part as a mesh (.stl, .obj, .ply, .glb) and import that"
        )
    if suffix in ROBOTS:
        folder = path.parents[len(PurePosixPath(name).parts) - 1]
        return {"document": robot(path, folder)}
    if suffix not in IMPORTED:
        raise ModelError(f"{path.name}: files of this kind cannot be imported; there are {', '.join(dict.fromkeys(IMPORTED))}")
    word = re.sub(r"\W+", "_", path.stem).strip("_") or "body"
    if suffix in SURFACES:
        return {"body": word, "entry": solid_body(path, name)}
    return {"body": word, "entry": {"type": "flexible-body", "reduced": reduced(path, name, suffix)}}


def solid_body(path: Path, name: str) -> dict[str, Any]:
    """A rigid body in the shape of a mesh: of steel if it is closed, else of 1 kg about the middle of what is drawn."""
    shape = {"type": "mesh", "file": name}
    mesh = Mesh(str(path))
    try:
        Body("part", density=DENSITY, shape=mesh)
    except ModelError:  # it is not closed
        points = mesh.triangles.vertices
        size = np.ptp(points, axis=0)
        inertia = [float(max((size @ size - x * x) / 12, 1e-9)) for x in size]
        return {
            "mass": 1.0,
            "com": [float(x) for x in (points.min(axis=0) + points.max(axis=0)) / 2],
            "inertia": inertia,
            "shape": shape,
        }
    return {"density": DENSITY, "shape": shape}


def robot(path: Path, folder: Path) -> dict[str, Any]:
    """The document of a robot description; names of its meshes begin at the folder of the studio."""
    import tomllib

    from sharnir.model.files.model_file import text_of

    document: dict[str, Any] = tomllib.loads(text_of(robot_model(path), {"t_end": 2.0}))
    root = os.path.realpath(folder)

    def name(file: str) -> str:
        place = os.path.realpath(file)
        return Path(place).relative_to(root).as_posix() if Path(place).is_relative_to(root) else file

    return document | {"bodies": with_file_names(document.get("bodies", {}), name)}


def reduced(path: Path, name: str, suffix: str) -> Any:
    """What a flexible body holds: the file of a reduced model, or an FE model and how it is reduced."""
    if suffix == REDUCED:
        from sharnir.flexible.reduced_model import ReducedModel

        ReducedModel.load(path)  # what is wrong with it is said now
        return name
    if suffix in MESHES:
        from sharnir.flexible.finite_elements.solids import solid

        fe: dict[str, Any] = {"type": "solid", "mesh": name, "material": "steel"}
        model = solid(path)
    else:
        from sharnir.flexible.readers.fe_files import read_fe

        fe = {"type": "fe-file", "path": name}
        model = read_fe(path)
    return {"fe": fe, **interfaces(model), "modes": MODES}


def interfaces(model: FEModel) -> dict[str, Any]:
    """Nodes to begin with, at the two ends of the longest side; those of solids are tied to a frame of their own."""
    nodes = np.asarray(model.nodes, float)
    axis = int(np.argmax(np.ptp(nodes, axis=0)))
    ends = [nodes[:, axis].min(), nodes[:, axis].max()]
    turns = {int(row) for row, component in np.asarray(model.freedoms) if component > 2}
    chosen: dict[str, int] = {}
    ties: list[dict[str, Any]] = []
    slack, free = 1e-6 * max(float(np.ptp(nodes[:, axis])), 1e-12), max(label(model, row) for row in range(len(nodes))) + 1
    for word, end in zip(("first", "second"), ends, strict=True):
        near = np.flatnonzero(np.abs(nodes[:, axis] - end) <= slack)
        if any(int(row) in turns for row in near):
            chosen[word] = label(model, next(int(row) for row in near if int(row) in turns))
        else:
            chosen[word] = free + len(ties)
            nearby = {"xyz"[axis]: [float(end - slack), float(end + slack)]}
            ties.append({"type": "rigid-tie", "nodes": nearby, "label": chosen[word]})
    return {"interfaces": chosen} | ({"ties": ties} if ties else {})


def label(model: FEModel, row: int) -> int:
    """The FE program's number of a node."""
    return row if model.labels is None else int(model.labels[row])
