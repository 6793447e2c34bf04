"""Signals at one state: sensors, the program of formulas and blocks, rates of the control states.

Sensors are measures (measures.py) of one element without constraint equations. The program (signal_program.py) is compiled for
the model in two parts: signals that forces may use, evaluated before them, and signals that depend on accelerations together with
the rates of states, evaluated after them.
"""

import math

from sharnir.dynamics.bodies.kinematics import update_kinematics, update_motions, update_poses
from sharnir.dynamics.constraints.constraint_equations import update_constraints
from sharnir.dynamics.constraints.measures import measure_places, measure_record, update_measures
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory import switch_memory as H
from sharnir.dynamics.memory.records import body_work, target_of
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.kernel import Pointer, address_of, call_derivative, doubles, fixed_doubles, fixed_ints, inline, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import dot, dot6, load3, load6

BAND = 1e-5  # of what a difference has been at most: a band in which the branches of a switch pass into each other
MOMENT = 1e-9  # s: where a switch that is zero is going shows after it
NOISE = 1e-12  # of a switch, in its own units: it is zero, as functions of events are (event_memory.py)
FAR = 2.0  # times the range of a switch within a step: so far from zero it has not crossed it between two stages


@jit
def run_program(t, tab, w, part, rates):
    """One part of the program on the memory of sensors and signals."""
    measures = address_of(w, tab[tab[L.T_SENSOR] + L.E_WORK])
    call_derivative(tab[part], t, measures, address_of(w, tab[L.W_SIGNAL]), address_of(rates, 0), 0, 0)


def early_signals(t, y, v, table, params, work):
    """Sensors and the signals that forces may use; (q) stands at y, (v) at v."""
    tab, par, w, q = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y)
    update_poses(tab, w, 0.0)
    if tab[L.SENSES_CUTS] == 1:
        update_sensed_cuts(t, tab, par, w, q, doubles(v))
    update_measures(t, tab, par, w, q, doubles(v), tab[L.T_SENSOR])
    run_program(t, tab, w, L.F_PROGRAM, w)


@jit
def update_sensed_cuts(t, tab, par, w, q, v):
    """Coordinates of cut joints; callers may have q and v apart, and z not at all."""
    state, n_q = shift(w, tab[L.W_SENSED]), tab[L.N_Q]
    for k in range(n_q):
        state[k] = q[k]
    for k in range(tab[L.N_V]):
        state[n_q + k] = v[k]
    update_constraints(t, tab, par, w, state)


@jit
def update_measured_accelerations(tab, par, w, vdot):
    """ẍ = ẍ without accelerations + Σ J a of all sensors; needs accelerations of bodies.

    A sensor measures between two sides, each a term of the element: a body, the base, or a speed itself.
    """
    e = tab[L.T_SENSOR]
    s = measure_places(tab, e)
    for k in range(s.n):
        m = measure_record(tab, e, k)
        a = w[s.bias + k]
        a += side_acceleration(tab, par, w, vdot, e, tab[m + L.M_A], s.block + 12 * k)
        a += side_acceleration(tab, par, w, vdot, e, tab[m + L.M_B], s.block + 12 * k + 6)
        w[s.result + k] = a


@jit
def side_acceleration(tab, par, w, vdot, e, term, block):
    """J a of one side of a sensor: a of its body less gravity, which the base has too, or v̇ of a speed; term -1: no side."""
    if term < 0:
        return 0.0
    target, J = target_of(tab, e, term), load6(w, block)
    if target >= 0:
        return dot6(J, load6(w, body_work(tab, target) + L.ACC))
    if target == -1:
        return -dot((J[0], J[1], J[2]), load3(par, L.GRAVITY))
    return J[0] * vdot[-2 - target]


@jit
def update_states(tab, w, q):
    """States of control, and tracked coordinates for sensors, from the state (q, v, z) to where signals find them."""
    first = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z] - tab[L.N_CONTROL]
    states = tab[L.W_SIGNAL] + tab[L.N_SIGNAL] + tab[L.N_HELD]
    for k in range(tab[L.N_CONTROL]):
        w[states + k] = q[first + k]
    if tab[L.SENSES_CUTS] == 1:
        for k in range(tab[L.N_Q] + tab[L.N_V], first):
            w[tab[L.W_SENSED] + k] = q[k]


@jit
def full_evaluation(t, y, yd, table, params, work):
    """ẏ with states of control: the mechanism's own right-hand side, then what depends on accelerations."""
    tab, par, w, q, qd = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y), doubles(yd)
    first = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z] - tab[L.N_CONTROL]
    update_states(tab, w, q)
    if tab[L.F_MASSES] != 0:
        update_masses(t, y, table, params, work)
    run_dynamics(t, y, yd, table, params, work)
    if tab[L.SENSES_LATE] == 1:
        vdot = shift(qd, tab[L.N_Q])
        update_body_accelerations(tab, par, w, vdot, True)
        update_measured_accelerations(tab, par, w, vdot)
        if tab[L.F_OBSERVED] != 0:
            run_observed(t, y, table, params, work)
    run_program(t, tab, w, L.F_LATE, shift(qd, first))


