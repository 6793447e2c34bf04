"""Tables of the state in a run: within a step the polynomial between two knots is held, and continued beyond them.

The place of an argument among the knots, a number whose whole part says between which of them it is, is watched like a floor
(switch_memory.py): where it leaves the piece that is held, the step ends, and the next piece holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from sharnir.dynamics.memory.switch_memory import BARE, HELD, SIDE, SIZE, WATCHED
from sharnir.kernel import doubles, jit, location
from sharnir.kernel.formulas.translation import written
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable

FARTHEST = 1.0  # lengths of a piece by which it is continued beyond its ends; from there on it is level
SHORTEST = 1e8  # a piece shorter than the mean by more than this is watched as if it were as long as that
SAME = 1e-12  # of a table's values: pieces that differ by less are one


def is_located(table: Any) -> bool:
    """True if a run ends its steps where an argument of the table passes a knot.

    >>> is_located(Table((0, 1, 2), (0, 1, 4))), is_located(Table((0, 1, 2), (0, 1, 4), smooth=True))
    (True, False)
    """
    if isinstance(table, GridTable):
        return not table.smooth
    return isinstance(table, Table) and not table.smooth and table.outside != "error" and len(pieces(table)[0]) > 0


def axes_of(table: Any) -> int:
    """How many arguments, and so how many switches, a table has."""
    return len(table.axes) if isinstance(table, GridTable) else 1


@lru_cache(maxsize=1000)
def pieces(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Knots at which the polynomial of a table changes, and origins and coefficients of the pieces between and beyond them.

    Of a table that repeats: within one period, which begins with the first knot.

    >>> knots, origins, c = pieces(Table((0, 1, 2, 3), (0, 1, 2, 0)))
    >>> knots.tolist(), c[:, 0].tolist()
    ([0.0, 2.0, 3.0], [0.0, 0.0, 2.0, 0.0])
    """
    x, c = np.array(table.x), table.coefficients()
    knots, origins, rows = list(x[:-1]), list(x[:-1]), list(c)
    if table.outside != "repeat":
        h = x[-1] - x[-2]
        end = c[-1, 0] + h * (c[-1, 1] + h * (c[-1, 2] + h * c[-1, 3]))
        slopes = (c[0, 1], c[-1, 1] + h * (2 * c[-1, 2] + 3 * h * c[-1, 3])) if table.outside == "extend" else (0.0, 0.0)
        knots, origins = [*knots, x[-1]], [x[0], *origins, x[-1]]
        rows = [np.array([c[0, 0], slopes[0], 0.0, 0.0]), *rows, np.array([end, slopes[1], 0.0, 0.0])]
        first = 1  # knot k lies between the pieces k and k + 1
    else:
        first = 0
    size = max(map(abs, table.y)) or 1.0
    kept = [0]
    borders: list[float] = [] if first else [knots[0]]
    for k in range(1, len(rows)):
        if not _continues(rows[kept[-1]], origins[kept[-1]], rows[k], origins[k], size, x[-1] - x[0]):
            borders.append(knots[k - first])
            kept.append(k)
    if not first and len(kept) == 1:
        borders = []
    return np.array(borders), np.array(origins)[kept], np.array(rows)[kept]


def _continues(a: np.ndarray, at: float, b: np.ndarray, origin: float, size: float, length: float) -> bool:
    """Polynomial b is a, as it goes on."""
    d = origin - at
    moved = np.array([a[0] + d * (a[1] + d * (a[2] + d * a[3])), a[1] + d * (2 * a[2] + 3 * d * a[3]), a[2] + 3 * d * a[3], a[3]])
    return bool((np.abs(moved - b) * length ** np.arange(4.0) <= SAME * size * 100.0 ** np.arange(4.0)).all())


