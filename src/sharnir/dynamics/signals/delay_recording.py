"""Recording of delayed signals: values at the nodes of every accepted step, written to history tapes (integrate/stepping)."""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.signals.signal_evaluation import event_functions
from sharnir.integrate.stepping.history_tape import COMPARE, FORGET, misfit, take_back, write_tape
from sharnir.kernel import Pointer, address_of, doubles, fixed_ints, inline, jit
from sharnir.kernel.signatures import DERIVATIVE

signals_at = jit(event_functions)


DELAY_SIZE = 2  # of a record behind those of events in T_EVENT, which begin with their number
RECORDED, TAPE = 0, 1  # signals: the one that is delayed, and the address of its tape


@inline
def delay_record(tab, d):
    """The record of delay d."""
    return tab[L.T_EVENT] + tab[L.N_EVENT] + 1 + DELAY_SIZE * d


@inline
def count_of_delays(tab):
    """How many signals are recorded."""
    return tab[tab[L.T_EVENT] + tab[L.N_EVENT]]


@jit
def tape_at(number):
    """A tape by its address, which stands in memory as a number."""
    return doubles(int(number))


@jit
def forget_records(tab, w):
    """The last record of every tape goes."""
    s = tab[L.W_SIGNAL]
    for d in range(count_of_delays(tab)):
        tape = w[s + tab[delay_record(tab, d) + TAPE]]
        if tape != 0.0:
            take_back(tape_at(tape))


def keep_values(t, y, out, table, params, work):
    """One node of a record: `out` holds its number, beginning and end of the record, and the relative tolerance.

    Number COMPARE: how far the last records are from the signals at t, in tolerances, is written there; FORGET: they go.
    """
    tab, w, where = fixed_ints(table), doubles(work), doubles(out)
    k, t0, t1 = int(where[0]), where[1], where[2]
    if k == FORGET:
        forget_records(tab, w)
        return
    signals_at(t, y, address_of(w, tab[L.W_EVENT] + tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]), table, params, work)
    s = tab[L.W_SIGNAL]
    where[0] = 0.0
    for d in range(count_of_delays(tab)):
        delay = delay_record(tab, d)
        address, u = w[s + tab[delay + TAPE]], w[s + tab[delay + RECORDED]]
        if address != 0.0:  # zero: nobody has put in a tape
            tape = tape_at(address)
            if k == COMPARE:
                where[0] = max(where[0], misfit(tape, t, u, where[3]))
            else:
                write_tape(tape, k, t0, t1, u)


HISTORY = Pointer(keep_values, DERIVATIVE)
