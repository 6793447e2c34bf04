"""Where compiled kernels are kept between runs, and when they are out of date."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from functools import cache
from pathlib import Path

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


ROOMS = ("kernel", "spatial", "dynamics", "integrate")  # where kernels live


@cache
def source_stamp() -> str:
    """Digest of the sources of all kernels: one inlines functions of other files, so a change anywhere counts.

    The number of lanes is compiled in too, and Numba's own index does not see it.
    """
    digest = hashlib.sha256(f"{LANES} lanes".encode())
    here = Path(__file__).parent.parent
    for path in sorted(path for room in ROOMS for path in (here / room).rglob("*.py")):
        digest.update(str(path.relative_to(here)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


KEPT_VERSIONS = 8  # compiled versions that stay on disk


def forget_old_versions() -> None:
    """Remove the kernels of all but the last few versions that were compiled on this machine."""
    try:
        folders = sorted((f for f in cache_folder().iterdir() if f.is_dir()), key=lambda f: f.stat().st_mtime)
    except OSError:
        return
    for folder in folders[:-KEPT_VERSIONS]:
        shutil.rmtree(folder, ignore_errors=True)


_said = False


def announce_compilation() -> None:
    """One line on the error stream before this process first compiles a kernel that was not in the cache."""
    global _said
    if not _said:
        _said = True
        sys.stderr.write(
            "sharnir: compiling kernels for their first use on this machine (up to a minute; later runs start at once) …\n"
        )
