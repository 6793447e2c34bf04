"""Results as files: CSV text, HDF5 (exact way back), Parquet tables."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from sharnir.errors import MissingExtraError, ModelError
from sharnir.results.channel import Channel
from sharnir.results.flexible_shapes import FlexibleShapes
from sharnir.results.result import Result
from sharnir.results.scene import Scene

FORMAT = "sharnir-result"
VERSION = 1
SHAPE_ARRAYS = ("nodes", "labels", "shapes", "rotations", "interface_shapes", "interface_second", "lines", "faces")


def write(result: Result, path: Path, channels: list[str] | None = None) -> Path:
    """Write by suffix; see `Result.save`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen(WRITERS, path)(result, path, channels)
    return path


def read(path: Path) -> Result:
    """Read by suffix; see `Result.load`."""
    found: Result = chosen({".h5": read_hdf5, ".hdf5": read_hdf5}, path)(path)
    return found


def chosen(by_suffix: dict[str, Callable[..., Any]], path: Path) -> Callable[..., Any]:
    """The reader or writer for the suffix of a path."""
    try:
        return by_suffix[path.suffix.lower()]
    except KeyError:
        raise ModelError(f"{path.name}: the suffix must be one of {', '.join(by_suffix)}", field="path") from None


def table(result: Result, channels: list[str]) -> dict[str, np.ndarray]:
    """Time and scalar columns of the channels, by name."""
    columns = {"t": result.t}
    for name in channels:
        columns |= {component: result[component] for component in result.components(name)}
    return columns


def write_csv(result: Result, path: Path, channels: list[str] | None) -> None:
    """Text: a header of names, then one line for each time; 17 digits bring every double back."""
    names = channels if channels is not None else [name for name in result.channels if name.endswith(".q")]
    columns = table(result, names)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerow(columns)
        np.savetxt(file, np.column_stack(list(columns.values())), fmt="%.17g", delimiter=",")


def write_parquet(result: Result, path: Path, channels: list[str] | None) -> None:
    """A table of scalar columns; units are in the metadata of the columns."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("parquet", "saving as .parquet") from None
    columns = table(result, channels if channels is not None else list(result.channels))
    schema = pyarrow.schema(
        [
            pyarrow.field(name, pyarrow.from_numpy_dtype(c.dtype), metadata={"unit": str(result.unit(name))})
            for name, c in columns.items()
        ],
        metadata={
            "title": result.title,
            "failure": result.failure or "",
            "stats": dump(result.stats),
            "events": dump(result.events),
        },
    )
    parquet.write_table(pyarrow.table([np.ascontiguousarray(c) for c in columns.values()], schema=schema), path)


def write_hdf5(result: Result, path: Path, channels: list[str] | None) -> None:
    """A data set for each channel in the group "channels"; everything else as JSON."""
    h5py = _h5py("saving as .h5")
    with h5py.File(path, "w") as file:
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
            # a slash would open a sub-group
            data = group.create_dataset(quote(name, safe=" "), data=result[name])
            data.attrs["name"] = name
            data.attrs["unit"], data.attrs["labels"] = dump(channel.unit), dump(channel.labels)
        write_shapes(file, [shapes for body, shapes in result.flexible.items() if f"{body}.w" in names])


def read_hdf5(path: Path) -> Result:
    """What `write_hdf5` wrote."""
    h5py = _h5py("loading a .h5 file")
    with h5py.File(path, "r") as file:
        if file.attrs.get("format") != FORMAT:
            raise ModelError(f"{path.name} was not written by sharnir", field="path")
        if file.attrs["version"] > VERSION:
            raise ModelError(f"{path.name} was written by a newer sharnir; update this one", field="path")
        channels = [
            Channel(d.attrs["name"], d[()], json.loads(d.attrs["unit"]), json.loads(d.attrs["labels"]) or None)
            for d in file["channels"].values()
        ]
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


def dump(value: Any) -> str:
    """JSON text of plain data, arrays included."""
    return json.dumps(value, default=_plain)


def load(text: str | bytes) -> Any:
    """The data that `dump` wrote.

    >>> load(dump({"residual": np.array([1.0, 2.0])}))
    {'residual': array([1., 2.])}
    """
    return json.loads(text, object_hook=_array)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


def _array(record: dict[str, Any]) -> Any:
    return np.array(record["array"], record["dtype"]) if record.keys() == {"array", "dtype"} else record


def _h5py(purpose: str) -> Any:
    try:
        import h5py
    except ImportError:
        raise MissingExtraError("hdf5", purpose) from None
    return h5py


WRITERS: dict[str, Callable[..., None]] = {
    ".csv": write_csv,
    ".h5": write_hdf5,
    ".hdf5": write_hdf5,
    ".parquet": write_parquet,
}
