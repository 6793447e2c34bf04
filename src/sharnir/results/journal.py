"""The journal of a run: blocks of channels appended during the run, so a killed process loses only the last block.

A file is a row of records, each with its kind, its length and a checksum:

    HEAD   title, scene, shapes of flexible bodies (JSON)
    PART   the channels of what follows: name, unit, labels, columns, type of number (JSON); a new one when the structure changes
    ROWS   how many rows, their times, then every channel of the part behind the other (binary)
    NOTE   events that have happened since (JSON)
    TAIL   statistics and events of the whole run, and why it failed if it did (JSON)

Reading stops at the first record that is not whole. Without a TAIL the run was cut off.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sharnir.atomic_file import reason
from sharnir.errors import FileError
from sharnir.results.channel import Channel
from sharnir.results.flexible_shapes import FlexibleShapes
from sharnir.results.plain_data import dump, load
from sharnir.results.result import Result
from sharnir.results.scene import Scene

SUFFIX = ".part"
MAGIC = b"sharnir journal 1\n"
RECORD = struct.Struct("<4sQI")  # kind, length, CRC-32
HEAD, PART, ROWS, NOTE, TAIL = b"HEAD", b"PART", b"ROWS", b"NOTE", b"TAIL"
KINDS = (HEAD, PART, ROWS, NOTE, TAIL)
SHAPE_FIELDS = ("nodes", "labels", "shapes", "rotations", "interface_shapes", "interface_second", "lines", "faces")


def journal_path(path: Path) -> Path:
    """Where the journal of a result file stands while the run goes on."""
    return path.with_name(path.name + SUFFIX)


class Journal:
    """The file while it is written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.h5.part"
    >>> journal = Journal(path, "pendulum")
    >>> journal.append([Channel("O.q", [1.0, 2.0], "rad")], np.array([0.0, 0.1]))
    >>> journal.close()
    >>> read_journal(path)["O.q"]
    array([1., 2.])
    """

    def __init__(self, path: Path, title: str, scene: Scene | None = None, flexible: Mapping[str, FlexibleShapes] | None = None):
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
            _lock(self._file, path)
            self._file.truncate(0)
        except OSError as error:
            raise self._refused(error) from error
        self._channels: list[dict[str, Any]] = []
        self._write_all(MAGIC)
        bodies = [_shape_data(shapes) for shapes in (flexible or {}).values()]
        self._put(HEAD, dump({"title": title, "scene": None if scene is None else scene.to_dict(), "flexible": bodies}).encode())

    def append(self, channels: Iterable[Channel], t: np.ndarray) -> None:
        """Write rows of all channels; other channels than before begin another part."""
        listed, arrays = [], [np.ascontiguousarray(t, dtype=float)]
        for channel in channels:
            values = np.ascontiguousarray(channel.values)
            listed.append(
                {
                    "name": channel.name,
                    "unit": channel.unit,
                    "labels": list(channel.labels),
                    "width": values.shape[1] if values.ndim == 2 else 0,
                    "dtype": values.dtype.str,
                }
            )
            arrays.append(values)
        if listed != self._channels:
            self._channels = listed
            self._put(PART, dump(listed).encode())
        self._put(ROWS, struct.pack("<Q", len(t)), *(array.data.cast("B") if array.size else b"" for array in arrays))

    def note(self, events: list[Any]) -> None:
        """Events that have happened."""
        self._put(NOTE, dump(events).encode())

    def finish(self, stats: dict[str, Any], events: list[Any], failure: str | None) -> None:
        """The end of the run."""
        self._put(TAIL, dump({"stats": stats, "events": events, "failure": failure}).encode())

    def close(self) -> None:
        """Let go of the file; it stays."""
        self._file.close()

    def remove(self) -> None:
        """The result stands elsewhere now."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _put(self, kind: bytes, *parts: Any) -> None:
        found = 0
        for part in parts:
            found = zlib.crc32(part, found)
        self._write_all(RECORD.pack(kind, sum(len(part) for part in parts), found))
        for part in parts:
            self._write_all(part)
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._refused(error) from error

    def _write_all(self, part: Any) -> None:
        view = memoryview(part).cast("B") if len(part) else memoryview(b"")
        try:
            while len(view):
                view = view[self._file.write(view) or 0 :]
        except OSError as error:
            raise self._refused(error) from error

    def _refused(self, error: OSError) -> FileError:
        if isinstance(error, FileError):
            return error
        return FileError(f"{self.path}: cannot be written: {reason(error)}; make room, or choose another place")


