"""The potential of a force that is a function of one coordinate, by quadrature."""

import math

from sharnir.dynamics.memory import layout as L
from sharnir.kernel import call_scalar, jit

# Gauss–Lobatto, five points on [0, 1]: the ends are among them, so that no kink hides beside an end
X5 = (0.0, 0.5 - 0.5 * math.sqrt(3.0 / 7.0), 0.5, 0.5 + 0.5 * math.sqrt(3.0 / 7.0), 1.0)
W5 = (1.0 / 20.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 1.0 / 20.0)
ROUNDING, SHORTEST, MOST = 1e-12, 1e-10, 500  # relative error and relative length of a piece, and how many pieces


@jit
def lobatto(f, x, h, t):
    """∫ f(ξ, 0, t) dξ and ∫ |f| |dξ| from x to x + h by five points."""
    total, size = 0.0, 0.0
    for j in range(5):
        y = W5[j] * call_scalar(f, x + h * X5[j], 0.0, t)
        total += y
        size += abs(y)
    return total * h, size * abs(h)


@jit
def plain_function(tab, f):
    """The function that a potential is the integral of: one that holds no sides; below zero if it depends on signals."""
    if f < 0:
        first = tab[L.T_PLAIN] + 1
        for k in range(tab[tab[L.T_PLAIN]]):
            if tab[first + 2 * k] == f:
                return tab[first + 2 * k + 1]
    return f


@jit
def potential_of(f, x, t):
    """∫₀ˣ f(ξ, 0, t) dξ: the potential of a force that is a function. Pieces get short where a table or formula has a kink."""
    total, at, h, size = 0.0, 0.0, x, 0.0
    if f < 0:
        return 0.0  # a function of signals has no potential
    for _ in range(MOST):
        last = abs(h) >= abs(x - at)
        if last:
            h = x - at
        whole, _ = lobatto(f, at, h, t)
        left, a = lobatto(f, at, 0.5 * h, t)
        right, b = lobatto(f, at + 0.5 * h, 0.5 * h, t)
        if left + right != left + right:
            return math.nan
        size = max(size, a + b)
        if abs(left + right - whole) <= ROUNDING * size or abs(h) <= SHORTEST * abs(x):
            total += left + right
            if last:
                return total
            at += h
            h = 2.0 * h
        else:
            h = 0.5 * h
    return total + lobatto(f, at, x - at, t)[0]
