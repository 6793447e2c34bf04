"""Reduced models as files: arrays in a .npz archive, read without pickle, so that a file cannot run anything."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.arguments import file_path
from sharnir.atomic_file import replacement
from sharnir.errors import ModelError
from sharnir.flexible.array_records import Arrays, flattened, restored
from sharnir.flexible.reduced_model import ReducedModel
from sharnir.input_file import MOST_DATA, is_file, permitted

FORMAT, VERSION = "sharnir-reduced-model", 1
HEADER = "header"  # JSON text in bytes: format, version, and what is not an array


def save(reduced: ReducedModel, path: Any) -> Path:
    """Write a reduced model; see `ReducedModel.save`."""
    path = file_path(path, "ReducedModel.save")
    if path.suffix.lower() != ".npz":
        raise ModelError(f"{path.name}: a reduced model is saved as .npz; change the suffix", field="path")
    arrays: Arrays = {}
    header = {"format": FORMAT, "version": VERSION, "model": flattened(reduced, arrays)}
    text = np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), dtype=np.uint8)
    with replacement(path) as new, new.open("wb") as file:
        np.savez_compressed(file, **{HEADER: text}, **arrays)  # type: ignore[arg-type]
    return path


def load(path: Any) -> ReducedModel:
    """Read a reduced model and check it; see `ReducedModel.load`."""
    path = file_path(path, "ReducedModel.load")
    permitted(path)
    if not is_file(path):
        raise ModelError(f"{path}: there is no such file of a reduced model; save it there, or correct the path", field="reduced")
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_DATA:
                raise ValueError(f"it unpacks to more than {MOST_DATA >> 30} GB")
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop(HEADER).tobytes())
        known = header["format"] == FORMAT
    except Exception as error:  # whatever an archive of wrong bytes leads to
        raise ModelError(
            f"{path.name} is damaged, or is not a reduced model of sharnir ({error}); save it again", field="reduced"
        ) from None
    if not known or header.get("version", 0) > VERSION:
        why = "was written by a newer sharnir; update this one" if known else "holds no reduced model of sharnir"
        raise ModelError(f"{path.name} {why}", field="reduced")
    try:
        reduced = restored(ReducedModel, header.get("model"), arrays)
        _check(reduced, arrays)
    except Exception as error:  # whatever wrong numbers lead to
        raise ModelError(f"{path.name} is damaged: {error}; save it again", field="reduced") from None
    return reduced


def _check(reduced: ReducedModel, arrays: Arrays) -> None:
    """Numbers are finite, sizes fit together, rows of nodes exist."""
    for name, array in arrays.items():
        if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
            raise ModelError(f"the array '{name}' holds something other than numbers")
    n, h = len(reduced.nodes), reduced.count
    if reduced.stiffening is not None and set(reduced.stiffening.nodes) != set(reduced.interfaces):
        raise ModelError("stiffening lacks some interfaces")
    for name, shape in _sizes(reduced, n, h).items():
        if arrays[name].shape != shape:
            raise ModelError(f"the array '{name}' has the size {arrays[name].shape}; {shape} fits the other arrays")
    rows = [reduced.lines, reduced.faces, np.array([one.node for one in reduced.interfaces.values()], dtype=np.int64)]
    for table, width in zip(rows[:2], (2, 3), strict=True):
        if table.ndim != 2 or table.shape[1] != width:
            raise ModelError(f"a table of lines or faces has the size {table.shape}")
    for table in rows:
        if table.dtype.kind not in "iu" or (table < 0).any() or (table >= n).any():
            raise ModelError(f"rows of nodes lie outside 0 … {n - 1}")
    if not np.allclose(reduced.stiffness, reduced.stiffness.T, rtol=1e-6, atol=1e-9 * np.abs(reduced.stiffness).max(initial=0.0)):
        raise ModelError("the stiffness is not symmetric")
    if not reduced.inertia.J_rr[0, 0] > 0.0:
        raise ModelError(f"the mass {reduced.inertia.J_rr[0, 0]:g} kg is not positive")


def _sizes(reduced: ReducedModel, n: int, h: int) -> dict[str, tuple[int, ...]]:
    """The size that each array must have."""
    r, p = 4 + 3 * h, 1 + 3 * h
    sizes: dict[str, tuple[int, ...]] = {"stiffness": (h, h), "frequencies": (h,), "nodes": (n, 3), "shapes": (n, 3, h)}
    sizes |= {"labels": (n,), "moments.rr": (3, 3, r, r), "moments.rp": (3, 3, r, p), "moments.pp": (3, 3, p, p)}
    sizes |= {"damping": (h, h)} if reduced.damping is not None else {}
    sizes |= {"rotations": (n, 3, h)} if reduced.rotations is not None else {}
    blocks = {"J_rr": (3, 3), "R0": (3, 3), "R": (h, 3, 3), "J_rw": (3, h), "P0": (3, 3), "P": (h, 3, 3)}
    blocks |= {"P2": (h, h, 3, 3), "Q0": (3, h), "Q": (h, 3, h), "J_ww": (h, h)}
    sizes |= {f"inertia.{name}": shape for name, shape in blocks.items()}
    for name in reduced.interfaces:
        sizes |= {f"interfaces.{name}.position": (3,), f"interfaces.{name}.shape": (6, h)}
    if reduced.stiffening is not None:
        m = 6 + h
        sizes |= {"stiffening.matrices": (12, m, m), "stiffening.gram": (12, 12)}
        sizes |= {f"stiffening.nodes.{name}": (6, m, m) for name in reduced.interfaces}
    return sizes


def digest(reduced: ReducedModel) -> str:
    """A word that two reduced models share if all their numbers are the same; what the report says does not count.

    >>> from sharnir.flexible import Section, reduce, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=2)
    >>> digest(reduce(beam, interfaces={"root": 0}, modes=1)) == digest(reduce(beam, interfaces={"root": 0}, modes=1))
    True
    """
    arrays: Arrays = {}
    parts = {field.name: getattr(reduced, field.name) for field in fields(reduced) if field.name != "report"}
    text = json.dumps(flattened(parts, arrays), sort_keys=True)
    found = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        found.update(f"{name} {array.shape} {array.dtype}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()
