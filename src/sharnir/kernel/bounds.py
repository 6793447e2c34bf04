"""Memory whose every access is checked (`SHARNIR_CHECK_BOUNDS=1`): kernels run as plain Python and must stay in their arrays.

Compiled kernels know addresses without lengths, and plain Python takes a negative index from the end. In this mode an
`IndexError` names the kernel that reads or writes outside of an array, writes into memory that is fixed (`table`,
`params`), or touches the guard numbers that stand between the sections of the engine's memory (dynamics/memory/blocks.py).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

GUARDS = 3  # numbers between two sections
GUARD = 0x7FF85AFE5AFE5AFE  # as a float a number that is none, with a payload that no calculation makes
ROOM, SPATIAL = Path(__file__).parent, Path(__file__).parent.parent / "spatial"


def guards(kind: Any) -> np.ndarray:
    """Numbers that no kernel may touch.

    >>> guards(np.float64).view(np.int64).tolist() == guards(np.int64).tolist() == [GUARD] * GUARDS
    True
    """
    return np.full(GUARDS, GUARD, np.int64).view(kind)


class CheckedMemory(np.ndarray):
    """A view on an array for kernels."""

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, (int, np.integer)):
            self._check(k, "reads")
        elif isinstance(k, slice):
            self._check_start(k.start or 0)
        return super().__getitem__(k)

    def __setitem__(self, k: Any, value: Any) -> None:
        if isinstance(k, (int, np.integer)):
            if not self.flags.writeable:
                raise IndexError(f"kernel {kernel_name()} writes item {k} of memory that is fixed")
            self._check(k, "writes")
        super().__setitem__(k, value)

    def _check(self, k: Any, what: str) -> None:
        if not 0 <= k < len(self):
            raise IndexError(f"kernel {kernel_name()} {what} item {k} of memory with {len(self)} items")
        if self.dtype.itemsize == 8 and (np.asarray(self)[k : k + 1].view(np.int64) == GUARD).any():
            raise IndexError(f"kernel {kernel_name()} {what} item {k}, between two sections of memory")

    def _check_start(self, k: Any) -> None:
        if not 0 <= k <= len(self):
            raise IndexError(f"kernel {kernel_name()} begins at item {k} of memory with {len(self)} items")


def kernel_name() -> str:
    """The function that uses memory, with its file: the first caller that is not a part of this room or of the algebra."""
    frame = sys._getframe(1)
    while frame.f_back and Path(frame.f_code.co_filename).parent in (ROOM, SPATIAL):
        frame = frame.f_back
    return f"{frame.f_code.co_name} ({Path(frame.f_code.co_filename).name}, line {frame.f_lineno})"


def checked(array: Any) -> Any:
    """A view that is checked, with the rights of the array."""
    return array.view(CheckedMemory) if isinstance(array, np.ndarray) else array


def fixed(array: Any) -> Any:
    """A view that is checked and cannot be written."""
    view = checked(array)
    if isinstance(view, np.ndarray):
        view = view[:]
        view.flags.writeable = False
    return view
