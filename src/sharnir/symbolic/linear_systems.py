"""Small linear systems of expressions: elimination in a given order, as for symmetric positive definite matrices."""

from __future__ import annotations

from collections.abc import Sequence

from sharnir.symbolic.nodes import ONE, ZERO, Node, minus, plus, quotient, times


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


class Factors:
    """A symmetric matrix as Lᵀ D L, L with units in the diagonal: eliminated from the last row to the first.

    In mass matrices of trees, whose later speeds hang on earlier ones, this order leaves zeros zero.

    pivots : D.   shares : 1/D.

    >>> from sharnir.symbolic.nodes import Number
    >>> f = Factors([[Number(4), Number(2)], [Number(2), Number(2)]])
    >>> [str(x) for x in f.pivots], [str(x) for x in f.solve([Number(8), Number(6)])]
    (['2', '2'], ['1', '2'])
    """

    def __init__(self, matrix: Sequence[Sequence[Node]]) -> None:
        n = len(matrix)
        A = [list(row) for row in matrix]
        self.lower: list[list[tuple[int, Node]]] = [[] for _ in range(n)]  # of each row the entries that are not zero
        self.pivots: list[Node] = [ZERO] * n
        self.shares: list[Node] = [ZERO] * n
        for k in reversed(range(n)):
            self.pivots[k], self.shares[k] = A[k][k], quotient(ONE, A[k][k])
            before = [i for i in range(k) if A[k][i] is not ZERO]
            for i in before:
                factor = times(A[k][i], self.shares[k])
                self.lower[k].append((i, factor))
                for j in before:
                    if j <= i:
                        A[i][j] = minus(A[i][j], times(factor, A[k][j]))

    def inwards(self, right: Sequence[Node]) -> list[Node]:
        """L⁻ᵀ right, in the order of elimination."""
        x = list(right)
        for k in reversed(range(len(x))):
            if x[k] is not ZERO:
                for i, factor in self.lower[k]:
                    x[i] = minus(x[i], times(factor, x[k]))
        return x

    def shared(self, right: Sequence[Node]) -> list[Node]:
        """D⁻¹ right."""
        return [times(a, b) for a, b in zip(self.shares, right, strict=True)]

    def outwards(self, right: Sequence[Node]) -> list[Node]:
        """L⁻¹ right."""
        x = list(right)
        for k in range(len(x)):
            for i, factor in self.lower[k]:
                x[k] = minus(x[k], times(factor, x[i]))
        return x

    def inverse_diagonal(self) -> list[Node]:
        """Diagonal of the inverse matrix."""
        n, found = len(self.pivots), [ZERO] * len(self.pivots)
        for j in range(n):
            column = self.outwards([ONE if i == j else ZERO for i in range(n)])
            found = [plus(x, times(times(y, y), self.shares[j])) for x, y in zip(found, column, strict=True)]
        return found

    def solve(self, right: Sequence[Node]) -> list[Node]:
        """x with matrix · x = right."""
        return self.outwards(self.shared(self.inwards(right)))
