"""Upper bounds of the step size: the predicted motion of the bodies, and the limits set by contacts, wheels and stops."""

import math

from sharnir.dynamics.bodies.kinematics import update_kinematics, update_motions, update_poses
from sharnir.dynamics.constraints.constraint_equations import update_constraints
from sharnir.dynamics.contact.conservative_advancement import (
    ACCELERATION,
    ASKED,
    BEGINS,
    CROSSING,
    DEEP,
    DEEPEST,
    DEEPEST_AT,
    JERK,
    LEAST,
    LEAST_AT,
    LOCATES,
    LONG,
    POSE,
    SAFE,
    TURNING,
    TURNING_JERK,
    body_memory,
    distance,
)
from sharnir.dynamics.evaluation.dead_point_steps import bound_passage
from sharnir.dynamics.evaluation.joint_stops import RATE_AHEAD, rate_of_stop, stop_horizon, stop_memory
from sharnir.dynamics.forces.force_elements import call_element
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import approach_record, pose_work
from sharnir.integrate.stepping import step_horizon as S
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import load3, scale, store3, sub

PART = 1e-3  # of a step: accelerations are differences of speeds over it


def bound_step(t, y, ahead, table, params, work):
    """As said in `Problem.horizon`; the state and its rates are at hand in `ahead`."""
    tab, par, w, a, q = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(ahead), doubles(y)
    g = tab[L.W_APPROACH]
    w[g + ASKED], w[g + LOCATES] = a[S.ASKED], 1.0 if a[S.CREDIT] >= a[S.CUT] else 0.0
    since = t - a[S.BEFORE] if a[S.KNOWN] == 1.0 and a[S.BEFORE] < t else math.inf
    update_expected_motion(t, tab, par, w, q, a, since)
    a[S.SAFE] = a[S.CROSSING] = math.inf
    a[S.BEGINS] = 0.0
    for k in range(tab[L.N_APPROACH]):
        e = approach_record(tab, k)
        begin_answer(w, g)
        call_element(tab[e], t, tab[e + 1], g, tab, par, w)
        keep_worst(w, tab[e + 2], t, w[g + DEEP], w[g + SAFE], w[g + ASKED])
        take_answer(w, g, a)
    for k in range(tab[L.N_STOP]):
        begin_answer(w, g)
        stop_horizon(tab, par, w, q, k, PART * a[S.ASKED], since)
        take_answer(w, g, a)
    if tab[L.N_ELEMENT] > 0 and tab[L.SOLVER] == L.DENSE:
        n = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]
        bound_passage(t, tab, par, w, a, shift(a, S.HEADER + 2 * n + 6 * tab[L.N_BODY]), q)
    a[S.BEFORE], a[S.KNOWN] = t, 1.0


HORIZON = Pointer(bound_step, DERIVATIVE)


@jit
def begin_answer(w, g):
    """Nothing is known against the step."""
    w[g + SAFE], w[g + CROSSING], w[g + BEGINS], w[g + DEEP] = math.inf, math.inf, 0.0, 0.0


@jit
def take_answer(w, g, a):
    """What one element says counts if it asks for less than those before."""
    if w[g + SAFE] < a[S.SAFE]:
        a[S.SAFE], a[S.BEGINS] = w[g + SAFE], w[g + BEGINS]
    a[S.CROSSING] = min(a[S.CROSSING], w[g + CROSSING])


@jit
def keep_worst(w, at, t, deep, safe, asked):
    """What a run reports in the end."""
    if deep > w[at + DEEPEST]:
        w[at + DEEPEST], w[at + DEEPEST_AT] = deep, t
    if safe < asked:
        w[at + LONG] += 1.0
        if w[at + LONG] == 1.0 or safe < w[at + LEAST]:
            w[at + LEAST], w[at + LEAST_AT] = safe, t


@jit
def update_poses_at(t, tab, par, w, q):
    """Poses and velocities of bodies at a state, and coordinates of cut joints where stops need them."""
    update_motions(t, tab, w, 0.0)
    update_kinematics(tab, par, w, q, shift(q, tab[L.N_Q]), 0.0)
    update_poses(tab, w, 0.0)
    if tab[L.N_STOP] > 0 and tab[L.N_ELEMENT] > 0:
        update_constraints(t, tab, par, w, q)


@jit
def update_expected_motion(t, tab, par, w, q, a, since):
    """Poses, velocities, accelerations of all bodies at a state, and how fast accelerations have changed since the last one."""
    n, n_body, h = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z], tab[L.N_BODY], PART * a[S.ASKED]
    rates, moved, past = shift(a, S.HEADER), shift(a, S.HEADER + n), shift(a, S.HEADER + 2 * n)
    for k in range(n):
        moved[k] = q[k] + h * rates[k]
    update_poses_at(t + h, tab, par, w, moved)
    for i in range(n_body):
        p, m = pose_work(tab, i), body_memory(tab, i)
        store3(w, m + ACCELERATION, load3(w, p + 12))
        store3(w, m + TURNING, load3(w, p + 15))
    for k in range(tab[L.N_STOP]):
        w[stop_memory(tab, k) + RATE_AHEAD] = rate_of_stop(tab, w, moved, k)
    update_poses_at(t, tab, par, w, q)
    for i in range(n_body):
        p, m = pose_work(tab, i), body_memory(tab, i)
        acceleration = scale(sub(load3(w, m + ACCELERATION), load3(w, p + 12)), 1.0 / h)
        turning = scale(sub(load3(w, m + TURNING), load3(w, p + 15)), 1.0 / h)
        w[m + JERK] = distance(acceleration, load3(past, 6 * i)) / since
        w[m + TURNING_JERK] = distance(turning, load3(past, 6 * i + 3)) / since
        store3(w, m + ACCELERATION, acceleration)
        store3(w, m + TURNING, turning)
        store3(past, 6 * i, acceleration)
        store3(past, 6 * i + 3, turning)
        for k in range(L.W_POSE_SIZE):
            w[m + POSE + k] = w[p + k]
