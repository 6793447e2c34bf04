"""Actions of events on the state, signals and other events, compiled: a run with thousands of them needs no Python.

Events that change the structure, or stop the run, are left to Python, and so is a moment at which one of them happens.
"""

from sharnir.dynamics.bodies.kinematics import update_poses
from sharnir.dynamics.constraints.constraint_equations import update_constraints
from sharnir.dynamics.constraints.cut_joint_forces import cut_potential
from sharnir.dynamics.evaluation.right_hand_sides import prepare
from sharnir.dynamics.events.impact import signal_at, strike
from sharnir.dynamics.forces.energy import kinetic_energy, potential_energy, potential_of_bodies
from sharnir.dynamics.memory import event_layout as A
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory import switch_memory as H
from sharnir.dynamics.signals.signal_evaluation import (
    NOISE,
    distance_from_switch,
    evaluate_events,
    full_evaluation,
    hold_side,
    release_switch,
    settle_zeros,
    switch_memory,
    turn_switch,
    update_masses,
    update_states,
)
from sharnir.integrate.events import event_book as B
from sharnir.integrate.events.chattering import QUIET, note_happening
from sharnir.kernel import Pointer, address_of, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE

LEAP = 1e-6  # of an argument of a switch, at one moment: it has jumped
OFF = 2.0  # direction of an event that does not count
MOMENT = 1e-13  # of a time: that is the same one
NEVER = 1e100  # s; differences of infinities are not numbers


def act_on_events(t, y, book, table, params, work):
    """All that happens at one moment: events in their order, then those that they cause."""
    tab, b = fixed_ints(table), doubles(book)
    n = tab[L.N_EVENT] + tab[L.N_SWITCH]
    evaluate_events(t, y, address_of(b, B.ROWS + B.FIRST * n), table, params, work)
    b[B.WORK] = 0.0
    turn_switches(t, y, book, table, params, work)
    evaluate_events(t, y, address_of(b, B.ROWS + B.VALUE * n), table, params, work)
    if tab[L.N_SWITCH] > 0:
        join_jumps(tab, b, n)
    copy_row(b, n, B.VALUE, B.FIRST)
    join_clocks(t, tab, b, n)
    while is_pending(tab, b, n):
        if not is_light(tab, b, n):
            b[B.ANSWER] = B.ASK
            return
        copy_row(b, n, B.PENDING, B.HAPPENED)
        for i in range(tab[L.N_EVENT]):
            at = B.ROWS + i
            if b[at + B.PENDING * n] == 1.0 and b[at + B.DIRECTION * n] != OFF:  # an event before it may have switched it off
                done = happen(t, y, book, table, params, work, i)
                if note_happening(book, n, i, t) != QUIET or not done:
                    b[B.ANSWER], b[B.CULPRIT] = B.CHATTER if done else B.STUCK, i
                    return
        find_caused(t, y, book, table, params, work)
        if tab[L.N_SWITCH] > 0:
            doubles(work)[tab[L.W_SWITCH]] = H.SETTLE
    b[B.ANSWER] = B.DONE


@jit
def turn_switches(t, y, book, table, params, work):
    """Switches of formulas that have crossed zero hold their other side; one that chatters no longer holds any."""
    tab, b, w = fixed_ints(table), doubles(book), doubles(work)
    first = tab[L.N_EVENT]
    n, turned = first + tab[L.N_SWITCH], False
    for k in range(tab[L.N_SWITCH]):
        b[B.ROWS + B.VALUE * n + first + k] = w[switch_memory(tab, k) + H.BARE]
    for k in range(tab[L.N_SWITCH]):
        at = B.ROWS + first + k
        if b[at + B.PENDING * n] == 1.0:
            turned = True
            b[at + B.PENDING * n] = 0.0
            s = switch_memory(tab, k)
            if w[s + H.HELD] >= 0.0:  # else an earlier part of the run has released it
                turn_switch(t, y, table, params, work, k)
                if note_happening(book, n, first + k, t) != QUIET and w[s + H.HELD] >= 0.0:
                    release_switch(w, s)
            if w[s + H.HELD] < 0.0:
                b[at + B.DIRECTION * n] = OFF
    if turned:
        settle_jumped(t, y, book, table, params, work)


