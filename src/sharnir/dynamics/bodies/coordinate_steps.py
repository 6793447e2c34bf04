"""Steps in coordinates: from speeds to coordinates over a finite step, and back from rates to speeds."""

import math

from sharnir.dynamics.bodies.kinematics import update_rates
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, first_freedom, freedom_params
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, inline, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.rotation import quaternion_rotation
from sharnir.spatial.vector import add, load3, load9, rotate, rotate_back, store3


@inline
def turned(e, phi):
    """Quaternion e after a turn by the rotation vector φ in body axes."""
    a = math.sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2])
    k = 0.5 - a * a / 48.0 if a < 1e-4 else math.sin(0.5 * a) / a
    c, x, y, z = math.cos(0.5 * a), k * phi[0], k * phi[1], k * phi[2]
    w, p, q, r = e
    return (
        w * c - p * x - q * y - r * z,
        w * x + p * c + q * z - r * y,
        w * y + q * c + r * x - p * z,
        w * z + r * c + p * y - q * x,
    )


@jit
def step_coordinates(tab, par, q, v, h):
    """q after moving with speeds v for a time h; quaternions by the exponential, so they keep their length."""
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        iq, iv = tab[b + L.FIRST_Q], tab[b + L.FIRST_V]
        kind = tab[b + L.KIND]
        if kind == L.FREE:
            E = quaternion_rotation((q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6]))
            D = load9(par, freedom_params(tab, first_freedom(tab, b)))
            x = rotate_back(D, rotate(E, load3(v, iv)))
            store3(q, iq, add(load3(q, iq), (h * x[0], h * x[1], h * x[2])))
            iq += 3
            iv += 3
        if kind in (L.BALL, L.FREE):
            e = turned((q[iq], q[iq + 1], q[iq + 2], q[iq + 3]), (h * v[iv], h * v[iv + 1], h * v[iv + 2]))
            q[iq] = e[0]
            store3(q, iq + 1, (e[1], e[2], e[3]))
        else:
            for k in range(tab[b + L.COUNT_V]):
                q[iq + k] += h * v[iv + k]
        if kind != L.NODE:
            for k in range(tab[b + L.COUNT_ELASTIC]):
                q[tab[b + L.ELASTIC_Q] + k] += h * v[tab[b + L.ELASTIC_V] + k]


@jit
def update_tangents(tab, par, q, qdot, v):
    """v with q̇ = T(q) v, least squares where q̇ has a part that changes the length of a quaternion."""
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        iq, iv = tab[b + L.FIRST_Q], tab[b + L.FIRST_V]
        kind = tab[b + L.KIND]
        if kind == L.FREE:
            E = quaternion_rotation((q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6]))
            D = load9(par, freedom_params(tab, first_freedom(tab, b)))
            store3(v, iv, rotate_back(E, rotate(D, load3(qdot, iq))))
            iq += 3
            iv += 3
        if kind in (L.BALL, L.FREE):
            w, x, y, z = q[iq], q[iq + 1], q[iq + 2], q[iq + 3]
            a, b_, c, d = qdot[iq], qdot[iq + 1], qdot[iq + 2], qdot[iq + 3]
            k = 2.0 / (w * w + x * x + y * y + z * z)
            v[iv] = k * (w * b_ - x * a - y * d + z * c)
            v[iv + 1] = k * (w * c - y * a - z * b_ + x * d)
            v[iv + 2] = k * (w * d - z * a - x * c + y * b_)
        else:
            for j in range(tab[b + L.COUNT_V]):
                v[iv + j] = qdot[iq + j]
        if kind != L.NODE:
            for j in range(tab[b + L.COUNT_ELASTIC]):
                v[tab[b + L.ELASTIC_V] + j] = qdot[tab[b + L.ELASTIC_Q] + j]


def rates(t, y, out, table, params, work):
    """q̇ = T(q) v, as implicit integrators ask for it."""
    tab, q = fixed_ints(table), doubles(y)
    update_rates(tab, fixed_doubles(params), q, shift(q, tab[L.N_Q]), doubles(out))


def tangents(t, y, out, table, params, work):
    """Speeds of a change of q (out, first n_q numbers), after it in out."""
    tab, x = fixed_ints(table), doubles(out)
    update_tangents(tab, fixed_doubles(params), doubles(y), x, shift(x, tab[L.N_Q]))


RATES = Pointer(rates, DERIVATIVE)
TANGENTS = Pointer(tangents, DERIVATIVE)
