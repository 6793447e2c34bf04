"""How the multipliers of a system are found: which solver, and the memory that it needs."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.memory_builder import Assembly
from sharnir.dynamics.methods.all_methods import DENSE_LIMIT, FEW_EQUATIONS
from sharnir.dynamics.sparse import plan_layout as S
from sharnir.errors import ModelError

ALL_SOLVERS = {
    "dense": "Cholesky with pivoting of C M⁻¹ Cᵀ: finds redundant equations, least-norm multipliers; for few loops",
    "sparse": "block-sparse Cholesky of C M⁻¹ Cᵀ, regularized where equations are redundant; for many",
    "null-space": "independent speeds by partitioning, computed again when a pivot becomes small; an independent way, O(n³)",
}
CODES = {"dense": L.DENSE, "sparse": L.SPARSE, "null-space": L.NULL_SPACE}


BY_NULL_SPACE = ("articulated", "composite", "direct")  # methods that leave the mass matrix to the null-space solver


def check_solver(method: str, solver: str, why: str = "") -> None:
    """The null-space solver solves NᵀM N by itself: methods of other unknowns, or with a memory, have no part in it."""
    if solver == "null-space" and method not in BY_NULL_SPACE:
        raise ModelError(
            f"method = {method!r}: solver 'null-space'{why} forms the mass matrix and solves for independent speeds by itself; "
            f"use method='auto' or one of {', '.join(BY_NULL_SPACE)}",
            field="method",
        )


def allocate_solver(assembly: Assembly, solver: str) -> None:
    """Append the solver's sections to the blocks and note which it is."""
    from sharnir.dynamics.multipliers.multiplier_solvers import addresses

    blocks, elements, n = assembly.blocks, assembly.elements, assembly.coordinates.n_v
    m = sum(e.count for e in elements)
    if solver == "auto":
        solver = "dense" if m <= FEW_EQUATIONS else "sparse"
    if m == 0:
        solver = "dense"
    size = {"dense": 3 * m * m, "sparse": 0, "null-space": 5 * m * m + 2 * m * n + 2 * n * n}[solver]
    if 8.0 * size > DENSE_LIMIT:
        raise ModelError(f"solver '{solver}' needs {8e-9 * size:.1f} GB of matrices for {m} equations; use 'sparse'")
    blocks.header[L.SOLVER] = CODES[solver]
    blocks.header[L.F_SOLVE], blocks.header[L.F_BLOCKS] = addresses(
        CODES[solver], bool(blocks.header[L.LONE]), bool(assembly.coordinates.elastic)
    )
    blocks.append("work", L.W_MATRIX, np.zeros(3 * m * m + 6 * m + 2 if solver != "sparse" else 0))
    if solver == "null-space":
        count = 21 * assembly.count + 2 * n * n + 2 * m * n + m * m + 4 * n + m + 2
        blocks.append("work", L.W_SOLVER, np.zeros(count))
    if solver == "sparse":
        _allocate_sparse(assembly)


def smallest_pivot_of(table: np.ndarray, work: np.ndarray) -> float:
    """The smallest pivot that the dense solver kept in the last evaluation."""
    m = int(table[L.N_ROW])
    return float(work[int(table[L.W_MATRIX]) + 3 * m * m + 5 * m + 1])


def _middles(assembly: Assembly) -> np.ndarray:
    """Where every constraint element is in the drawing: in the middle of the mass centres of its bodies."""
    place = assembly.placement
    centres = place.user_position + np.einsum("nij,nj->ni", place.user_rotation, place.com)
    out = np.zeros((len(assembly.elements), 3))
    for e in assembly.elements:
        bodies = [i for i in e.targets if i >= 0]
        out[e.number] = centres[bodies].mean(axis=0) if bodies else 0.0
    return out


def _allocate_sparse(assembly: Assembly) -> None:
    """The plan of the elimination: analysed once per topology, filled with numbers at every evaluation."""
    from sharnir.dynamics.sparse.elimination_plan import plan_elimination

    blocks = assembly.blocks
    alive = [e.number for e in assembly.elements if e.count]
    place = np.full(len(assembly.elements), -1)
    place[alive] = np.arange(len(alive))
    pairs = assembly.pairs
    sizes = [assembly.elements[k].count for k in alive]
    plan = plan_elimination(sizes, np.stack([place[pairs[:, 0]], place[pairs[:, 1]]], axis=1), _middles(assembly)[alive])
    blocks.append("table", L.T_SOLVER, plan.table)
    blocks.append("table", L.T_PLACE, plan.places)
    blocks.append("work", None, np.zeros(-blocks.size("work") % 8))  # the solver's vectors begin with a cache line
    blocks.append("work", L.W_SOLVER, np.zeros(plan.work_size))
    if plan.table[S.N_TASK] > 1:
        _divide_elements(assembly)


def _divide_elements(assembly: Assembly) -> None:
    """Parts of the elements for two threads, where bodies fly by themselves and no element calls a function of users."""
    from sharnir.dynamics.multipliers.threaded_elements import BLOCKS, EQUATIONS, KINDS

    header = assembly.blocks.header
    if header[L.LONE] and not header[L.N_CUT_FORCE] and all(e.kind in KINDS for e in assembly.elements):
        header[L.IN_PARTS] = 1
        header[[L.F_EQUATIONS, L.F_PART_BLOCKS]] = EQUATIONS.address, BLOCKS.address


def box_of(table: np.ndarray) -> int:
    """Where in the work a run notes the box of its second thread (kernel/threads.py); -1 if the system is not worth one."""
    plan = table[table[L.T_SOLVER] :]
    return int(table[L.W_SOLVER] + plan[S.W_BOX]) if table[L.SOLVER] == L.SPARSE and plan[S.N_TASK] > 1 else -1
