"""A wheel on a plane at one state: load, slip, forces of its tyre; see docs/theory/wheel.md."""

import math
from typing import Any, NamedTuple

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.contact.conservative_advancement import Ball, pair_horizon
from sharnir.dynamics.contact.contact_laws import LAW_SIZE, normal_force
from sharnir.dynamics.contact.contact_pair import BOUNDARY, INTEGERS, RIM, Pair
from sharnir.dynamics.contact.contact_records import LAWS
from sharnir.dynamics.contact.distance_fields import PLANE
from sharnir.dynamics.forces.force_elements import apply, given, point_state
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import axes_with_z
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model.forces import Wheel
from sharnir.spatial.vector import add, cross, dot, load3, rotate, scale, store3, sub

# params: centre and axis in engine axes of the wheel, radii of ring and tube, point and normal in engine axes of the surface,
# low speed, lateral compliance, law, kind of tyre, then numbers where the six entries are not functions, then those of the tyre
CENTER, AXIS, RING, TUBE, THROUGH, NORMAL, LOW, COMPLIANCE, LAW = 0, 3, 6, 7, 8, 11, 14, 15, 16
KIND = LAW + LAW_SIZE
ENTRIES, NUMBERS = KIND + 1, KIND + 7
RESISTANCE, TRAIL, GRIP, CAMBER, ALONG, ACROSS = 0, 1, 2, 3, 4, 5  # as many addresses at F_DATA, 0: a number
LINEAR, BRUSH, MAGIC, FORMULA = 0.0, 1.0, 2.0, 3.0
# numbers of a tyre: coefficients of friction, or two curves B, C, D, E
MU_ALONG, MU_ACROSS = 0, 1
CURVE_ALONG, CURVE_ACROSS = 0, 4
B, C, D, E = 0, 1, 2, 3
LOAD, SLIP, ANGLE, FX, FY, DEPTH, ENERGY, LOSS, FORCE, PLACE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 11  # outputs
LEAN, OVERTURNING = 14, 15
OUTPUTS = 16
RIM_DATA = 6  # behind the addresses at F_DATA: integers as of a contact, then the offset of the rim's numbers
RIM_PROBE = INTEGERS
FLAT = 1e-9  # sine of the angle between axis and normal below which the wheel lies on its side
NONE = (0.0, 0.0, 0.0)


class Patch(NamedTuple):
    """Where a wheel touches its plane: place, axes along and across the wheel, velocity with which it slides, and the load."""

    at: Any
    x: Any
    y: Any
    v: Any
    load: float
    lever: float  # from the axis to the plane: the radius of the loaded wheel
    spin: float  # about its axis, against the plane's body
    lean: float  # to the left, towards y


@jit
def entry(tab, par, w, f, k, x, y, z):
    """A number, or what a function gives."""
    address = tab[tab[f + L.F_DATA] + k]
    if address == 0:
        return par[tab[f + L.F_PARAMS] + ENTRIES + k]
    return given(tab, w, address, x, y, z)


@jit
def smooth_speed(v, low):
    """|v|, and near zero the parabola that continues it with the same slope: never below low/2."""
    size = abs(v)
    return size if size > low else 0.5 * (low + v * v / low)


@jit
def magic(par, p, s):
    """Pacejka's curve per unit of load by its numbers B, C, D, E at par[p]."""
    x = par[p + B] * s
    return par[p + D] * math.sin(par[p + C] * math.atan(x - par[p + E] * (x - math.atan(x))))


@jit
def tyre_force(tab, par, w, f, kappa, tangent, load):
    """Forces along and across the wheel by slip κ, tan α and load."""
    p = tab[f + L.F_PARAMS]
    kind, q = par[p + KIND], p + NUMBERS
    if kind == FORMULA:
        alpha = math.atan(tangent)
        return entry(tab, par, w, f, ALONG, kappa, alpha, load), entry(tab, par, w, f, ACROSS, alpha, kappa, load)
    if kind == MAGIC:
        lengthwise, sideways = q + CURVE_ALONG, q + CURVE_ACROSS
        bc_x, bc_y = par[lengthwise + B] * par[lengthwise + C], par[sideways + B] * par[sideways + C]
        x, y = bc_x * kappa, bc_y * tangent
        size = math.hypot(x, y)
        if size == 0.0:
            return 0.0, 0.0
        along, across = magic(par, lengthwise, size / bc_x), magic(par, sideways, size / bc_y)
        return load * along * x / size, load * across * y / size
    x, y = kappa * entry(tab, par, w, f, ALONG, load, 0.0, 0.0), tangent * entry(tab, par, w, f, ACROSS, load, 0.0, 0.0)
    size = math.hypot(x / par[q + MU_ALONG], y / par[q + MU_ACROSS]) / load  # 1: on the ellipse of friction
    if kind == LINEAR:
        part = 1.0 if size < 1.0 else 1.0 / size
    else:
        part = 1.0 - size / 3.0 + size * size / 27.0 if size < 3.0 else 1.0 / size
    return part * x, part * y


