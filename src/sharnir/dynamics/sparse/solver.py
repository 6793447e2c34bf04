"""A x = b for kernels: A in blocks at the places of a plan, factorized and solved by a C function compiled once for all callers.

`t` is where the plan's table begins in `tab`, `at` where its work begins in `w`; b and x are memory of their own.
"""

from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse.factor_solution import factorize_and_solve_matrix, factorize_matrix, solve_matrix
from sharnir.dynamics.sparse.threaded_cholesky import BACK, FACTORIZE
from sharnir.kernel import Pointer, address_of, call_derivative, doubles, ints, jit
from sharnir.kernel.signatures import DERIVATIVE


def _factorize_and_solve(_t, b, x, table, _p, work):
    factorize_and_solve_matrix(ints(table), 0, doubles(work), 0, doubles(b), doubles(x))


POINTER = Pointer(_factorize_and_solve, DERIVATIVE)


def solver_addresses() -> tuple[int, int, int]:
    """F_BOTH, F_FACTORIZE and F_BACK for the table's header."""
    return POINTER.address, FACTORIZE.address, BACK.address


@jit
def factorize_sparse(tab, t, w, at):
    """Factor of A, whose blocks stand in their places (of diagonal blocks the lower triangle is read).

    A is scaled to unit diagonal, S A S, and taken as it is. If a pivot is small, that is if constraints are redundant, or the
    table says so (REDUNDANT), ε is added to the diagonal; `solve_sparse` corrects for that. Returns ε.
    """
    factorize_matrix(tab, t, w, at, tab[t + S.REDUNDANT] == 1)
    return w[at + tab[t + S.W_EPSILON]]


@jit
def solve_sparse(tab, t, w, at, b, x):
    """x ← solution of A x = b, equations in the caller's order; `factorize_sparse` must have run. x may be b.

    If A is singular, x is the least solution in the norm |S⁻¹x| with S = diag(A)^-1/2, and an inconsistent part of b is left
    out. Conjugate gradients with the factor of S A S + ε start from zero, so they stay in the range, and take a few steps.
    """
    solve_matrix(tab, t, w, at, b, x)


@jit
def factorize_and_solve(tab, t, w, at, b, x):
    """`factorize_sparse` and `solve_sparse` in one, which is faster for a large regular A. Returns ε."""
    call_derivative(tab[t + S.F_BOTH], 0.0, address_of(b, 0), address_of(x, 0), address_of(tab, t), 0, address_of(w, at))
    return w[at + tab[t + S.W_EPSILON]]