def _lock(file: BinaryIO, path: Path) -> None:
    """Only one run writes a journal."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(f"{path}: another run is writing this file; choose another name") from None


@dataclass
class _Part:
    """Blocks of rows with the same channels."""

    channels: dict[str, dict[str, Any]]
    offsets: dict[str, int] = field(default_factory=dict)  # bytes per row in front of a channel
    blocks: list[tuple[int, int]] = field(default_factory=list)  # where the rows begin in the file, how many

    def __post_init__(self) -> None:
        at = 8
        for name, channel in self.channels.items():
            self.offsets[name] = at
            at += np.dtype(channel["dtype"]).itemsize * max(1, channel["width"])


def read_journal(path: Path) -> Result:
    """What was written before the run ended or was cut off; channels are read when they are asked for."""
    parts: list[_Part] = []
    times, events, head, tail = [np.zeros(0)], [], {}, None  # type: list[np.ndarray], list[Any], dict[str, Any], Any
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise FileError(f"{path.name} is damaged, or is not a journal of a run")
            for kind, place, payload in _records(file):
                if kind == ROWS:
                    count = struct.unpack("<Q", payload[:8])[0]
                    times.append(np.frombuffer(payload, float, count, 8).copy())  # the rest of the block is let go
                    parts[-1].blocks.append((place + 8, count))
                elif kind == PART:
                    parts.append(_Part({channel["name"]: channel for channel in load(bytes(payload))}))
                elif kind == HEAD:
                    head = load(bytes(payload))
                elif kind == NOTE:
                    events += load(bytes(payload))
                else:
                    tail = load(bytes(payload))
        t = np.concatenate(times)
        cut = f"the run was interrupted; its file ends at t = {t[-1]:.6g}" if len(t) else "the run was interrupted at once"
        tail = {"stats": {}, "events": events, "failure": cut} if tail is None else tail
        first: dict[str, dict[str, Any]] = {}
        for part in parts:
            first = {**part.channels, **first}
        names = list(dict.fromkeys(name for part in parts for name in part.channels))
        channels = [_channel(path, parts, first[name]) for name in names]
        scene, flexible = head.get("scene"), {data["name"]: _shapes(data) for data in head.get("flexible", ())}
        return Result(
            t,
            channels,
            title=head.get("title", ""),
            scene=None if scene is None else Scene.from_dict(scene),
            flexible=flexible,
            stats=tail["stats"],
            events=tail["events"],
            failure=tail["failure"],
        )
    except FileError:
        raise
    except Exception as error:  # whatever wrong bytes lead to
        raise FileError(f"{path.name} is damaged ({str(error)[:200]}); none of it can be read") from None


def _records(file: BinaryIO) -> Iterable[tuple[bytes, int, memoryview]]:
    """(kind, place of the payload, payload) of all records that are whole."""
    size = os.fstat(file.fileno()).st_size
    while True:
        head = file.read(RECORD.size)
        if len(head) < RECORD.size:
            return
        kind, length, wanted = RECORD.unpack(head)
        place = file.tell()
        if kind not in KINDS or length > size - place:
            return
        payload = memoryview(file.read(length))
        if zlib.crc32(payload) != wanted:
            return
        yield kind, place, payload


def _channel(path: Path, parts: list[_Part], channel: dict[str, Any]) -> Channel:
    labels = channel["labels"]
    return Channel(channel["name"], partial(_values, path, parts, channel), channel["unit"], labels, in_file=True)


def _values(path: Path, parts: list[_Part], channel: dict[str, Any]) -> np.ndarray:
    """The numbers of a channel; not-a-number where a part has no such channel, or one with other components."""
    name, width, dtype = channel["name"], channel["width"], np.dtype(channel["dtype"])
    same = all(part.channels.get(name) == channel for part in parts if part.blocks)
    shape = (sum(count for part in parts for _, count in part.blocks), *((width,) if width else ()))
    out, at = np.empty(shape, dtype if same else float), 0
    try:
        with path.open("rb") as file:
            for part in parts:
                known = part.channels.get(name)
                fits = known is not None and known["labels"] == channel["labels"]
                for place, count in part.blocks:
                    if fits:
                        file.seek(place + count * part.offsets[name])
                        numbers = np.fromfile(file, dtype, count * max(1, width))
                        out[at : at + count] = numbers.reshape(count, *shape[1:])
                    else:
                        out[at : at + count] = np.nan
                    at += count
    except (OSError, ValueError) as error:
        raise FileError(f"{path.name}: channel {name!r} cannot be read ({error})") from None
    return out


def _shape_data(shapes: FlexibleShapes) -> dict[str, Any]:
    arrays = {key: getattr(shapes, key) for key in SHAPE_FIELDS}
    return {"name": shapes.name, "interfaces": dict(shapes.interfaces), **arrays}


def _shapes(data: dict[str, Any]) -> FlexibleShapes:
    return FlexibleShapes(**data)
