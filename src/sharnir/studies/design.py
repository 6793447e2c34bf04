"""Designs: which values the parameters have in which run. A design is a table with one row for each run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sharnir.arguments import choice, fail, integer, mapping, number, numbers, sequence, shown
from sharnir.errors import ModelError
from sharnir.studies.distributions import as_distribution, listed

RANDOM = ("monte-carlo", "latin-hypercube", "sobol", "saltelli")
DESIGNS = ("grid", "list", *RANDOM)
MOST_RUNS = 10**9
EDGE = 2.0**-54  # probabilities 0 and 1 would be infinite values of a normal distribution


class Design:
    """The table of a study.

    names : of the parameters.   table : (runs, parameters).   kind : one of DESIGNS.   base : of "saltelli", runs of one sample.

    >>> Design({"k": [1, 2], "c": [0.1, 0.2, 0.3]}).table.tolist()[:4]
    [[1.0, 0.1], [1.0, 0.2], [1.0, 0.3], [2.0, 0.1]]
    """

    def __init__(
        self, parameters: Any, kind: str | None = None, runs: int | None = None, seed: int = 0, correlations: Any = None
    ) -> None:
        kind = None if kind is None else choice(kind, DESIGNS, "Study", "design")
        self.given = parameters = _columns(parameters, kind)
        free = {name: value for name, value in parameters.items() if not _fixed(value)}
        lists = all(listed(value) for value in free.values())
        known = "list" if any(isinstance(value, Runs) for value in free.values()) else "grid" if lists else "monte-carlo"
        self.kind = kind or known
        self.names, self.seed = tuple(parameters), integer(seed, "Study", "seed", low=0)
        self.varied = tuple(free)
        self.base = 0
        if self.kind in RANDOM:
            if runs is None:
                fail("Study", "runs", f"is missing: the number of runs of the design {self.kind!r}, such as runs=1024")
            points = self._random(free, integer(runs, "Study", "runs", low=1, most=MOST_RUNS), correlations)
        else:
            if runs is not None or correlations is not None:
                given = "runs" if runs is not None else "correlations"
                fail("Study", given, f"belongs to random designs; {self.kind!r} has one run for each of the given values")
            points = _combined(free, self.kind)
        count = len(points) if free else 1
        self.table = np.empty((count, len(self.names)))
        for k, name in enumerate(self.names):
            column = points[:, self.varied.index(name)] if name in free else float(parameters[name])
            self.table[:, k] = column
        self.table += 0.0  # no negative zeros: a store may drop their sign
        if not np.isfinite(self.table).all():
            name = self.names[int(np.argmax(~np.isfinite(self.table).all(axis=0)))]
            fail(f"parameter {name!r}", "values", "must be finite numbers; truncate the distribution with sr.Truncated")

    def _random(self, free: dict[str, Any], runs: int, correlations: Any) -> np.ndarray:
        """Points of a random design: probabilities, correlated if asked for, turned into values."""
        for name, value in free.items():
            if listed(value):
                fail(f"parameter {name!r}", "values", f"are a list; in the design {self.kind!r} write sr.OneOf({shown(value)})")
        laws = [as_distribution(value, f"parameter {name!r}") for name, value in free.items()]
        mixing = correlation_factor(self.varied, correlations)
        if self.kind == "saltelli":
            if mixing is not None:
                fail("Study", "correlations", "have no Sobol indices: these divide the variance among independent parameters")
            self.base = runs
        u = np.clip(unit_points(self.kind, runs, len(laws), self.seed), EDGE, 1.0 - EDGE)
        if mixing is not None:
            from scipy.special import ndtr, ndtri

            u = np.clip(ndtr(ndtri(u) @ mixing.T), EDGE, 1.0 - EDGE)
        return np.column_stack([law.quantile(u[:, k]) for k, law in enumerate(laws)]) if laws else np.zeros((len(u), 0))


def unit_points(kind: str, runs: int, width: int, seed: int) -> np.ndarray:
    """Points in the unit cube; of "saltelli" A, B and all A with one column of B, so runs · (width + 2) of them.

    >>> unit_points("latin-hypercube", 4, 1, 0).ravel().argsort().argsort().tolist() != [0, 1, 2, 3]
    True
    >>> unit_points("saltelli", 8, 3, 0).shape
    (40, 3)
    """
    rng = np.random.default_rng(seed)
    if kind == "monte-carlo":
        return rng.random((runs, width))
    from scipy.stats import qmc

    if kind == "latin-hypercube":
        return qmc.LatinHypercube(max(1, width), seed=rng).random(runs)[:, :width]
    if runs & (runs - 1):
        near = 1 << (runs - 1).bit_length()
        fail("Study", "runs", f"= {runs} must be a power of 2 for the design {kind!r}; take {near} or {near // 2}")
    if kind == "sobol":
        return qmc.Sobol(max(1, width), seed=rng).random(runs)[:, :width]
    both = qmc.Sobol(2 * max(1, width), seed=rng).random(runs)
    A, B = both[:, :width], both[:, width : 2 * width]
    mixed = []
    for k in range(width):
        AB = A.copy()
        AB[:, k] = B[:, k]
        mixed.append(AB)
    return np.vstack([A, B, *mixed])


def correlation_factor(names: tuple[str, ...], correlations: Any) -> np.ndarray | None:
    """The Cholesky factor of the correlations of the normal scores (a Gaussian copula); None: there are none.

    >>> correlation_factor(("a", "b"), {("a", "b"): 0.6}).tolist()
    [[1.0, 0.0], [0.6, 0.8]]
    """
    if correlations is None:
        return None
    matrix = np.eye(len(names))
    if isinstance(correlations, Mapping):
        for pair, value in correlations.items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and set(pair) <= set(names) and pair[0] != pair[1]):
                fail("Study", "correlations", f"[{shown(pair)}] must name two of the varied parameters: {', '.join(names)}")
            i, j = (names.index(name) for name in pair)
            matrix[i, j] = matrix[j, i] = number(value, "Study", f"correlations[{pair!r}]", low=-1.0)
    else:
        matrix = numbers(correlations, "Study", "correlations", shape=(len(names), len(names)))
    if not np.allclose(matrix, matrix.T, atol=1e-12) or not np.allclose(np.diag(matrix), 1.0) or np.abs(matrix).max() > 1.0:
        fail("Study", "correlations", "must be symmetric, with 1 on the diagonal and numbers from -1 to 1")
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(matrix)[0])
        raise ModelError(
            f"Study: correlations contradict each other (least eigenvalue {least:.3g}, it must be positive); make some smaller",
            field="correlations",
        ) from None


def _fixed(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _columns(parameters: Any, kind: str | None) -> dict[str, Any]:
    """Parameters by name; a list of dicts becomes columns."""
    if hasattr(parameters, "to_dict") and hasattr(parameters, "columns"):  # a table of pandas
        return {str(name): Runs(parameters[name].to_numpy()) for name in parameters.columns}
    if listed(parameters) and not isinstance(parameters, Mapping):
        if kind not in (None, "list"):
            fail("Study", "parameters", f"are a list of runs, which the design {kind!r} cannot use; leave design out")
        rows = [mapping(row, "Study", f"parameters[{k}]", "values by name") for k, row in enumerate(parameters)]
        if not rows or any(row.keys() != rows[0].keys() for row in rows):
            fail("Study", "parameters", "must be at least one run, all with the same names")
        return {name: Runs([row[name] for row in rows]) for name in rows[0]}
    found = mapping(parameters, "Study", "parameters", "lists, distributions or numbers by name, or a list with one dict per run")
    return found


class Runs(list[Any]):
    """Values of a parameter, one for each run."""


def _combined(free: dict[str, Any], kind: str) -> np.ndarray:
    """Values of a grid, the last parameter fastest, or of a list of runs."""
    columns = []
    for name, value in free.items():
        if not listed(value):
            fail(f"parameter {name!r}", "values", f"= {shown(value)} must be a list of numbers in the design {kind!r}")
        entries = sequence(value, f"parameter {name!r}", "values", "a list of numbers")
        columns.append(np.array([number(entry, f"parameter {name!r}", f"values[{k}]") for k, entry in enumerate(entries)]))
        if not len(columns[-1]):
            fail(f"parameter {name!r}", "values", "must hold at least one number")
    if not columns:
        return np.zeros((1, 0))
    if kind == "list":
        if len({len(column) for column in columns}) != 1:
            said = ", ".join(f"{name} {len(column)}" for name, column in zip(free, columns, strict=True))
            fail(
                "Study", "parameters", f"of the design 'list' must have one value for each run, but their numbers differ: {said}"
            )
        return np.column_stack(columns)
    count = np.prod([float(len(column)) for column in columns])
    if count > MOST_RUNS:
        fail("Study", "parameters", f"form a grid of {count:g} runs; at most {MOST_RUNS:g} are possible, so use a random design")
    return np.stack(np.meshgrid(*columns, indexing="ij"), axis=-1).reshape(-1, len(columns))
