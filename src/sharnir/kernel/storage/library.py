"""Kernels that come compiled: one shared library for each level of processors, made by ahead_of_time.py when a wheel is built.

A library is used if it was made from these very sources, which a digest tells; otherwise kernels are compiled when they are
needed. `SHARNIR_COMPILE=1` compiles them in any case.
"""

from __future__ import annotations

import contextlib
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


_V3 = frozenset({"avx2", "fma", "bmi1", "bmi2", "movbe", "f16c", "abm", "popcnt"})
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
    """What this processor can do, in the words of Linux."""
    if sys.platform.startswith("linux"):
        try:
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return frozenset()
        return frozenset(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), []))
    return llvm_flags()


def llvm_flags() -> frozenset[str]:
    """The same by LLVM, which takes longer to import than a file to read."""
    from llvmlite.binding import get_host_cpu_features

    words = {"bmi": "bmi1", "lzcnt": "abm"}
    return frozenset(words.get(name, name) for name, present in get_host_cpu_features().items() if present)


def levels() -> Iterator[Level]:
    """Levels that this processor has, the best first."""
    found = flags()
    yield from (level for level in LEVELS.get(machine(), ()) if level.needs <= found)


def source_files() -> list[str]:
    """All files from which kernels are compiled, below the package's folder."""
    return sorted(name for room in ROOMS for name in _python_files(room))


def _python_files(folder: str) -> Iterator[str]:
    """Texts and no paths: this is done in every start."""
    with os.scandir(f"{HOUSE}/{folder}") as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield f"{folder}/{entry.name}"
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _python_files(f"{folder}/{entry.name}")


def source_digest() -> str:
    """Digest of all files from which kernels are compiled."""
    digest, house = hashlib.sha256(), str(HOUSE)
    for name in source_files():
        with open(f"{house}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - see _python_files
            content = file.read().replace(b"\r\n", b"\n")
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def content_digest(path: Path) -> str | None:
    """Digest of a file; None if there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    except OSError:
        return None


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


def made() -> dict[str, str]:
    """Names and digests of the libraries that were made from these sources."""
    try:
        record: dict[str, Any] = json.loads((FOLDER / "record.json").read_text(encoding="utf-8"))
        return dict(record["libraries"]) if record["sources"] == source_digest() else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def is_current() -> bool:
    """Whether there are libraries, made from these sources, and all of them are there and whole."""
    digests = made()
    return bool(digests) and all(content_digest(FOLDER / name) == digest for name, digest in digests.items())


def find_library() -> Library | None:
    """The library for this processor that was made from these sources, if there is one that is whole and can be loaded."""
    if os.environ.get("SHARNIR_COMPILE", "0") not in ("", "0"):
        return None
    digests, wanted = made(), os.environ.get("SHARNIR_LANES", "0")
    for level in levels() if digests else ():
        path = FOLDER / f"{level.name}{SUFFIX}"
        if wanted in ("", "0", str(level.lanes)) and digests.get(path.name, "") == content_digest(path):
            with contextlib.suppress(OSError):  # a file system from which nothing is executed, a C library that is too old
                return Library(path, level)
    return None
