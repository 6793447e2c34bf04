"""Small linear systems of expressions: elimination in the order of the rows, as for symmetric positive definite matrices."""

from __future__ import annotations

from collections.abc import Sequence

from sharnir.symbolic.nodes import ZERO, Node, minus, quotient, times


def solution(matrix: Sequence[Sequence[Node]], right: Sequence[Node]) -> list[Node]:
    """x with matrix · x = right; the leading minors of the matrix must not vanish.

    >>> from sharnir.symbolic.nodes import Name, Number
    >>> a = Name("a")
    >>> [str(x) for x in solution([[a, Number(0)], [Number(1), Number(2)]], [Number(1), Number(4)])]
    ['1/a', '(4 - 1/a)/2']
    """
    n = len(right)
    A, b = [list(row) for row in matrix], list(right)
    for k in range(n):
        for i in range(k + 1, n):
            if A[i][k] is not ZERO:
                factor = quotient(A[i][k], A[k][k])
                for j in range(k + 1, n):
                    A[i][j] = minus(A[i][j], times(factor, A[k][j]))
                b[i] = minus(b[i], times(factor, b[k]))
    x: list[Node] = [ZERO] * n
    for k in reversed(range(n)):
        rest = b[k]
        for j in range(k + 1, n):
            rest = minus(rest, times(A[k][j], x[j]))
        x[k] = quotient(rest, A[k][k])
    return x
