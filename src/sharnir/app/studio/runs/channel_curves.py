"""Values of channels over time for the page, thinned out to what a screen shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.app.studio.examination import finite
from sharnir.errors import ModelError
from sharnir.results import Result, UnknownChannelError

MOST_CURVE = 4000  # points of a curve that are sent; more are thinned out


def curves(
    result: Result | None, names: list[str], start: float | None = None, end: float | None = None, most: int = MOST_CURVE
) -> dict[str, Any]:
    """Curves of channels between two times; least and largest of every interval, so that no peak is lost.

    >>> from sharnir.results import Channel
    >>> found = curves(Result([0.0, 1.0], [Channel("O.q", np.array([1.0, 2.0]), "rad")]), ["O.q"])
    >>> found["curves"][0]["values"], found["span"]
    ([1.0, 2.0], [0.0, 1.0])
    """
    if result is None or not len(result.t):
        raise ModelError("the run has no results")
    t = result.t
    first = 0 if start is None else max(0, int(np.searchsorted(t, float(start), side="left")) - 1)
    last = len(t) if end is None else min(len(t), int(np.searchsorted(t, float(end), side="right")) + 1)
    found = []
    for name in names:
        values, unit = channel_values(result, name)
        times, thinned = thinned_out(t[first:last], values[first:last], min(max(int(most), 10), 10 * MOST_CURVE))
        entry = {
            "name": name,
            "unit": unit,
            "t": times.tolist(),
            "values": finite(thinned.tolist()),
            "samples": max(0, last - first),
        }
        found.append(entry)
    return {"curves": found, "span": [float(t[0]), float(t[-1])]}


def channel_values(result: Result, name: str) -> tuple[np.ndarray, str]:
    """Values and unit of a channel with one number at each time."""
    try:
        values = np.asarray(result[name], float)
        unit = str(result.channel(name if name in result else name.split("[")[0]).unit)
    except UnknownChannelError as error:
        raise ModelError(str(error)) from None
    if values.ndim != 1:
        parts = ", ".join(result.components(name)[:4])
        raise ModelError(f"channel {name!r} has several components; choose one of {parts}")
    return values, unit


def thinned_out(t: np.ndarray, x: np.ndarray, most: int = MOST_CURVE) -> tuple[np.ndarray, np.ndarray]:
    """At most so many points, with the least and the largest value of every interval: no peak is lost.

    >>> t = np.linspace(0, 1, 100_001)
    >>> x = np.zeros(100_001)
    >>> x[777] = 5.0
    >>> times, values = thinned_out(t, x, 100)
    >>> len(times) <= 100, float(values.max())
    (True, 5.0)
    """
    if len(t) <= most:
        return t, x
    count = max(1, most // 2)
    width = -(-len(t) // count)
    known = np.where(np.isfinite(x), x, 0.0)
    whole = len(t) // width
    rows = known[: whole * width].reshape(whole, width)
    start = width * np.arange(whole)
    ends = [start + rows.argmin(axis=1), start + rows.argmax(axis=1)]
    if whole * width < len(t):
        rest = known[whole * width :]
        ends.append(whole * width + np.array([rest.argmin(), rest.argmax()]))
    kept = np.unique(np.concatenate(ends))
    return t[kept], x[kept]