@jit
def lateral_slope(tab, par, w, f, load):
    """∂F_y/∂tan α at zero slip; 0: a tyre of formulas."""
    p = tab[f + L.F_PARAMS]
    kind, q = par[p + KIND], p + NUMBERS
    if kind == FORMULA:
        return 0.0
    if kind == MAGIC:
        y = q + CURVE_ACROSS
        return load * par[y + B] * par[y + C] * par[y + D]
    return entry(tab, par, w, f, ACROSS, load, 0.0, 0.0)


@jit
def with_thrust(tab, par, w, f, kappa, tangent, thrust, grip, load):
    """Forces along and across with camber thrust: a slip thrust/C_α beside tan α, so that both share what friction gives."""
    slope = lateral_slope(tab, par, w, f, load)
    slip = tangent + thrust / slope if slope > 0.0 else tangent
    fx, fy = tyre_force(tab, par, w, f, kappa / grip, slip / grip, load)
    return grip * fx, grip * fy + (thrust if slope <= 0.0 else 0.0)


@jit
def wheel_axes(tab, par, w, f):
    """Axis a, normal n, sine of the angle between them, centre, lowest point of the wheel and its height above the plane."""
    p, i, j = tab[f + L.F_PARAMS], tab[f + L.BODY_A], tab[f + L.BODY_B]
    R, _, _, _ = pose_of(tab, w, i, 0.0)
    S, _, _, _ = pose_of(tab, w, j, 0.0)
    a, n = rotate(R, load3(par, p + AXIS)), rotate(S, load3(par, p + NORMAL))
    center, _ = point_state(tab, w, i, load3(par, p + CENTER))
    through, _ = point_state(tab, w, j, load3(par, p + THROUGH))
    c = dot(n, a)
    s = math.sqrt(max(1.0 - c * c, 0.0))
    if s < FLAT:
        return a, n, 0.0, center, center, 0.0
    down = scale(sub(scale(a, c), n), 1.0 / s)
    low = sub(add(center, scale(down, par[p + RING])), scale(n, par[p + TUBE]))
    return a, n, s, center, low, dot(n, sub(low, through))


@jit
def slide(tab, par, w, f, t, patch):
    """Slip, its angle, forces along and across the wheel, torques about its axis and the plane's normal."""
    low, load = par[tab[f + L.F_PARAMS] + LOW], patch.load
    roll = patch.spin * patch.lever
    along = dot(patch.v, patch.x)
    speed = along + roll
    V = smooth_speed(speed, low)
    kappa, tangent = -along / V, -dot(patch.v, patch.y) / V
    grip = entry(tab, par, w, f, GRIP, patch.at[0], patch.at[1], t)
    fx, fy, fy0 = 0.0, 0.0, 0.0
    if not grip <= 0.0:  # similarity: the slopes at zero slip stay
        fx, fy = tyre_force(tab, par, w, f, kappa / grip, tangent / grip, load)
        fx, fy = grip * fx, grip * fy
        fy0 = fy
        thrust = entry(tab, par, w, f, CAMBER, load, 0.0, 0.0) * patch.lean * abs(speed) / V  # a wheel that stands has none
        if thrust != 0.0:
            fx, fy = with_thrust(tab, par, w, f, kappa, tangent, thrust, grip, load)
    alpha = math.atan(tangent)
    aligning = -entry(tab, par, w, f, TRAIL, alpha, kappa, load) * fy0 * speed / V  # trail is that of the slip angle alone
    rolling = entry(tab, par, w, f, RESISTANCE, abs(roll), load, 0.0)
    resistance = -rolling * load * patch.lever * roll / smooth_speed(roll, low)
    return kappa, alpha, fx, fy, resistance, aligning


