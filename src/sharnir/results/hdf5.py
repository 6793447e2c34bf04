"""Results as HDF5 files: every channel a data set, digit for digit."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from sharnir.atomic_file import replacement
from sharnir.errors import FileError, MissingExtraError, ModelError
from sharnir.results.channel import Channel
from sharnir.results.flexible_shapes import FlexibleShapes
from sharnir.results.named_channels import check_rows
from sharnir.results.plain_data import dump, load
from sharnir.results.result import Result
from sharnir.results.scene import Scene
from sharnir.results.seal import check_seal, put_seal

FORMAT = "sharnir-result"
VERSION = 1
LIBRARY = ("v110", "v110")  # every HDF5 since 1.10 reads it
SHAPE_ARRAYS = ("nodes", "labels", "shapes", "rotations", "interface_shapes", "interface_second", "lines", "faces")
SHORTEST_TRIAL, SLOWEST_READING = 20.0, 1e7  # seconds, bytes a second: how long a file without a seal may take another process
AT_ONCE = 1 << 26  # bytes of a file up to which all channels are read at once; of a larger one each when it is asked for


class QuietFile(io.RawIOBase):
    """A file that never fails while HDF5 writes to it: its first error is kept, and what comes later goes nowhere.

    The HDF5 library cannot close a file that it cannot write, and ends the process later, at exit.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("r+b", buffering=0)
        self.error: OSError | None = None

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def flush(self) -> None:
        """Nothing is held back."""

    def truncate(self, size: int | None = None) -> int:
        try:
            return self._file.truncate(size)
        except OSError as error:
            self.error = self.error or error
            return size or 0

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        count = self._file.readinto(view) or 0
        view[count:] = bytes(len(view) - count)
        return len(view)

    def write(self, buffer: Any) -> int:
        view, done = memoryview(buffer).cast("B"), 0
        while done < len(view) and self.error is None:
            try:
                done += self._file.write(view[done:]) or 0
            except OSError as error:
                self.error = error
        return len(view)

    def close(self) -> None:
        self._file.close()
        super().close()


def write_hdf5(result: Result, path: Path, channels: list[str] | None) -> None:
    """A data set for each channel in the group "channels"; everything else as JSON."""
    h5py = h5py_for("saving as .h5")
    with replacement(path) as new:
        with QuietFile(new) as file:
            with h5py.File(file, "w", libver=LIBRARY) as root:
                _fill(root, result, channels)
            if file.error is not None:
                raise file.error
        put_seal(new)


def _fill(file: Any, result: Result, channels: list[str] | None) -> None:
    file.attrs["format"], file.attrs["version"] = FORMAT, VERSION
    file.attrs["title"], file.attrs["failure"] = result.title, dump(result.failure)
    file["t"] = result.t
    file["t"].attrs["unit"] = "s"
    file["stats"], file["events"] = dump(result.stats), dump(result.events)
    file["scene"] = dump(None if result.scene is None else result.scene.to_dict())
    group = file.create_group("channels", track_order=True)
    names = list(channels if channels is not None else result.channels)
    for name in names:
        channel = result.channel(name)
        values = channel.values_once()
        check_rows(name, values, result.t)
        # a slash would open a sub-group
        data = group.create_dataset(quote(name, safe=" "), data=values)
        data.attrs["name"] = name
        data.attrs["unit"], data.attrs["labels"] = dump(channel.unit), dump(channel.labels)
    write_shapes(file, [shapes for body, shapes in result.flexible.items() if f"{body}.w" in names])


def read_hdf5(path: Path) -> Result:
    """What `write_hdf5` wrote; channels of a large file are read when they are asked for."""
    h5py_for("loading a .h5 file")
    if not check_seal(path):  # an older file, or one that another program has changed
        try_elsewhere(path)
    return read_trusted(path)


