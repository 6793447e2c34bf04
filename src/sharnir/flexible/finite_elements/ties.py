"""Ties of many nodes to one interface node: rigid (Nastran's RBE2) and averaged (RBE3), by exact elimination Tᵀ M T, Tᵀ K T."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharnir.arguments import advising, bool_of, integer, numbers, vector
from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import COMPONENTS, FEModel
from sharnir.flexible.finite_elements.rigid_inertia import tilde


@advising
@dataclass(frozen=True, eq=False)
class RigidTie:
    """All `nodes` move with the interface node as one rigid piece (RBE2); their own freedoms are eliminated.

    nodes : labels, or the name of a node set of the model.
    at, label : position and label of a new interface node; default: the mean of the tied nodes, the largest label plus 1.
    node : instead of these, the label of an existing node. The interface node has six freedoms afterwards.
    rotations : False leaves the tied nodes' own rotations free.

    >>> from sharnir.flexible import Section, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> beam.with_ties(RigidTie([3, 4], at=(1, 0, 0.1), label=100)).size  # 5 nodes less 2, plus 1
    24
    """

    nodes: str | Sequence[int] | np.ndarray
    at: Sequence[float] | np.ndarray | None = None
    node: int | None = None
    label: int | None = None
    rotations: bool = True


@advising
@dataclass(frozen=True, eq=False)
class AveragedTie:
    """The interface node moves as the weighted mean of `nodes` (RBE3): a force on it spreads over them without adding stiffness.

    nodes, at, label, node : as in `RigidTie`.   weights : one per node; default: 1.
    rotations : True if the rotations of the tied nodes count too, as needed where they lie on a line.

    Six shifts of tied nodes are expressed by the interface node, so that it stays free.

    >>> from sharnir.flexible import Material, solid
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> tet = solid((corners, {"tetra": [[0, 1, 2, 3]]}), Material(1e9, 0.3, 6000))
    >>> tet.with_ties(AveragedTie([0, 1, 2], label=9)).size
    12
    """

    nodes: str | Sequence[int] | np.ndarray
    at: Sequence[float] | np.ndarray | None = None
    node: int | None = None
    label: int | None = None
    weights: Sequence[float] | np.ndarray | None = None
    rotations: bool = False


def with_ties(model: FEModel, ties: Iterable[RigidTie | AveragedTie]) -> FEModel:
    """The model with its ties, one after the other."""
    for tie in ties:
        if not isinstance(tie, (RigidTie, AveragedTie)):
            raise ModelError(f"{model.name!r}: {tie!r} is not a tie; give RigidTie(…) or AveragedTie(…)", field="ties")
        tied = tied_rows(model, tie)
        grown, interface = with_interface(model, tie, tied)
        chosen, expression = (
            rigid_rows(grown, tie, tied, interface) if isinstance(tie, RigidTie) else averaged_rows(grown, tie, tied, interface)
        )
        model = eliminated(grown, chosen, expression)
    return model


def tied_rows(model: FEModel, tie: RigidTie | AveragedTie) -> np.ndarray:
    """Rows of the tied nodes; every one has its three shifts as freedoms."""
    rows = model.rows_of(tie.nodes)
    if len(rows) == 0:
        raise ModelError(f"{model.name!r}: a tie has no nodes; name at least one", field="nodes")
    if len(np.unique(rows)) < len(rows):
        raise ModelError(f"{model.name!r}: a tie names a node twice", field="nodes")
    shifts = np.zeros(len(model.nodes), dtype=np.int64)
    np.add.at(shifts, model.freedoms[model.freedoms[:, 1] < 3, 0], 1)
    bad = rows[shifts[rows] < 3]
    if len(bad):
        assert model.labels is not None
        raise ModelError(
            f"{model.name!r}: node {model.labels[bad[0]]} has {shifts[bad[0]]} free translations; it is fixed to ground or"
            " already tied to another node. A node can be tied once, and only if it is free",
            field="nodes",
        )
    return rows


def with_interface(model: FEModel, tie: RigidTie | AveragedTie, tied: np.ndarray) -> tuple[FEModel, int]:
    """The model with an interface node of six freedoms (new ones without mass and stiffness), and its row."""
    assert model.labels is not None
    nodes, labels, motion = model.nodes, model.labels, model.node_motion()
    if tie.node is not None:
        integer(tie.node, repr(model.name), "node")
        if tie.at is not None or tie.label is not None:
            raise ModelError(f"{model.name!r}: a tie to the existing node {tie.node} must not have `at` or `label`", field="node")
        interface = model.node(tie.node)
        if interface in tied:
            raise ModelError(f"{model.name!r}: the interface node {tie.node} is among the nodes tied to it", field="nodes")
    else:
        interface = len(nodes)
        label = int(labels.max()) + 1 if tie.label is None else integer(tie.label, repr(model.name), "label", most=2**62)
        if label in labels:
            raise ModelError(
                f"{model.name!r}: the new interface node cannot have the label {label}, which another node has; to tie"
                f" to that node, give node={label}",
                field="label",
            )
        place = nodes[tied].mean(axis=0) if tie.at is None else np.array(vector(tie.at, 3, repr(model.name), "at"))
        nodes, labels = np.vstack([nodes, place]), np.append(labels, label)
        motion = _grown(motion, 6, 0)
    own = np.flatnonzero(model.freedoms[:, 0] == interface)
    missing = np.setdiff1d(np.arange(6), model.freedoms[own, 1])
    if tie.node is not None and len(missing) and missing[0] < 3:
        raise ModelError(
            f"{model.name!r}: the interface node {tie.node} is fixed to ground or tied along"
            f" {COMPONENTS[missing[0]]}; it must be free",
            field="node",
        )
    first, count = model.size, len(missing)
    motion = _grown(motion, 0, count) + _entries(
        6 * interface + missing, first + np.arange(count), (6 * len(nodes), first + count)
    )
    freedoms = np.vstack([model.freedoms, np.stack([np.full(count, interface), missing], axis=1)])
    mass, stiffness = _grown(model.mass, count, count), _grown(model.stiffness, count, count)
    grown = replace(model, nodes=nodes, labels=labels, freedoms=freedoms, mass=mass, stiffness=stiffness, motion=motion.tocsr())
    return grown, interface


def rigid_rows(model: FEModel, tie: RigidTie, tied: np.ndarray, interface: int) -> tuple[np.ndarray, Any]:
    """The freedoms that go, and each as a combination of all freedoms: u_k = u_I + θ_I × (ρ_k - ρ_I), θ_k = θ_I."""
    gone = np.isin(model.freedoms[:, 0], tied)
    if not bool_of(tie.rotations, repr(model.name), "rotations"):
        gone &= model.freedoms[:, 1] < 3
    chosen = np.flatnonzero(gone)
    motion = motion_about(model, chosen, model.nodes[interface])
    columns = model.freedoms_of(interface)
    rows = np.repeat(np.arange(len(chosen)), 6)
    return chosen, _entries(rows, np.tile(columns, len(chosen)), (len(chosen), model.size), motion.ravel())


def averaged_rows(model: FEModel, tie: AveragedTie, tied: np.ndarray, interface: int) -> tuple[np.ndarray, Any]:
    """Six shifts of tied nodes from q_I = G u, G = (Rᵀ W R)⁻¹ Rᵀ W; R: rigid motions of the tied nodes about the interface."""
    weights = np.ones(len(tied)) if tie.weights is None else numbers(tie.weights, repr(model.name), "weights")
    if weights.shape != tied.shape or not np.all(weights > 0):
        raise ModelError(f"{model.name!r}: an averaged tie of {len(tied)} nodes needs as many positive weights", field="weights")
    used = np.isin(model.freedoms[:, 0], tied) & (
        (model.freedoms[:, 1] < 3) | bool_of(tie.rotations, repr(model.name), "rotations")
    )
    rows = np.flatnonzero(used)
    motion = motion_about(model, rows, model.nodes[interface])
    # rotations are weighed by the square of the size of the pattern, so that both parts of the sum are lengths squared
    spread = model.nodes[tied] - np.average(model.nodes[tied], axis=0, weights=weights)
    size = float(np.sqrt(np.average(np.sum(spread**2, axis=1), weights=weights))) or 1.0
    scale = np.array([1.0, 1.0, 1.0, 1 / size, 1 / size, 1 / size])
    weight = np.zeros(len(model.nodes))
    weight[tied] = weights
    W = weight[model.freedoms[rows, 0]] * np.where(model.freedoms[rows, 1] < 3, 1.0, size**2)
    square = scale[:, None] * (motion.T @ (W[:, None] * motion)) * scale
    if np.linalg.cond(square) > 1e10:
        raise ModelError(
            f"{model.name!r}: {len(tied)} tied nodes do not determine the rotations of the interface node; use at"
            " least three that are not on one line, or rotations=True where the nodes have rotations",
            field="nodes",
        )
    G = scale[:, None] * np.linalg.solve(square, scale[:, None] * (motion.T * W))
    return _solved_for_six(model, G, rows, interface, scale)


def _solved_for_six(model: FEModel, G: np.ndarray, rows: np.ndarray, interface: int, scale: np.ndarray) -> tuple[np.ndarray, Any]:
    """u_m = G_m⁻¹ (q_I - G_s u_s) for the six columns m of G that pivoting picks."""
    from scipy.linalg import qr

    shifts = np.flatnonzero(model.freedoms[rows, 1] < 3)
    balanced = G / scale[:, None]
    candidates = shifts if len(shifts) >= 6 and np.linalg.matrix_rank(balanced[:, shifts]) == 6 else np.arange(len(rows))
    _, _, order = qr(balanced[:, candidates], mode="economic", pivoting=True)
    main = np.sort(candidates[order[:6]])
    rest = np.setdiff1d(np.arange(len(rows)), main)
    inverse = np.linalg.inv(G[:, main])
    values = np.hstack([inverse, -inverse @ G[:, rest]])
    columns = np.concatenate([model.freedoms_of(interface), rows[rest]])
    entries = _entries(np.repeat(np.arange(6), len(columns)), np.tile(columns, 6), (6, model.size), values.ravel())
    return rows[main], entries


def eliminated(model: FEModel, chosen: np.ndarray, expression: Any) -> FEModel:
    """The model without the chosen freedoms c, which follow from the kept ones k by u_c = E u_k: Tᵀ A T with T = [1; E].

    Written out, as E has few rows: A_kk + Eᵀ A_ck + A_kc E + Eᵀ A_cc E.
    """
    keep = np.ones(model.size, dtype=bool)
    keep[chosen] = False
    kept = np.flatnonzero(keep)
    E = expression.tocsc()[:, kept].tocsr()

    def congruent(A: Any) -> Any:
        rows = A[chosen].tocsc()
        cross = E.T @ rows[:, kept]
        return (A[kept].tocsc()[:, kept].tocsr() + cross + cross.T + E.T @ rows[:, chosen] @ E).tocsr()

    assert model.motion is not None
    columns = model.motion.tocsc()
    motion = (columns[:, kept] + columns[:, chosen] @ E).tocsr()
    return replace(
        model, freedoms=model.freedoms[kept], mass=congruent(model.mass), stiffness=congruent(model.stiffness), motion=motion
    )


def motion_about(model: FEModel, rows: np.ndarray, center: np.ndarray) -> np.ndarray:
    """(rows, 6) displacements of some freedoms for unit shifts and rotations about `center`."""
    R = model.rigid_motions()[rows]
    # rotation e_j about c: that about the origin, less the shift e_j × c of the whole
    R[:, 3:] -= R[:, :3] @ -tilde(center)
    found: np.ndarray = R
    return found


def _entries(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int], values: np.ndarray | None = None) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(rows)) if values is None else values, (rows, columns)), shape=shape)


def _grown(matrix: Any, rows: int, columns: int) -> Any:
    """The matrix with empty rows and columns at its end."""
    from scipy.sparse import csr_array

    shape = (matrix.shape[0] + rows, matrix.shape[1] + columns)
    indptr = np.append(matrix.indptr, np.full(rows, matrix.indptr[-1], dtype=matrix.indptr.dtype))
    return csr_array((matrix.data, matrix.indices, indptr), shape=shape)
