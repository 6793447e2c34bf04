"""Who compiles what: a kernel that another process is compiling is waited for, not compiled a second time.

A claim is a lock on a file beside the kernel, which the system gives back when its process ends, however that happens.
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: everybody compiles for himself
    fcntl = None  # type: ignore[assignment]

LONGEST = 180.0  # s; no kernel takes that long, so whoever has the claim is stuck
PAUSE = 0.05  # s
_held: dict[Path, IO[bytes]] = {}


def claim(path: Path | None, longest: float = LONGEST) -> None:
    """Wait until no other process has this claim, and take it; without locks, or after too long a time, go on without.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "kernel.claim"
    >>> claim(path); path.exists(), path in _held
    (True, True)
    >>> release(path); path in _held
    False
    """
    if fcntl is None or path is None or path in _held:
        return
    with contextlib.suppress(OSError):
        file = path.open("ab")
        end = time.monotonic() + longest
        while time.monotonic() < end:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(PAUSE)
            else:
                _held[path] = file
                return
        file.close()


def release(path: Path | None) -> None:
    """Give a claim back, if it is ours."""
    file = None if path is None else _held.pop(path, None)
    if file is not None:
        file.close()
