"""Forces and moments of the air at one state; see docs/theory/forces.md."""

import math
from typing import Any

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply, given, point_state
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.errors import ModelError
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model.forces import Aerodynamics
from sharnir.model.frames import rotation_matrix
from sharnir.spatial.vector import add, cross, dot, load3, load9, multiply, rotate, rotate_back, scale, store3, sub

# params: point, axes (x forward, z up) in engine axes, area, length, damping 3, then numbers of the entries; at F_DATA
# their addresses, 0: a number
POINT, AXES, AREA, LENGTH, DAMPING, NUMBERS = 0, 3, 12, 13, 14, 17
WIND, DENSITY, SOUND, DRAG, SIDE, LIFT, MOMENT = 0, 3, 4, 5, 6, 7, 8
ENTRIES = 11
FORCE, TORQUE, ALPHA, BETA, SPEED, PRESSURE = 0, 3, 6, 7, 8, 9  # outputs
OUTPUTS = 10


@jit
def entry(tab, par, w, f, k, x, y, z):
    """A number, or what a function gives."""
    address = tab[tab[f + L.F_DATA] + k]
    if address == 0:
        return par[tab[f + L.F_PARAMS] + NUMBERS + k]
    return given(tab, w, address, x, y, z)


@jit
def three(tab, par, w, f, k, x, y, z):
    """Three entries from k on."""
    return entry(tab, par, w, f, k, x, y, z), entry(tab, par, w, f, k + 1, x, y, z), entry(tab, par, w, f, k + 2, x, y, z)


@jit
def flow_force(tab, par, w, f, u, alpha, beta, x):
    """Coefficients of force in axes of the body; u: unit velocity relative to the air there."""
    upwards = cross(u, (0.0, 1.0, 0.0))
    size = math.sqrt(dot(upwards, upwards))
    upwards = scale(upwards, 1.0 / size) if size > 1e-12 else (0.0, 0.0, 0.0)  # straight sideways: there is no top
    force = scale(u, -entry(tab, par, w, f, DRAG, alpha, beta, x))
    force = add(force, scale(upwards, entry(tab, par, w, f, LIFT, alpha, beta, x)))
    return add(force, scale(cross(upwards, u), entry(tab, par, w, f, SIDE, alpha, beta, x)))


@jit
def update_air(t, tab, par, w, f):
    """Force and torque on the body, and outputs."""
    p, i, out = tab[f + L.F_PARAMS], tab[f + L.BODY_A], tab[f + L.W_OUT]
    for k in range(OUTPUTS):
        w[out + k] = 0.0
    R, _, _, om = pose_of(tab, w, i, 0.0)
    A = multiply(R, load9(par, p + AXES))
    point, v = point_state(tab, w, i, load3(par, p + POINT))
    h = point[2]
    v = rotate_back(A, sub(v, three(tab, par, w, f, WIND, t, h, 0.0)))
    speed = math.sqrt(dot(v, v))
    if speed == 0.0:
        return
    density, sound = entry(tab, par, w, f, DENSITY, h, 0.0, 0.0), entry(tab, par, w, f, SOUND, h, 0.0, 0.0)
    x = speed / sound if sound > 0.0 else speed
    u = scale(v, 1.0 / speed)
    alpha, beta = math.atan2(-v[2], v[0]), math.asin(min(max(u[1], -1.0), 1.0))
    pressure, area, length = 0.5 * density * speed * speed, par[p + AREA], par[p + LENGTH]
    force = rotate(A, scale(flow_force(tab, par, w, f, u, alpha, beta, x), pressure * area))
    turn, d = rotate_back(A, om), load3(par, p + DAMPING)
    torque = scale(three(tab, par, w, f, MOMENT, alpha, beta, x), pressure * area * length)
    k = 0.25 * density * speed * area * length * length
    torque = rotate(A, sub(torque, (k * d[0] * turn[0], k * d[1] * turn[1], k * d[2] * turn[2])))
    apply(tab, w, i, point, force, torque)
    store3(w, out + FORCE, force)
    store3(w, out + TORQUE, torque)
    w[out + ALPHA], w[out + BETA], w[out + SPEED], w[out + PRESSURE] = alpha, beta, speed, pressure


def aerodynamic_force(t, record, _, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    update_air(t, tab, par, w, record)


AERODYNAMICS = Pointer(aerodynamic_force, DERIVATIVE)


@force_record(Aerodynamics, AERODYNAMICS)
def aerodynamics_row(blocks: Blocks, row: np.ndarray, force: Aerodynamics, drawing: Drawing) -> None:
    """The record of forces of the air."""
    place, name, i = drawing.place, str(force.body), drawing.number(str(force.body))
    if i < 0:
        raise ModelError(f"{force.label}: body = {name!r} does not move; name another body", field="body")
    centre = place.user_position[i] + place.user_rotation[i] @ np.array(drawing.model.body(name).com)
    at = place.point(i, centre if force.at is None else np.array(force.at))
    axes = place.user_rotation[i] if force.rotation is None else np.array(rotation_matrix(force.rotation))
    numbers = [*at, *drawing.direction(name, axes).ravel(), force.area, force.length, *force.damping]
    fields = {"wind": force.wind, "density": (force.density,), "sound": (0.0 if force.sound is None else force.sound,)}
    fields |= {"drag": (force.drag,), "side": (force.side,), "lift": (force.lift,), "moment": force.moment}
    entries: list[tuple[Any, tuple[str, ...]]] = [(x, force.formula_fields[key]) for key, xs in fields.items() for x in xs]
    addresses = [0 if isinstance(x, float) else drawing.functions.scalar(x, names, force.label) for x, names in entries]
    row[L.BODY_A], row[L.BODY_B] = i, -1
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, *(x if isinstance(x, float) else 0.0 for x, _ in entries)])
    row[L.F_DATA] = blocks.append("table", None, addresses)
