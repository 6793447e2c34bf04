"""Tables of numbers in text files, read quickly, with clear error messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.input_file import is_file, permitted

COMMENTS = ("*", "#", "%", "$", "!")


def required(path: Any, purpose: str) -> Path:
    """The path of a file that must exist."""
    found = permitted(path)
    if not is_file(found):
        raise ModelError(f"file {str(found)!r} with {purpose} does not exist", field="path")
    return found


def number_table(path: Path) -> np.ndarray:
    """(rows, columns) numbers of a text file, separated by blanks or commas; all rows have as many as the first.

    Lines that begin with *, #, %, $ or ! are passed over; Fortran's D exponents are understood.
    """
    with path.open(encoding="utf-8", errors="replace") as stream:
        first = next((line for line in stream if line.strip() and not line.lstrip().startswith(COMMENTS)), "").strip()
    if not first:
        raise ModelError(f"{path.name}: the file holds no numbers", field="path")
    fortran = "d" in first.lower()
    with path.open(encoding="utf-8", errors="replace") as stream:
        lines = (line.upper().replace("D", "E") for line in stream) if fortran else stream
        try:
            return np.loadtxt(lines, comments=list(COMMENTS), delimiter="," if "," in first else None, ndmin=2)
        except ValueError as trouble:
            reason = str(trouble).partition(";")[0]
            raise ModelError(f"{path.name}: {reason}; every line holds numbers like the first, {first!r}", field="path") from None


def whole(path: Path, values: np.ndarray, what: str) -> np.ndarray:
    """Numbers that must be whole, as integers."""
    integers = values.astype(np.int64)
    wrong = integers != values
    if wrong.any():
        raise ModelError(f"{path.name}: {what} {values[wrong].ravel()[0]} is not a whole number", field="path")
    return integers


def sibling(path: Path, suffix: str, purpose: str) -> Path:
    """The file with the same name and another suffix, in either case of letters."""
    for candidate in (suffix, suffix.upper(), suffix.lower()):
        found = path.with_suffix(candidate)
        if is_file(found):
            return permitted(found)
    raise ModelError(f"{path.with_suffix(suffix).name} with {purpose} is missing beside {path.name}", field="path")