def try_elsewhere(path: Path) -> None:
    """Let another process read a file whose seal is missing: the HDF5 library may loop for ever or die over a damaged one."""
    if not sys.executable:
        return
    code = "import sys, pathlib; from sharnir.results.hdf5 import read_trusted; read_trusted(pathlib.Path(sys.argv[1]))"
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    patience = SHORTEST_TRIAL + path.stat().st_size / SLOWEST_READING
    command = [sys.executable, "-c", code, str(path.absolute())]
    try:
        done = subprocess.run(command, env=surroundings, capture_output=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        raise FileError(f"{path.name} is damaged (reading it never ends); restore a copy, or run again") from None
    if done.returncode < 0:
        raise FileError(f"{path.name} is damaged (it stops the HDF5 library); restore a copy, or run again")


def read_trusted(path: Path) -> Result:
    """Read a file of which is known that the HDF5 library comes to an end with it."""
    h5py = h5py_for("loading a .h5 file")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise FileError(f"{path.name} is damaged, or is not an HDF5 file ({error}); restore a copy, or run again") from None
    lazy = path.stat().st_size > AT_ONCE
    try:
        return _result(file, path, lazy)
    except ModelError:
        lazy = False
        raise
    except Exception as error:
        # whatever the library stumbles over: KeyError, OSError, ValueError, RuntimeError, a wrong JSON text
        lazy = False
        raise FileError(f"{path.name} is damaged ({_first_line(error)}); restore a copy, or run again") from None
    finally:
        if not lazy:
            file.close()


def _result(file: Any, path: Path, lazy: bool) -> Result:
    if file.attrs.get("format") != FORMAT:
        raise ModelError(f"{path.name} was not written by sharnir", field="path")
    if file.attrs["version"] > VERSION:
        raise ModelError(f"{path.name} was written by a newer sharnir; update this one", field="path")
    channels = []
    for data in file["channels"].values():
        labels, unit = json.loads(data.attrs["labels"]) or None, json.loads(data.attrs["unit"])
        values: Any = partial(_values, data, path.name) if lazy else data[()]
        channels.append(Channel(data.attrs["name"], values, unit, labels if data.ndim == 2 else (), in_file=lazy))
    scene = load(file["scene"][()])
    return Result(
        file["t"][()],
        channels,
        title=file.attrs["title"],
        failure=load(file.attrs["failure"]),
        scene=None if scene is None else Scene.from_dict(scene),
        stats=load(file["stats"][()]),
        events=load(file["events"][()]),
        flexible=read_shapes(file),
    )


def _values(data: Any, name: str) -> np.ndarray:
    """The numbers of one channel of an open file."""
    try:
        found: np.ndarray = data[()]
        return found
    except Exception as error:  # whatever the library stumbles over
        raise FileError(f"{name} is damaged ({_first_line(error)}); restore a copy, or run again") from None


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]


def write_shapes(file: Any, bodies: list[FlexibleShapes]) -> None:
    """Nodes and shapes of flexible bodies, once, from which all nodes' motion follows: the group "flexible"."""
    group = file.create_group("flexible", track_order=True)
    for shapes in bodies:
        part = group.create_group(quote(shapes.name, safe=" "))
        part.attrs["name"], part.attrs["interfaces"] = shapes.name, dump(dict(shapes.interfaces))
        for key in SHAPE_ARRAYS:
            if getattr(shapes, key) is not None:
                part[key] = getattr(shapes, key)


def read_shapes(file: Any) -> dict[str, FlexibleShapes]:
    """What `write_shapes` wrote; files of older versions have none."""
    found = {}
    for part in file["flexible"].values() if "flexible" in file else ():
        arrays: dict[str, Any] = {key: part[key][()] if key in part else None for key in SHAPE_ARRAYS}
        name = part.attrs["name"]
        found[name] = FlexibleShapes(name=name, interfaces=load(part.attrs["interfaces"]), **arrays)
    return found


def h5py_for(purpose: str) -> Any:
    """The optional package h5py."""
    try:
        import h5py
    except ImportError:
        raise MissingExtraError("hdf5", purpose) from None
    return h5py
