"""Memory whose every access is checked (`SHARNIR_CHECK_BOUNDS=1`): kernels run as plain Python and must stay in their arrays.

Compiled kernels know addresses without lengths, and plain Python takes a negative index from the end. In this mode an
`IndexError` names the kernel that reads or writes outside of an array, writes into memory that is fixed (`table`,
`params`), or touches the guard numbers that stand between the sections of the engine's memory
(dynamics/memory/memory_builder.py).
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


_places: dict[int, list[np.ndarray]] = {}  # by the size of a block of the engine's memory: where its guards stand


def note_guards(block: np.ndarray) -> None:
    """Remember where the guards of a finished block stand; its copies are known by its size and by these numbers."""
    found, known = np.flatnonzero(block.view(np.int64) == GUARD), _places.setdefault(block.size, [])
    if not any(np.array_equal(found, other) for other in known):
        known.append(found)


def guards_of(array: np.ndarray) -> frozenset[int]:
    """Items of an array that no kernel may touch; none if it is not a block of the engine's memory."""
    for places in _places.get(array.size, ()) if array.ndim == 1 and array.dtype.itemsize == 8 else ():
        if (np.asarray(array).view(np.int64)[places] == GUARD).all():
            return frozenset(places.tolist())
    return frozenset()


class CheckedMemory(np.ndarray):
    """A view on an array for kernels, from item `start` of it on."""

    start: int = 0
    guarded: frozenset[int] = frozenset()

    def __array_finalize__(self, other: Any) -> None:
        self.start, self.guarded = getattr(other, "start", 0), getattr(other, "guarded", frozenset())

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            first = k.start or 0
            if not 0 <= first <= len(self):
                raise IndexError(f"kernel {kernel_name()} begins at item {first} of memory with {len(self)} items")
            view: Any = super().__getitem__(k)
            view.start = self.start + first
            return view
        self._check(k, "reads")
        return super().__getitem__(k)

    def __setitem__(self, k: Any, value: Any) -> None:
        if not isinstance(k, slice):
            if not self.flags.writeable:
                raise IndexError(f"kernel {kernel_name()} writes item {k} of memory that is fixed")
            self._check(k, "writes")
        super().__setitem__(k, value)

    def _check(self, k: Any, what: str) -> None:
        if not isinstance(k, (int, np.integer)):
            return
        if not 0 <= k < len(self):
            raise IndexError(f"kernel {kernel_name()} {what} item {k} of memory with {len(self)} items")
        if self.start + k in self.guarded:
            raise IndexError(f"kernel {kernel_name()} {what} item {k}, between two sections of memory")


def kernel_name() -> str:
    """The function that uses memory, with its file: the first caller that is not a part of this room or of the algebra."""
    frame = sys._getframe(1)
    while frame.f_back and Path(frame.f_code.co_filename).parent in (ROOM, SPATIAL):
        frame = frame.f_back
    return f"{frame.f_code.co_name} ({Path(frame.f_code.co_filename).name}, line {frame.f_lineno})"


def checked(array: Any) -> Any:
    """A view that is checked, with the rights of the array."""
    if not isinstance(array, np.ndarray) or isinstance(array, CheckedMemory):
        return array
    view = array.view(CheckedMemory)
    view.guarded = guards_of(array)
    return view


def fixed(array: Any) -> Any:
    """A view that is checked and cannot be written."""
    view = checked(array)
    if isinstance(view, np.ndarray):
        view = view[:]
        view.flags.writeable = False
    return view
