"""The MatrixMarket text format of matrices (Boisvert, Pozo, Remington 1996), read with every count and index checked.

SciPy's reader trusts the file, and a damaged one ends the process.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.input_file import MOST_DATA, content

MOST_ROWS = 2**31 - 1
BANNER = "%%matrixmarket"


def read_matrix_market(path: Path) -> Any:
    """A sparse COO matrix of the format "coordinate", or a dense array of the format "array"; symmetric ones are completed."""
    data = content(path, MOST_DATA)
    first, place = _line(data, 0)
    words = first.lower().split()
    if len(words) != 5 or words[0] != BANNER or words[1] != "matrix":
        raise _wrong(path, f"begins with {first[:60]!r}, not with %%MatrixMarket matrix …")
    layout, kind, symmetry = words[2:]
    if layout not in ("coordinate", "array") or kind not in ("real", "double", "integer", "pattern"):
        raise _wrong(path, f"is {layout} {kind}; coordinate or array, real, integer or pattern can be read")
    if symmetry not in ("general", "symmetric", "skew-symmetric") or (layout, kind) == ("array", "pattern"):
        raise _wrong(path, f"is {layout} {kind} {symmetry}, which is not known")
    line = "%"
    while line.startswith("%") or (not line.strip() and place < len(data)):
        line, place = _line(data, place)
    sizes = _sizes(path, line, 3 if layout == "coordinate" else 2)
    numbers = _numbers(path, data[place:])
    if layout == "array":
        return _dense(path, numbers, sizes, symmetry)
    return _sparse(path, numbers, sizes, kind, symmetry)


def _line(data: bytes, place: int) -> tuple[str, int]:
    """The line that begins at a place, and where the next one begins."""
    end = data.find(b"\n", place)
    end = len(data) if end < 0 else end
    return data[place:end].decode("ascii", errors="replace").strip(), end + 1


def _wrong(path: Path, what: str) -> ModelError:
    return ModelError(f"{path.name}: {what}; the MatrixMarket file is damaged, or of another kind", field="path")


def _sizes(path: Path, line: str, count: int) -> list[int]:
    words = line.split()
    if len(words) != count or not all(word.isdigit() and len(word) < 12 for word in words):
        raise _wrong(path, f"its sizes {line[:60]!r} are not {count} whole numbers")
    sizes = [int(word) for word in words]
    if max(sizes[:2]) > MOST_ROWS:
        raise _wrong(path, f"has {sizes[0]} rows and {sizes[1]} columns, more than can be handled")
    return sizes


def _numbers(path: Path, data: bytes) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy warns where the text is not a number
        try:
            return np.fromstring(data.decode("ascii").replace("D", "E").replace("d", "e"), dtype=float, sep=" ")
        except (ValueError, DeprecationWarning):
            raise _wrong(path, "has something other than numbers after its sizes") from None


def _dense(path: Path, numbers: np.ndarray, sizes: list[int], symmetry: str) -> np.ndarray:
    rows, columns = sizes
    if symmetry == "general":
        if len(numbers) != rows * columns:
            raise _wrong(path, f"has {len(numbers)} numbers instead of {rows} × {columns}")
        return numbers.reshape(columns, rows).T
    first = 0 if symmetry == "symmetric" else 1
    if rows != columns or len(numbers) != rows * (rows + 1 - 2 * first) // 2:
        raise _wrong(path, f"has {len(numbers)} numbers, which do not form a triangle of {rows} × {columns}")
    full = np.zeros((rows, rows))
    at = np.triu_indices(rows, first)  # column by column of the lower triangle is row by row of the upper one
    full[at[1], at[0]] = numbers
    full[at] = numbers if symmetry == "symmetric" else -numbers
    return full


def _sparse(path: Path, numbers: np.ndarray, sizes: list[int], kind: str, symmetry: str) -> Any:
    from scipy.sparse import coo_array

    rows, columns, count = sizes
    width = 2 if kind == "pattern" else 3
    if len(numbers) != width * count:
        raise _wrong(path, f"has {len(numbers)} numbers instead of {width} for each of {count} entries")
    table = numbers.reshape(count, width)
    places = table[:, :2] - 1
    if count and not ((places >= 0) & (places < [rows, columns]) & (places == np.floor(places))).all():
        raise _wrong(path, f"has an entry outside its {rows} × {columns} places")
    i, j = places.astype(np.int64).T
    values = np.ones(count) if kind == "pattern" else table[:, 2]
    if symmetry != "general":
        off = i != j
        sign = 1.0 if symmetry == "symmetric" else -1.0
        i, j, values = np.append(i, j[off]), np.append(j, i[off]), np.append(values, sign * values[off])
    return coo_array((values, (i, j)), shape=(rows, columns))
