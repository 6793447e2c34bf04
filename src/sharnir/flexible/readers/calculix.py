"""Matrices that CalculiX stores with *FREQUENCY, SOLVER=MATRIXSTORAGE: .sti, .mas, .dof, and the mesh of the .inp deck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.readers.deck import Deck, read_deck
from sharnir.flexible.readers.matrix_reader import from_matrices
from sharnir.flexible.readers.numbers import number_table, required, sibling, whole
from sharnir.flexible.readers.refusal import refusing
from sharnir.flexible.readers.symmetric import symmetric_matrix


@refusing
def read_calculix(path: Any, *, mesh: Any = None, units: str = "m-kg-s", check: bool = True, name: str | None = None) -> FEModel:
    """A body from job.sti (any of .sti, .mas, .dof names it), job.mas, job.dof and the deck job.inp (or `mesh`).

    Freedoms that the deck fixes (*BOUNDARY) are not in the matrices. Beams and shells are solids inside CalculiX; only decks of
    solid elements can be read.
    """
    path = Path(path)
    stiffness = required(path.with_suffix(".sti"), "the stiffness matrix of CalculiX")
    freedoms = read_freedoms(sibling(path, ".dof", "nodes and directions of the matrix rows"))
    deck = read_deck(required(mesh, "the mesh") if mesh is not None else sibling(path, ".inp", "the mesh"))
    _require_plain(deck, freedoms)
    name = name or path.stem
    size = len(freedoms)
    return from_matrices(
        _matrix(sibling(path, ".mas", "the mass matrix"), size),
        _matrix(stiffness, size),
        deck.places,
        freedoms=freedoms,
        labels=deck.labels,
        faces=deck.faces(),
        sets=deck.sets,
        units=units,
        check=check,
        name=name,
        source=stiffness.name,
    )


def read_freedoms(path: Path) -> np.ndarray:
    """(N, 2) node label and component 0 … 2 from lines `node.direction`."""
    pairs = []
    for number, word in enumerate(path.read_text(encoding="ascii", errors="replace").split(), start=1):
        label, _, direction = word.partition(".")
        if not (label.isdigit() and direction in ("1", "2", "3")):
            raise ModelError(f"{path.name}, line {number}: {word!r} is not node.direction with a direction 1, 2, 3", field="path")
        pairs.append((int(label), int(direction) - 1))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _matrix(path: Path, size: int) -> Any:
    """Lines row column value, one triangle."""
    table = number_table(path)
    if table.shape[1] != 3:
        raise ModelError(f"{path.name}: {table.shape[1]} numbers per line; CalculiX writes row, column, value", field="path")
    rows, columns = (whole(path, table[:, k], "row or column") - 1 for k in (0, 1))
    return symmetric_matrix(path.name, rows, columns, table[:, 2], size)


def _require_plain(deck: Deck, freedoms: np.ndarray) -> None:
    """Freedoms must be shifts of the deck's own nodes along the axes."""
    if "TRANSFORM" in deck.keywords:
        raise ModelError(
            f"{deck.path.name}: *TRANSFORM rotates the freedoms of nodes; remove it and write the matrices again", field="mesh"
        )
    turning = sorted(deck.keywords & {"RIGID BODY", "COUPLING"})
    if turning:
        raise ModelError(
            f"{deck.path.name}: *{turning[0]} introduces rotations of nodes without a position; remove it, write the"
            " matrices again, and tie the nodes with RigidTie or AveragedTie",
            field="mesh",
        )
    foreign = np.setdiff1d(freedoms[:, 0], deck.labels)
    if len(foreign) and (deck.lines or deck.shells):
        raise ModelError(
            f"{deck.path.name}: {len(foreign)} nodes of the matrices, such as {foreign[0]}, are not in the deck:"
            " CalculiX expands beams and"
            " shells to solids with nodes of their own. Use solid elements, or build beams with beam_frame",
            field="mesh",
        )
