"""Where compiled kernels are kept between runs, and when they are out of date."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path


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
    """Digest of the sources of all kernels: one inlines functions of other files, so a change anywhere counts."""
    digest = hashlib.sha256()
    here = Path(__file__).parent.parent
    for path in sorted(path for room in ROOMS for path in (here / room).rglob("*.py")):
        digest.update(str(path.relative_to(here)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
