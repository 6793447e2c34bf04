"""Butcher tableaux as data, with the coefficients as published.

Stages are numbered 0 … s-1; stage s is the derivative at the new point, s+1 … are extra stages of the dense output. A line is
{stage: coefficient}; zeros are left out.

Sources: E. Hairer, S. P. Nørsett, G. Wanner, *Solving Ordinary Differential Equations I* (1993), II.1, II.5, and their programs
DOPRI5 and DOP853; E. Fehlberg, NASA TR R-315 (1969); W. H. Enright et al., ACM TOMS 12 (1986) 193 (bootstrapping).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

Line = Mapping[int, float]


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge–Kutta method.

    >>> DOPRI5.stages, DOPRI5.errors[0][6]
    (6, -0.025)
    """

    c: tuple[float, ...]  # nodes of stages 0 … s-1
    a: tuple[Line, ...]  # lines of stages 1 … s-1
    b: Line  # weights of the solution that is carried on
    errors: tuple[Line, ...] = ()  # weights of the error estimate(s)
    extra_c: tuple[float, ...] = ()  # nodes of stages s+1, …
    extra_a: tuple[Line, ...] = ()
    dense: tuple[Line, ...] = ()  # F3, F4, … of the interpolating polynomial divided by dt
    error_order: int = 1  # the error estimate is O(dt**error_order)
    beta: float = 0.0  # weight of the previous error in the step control
    factors: tuple[float, float] = (0.2, 10.0)  # smallest and largest change of the step

    @property
    def stages(self) -> int:
        return len(self.c)

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines in the order in which the kernel numbers them; line s gives the new state."""
        return ({}, *self.a, self.b, *self.extra_a, *self.errors, *self.dense)


def with_bootstrapped_dense_output(tableau: Tableau) -> Tableau:
    """Fourth-order dense output by one extra stage on the cubic Hermite polynomial.

    The quartic through y0, y1, f0, f1 gets F3 such that its slope at x agrees with f there; with the Lobatto node
    x = (5 - sqrt 5)/10 its leading error x²(1-x)²(x - 1/2) y⁽⁵⁾ is antisymmetric about the middle.
    """
    s, x = tableau.stages, (5.0 - 5.0**0.5) / 10.0
    # y(x) = y0 + x F0 + x(1-x) F1 + x²(1-x) F2, and its slope; F0 = y1 - y0, F1 = h f0 - F0, F2 = 2 F0 - h f0 - h f1
    value = {j: b * (3 * x**2 - 2 * x**3) for j, b in tableau.b.items()}
    value[0] = value.get(0, 0.0) + x - 2 * x**2 + x**3
    value[s] = x**3 - x**2
    slope = {j: b * (6 * x - 6 * x**2) for j, b in tableau.b.items()}
    slope[0] = slope.get(0, 0.0) + 1 - 4 * x + 3 * x**2
    slope[s] = 3 * x**2 - 2 * x
    bend = 2 * x * (1 - x) * (1 - 2 * x)
    quartic = {j: -w / bend for j, w in slope.items()} | {s + 1: 1.0 / bend}
    return replace(tableau, extra_c=(x,), extra_a=(value,), dense=(quartic,))


RK4 = with_bootstrapped_dense_output(
    Tableau(c=(0.0, 0.5, 0.5, 1.0), a=({0: 0.5}, {1: 0.5}, {2: 1.0}), b={0: 1 / 6, 1: 1 / 3, 2: 1 / 3, 3: 1 / 6})
)

# the 5th order solution is carried on (local extrapolation, as in the program RKF45 of Shampine and Watts)
RKF45 = with_bootstrapped_dense_output(
    Tableau(
        c=(0.0, 1 / 4, 3 / 8, 12 / 13, 1.0, 1 / 2),
        a=(
            {0: 1 / 4},
            {0: 3 / 32, 1: 9 / 32},
            {0: 1932 / 2197, 1: -7200 / 2197, 2: 7296 / 2197},
            {0: 439 / 216, 1: -8.0, 2: 3680 / 513, 3: -845 / 4104},
            {0: -8 / 27, 1: 2.0, 2: -3544 / 2565, 3: 1859 / 4104, 4: -11 / 40},
        ),
        b={0: 16 / 135, 2: 6656 / 12825, 3: 28561 / 56430, 4: -9 / 50, 5: 2 / 55},
        errors=({0: 1 / 360, 2: -128 / 4275, 3: -2197 / 75240, 4: 1 / 50, 5: 2 / 55},),
        error_order=5,
        beta=0.04,
    )
)

DOPRI5 = Tableau(
    c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0),
    a=(
        {0: 1 / 5},
        {0: 3 / 40, 1: 9 / 40},
        {0: 44 / 45, 1: -56 / 15, 2: 32 / 9},
        {0: 19372 / 6561, 1: -25360 / 2187, 2: 64448 / 6561, 3: -212 / 729},
        {0: 9017 / 3168, 1: -355 / 33, 2: 46732 / 5247, 3: 49 / 176, 4: -5103 / 18656},
    ),
    b={0: 35 / 384, 2: 500 / 1113, 3: 125 / 192, 4: -2187 / 6784, 5: 11 / 84},
    errors=({0: 71 / 57600, 2: -71 / 16695, 3: 71 / 1920, 4: -17253 / 339200, 5: 22 / 525, 6: -1 / 40},),
    dense=(
        {
            0: -12715105075 / 11282082432,
            2: 87487479700 / 32700410799,
            3: -10690763975 / 1880347072,
            4: 701980252875 / 199316789632,
            5: -1453857185 / 822651844,
            6: 69997945 / 29380423,
        },
    ),
    error_order=5,
    beta=0.04,
)
