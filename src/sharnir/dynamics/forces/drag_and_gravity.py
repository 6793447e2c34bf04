"""Drag, and the gravity of a central body, at one state."""

import math
from typing import Any

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.flexible_gravity import add_elastic_pull, bent_mass
from sharnir.dynamics.forces.force_elements import apply, given, point_state
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import in_axes
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.dynamics.memory.records import body_params, body_record
from sharnir.errors import ModelError
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model import CentralGravity, Drag
from sharnir.spatial.inertia import symmetric_times
from sharnir.spatial.vector import add, cross, dot, load3, load6, rotate, rotate_back, scale, store3, sub

# params of drag: point, area, then numbers of wind (3), density, sound, coefficient, linear; at F_DATA their addresses or 0
POINT, AREA, NUMBERS = 0, 3, 4
WIND, DENSITY, SOUND, COEFFICIENT, LINEAR = 0, 3, 4, 5, 6
# params of gravity: centre and axis in engine axes of its body, μ, J2 radius²
CENTER, AXIS, MU, FLATTENING = 0, 3, 6, 7


@jit
def entry_of(tab, par, w, f, k, x, y):
    """A number, or what a function gives."""
    address = tab[tab[f + L.F_DATA] + k]
    if address == 0:
        return par[tab[f + L.F_PARAMS] + NUMBERS + k]
    return given(tab, w, address, x, y, 0.0)


def drag(t, f, _, table, params, work):
    """-(k + ½ ρ C A |v|) v at a point, v relative to the air."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p, i = tab[f + L.F_PARAMS], tab[f + L.BODY_A]
    point, v = point_state(tab, w, i, load3(par, p + POINT))
    wind = (
        entry_of(tab, par, w, f, WIND, t, 0.0),
        entry_of(tab, par, w, f, WIND + 1, t, 0.0),
        entry_of(tab, par, w, f, WIND + 2, t, 0.0),
    )
    v = sub(v, wind)
    speed, h = math.sqrt(dot(v, v)), point[2]
    sound = entry_of(tab, par, w, f, SOUND, h, 0.0)
    x = speed / sound if sound > 0.0 else speed
    pressure = 0.5 * entry_of(tab, par, w, f, DENSITY, h, 0.0) * speed
    quadratic = pressure * entry_of(tab, par, w, f, COEFFICIENT, x, h) * par[p + AREA]
    force = scale(v, -entry_of(tab, par, w, f, LINEAR, h, 0.0) - quadratic)
    apply(tab, w, i, point, force, (0.0, 0.0, 0.0))
    store3(w, tab[f + L.W_OUT], force)
    w[tab[f + L.W_OUT] + 3] = speed


@jit
def inertia_about_center(par, p, m):
    """Centre of mass and inertia about it, in engine axes of the body."""
    c, J = scale(load3(par, p + L.FIRST_MOMENT), 1.0 / m), load6(par, p + L.INERTIA)
    x, y, z = c
    shift = (y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y)
    return c, (
        J[0] - m * shift[0],
        J[1] - m * shift[1],
        J[2] - m * shift[2],
        J[3] - m * shift[3],
        J[4] - m * shift[4],
        J[5] - m * shift[5],
    )


@jit
def attraction(mu, flattening, axis, r, m):
    """Force on a point mass at r from the centre, and its potential; flattening: J2 radius²."""
    d = math.sqrt(dot(r, r))
    n = scale(r, 1.0 / d)
    s = dot(n, axis)
    k = 1.5 * flattening / (d * d)
    radial = mu * m / (d * d) * (1.0 + k * (1.0 - 5.0 * s * s))
    along = mu * m / (d * d) * 2.0 * k * s
    energy = -mu * m / d * (1.0 - k * (s * s - 1.0 / 3.0))
    return sub(scale(n, -radial), scale(axis, along)), energy


@jit
def gradient(mu, J, r):
    """Force at the centre of mass and torque of the inertia J (axes of r) by V = -μ (tr J - 3 nᵀJn)/(2 d³), and V."""
    d = math.sqrt(dot(r, r))
    n = scale(r, 1.0 / d)
    a = symmetric_times(J, n)
    trace, b = J[0] + J[3] + J[5], dot(n, a)
    k = 1.5 * mu / (d * d * d * d)
    force = scale(add(scale(n, trace - 5.0 * b), scale(a, 2.0)), -k)
    return force, scale(cross(n, a), 2.0 * k * d), -0.5 * mu * (trace - 3.0 * b) / (d * d * d)


def central_gravity(t, f, _, table, params, work):
    """Attraction of all bodies with mass; at F_DATA their number, then they."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p, i, listed = tab[f + L.F_PARAMS], tab[f + L.BODY_A], tab[f + L.F_DATA]
    center, _ = point_state(tab, w, i, load3(par, p + CENTER))
    R0, _, _, _ = pose_of(tab, w, i, 0.0)
    axis, mu, total = rotate(R0, load3(par, p + AXIS)), par[p + MU], 0.0
    for k in range(tab[listed]):
        j = tab[listed + 1 + k]
        q, b = body_params(tab, j), body_record(tab, j)
        c, J = inertia_about_center(par, q, par[q + L.MASS])
        elastic = tab[b + L.COUNT_ELASTIC] > 0
        if elastic:
            c, J = bent_mass(tab, par, w, b, par[q + L.MASS], load3(par, q + L.FIRST_MOMENT))
        point, _ = point_state(tab, w, j, c)
        R, _, _, _ = pose_of(tab, w, j, 0.0)
        r = sub(point, center)
        force, energy = attraction(mu, par[p + FLATTENING], axis, r, par[q + L.MASS])
        more, turn, extra = gradient(mu, J, rotate_back(R, r))
        force, turn = add(force, rotate(R, more)), rotate(R, turn)
        apply(tab, w, j, point, force, turn)
        # what the centre feels: the opposite force through the same line of action, and the opposite of what turns the body
        apply(tab, w, i, point, scale(force, -1.0), scale(turn, -1.0))
        if elastic:
            d = math.sqrt(dot(r, r))
            n = rotate_back(R, scale(r, 1.0 / d))
            add_elastic_pull(tab, par, w, b, par[q + L.MASS], c, rotate_back(R, force), n, 0.5 * mu / (d * d * d))
        total += energy + extra
    w[tab[f + L.W_OUT]] = total


