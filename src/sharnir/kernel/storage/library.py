"""Kernels that come compiled: one shared library for each level of processors, made by ahead_of_time.py when a wheel is built.

A library is used if it was made from these very sources, which a digest tells; otherwise kernels are compiled when they are
needed. `SHARNIR_COMPILE=1` compiles them in any case.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HOUSE = Path(__file__).parents[2]
ROOMS = ("kernel", "spatial", "dynamics", "integrate", "flexible")  # where kernels live
FOLDER = Path(__file__).parent / "libraries"
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


class Level(NamedTuple):
    """Processors that a library is made for: their name for the compiler, and how many states go side by side."""

    name: str
    lanes: int
    needs: frozenset[str]  # among the flags that the system lists


_V3 = frozenset({"avx2", "fma", "bmi1", "bmi2", "movbe", "f16c"})
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
LEVELS = {"x86_64": (Level("x86-64-v4", 8, _V4), Level("x86-64-v3", 4, _V3)), "arm64": (Level("arm64", 4, frozenset()),)}


def machine() -> str:
    """The family of this processor, one name for each.

    >>> machine() in ("x86_64", "arm64") or machine() == platform.machine().lower()
    True
    """
    name = platform.machine().lower()
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(name, name)


def flags() -> frozenset[str]:
    """What this processor can do, as far as a level asks for it."""
    if sys.platform.startswith("linux"):
        try:
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return frozenset()
        return frozenset(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), []))
    if sys.platform == "win32":
        has: Callable[[int], int] = ctypes.windll.kernel32.IsProcessorFeaturePresent
        return (_V3 if has(40) else frozenset()) | (_V4 if has(41) else frozenset())
    return frozenset()  # Intel Macs compile


def levels() -> Iterator[Level]:
    """Levels that this processor has, the best first."""
    found = flags()
    yield from (level for level in LEVELS.get(machine(), ()) if level.needs <= found)


def source_files() -> list[Path]:
    """All files from which kernels are compiled."""
    return sorted(file for room in ROOMS for file in (HOUSE / room).rglob("*.py"))


def source_digest() -> str:
    """Digest of all files from which kernels are compiled."""
    digest = hashlib.blake2b(digest_size=16)
    for file in source_files():
        content = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{file.relative_to(HOUSE).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class Library:
    """A shared library of kernels; each is found under the name of its file and function."""

    def __init__(self, path: Path, level: Level) -> None:
        self.path, self.level = path, level
        self._library = ctypes.CDLL(str(path))

    def address(self, name: str) -> int | None:
        """Where a kernel stands; None if the library has none of this name."""
        try:
            function = self._library[name]
        except AttributeError:
            return None
        return ctypes.cast(function, ctypes.c_void_p).value


def symbol(function: Callable) -> str:
    """The name of a kernel in a library: its file and its own name."""
    return f"{function.__module__}.{function.__qualname__}"


def made() -> dict[str, int]:
    """Names and sizes of the libraries that were made from these sources."""
    try:
        record: dict[str, Any] = json.loads((FOLDER / "record.json").read_text(encoding="utf-8"))
        return record["libraries"] if record["sources"] == source_digest() else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def is_current() -> bool:
    """Whether there are libraries, made from these sources, and all of them are there."""
    sizes = made()
    return bool(sizes) and all(file_size(FOLDER / name) == size for name, size in sizes.items())


def find_library() -> Library | None:
    """The library for this processor that was made from these sources, if there is one."""
    if os.environ.get("SHARNIR_COMPILE", "0") not in ("", "0"):
        return None
    sizes, wanted = made(), int(os.environ.get("SHARNIR_LANES", "0"))
    for level in levels() if sizes else ():
        path = FOLDER / f"{level.name}{SUFFIX}"
        if wanted in (0, level.lanes) and sizes.get(path.name, -1) == file_size(path):
            return Library(path, level)
    return None


def file_size(path: Path) -> int | None:
    """Bytes of a file; None if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return None
