"""Files of triangles: STL, OBJ, PLY, GLB, glTF, OFF, 3MF and Collada, read by trimesh; each file once in a process."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import MissingExtraError, ModelError
from sharnir.input_file import content, permitted
from sharnir.model.bodies.triangles import Triangles

METRES = {"micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048}  # units of 3MF
MOST_BYTES = 1 << 29
MOST_TRIANGLES = 20_000_000
SUFFIXES = (".stl", ".obj", ".ply", ".glb", ".gltf", ".off", ".3mf", ".dae")


def digest_of(path: Path) -> str:
    """What tells one content from another."""
    return hashlib.sha256(content(path, MOST_BYTES)).hexdigest()[:32]


@lru_cache(maxsize=256)
def triangles_of(path: Path, digest: str) -> Triangles:
    """The surface in a file whose content has this digest; lengths as they stand there, those of Collada and 3MF in metres."""
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError("mesh", "reading meshes") from None
    suffix = path.suffix.lower()
    try:
        beside: Any = _Beside(path.parent)
        data = BytesIO(content(path, MOST_BYTES))
        with _silent():
            scene: Any = trimesh.load_scene(data, file_type=suffix[1:], resolver=beside, process=False)
    except ImportError:
        raise MissingExtraError("mesh", f"reading {suffix} files") from None
    except Exception as error:  # whatever a reader of many formats raises for a damaged file
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise ModelError(f"{path.name} cannot be read as a mesh: {reason}", field="file") from None
    return _joined(scene, path)


@contextmanager
def _silent() -> Iterator[None]:
    """Without what trimesh writes to its log about textures that are not there: only their colours would be used."""
    import logging

    log = logging.getLogger("trimesh")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


class _Beside:
    """Files that a mesh names, such as materials: only those beside it, and only those that may be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str) -> bytes:
        """The content of such a file."""
        return content(permitted(self.folder / Path(name).name), MOST_BYTES)


def _joined(scene: Any, path: Path) -> Triangles:
    """All parts of a scene as one surface."""
    unit = _metres(str(scene.units or ""))
    vertices, faces, colors, palette = [], [], [], []
    start = 0
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        part = scene.geometry[name]
        if not len(getattr(part, "faces", ())):  # points and lines
            continue
        places, rows = np.asarray(part.vertices, float), np.asarray(part.faces, np.int64)
        if places.shape[1:] != (3,) or rows.shape[1:] != (3,) or not 0 <= rows.min() <= rows.max() < len(places):
            raise ModelError(f"{path.name} has triangles with vertices that are not there; export it again", field="file")
        places = places @ transform[:3, :3].T + transform[:3, 3]
        if np.linalg.det(transform[:3, :3]) < 0:
            rows = rows[:, ::-1]
        color = _color(part)
        if color is not None and color not in palette:
            palette.append(color)
        vertices.append(places)
        faces.append(rows + start)
        colors.append(np.full(len(rows), -1 if color is None else palette.index(color)))
        start += len(places)
    count = sum(map(len, faces))
    if not count:
        raise ModelError(f"{path.name} has no triangles; is it the right file?", field="file")
    if count > MOST_TRIANGLES:
        raise ModelError(
            f"{path.name} has {count} triangles, at most {MOST_TRIANGLES} are read; use a coarser mesh", field="file"
        )
    found = Triangles(np.concatenate(vertices) * unit, np.concatenate(faces), np.concatenate(colors), tuple(palette))
    if not np.isfinite(found.vertices).all():
        raise ModelError(f"{path.name} has vertices that are not finite numbers; export it again", field="file")
    return found.merged()


def _metres(units: str) -> float:
    """The unit of a Collada or 3MF file in metres; other formats have none.

    >>> _metres("0.01 * meters"), _metres("millimeter"), _metres("meters"), _metres("")
    (0.01, 0.001, 1.0, 1.0)
    """
    factor, star, _ = units.partition(" * ")
    return float(factor) if star else METRES.get(units.removesuffix("s"), 1.0)


def _color(part: Any) -> str | None:
    """The main colour of a part, if its file gives one."""
    visual = getattr(part, "visual", None)
    try:
        if visual is None or not visual.defined:
            return None
        rgba = visual.material.main_color if visual.kind == "texture" else visual.main_color
    except (AttributeError, TypeError, ValueError):
        return None
    return "#" + "".join(f"{int(c):02x}" for c in rgba[:3])
