"""Limits of small displacements: how far the flexible bodies of an equilibrium are bent relative to their frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

SHIFT = 0.1  # displacement against the body's frame, in sizes of the body
TURN = 0.2  # rotation against the body's frame [rad]: θ and sin θ differ by less than 1 %
REMEDY = "Divide the body into parts with Fixed joints between them, or choose a frame_at nearer to its middle"


def bent_far(system: Equations, q: np.ndarray) -> str:
    """A sentence about the body that leaves small displacements most at a position q; empty if none does."""
    worst, told, count = 1.0, "", 0
    for name, (first, _, h) in system.assembly.coordinates.elastic.items():
        body: Any = system.model.bodies[name]
        reduced, w = body.reduced, q[first : first + h]
        size = float(np.linalg.norm(np.ptp(reduced.nodes, axis=0))) if len(reduced.nodes) else 0.0
        shift = float(np.linalg.norm(reduced.shapes @ w, axis=1).max(initial=0.0))
        turns = [interface.shape[3:] @ w for interface in reduced.interfaces.values()]
        if reduced.rotations is not None:
            turns.extend(reduced.rotations @ w)
        turn = float(np.linalg.norm(np.reshape(turns, (-1, 3)), axis=1).max(initial=0.0))
        measure = max(turn / TURN, shift / (SHIFT * size) if size > 0.0 else 0.0)
        count += measure > 1.0
        if measure > worst:
            worst, told = measure, f"FlexibleBody {name!r}: a node moves by {shift:.3g} m and one turns by {turn:.3g} rad"
            told += f" relative to the body's frame (size {size:.3g} m)"
    if not told:
        return ""
    more = f", and {count - 1} more" if count > 1 else ""
    return f"{told}{more}; elastic coordinates are valid below {100 * SHIFT:.0f} % and {TURN:g} rad. {REMEDY}"
