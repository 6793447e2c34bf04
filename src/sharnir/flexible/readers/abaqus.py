"""Matrices that Abaqus writes with *MATRIX GENERATE, *MATRIX OUTPUT as text (.mtx), and the mesh of the .inp deck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import MODAL_COMPONENT, FEModel
from sharnir.flexible.readers.deck import Deck, read_deck
from sharnir.flexible.readers.matrix_reader import from_matrices
from sharnir.flexible.readers.numbers import number_table, required, whole
from sharnir.flexible.readers.refusal import refusing
from sharnir.flexible.readers.symmetric import symmetric_matrix
from sharnir.input_file import is_file, permitted

#: Abaqus puts 1e36 on the diagonal of freedoms that boundary conditions fix
FIXED = 1e35


@refusing
def read_abaqus(
    stiffness: Any, mass: Any = None, *, mesh: Any = None, units: str = "m-kg-s", check: bool = True, name: str | None = None
) -> FEModel:
    """A body from job_STIF1.mtx, job_MASS1.mtx and the deck job.inp, each found beside the first unless given.

    FORMAT=MATRIX INPUT and LABELS (node, freedom, node, freedom, value) and COORDINATE (row, column, value) are understood.
    Fixed freedoms (1e36 on the diagonal) are left out. Internal freedoms (strains inside of beams B33) become coordinates that
    move no node.
    """
    path = required(stiffness, "the stiffness matrix of Abaqus")
    other = required(mass, "the mass matrix") if mass is not None else _mass_beside(path)
    deck = read_deck(required(mesh, "the mesh") if mesh is not None else _deck_beside(path))
    K, M = (_entries(part, number_table(part), deck) for part in (path, other))
    code = np.unique(np.concatenate([K[0], K[1], M[0], M[1]]))
    matrices = [_matrix(part.name, entries, code) for part, entries in ((other, M), (path, K))]
    free = np.flatnonzero(matrices[1].diagonal() < FIXED)
    pairs = np.stack(np.divmod(code[free], 6), axis=1)
    places, labels = _places(deck), np.asarray(deck.labels)
    # internal nodes are not points: each of their freedoms becomes a modal coordinate
    internal = np.flatnonzero(pairs[:, 0] <= 0)
    modal = labels.max() + 1 + np.arange(len(internal))
    pairs[internal] = np.stack([modal, np.full(len(internal), MODAL_COMPONENT)], axis=1)
    model = from_matrices(
        matrices[0][free][:, free],
        matrices[1][free][:, free],
        np.vstack([places, np.repeat(places.mean(axis=0)[None], len(internal), axis=0)]),
        freedoms=pairs,
        labels=np.append(labels, modal),
        modal=modal,
        lines=deck.lines,
        faces=deck.faces(),
        sets=deck.sets,
        units=units,
        check=False,
        name=name or path.stem.partition("_STIF")[0],
        source=path.name,
    )
    _require_strains(path, model, internal)
    if check:
        model.check()
    return model


def _require_strains(path: Path, model: FEModel, internal: np.ndarray) -> None:
    """An error unless rigid motions of the nodes leave the internal freedoms at rest, as strains inside of beams are."""
    R = np.abs(model.stiffness[internal] @ model.rigid_motions())
    size = abs(model.stiffness)[internal] @ np.abs(model.rigid_motions())
    if (1e-6 * size.max(initial=0.0) < R).any():
        raise ModelError(
            f"{path.name}: a node below 1 is an internal node of Abaqus that moves with the body (hybrid elements, contact, …),"
            " and its position is not known; use elements without internal nodes",
            field="path",
        )


def _entries(path: Path, table: np.ndarray, deck: Deck) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row and column as 6 · node + component, and values."""
    if table.shape[1] == 3:
        rows = whole(path, table[:, :2], "row or column") - 1
        names = _rows_in_order(path, int(rows.max()) + 1, deck)
        return names[rows[:, 0]], names[rows[:, 1]], table[:, 2]
    if table.shape[1] != 5:
        raise ModelError(
            f"{path.name}: {table.shape[1]} numbers per line; Abaqus writes node, freedom, node, freedom, value", field="path"
        )
    numbers = whole(path, table[:, :4], "node or freedom")
    if numbers[:, [1, 3]].max() > 6 or numbers[:, [1, 3]].min() < 1:
        raise ModelError(
            f"{path.name}: freedom {numbers[:, [1, 3]].max()} is neither a translation (1 … 3) nor a rotation (4 … 6)",
            field="path",
        )
    return 6 * numbers[:, 0] + numbers[:, 1] - 1, 6 * numbers[:, 2] + numbers[:, 3] - 1, table[:, 4]


def _rows_in_order(path: Path, size: int, deck: Deck) -> np.ndarray:
    """FORMAT=COORDINATE names rows only: they are three or six freedoms of all nodes in ascending order."""
    labels = np.sort(deck.labels)
    width = size // len(labels)
    if width not in (3, 6) or size != width * len(labels):
        raise ModelError(
            f"{path.name}: {size} rows without node numbers (FORMAT=COORDINATE) do not fit {len(labels)} nodes with three or six"
            " freedoms each; write FORMAT=MATRIX INPUT",
            field="path",
        )
    return (6 * labels[:, None] + np.arange(width)).ravel()


def _matrix(who: str, entries: tuple[np.ndarray, np.ndarray, np.ndarray], code: np.ndarray) -> Any:
    rows, columns, values = entries
    return symmetric_matrix(who, np.searchsorted(code, rows), np.searchsorted(code, columns), values, len(code))


def _places(deck: Deck) -> np.ndarray:
    """Places of the nodes in the assembly: those of the part, moved with its only instance."""
    if len(deck.instances) > 1:
        raise ModelError(
            f"{deck.path.name}: {len(deck.instances)} instances use the same node numbers; write the deck without"
            " parts and assembly",
            field="mesh",
        )
    places = deck.places
    for _, shift in deck.instances:
        if shift:
            places = places + np.array(shift[:3])
    return places


def _mass_beside(path: Path) -> Path:
    for old, new in (("STIF", "MASS"), ("stif", "mass")):
        found = path.with_name(path.name.replace(old, new))
        if found != path and is_file(found):
            return permitted(found)
    raise ModelError(f"no mass matrix beside {path.name} (…_STIF1.mtx has …_MASS1.mtx); give mass=", field="mass")


def _deck_beside(path: Path) -> Path:
    stem = path.stem.partition("_STIF")[0].partition("_stif")[0]
    found = path.with_name(f"{stem}.inp")
    if not is_file(found):
        raise ModelError(f"no deck {found.name} with the nodes beside {path.name}; give mesh=", field="mesh")
    return permitted(found)
