"""Memory for the outputs of a run, allocated as they are produced and released once they have been written elsewhere."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

from sharnir.errors import ModelError

LARGE = 1 << 20  # bytes from which the operating system is asked for pages of their own


def output_rows(count: int, size: int) -> tuple[np.ndarray, Any]:
    """(count, size) floats, not filled, and the pages that they stand in; None if these are Python's own.

    >>> rows, pages = output_rows(1000, 1000)
    >>> rows[:500] = 1.0
    >>> release_rows(pages, 4_000_000)
    >>> rows.shape
    (1000, 1000)
    """
    total = 8 * count * size
    try:
        if total < LARGE or not hasattr(mmap, "MADV_DONTNEED"):
            return np.empty((count, size)), None
        pages = mmap.mmap(-1, total, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0))
    except (MemoryError, OSError, OverflowError, ValueError):
        raise ModelError(
            f"{count} outputs of {size} numbers need {total / 1e9:.3g} GB, more than is available; give a longer output=",
            field="output",
        ) from None
    return np.frombuffer(pages, float).reshape(count, size), pages


def release_rows(pages: Any, size: int) -> None:
    """Give back the first bytes; what stood there is gone."""
    whole = size // mmap.PAGESIZE * mmap.PAGESIZE
    if pages is not None and whole > 0:
        pages.madvise(mmap.MADV_DONTNEED, 0, whole)
