"""Flexible bodies that leave the theory of small displacements during a run: reported once at its end, from the recorded rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sharnir.dynamics.small_motions.small_displacements import REMEDY, SHIFT, TURN
from sharnir.results import Result
from sharnir.results.flexible_shapes import FlexibleShapes

NODES = 300  # of a large body that are looked at, besides its interfaces
ROWS = 512  # of the result that are looked at in one go


class Peak(NamedTuple):
    """The largest value of a field of vectors over time and nodes, when and where."""

    value: float
    t: float
    row: int


def large_deformations(result: Result) -> list[str]:
    """A sentence about every body that has bent or turned too far, by how much and when."""
    found = (large_deformation(body, result.t, result[f"{body.name}.w"]) for body in result.flexible.values())
    return [text for text in found if text]


def large_deformation(body: FlexibleShapes, t: np.ndarray, w: np.ndarray) -> str:
    """A sentence about a body that leaves small displacements at coordinates w (times, h); empty if it does not.

    >>> nodes, shapes = np.array([[0.0, 0, 0], [1, 0, 0]]), np.zeros((2, 3, 1))
    >>> shapes[1, 2] = 1.0
    >>> bar = FlexibleShapes("bar", nodes, np.array([1, 2]), shapes, None, {}, np.zeros((0, 6, 1)))
    >>> large_deformation(bar, np.array([0.0, 0.5]), np.array([[0.0], [0.05]]))
    ''
    >>> large_deformation(bar, np.array([0.0, 0.5]), np.array([[0.0], [0.3]])).split(" relative")[0]
    "FlexibleBody 'bar' leaves the range of small displacements: node 2 moves by 0.3 m (30 % of its size) at t = 0.5 s"
    """
    size = float(np.linalg.norm(np.ptp(body.nodes, axis=0))) if len(body.nodes) else 0.0
    rows = np.unique(np.r_[list(body.interfaces.values()), np.linspace(0, len(body.nodes) - 1, NODES)].astype(int))
    shift = _peak(body.shapes[rows], rows, t, w, SHIFT * size)
    turn = _peak(body.interface_shapes[:, 3:], np.array(list(body.interfaces.values()), int), t, w, TURN)
    if body.rotations is not None:
        turn = max(turn, _peak(body.rotations[rows], rows, t, w, TURN))
    parts = []
    if size > 0.0 and shift.value > SHIFT * size:
        told = f"moves by {shift.value:.3g} m ({100 * shift.value / size:.0f} % of its size)"
        parts.append(f"node {body.labels[shift.row]} {told} at t = {shift.t:.6g} s")
    if turn.value > TURN:
        parts.append(f"node {body.labels[turn.row]} turns by {turn.value:.3g} rad at t = {turn.t:.6g} s")
    if not parts:
        return ""
    return (
        f"FlexibleBody {body.name!r} leaves the range of small displacements: {' and '.join(parts)} relative to the "
        f"body's frame; its elastic coordinates are valid below {100 * SHIFT:.0f} % and {TURN:g} rad. {REMEDY}"
    )


def _peak(shapes: np.ndarray, rows: np.ndarray, t: np.ndarray, w: np.ndarray, limit: float) -> Peak:
    """Largest length of Σ shape_i w_i, shapes (nodes, 3, h); zero where a bound already says that the limit is kept."""
    best = Peak(0.0, 0.0, 0)
    if not shapes.size or not len(w):
        return best
    known = np.isfinite(w).all(axis=1)
    bound = np.linalg.norm(shapes, axis=1).max(axis=0) @ np.abs(w[known]).max(axis=0, initial=0.0)
    if not bound > limit:
        return best
    for first in range(0, len(w), ROWS):
        field = np.linalg.norm(np.einsum("kci,ti->tkc", shapes, np.where(known[:, None], w, 0.0)[first : first + ROWS]), axis=2)
        at, node = np.unravel_index(int(np.argmax(field)), field.shape)
        best = max(best, Peak(float(field[at, node]), float(t[first + at]), int(rows[node])))
    return best
