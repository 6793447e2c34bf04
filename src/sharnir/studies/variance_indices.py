"""Which parameters the variance of an output comes from: main effects of any design, Sobol indices of Saltelli's.

Sources: Saltelli et al., Computer Physics Communications 181 (2010) 259, table 2 (b) and (f); Jansen, ibid. 117 (1999) 35.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.errors import ModelError


@dataclass(frozen=True)
class MainEffect:
    """Means of an output in groups of equal or neighbouring values of one parameter.

    at : mean value of the parameter in each group.   mean : of the output.   share : of the variance, 0 … 1.

    >>> main_effect(np.array([1.0, 1.0, 2.0]), np.array([3.0, 5.0, 8.0]), 2).mean.tolist()
    [4.0, 8.0]
    """

    at: np.ndarray
    mean: np.ndarray
    share: float


@dataclass(frozen=True)
class SobolIndices:
    """Shares of the variance by parameter: `first` by itself, `total` together with all others; 95 % intervals of both.

    count : points of the base sample that were used; a point is left out if one of its runs failed.

    >>> a, b = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    >>> sobol_indices(np.concatenate([a, b, b]), 2, ("x",)).total
    {'x': 2.0}
    """

    first: dict[str, float]
    total: dict[str, float]
    first_interval: dict[str, tuple[float, float]]
    total_interval: dict[str, tuple[float, float]]
    count: int


def main_effect(x: np.ndarray, y: np.ndarray, bins: int) -> MainEffect:
    """The effect of x on the mean of y; the share is that of the means of the groups, without what chance gives (epsilon²).

    >>> x = np.repeat([1.0, 2.0], 50)
    >>> round(main_effect(x, 3.0 * x, 10).share, 9)
    1.0
    """
    levels = np.unique(x)
    if len(levels) <= bins:
        groups = [np.flatnonzero(x == level) for level in levels]
    else:
        groups = [part for part in np.array_split(np.argsort(x, kind="stable"), bins) if len(part)]
    means = np.array([y[group].mean() for group in groups])
    whole = float(np.sum((y - y.mean()) ** 2))
    within = float(sum(np.sum((y[group] - mean) ** 2) for group, mean in zip(groups, means, strict=True)))
    free = len(y) - len(groups)
    chance = (len(groups) - 1) * within / free if free > 0 else 0.0
    share = max(0.0, (whole - within - chance) / whole) if whole > 0.0 else 0.0
    return MainEffect(np.array([x[group].mean() for group in groups]), means, share)


def sobol_indices(y: np.ndarray, base: int, names: tuple[str, ...], resamples: int = 200) -> SobolIndices:
    """Indices from the outputs of a Saltelli design: A, B, and A with each column of B in turn.

    >>> from sharnir.studies.design import unit_points
    >>> u = unit_points("saltelli", 1024, 2, 0)
    >>> found = sobol_indices(3 * u[:, 0] + u[:, 1], 1024, ("a", "b"))
    >>> {name: round(value, 2) for name, value in found.first.items()}
    {'a': 0.9, 'b': 0.1}
    """
    parts = y.reshape(len(names) + 2, base)
    parts = parts[:, np.isfinite(parts).all(axis=0)]
    count = parts.shape[1]
    if count < 2:
        raise ModelError(f"sobol_indices: {count} points of the base sample have all their runs; two are needed at least")
    first, total = _indices(parts)
    rng = np.random.default_rng(0)
    drawn = [_indices(parts[:, rng.integers(0, count, count)]) for _ in range(max(2, resamples))]
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    intervals = [{name: (float(low[k, i]), float(high[k, i])) for i, name in enumerate(names)} for k in (0, 1)]
    alone, together = (dict(zip(names, part.tolist(), strict=True)) for part in (first, total))
    return SobolIndices(alone, together, intervals[0], intervals[1], count)


def _indices(parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First-order and total indices of the outputs at A, B, AB₁, …; the mean is taken off first, which loses no digits."""
    A, B, *mixed = parts - parts[:2].mean()
    variance = float(np.concatenate([A, B]).var())
    if variance == 0.0:
        return np.zeros(len(mixed)), np.zeros(len(mixed))
    first = np.array([np.mean(B * (AB - A)) for AB in mixed]) / variance
    total = np.array([0.5 * np.mean((A - AB) ** 2) for AB in mixed]) / variance
    return first, total
