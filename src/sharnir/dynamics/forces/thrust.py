"""Rocket engines: thrust, the Coriolis forces of the flow within the body, and the inertia of a body whose tank empties.

A control volume with the inertia (m, h, J) of what is in it at the moment obeys the equations of a rigid body with these forces
at its origin O besides the thrust; μ is the flow, r_e the nozzle, what is in the tank (mass m_p, J_p about O) keeps its place:

    F = -2 μ ω × (r_e - r_p),    M = (μ/m_p) J_p ω - μ r_e × (ω × r_e) - ω × (μ r_p × r_e).
"""

from typing import Any

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.dynamics.memory.records import body_params
from sharnir.dynamics.methods.lagrange1 import CENTER, INVERSE_INERTIA, INVERSE_MASS, inverse_record
from sharnir.errors import ModelError
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, inline, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model import Thrust
from sharnir.spatial.inertia import symmetric_sum, symmetric_times
from sharnir.spatial.vector import add, cross, load3, load6, rotate, rotate_back, scale, store3, store6, sub

TANK_SIZE = 3  # of a record in T_TANK
TANK_BODY, TANK_PARAMS, TANK_MASS = 0, 1, 2  # the last two: offset of its numbers in `params`, of its mass in `work`

# params of a thrust: nozzle 3, axis 3, exhaust speed, mass of the full tank, 1 with jet damping,
NOZZLE, AXIS, SPEED, FULL, JET = 0, 3, 6, 7, 8
CONTENT = 9  # inertia of the full tank: mass, first moment 3, inertia about the origin 6, engine axes
WHOLE = 19  # inertia of the body with the full tank
BEYOND = 0.1  # of the mass of a body without propellant: what trial states may take from it
FORCE, MASS = 0, 1  # F_DATA: offsets in `work` of its thrust and of the mass in its tank, which are signals


@jit
def add_thrust(tab, par, w, f):
    """The force of one engine; its value and the mass in its tank are signals."""
    p, i = tab[f + L.F_PARAMS], tab[f + L.BODY_A]
    force, mass = w[tab[f + L.F_DATA + FORCE]], w[tab[f + L.F_DATA + MASS]]
    R, o, _, om = pose_of(tab, w, i, 0.0)
    nozzle, full, flow = load3(par, p + NOZZLE), par[p + FULL], force / par[p + SPEED]
    push, zero = rotate(R, scale(load3(par, p + AXIS), force)), (0.0, 0.0, 0.0)
    apply(tab, w, i, add(o, rotate(R, nozzle)), push, zero)
    if par[p + JET] != 0.0:
        turn = rotate_back(R, om)
        tank = scale(load3(par, p + CONTENT + 1), 1.0 / full)
        force_jet = scale(cross(turn, sub(nozzle, tank)), -2.0 * flow)
        gain = scale(symmetric_times(load6(par, p + CONTENT + 4), turn), flow / full)
        leaves = add(cross(nozzle, cross(turn, nozzle)), cross(turn, cross(tank, nozzle)))
        torque_jet = sub(gain, scale(leaves, flow))
        apply(tab, w, i, o, rotate(R, force_jet), rotate(R, torque_jet))
    store3(w, tab[f + L.W_OUT], (force, mass, flow))


def thrust(_t, record, _unused, table, params, work):
    add_thrust(fixed_ints(table), fixed_doubles(params), doubles(work), record)


@inline
def tank_record(tab, k):
    """Tank k; T_TANK begins with their number."""
    return tab[L.T_TANK] + 1 + k * TANK_SIZE


@inline
def least_in_tank(par, p):
    """Below zero: a step that finds the tank empty on its way is smooth up to its end, and the event is located within it."""
    return -BEYOND * (par[p + WHOLE] - par[p + CONTENT])


def masses(_t, _y, _unused, table, params, work):
    """Inertias of all bodies with tanks, from the masses that stand among the states of control."""
    tab, par, w = fixed_ints(table), doubles(params), doubles(work)
    first = tab[L.T_TANK]
    for k in range(tab[first]):
        tank = tank_record(tab, k)
        body, p = body_params(tab, tab[tank + TANK_BODY]) + L.MASS, tab[tank + TANK_PARAMS]
        for j in range(10):
            par[body + j] = par[p + WHOLE + j]
    for k in range(tab[first]):
        tank = tank_record(tab, k)
        body, p = body_params(tab, tab[tank + TANK_BODY]) + L.MASS, tab[tank + TANK_PARAMS]
        burnt = 1.0 - max(w[tab[tank + TANK_MASS]], least_in_tank(par, p)) / par[p + FULL]
        for j in range(10):
            par[body + j] -= burnt * par[p + CONTENT + j]
    if tab[L.P_METHOD] != 0:
        for k in range(tab[first]):
            i = tab[tank_record(tab, k) + TANK_BODY]
            update_inverse_inertia(par, body_params(tab, i), inverse_record(tab, i))