def derivative_with_signals(t, y, yd, table, params, work):
    full_evaluation(t, y, yd, table, params, work)
    note_switches(fixed_ints(table), doubles(work))


@inline
def switch_memory(tab, k):
    """Where the memory of switch k stands."""
    return tab[L.W_SWITCH] + H.FIRST + k * H.SIZE


@jit
def side_of(g, whole):
    """Which side a difference is on: its sign, or the whole number below it."""
    if whole != 0.0:
        return float(math.floor(g))
    return 1.0 if g > 0.0 else -1.0


@jit
def distance_from_switch(g, whole):
    """How far a difference is from zero, or from the nearest whole number."""
    return abs(g - math.floor(g + 0.5)) if whole != 0.0 else abs(g)


@jit
def hold_side(w, s):
    """The side on which a switch is holds from now on; what is watched of a whole number belongs to it."""
    g = w[s + H.BARE]
    side = side_of(g, w[s + H.WHOLE])
    w[s + H.HELD], w[s + H.SIDE] = 1.0, side
    if w[s + H.WHOLE] != 0.0:
        w[s + H.WATCHED] = (g - side) * (side + 1.0 - g)


@jit
def look_ahead(t, y, table, params, work):
    """Evaluate a moment later: where switches that are zero are going. ẏ stands in W_EVENT."""
    tab, w, state = fixed_ints(table), doubles(work), doubles(y)
    n = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]
    ahead = tab[L.W_AHEAD]
    for i in range(n):
        w[ahead + i] = state[i] + MOMENT * w[tab[L.W_EVENT] + i]
    full_evaluation(t + MOMENT, address_of(w, ahead), address_of(w, ahead + n), table, params, work)


@jit
def settle_sides(t, y, table, params, work):
    """The sides of all switches at a state from which a run begins; needs a full evaluation there.

    One that is zero to rounding is where it is going, by the derivative of the formulas as they are written.
    """
    tab, w = fixed_ints(table), doubles(work)
    w[tab[L.W_SWITCH]] = H.HOLDS
    unsure = False
    for k in range(tab[L.N_SWITCH]):
        s = switch_memory(tab, k)
        if w[s + H.HELD] >= 0.0 and distance_from_switch(w[s + H.BARE], w[s + H.WHOLE]) > NOISE:
            hold_side(w, s)
        elif w[s + H.HELD] >= 0.0:
            w[s + H.HELD], unsure = 0.0, True
    if unsure:
        settle_zeros(t, y, table, params, work)
        full_evaluation(t, y, address_of(w, tab[L.W_EVENT]), table, params, work)


@jit
def settle_zeros(t, y, table, params, work):
    """Switches of which no side is held go where they are a moment later; of one that stays zero none is held until it moves."""
    tab, w = fixed_ints(table), doubles(work)
    full_evaluation(t, y, address_of(w, tab[L.W_EVENT]), table, params, work)
    look_ahead(t, y, table, params, work)
    for k in range(tab[L.N_SWITCH]):
        s = switch_memory(tab, k)
        if w[s + H.HELD] == 0.0 and (w[s + H.WHOLE] != 0.0 or w[s + H.BARE] != 0.0):
            hold_side(w, s)


@jit
def turn_switch(t, y, table, params, work, k):
    """Switch k crosses zero at a state: the side to which it goes holds, or none if it would come back with that one.

    One that has jumped, or has been astray (sides_of_zero.py), is farther from zero than it goes in a moment: it is where it is.
    """
    tab, w = fixed_ints(table), doubles(work)
    s = switch_memory(tab, k)
    before, held, change = w[s + H.SIDE], w[s + H.HELD], change_ahead(t, y, table, params, work, s)
    whole, g = w[s + H.WHOLE], w[s + H.BARE] - change
    if change == 0.0 and g == 0.0 and whole == 0.0:
        w[s + H.HELD] = 0.0
        return
    other = held == 0.0 or side_of(g, whole) != before
    if change == 0.0 or (other and distance_from_switch(g, whole) > max(0.5 * NOISE, abs(change))):
        hold_side(w, s)
        return
    border = math.floor(g + 0.5)
    up, down = (border, border - 1.0) if whole != 0.0 else (1.0, -1.0)
    w[s + H.HELD], w[s + H.SIDE] = 1.0, up if change > 0.0 else down
    if (held == 0.0 or w[s + H.SIDE] != before) and change_ahead(t, y, table, params, work, s) * change < 0.0:
        release_switch(w, s)  # both branches lead back: the motion slides along the switch


@jit
def release_switch(w, s):
    """No side is held any longer: the branches are blended within a band."""
    w[s + H.HELD], w[s + H.WIDTH] = -1.0, max(BAND * w[s + H.WIDTH], 1e-300)


