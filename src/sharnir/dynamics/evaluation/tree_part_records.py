"""A method beside the constraints of a model: its memory, and the addresses of its functions (tree_parts)."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.evaluation.tree_parts import TREE_PARTS, TreePart
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.memory_builder import Assembly
from sharnir.dynamics.methods.all_methods import DENSE_LIMIT, METHODS
from sharnir.dynamics.multipliers.multiplier_solvers import DIRECT_NULL_SPACE
from sharnir.errors import ModelError


def append_tree_part(assembly: Assembly, method: str) -> None:
    """Memory of a method beside the constraints of a model, and its functions; separate bodies need none of their own.

    In absolute coordinates Lagrange I is what the engine does anyway: M⁻¹ of every body, multipliers of all joints.
    """
    blocks, flexible = assembly.blocks, bool(assembly.coordinates.elastic)
    if method == "articulated" or blocks.header[L.LONE]:
        return
    METHODS[method].allocate(assembly)
    part = tree_part_of(method, flexible)
    if part is None or part.columns:
        size = sum(e.count for e in assembly.elements) * assembly.coordinates.n_v
        if 8.0 * size > DENSE_LIMIT:
            raise ModelError(
                f"method '{method}' needs {8e-9 * size:.1f} GB for the responses to all constraint equations; use 'articulated'"
            )
        blocks.append("work", L.W_COLUMNS, np.zeros(size))
    if part is not None:
        blocks.header[[L.F_TREE, L.F_FACTORS, L.F_RESPOND]] = (
            part.accelerations.address,
            part.factors.address,
            part.response.address,
        )
        blocks.header[L.F_BLOCKS] = part.blocks.address
    if method == "direct" and blocks.header[L.SOLVER] == L.NULL_SPACE and not flexible:
        blocks.header[L.F_SOLVE] = DIRECT_NULL_SPACE.address


def tree_part_of(method: str, flexible: bool) -> TreePart | None:
    """The functions of a method; None: they are in Python, and set when there is a system (extended_tree_part)."""
    if method == "extended":
        return None
    parts = TREE_PARTS
    if flexible:
        from sharnir.dynamics.evaluation.flexible_tree_parts import FLEXIBLE_TREE_PARTS as parts
    if method not in parts:
        raise ModelError(
            f"method = {method!r} is for open chains, but the model has loops or constraints, for which it was registered "
            "without functions; use 'articulated' or 'auto'",
            field="method",
        )
    return parts[method]