DRAG, CENTRAL_GRAVITY = Pointer(drag, DERIVATIVE), Pointer(central_gravity, DERIVATIVE)


@force_record(Drag, DRAG)
def drag_row(blocks: Blocks, row: np.ndarray, force: Drag, drawing: Drawing) -> None:
    """The record of drag."""
    place, functions, i = drawing.place, drawing.functions, drawing.place.number[str(force.body)]
    if i < 0:
        raise ModelError(f"{force.label}: body = {force.body!r} does not move; name another body", field="body")
    if force.linear == 0.0 and (force.area == 0.0 or force.coefficient == 0.0):
        message = f"{force.label}: area = {force.area:g}, coefficient = {force.coefficient!r} give no drag"
        raise ModelError(f"{message}; give area and coefficient (of v²), or linear (of v)", field="coefficient")
    centre = place.user_position[i] + place.user_rotation[i] @ np.array(drawing.model.body(str(force.body)).com)
    point = place.point(i, centre if force.at is None else np.array(force.at))
    entries: list[tuple[Any, tuple[str, ...]]] = [(x, ("t",)) for x in force.wind]
    entries += [(force.density, ("h",)), (0.0 if force.sound is None else force.sound, ("h",)), (force.coefficient, ("x", "h"))]
    entries.append((force.linear, ("h",)))
    values = [x if isinstance(x, float) else 0.0 for x, _ in entries]
    addresses = [0 if isinstance(x, float) else functions.scalar(x, names, force.label) for x, names in entries]
    row[L.BODY_A], row[L.BODY_B] = i, -1
    row[L.F_PARAMS] = blocks.append("params", None, [*point, force.area, *values])
    row[L.F_DATA] = blocks.append("table", None, addresses)


@force_record(CentralGravity, CENTRAL_GRAVITY)
def gravity_row(blocks: Blocks, row: np.ndarray, force: CentralGravity, drawing: Drawing) -> None:
    """The record of central gravity: all bodies with mass, flexible ones too, but the centre's own."""
    place, i = drawing.place, drawing.place.number[str(force.body)]
    R, r = (np.eye(3), np.zeros(3)) if i < 0 else (place.user_rotation[i], place.user_position[i])
    axis = R @ np.array(force.axis)
    own = {name for name in drawing.coordinates.elastic if str(force.body).startswith(f"{name}:")}  # the centre is its node
    itself = {i, *(place.number[name] for name in own)}
    bodies = [j for j in range(len(place.parent)) if place.mass[j] > 0.0 and j not in itself]
    numbers = [*place.point(i, r + R @ np.array(force.center)), *(axis if i < 0 else in_axes(place.rotation[i], axis))]
    row[L.BODY_A], row[L.BODY_B] = i, -1
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, force.mu, force.J2 * (force.radius or 0.0) ** 2])
    row[L.F_DATA] = blocks.append("table", None, [len(bodies), *bodies])
