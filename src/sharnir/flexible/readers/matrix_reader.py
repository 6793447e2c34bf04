"""FE models from matrices and a node table: the plain way, and the last step of every reader."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.arguments import bool_of, mapping, sequence, text, whole_numbers, with_advice
from sharnir.arguments import numbers as numbers_of
from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import COMPONENTS, FEModel
from sharnir.flexible.readers.symmetric import mirrored

#: other names of components in FE programs
NAMES = {"ux": 0, "uy": 1, "uz": 2, "rotx": 3, "roty": 4, "rotz": 5} | {word: k for k, word in enumerate(COMPONENTS)}


@with_advice
def from_matrices(
    mass: Any,
    stiffness: Any,
    nodes: Any,
    *,
    freedoms: Any = None,
    labels: Any = None,
    lines: Any = (),
    faces: Any = (),
    sets: dict[str, Any] | None = None,
    modal: Any = (),
    units: str = "m-kg-s",
    check: bool = True,
    name: str = "FE model",
    source: str = "matrices",
) -> FEModel:
    """An FE model from mass and stiffness (SciPy sparse or NumPy; full, or one triangle) and the places of the nodes (n, 3).

    freedoms (N, 2) : node label and component (0 … 5, or "x" … "rz", "UX" … "ROTZ") of every row; default: all nodes have six,
        or three, in order.
    labels : numbers of the nodes; default: 0 … n-1.   lines, faces : node labels, for pictures.
    modal : labels of entries that are not points, as in `FEModel`.   sets : node labels by name.
    units : what the numbers are in, such as "mm-t-s".   check : False leaves out the check for symmetry and definiteness.

    >>> import numpy as np
    >>> K = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(3))
    >>> from_matrices(np.eye(6), K, [[0, 0, 0], [0, 0, 0]], labels=[1, 2]).node(2)
    1
    """
    who = f"from_matrices {text(name, 'from_matrices', 'name')!r}"
    text(source, who, "source")
    places = numbers_of(nodes, who, "nodes")
    places = places.reshape(-1, 3) if places.size % 3 == 0 else places
    numbers = np.arange(len(places)) if labels is None else np.atleast_1d(whole_numbers(labels, who, "labels"))
    if numbers.ndim > 1:
        raise ModelError(f"{who}: labels of shape {numbers.shape} must be a list of whole numbers", field="labels")
    given_sets = {} if sets is None else mapping(sets, who, "sets", "labels of nodes by name")
    K, M = mirrored(f"{name!r}, stiffness", stiffness), mirrored(f"{name!r}, mass", mass)
    if K.shape != M.shape:
        raise ModelError(
            f"{name!r}: the stiffness matrix has {K.shape[0]} rows, the mass matrix {M.shape[0]}; they must have the"
            " same freedoms",
            field="mass",
        )
    pairs = default_freedoms(name, K.shape[0], numbers) if freedoms is None else named_freedoms(name, freedoms)
    if len(pairs) != K.shape[0]:
        raise ModelError(f"{name!r}: {len(pairs)} freedoms are listed, but the matrices have {K.shape[0]} rows", field="freedoms")
    model = FEModel(
        places,
        np.stack([rows_of_labels(name, numbers, pairs[:, 0]), pairs[:, 1]], axis=1),
        M,
        K,
        labels=numbers,
        lines=label_table(name, numbers, lines, 2),
        faces=label_table(name, numbers, faces, 3),
        sets={
            key: rows_of_labels(name, numbers, np.atleast_1d(whole_numbers(value, who, "sets")))
            for key, value in given_sets.items()
        },
        name=name,
        source=source,
        modal=rows_of_labels(name, numbers, np.atleast_1d(whole_numbers(modal, who, "modal"))),
    )
    if not isinstance(units, str) or units != "m-kg-s":
        model = model.scaled(units)
    if bool_of(check, who, "check"):
        model.check()
    return model


def default_freedoms(name: str, size: int, labels: np.ndarray) -> np.ndarray:
    """Six or three components of all nodes in order."""
    count = len(labels)
    for width in (6, 3):
        if size == width * count:
            return np.stack([np.repeat(labels, width), np.tile(np.arange(width), count)], axis=1)
    raise ModelError(
        f"{name!r}: matrices with {size} rows do not fit {count} nodes with three ({3 * count}) or six ({6 * count})"
        " freedoms each;"
        " give freedoms=[(node label, component), …] for every row",
        field="freedoms",
    )


def named_freedoms(name: str, freedoms: Any) -> np.ndarray:
    """(N, 2) node label and component 0 … 5 from numbers or words."""
    listed = sequence(freedoms, repr(name), "freedoms", "(node label, component) for every row")
    pairs = np.empty((len(listed), 2), dtype=np.int64)
    for k, pair in enumerate(listed):
        label, component = (
            sequence(pair, repr(name), f"freedoms[{k}]", "(node label, component)") if np.size(pair) == 2 else (None, None)
        )
        if isinstance(component, str):
            if component.lower() not in NAMES:
                raise ModelError(
                    f"{name!r}: freedom {k} has the component {component!r}; use one of {', '.join(COMPONENTS)}",
                    field="freedoms",
                )
            component = NAMES[component.lower()]
        pairs[k] = whole_numbers([label, component], repr(name), f"freedoms[{k}]")
    return pairs


def rows_of_labels(name: str, labels: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Rows in the node table of labels; an error that counts those which are missing."""
    if len(labels) == 0:
        raise ModelError(f"{name!r}: there are no nodes", field="nodes")
    order = np.argsort(labels, kind="stable")
    rows = order[np.searchsorted(labels, asked, sorter=order).clip(max=len(labels) - 1)]
    missing = np.unique(asked[labels[rows] != asked])
    if len(missing):
        words = ", ".join(str(k) for k in missing[:5]) + (" …" if len(missing) > 5 else "")
        raise ModelError(
            f"{name!r}: {len(missing)} nodes of the matrices are not in the node table: {words}; give the mesh that"
            " the matrices were"
            " made from, with all its nodes",
            field="nodes",
        )
    found: np.ndarray = rows
    return found


def label_table(name: str, labels: np.ndarray, table: Any, width: int) -> np.ndarray:
    """Lines or faces given by labels, as rows of the node table."""
    flat = whole_numbers(table, repr(name), "lines" if width == 2 else "faces")
    if flat.size % width:
        raise ModelError(f"{name!r}: a table of {flat.size} labels has no rows of {width}", field="lines")
    flat = flat.reshape(-1, width)
    if not len(flat):
        return flat
    return rows_of_labels(name, labels, flat.ravel()).reshape(-1, width)
