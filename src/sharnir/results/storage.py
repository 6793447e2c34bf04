"""Results as files: CSV text, HDF5 (exact way back), Parquet tables."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.atomic_file import replacement, special
from sharnir.errors import FileError, MissingExtraError, MissingFileError, ModelError
from sharnir.results.hdf5 import read_hdf5, write_hdf5
from sharnir.results.journal import SUFFIX as JOURNAL
from sharnir.results.journal import journal_path, read_journal
from sharnir.results.plain_data import dump
from sharnir.results.result import Result


def write(result: Result, path: Path, channels: list[str] | None = None) -> Path:
    """Write by suffix; see `Result.save`."""
    chosen(WRITERS, path)(result, path, channels)
    return path


def read(path: Path) -> Result:
    """Read by suffix; see `Result.load`."""
    if path.suffix == JOURNAL and path.exists():
        return read_journal(path)
    reader = chosen(READERS, path)
    unfinished = journal_path(path)
    if not path.exists() and unfinished.exists():
        return read_journal(unfinished)
    if unfinished.exists():
        warnings.warn(
            f"{unfinished.name}: a run that writes to this file is still going on or was interrupted; "
            f"Result.load({unfinished.name!r}) reads it",
            stacklevel=4,
        )
    if not path.exists():
        raise MissingFileError(f"{path}: there is no such file; check the name and the folder")
    if path.is_dir() or special(path):
        raise FileError(f"{path}: is not a regular file; name a result file")
    try:
        found: Result = reader(path)
    except PermissionError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
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
    with replacement(path) as new, new.open("w", newline="", encoding="utf-8") as file:
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
    with replacement(path) as new:
        parquet.write_table(pyarrow.table([np.ascontiguousarray(c) for c in columns.values()], schema=schema), new)


WRITERS: dict[str, Callable[..., None]] = {
    ".csv": write_csv,
    ".h5": write_hdf5,
    ".hdf5": write_hdf5,
    ".parquet": write_parquet,
}
READERS: dict[str, Callable[..., Result]] = {".h5": read_hdf5, ".hdf5": read_hdf5}
