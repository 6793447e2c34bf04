"""The potential of a force that is a function of one coordinate, by quadrature."""

import math

from sharnir.dynamics.memory import layout as L
from sharnir.kernel import call_scalar, jit

# Gauss–Lobatto, five points on [0, 1]: the ends are among them, so that no kink hides beside an end
X5 = (0.0, 0.5 - 0.5 * math.sqrt(3.0 / 7.0), 0.5, 0.5 + 0.5 * math.sqrt(3.0 / 7.0), 1.0)
W5 = (1.0 / 20.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 1.0 / 20.0)
ROUNDING, SHORTEST, MOST = 1e-12, 1e-10, 20_000  # relative error and relative length of a piece, and how many pieces
# what a record knows of the integral of its function, behind the function's address
INTEGRAL = 1  # address of the integral itself (tables), or 0
PERIOD = 2  # offset in params of the period and of what the function gains in it, or 0 (formulas)


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
def potential_of(tab, par, at, x, t):
    """∫₀ˣ f(ξ, 0, t) dξ: the potential of a force that is a function, whose record begins at `at`.

    With f(ξ + P) = f(ξ) + D and x = n P + r, it is n ∫₀ᴾ f + D P n (n - 1)/2 + ∫₀ʳ f + n D r: exact after any number of turns.
    """
    f = plain_function(tab, tab[at])
    if f < 0:
        return 0.0  # a function of signals has no potential
    if tab[at + INTEGRAL] != 0:
        return call_scalar(tab[at + INTEGRAL], x, 0.0, t)
    k = tab[at + PERIOD]
    if k == 0 or abs(x) <= par[k]:
        return integral_from_zero(f, x, t)
    P, D = par[k], par[k + 1]
    n = math.floor(x / P)
    r = x - n * P
    return n * (integral_from_zero(f, P, t) + 0.5 * D * P * (n - 1.0) + D * r) + integral_from_zero(f, r, t)


@jit
def integral_from_zero(f, x, t):
    """∫₀ˣ f(ξ, 0, t) dξ by pieces that get short where a formula has a kink; NaN if too many would be needed."""
    total, at, h, size = 0.0, 0.0, 0.125 * x, 0.0
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
    return math.nan
