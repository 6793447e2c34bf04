"""A disc, a torus or a ball that rolls on a plane without slipping."""

import math

from sharnir.dynamics.constraints.cut_joint import Arms, store_equation, store_residuals
from sharnir.dynamics.constraints.measures import NOTHING, relative_point
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import target_of
from sharnir.kernel import jit
from sharnir.spatial.vector import add, cross, dot, load3, load9, multiply, rotate, scale, sub


@jit
def contact_arm(n, a, om, ring, tube):
    """From the centre to the contact, h = ring e - tube n, and ḣ seen from the plane; e: the way down in the disc's plane.

    With x = n·a and s = √(1 - x²): e = (x a - n)/s, ė = (ẋ a + x ȧ - ṡ e)/s, s ṡ = -x ẋ.
    """
    h = scale(n, -tube)
    if ring == 0.0:
        return h, NOTHING, 0.0
    x, ad = dot(n, a), cross(om, a)
    xd = dot(n, ad)
    s = math.sqrt(max(1.0 - x * x, 0.0))
    e = scale(sub(scale(a, x), n), 1.0 / s)
    ed = scale(add(add(scale(a, xd), scale(ad, x)), scale(e, x * xd / s)), 1.0 / s)
    return add(h, scale(e, ring)), scale(ed, ring), s


@jit
def add_rolling_equations(tab, par, w, e):
    """Height of the contact, g = n·d - ring s - tube, then the plane's parts of the velocity of the material point there.

    All three rates are n_i·(v + ω × h), so all three biases are n_i·(v̇ + ω̇ × h + ω × ḣ): the contact wanders on the disc.
    """
    P, i, j = tab[e + L.E_PARAMS], target_of(tab, e, 0), target_of(tab, e, 1)
    x = relative_point(tab, par, w, i, j, P + 9, P + L.ROLLING_CENTRE)
    Ra, Rb, da, db = x.arms
    F = multiply(Ra, load9(par, P))
    n, a = (F[2], F[5], F[8]), rotate(Rb, load3(par, P + L.ROLLING_AXIS))
    ring, tube = par[P + L.RING], par[P + L.TUBE]
    h, hd, s = contact_arm(n, a, x.om, ring, tube)
    slip = add(x.v, cross(x.om, h))
    bias = add(x.lin, sub(cross(x.om, hd), cross(cross(x.wi, x.om), h)))
    arms, row = Arms(Ra, Rb, add(da, h), add(db, h)), tab[e + L.E_ROW]
    for k in range(3):
        c = (k + 2) % 3  # the normal first
        m = (F[c], F[3 + c], F[6 + c])
        g = dot(n, x.d) - ring * s - tube if k == 0 else 0.0
        store_equation(tab, w, e, k, arms, m, NOTHING)
        store_residuals(tab, w, row + k, g, dot(m, slip), dot(m, bias))
