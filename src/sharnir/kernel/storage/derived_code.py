"""Code that was made for one model, kept on disk under a digest of what it was made from: a folder of bounded size."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

from sharnir.kernel.storage.cache import cache_folder

DIGEST = 16  # bytes
MOST_FILES, MOST_BYTES = 400, 200_000_000  # what the folder may hold


def digest_of(*parts: str | bytes) -> str:
    """A name for what code is made from.

    >>> digest_of("a", "b") == digest_of("ab")
    False
    """
    found = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        found.update(f"{len(content)} ".encode())
        found.update(content)
    return found.hexdigest()[:40]


def folder() -> Path:
    """Where code of models is kept."""
    return cache_folder() / "derived"


def stored(name: str) -> bytes | None:
    """What is kept under a name; None if nothing is, or if it is damaged."""
    path = folder() / name
    try:
        found = path.read_bytes()
    except OSError:
        return None
    if found[:DIGEST] != seal(found[DIGEST:]):
        remove(path)
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # the files that nobody has asked for longest go first
    return found[DIGEST:]


def seal(content: bytes) -> bytes:
    """What stands before the content: bytes that change with every bit of it."""
    return hashlib.blake2b(content, digest_size=DIGEST).digest()


def remove(path: Path) -> None:
    """Remove a file, if it is there and may be removed."""
    with contextlib.suppress(OSError):
        path.unlink()


def store(name: str, content: bytes) -> None:
    """Keep some content; a disk that cannot be written to is no reason to stop."""
    with contextlib.suppress(OSError):
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        forget_oldest(place)
        new = place / f"{name}.{secrets.token_hex(4)}.new"
        try:
            new.write_bytes(seal(content) + content)
            new.replace(place / name)
        finally:
            remove(new)


def forget_oldest(place: Path) -> None:
    """Remove a quarter of the files where there are too many, or too large ones."""
    with contextlib.suppress(OSError):
        files = [(entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(place)]
        if len(files) >= MOST_FILES or sum(size for _, size, _ in files) >= MOST_BYTES:
            for _, _, path in sorted(files)[: max(1, len(files) // 4)]:
                remove(Path(path))
