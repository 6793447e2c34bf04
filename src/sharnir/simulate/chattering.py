"""Events that come ever faster: when they would happen infinitely often within a finite time."""

from __future__ import annotations

import math
from itertools import pairwise

ACCUMULATING = 12  # happenings of one event that are looked at
MOMENT = 1e-6  # part of the run: events that come ever faster, and would all have happened within it, chatter


def accumulation(times: list[float], span: float) -> str:
    """What becomes of an event that has happened at these times in a run of this length; "" if nothing is wrong.

    The gaps of a bouncing ball shrink by a constant ratio, so what is left of them is the rest of a geometric series.

    >>> accumulation([1.0 - 0.5**k for k in range(30)], 1.0)
    'would happen infinitely often before t = 1'
    >>> accumulation([0.1 * k for k in range(12)], 2.0)
    ''
    """
    gaps = [b - a for a, b in pairwise(times)]
    shrinks = all(b < 0.98 * a for a, b in pairwise(gaps))
    ratio = gaps[-1] / gaps[-2] if gaps[-2] > 0.0 else 1.0
    rest = gaps[-1] * ratio / (1.0 - ratio) if shrinks else math.inf
    if rest > MOMENT * span and times[-1] - times[0] > 1e-12 * span:
        return ""
    t = times[-1]
    return f"would happen infinitely often before t = {t + rest:.9g}" if shrinks else f"happens again and again at t = {t:.9g}"
