"""Stops in joints (JointLimit with a law): how long a step may be before a coordinate meets its bound, and when it leaves it.

A stop cannot be flown through, only met and left again within one step; its law is not smooth at the bound.
"""

from __future__ import annotations

import math

import numpy as np

from sharnir.dynamics.contact.conservative_advancement import (
    ASKED,
    AT_ZERO,
    BEGINS,
    CROSSING,
    LOCATES,
    OF_SIZE,
    SAFE,
    at_most,
    expected_depth,
    travel_time,
)
from sharnir.dynamics.contact.contact_laws import EXPONENTIAL, LAW_KIND, LAW_SIZE
from sharnir.dynamics.contact.contact_records import LAWS
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.dynamics.memory.records import element_record
from sharnir.kernel import jit
from sharnir.model.forces import JointLimit

ON_CUT, PLACE, SPEED, NUMBERS = 0, 1, 2, 3  # of a stop: coordinate and speed, or element and freedom of a cut joint
LOWER, UPPER, RANGE, MASS = LAW_SIZE, LAW_SIZE + 1, LAW_SIZE + 2, LAW_SIZE + 3  # numbers of a stop, behind those of its law
RATE_AHEAD, PAST = 0, 1  # in work, for each: rate a moment later; acceleration at the beginning of the last step
LEAST_OF_RANGE = 1e-4  # that one step may always penetrate


@jit
def stop_record(tab, k):
    """Stop k: integers."""
    return tab[L.T_STOP] + 4 * k


@jit
def stop_memory(tab, k):
    """Stop k: numbers in work."""
    return tab[L.W_STOP] + 2 * k


@jit
def rate_of_stop(tab, w, q, k):
    """Speed of the coordinate of a stop at a state (q, v); needs update_constraints, if its joint is cut."""
    s = stop_record(tab, k)
    if tab[s + ON_CUT] == 1:
        return w[tab[element_record(tab, tab[s + PLACE]) + L.E_WORK] + L.CUT_RATE + tab[s + SPEED]]
    return q[tab[L.N_Q] + tab[s + SPEED]]


@jit
def stop_horizon(tab, par, w, q, k, h, since):
    """Lower SAFE and CROSSING to what both bounds of a stop allow; h: time to the rate ahead, since: to that of the last step."""
    s, m = stop_record(tab, k), stop_memory(tab, k)
    x = q[tab[s + PLACE]]
    if tab[s + ON_CUT] == 1:
        x = w[tab[element_record(tab, tab[s + PLACE]) + L.E_WORK] + L.CUT_U + tab[s + SPEED]]
    v, p = rate_of_stop(tab, w, q, k), tab[s + NUMBERS]
    a = (w[m + RATE_AHEAD] - v) / h
    jerk = abs(a - w[m + PAST]) / since
    w[m + PAST] = a
    if par[p + LOWER] > -math.inf:
        bound_horizon(tab, par, w, p, x - par[p + LOWER], -v, -a, jerk)
    if par[p + UPPER] < math.inf:
        bound_horizon(tab, par, w, p, par[p + UPPER] - x, v, a, jerk)


@jit
def bound_horizon(tab, par, w, p, gap, v, a, jerk):
    """One bound, at a gap that closes with speed v and acceleration a."""
    g = tab[L.W_APPROACH]
    dt, smooth = w[g + ASKED], par[p + LAW_KIND] == EXPONENTIAL
    if gap > 0.0 and not smooth and travel_time(gap, v, max(a, 0.0), jerk, dt) == dt:
        return
    law = expected_depth(par, p, par[p + MASS], abs(v), abs(a))
    inside = min(OF_SIZE * par[p + RANGE], max(law, LEAST_OF_RANGE * par[p + RANGE]))
    zero = AT_ZERO * inside
    if smooth or gap >= -zero:
        safe = at_most(travel_time(max(gap, 0.0) + inside, v, max(a, 0.0), jerk, dt), dt)
        w[g + BEGINS] = 1.0 if gap <= zero and safe < w[g + SAFE] else w[g + BEGINS]
        w[g + SAFE] = min(w[g + SAFE], safe)
    if not smooth and abs(gap) > zero and w[g + LOCATES] == 1.0:
        w[g + CROSSING] = min(w[g + CROSSING], first_root(gap, -v, -a))


@jit
def first_root(c, b, a):
    """The first s > 0 at which c + b s + a s²/2 is zero; infinite: there is none. c is not zero."""
    square = b * b - 2.0 * a * c
    if square < 0.0:
        return math.inf
    r = -(b + math.copysign(math.sqrt(square), b))  # the larger of two sums, so that no digits are lost
    one, two = 2.0 * c / r if r != 0.0 else math.inf, r / a if a != 0.0 else math.inf
    found = math.inf
    if one > 0.0:
        found = one
    if two > 0.0:
        found = min(found, two)
    return found


def append_stops(blocks: Blocks, drawing: Drawing) -> None:
    """Records of all stops with a law, in joints of the tree and in cut ones."""
    model, c = drawing.model, drawing.coordinates
    rows: list[list[int]] = []
    mass, spread = float(drawing.place.mass.sum()), float(np.ptp(drawing.place.position, axis=0).max(initial=0.0))
    for stop in model.forces.values():
        if not isinstance(stop, JointLimit) or stop.law is None:
            continue
        joint, k = model.joints[str(stop.joint)], int(stop.freedom)
        lower, upper = stop.bounds(model.joints)
        turns = joint.freedoms[k].unit == "rad"
        size = 1.0 if turns else spread or 1.0
        length = upper - lower if math.isfinite(upper - lower) else size
        inertia = mass * (spread or 1.0) ** 2 if turns else mass  # a guess: how deep a stop lets a joint in
        numbers = [LAWS[stop.law.kind], *stop.law.numbers, lower, upper, length, inertia]
        if joint.name in drawing.cuts:
            place = sum(motion is None for motion in joint.motion[:k])
            row = [1, drawing.cuts[joint.name], place]
        elif (joint.name, k) in c.speed_of:
            row = [0, c.coordinate_of[joint.name, k], c.speed_of[joint.name, k]]
        else:
            continue
        rows.append([*row, blocks.append("params", None, numbers)])
    if rows and not blocks.header[L.N_APPROACH]:
        bodies = int(blocks.header[L.N_BODY])
        blocks.append("work", L.W_APPROACH, np.zeros(L.W_APPROACH_HEADER + L.W_APPROACH_SIZE * bodies))
    blocks.header[L.N_STOP] = len(rows)
    blocks.append("table", L.T_STOP, np.array(rows, np.int64))
    blocks.append("work", L.W_STOP, np.zeros(2 * len(rows)))
