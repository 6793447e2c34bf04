"""Tables of several variables on a grid."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal

import numpy as np

from sharnir.arguments import bool_of, with_advice
from sharnir.errors import ModelError
from sharnir.input_file import text
from sharnir.model.checks import choice, fail, sequence, settle, vector
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import Matrix, element

MOST_AXES = 5


@element
class GridTable(Parametric):
    """y(x1, x2, …) given at all points of a grid.

    axes : increasing values of each variable.   values : nested lists, the last variable runs fastest.
    kind : "linear" between neighbours, or "cubic" (splines along all axes, not-a-knot: continuous to the second derivative).
    outside : "constant" (value at the edge) or, of linear tables, "extend" (straight on).
    smooth : True if a run may step over its knots; otherwise steps end there.

    >>> t = GridTable(((0, 1), (0, 10)), ((0, 1), (2, 3)))
    >>> t.evaluate(0.5, 5.0)
    1.5
    """

    axes: Matrix
    values: Matrix
    kind: Literal["linear", "cubic"] = "linear"
    outside: Literal["constant", "extend"] = "constant"
    smooth: bool = False

    def __post_init__(self) -> None:
        axes = sequence(self.axes, "GridTable", "axes", "one list of numbers per variable")
        lists = [sequence(axis, "GridTable", "axes", "lists of numbers") for axis in axes]
        settle(self, axes=tuple(vector(axis, len(axis), "GridTable", "axes") for axis in lists))
        if not 1 <= len(self.axes) <= MOST_AXES:
            fail("GridTable", "axes", f"has {len(self.axes)} lists; tables have 1 … {MOST_AXES} variables")
        choice(self.kind, ("linear", "cubic"), "GridTable", "kind")
        choice(self.outside, ("constant", "extend"), "GridTable", "outside")
        settle(self, smooth=bool_of(self.smooth, "GridTable", "smooth"))
        for k, axis in enumerate(self.axes):
            if len(axis) < (4 if self.kind == "cubic" else 2):
                fail("GridTable", f"axes[{k}]", f"= {axis!r} needs two points, or four of a cubic table")
            if not (np.diff(axis) > 0).all():
                fail("GridTable", f"axes[{k}]", f"= {axis!r} must increase")
        if self.kind == "cubic" and self.outside == "extend":
            fail("GridTable", "outside", "= 'extend' is for linear tables; add points at the edges")
        shape = tuple(len(axis) for axis in self.axes)
        try:
            values = np.array(self.values, float)
        except Exception:  # what entries raise that are no numbers
            fail("GridTable", "values", f"must be nested lists of numbers of shape {shape}")
        if values.shape != shape or not np.isfinite(values).all():
            fail("GridTable", "values", f"of shape {values.shape} must be finite numbers of shape {shape}, as the axes say")
        settle(self, values=nested(values))

    def coefficients(self) -> np.ndarray:
        """Polynomials per cell: shape (cells of each axis …, powers of each axis …), of distances from the cell's corner.

        >>> GridTable(((0, 2),), (1, 5)).coefficients().tolist()
        [[1.0, 2.0]]
        """
        try:
            with np.errstate(all="ignore"):
                found = self._polynomials()
        except ValueError:  # SciPy refuses what is not finite
            found = np.full(1, np.nan)
        if not np.isfinite(found).all():
            fail("GridTable", "values", "change so much between such close points that slopes are not finite; check the points")
        return found

    def _polynomials(self) -> np.ndarray:
        found, n = np.array(self.values, float), len(self.axes)
        for k, axis in enumerate(self.axes):  # axis k becomes (powers in front) and cells
            x = np.array(axis)
            if self.kind == "cubic":
                from scipy.interpolate import CubicSpline

                c = CubicSpline(x, found, axis=2 * k).c[::-1]  # powers, cells, others …
            else:
                y = np.moveaxis(found, 2 * k, 0)
                c = np.stack([y[:-1], np.diff(y, axis=0) / np.diff(x).reshape(-1, *(1,) * (y.ndim - 1))])
            # powers of all axes so far stand in front: put the new ones behind them, cells back in their place
            found = np.moveaxis(np.moveaxis(c, 1, 2 * k + 1), 0, k)
        return np.moveaxis(found, range(n), range(-n, 0))

    def slope_coefficients(self, along: int) -> np.ndarray:
        """The same of the derivative by one of the variables, counted from 0.

        >>> GridTable(((0, 2),), (1, 5)).slope_coefficients(0).tolist()
        [[2.0, 0.0]]
        """
        c = np.moveaxis(self.coefficients(), len(self.axes) + along, -1)
        found = np.concatenate([c[..., 1:] * np.arange(1, c.shape[-1]), np.zeros_like(c[..., :1])], axis=-1)
        return np.moveaxis(found, -1, len(self.axes) + along)

    def evaluate(self, *x: float, along: int | None = None) -> float:
        """The value at a point, or its derivative by variable `along` (0, 1, …), without the compiler."""
        n, d, cell = len(self.axes), [], []
        if len(x) != n:
            raise ModelError(f"GridTable: {len(x)} values were given, it has {n} variables")
        c = self.coefficients() if along is None else self.slope_coefficients(along)
        if along is not None and self.outside == "constant" and not self.axes[along][0] <= x[along] <= self.axes[along][-1]:
            return 0.0
        for axis, value in zip(self.axes, x, strict=True):
            at = float(np.clip(value, axis[0], axis[-1])) if self.outside == "constant" else float(value)
            k = int(np.clip(np.searchsorted(axis, at, side="right") - 1, 0, len(axis) - 2))
            cell.append(k)
            d.append(at - axis[k])
        piece = c[tuple(cell)]
        for distance in d:
            piece = np.tensordot(distance ** np.arange(piece.shape[0]), piece, axes=(0, 0))
        return float(piece)

    @staticmethod
    @with_advice
    def from_csv(
        path: str | PathLike[str],
        kind: Literal["linear", "cubic"] = "linear",
        outside: Literal["constant", "extend"] = "constant",
    ) -> GridTable:
        """From a file with one line x1, x2, …, y per point of the grid, in any order; lines that are not numbers are skipped.

        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "lift.csv"
        >>> _ = file.write_text("angle,mach,lift\\n0,0,0\\n0,1,1\\n2,0,4\\n2,1,5\\n")
        >>> GridTable.from_csv(file).values
        ((0.0, 1.0), (4.0, 5.0))
        """
        rows = csv_rows(path)
        axes = [np.unique(column) for column in rows[:, :-1].T]
        if np.prod([float(len(axis)) for axis in axes]) > len(rows):
            raise ModelError(f"{path}: {len(rows)} lines do not cover the grid; a table needs a value at every combination")
        values = np.full([len(axis) for axis in axes], np.nan)
        places = tuple(np.searchsorted(axis, column) for axis, column in zip(axes, rows[:, :-1].T, strict=True))
        values[places] = rows[:, -1]
        if np.isnan(values).any():
            missing = np.argwhere(np.isnan(values))[0]
            point = ", ".join(f"{axis[k]:g}" for axis, k in zip(axes, missing, strict=True))
            raise ModelError(f"{path}: the point ({point}) of the grid is missing; a table needs a value at every combination")
        return GridTable(tuple(axis.tolist() for axis in axes), values.tolist(), kind, outside)


def nested(values: np.ndarray) -> Any:
    """An array as nested tuples."""
    return tuple(nested(part) for part in values) if values.ndim else float(values)


def csv_rows(path: str | PathLike[str]) -> np.ndarray:
    """Lines of numbers of a text file, separated by comma, semicolon or blanks."""
    import re

    rows = []
    for line in text(path).splitlines():
        try:
            rows.append([float(word) for word in re.split(r"[,;\s]+", line.strip()) if word])
        except ValueError:
            continue
    rows = [row for row in rows if row]
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise ModelError(f"{path}: every line must have the same number of values, at least two")
    return np.array(rows)
