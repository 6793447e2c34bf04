"""Rocket engines: thrust, the Coriolis forces of the flow within the body, and the inertia of a body whose tank empties.

A control volume with the inertia (m, h, J) of what is in it at the moment obeys the equations of a rigid body with these forces
at its origin O besides the thrust; μ is the flow, r_e the nozzle, what is in the tank (mass m_p, J_p about O) keeps its place:

    F = -2 μ ω × (r_e - r_p),    M = (μ/m_p) J_p ω - μ r_e × (ω × r_e) - ω × (μ r_p × r_e).
"""

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory import tank_layout as T
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.inertia import symmetric_times
from sharnir.spatial.vector import add, cross, load3, load6, rotate, rotate_back, scale, store3, sub


@jit
def add_thrust(tab, par, w, f):
    """The force of one engine; its value and the mass in its tank are signals."""
    p, i = tab[f + L.F_PARAMS], tab[f + L.BODY_A]
    force, mass = w[tab[f + L.FUNCTION + 1]], w[tab[f + L.FUNCTION + 2]]
    R, o, _, om = pose_of(tab, w, i, 0.0)
    nozzle, full, flow = load3(par, p + T.NOZZLE), par[p + T.FULL], force / par[p + T.SPEED]
    push, zero = rotate(R, scale(load3(par, p + T.AXIS), force)), (0.0, 0.0, 0.0)
    apply(tab, w, i, add(o, rotate(R, nozzle)), push, zero)
    if par[p + T.JET] != 0.0:
        turn = rotate_back(R, om)
        tank = scale(load3(par, p + T.CONTENT + 1), 1.0 / full)
        force_jet = scale(cross(turn, sub(nozzle, tank)), -2.0 * flow)
        gain = scale(symmetric_times(load6(par, p + T.CONTENT + 4), turn), flow / full)
        leaves = add(cross(nozzle, cross(turn, nozzle)), cross(turn, cross(tank, nozzle)))
        torque_jet = sub(gain, scale(leaves, flow))
        apply(tab, w, i, o, rotate(R, force_jet), rotate(R, torque_jet))
    store3(w, tab[f + L.W_OUT], (force, mass, flow))


def thrust(_t, record, _unused, table, params, work):
    add_thrust(fixed_ints(table), fixed_doubles(params), doubles(work), record)


def masses(_t, _y, _unused, table, params, work):
    """Inertias of all bodies with tanks, from the masses that stand among the states of control."""
    tab, par, w = fixed_ints(table), doubles(params), doubles(work)
    first = tab[T.T_TANK]
    for k in range(tab[first]):
        tank = first + 1 + k * T.TANK_SIZE
        body, p = tab[L.P_BODY] + tab[tank] * L.P_BODY_SIZE + L.MASS, tab[tank + 1]
        for j in range(10):
            par[body + j] = par[p + T.WHOLE + j]
    for k in range(tab[first]):
        tank = first + 1 + k * T.TANK_SIZE
        body, p = tab[L.P_BODY] + tab[tank] * L.P_BODY_SIZE + L.MASS, tab[tank + 1]
        burnt = 1.0 - max(w[tab[tank + 2]], 0.0) / par[p + T.FULL]
        for j in range(10):
            par[body + j] -= burnt * par[p + T.CONTENT + j]


THRUST, MASSES = Pointer(thrust, DERIVATIVE), Pointer(masses, DERIVATIVE)