def held_table(table: Any) -> Callable:
    """f(s, k, x, …) of a table whose pieces are held: s, k as in switch_memory.py.

    >>> s, f = np.zeros(20), held_table(Table((0, 1, 2), (0, 1, 4)))
    >>> f(s, 1, 1.5)
    2.5
    >>> s[2:4] = 1.0, 1.0  # the first piece is held
    >>> f(s, 1, 1.5)
    1.5
    """
    return _held_grid(table) if isinstance(table, GridTable) else _held_curve(table)


@lru_cache(maxsize=1000)
def _held_curve(table: Table) -> Callable:
    knots, origins, c = pieces(table)
    period = float(table.x[-1] - table.x[0]) if table.outside == "repeat" else 0.0
    memory = np.concatenate([[len(knots), period], knots, origins, c.ravel()])
    KEPT.append(memory)
    where = location(memory)

    def curve(s, k, x):
        return held_curve(doubles(where), s, k, x)

    return jit(curve)


@lru_cache(maxsize=1000)
def _held_grid(table: GridTable) -> Callable:
    """Cells of each axis, powers of each axis; Horner's rule, one axis inside the other."""
    ends = table.outside == "constant"  # those of tables that go straight on are no kinks
    c, n = table.coefficients(), len(table.axes)
    powers, parts, lines, place, first = c.shape[-1], [], [], "0", 0
    for k, axis in enumerate(table.axes):
        knots = np.array(axis if ends else axis[1:-1])
        parts += [np.array([len(knots), 0.0]), knots, np.array(axis)]
        corners = first + 2 + len(knots)
        lines.append(f"i{k} = held_piece(c, {first}, s, k + {SIZE * k}, x{k}) - {int(ends)}")
        lines.append(f"x{k} = within_reach(c, {first}, i{k} + {int(ends)}, x{k})")
        if ends:
            low, high = f"c[{corners}]", f"c[{corners + len(axis) - 1}]"
            lines.append(f"x{k} = {low} if i{k} < 0 else ({high} if i{k} > {len(axis) - 2} else x{k})")
        lines.append(f"i{k} = min(max(i{k}, 0), {len(axis) - 2})")
        lines.append(f"d{k} = x{k} - c[{corners} + i{k}]")
        place = f"({place} * {len(axis) - 1} + i{k})"
        first = corners + len(axis)
    lines.append(f"at = {first} + {place} * {powers**n}")
    for k in range(n):
        indent = "    " * k
        lines += [f"{indent}y{k} = 0.0", f"{indent}for p{k} in range({powers - 1}, -1, -1):"]
    index = " + ".join(f"{powers ** (n - 1 - k)} * p{k}" for k in range(n))
    lines.append(f"{'    ' * n}y{n - 1} = y{n - 1} * d{n - 1} + c[at + {index}]")
    lines += [f"{'    ' * k}y{k - 1} = y{k - 1} * d{k - 1} + y{k}" for k in range(n - 1, 0, -1)]
    memory = np.concatenate([*parts, c.ravel()])
    KEPT.append(memory)
    where = location(memory)
    scope: dict[str, Any] = {"held_piece": held_piece, "within_reach": within_reach, "doubles": doubles, "where": where}
    names = ", ".join(f"x{k}" for k in range(n))
    text = "\n    ".join([f"def table(s, k, {names}):", "c = doubles(where)", *lines, "return y0"])
    return jit(written([text], "table", scope))


KEPT: list[np.ndarray] = []  # memory of tables; compiled code knows its address only


@jit
def width_among(c, at):
    """Mean distance of knots."""
    n, first = int(c[at]), at + 2
    return (c[first + n - 1] - c[first]) / (n - 1) if n > 1 else 1.0


@jit
def scale_of(c, at, length):
    """What makes the number that is watched of a piece as steep at its ends as that of any other piece.

    What rounding leaves of it at a knot then says as much about the next piece. Very short ones are steeper, to be seen at all.
    """
    return length * min(width_among(c, at), SHORTEST * length)


