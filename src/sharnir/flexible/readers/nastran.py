"""Matrices of Nastran, read through pyyeti: OP4, DMIG punch files, and external superelements (EXTSEOUT: .asm, .pch, .op4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import MissingExtraError, ModelError
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.readers.matrix_reader import from_matrices
from sharnir.flexible.readers.numbers import required, sibling
from sharnir.flexible.readers.refusal import refusing
from sharnir.flexible.readers.superelement import with_modal_coordinates
from sharnir.input_file import is_file, permitted, restricted

#: names that matrices usually have, the assembled ones first
STIFFNESS = ("kaa", "kgg", "kaax", "kgggx", "kxx", "kjj", "kff", "k2gg", "k2pp", "k")
MASS = ("maa", "mgg", "maax", "mgggx", "mxx", "mjj", "mff", "m2gg", "m2pp", "m")


@refusing
def read_op4(
    path: Any,
    *,
    mesh: Any,
    freedoms: Any = None,
    stiffness: str | None = None,
    mass: str | None = None,
    units: str = "m-kg-s",
    check: bool = True,
    name: str | None = None,
) -> FEModel:
    """A body from an OP4 file with mass and stiffness, and the GRIDs of a bulk data file `mesh`.

    Without `freedoms` the rows are all six components of all GRIDs in ascending order (g-set). stiffness, mass: names of the
    matrices in the file, where they are not the usual ones (KAA, KGG, MAA, MGG, …).
    """
    path = required(path, "the matrices of Nastran")
    K, M = _op4_pair(path, stiffness, mass)
    labels, places, turns = _grids(required(mesh, "the GRIDs"))
    name = name or path.stem
    model = from_matrices(M, K, places, freedoms=freedoms, labels=labels, check=False, name=name, source=path.name)
    return _finished(_in_basic_axes(model, turns), units, check)


@refusing
def read_dmig(
    path: Any,
    *,
    mesh: Any = None,
    stiffness: str | None = None,
    mass: str | None = None,
    units: str = "m-kg-s",
    check: bool = True,
    name: str | None = None,
) -> FEModel:
    """A body from DMIG entries of a punch file; GRIDs from `mesh`, or from the same file."""
    path = required(path, "the DMIG entries")
    found = _dmig(path)
    if not found:
        raise ModelError(f"{path.name}: no DMIG entries", field="path")
    k, m = found[_choice(path, found, stiffness, STIFFNESS, "stiffness")], found[_choice(path, found, mass, MASS, "mass")]
    rows = k.index.union(m.index)
    K, M = (matrix.reindex(index=rows, columns=rows, fill_value=0.0).to_numpy() for matrix in (k, m))
    pairs = np.array(rows.tolist(), dtype=np.int64)
    labels, places, turns = _grids(required(mesh, "the GRIDs") if mesh is not None else path)
    name = name or path.stem
    model = with_modal_coordinates(M, K, places, labels, pairs, name, path.name)
    return _finished(_in_basic_axes(model, turns), units, check)


@refusing
def read_superelement(path: Any, *, units: str = "m-kg-s", check: bool = True, name: str | None = None) -> FEModel:
    """A body from an external superelement (EXTSEOUT with ASMBULK, MATOP4): job.asm, job.pch and job.op4, or DMIG in the .pch.

    Its modal coordinates (SPOINTs) become freedoms that move no node; see `FEModel.modal`.
    """
    path = required(path, "the superelement")
    punch = sibling(path, ".pch", "the EXTRN entry")
    beside = next((path.with_suffix(word) for word in (".op4", ".OP4") if is_file(path.with_suffix(word))), None)
    if beside is None:
        if not _dmig(punch):
            raise ModelError(f"{path.name}: neither {path.stem}.op4 beside it nor DMIG entries in {punch.name}", field="path")
        return read_dmig(punch, mesh=path, units=units, check=check, name=name or path.stem)
    K, M = _op4_pair(permitted(beside), None, None)
    if not _has(punch, "EXTRN"):
        raise ModelError(
            f"{punch.name}: no EXTRN entry, so the order of the matrix rows is not known; write ASMBULK, EXTBULK", field="path"
        )
    pairs = np.asarray(_pyyeti("reading a superelement").bulk.rdextrn(str(punch)), dtype=np.int64)
    labels, places, turns = _grids(path)
    model = with_modal_coordinates(M, K, places, labels, pairs, name or path.stem, path.name)
    return _finished(_in_basic_axes(model, turns), units, check)


def _has(path: Path, card: str) -> bool:
    """Does a bulk data file hold such an entry? (pyyeti expects that it does.)"""
    with path.open(encoding="utf-8", errors="replace") as stream:
        return any(line.upper().startswith(card) for line in stream)


def _dmig(path: Path) -> dict[str, Any]:
    """All DMIG matrices of a file as tables."""
    bulk = _pyyeti(f"reading {path.name}").bulk
    return dict(bulk.rddmig(str(path), square=True)) if _has(path, "DMIG") else {}


def _pyyeti(purpose: str) -> Any:
    try:
        with np.printoptions():  # pyyeti changes how NumPy prints; put it back
            from pyyeti import nastran
    except ImportError:
        raise MissingExtraError("nastran", purpose) from None
    return nastran


def _op4_pair(path: Path, stiffness: str | None, mass: str | None) -> tuple[Any, Any]:
    op4 = _pyyeti(f"reading {path.name}").op4
    try:
        found = op4.load(str(path), sparse=True, justmatrix=True)
    except Exception as trouble:
        raise ModelError(f"{path.name}: pyyeti cannot read this OP4 file: {trouble}", field="path") from trouble
    return found[_choice(path, found, stiffness, STIFFNESS, "stiffness")], found[_choice(path, found, mass, MASS, "mass")]


def _choice(path: Path, found: Any, asked: str | None, usual: tuple[str, ...], what: str) -> str:
    """The name of a matrix in a file: the one asked for, or the usual one."""
    names = {str(key).lower(): str(key) for key in found}
    for word in (asked.lower(),) if asked else usual:
        if word in names:
            return names[word]
    raise ModelError(
        f"{path.name}: no {what} matrix {asked or ' or '.join(usual[:2])}; it has {', '.join(names) or 'none'}; give {what}=",
        field=what,
    )


def _grids(path: Path) -> tuple[np.ndarray, np.ndarray, dict[int, np.ndarray]]:
    """Labels and places (basic axes) of the GRIDs in ascending order, and axes of those that have their own."""
    nastran = _pyyeti("reading GRIDs")
    if not (_has(path, "GRID") or _has(path, "INCLUDE")):
        raise ModelError(f"{path.name}: no GRID entries; give mesh= with the bulk data that has them", field="mesh")
    if restricted() and _has(path, "INCLUDE"):
        raise ModelError(f"{path.name}: INCLUDE is not followed here; write one file, or allow files outside", field="mesh")
    grids = nastran.bulk.rdgrids(str(path))
    if not grids[:, [1, 5]].any():  # all in basic axes: no need for coordinate systems
        order = np.argsort(grids[:, 0])
        return grids[order, 0].astype(np.int64), grids[order, 2:5], {}
    uset, systems = nastran.bulk.bulk2uset(str(path))
    points = uset.index.get_level_values("dof").to_numpy() > 0
    table = uset[["x", "y", "z"]].to_numpy()[points].reshape(-1, 6, 3)
    labels = uset.index.get_level_values("id").to_numpy()[points][::6]
    turns = {}
    for label, block in zip(labels.tolist(), table, strict=True):
        if int(block[1, 0]) != 0:
            if int(block[1, 1]) != 1:
                raise ModelError(
                    f"{path.name}: GRID {label} moves in the cylindrical or spherical axes {int(block[1, 0])}; use"
                    " rectangular ones",
                    field="mesh",
                )
            turns[label] = np.array(systems[int(block[1, 0])][2:])
    order = np.argsort(labels)
    return labels[order].astype(np.int64), table[order, 0], turns


def _in_basic_axes(model: FEModel, turns: dict[int, np.ndarray]) -> FEModel:
    """Freedoms of GRIDs with axes of their own (field CD) in basic axes: u_own = Aᵀ u_basic for shifts and rotations."""
    if not turns:
        return model
    from dataclasses import replace

    from scipy.sparse import eye_array

    B = eye_array(model.size, format="lil")
    for label, axes in turns.items():
        rows = model.freedoms_of(model.node(label))
        for triple in (rows[:3], rows[3:]):
            if (triple < 0).all():
                continue
            if (triple < 0).any():
                raise ModelError(
                    f"{model.name!r}: GRID {label} has axes of its own, but not all three of its freedoms are in the matrices",
                    field="mesh",
                )
            for i in range(3):
                for j in range(3):
                    B[triple[i], triple[j]] = axes[j, i]
    turn = B.tocsr()
    return replace(model, mass=(turn.T @ model.mass @ turn).tocsr(), stiffness=(turn.T @ model.stiffness @ turn).tocsr())


def _finished(model: FEModel, units: str, check: bool) -> FEModel:
    if units != "m-kg-s":
        model = model.scaled(units)
    if check:
        model.check()
    return model
