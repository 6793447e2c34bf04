"""Plain normal modes of a free or held model as shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sharnir.flexible.linear_algebra.factorization import factorize
from sharnir.flexible.modes.craig_bampton import effective_masses, fixed_modes, interface_rows
from sharnir.flexible.modes.shape_matrix import Shapes, diagonal_shapes, free_of_ground, rigid_basis

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.fe_model import FEModel


def free_modes(
    model: FEModel,
    *,
    modes: int | None = None,
    frequency: float | None = None,
    solver: str | None = None,
    notice: Callable[[float], None] | None = None,
) -> Shapes:
    """The lowest elastic modes of a free body (of a model fixed to ground: its modes), orthonormal in mass.

    The stiffness of a free body is singular; K + s M with a small s is factorized instead, and rigid motions are taken out.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=8)
    >>> free_modes(beam, modes=4).frequencies.round(1)
    array([ 92. ,  92. , 253.3, 253.3])
    """
    told = notice or (lambda part: None)
    free = free_of_ground(model)
    shift = _shift(model) if free else 0.0
    K = (model.stiffness + shift * model.mass).tocsr() if free else model.stiffness
    factor = factorize(K, solver, model.freedoms[:, 0], model.nodes)
    told(0.4)
    more = rigid_basis(model).shape[1] if free else 0
    count = 10 + more if modes is None and frequency is None else None if modes is None else modes + more
    # eigenvalues are moved by the shift, and so is the limit; a little more, since the end is cut off below
    limit = None if frequency is None else np.sqrt((1.001 * frequency) ** 2 + shift / (2.0 * np.pi) ** 2)
    columns, _ = fixed_modes(lambda: K, model.mass, factor, count, limit)
    factor.free()
    shapes = diagonal_shapes(model, columns, free)
    told(1.0)
    # what is left of the rigid modes found by Lanczos is not a mode; it comes last
    inside = len(shapes.frequencies) if frequency is None else int((shapes.frequencies <= frequency).sum())
    return _first(shapes, min(inside, 10 if modes is None and frequency is None else inside if modes is None else modes))


def held_modes(
    model: FEModel,
    held_nodes: Sequence[int],
    *,
    modes: int | None = None,
    frequency: float | None = None,
    solver: str | None = None,
) -> Shapes:
    """Normal modes with some nodes held fast, such as those of a cantilever; the held nodes do not move in any shape.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=8)
    >>> held_modes(beam, [0], modes=2).frequencies.round(1)
    array([14.5, 14.5])
    """
    held = interface_rows(model, held_nodes)
    inner = np.setdiff1d(np.arange(model.size), held)
    K, M = model.stiffness[inner][:, inner], model.mass[inner][:, inner]
    factor = factorize(K, solver, model.freedoms[inner, 0], model.nodes)
    normal, found = fixed_modes(lambda: K, M, factor, modes, frequency)
    factor.free()
    columns = np.zeros((model.size, normal.shape[1]))
    columns[inner] = normal
    effective, total = effective_masses(model, inner, normal)
    shapes = diagonal_shapes(model, columns, False)
    return replace(shapes, fixed_frequencies=found, effective_masses=effective, effective_total=total)


def _shift(model: FEModel) -> float:
    """A square of circular frequency far below the first elastic one, far above rounding: from typical stiffness over mass."""
    has = model.mass.diagonal() > 0.0
    typical = np.median(model.stiffness.diagonal()[has] / model.mass.diagonal()[has])
    return float(1e-8 * typical)


def _first(shapes: Shapes, k: int) -> Shapes:
    """The first k shapes."""
    return replace(
        shapes,
        matrix=shapes.matrix[:, :k],
        stiffness=shapes.stiffness[:k, :k],
        mass=shapes.mass[:k, :k],
        frequencies=shapes.frequencies[:k],
    )
