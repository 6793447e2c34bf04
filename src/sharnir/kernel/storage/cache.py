"""Where compiled kernels are kept between runs, and when they are out of date."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

from sharnir.kernel.mode import LANES


def cache_folder() -> Path:
    """Folder of compiled kernels: `SHARNIR_CACHE_DIR`, or the user's cache folder.

    >>> cache_folder().name.startswith("sharnir")
    True
    """
    chosen = os.environ.get("SHARNIR_CACHE_DIR")
    if chosen:
        return Path(chosen) / "sharnir-kernels"
    if os.name == "nt":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return root / "sharnir-kernels"


ROOMS = ("kernel", "spatial", "dynamics", "integrate", "flexible")  # where kernels live
HOUSE = Path(__file__).parents[2]
OUTSIDE_OF_KERNELS = {  # files of the kernel room that make functions which kernels call by their addresses, or keep kernels
    *(HOUSE / "kernel" / f"{name}.py" for name in ("user", "piecewise", "bound_function", "mode", "deferred")),
    *(file for room in ("formulas", "storage") for file in (HOUSE / "kernel" / room).glob("*.py")),
}
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(sharnir[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+(sharnir[\w.]+))", re.MULTILINE
)


@cache
def source_stamp(path: Path) -> str:
    """Digest of one file with kernels and of all that it imports from the rooms: a kernel inlines functions of other files.

    The number of lanes is compiled in too, and Numba's own index does not see it.
    """
    found, waiting = {path}, [path]
    while waiting:
        for other in imported_files(waiting.pop()) - found:
            found.add(other)
            waiting.append(other)
    digest = hashlib.sha256(f"{LANES} lanes".encode())
    for name, content in sorted((file.relative_to(HOUSE).as_posix() if file != path else "", text(file)) for file in found):
        digest.update(name.encode())
        digest.update(content.encode())
    return digest.hexdigest()[:16]


@cache
def text(path: Path) -> str:
    """What a source file says."""
    return path.read_text(encoding="utf-8")


@cache
def imported_files(path: Path) -> set[Path]:
    """Files of the rooms that a file imports; the kernel room counts as a whole."""
    files: set[Path] = set()
    for module, names, plain in IMPORT.findall(text(path)):
        place = HOUSE.joinpath(*(module or plain).split(".")[1:])
        for name in re.findall(r"\w+", re.sub(r"\bas\s+\w+|#[^\n]*", "", names)) or [""]:
            files |= _files_at(place / name) or _files_at(place)
    if any(file.parent.name == "kernel" for file in files):
        files |= set((HOUSE / "kernel").glob("*.py"))
    return {file for file in files if file.relative_to(HOUSE).parts[0] in ROOMS and file not in OUTSIDE_OF_KERNELS}


def _files_at(place: Path) -> set[Path]:
    """The file of a module, or of a package."""
    return {file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()}


KEPT_VERSIONS = 8  # compiled versions of one file that stay on disk


def forget_old_versions(folder: Path) -> None:
    """Remove all but the last few versions of the kernels of one file that were compiled on this machine."""
    try:
        folders = sorted((f for f in folder.iterdir() if f.is_dir()), key=lambda f: f.stat().st_mtime)
    except OSError:
        return
    for old in folders[:-KEPT_VERSIONS]:
        shutil.rmtree(old, ignore_errors=True)


MOST_FUNCTIONS = 1000  # users' functions and formulas whose code stays on disk


def forget_oldest(folder: Path) -> None:
    """Remove the oldest of the functions that are kept, where there are too many."""
    try:
        kept = [f for f in folder.iterdir() if f.is_dir()]
        if len(kept) >= MOST_FUNCTIONS:
            for old in sorted(kept, key=lambda f: f.stat().st_mtime)[: len(kept) // 4]:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return


_compiled: list[str] = []


def announce_compilation(name: str) -> None:
    """Say on the error stream that kernels are compiled, once, and on a terminal each by its name; and share the work."""
    first = not _compiled
    _compiled.append(name)
    if first:
        sys.stderr.write(
            "sharnir: compiling kernels for their first use on this machine (up to a minute; later runs start at once) …\n"
        )
    if sys.stderr.isatty():
        text = f"sharnir: compiling kernel {len(_compiled)}: {name} …"
        sys.stderr.write(f"\r{text:<78}\r" if len(text) < 79 else "")
        sys.stderr.flush()
    if first:
        start_helper()


def start_helper() -> None:
    """A process that compiles what most runs need while this one compiles what it needs first, if there is a processor for it."""
    if os.environ.get("SHARNIR_COMPILERS", "2") in ("0", "1") or (os.cpu_count() or 1) < 2:
        return
    if not Path(sys.executable or "").name.startswith("python"):  # embedded in another program
        return
    import subprocess

    command, quiet = [sys.executable, "-m", "sharnir.kernel.storage.warmup"], subprocess.DEVNULL
    paths = os.pathsep.join([str(HOUSE.parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"SHARNIR_COMPILERS": "1", "PYTHONPATH": paths}
    with contextlib.suppress(OSError):
        _helpers.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=environment))
        atexit.register(leave_helpers)


_helpers: list[Any] = []  # processes that compile for us; one that nobody holds any more warns that it is still running


def leave_helpers() -> None:
    """Leave those that still compile to themselves: what they finish is there for the next run."""
    for helper in _helpers:
        if helper.poll() is None:
            helper.returncode = 0
    _helpers.clear()
