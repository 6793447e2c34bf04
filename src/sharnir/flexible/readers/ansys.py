"""Matrices that Ansys exports.

MatrixMarket (*EXPORT, …, MMF) and Harwell–Boeing (HBMAT), with the table of equations and the nodes.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.readers.harwell_boeing import read_harwell_boeing
from sharnir.flexible.readers.matrix_market import read_matrix_market
from sharnir.flexible.readers.matrix_reader import NAMES, from_matrices
from sharnir.flexible.readers.numbers import required
from sharnir.flexible.readers.refusal import refusing

FIELDS = re.compile(r"(\d*)\s*([ieg])(\d+)", re.IGNORECASE)

#: what is not in the matrices
NEEDED = {
    "mass": "the mass matrix, exported as the stiffness matrix was",
    "mapping": "the node and component of every equation: the file job.mapping that HBMAT writes with Mapping=YES, an exported"
    " vector (MatrixMarket) of the nodes in the order of the matrices, or an (N, 2) table of node label and component 0 … 5",
    "mesh": "the nodes: a file by NWRITE or CDWRITE (.cdb), or a table (n, 4) of label, x, y, z",
}


@refusing
def read_ansys(
    stiffness: Any,
    mass: Any = None,
    *,
    mapping: Any = None,
    mesh: Any = None,
    units: str = "m-kg-s",
    check: bool = True,
    name: str | None = None,
) -> FEModel:
    """A body from two exported matrices (MatrixMarket or Harwell–Boeing, told apart by their first line).

    mapping: the file that HBMAT writes with Mapping=YES (equation, node, UX … ROTZ on every line), an exported vector of the
    nodes in the order of the matrices, or an (N, 2) table of node label and component. mesh: the nodes, from NWRITE, from a .cdb
    archive (NBLOCK), from Workbench's table, or an array (n, 4) of label, x, y, z. Nodes must not be rotated (NROTAT), as
    matrices are in nodal axes.
    """
    path = required(stiffness, "the stiffness matrix of Ansys")
    for field, given in (("mass", mass), ("mapping", mapping), ("mesh", mesh)):
        if given is None:
            raise ModelError(f"{path.name}, read as ansys: {field} is missing; give {field}= {NEEDED[field]}", field=field)
    K, M = exported_matrix(path), exported_matrix(required(mass, "the mass matrix of Ansys"))
    name = name or path.stem
    pairs = mapping
    if isinstance(mapping, (str, Path)):
        pairs = read_mapping(required(mapping, "the table of equations"), K.shape[0])
    table = read_nodes(required(mesh, "the nodes")) if isinstance(mesh, (str, Path)) else np.asarray(mesh, dtype=float)
    if table.ndim != 2 or table.shape[1] != 4:
        raise ModelError(f"{name!r}: the node table has the shape {table.shape}; it must be (n, 4): label, x, y, z", field="mesh")
    return from_matrices(
        M,
        K,
        table[:, 1:],
        freedoms=pairs,
        labels=table[:, 0].astype(np.int64),
        units=units,
        check=check,
        name=name,
        source=path.name,
    )


def is_matrix_market(path: Path) -> bool:
    """Does the file begin as a MatrixMarket file?"""
    with path.open(encoding="ascii", errors="replace") as stream:
        return stream.readline().startswith("%%MatrixMarket")


def exported_matrix(path: Path) -> Any:
    """A sparse matrix in MatrixMarket or Harwell–Boeing format."""
    return read_matrix_market(path) if is_matrix_market(path) else read_harwell_boeing(path)


def read_mapping(path: Path, size: int) -> np.ndarray:
    """(N, 2) node label and component of every equation, from lines: equation, node, name of the freedom.

    Or from an exported vector (MatrixMarket) of the nodes in the order of the matrices, all with as many freedoms.
    """
    if is_matrix_market(path):
        labels = np.asarray(exported_matrix(path), dtype=np.int64).ravel()
        width = size // max(len(labels), 1)
        if width not in (3, 6) or width * len(labels) != size:
            raise ModelError(
                f"{path.name}: {len(labels)} nodes do not make {size} equations with three or six freedoms each", field="mapping"
            )
        return np.stack([np.repeat(labels, width), np.tile(np.arange(width), len(labels))], axis=1)
    found: dict[int, tuple[int, int]] = {}
    for line in path.read_text(encoding="ascii", errors="replace").splitlines():
        words = line.replace(",", " ").split()
        numbers = [int(word) for word in words if word.isdigit()]
        names = [word.lower() for word in words if word.lower() in NAMES]
        if len(numbers) >= 2 and names:
            found[numbers[0]] = (numbers[1], NAMES[names[0]])
        elif len(numbers) >= 2 and len(words) == len(numbers) + 1:
            raise ModelError(
                f"{path.name}: {line.strip()!r} is neither a translation nor a rotation (UX … ROTZ)", field="mapping"
            )
    if sorted(found) != list(range(1, len(found) + 1)) or not found:
        raise ModelError(
            f"{path.name}: {len(found)} equations found, but they are not numbered 1 … {len(found)}: equation, node, freedom",
            field="mapping",
        )
    return np.array([found[k] for k in sorted(found)], dtype=np.int64)


def read_nodes(path: Path) -> np.ndarray:
    """(n, 4) label, x, y, z from a .cdb archive with NBLOCK, from the lines that NWRITE makes, or from Workbench's table."""
    lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    block = next((k for k, line in enumerate(lines) if line.upper().startswith("NBLOCK")), None)
    if block is not None:
        head = FIELDS.findall(lines[block + 1])
        widths = [int(width) for count, _, width in head for _ in range(int(count or 1))]
        integers = sum(int(count or 1) for count, kind, _ in head if kind.lower() == "i")
        body = lines[block + 2 :]
    else:
        widths, integers, body = [9] + [20] * 6, 1, lines
    table = [row for row in (_node(path, line, widths, integers) for line in _until_end(body)) if row]
    if not table:
        raise ModelError(f"{path.name}: no nodes found; write them with NWRITE, or CDWRITE (NBLOCK)", field="mesh")
    return np.array(table)


def _until_end(lines: list[str]) -> Any:
    for line in lines:
        word = line.strip()
        if word.upper().startswith("N,") or word == "-1":
            return
        if word and not word.startswith(("!", "/", "$")):
            yield line


def _node(path: Path, line: str, widths: list[int], integers: int) -> list[float] | None:
    """Label, x, y, z of a line: separated by blanks or commas where they are, else in fields of fixed width."""
    if "\t" in line:  # Workbench writes tabs between numbers, and the decimal sign of the country
        line = line.replace(",", ".")
        if not line.split()[0].isdigit():
            return None  # the head of the table
    words = line.replace(",", " ").split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        edges = np.cumsum([0, *widths])
        words = [line[a:b].strip() for a, b in pairwise(edges)]
        try:
            values = [float(word) for word in words if word]
        except ValueError:
            raise ModelError(f"{path.name}: {line.strip()!r} is not a node with label, x, y, z", field="mesh") from None
    numbers = (values[integers:] + [0.0] * 6)[:6]
    if any(numbers[3:]):
        raise ModelError(
            f"{path.name}: node {int(values[0])} is rotated by {numbers[3:]} degrees; set nodes to the global axes"
            " (NROTAT) and export again",
            field="mesh",
        )
    return [values[0], *numbers[:3]]