@inline
def symmetric_inverse(S):
    """S⁻¹ by cofactors; S is (xx, xy, xz, yy, yz, zz)."""
    a, b, c = S[3] * S[5] - S[4] * S[4], S[2] * S[4] - S[1] * S[5], S[1] * S[4] - S[2] * S[3]
    d = 1.0 / (S[0] * a + S[1] * b + S[2] * c)
    e, f, g = S[0] * S[5] - S[2] * S[2], S[1] * S[2] - S[0] * S[4], S[0] * S[3] - S[1] * S[1]
    return d * a, d * b, d * c, d * e, d * f, d * g


@jit
def update_inverse_inertia(par, body, inverse):
    """1/m, the mass centre c and J_c⁻¹ of a body, which Lagrange I keeps, from its (m, m c, J) about the origin."""
    m, J = par[body + L.MASS], load6(par, body + L.INERTIA)
    c = scale(load3(par, body + L.FIRST_MOMENT), 1.0 / m)
    x, y, z = c
    moved = (-m * (y * y + z * z), m * x * y, m * x * z, -m * (x * x + z * z), m * y * z, -m * (x * x + y * y))  # to c
    par[inverse + INVERSE_MASS] = 1.0 / m
    store3(par, inverse + CENTER, c)
    store6(par, inverse + INVERSE_INERTIA, symmetric_inverse(symmetric_sum(J, moved)))


THRUST, MASSES = Pointer(thrust, DERIVATIVE), Pointer(masses, DERIVATIVE)


@force_record(Thrust, THRUST)
def thrust_row(blocks: Blocks, row: np.ndarray, force: Thrust, drawing: Drawing) -> None:
    """The record of an engine."""
    place, i = drawing.place, drawing.number(str(force.body))
    if i < 0:
        raise ModelError(f"{force.label}: body = 'ground' has no mass to lose; name another body")
    body, content = drawing.model.bodies[str(force.body)], tank_inertia(force, drawing, i)
    whole = place.body_params()[i, L.MASS : L.MASS + 10]
    if force.propellant >= body.mass:
        raise ModelError(f"{force.label}: propellant = {force.propellant:g} kg must be below the {body.mass:g} kg of its body")
    _check_dry(force, whole - content)
    nozzle, axis = drawing.point(str(force.body), force.at), drawing.direction(str(force.body), force.axis)
    numbers = [*nozzle, *axis, force.exhaust_speed, force.propellant, float(force.jet_damping), *content, *whole]
    row[L.BODY_A], row[L.BODY_B] = i, -1
    row[L.F_PARAMS] = blocks.append("params", None, numbers)
    signals, key = int(blocks.header[L.W_SIGNAL]), force.signal
    row[L.F_DATA + FORCE] = signals + drawing.functions.places[key]
    row[L.F_DATA + MASS] = signals + drawing.functions.places[f"{key}.m"]
    drawing.functions.tanks.append((i, int(row[L.F_PARAMS]), int(row[L.F_DATA + MASS])))


def tank_inertia(force: Thrust, drawing: Drawing, i: int) -> np.ndarray:
    """Mass, first moment and inertia about the body's origin of the full tank, engine axes."""
    place, body = drawing.place, drawing.model.bodies[str(force.body)]
    turn = place.rotation[i].T @ place.user_rotation[i]
    middle = place.user_position[i] + place.user_rotation[i] @ np.array(body.com)
    c = drawing.point(str(force.body), middle if force.tank is None else force.tank)
    xx, yy, zz, xy, xz, yz = force.tank_inertia
    own = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    m = force.propellant
    J = own + m * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([m, *(m * c), *J[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]])


def _check_dry(force: Thrust, dry: np.ndarray) -> None:
    """What is left when the tank is empty must be a body."""
    m, h = dry[0], dry[1:4]
    xx, xy, xz, yy, yz, zz = dry[4:]
    c = h / m
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
    scale = max(abs(xx), abs(yy), abs(zz))
    if np.linalg.eigvalsh(J)[0] < -1e-9 * scale:
        raise ModelError(
            f"{force.label}: the empty body would have a negative moment of inertia; the propellant (propellant, tank, "
            "tank_inertia) "
            "must be a part of the body's mass and inertia"
        )


def append_tanks(blocks: Blocks, tanks: list[Any]) -> None:
    """Which bodies lose mass."""
    if tanks:
        blocks.append("table", L.T_TANK, np.array([len(tanks), *(x for tank in tanks for x in tank)], np.int64))
        blocks.header[L.F_MASSES] = MASSES.address