@jit
def change_ahead(t, y, table, params, work, s):
    """How much a switch changes within a moment, with the sides that are held."""
    tab, w = fixed_ints(table), doubles(work)
    full_evaluation(t, y, address_of(w, tab[L.W_EVENT]), table, params, work)
    g = w[s + H.BARE]
    look_ahead(t, y, table, params, work)
    return w[s + H.BARE] - g


@jit
def value_of_switch(w, s):
    """What a run watches of a switch: positive on the side that holds; negative, where none does, once it is not zero."""
    g = w[s + H.WATCHED]
    if w[s + H.HELD] < 0.0 or w[s + H.WHOLE] != 0.0:
        return g
    return g * w[s + H.SIDE] if w[s + H.HELD] > 0.0 else -abs(g)


@jit
def evaluate_events(t, y, out, table, params, work):
    """Values of all event functions at a state."""
    tab, par, w, q, values = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y), doubles(out)
    if tab[L.EVENTS_LATE] == 1 or tab[L.N_SWITCH] > 0:
        full_evaluation(t, y, address_of(w, tab[L.W_EVENT]), table, params, work)
        if tab[L.N_SWITCH] > 0 and w[tab[L.W_SWITCH]] == H.SETTLE:
            settle_sides(t, y, table, params, work)
    else:
        update_states(tab, w, q)
        update_motions(t, tab, w, 0.0)
        update_kinematics(tab, par, w, q, shift(q, tab[L.N_Q]), 0.0)
        update_signals(t, tab, par, w, q, shift(q, tab[L.N_Q]))
    for k in range(tab[L.N_EVENT]):
        values[k] = w[tab[L.W_SIGNAL] + tab[tab[L.T_EVENT] + k]]
    for k in range(tab[L.N_SWITCH]):
        s = switch_memory(tab, k)
        values[tab[L.N_EVENT] + k] = value_of_switch(w, s)
        if w[s + H.HELD] >= 0.0:  # until then it is the largest difference so far
            w[s + H.WIDTH] = max(w[s + H.WIDTH], abs(w[s + H.BARE]))


def event_functions(t, y, out, table, params, work):
    evaluate_events(t, y, out, table, params, work)


@jit
def note_switches(tab, w):
    """The range of every switch over the stages of a step."""
    for k in range(tab[L.N_SWITCH]):
        s = switch_memory(tab, k)
        g = w[s + H.WATCHED]
        w[s + H.LEAST], w[s + H.MOST], w[s + H.LAST] = min(w[s + H.LEAST], g), max(w[s + H.MOST], g), g


def calm_switches(t, y, out, table, params, work):
    """out[0] = 1 if all switches stayed far from zero at the stages since the last call; needs an evaluation at the end.

    Before: the part of this range that counts in the next call.
    """
    tab, w, kept = fixed_ints(table), doubles(work), doubles(out)[0]
    calm = w[tab[L.W_SWITCH]] == H.HOLDS
    for k in range(tab[L.N_SWITCH]):
        s = switch_memory(tab, k)
        low, high, held = w[s + H.LEAST], w[s + H.MOST], w[s + H.HELD]
        if w[s + H.WHOLE] == 0.0 and held >= 0.0:
            w[s + H.WIDTH] = max(w[s + H.WIDTH], -low, high)
            if w[s + H.SIDE] < 0.0:
                low, high = -high, -low
        calm = calm and (held < 0.0 or (held > 0.0 and low > FAR * (high - low)))
        g = w[s + H.LAST]
        w[s + H.LEAST], w[s + H.MOST] = g + kept * (w[s + H.LEAST] - g), g + kept * (w[s + H.MOST] - g)
    doubles(out)[0] = 1.0 if calm else 0.0


EARLY, WITH_SIGNALS = Pointer(early_signals, DERIVATIVE), Pointer(derivative_with_signals, DERIVATIVE)
EVENTS, CALM = Pointer(event_functions, DERIVATIVE), Pointer(calm_switches, DERIVATIVE)


@jit
def run_dynamics(t, y, yd, table, params, work):
    """The right-hand side of the mechanism."""
    call_derivative(fixed_ints(table)[L.F_DYNAMICS], t, y, yd, table, params, work)


@jit
def run_observed(t, y, table, params, work):
    """Reactions and other quantities that depend on accelerations."""
    call_derivative(fixed_ints(table)[L.F_OBSERVED], t, y, y, table, params, work)


@jit
def update_masses(t, y, table, params, work):
    """Inertias of bodies whose tanks empty; what is called from here on sees them as constants."""
    call_derivative(fixed_ints(table)[L.F_MASSES], t, y, y, table, params, work)


@jit
def update_signals(t, tab, par, w, q, v):
    """Sensors and signals before forces; nothing without them."""
    f = tab[L.F_SIGNALS]
    if f != 0:
        call_derivative(f, t, address_of(q, 0), address_of(v, 0), address_of(tab, 0), address_of(par, 0), address_of(w, 0))
