"""Reductions: functions of an output formula that make one number of a quantity over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Reduction:
    """value(t, x, *numbers) → a number; `unit` is made from that of x: "same", "time", "times time" or "none"."""

    value: Callable[..., float]
    arguments: int = 1
    unit: str = "same"
    meaning: str = ""


def integral(t: np.ndarray, x: np.ndarray) -> float:
    """∫ x dt by the trapezoidal rule; where x jumps, the same time occurs twice.

    >>> integral(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0, 5.0]))
    5.5
    """
    return float(np.sum(np.diff(t) * 0.5 * (x[1:] + x[:-1])))


def mean(t: np.ndarray, x: np.ndarray) -> float:
    """The mean over time."""
    return integral(t, x) / float(t[-1] - t[0]) if t[-1] > t[0] else float(x[-1])


def rms(t: np.ndarray, x: np.ndarray) -> float:
    """The root of the mean square.

    >>> rms(np.array([0.0, 1.0]), np.array([3.0, 3.0]))
    3.0
    """
    return float(np.sqrt(mean(t, x * x)))


def deviation(t: np.ndarray, x: np.ndarray) -> float:
    """The standard deviation over time."""
    return rms(t, x - mean(t, x))


def value_at(t: np.ndarray, x: np.ndarray, moment: float) -> float:
    """The value at a time, between outputs by a straight line; not-a-number outside the run.

    >>> value_at(np.array([0.0, 1.0]), np.array([2.0, 4.0]), 0.25)
    2.5
    """
    return float(np.interp(moment, t, x)) if t[0] <= moment <= t[-1] else float("nan")


def first_time(t: np.ndarray, x: np.ndarray) -> float:
    """The first output at which a condition holds; not-a-number if there is none.

    >>> first_time(np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0]))
    2.0
    """
    holds = np.flatnonzero(x != 0.0)
    return float(t[holds[0]]) if len(holds) else float("nan")


REDUCTIONS: dict[str, Reduction] = {
    "max": Reduction(lambda t, x: float(np.max(x)), meaning="the greatest value; max(a, b): the greater at each moment"),
    "min": Reduction(lambda t, x: float(np.min(x)), meaning="the least value; min(a, b): the lesser at each moment"),
    "span": Reduction(lambda t, x: float(np.max(x) - np.min(x)), meaning="max - min"),
    "mean": Reduction(mean, meaning="the mean over time"),
    "rms": Reduction(rms, meaning="the root of the mean square"),
    "deviation": Reduction(deviation, meaning="the standard deviation over time"),
    "initial": Reduction(lambda t, x: float(x[0]), meaning="the value at the start"),
    "final": Reduction(lambda t, x: float(x[-1]), meaning="the value at the end"),
    "at": Reduction(value_at, 2, meaning="at(x, 0.5): the value at 0.5 s"),
    "integral": Reduction(integral, unit="times time", meaning="the integral over time"),
    "time_of_max": Reduction(lambda t, x: float(t[np.argmax(x)]), unit="time", meaning="when x is greatest"),
    "time_of_min": Reduction(lambda t, x: float(t[np.argmin(x)]), unit="time", meaning="when x is least"),
    "first_time": Reduction(first_time, unit="time", meaning="first_time(x > 2): when a condition holds first"),
    "duration": Reduction(
        lambda t, x: integral(t, (x != 0.0).astype(float)), unit="time", meaning="duration(x > 2): how long a condition holds"
    ),
}
