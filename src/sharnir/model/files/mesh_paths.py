"""Meshes of a model file: their paths begin at its folder; those from elsewhere are copied beside it when it is saved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from sharnir.families import tag
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.model import Model


def with_mesh_paths(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The data of a body or a force with the paths of its meshes as seen from here.

    >>> with_mesh_paths({"shape": {"type": "mesh", "file": "a.stl"}}, Path("robots"))["shape"]["file"]
    'robots/a.stl'
    """
    return dict(_renamed(entry, lambda file: str(folder / file)))


def mesh_files(model: Model, path: Path) -> dict[str, tuple[str, Path]]:
    """Of each file of a mesh its name in the model file `path`, and where it is now.

    Files below the folder of the model file stay where they are, others go to "<name of the model file>.meshes/".
    """
    folder = Path(os.path.realpath(path.parent))
    found: dict[str, tuple[str, Path]] = {}
    names: dict[str, str] = {}  # names that are taken, and by which content
    for mesh in _meshes(model):
        if mesh.file in found:
            continue
        place = Path(os.path.realpath(mesh.file))
        if place.is_relative_to(folder):
            found[mesh.file] = (place.relative_to(folder).as_posix(), place)
            continue
        name = place.name
        while names.setdefault(name, mesh.digest) != mesh.digest:
            name = f"_{name}"
        found[mesh.file] = (f"{path.stem}.meshes/{name}", place)
    return found


def with_saved_names(entry: dict[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    """The data of a body or a force with the names that its meshes have in the model file."""
    return dict(_renamed(entry, lambda file: files.get(file, file)))


def _meshes(model: Model) -> Iterator[Mesh]:
    of_bodies = (shape for body in model.bodies.values() for shape in body.shapes)
    of_forces = (shape for force in model.forces.values() for _, shape in force.drawn_shapes(model))
    return (shape for shape in chain(of_bodies, of_forces) if isinstance(shape, Mesh))


def _renamed(data: Any, name: Any) -> Any:
    if isinstance(data, list):
        return [_renamed(part, name) for part in data]
    if not isinstance(data, dict):
        return data
    if data.get("type") == tag(Mesh) and isinstance(data.get("file"), str):
        return data | {"file": name(data["file"])}
    return {key: _renamed(part, name) for key, part in data.items()}
