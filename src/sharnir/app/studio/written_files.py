"""Files that the studio writes: scripts, animations, tables, pictures, solids and linear equations."""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.app.studio.python_script import script
from sharnir.app.studio.workspace import inside
from sharnir.atomic_file import write_bytes, write_text
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.app.studio.worker import Worker

OF_RUNS = {"html": ".html", "csv": ".csv", "h5": ".h5", "parquet": ".parquet", "png": ".png"}
PNG = b"\x89PNG\r\n\x1a\n"
MOST_FRAMES = 3000  # of an animation in a .glb file
KINDS = ("picture", "plot")


def export(
    worker: Worker, form: str, path: Path, document: dict[str, Any], run: str | None, mine: Sequence[str] = (), **given: Any
) -> dict[str, Any]:
    """Write a file of some form; its name. Files that are not `mine` are left alone: then the name gets a number."""
    path = inside(worker.folder, free_path(worker.folder, path.with_name(file_name(path, form, given.get("kind"))), mine))
    if form == "python":
        write_text(path, script(document))
    elif form == "glb":
        write_bytes(path, glb_bytes(worker, document, run))
    elif form == "linear":
        write_text(path, json.dumps(worker.analysis(document, "linear"), indent=1))
    elif form == "image":
        write_bytes(path, png_bytes(given.get("image")))
    elif run is None:
        raise ModelError(f"export: {form} shows a run; run the model first")
    else:
        write_result(worker._kept(run).result, form, path)
    return {"name": path.relative_to(worker.folder.resolve()).as_posix()}


def free_path(folder: Path, path: Path, mine: Sequence[str]) -> Path:
    """The path, or one with a number if something is there that was not exported from here.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "arm.csv").write_text("by hand")
    >>> free_path(folder, folder / "arm.csv", []).name, free_path(folder, folder / "arm.csv", ["arm.csv"]).name
    ('arm-2.csv', 'arm.csv')
    """
    found, number = path, 1
    while os.path.lexists(found) and not found.is_symlink() and os.path.relpath(found, folder).replace(os.sep, "/") not in mine:
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


def file_name(path: Path, form: str, kind: Any) -> str:
    """The name of the file of some form.

    >>> file_name(Path("arm"), "linear", None), file_name(Path("arm.x"), "glb", None)
    ('arm-linear.json', 'arm.glb')
    """
    endings = {"python": ".py", "glb": ".glb", "linear": "-linear.json", **OF_RUNS}
    endings["image"] = f"-{kind if kind in KINDS else KINDS[0]}.png"
    if form not in endings:
        raise ModelError(f"export: {form!r} is unknown; there are {', '.join(endings)}")
    return path.stem + endings[form]


def png_bytes(text: Any) -> bytes:
    """The bytes of a picture that the page has made; nothing else than a PNG file is written."""
    try:
        data = base64.b64decode(str(text), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data.startswith(PNG):
        raise ModelError("export: the picture is not a PNG file")
    return data


def glb_bytes(worker: Worker, document: dict[str, Any], run: str | None) -> bytes:
    """The mechanism as it is drawn, or with the motion of a run."""
    from sharnir.app.animation.gltf import glb
    from sharnir.app.animation.poses import Frames, item_poses
    from sharnir.app.studio.examination import poses_of
    from sharnir.simulate.channels.model_scene import scene_of

    if run is None or run not in worker.runs:
        system = worker._system(document)
        places = {name: np.array([row]) for name, row in poses_of(system, system.y0).items()}
        return glb(scene_of(system).to_dict(), places)
    result = worker._kept(run).result
    scene = result.scene
    if scene is None or not len(result.t):
        raise ModelError("export: the run has nothing to draw")
    poses = {item.name: item_poses(result, item.name) for item in scene.items}
    span = max(float(result.t[-1] - result.t[0]), 1e-9)
    frames = Frames(result.t, list(poses.values()), [], min(60.0, MOST_FRAMES / span))
    moving = {name: frames.poses(rows) for name, rows in poses.items() if len(rows) > 1 or rows[0, :3].any()}
    return glb(scene.to_dict(), moving, frames.times.tolist())


def write_result(result: Any, form: str, path: Path) -> None:
    """A run as an animation, a plot, or its channels."""
    if form == "html":
        result.animate(path)
    elif form == "png":
        joints = [name for name in result.channels if name.endswith(".q")]
        result.plot(*joints[:6], path=path)
    else:
        result.save(path)
