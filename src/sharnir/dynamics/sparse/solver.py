"""A x = b for kernels: A in blocks at the places of a plan, factorized and solved by C functions compiled once for all callers.

`t` is where the plan's table begins in `tab`, `at` where its work begins in `w`; b and x are memory of their own.
"""

from sharnir.dynamics.sparse import layout as S
from sharnir.dynamics.sparse.cholesky import factorize_matrix
from sharnir.dynamics.sparse.solution import factorize_and_solve_matrix, solve_matrix
from sharnir.kernel import PLAIN, Pointer, address_of, call_derivative, doubles, ints, jit
from sharnir.kernel.signatures import DERIVATIVE


def _factorize(_t, _b, _x, table, _p, work):
    tab = ints(table)
    factorize_matrix(tab, 0, doubles(work), 0, tab[S.REDUNDANT] == 1)


def _solve(_t, b, x, table, _p, work):
    solve_matrix(ints(table), 0, doubles(work), 0, doubles(b), doubles(x))


def _factorize_and_solve(_t, b, x, table, _p, work):
    factorize_and_solve_matrix(ints(table), 0, doubles(work), 0, doubles(b), doubles(x))


POINTERS = (Pointer(_factorize, DERIVATIVE), Pointer(_solve, DERIVATIVE), Pointer(_factorize_and_solve, DERIVATIVE))


def addresses() -> list[int]:
    """Of the C functions, for the table's header; zeros in plain Python, which calls them directly.

    >>> len(addresses())
    3
    """
    return [0 if PLAIN else pointer.address for pointer in POINTERS]


@jit
def clear_matrix(tab, t, w, at):
    """All blocks of A ← 0."""
    for k in range(tab[t + S.N_VALUE]):
        w[at + tab[t + S.W_VALUE] + k] = 0.0


if PLAIN:

    def _call(slot, tab, t, w, at, b, x):
        POINTERS[slot - S.F_FACTORIZE].function(0.0, address_of(b, 0), address_of(x, 0), tab[t:], 0, w[at:])
else:

    @jit
    def _call(slot, tab, t, w, at, b, x):  # type: ignore[misc]
        call_derivative(tab[t + slot], 0.0, address_of(b, 0), address_of(x, 0), address_of(tab, t), 0, address_of(w, at))


@jit
def factorize_sparse(tab, t, w, at):
    """Factor of A, whose blocks stand in their places (of diagonal blocks the lower triangle is read).

    A is scaled to unit diagonal, S A S, and taken as it is. If a pivot is small, that is if constraints are redundant, or the
    table says so (REDUNDANT), ε is added to the diagonal; `solve_sparse` corrects for that. Returns ε.
    """
    _call(S.F_FACTORIZE, tab, t, w, at, w, w)
    return w[at + tab[t + S.W_EPSILON]]


@jit
def solve_sparse(tab, t, w, at, b, x):
    """x ← solution of A x = b, equations in the caller's order; `factorize_sparse` must have run. x may be b.

    If A is singular, x is the least solution in the norm |S⁻¹x| with S = diag(A)^-1/2, and an inconsistent part of b is left
    out. Conjugate gradients with the factor of S A S + ε start from zero, so they stay in the range, and take a few steps.
    """
    _call(S.F_SOLVE, tab, t, w, at, b, x)


@jit
def factorize_and_solve(tab, t, w, at, b, x):
    """`factorize_sparse` and `solve_sparse` in one, which is faster for a large regular A. Returns ε."""
    _call(S.F_BOTH, tab, t, w, at, b, x)
    return w[at + tab[t + S.W_EPSILON]]
