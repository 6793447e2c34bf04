"""A table on a grid as a function of several numbers that other kernels call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sharnir.kernel import PLAIN, doubles, jit


def cell(memory: Any, first: int, n: int, x: float) -> int:
    """Which of the intervals between n knots x belongs to; those at the ends reach on."""
    a, b = 0, n - 1
    while b - a > 1:
        m = (a + b) // 2
        if memory[first + m] <= x:
            a = m
        else:
            b = m
    return a


def grid_kernel(axes: Sequence[np.ndarray], coefficients: np.ndarray, constant: bool) -> tuple[Callable, np.ndarray]:
    """f(x0, x1, …), and the memory that it reads, which must be kept. Coefficients: cells of each axis, powers of each axis.

    >>> f, memory = grid_kernel([np.array([0.0, 1.0])], np.array([[2.0, 3.0]]), True)
    >>> f(0.5), f(9.0)
    (3.5, 5.0)
    """
    memory = np.ascontiguousarray(np.concatenate([*axes, coefficients.ravel()]), float)
    n, powers, first = len(axes), coefficients.shape[-1], 0
    lines, place = [], "0"
    for k, axis in enumerate(axes):
        last = first + len(axis) - 1
        if constant:
            lines.append(f"x{k} = min(max(x{k}, c[{first}]), c[{last}])")
        lines += [f"i{k} = cell(c, {first}, {len(axis)}, x{k})", f"d{k} = x{k} - c[{first} + i{k}]"]
        place = f"({place} * {len(axis) - 1} + i{k})"
        first += len(axis)
    lines.append(f"at = {first} + {place} * {powers**n}")
    for k in range(n):  # Horner, one loop inside the other
        indent = "    " * k
        lines += [f"{indent}y{k} = 0.0", f"{indent}for p{k} in range({powers - 1}, -1, -1):"]
    index = " + ".join(f"{powers ** (n - 1 - k)} * p{k}" for k in range(n))
    lines.append(f"{'    ' * n}y{n - 1} = y{n - 1} * d{n - 1} + c[at + {index}]")
    lines += [f"{'    ' * k}y{k - 1} = y{k - 1} * d{k - 1} + y{k}" for k in range(n - 1, 0, -1)]
    names = ", ".join(f"x{k}" for k in range(n))
    where: Any = memory if PLAIN else memory.ctypes.data
    scope: dict[str, Any] = {"cell": jit(cell), "doubles": doubles, "where": where}
    exec("\n    ".join([f"def table({names}):", "c = doubles(where)", *lines, "return y0"]), scope)
    return jit(scope["table"]), memory
