"""Quantities that depend on accelerations, for signals and events: reactions, drives, energies, momenta, outputs of forces."""

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.constraints.cut_joint_forces import add_constraint_forces, cut_potential, observe_cut_drives, observe_cuts
from sharnir.dynamics.constraints.measure_equations import add_given_drives
from sharnir.dynamics.forces.energy import kinetic_energy, potential_energy, update_momentum
from sharnir.dynamics.memory import late_sensor_layout as O
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_of,
    body_record,
    end_freedom,
    first_freedom,
    motion_of,
    reaction_work,
    rotor_load,
)
from sharnir.dynamics.methods.newton_euler import update_reactions
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate, rotate_back, scale, store3, sub


@jit
def update_joint_reactions(tab, par, w, saved):
    """W_REACTION with multipliers in it; W_EXTERNAL is as before. Needs an evaluation, accelerations of bodies and poses."""
    n = tab[L.N_BODY] * L.W_EXTERNAL_SIZE if tab[L.N_FORCE] > 0 or tab[L.N_ELEMENT] > 0 else 0
    x = tab[L.W_EXTERNAL]
    for k in range(n):
        w[saved + k] = w[x + k]
    if tab[L.N_ELEMENT] > 0:
        add_constraint_forces(tab, w)
    update_reactions(tab, par, w, n > 0)
    for k in range(n):
        w[x + k] = w[saved + k]


@jit
def tree_reaction_at(tab, w, i, sign, point):
    """Force and torque about a world point through joint i of the tree: on the body (sign 1), or on its parent (-1)."""
    R, r, _, _ = pose_of(tab, w, i, 0.0)
    x = reaction_work(tab, i)
    force, torque = rotate(R, load3(w, x)), rotate(R, load3(w, x + 3))
    return scale(force, sign), scale(add(torque, cross(sub(r, point), force)), sign)


@jit
def observe_drive_forces(tab, par, w, drives, cuts):
    """Forces along all prescribed freedoms, in the tree and in cut joints."""
    out = shift(w, drives)
    for i in range(tab[L.N_BODY]):
        b, x = body_record(tab, i), reaction_work(tab, i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = motion_of(tab, f)
            if k >= 0:
                sl, sa = axis_of(tab, w, f)
                out[k] = dot(sl, load3(w, x)) + dot(sa, load3(w, x + 3)) + rotor_load(tab, par, w, k)
    if tab[L.N_ELEMENT] > 0:
        observe_cut_drives(tab, par, w, shift(w, cuts), out)
        add_given_drives(tab, par, w, out)


@jit
def observe_reaction(tab, par, w, at, cuts):
    """One joint: force and torque on its child, world axes and axes of the joint."""
    i, p, to = tab[at + O.B], tab[at + O.P], tab[at + O.TO]
    R, r, _, _ = pose_of(tab, w, i, 0.0)
    if tab[at] == O.TREE_REACTION:
        point = add(r, rotate(R, load3(par, p)))
        force, torque = tree_reaction_at(tab, w, tab[at + O.A], float(tab[at + O.SIGN]), point)
    else:
        c = cuts + 6 * tab[at + O.A]
        force, torque = load3(w, c), load3(w, c + 3)
    store3(w, to, force)
    store3(w, to + 3, torque)
    turn = load9(par, p + 3)
    store3(w, to + 6, rotate_back(turn, rotate_back(R, force)))
    store3(w, to + 9, rotate_back(turn, rotate_back(R, torque)))


@jit
def observe_number(t, tab, par, w, q, at, drives, cuts):
    """One record other than a reaction."""
    kind, to = tab[at], tab[at + O.TO]
    if kind == O.COPY:
        for j in range(tab[at + O.B]):
            w[to + j] = w[tab[at + O.A] + j]
    elif kind == O.DRIVE:
        w[to] = w[drives + tab[at + O.A]]
    elif kind == O.ENERGY:
        kinetic, potential = kinetic_energy(tab, par, w, shift(q, tab[L.N_Q])), potential_energy(t, tab, par, w, q)
        if tab[L.N_CUT_FORCE] > 0:
            potential += cut_potential(t, tab, par, w)
        store3(w, to, (kinetic, potential, kinetic + potential))
    else:
        update_momentum(tab, par, w, shift(w, to))


def observed_numbers(t, y, _, table, params, work):
    """All numbers that are observed; needs an evaluation and accelerations of bodies."""
    tab, par, w, q = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y)
    head = tab[L.T_OBSERVED]
    drives, cuts = tab[head + O.O_DRIVES], tab[head + O.O_CUTS]
    if tab[head + O.O_REACTIONS] == 1:
        update_joint_reactions(tab, par, w, tab[head + O.O_SAVED])
        if tab[L.N_ELEMENT] > 0:
            observe_cuts(tab, par, w, shift(w, cuts))
        if drives >= 0:
            observe_drive_forces(tab, par, w, drives, cuts)
    for k in range(tab[head]):
        at = head + O.O_HEADER + k * O.OBSERVED_SIZE
        if tab[at] <= O.CUT_REACTION:
            observe_reaction(tab, par, w, at, cuts)
        else:
            observe_number(t, tab, par, w, q, at, drives, cuts)


OBSERVED = Pointer(observed_numbers, DERIVATIVE)
