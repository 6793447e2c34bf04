"""FE models with modal coordinates: superelements that were reduced before they were written."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import MODAL_COMPONENT, FEModel
from sharnir.flexible.readers.matrix_reader import rows_of_labels
from sharnir.flexible.readers.symmetric import mirrored


def with_modal_coordinates(
    mass: Any, stiffness: Any, places: np.ndarray, labels: np.ndarray, pairs: np.ndarray, name: str, source: str
) -> FEModel:
    """An FE model whose rows are (label, 1 … 6) of nodes or (label, 0) of modal coordinates.

    A modal coordinate gets an entry of its own in the node table, at the middle of the others, and one freedom; it stands in
    `FEModel.modal`, so that it takes no part in rigid motions and in shifts of nodes.
    """
    K, M = mirrored(f"{name!r}, stiffness", stiffness), mirrored(f"{name!r}, mass", mass)
    if not (len(pairs) == K.shape[0] == M.shape[0]):
        raise ModelError(
            f"{name!r}: {len(pairs)} freedoms are listed, the stiffness matrix has {K.shape[0]} rows, the mass matrix"
            f" {M.shape[0]}",
            field="freedoms",
        )
    modal = pairs[:, 1] == 0
    used = np.isin(labels, pairs[~modal, 0])
    nodes, numbers = places[used], labels[used]
    if modal.any():
        nodes = np.vstack([nodes, np.repeat(nodes.mean(axis=0)[None, :], int(modal.sum()), axis=0)])
        numbers = np.append(numbers, pairs[modal, 0])
    rows = rows_of_labels(name, numbers, pairs[:, 0])
    component = np.where(modal, MODAL_COMPONENT, pairs[:, 1] - 1)
    return FEModel(nodes, np.stack([rows, component], axis=1), M, K, labels=numbers, name=name, source=source, modal=rows[modal])
