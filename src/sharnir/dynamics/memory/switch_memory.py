"""Switches of formulas in memory: what a comparison of the state leaves there, and which branch it takes, that of the side held.

A formula with a comparison of the state, such as `if(q > 1, …)`, leaves the difference g in memory whenever it is evaluated,
and takes the branch that a run holds at the time. The run watches g like the function of an event: where it crosses zero the
step ends, the other branch holds, and the run restarts. Outside a run nothing is held, and formulas are evaluated as written.

Where both branches lead back to the switch, as those of dry friction written by sign(v) do at rest, no side can hold: then
the formula passes from one branch to the other within a narrow band, and the run reports it.

min(…) and max(…) only bend, but they may be flat on both sides of something narrow, such as max(0, 1 - abs(q - 5)/0.01): they
are held as well, and where the motion comes back to a bend again and again it is simply no longer located. Peaks such as
exp(-((q - 5)/0.01)^2) are flat on both sides, too: steps end where they begin to count, and on their flanks (narrow_peaks.py).

In front of all switches stands OUTSIDE, or in the memory of a run HOLDS or SETTLE. held_sides.py writes formulas that call the
functions here; s is the memory of signals and k the place of the first switch of the call.
"""

import math

from sharnir.dynamics.memory.narrow_peaks import CLOSE, FAR_FOOT, FLANK, FOOT, HIGH, NEAR_FOOT, WIDE
from sharnir.kernel import inline

OUTSIDE, HOLDS, SETTLE = 0.0, 1.0, 2.0  # the number in front: nothing is held; sides are; they have to be looked at first
FIRST = 1  # place of the first switch
SIZE = 9  # numbers of a switch
WATCHED = 0  # what the run watches: the difference; of a whole number a function that is zero at both ends
HELD = 1  # whether a side is held; 0: the difference is zero and stays there; -1: never again
SIDE = 2  # which side
BARE = 3  # the difference itself
WHOLE = 4  # whether it is a whole number, of floor
WIDTH = 5  # of the band in which one branch passes into the other
LEAST, MOST, LAST = 6, 7, 8  # of what is watched, in this step; derived code writes these only: it computes idle branches


@inline
def watch(s, k, g):
    """A difference goes to where a run watches it."""
    s[k + WATCHED] = g
    s[k + BARE] = g


@inline
def part_above(s, k, g):
    """1 if g > 0, else 0; or what is held of it. k: where the memory of the switch stands."""
    watch(s, k, g)
    if s[k + HELD] == 0.0:
        return 1.0 if g > 0.0 else 0.0
    if s[k + HELD] > 0.0:
        return 1.0 if s[k + SIDE] > 0.0 else 0.0
    return 0.5 + 0.5 * math.tanh(g / s[k + WIDTH])


@inline
def part_not_below(s, k, g):
    """1 if g ≥ 0, else 0; or what is held of it."""
    watch(s, k, g)
    if s[k + HELD] == 0.0:
        return 1.0 if g >= 0.0 else 0.0
    if s[k + HELD] > 0.0:
        return 1.0 if s[k + SIDE] > 0.0 else 0.0
    return 0.5 + 0.5 * math.tanh(g / s[k + WIDTH])


@inline
def held_sign(s, k, g):
    """The sign of g, or the one that is held."""
    watch(s, k, g)
    if s[k + HELD] == 0.0:
        return 0.0 if g == 0.0 else math.copysign(1.0, g)
    if s[k + HELD] > 0.0:
        return s[k + SIDE]
    return math.tanh(g / s[k + WIDTH])


@inline
def held_floor(s, k, g):
    """The whole number below g, or the one that is held; what is watched falls through zero where g leaves the two around it.

    The upper one is not its own: a g that jumps there from the lower one has left.
    """
    below = s[k + SIDE] if s[k + HELD] > 0.0 else float(math.floor(g))
    s[k + WATCHED] = (g - below) * (below + 1.0 - g) if g != below + 1.0 else -1e-9
    s[k + BARE] = g
    return below


@inline
def held_greater(s, k, a, b):
    """The greater of two numbers, or the one of them that is held."""
    g = a - b
    watch(s, k, g)
    above = s[k + SIDE] > 0.0 if s[k + HELD] > 0.0 else g > 0.0
    return a if above else b


@inline
def held_less(s, k, a, b):
    """The lesser of two numbers, or the one of them that is held."""
    g = b - a
    watch(s, k, g)
    above = s[k + SIDE] > 0.0 if s[k + HELD] > 0.0 else g > 0.0
    return a if above else b


@inline
def watched_exponent(s, k, x):
    """x itself; steps end where exp(x) rises above rounding, and where it is large."""
    watch(s, k, x + FOOT)
    watch(s, k + SIZE, x + FLANK)
    return x


@inline
def watched_argument(s, k, x):
    """x itself; steps end where cosh(x)^-2 rises above rounding, and on its flanks, on both sides of zero."""
    watch(s, k, x + WIDE)
    watch(s, k + SIZE, x - WIDE)
    watch(s, k + 2 * SIZE, x + CLOSE)
    watch(s, k + 3 * SIZE, x - CLOSE)
    return x


@inline
def watched_sum(s, k, c, x):
    """c + x; steps end where 1/(c + x) rises above 1e-4 and a tenth of 1/c."""
    share = x / c if c > 0.0 else 0.0
    watch(s, k, FAR_FOOT - share)
    watch(s, k + SIZE, NEAR_FOOT - share)
    return c + x


@inline
def watched_base(s, k, x, p):
    """x itself; steps end where a high power |x|^p rises above rounding, and where it is large."""
    y = x * x
    watch(s, k, y - math.exp(-2.0 * FOOT / p) if p >= HIGH else 1.0)
    watch(s, k + SIZE, y - math.exp(-2.0 * FLANK / p) if p >= HIGH else 1.0)
    return x


FUNCTIONS = {
    "part_above": part_above,
    "part_not_below": part_not_below,
    "held_sign": held_sign,
    "held_floor": held_floor,
    "held_greater": held_greater,
    "held_less": held_less,
    "watched_exponent": watched_exponent,
    "watched_argument": watched_argument,
    "watched_sum": watched_sum,
    "watched_base": watched_base,
}
