"""A force by a function of the user: states of bodies in, forces and torques out."""

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply, point_state
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.dynamics.memory.records import frame_params
from sharnir.errors import ModelError
from sharnir.kernel import Pointer, address_of, call_body_force, doubles, fixed_doubles, fixed_ints
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model import UserForce
from sharnir.spatial.vector import add, cross, load3, load9, multiply, rotate, store3, store9

# F_DATA: the address of the function, offset in `table` (count of bodies, their numbers), offset in `work` (what it is given:
# per body r 3, R 9, v 3, ω 3, each for all bodies in turn; what it fills: forces 3, torques 3)
ADDRESS, BODIES, BUFFER = 0, 1, 2
STATE = 18  # numbers per body that it is given
FORCE, TORQUE = 0, 3  # outputs of one body
OUTPUTS = 6


def add_user_force(t, f, _, table, params, work):
    """Fill the state, call the function, apply what it has filled at the bodies' origins."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    n, first = tab[tab[f + L.F_DATA + BODIES]], tab[f + L.F_DATA + BODIES] + 1
    at = tab[f + L.F_DATA + BUFFER]
    forces = at + STATE * n
    torques = forces + 3 * n
    for k in range(n):
        i = tab[first + k]
        R, r, v, om = pose_of(tab, w, i, 0.0)
        p = frame_params(tab, i)
        d = rotate(R, load3(par, p + 9))
        store3(w, at + 3 * k, add(r, d))
        store9(w, at + 3 * n + 9 * k, multiply(R, load9(par, p)))
        store3(w, at + 12 * n + 3 * k, add(v, cross(om, d)))
        store3(w, at + 15 * n + 3 * k, om)
    for k in range(6 * n):
        w[forces + k] = 0.0
    call_body_force(tab[f + L.F_DATA + ADDRESS], t, n, address_of(w, at), address_of(w, forces))
    for k in range(n):
        i, out = tab[first + k], tab[f + L.W_OUT] + OUTPUTS * k
        # not from the function's own arrays: it may have used them as scratch
        point, _ = point_state(tab, w, i, load3(par, frame_params(tab, i) + 9))
        force, torque = load3(w, forces + 3 * k), load3(w, torques + 3 * k)
        apply(tab, w, i, point, force, torque)
        store3(w, out + FORCE, force)
        store3(w, out + TORQUE, torque)


USER_FORCE = Pointer(add_user_force, DERIVATIVE)


@force_record(UserForce, USER_FORCE)
def user_row(blocks: Blocks, row: np.ndarray, force: UserForce, drawing: Drawing) -> None:
    """The record of a user's force."""
    numbers = [drawing.number(name) for name in force.bodies]
    if min(numbers) < 0:
        raise ModelError(f"{force.label}: bodies = {force.bodies!r} names the ground, which does not move; leave it out")
    n = len(numbers)
    row[L.BODY_A], row[L.BODY_B] = numbers[0], -1
    row[L.F_DATA + ADDRESS] = drawing.functions.body_force(force.function, force.label, n)
    row[L.F_DATA + BODIES] = blocks.append("table", None, [n, *numbers])
    row[L.F_DATA + BUFFER] = blocks.append("work", None, np.zeros((STATE + OUTPUTS) * n))
