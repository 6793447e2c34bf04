"""Friction loads where all responses are known beforehand: for derived code, which writes them down as formulas.

It leaves reactions without friction at R0, and at S what a unit of every single load changes of them; every load is a direction
of its own (load_iteration.py finds directions one after the other).
"""

import math

from sharnir.dynamics.friction.joint_friction import W_LOAD, W_SLIP, friction_wrench
from sharnir.dynamics.friction.load_equations import (
    EVALUATIONS,
    FORCE,
    STATUS,
    friction_places,
    memory_of,
    record_of,
    solve_branch,
    update_loads,
)
from sharnir.dynamics.friction.load_iteration import JAMMED, SOLVED, set_loads, slides
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import load3, store3


@jit
def update_unit_wrench(tab, par, w, j, to):
    """Force and torque on the child of joint j about its point, world axes, per unit of load; the element has been called."""
    at = memory_of(tab, j)
    slip, load = load3(w, at + W_SLIP), w[at + W_LOAD]
    store3(w, at + W_SLIP, (0.0, 0.0, 0.0))  # what is viscous does not grow with the load
    w[at + W_LOAD] = 1.0
    force, torque, _ = friction_wrench(tab, par, w, tab[record_of(tab, j) + FORCE])
    store3(w, at + W_SLIP, slip)
    w[at + W_LOAD] = load
    store3(w, to, force)
    store3(w, to + 3, torque)


def unit_wrenches(t, y, yd, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    f = friction_places(tab)
    for j in range(f.m):
        update_unit_wrench(tab, par, w, j, f.R + 6 * j)


@jit
def solve_given(tab, par, w):
    """Loads P that fit the reactions R0 + S P, on the branch that begins without friction; not-a-number if friction jams."""
    f = friction_places(tab)
    update_loads(tab, par, w, 0, 1.0)
    status = SOLVED
    if slides(tab, w):
        for i in range(f.m * f.m):
            w[f.Q + i] = 0.0
        for i in range(f.m):
            w[f.Q + i * (f.m + 1)] = 1.0
        if not solve_branch(tab, par, w, f.m):
            status = JAMMED
            for j in range(f.m):
                w[f.P + j] = math.nan
    set_loads(tab, w, f.P)
    w[f.own + STATUS], w[f.own + EVALUATIONS] = status, 1.0


def given_responses(t, y, yd, table, params, work):
    solve_given(fixed_ints(table), fixed_doubles(params), doubles(work))


UNIT_WRENCHES, GIVEN_RESPONSES = Pointer(unit_wrenches, DERIVATIVE), Pointer(given_responses, DERIVATIVE)
