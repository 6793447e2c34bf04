"""Shapes given by formulas of the place, or by numbers: Ritz's method, as in elastic links of robots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import sequence, shown
from sharnir.errors import FormulaError, ModelError

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel

NAMES = ("x", "y", "z")


def ritz_columns(model: FEModel, formulas: Sequence[Sequence[str]], parameters: Mapping[str, float] | None = None) -> np.ndarray:
    """(N, h) displacements of all freedoms for shapes Φ_d given as three formulas of x, y, z each; rotations are ½ rot Φ_d.

    A formula is the field in the whole body, not only on an axis: a beam along x that bends as f(x) towards y has
    Φ_d = (-y f'(x), f(x), 0), and then ½ rot Φ_d on the axis is (0, 0, f'(x)).

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (2, 0, 0), Section.round(0.01), elements=1)
    >>> ritz_columns(beam, [("-2*y*x", "x^2", "0")])[-6:, 0] + 0.0  # the end: y = 4, rotation about z = 4
    array([0., 4., 0., 0., 0., 4.])
    """
    from sharnir.model.formula import parse

    place = dict(zip(NAMES, model.nodes.T, strict=True))
    formulas = sequence(formulas, repr(model.name), "shapes", "triples of formulas, or an array")
    columns = np.empty((model.size, len(formulas)))
    for i, triple in enumerate(formulas):
        if len(sequence(triple, repr(model.name), "shapes", "three formulas (x, y, z)")) != 3:
            raise ModelError(f"{model.name!r}: shape {i} = {shown(triple)} must be three formulas (x, y, z)", field="shapes")
        try:
            parts = [parse(str(text), NAMES, parameters or {}) for text in triple]
        except FormulaError as error:
            message = f"{model.name!r}: shape {i}: {error.reason}"
            raise FormulaError(message, text=error.text, position=error.position, field="shapes") from None
        for name in sorted({*NAMES}.intersection(parameters or {})):
            if any(name in part.names for part in parts):
                message = f"{model.name!r}: shape {i}: {name} is a coordinate of a node and would hide the parameter {name!r}"
                raise ModelError(f"{message}; rename the parameter", field="shapes")
        # ½ rot Φ: component a is ½ (∂Φ_c/∂b - ∂Φ_b/∂c)
        for b, c in ((1, 2), (2, 0), (0, 1)):
            parts_of = (parts[c].derivative(NAMES[b]), parts[b].derivative(NAMES[c]))
            parts.append(_HalfDifference(*parts_of))  # type: ignore[arg-type]
        motion = np.stack([np.broadcast_to(part.evaluate(**place), len(model.nodes)) for part in parts], axis=1)
        columns[:, i] = motion[model.freedoms[:, 0], model.freedoms[:, 1]]
    if not np.isfinite(columns).all():
        i = int(np.argmin(np.isfinite(columns).all(axis=0)))
        raise ModelError(f"{model.name!r}: shape {i} = {tuple(formulas[i])} is not finite at some node", field="shapes")
    return columns


class _HalfDifference:
    """½ (a - b) of two formulas."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def evaluate(self, **place: Any) -> Any:
        return 0.5 * (self.a.evaluate(**place) - self.b.evaluate(**place))


def user_columns(model: FEModel, shapes: Any, parameters: Mapping[str, float] | None = None) -> np.ndarray:
    """(N, h) columns from what a user gives as shapes: formulas, an array (N, h), or motions of the nodes (n, 3, h) or (n, 6, h).

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (2, 0, 0), Section.round(0.01), elements=1)
    >>> user_columns(beam, np.ones((2, 6, 3))).shape
    (12, 3)
    """
    if not isinstance(shapes, np.ndarray):
        return ritz_columns(model, shapes, parameters)
    n, node, component = len(model.nodes), model.freedoms[:, 0], model.freedoms[:, 1]
    if shapes.ndim == 2 and len(shapes) == model.size:
        columns = np.array(shapes, dtype=float)
    elif shapes.ndim == 3 and len(shapes) == n and shapes.shape[1] in (3, 6):
        if shapes.shape[1] <= component.max(initial=0):
            raise ModelError(
                f"{model.name!r}: shapes {shapes.shape} give no rotations, but nodes have them; give (n, 6, h)", field="shapes"
            )
        columns = np.array(shapes[node, component], dtype=float)
    else:
        raise ModelError(
            f"{model.name!r}: shapes {shapes.shape} must be ({model.size}, h), ({n}, 3, h) or ({n}, 6, h), or formulas",
            field="shapes",
        )
    if not np.isfinite(columns).all():
        raise ModelError(f"{model.name!r}: shapes hold numbers that are not finite", field="shapes")
    return columns
