"""Distributions of parameters: each is its quantile function, so that every kind of sample is drawn in the same way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.arguments import advising, fail, number, numbers, shown


class Distribution:
    """What a parameter may be in a study: `quantile(u)` is the value below which it lies with probability u."""

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """Values for probabilities between 0 and 1."""
        raise NotImplementedError

    def below(self, x: float) -> float:
        """The probability of a value up to x."""
        raise NotImplementedError


def _settled(one: Any, **bounds: dict[str, Any]) -> None:
    """Each field as a float within its bounds."""
    for field, kept in bounds.items():
        object.__setattr__(one, field, number(getattr(one, field), type(one).__name__, field, **kept))


@advising
@dataclass(frozen=True)
class Normal(Distribution):
    """A normal distribution.

    >>> Normal(10.0, 2.0).quantile(np.array([0.5, 0.8413447460685429])).round(9).tolist()
    [10.0, 12.0]
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        _settled(self, mean={}, deviation={"above": 0.0})

    def quantile(self, u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        found: np.ndarray = self.mean + self.deviation * ndtri(u)
        return found

    def below(self, x: float) -> float:
        from scipy.special import ndtr

        return float(ndtr((x - self.mean) / self.deviation))


@advising
@dataclass(frozen=True)
class LogNormal(Distribution):
    """A positive number whose logarithm is normal: `median`, and the standard deviation `spread` of its natural logarithm.

    >>> LogNormal(2.0, 0.1).quantile(np.array([0.5])).tolist()
    [2.0]
    """

    median: float
    spread: float

    def __post_init__(self) -> None:
        _settled(self, median={"above": 0.0}, spread={"above": 0.0})

    def quantile(self, u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        found: np.ndarray = self.median * np.exp(self.spread * ndtri(u))
        return found

    def below(self, x: float) -> float:
        from scipy.special import ndtr

        return float(ndtr(math.log(x / self.median) / self.spread)) if x > 0.0 else 0.0


@advising
@dataclass(frozen=True)
class Uniform(Distribution):
    """All values between two bounds are equally likely.

    >>> Uniform(1.0, 3.0).quantile(np.array([0.25])).tolist()
    [1.5]
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _settled(self, low={})
        _settled(self, high={"above": self.low})

    def quantile(self, u: np.ndarray) -> np.ndarray:
        return self.low + (self.high - self.low) * u

    def below(self, x: float) -> float:
        return min(1.0, max(0.0, (x - self.low) / (self.high - self.low)))


@advising
@dataclass(frozen=True)
class Triangular(Distribution):
    """A density that rises linearly from `low` to `mode` and falls to `high`.

    >>> Triangular(0.0, 1.0, 2.0).quantile(np.array([0.125, 0.5])).tolist()
    [0.5, 1.0]
    """

    low: float
    mode: float
    high: float

    def __post_init__(self) -> None:
        _settled(self, low={})
        _settled(self, mode={"low": self.low})
        _settled(self, high={"above": self.low, "low": self.mode})

    def quantile(self, u: np.ndarray) -> np.ndarray:
        width, left, right = self.high - self.low, self.mode - self.low, self.high - self.mode
        rising = self.low + np.sqrt(u * width * left)
        return np.where(u * width <= left, rising, self.high - np.sqrt((1.0 - u) * width * right))

    def below(self, x: float) -> float:
        width = self.high - self.low
        if x <= self.low or x >= self.high:
            return float(x >= self.high)
        if x <= self.mode:
            return (x - self.low) ** 2 / (width * (self.mode - self.low))
        return 1.0 - (self.high - x) ** 2 / (width * (self.high - self.mode))


@advising
@dataclass(frozen=True)
class OneOf(Distribution):
    """One of some numbers, all equally likely.

    >>> OneOf([10, 20]).quantile(np.array([0.3, 0.9])).tolist()
    [10.0, 20.0]
    """

    values: Sequence[float] | np.ndarray

    def __post_init__(self) -> None:
        found = numbers(self.values, "OneOf", "values", shape=(None,))
        if not len(found):
            fail("OneOf", "values", "must hold at least one number")
        object.__setattr__(self, "values", tuple(found.tolist()))

    def quantile(self, u: np.ndarray) -> np.ndarray:
        count = len(self.values)
        found: np.ndarray = np.array(self.values)[np.minimum((np.asarray(u) * count).astype(int), count - 1)]
        return found

    def below(self, x: float) -> float:
        found: float = sum(value <= x for value in self.values) / len(self.values)
        return found


@advising
@dataclass(frozen=True)
class Truncated(Distribution):
    """Another distribution, given that the value lies between two bounds; either may be infinite.

    >>> Truncated(Normal(0.0, 1.0), 0.0, math.inf).quantile(np.array([0.6826894921370859])).round(9).tolist()
    [1.0]
    """

    of: Distribution
    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", as_distribution(self.of, "Truncated: of"))
        _settled(self, low={"finite": False})
        _settled(self, high={"finite": False, "above": self.low})
        if not self.of.below(self.high) > self.of.below(self.low):
            fail("Truncated", "low", f"= {self.low!r} … high = {self.high!r}: {shown(self.of)} has no values there; widen it")

    def quantile(self, u: np.ndarray) -> np.ndarray:
        least, most = self.of.below(self.low), self.of.below(self.high)
        found: np.ndarray = np.clip(self.of.quantile(least + (most - least) * np.asarray(u)), self.low, self.high)
        return found

    def below(self, x: float) -> float:
        least, most = self.of.below(self.low), self.of.below(self.high)
        found: float = min(1.0, max(0.0, (self.of.below(x) - least) / (most - least)))
        return found


@dataclass(frozen=True)
class FromScipy(Distribution):
    """A distribution of scipy.stats with its numbers, such as `scipy.stats.beta(2, 5)`.

    >>> from scipy.stats import expon
    >>> FromScipy(expon(scale=2.0)).quantile(np.array([0.0])).tolist()
    [0.0]
    """

    frozen: Any

    def quantile(self, u: np.ndarray) -> np.ndarray:
        return np.asarray(self.frozen.ppf(u), dtype=float)

    def below(self, x: float) -> float:
        return float(self.frozen.cdf(x))


def as_distribution(given: Any, label: str) -> Distribution:
    """One of ours, or one of scipy.stats with its numbers.

    >>> as_distribution(Uniform(0, 1), "parameter 'k'")
    Uniform(low=0.0, high=1.0)
    """
    if isinstance(given, Distribution):
        return given
    if callable(getattr(given, "ppf", None)) and callable(getattr(given, "cdf", None)) and not hasattr(given, "freeze"):
        return FromScipy(given)
    fail(label, "value", f"= {shown(given)} must be a distribution: sr.Normal, sr.Uniform, …, or a frozen one of scipy.stats")


def listed(given: Any) -> bool:
    """Whether something is a list of values and not a distribution."""
    return isinstance(given, Iterable) and not isinstance(given, str | bytes | Distribution)
