"""Files of compiled kernels that are checked before use: a damaged one is removed and compiled again.

Each begins with a digest of the rest. Machine code also says for which function, signature, processor and features it was
compiled: two processes that fill an empty folder at once, or two machines that share one, may write each other's file names.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from pathlib import Path
from typing import Any

from numba.core import caching

MAGIC = b"sharnir kernel 1\n"
DIGEST = 16  # bytes


def sealed(content: bytes) -> bytes:
    """The content behind its digest."""
    return MAGIC + digest(content) + content


def digest(content: bytes | memoryview) -> bytes:
    """Sixteen bytes that change with every bit of the content."""
    return hashlib.blake2b(content, digest_size=DIGEST).digest()


def unsealed(path: Path) -> bytes | memoryview | None:
    """The content of a file; None if there is no such file, or if it is damaged, and then it is removed.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "kernel.nbc"
    >>> _ = file.write_bytes(sealed(b"code"))
    >>> bytes(unsealed(file))
    b'code'
    >>> _ = file.write_bytes(sealed(b"code")[:-1])
    >>> unsealed(file), file.exists()
    (None, False)
    """
    try:
        found = memoryview(path.read_bytes())
    except OSError:
        return None
    start = len(MAGIC) + DIGEST
    if found[: len(MAGIC)] == MAGIC and found[len(MAGIC) : start] == digest(found[start:]):
        return found[start:]
    remove(path)
    return None


def remove(path: Path) -> None:
    """Remove a file, if it is there and may be removed."""
    with contextlib.suppress(OSError):
        path.unlink()


class CheckedCacheFile(caching.IndexDataCacheFile):
    """Index and data of one kernel as Numba keeps them, each behind its digest."""

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if isinstance(found, tuple) and len(found) == 2 and found[0] == key else None

    def _load_index(self) -> dict[Any, str]:
        content = unsealed(Path(self._index_path))
        if content is None:
            return {}
        version, stamp, overloads = pickle.loads(content)
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        with self._open_for_write(self._index_path) as file:
            file.write(sealed(self._dump((self._version, self._source_stamp, overloads))))

    def _load_data(self, name: str) -> Any:
        content = unsealed(Path(self._data_path(name)))
        return None if content is None else pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        with self._open_for_write(self._data_path(name)) as file:
            file.write(sealed(self._dump(data)))

    def forget(self) -> None:
        """Remove the index, so that everything is compiled again."""
        remove(Path(self._index_path))
