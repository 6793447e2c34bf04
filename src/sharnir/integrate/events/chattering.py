"""Events that come ever faster: infinitely many within a finite time, or so many that a run never ends."""

from __future__ import annotations

from typing import Any

from sharnir.integrate.events import event_book as B
from sharnir.kernel import address, doubles, entry, jit, shift
from sharnir.kernel.signatures import Vector

QUIET, FASTER, AGAIN, RUSH = 0, 1, 2, 3  # nothing is wrong; gaps shrink to nothing; at one moment; tiny gaps without end
MOMENT = 1e-6  # part of the run: events that come ever faster, and would all have happened within it, chatter
SAME = 1e-10  # part of the run: that is one moment
MANY, HURRY = 1000, 1e-5  # this many happenings within this part of the run: 10⁸ of them to its end


@jit
def note_happening(book: Any, n: int, i: int, t: float) -> int:
    """Event i of n happens at t: count it, and return whether it chatters; HOW and UNTIL then give details."""
    b = doubles(book)
    count, times = B.ROWS + B.COUNT * n + i, shift(b, B.ROWS + B.KINDS * n + B.RECENT * i)
    b[count] += 1.0
    for k in range(B.RECENT - 1):
        times[k] = times[k + 1]
    times[B.RECENT - 1] = t
    how, happened = QUIET, int(b[count])
    if happened > B.RECENT:
        how, b[B.UNTIL] = accumulation(times, b[B.SPAN])
    if happened % MANY == 0:
        stamp = B.ROWS + B.STAMP * n + i
        if how == QUIET and happened > MANY and t - b[stamp] < HURRY * b[B.SPAN]:
            how, b[B.UNTIL] = RUSH, t
        b[stamp] = t
    if how != QUIET:
        b[B.CULPRIT], b[B.HOW] = i, how
    return how


@jit
def accumulation(times: Any, span: float) -> tuple[int, float]:
    """What becomes of an event that has happened at these times, in a run of this length, and when.

    The gaps of a bouncing ball shrink by a constant ratio, so what is left of them is the rest of a geometric series.
    """
    last = B.RECENT - 1
    shrinks, gap = True, times[1] - times[0]
    before = gap
    for k in range(1, last):
        before, gap = gap, times[k + 1] - times[k]
        shrinks = shrinks and gap < 0.98 * before
    if shrinks:
        rest = gap * gap / (before - gap)
        if rest <= MOMENT * span:
            return FASTER, times[last] + rest
    if times[last] - times[0] <= SAME * span:
        return AGAIN, times[last]
    return QUIET, 0.0


@entry
def count_happening(book: Vector, n: int, i: int, t: float) -> int:
    """`note_happening`, for Python."""
    return int(note_happening(address(book), n, i, t))


def complaint(name: str, book: Any) -> str:
    """What is wrong with an event that chatters."""
    how, t = int(book[B.HOW]), float(book[B.UNTIL])
    if how == FASTER:
        found = f"would happen infinitely often before t = {t:.9g}"
    elif how == AGAIN:
        found = f"happens again and again at t = {t:.9g}"
    else:
        found = f"has happened {MANY} times within {HURRY:g} of the run before t = {t:.9g}, which would never end"
    return (
        f"event '{name}' {found}: it chatters. A body that comes to rest needs a contact force, or an action that holds "
        "it; a switch needs hysteresis; `times=` limits how often an event may happen"
    )
