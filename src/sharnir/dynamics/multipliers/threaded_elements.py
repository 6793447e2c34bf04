"""Constraint elements of a large system in parts, for two threads: equations and right sides first, then blocks of A.

A block needs the Jacobians of two elements, which may belong to different parts.
"""

from sharnir.dynamics.constraints.constraint_equations import update_acceleration_residual, update_element
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record
from sharnir.dynamics.multipliers.multiplier_solvers import update_blocks
from sharnir.dynamics.sparse import plan_layout as S
from sharnir.kernel import Pointer, address_of, doubles, fixed_doubles, fixed_ints, ints, jit, number_of, share
from sharnir.kernel.signatures import JOB

PARTS = 8
KINDS = (L.CUT_BALL, L.CUT_JOINT, L.CUT_FREE_JOINT)  # these write to memory of their own, and call no functions of users
TIME, STATE, RATES, TABLE, PARAMS, WORK = 0, 1, 2, 3, 4, 5  # arguments of the job


@jit
def update_part(t, tab, par, w, q, vdot, item, hand):
    """Equations of one part of the elements (items 0 … PARTS - 1), or their blocks of A; scratch memory of one of the threads."""
    n, part = tab[L.N_ELEMENT], item % PARTS
    for x in range(part * n // PARTS, (part + 1) * n // PARTS):
        if item < PARTS:
            e = element_record(tab, x)
            update_element(t, tab, par, w, q, e)
            update_acceleration_residual(tab, par, w, vdot, e)
        else:
            update_blocks(tab, par, w, x, par[L.RANK_TOLERANCE], hand)


def _equations(item, hand, arguments):
    a = ints(arguments)
    tab, par, w = fixed_ints(a[TABLE]), fixed_doubles(a[PARAMS]), doubles(a[WORK])
    update_part(doubles(arguments)[TIME], tab, par, w, doubles(a[STATE]), doubles(a[RATES]), item, hand)


def _blocks(item, hand, arguments):
    a = ints(arguments)
    tab, par, w = fixed_ints(a[TABLE]), fixed_doubles(a[PARAMS]), doubles(a[WORK])
    update_part(doubles(arguments)[TIME], tab, par, w, doubles(a[STATE]), doubles(a[RATES]), PARTS + item, hand)


EQUATIONS, BLOCKS = Pointer(_equations, JOB), Pointer(_blocks, JOB)


@jit
def update_parts(t, tab, par, w, q, vdot):
    """Equations, right sides and blocks of A of all elements, with the second thread, if there is one."""
    at = tab[L.W_SOLVER] + tab[tab[L.T_SOLVER] + S.W_BOX]
    box, arguments = ints(address_of(w, at))[0], address_of(w, at + 1)
    a = ints(arguments)
    doubles(arguments)[TIME] = t
    a[STATE], a[RATES] = number_of(address_of(q, 0)), number_of(address_of(vdot, 0))
    a[TABLE], a[PARAMS] = number_of(address_of(tab, 0)), number_of(address_of(par, 0))
    a[WORK] = number_of(address_of(w, 0))
    share(box, tab[L.F_EQUATIONS], PARTS, arguments)
    share(box, tab[L.F_PART_BLOCKS], PARTS, arguments)
