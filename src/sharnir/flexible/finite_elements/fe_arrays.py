"""The arrays of an FEModel brought to their form, with checks that cost little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import whole_numbers
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel


def checked_arrays(model: FEModel) -> dict[str, Any]:
    """Fields of the model as float/int arrays and CSR matrices; an error for wrong sizes, numbers or repeated freedoms."""
    who = f"FE model {model.name!r}"
    nodes = np.ascontiguousarray(model.nodes, dtype=float)
    if nodes.ndim != 2 or nodes.shape[1] != 3:
        raise ModelError(f"{who}: nodes has the shape {nodes.shape}; it must be (n, 3), one row x y z per node", field="nodes")
    if not np.all(np.isfinite(nodes)):
        raise ModelError(f"{who}: node row {int(np.argmin(np.isfinite(nodes).all(axis=1)))} is not finite", field="nodes")
    freedoms = checked_freedoms(who, model.freedoms, len(nodes))
    size = len(freedoms)
    motion = model.motion
    if motion is not None:
        motion = checked_matrix(who, "motion", motion, (6 * len(nodes), size))
    return {
        "nodes": nodes,
        "freedoms": freedoms,
        "mass": checked_matrix(who, "mass", model.mass, (size, size)),
        "stiffness": checked_matrix(who, "stiffness", model.stiffness, (size, size)),
        "labels": checked_labels(who, model.labels, len(nodes)),
        "lines": checked_indices(who, "lines", model.lines, 2, len(nodes)),
        "faces": checked_indices(who, "faces", model.faces, 3, len(nodes)),
        "motion": motion,
        "modal": checked_indices(who, "modal coordinates", model.modal, 1, len(nodes)).ravel(),
        "sets": {
            str(key): checked_indices(who, f"nodes of set {key!r}", rows, 1, len(nodes)).ravel()
            for key, rows in model.sets.items()
        },
    }


def checked_freedoms(who: str, freedoms: Any, count: int) -> np.ndarray:
    """(N, 2) node and component of every matrix row, each pair once."""
    array = np.ascontiguousarray(freedoms, dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ModelError(
            f"{who}: freedoms has the shape {array.shape}; it must be (N, 2): node row, component 0 … 5", field="freedoms"
        )
    bad = (array[:, 0] < 0) | (array[:, 0] >= count) | (array[:, 1] < 0) | (array[:, 1] > 5)
    if bad.any():
        row = int(np.argmax(bad))
        node, component = array[row]
        raise ModelError(
            f"{who}: freedom {row} is (node {node}, component {component}); nodes are 0 … {count - 1}, components 0 … 5",
            field="freedoms",
        )
    code = 6 * array[:, 0] + array[:, 1]
    order = np.argsort(code, kind="stable")
    same = np.flatnonzero(np.diff(code[order]) == 0)
    if len(same):
        first, second = order[same[0]], order[same[0] + 1]
        node, component = array[first]
        raise ModelError(
            f"{who}: rows {first} and {second} are the same freedom (node {node}, component {component}); each must appear once",
            field="freedoms",
        )
    return array


def checked_matrix(who: str, what: str, matrix: Any, shape: tuple[int, int]) -> Any:
    """A CSR matrix of the right shape with finite numbers and summed duplicates."""
    from scipy.sparse import csr_array, issparse

    array = csr_array(matrix, dtype=float) if issparse(matrix) else csr_array(np.atleast_2d(np.asarray(matrix, dtype=float)))
    if array.shape != shape:
        raise ModelError(
            f"{who}: the {what} matrix is {array.shape[0]} × {array.shape[1]}, but it must be {shape[0]} × {shape[1]}", field=what
        )
    if not np.all(np.isfinite(array.data)):
        row = int(np.searchsorted(array.indptr, np.argmin(np.isfinite(array.data)), side="right")) - 1
        raise ModelError(f"{who}: row {row} of the {what} matrix holds numbers that are not finite", field=what)
    array.sum_duplicates()
    return array


def checked_labels(who: str, labels: Any, count: int) -> np.ndarray:
    """(n,) whole numbers, each once; 0 … n-1 where none are given."""
    if labels is None:
        return np.arange(count)
    array = np.ascontiguousarray(whole_numbers(labels, who, "labels"))
    if array.shape != (count,):
        raise ModelError(f"{who}: {array.size} labels for {count} nodes", field="labels")
    values, counts = np.unique(array, return_counts=True)
    if len(values) < count:
        raise ModelError(
            f"{who}: the label {values[np.argmax(counts)]} is used by {counts.max()} nodes; labels must differ", field="labels"
        )
    return array


def checked_indices(who: str, what: str, indices: Any, width: int, count: int) -> np.ndarray:
    """(k, width) rows of the node table, for pictures."""
    array = whole_numbers(indices, who, what)
    if array.size % width:
        raise ModelError(f"{who}: {what} has {array.size} entries; every row has {width}", field=what)
    array = array.reshape(-1, width)
    if array.size and (array.min() < 0 or array.max() >= count):
        raise ModelError(f"{who}: {what} name the node row {array.max()}, but there are {count} nodes", field=what)
    return array
