"""Where the matrices of Newton's method stand in a run's memory; the kernels are in simplified_newton.py."""

from __future__ import annotations

from sharnir.errors import ModelError
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.problem import Problem

SCRATCH_VECTORS = 5  # state-sized vectors that the kernels of simplified_newton.py need


def newton_sizes(problem: Problem, integrator: str, complex_too: bool = False) -> tuple[dict[int, int], int]:
    """Entries of run_memory.sizes for an implicit integrator, and the number of floats (Layout.workspace) that they divide.

    K = ∂ẇ/∂q T (n_w × n_v) at M_TANGENT and Jw = ∂ẇ/∂w (n_w × n_w) at M_JACOBIAN with w = (v, z); their LU factors at M_FACTORS,
    M_PIVOTS; the complex ones, if asked for, at M_REAL, M_IMAGINARY, M_COMPLEX_PIVOTS; scratch vectors at M_SCRATCH.

    >>> sizes, workspace = newton_sizes(Problem(0, 6, n_q=2, n_v=2), "radau5", True)
    >>> sizes[run_memory.N_W], sizes[run_memory.COLUMN], workspace
    (4, 8, 200)
    """
    if problem.lanes > 1:
        raise ModelError(
            f"integrator {integrator!r} solves equations in every step and handles one problem at a time, not lanes = "
            f"{problem.lanes}; run them one by one, or use an explicit integrator",
            field="integrator",
        )
    n_w = problem.n - problem.n_q
    column = run_memory.padded(n_w)
    square = n_w * column
    parts = {
        run_memory.M_TANGENT: problem.n_v * column,
        run_memory.M_JACOBIAN: square,
        run_memory.M_FACTORS: square,
        run_memory.M_PIVOTS: column,
        run_memory.M_REAL: square if complex_too else 0,
        run_memory.M_IMAGINARY: square if complex_too else 0,
        run_memory.M_COMPLEX_PIVOTS: column if complex_too else 0,
        run_memory.M_SCRATCH: SCRATCH_VECTORS * run_memory.padded(problem.row_size),
    }
    sizes, total = {run_memory.N_W: n_w, run_memory.COLUMN: column}, 0
    for place, floats in parts.items():
        sizes[place] = total
        total += floats
    return sizes, total
