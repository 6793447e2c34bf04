"""Step lengths with which a run passes singular positions, such as dead points: no stage stands near to one.

With δ the distance from a singular position, errors of a state are divided by δ² on their way to the accelerations. The motion
itself passes smoothly, so a step over the position is as good as any, if the position lies in the widest gap between its stages.
A step that ends beside it instead begins the next one with an acceleration of few digits; and one that is rejected for that ends
still nearer. The smallest pivot of the constraint equations goes with δ², its root crosses zero with a slope.
"""

import math

from sharnir.dynamics.evaluation.constrained_right_hand_side import update_correction, update_position_system
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.multipliers.multiplier_solvers import distance_from_singularity
from sharnir.integrate.stepping import step_horizon as S
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE

PART = 1e-2  # of the step: over it the rate of the root is taken
SEEN = 4.0  # steps ahead: a position farther away is nobody's concern yet
AHEAD = 1.6  # steps ahead: from here on two steps lead up to it
BESIDE = 0.02  # part of a step by which the position may lie behind the middle of the gap
BEGUN = 0.02  # part of a step: a run that stands there already needs no shorter steps
MEMORY = 3  # numbers:
ROOT, SINCE, REST = 0, 1, 2  # the root at the beginning of the present step, when that was, and the time from there to zero


@jit
def root_of_pivot(t, tab, par, w, q):
    """√ of the smallest pivot at a position."""
    update_position_system(t, tab, par, w, q, shift(q, tab[L.N_Q]), shift(q, tab[L.N_Q] + tab[L.N_V]))
    update_correction(tab, par, w, tab[L.W_G], par[L.RANK_TOLERANCE])
    return math.sqrt(max(distance_from_singularity(tab, w), 0.0))


@jit
def time_to_zero(t, tab, par, w, a, q):
    """When the root of the pivot reaches zero, from now on; infinite: it does not."""
    n, h = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z], PART * a[S.ASKED]
    rates, moved = shift(a, S.HEADER), shift(a, S.HEADER + n)
    for k in range(n):
        moved[k] = q[k] + h * rates[k]
    later = root_of_pivot(t + h, tab, par, w, moved)
    now = root_of_pivot(t, tab, par, w, q)
    return now * h / (now - later) if now > later else math.inf


@jit
def bound_passage(t, tab, par, w, a, own, q):
    """A limit of the step, if a singular position is near; `own`: numbers that are kept from step to step.

    The pivot of the last evaluation, which was at the end of the last step or near, says whether it is worth looking. Returns
    whether it was: then a shorter step from here on has to ask again.
    """
    if own[SINCE] != t:
        root, since, before = math.sqrt(max(distance_from_singularity(tab, w), 0.0)), t - own[SINCE], own[ROOT]
        own[ROOT], own[SINCE], own[REST] = root, t, math.inf
        if a[S.GAP] > 0.0 and since > 0.0 and root < before and root * since < SEEN * a[S.ASKED] * (before - root):
            own[REST] = time_to_zero(t, tab, par, w, a, q)
    rest, middle = own[REST], a[S.GAP]
    if rest < BEGUN * a[S.ASKED]:
        return False
    if rest < middle * a[S.ASKED]:
        a[S.SAFE] = min(a[S.SAFE], rest / middle)
    elif (middle + BESIDE) * a[S.ASKED] < rest < AHEAD * a[S.ASKED]:
        a[S.SAFE] = min(a[S.SAFE], 0.5 * rest)
    return rest < math.inf


def pass_horizon(t, y, ahead, table, params, work):
    """As said in `Problem.horizon`, for mechanisms without contacts and stops."""
    tab, par, w, a = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(ahead)
    n = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]
    a[S.SAFE] = a[S.CROSSING] = math.inf
    a[S.BEGINS] = 0.0
    near = bound_passage(t, tab, par, w, a, shift(a, S.HEADER + 2 * n), doubles(y))
    a[S.BEFORE], a[S.KNOWN] = t, 0.0 if near else 1.0


PASS_HORIZON = Pointer(pass_horizon, DERIVATIVE)
