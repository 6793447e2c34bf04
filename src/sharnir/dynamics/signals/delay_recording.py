"""What delays remember: signals at the nodes of every accepted step, written to their history tapes (integrate/stepping)."""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.signals.program_functions import TAPES
from sharnir.dynamics.signals.signal_evaluation import event_functions
from sharnir.integrate.stepping.history_tape import write_tape
from sharnir.kernel import PLAIN, Pointer, address_of, doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE

signals_at = jit(event_functions)

if PLAIN:

    def tape_at(number):
        """A tape by its number."""
        return TAPES[int(number)]
else:

    @jit
    def tape_at(number):  # type: ignore[misc]
        """A tape by its address, which stands in memory as a number."""
        return doubles(int(number))


def keep_values(t, y, out, table, params, work):
    """One node of a step: `out` holds its number, beginning and end of the step."""
    tab, w, where = fixed_ints(table), doubles(work), doubles(out)
    k, t0, t1 = int(where[0]), where[1], where[2]
    signals_at(t, y, address_of(w, tab[L.W_EVENT] + tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]), table, params, work)
    first, s = tab[L.T_EVENT] + tab[L.N_EVENT], tab[L.W_SIGNAL]
    for d in range(tab[first]):
        if w[s + tab[first + 2 + 2 * d]] != 0.0:  # zero: nobody has put in a tape
            write_tape(tape_at(w[s + tab[first + 2 + 2 * d]]), k, t0, t1, w[s + tab[first + 1 + 2 * d]])


HISTORY = Pointer(keep_values, DERIVATIVE)
