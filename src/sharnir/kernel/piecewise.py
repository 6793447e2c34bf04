"""A curve of cubic pieces as a C function `double f(double, double, double)` of its first argument: tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sharnir.kernel.user import UserFunction, formula_pointer, guarded_pointer


def piecewise_function(knots: np.ndarray, coefficients: np.ndarray, outside: str, derivative: int) -> UserFunction:
    """The curve y = c0 + c1 d + c2 d² + c3 d³ with d = x - knots[k] (coefficients (n - 1, 4)), or its derivative 0, 1 or 2.

    outside : "constant", "extend" (straight on), "error" (raises), or "repeat".

    >>> from sharnir.kernel.signatures import SCALAR_C
    >>> f = piecewise_function(np.array([0.0, 1.0]), np.array([[0.0, 0.0, 3.0, 0.0]]), "extend", 1)
    >>> SCALAR_C(f.address)(0.5, 0.0, 0.0), SCALAR_C(f.address)(2.0, 0.0, 0.0)
    (3.0, 6.0)
    """
    c, pieces = coefficients, np.zeros_like(coefficients)
    if derivative == 0:
        pieces[:] = c
    elif derivative == 1:
        pieces[:, 0], pieces[:, 1], pieces[:, 2] = c[:, 1], 2 * c[:, 2], 3 * c[:, 3]
    else:
        pieces[:, 0], pieces[:, 1] = 2 * c[:, 2], 6 * c[:, 3]
    h = knots[-1] - knots[-2]
    first, last = float(c[0, 1]), float(c[-1, 1] + h * (2 * c[-1, 2] + 3 * h * c[-1, 3]))
    slopes = (first, last) if outside == "extend" else (0.0, 0.0)
    kernel = _kernel(np.ascontiguousarray(knots), pieces, slopes, derivative, outside)
    return guarded_pointer(kernel) if outside == "error" else formula_pointer(kernel)


def piecewise_integral(knots: np.ndarray, coefficients: np.ndarray, outside: str) -> UserFunction:
    """∫ y dx of the same curve, exactly, from x = 0 on (from the nearest knot, where a curve that ends does not reach zero).

    A curve that repeats has the integral of its whole periods and that of the rest.

    >>> from sharnir.kernel.signatures import SCALAR_C
    >>> f = piecewise_integral(np.array([0.0, 1.0, 2.0]), np.array([[0.0, 1.0, 0, 0], [1.0, -1.0, 0, 0]]), "repeat")
    >>> SCALAR_C(f.address)(1.0, 0.0, 0.0), SCALAR_C(f.address)(2001.0, 0.0, 0.0)
    (0.5, 1000.5)
    """
    h, c = np.diff(knots), coefficients
    pieces = c / np.array([1.0, 2.0, 3.0, 4.0])
    areas = h * (pieces[:, 0] + h * (pieces[:, 1] + h * (pieces[:, 2] + h * pieces[:, 3])))
    reached = np.concatenate([[0.0], np.cumsum(areas)])
    end = h[-1]
    ends = (float(c[0, 0]), float(c[-1, 0] + end * (c[-1, 1] + end * (c[-1, 2] + end * c[-1, 3]))))
    slopes = (float(c[0, 1]), float(c[-1, 1] + end * (2 * c[-1, 2] + 3 * end * c[-1, 3]))) if outside == "extend" else (0.0, 0.0)
    raw = _integral_kernel(np.ascontiguousarray(knots), pieces, reached, ends, slopes, outside == "repeat", 0.0)
    start = 0.0 if outside != "error" else min(max(0.0, float(knots[0])), float(knots[-1]))
    return formula_pointer(
        _integral_kernel(np.ascontiguousarray(knots), pieces, reached, ends, slopes, outside == "repeat", float(raw(start)))
    )


def _integral_kernel(
    knots: np.ndarray,
    pieces: np.ndarray,
    reached: np.ndarray,
    ends: tuple[float, float],
    slopes: tuple[float, float],
    repeats: bool,
    zero: float,
) -> Callable:
    n, period = len(knots), float(knots[-1] - knots[0])
    (first, last), (low, high) = ends, slopes

    def value(u, _y=0.0, _z=0.0):
        total = -zero
        if repeats:
            turns = np.floor((u - knots[0]) / period)
            total += turns * reached[n - 1]
            u -= turns * period
        a, b = 0, n - 1
        while b - a > 1:  # bisection
            m = (a + b) // 2
            if knots[m] <= u:
                a = m
            else:
                b = m
        inside = min(max(u, knots[0]), knots[n - 1])
        d, beyond = inside - knots[a], u - inside
        total += reached[a] + d * (pieces[a, 0] + d * (pieces[a, 1] + d * (pieces[a, 2] + d * pieces[a, 3])))
        if beyond < 0.0:
            total += beyond * (first + 0.5 * low * beyond)
        elif beyond > 0.0:
            total += beyond * (last + 0.5 * high * beyond)
        return total

    return value


def _kernel(knots: np.ndarray, pieces: np.ndarray, slopes: tuple[float, float], derivative: int, outside: str) -> Callable:
    n = len(knots)
    strict, repeats, period = outside == "error", outside == "repeat", float(knots[-1] - knots[0])
    low, high = slopes

    def value(u, _y=0.0, _z=0.0):
        if strict and (u < knots[0] or u > knots[n - 1]):
            raise ValueError("outside the range of its Table")
        if repeats:
            u = knots[0] + (u - knots[0]) % period
        a, b = 0, n - 1
        while b - a > 1:  # bisection
            m = (a + b) // 2
            if knots[m] <= u:
                a = m
            else:
                b = m
        inside = min(max(u, knots[0]), knots[n - 1])
        d = inside - knots[a]
        y = pieces[a, 0] + d * (pieces[a, 1] + d * (pieces[a, 2] + d * pieces[a, 3]))
        if inside != u:
            slope = low if u < inside else high
            if derivative == 0:
                return y + slope * (u - inside)
            return slope if derivative == 1 else 0.0
        return y

    return value