@jit
def place_among(c, at, x):
    """The place of x among knots: from whole number k on it is behind knot k - 1; below 1 before all, never beyond their number
    plus one. Of knots of a period: k counts from the first one of the first period, without end.

    c[at], c[at + 1] : number of knots, and the period or 0; then the knots.
    """
    n, period, first = int(c[at]), c[at + 1], at + 2
    turns = 0.0
    if period > 0.0:
        turns = math.floor((x - c[first]) / period)
        x -= turns * period
    if n == 0:
        return 0.5
    a, b = -1, n  # knot a is not beyond x, knot b is
    while b - a > 1:
        m = (a + b) // 2
        if c[first + m] <= x:
            a = m
        else:
            b = m
    if period > 0.0:
        a = max(a, 0)  # rounding
        end = c[first + a + 1] if a + 1 < n else c[first] + period
        return turns * n + a + (x - c[first + a]) / (end - c[first + a])
    width = width_among(c, at)
    if a < 0:
        return 1.0 / (1.0 + (c[first] - x) / width)
    if b == n:
        return n + 1.0 - 1.0 / (1.0 + (x - c[first + n - 1]) / width)
    return a + 1.0 + (x - c[first + a]) / (c[first + b] - c[first + a])


@jit
def held_piece(c, at, s, k, x):
    """The whole part of the place of x, or the one that is held; what is watched falls through zero where x leaves that piece.

    It is a function of x alone, without the kinks that the place has at knots, also where x is too far away for the piece.
    """
    place = place_among(c, at, x)
    i = int(s[k + SIDE]) if s[k + HELD] > 0.0 else math.floor(place)
    n, period, first = int(c[at]), c[at + 1], at + 2
    s[k + BARE] = place
    if n == 0:
        s[k + WATCHED] = 1.0
    elif period > 0.0:
        turns = i // n
        j = i - turns * n
        low, high = c[first + j] + turns * period, (c[first + j + 1] if j + 1 < n else c[first] + period) + turns * period
        s[k + WATCHED] = (x - low) * (high - x) / scale_of(c, at, high - low)
    elif i <= 0:
        s[k + WATCHED] = (c[first] - x) / width_among(c, at)
    elif i >= n:
        s[k + WATCHED] = (x - c[first + n - 1]) / width_among(c, at)
    else:
        low, high = c[first + i - 1], c[first + i]
        s[k + WATCHED] = (x - low) * (high - x) / scale_of(c, at, high - low)
    return i


@jit
def within_reach(c, at, i, x):
    """x, or the nearest x as far as which piece i is continued.

    All stages of a step see the piece that is held, however narrow the next ones are: a step of low order that ends behind a
    flank of 1e-6 rad, and sees what comes there, is wrong by half of that, and does not always know it.
    """
    n, period, first = int(c[at]), c[at + 1], at + 2
    if n == 0:
        return x
    if period <= 0.0 and i <= 0:
        return min(x, c[first] + FARTHEST * width_among(c, at))
    if period <= 0.0 and i >= n:
        return max(x, c[first + n - 1] - FARTHEST * width_among(c, at))
    turns = i // n if period > 0.0 else 0
    j = i - turns * n if period > 0.0 else i - 1
    low, high = c[first + j] + turns * period, (c[first + j + 1] if j + 1 < n else c[first] + period) + turns * period
    length = FARTHEST * (high - low)
    return min(max(x, low - length), high + length)


@jit
def held_curve(c, s, k, x):
    """A curve of cubic pieces, the one that is held; c : knots as above, then origins and coefficients of the pieces."""
    n, period = int(c[0]), c[1]
    i = held_piece(c, 0, s, k, x)
    x = within_reach(c, 0, i, x)
    pieces, turns = n + 1, 0
    if period > 0.0:
        pieces, turns = n, i // n
        i -= turns * n
    origins = 2 + n
    row = origins + pieces + 4 * i
    d = x - turns * period - c[origins + i]
    return c[row] + d * (c[row + 1] + d * (c[row + 2] + d * c[row + 3]))