@jit
def settle_jumped(t, y, book, table, params, work):
    """Switches whose arguments have jumped, since another one in them has turned, are on the side where they are now.

    So are those that nobody has looked at so far, since they stand in the other branch of an if.
    """
    tab, b, w = fixed_ints(table), doubles(book), doubles(work)
    first = tab[L.N_EVENT]
    n, unsure = first + tab[L.N_SWITCH], False
    full_evaluation(t, y, address_of(w, tab[L.W_EVENT]), table, params, work)
    for k in range(tab[L.N_SWITCH]):
        s = switch_memory(tab, k)
        g, before = w[s + H.BARE], b[B.ROWS + B.VALUE * n + first + k]
        if w[s + H.HELD] > 0.0 and abs(g - before) > LEAP * max(1.0, abs(g)):
            if distance_from_switch(g, w[s + H.WHOLE]) > NOISE:
                hold_side(w, s)
            else:
                w[s + H.HELD], unsure = 0.0, True
        elif w[s + H.HELD] == 0.0 and distance_from_switch(g, w[s + H.WHOLE]) > NOISE:
            hold_side(w, s)
    if unsure:
        settle_zeros(t, y, table, params, work)


@jit
def join_jumps(tab, b, n):
    """Events whose functions jump over zero where a switch turns happen now."""
    for i in range(tab[L.N_EVENT]):
        at = B.ROWS + i
        before, g, d = b[at + B.FIRST * n], b[at + B.VALUE * n], b[at + B.DIRECTION * n]
        rises, falls = before < 0.0 and g >= 0.0, before > 0.0 and g <= 0.0
        if abs(g - before) > B.JUMP and (((d == 0.0 or d == 1.0) and rises) or ((d == 0.0 or d == -1.0) and falls)):
            b[at + B.PENDING * n] = 1.0


@jit
def join_clocks(t, tab, b, n):
    """Timed events whose moment is this one, to rounding, happen now, so that all come in their order."""
    for i in range(tab[L.N_EVENT]):
        timed = tab[tab[L.T_ACTION] + A.EVENT_SIZE * i + A.TIME] >= 0
        if timed and b[B.ROWS + B.DIRECTION * n + i] != OFF and abs(b[B.ROWS + B.VALUE * n + i]) <= MOMENT * max(1.0, abs(t)):
            b[B.ROWS + B.PENDING * n + i] = 1.0


@jit
def is_pending(tab, b, n):
    """Something is to happen."""
    found = False
    for i in range(tab[L.N_EVENT]):
        found = found or b[B.ROWS + B.PENDING * n + i] == 1.0
    return found


@jit
def is_light(tab, b, n):
    """All that is to happen is compiled, and there is room to note it."""
    light = b[B.LOGGED] + n <= B.CAPACITY
    for i in range(tab[L.N_EVENT]):
        if b[B.ROWS + B.PENDING * n + i] == 1.0:
            light = light and tab[tab[L.T_ACTION] + A.EVENT_SIZE * i + A.LIGHT] == 1
    return light


@jit
def copy_row(b, n, source, target):
    for i in range(n):
        b[B.ROWS + target * n + i] = b[B.ROWS + source * n + i]


@jit
def find_caused(t, y, book, table, params, work):
    """Functions that what has happened has taken over zero are to happen next."""
    tab, b, w = fixed_ints(table), doubles(book), doubles(work)
    n = tab[L.N_EVENT] + tab[L.N_SWITCH]
    now = tab[L.W_EVENT] + tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]
    evaluate_events(t, y, address_of(w, now), table, params, work)
    for i in range(tab[L.N_EVENT]):
        at = B.ROWS + i
        before, g, d = b[at + B.VALUE * n], w[now + i], b[at + B.DIRECTION * n]
        side = b[at + B.SIDE * n]
        if abs(side) == 1.0 and g != before:
            before = side
        rises, falls = before < 0.0 and g >= 0.0, before > 0.0 and g <= 0.0
        jumps = ((d == 0.0 or d == 1.0) and rises) or ((d == 0.0 or d == -1.0) and falls)
        b[at + B.PENDING * n] = 1.0 if jumps and b[at + B.HAPPENED * n] == 0.0 else 0.0
        b[at + B.VALUE * n] = g
        first = b[at + B.FIRST * n]
        timed = tab[tab[L.T_ACTION] + A.EVENT_SIZE * i + A.TIME] >= 0
        if abs(g - first) > max(100.0 * abs(first), MOMENT * max(1.0, abs(t)) if timed else B.JUMP):
            b[at + B.SIDE * n] = B.MOVED


