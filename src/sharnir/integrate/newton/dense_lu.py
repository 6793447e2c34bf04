"""Dense LU decomposition with row pivots, real and complex, on raw memory.

Matrices are stored by columns, entry (i, k) at a[k * stride + i], so that every inner loop runs along memory and becomes vector
instructions. Columns are finished one after the other ("left-looking", Golub and Van Loan, *Matrix Computations*, 3.2), and take
in four columns of L at once, so that a number is loaded and stored once for four multiplications. A complex matrix is two such
arrays, real and imaginary parts. Pivots are row numbers, kept as floats. `stride` is at least n.
"""

from __future__ import annotations

from typing import Any

from sharnir.kernel import doubles, jit, shift, shift_address


@jit
def eliminate(a: Any, stride: int, n: int, count: int, right: Any) -> None:
    """right ← L⁻¹ right with the first `count` columns of L, which stand below the diagonal of a."""
    x = doubles(right)
    for group in range(count // 4):
        k = 4 * group
        l0, l1 = doubles(shift_address(a, k * stride)), doubles(shift_address(a, (k + 1) * stride))
        l2, l3 = doubles(shift_address(a, (k + 2) * stride)), doubles(shift_address(a, (k + 3) * stride))
        x0 = x[k]
        x1 = x[k + 1] - l0[k + 1] * x0
        x2 = x[k + 2] - l0[k + 2] * x0 - l1[k + 2] * x1
        x3 = x[k + 3] - l0[k + 3] * x0 - l1[k + 3] * x1 - l2[k + 3] * x2
        x[k + 1], x[k + 2], x[k + 3] = x1, x2, x3
        for i in range(k + 4, n):
            x[i] = x[i] - l0[i] * x0 - l1[i] * x1 - l2[i] * x2 - l3[i] * x3
    for k in range(count - count % 4, count):
        low, xk = doubles(shift_address(a, k * stride)), x[k]
        for i in range(k + 1, n):
            x[i] = x[i] - low[i] * xk


@jit
def swap_rows(a: Any, stride: int, columns: int, i: int, j: int) -> None:
    """Exchange rows i and j in the first columns."""
    values = doubles(a)
    for k in range(columns):
        values[k * stride + i], values[k * stride + j] = values[k * stride + j], values[k * stride + i]


@jit
def factorize(a: Any, pivots: Any, stride: int, n: int) -> bool:
    """a ← L and U with a = Pᵀ L U; False if a is singular or not finite."""
    rows = doubles(pivots)
    for k in range(n):
        column = shift_address(a, k * stride)
        c = doubles(column)
        for j in range(k):
            p = int(rows[j])
            c[j], c[p] = c[p], c[j]
        eliminate(a, stride, n, k, column)
        best, largest = k, abs(c[k])
        for i in range(k + 1, n):
            if abs(c[i]) > largest:
                best, largest = i, abs(c[i])
        rows[k] = float(best)
        if not 0.0 < largest < 1e300:
            return False
        if best != k:
            swap_rows(a, stride, k + 1, k, best)
        scale = 1.0 / c[k]
        for i in range(k + 1, n):
            c[i] = c[i] * scale
    return True


@jit
def solve(a: Any, pivots: Any, stride: int, n: int, right: Any) -> None:
    """right ← a⁻¹ right, after `factorize`."""
    x, rows = doubles(right), doubles(pivots)
    for k in range(n):
        p = int(rows[k])
        x[k], x[p] = x[p], x[k]
    eliminate(a, stride, n, n, right)
    for group in range(n // 2):
        k = n - 1 - 2 * group
        u0, u1 = doubles(shift_address(a, (k - 1) * stride)), doubles(shift_address(a, k * stride))
        x1 = x[k] / u1[k]
        x0 = (x[k - 1] - u1[k - 1] * x1) / u0[k - 1]
        x[k - 1], x[k] = x0, x1
        for i in range(k - 1):
            x[i] = x[i] - u0[i] * x0 - u1[i] * x1
    if n % 2 == 1:
        x[0] = x[0] / doubles(a)[0]


@jit
def eliminate_complex(re: Any, im: Any, stride: int, n: int, count: int, right_re: Any, right_im: Any) -> None:
    """As `eliminate`, for re + i im."""
    x, y = doubles(right_re), doubles(right_im)
    for group in range(count // 2):
        k = 2 * group
        a0, a1 = doubles(shift_address(re, k * stride)), doubles(shift_address(re, (k + 1) * stride))
        b0, b1 = doubles(shift_address(im, k * stride)), doubles(shift_address(im, (k + 1) * stride))
        x0, y0 = x[k], y[k]
        x1 = x[k + 1] - a0[k + 1] * x0 + b0[k + 1] * y0
        y1 = y[k + 1] - a0[k + 1] * y0 - b0[k + 1] * x0
        x[k + 1], y[k + 1] = x1, y1
        for i in range(k + 2, n):
            x[i] = x[i] - a0[i] * x0 + b0[i] * y0 - a1[i] * x1 + b1[i] * y1
            y[i] = y[i] - a0[i] * y0 - b0[i] * x0 - a1[i] * y1 - b1[i] * x1
    for k in range(count - count % 2, count):
        a0, b0 = doubles(shift_address(re, k * stride)), doubles(shift_address(im, k * stride))
        x0, y0 = x[k], y[k]
        for i in range(k + 1, n):
            x[i] = x[i] - a0[i] * x0 + b0[i] * y0
            y[i] = y[i] - a0[i] * y0 - b0[i] * x0


@jit
def factorize_complex(re: Any, im: Any, pivots: Any, stride: int, n: int) -> bool:
    """As `factorize`, for re + i im; the pivot is the entry with the largest |re| + |im|."""
    rows = doubles(pivots)
    for k in range(n):
        re_column, im_column = shift_address(re, k * stride), shift_address(im, k * stride)
        a, b = doubles(re_column), doubles(im_column)
        for j in range(k):
            p = int(rows[j])
            a[j], a[p] = a[p], a[j]
            b[j], b[p] = b[p], b[j]
        eliminate_complex(re, im, stride, n, k, re_column, im_column)
        best, largest = k, abs(a[k]) + abs(b[k])
        for i in range(k + 1, n):
            if abs(a[i]) + abs(b[i]) > largest:
                best, largest = i, abs(a[i]) + abs(b[i])
        rows[k] = float(best)
        if not 0.0 < largest < 1e300:
            return False
        if best != k:
            swap_rows(re, stride, k + 1, k, best)
            swap_rows(im, stride, k + 1, k, best)
        c, d = a[k] / largest, b[k] / largest  # no overflow in the square
        size = largest * (c * c + d * d)
        c, d = c / size, -d / size
        for i in range(k + 1, n):
            ai, bi = a[i], b[i]
            a[i], b[i] = ai * c - bi * d, ai * d + bi * c
    return True


@jit
def solve_complex(re: Any, im: Any, pivots: Any, stride: int, n: int, right_re: Any, right_im: Any) -> None:
    """right ← (re + i im)⁻¹ right, after `factorize_complex`."""
    x, y, rows = doubles(right_re), doubles(right_im), doubles(pivots)
    for k in range(n):
        p = int(rows[k])
        x[k], x[p] = x[p], x[k]
        y[k], y[p] = y[p], y[k]
    eliminate_complex(re, im, stride, n, n, right_re, right_im)
    for k in range(n - 1, -1, -1):
        a, b = shift(doubles(re), k * stride), shift(doubles(im), k * stride)
        size = a[k] * a[k] + b[k] * b[k]
        xk, yk = (x[k] * a[k] + y[k] * b[k]) / size, (y[k] * a[k] - x[k] * b[k]) / size
        x[k], y[k] = xk, yk
        for i in range(k):
            x[i] = x[i] - a[i] * xk + b[i] * yk
            y[i] = y[i] - a[i] * yk - b[i] * xk
