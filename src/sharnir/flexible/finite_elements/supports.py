"""Changes of an FE model at its nodes: supports and point masses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import COMPONENTS, FEModel


def with_fixed(model: FEModel, nodes: Any, components: Sequence[str] = COMPONENTS) -> FEModel:
    """The model with components of nodes fixed to ground: their rows and columns go."""
    unknown = [word for word in components if word not in COMPONENTS]
    if unknown:
        raise ModelError(
            f"{model.name!r}: component {unknown[0]!r} is not known; use some of {', '.join(COMPONENTS)}", field="components"
        )
    rows = model.rows_of(nodes)
    numbers = [COMPONENTS.index(word) for word in components]
    keep = np.flatnonzero(~(np.isin(model.freedoms[:, 0], rows) & np.isin(model.freedoms[:, 1], numbers)))
    if len(keep) == 0:
        raise ModelError(f"{model.name!r}: everything would be fixed to ground", field="nodes")
    return _kept(model, keep)


def without_empty_freedoms(model: FEModel) -> FEModel:
    """The model without freedoms that have neither stiffness nor mass: rotations of solids, in exports of six rows per node.

    >>> import numpy as np
    >>> pair = np.array([[1.0, -1, 0], [-1, 1, 0], [0, 0, 0]])
    >>> without_empty_freedoms(FEModel([[0, 0, 0], [1, 0, 0]], [[0, 0], [1, 0], [1, 5]], np.diag([1.0, 1, 0]), pair)).size
    2
    """
    filled = np.zeros(model.size, bool)
    for matrix in (model.mass, model.stiffness):
        entries = matrix.tocoo()
        some = entries.data != 0.0
        filled[entries.coords[0][some]] = filled[entries.coords[1][some]] = True
    return model if filled.all() else _kept(model, np.flatnonzero(filled))


def _kept(model: FEModel, keep: np.ndarray) -> FEModel:
    return replace(
        model,
        freedoms=model.freedoms[keep],
        mass=model.mass[keep][:, keep],
        stiffness=model.stiffness[keep][:, keep],
        motion=None if model.motion is None else model.motion[:, keep],
    )


def with_point_mass(model: FEModel, node: int, mass: float, inertia: Any = None) -> FEModel:
    """The model with a point mass at a node (label), with an inertia tensor (3 numbers or 3×3) where the node has rotations."""
    from scipy.sparse import csr_array

    if not mass >= 0:
        raise ModelError(f"{model.name!r}: point mass {mass} at node {node} must not be negative", field="mass")
    rows = model.freedoms_of(model.node(node))
    block = np.zeros((6, 6))
    block[:3, :3] = mass * np.eye(3)
    if inertia is not None:
        tensor = np.asarray(inertia, dtype=float)
        block[3:, 3:] = np.diag(tensor) if tensor.shape == (3,) else tensor.reshape(3, 3)
        if (rows[3:] < 0).any():
            raise ModelError(
                f"{model.name!r}: node {node} has no rotations, so it cannot have a rotary inertia; tie it to an "
                "interface node first",
                field="inertia",
            )
    have = np.flatnonzero(rows >= 0)
    if len(have) == 0:
        raise ModelError(
            f"{model.name!r}: node {node} has no freedoms (fixed to ground or tied); put the mass on a free node", field="node"
        )
    i, j = np.meshgrid(rows[have], rows[have], indexing="ij")
    extra = csr_array((block[np.ix_(have, have)].ravel(), (i.ravel(), j.ravel())), shape=model.mass.shape)
    extra.eliminate_zeros()
    return replace(model, mass=model.mass + extra)