@jit
def update_wheel(t, tab, par, w, f):
    """Forces on the wheel and on the surface, and outputs."""
    p, i, j, out = tab[f + L.F_PARAMS], tab[f + L.BODY_A], tab[f + L.BODY_B], tab[f + L.W_OUT]
    for k in range(OUTPUTS):
        w[out + k] = 0.0
    a, n, s, center, lowest, height = wheel_axes(tab, par, w, f)
    if s == 0.0:
        return  # on its side
    at = sub(lowest, scale(n, height))
    _, o, v, om = pose_of(tab, w, i, 0.0)
    _, o2, v2, om2 = pose_of(tab, w, j, 0.0)
    v = sub(add(v, cross(om, sub(at, o))), add(v2, cross(om2, sub(at, o2))))
    turn = sub(om, om2)
    rate = -dot(n, v)
    load, elastic, energy = normal_force(par, p + LAW, -height, rate)
    w[out + DEPTH], w[out + ENERGY] = -height, energy
    store3(w, out + PLACE, at)
    w[out + LOSS] = (load - elastic) * rate
    if load <= 0.0:
        return
    x = scale(cross(a, n), 1.0 / s)
    y = cross(n, x)
    lean, lever = -math.asin(dot(n, a)), -dot(cross(a, sub(at, center)), x)
    patch = Patch(at, x, y, v, load, lever, dot(turn, a), lean)
    kappa, alpha, fx, fy, resistance, aligning = slide(tab, par, w, f, t, patch)
    force = add(scale(n, load), add(scale(x, fx), scale(y, fy)))
    shift = par[p + COMPLIANCE] * fy  # the patch goes sideways with the force, and with it where load and fx act
    torque = add(scale(a, resistance), add(scale(n, aligning - shift * fx), scale(x, shift * load)))
    apply(tab, w, i, at, force, torque)
    apply(tab, w, j, at, scale(force, -1.0), scale(torque, -1.0))
    w[out + LOAD], w[out + SLIP], w[out + ANGLE], w[out + FX], w[out + FY] = load, kappa, alpha, fx, fy
    w[out + LOSS] -= fx * dot(v, x) + fy * dot(v, y) + dot(torque, turn)
    store3(w, out + FORCE, force)
    w[out + LEAN], w[out + OVERTURNING] = lean, shift * load


def wheel_force(t, record, _, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    update_wheel(t, tab, par, w, record)


WHEEL = Pointer(wheel_force, DERIVATIVE)


def wheel_horizon(t, record, _, table, params, work):
    """A wheel meets its plane as the rim of a disc does, with the tube around it."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p, d = tab[record + L.F_PARAMS], tab[record + L.F_DATA] + RIM_DATA
    pair = Pair(tab[record + L.BODY_A], tab[record + L.BODY_B], p + LAW, tab[d + RIM_PROBE], d, tab[d + BOUNDARY])
    radius = par[p + RING] + par[p + TUBE]
    pair_horizon(tab, par, w, pair, Ball(p + CENTER, radius), radius)


WHEEL_HORIZON = Pointer(wheel_horizon, DERIVATIVE)


TYRES = {"linear": LINEAR, "brush": BRUSH, "magic": MAGIC, "formula": FORMULA}


@force_record(Wheel, WHEEL, horizon=WHEEL_HORIZON)
def wheel_row(blocks: Blocks, row: np.ndarray, force: Wheel, drawing: Drawing) -> None:
    """The record of a wheel."""
    a, b, tyre = str(force.wheel), str(force.surface), force.tyre
    own = ("resistance", "trail", "grip", "camber")
    names = [*(force.formula_fields[name] for name in own), *tyre.formula_fields.values()]
    names += [("load",)] * (6 - len(names))
    entries: list[Any] = [*(getattr(force, name) for name in own), *tyre.entries]
    numbers = [*drawing.point(a, force.center), *drawing.direction(a, force.axis), force.radius - force.tube, force.tube]
    numbers += [*drawing.point(b, force.through), *drawing.direction(b, force.normal), force.low_speed]
    numbers.append(force.lateral_compliance)
    numbers += [LAWS[force.law.kind], *force.law.numbers, TYRES[tyre.kind]]
    numbers += [x if isinstance(x, float) else 0.0 for x in entries]
    addresses = [
        0 if isinstance(x, float) else drawing.functions.scalar(x, variables, force.label)
        for x, variables in zip(entries, names, strict=True)
    ]
    row[L.BODY_A], row[L.BODY_B] = drawing.number(a), drawing.number(b)
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, *tyre.numbers])
    rim = [force.tube, *drawing.point(a, force.center), *drawing.direction(a, force.axis), force.radius - force.tube, 0.0]
    plane = drawing.frame(b, force.through, axes_with_z(np.array(force.normal)))
    places = [blocks.append("params", None, rim) + 1, blocks.append("params", None, plane)]
    row[L.F_DATA] = blocks.append("table", None, [*addresses, RIM, 1, PLANE, places[1], 0, 0, places[0]])
