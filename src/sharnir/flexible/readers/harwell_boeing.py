"""The Harwell–Boeing text format of sparse matrices (Duff, Grimes, Lewis 1989), symmetric and unsymmetric, assembled, real."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import ModelError

FORMAT = re.compile(r"\(\s*(?:\d+P\s*,?)?\s*(?P<count>\d*)\s*(?P<kind>[IEDFG])\s*(?P<width>\d+)", re.IGNORECASE)


def read_harwell_boeing(path: Path) -> Any:
    """The matrix as a SciPy CSC matrix; of a symmetric one (RSA) the triangle that the file holds."""
    from scipy.sparse import csc_array

    lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    if len(lines) < 4:
        raise ModelError(f"{path.name}: a Harwell–Boeing file begins with a header of four lines", field="path")
    try:
        pointer_lines, index_lines, value_lines = (int(word) for word in lines[1].split()[1:4])
        kind, numbers = lines[2][:3].upper(), [int(word) for word in lines[2][3:].split()[:3]]
        right_side = int((lines[1].split() + ["0"])[4])
    except (ValueError, IndexError):
        raise ModelError(
            f"{path.name}: the header is not that of a Harwell–Boeing file: {lines[1]!r}, {lines[2]!r}", field="path"
        ) from None
    if kind not in ("RSA", "RUA"):
        raise ModelError(f"{path.name}: a matrix of type {kind}; RSA or RUA (real, assembled) can be read", field="path")
    rows, columns, entries = numbers
    if min(*numbers, pointer_lines, index_lines, value_lines) < 0 or max(numbers) > 2**31:
        raise ModelError(f"{path.name}: the header {lines[2]!r} has no sizes of a matrix", field="path")
    formats = [FORMAT.match(word) for word in re.findall(r"\([^)]*\)", lines[3])[:3]]
    if len(formats) < 3 or None in formats:
        raise ModelError(f"{path.name}: the formats {lines[3]!r} cannot be read", field="path")
    # a fifth header line stands there with right-hand sides
    start = 5 if right_side > 0 else 4
    parts = []
    lengths = (columns + 1, entries, entries)
    for form, count, length in zip(formats, (pointer_lines, index_lines, value_lines), lengths, strict=True):
        assert form is not None
        parts.append(_fields(path, lines[start : start + count], int(form["width"]), length))
        start += count
    pointers, indices, values = parts
    whole = (pointers.astype(np.int64) - 1, indices.astype(np.int64) - 1)
    if whole[0][-1] != entries:
        raise ModelError(f"{path.name}: the columns hold {whole[0][-1]} entries, the header says {entries}", field="path")
    inside = (whole[1] >= 0) & (whole[1] < rows)
    if whole[0][0] != 0 or (np.diff(whole[0]) < 0).any() or not inside.all():  # SciPy trusts what it is given
        raise ModelError(f"{path.name}: an entry outside the {rows} × {columns} places; the file is damaged", field="path")
    return csc_array((values, whole[1], whole[0]), shape=(rows, columns))


def _fields(path: Path, lines: list[str], width: int, count: int) -> np.ndarray:
    """Numbers of a fixed width, without blanks between them if need be; SciPy writes blanks, and other widths than it says."""
    words = " ".join(lines).split()
    if len(words) != count:
        words = [line[k : k + width] for line in map(str.rstrip, lines) for k in range(0, len(line), width)]
    if len(words) < count:
        raise ModelError(
            f"{path.name}: {len(words)} numbers where the header promises {count}; the file is cut off", field="path"
        )
    try:
        return np.array([word.strip().replace("D", "E").replace("d", "e") for word in words[:count]], dtype=float)
    except ValueError as trouble:
        raise ModelError(f"{path.name}: {trouble}; numbers are {width} characters wide", field="path") from None