@jit
def happen(t, y, book, table, params, work, i):
    """One event: its actions in their order, and a line in the log; False if an action cannot be done."""
    tab, par, b = fixed_ints(table), fixed_doubles(params), doubles(book)
    n, event = tab[L.N_EVENT] + tab[L.N_SWITCH], tab[L.T_ACTION] + A.EVENT_SIZE * i
    entry = B.LOG + B.LOG_ENTRY * int(b[B.LOGGED])
    stored, rest = energy(t, y, table, params, work)
    b[entry], b[entry + 1], b[entry + 2] = t, i, stored + rest
    for action in range(tab[event + A.FIRST], tab[event + A.END], A.ACTION_SIZE):
        if not act(t, y, book, table, params, work, action):
            return False
    set_clock(t, tab, par, doubles(work), event)
    if tab[event + A.MOST] > 0 and b[B.ROWS + B.COUNT * n + i] + 1.0 >= tab[event + A.MOST]:
        b[B.ROWS + B.DIRECTION * n + i] = OFF
    after, rest = energy(t, y, table, params, work)
    b[entry + 3] = after + rest
    b[B.WORK] += after - stored
    b[B.LOGGED] += 1.0
    return True


@jit
def set_clock(t, tab, par, w, event):
    """When a timed event happens next."""
    if tab[event + A.TIME] >= 0:
        clock = tab[event + A.CLOCK]
        w[tab[L.W_SIGNAL] + tab[event + A.TIME]] = next_time(t, par[clock], par[clock + 1])


@jit
def next_time(t, first, period):
    """The first moment of a timed event behind t."""
    if t < first:
        return first
    return NEVER if period == 0.0 else first + (int((t - first) / period + 1e-9) + 1) * period


@jit
def energy(t, y, table, params, work):
    """Energy at a state: what a balance of power is held against (kinetic, gravity, flexible bodies), and all the rest."""
    tab, par, w, q = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y)
    update_states(tab, w, q)
    if tab[L.F_MASSES] != 0:
        update_masses(t, y, table, params, work)
    prepare(t, tab, par, w, q, shift(q, tab[L.N_Q]))
    update_poses(tab, w, 0.0)
    bodies = potential_of_bodies(tab, par, w)
    stored, rest = kinetic_energy(tab, par, w, shift(q, tab[L.N_Q])) + bodies, potential_energy(t, tab, par, w, q) - bodies
    if tab[L.N_CUT_FORCE] > 0:
        update_constraints(t, tab, par, w, q)
        rest += cut_potential(t, tab, par, w)
    return stored, rest


@jit
def act(t, y, book, table, params, work, action):
    """One action; False if it cannot be done."""
    tab, par, b = fixed_ints(table), fixed_doubles(params), doubles(book)
    n = tab[L.N_EVENT] + tab[L.N_SWITCH]
    kind, target, signal = tab[action + A.KIND], tab[action + A.TARGET], tab[action + A.SIGNAL]
    if kind == A.SWITCH:
        switched = tab[L.T_ACTION] + A.EVENT_SIZE * target
        b[B.ROWS + B.DIRECTION * n + target] = tab[switched + A.TURN] if signal == 1 else OFF
        if signal == 1:
            set_clock(t, tab, par, doubles(work), switched)
        return True
    value = par[tab[action + A.NUMBER]] if signal < 0 else signal_at(t, y, table, params, work, signal)
    if kind == A.STRIKE:
        rate = signal_at(t, y, table, params, work, target)
        wanted = -value * rate if tab[action + A.REBOUNDS] == 1 else value
        return strike(t, y, table, params, work, target, wanted - rate)
    doubles(y)[tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z] - tab[L.N_CONTROL] + target] = value
    return True


ACTIONS = Pointer(act_on_events, DERIVATIVE)
