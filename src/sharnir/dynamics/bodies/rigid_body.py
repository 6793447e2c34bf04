"""A rigid body by itself: its inertia, and its inertia force at zero acceleration."""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_params, body_work, external_work
from sharnir.kernel import inline
from sharnir.spatial.inertia import articulated, inertia_times, rigid, symmetric_times
from sharnir.spatial.vector import add, cross, load3, load6, sub


@inline
def body_inertia(tab, par, i, zero):
    """M_i = [[m E, -m r_c~], [m r_c~, J]] of body i, about the origin of its frame."""
    p = body_params(tab, i)
    return rigid(par[p + L.MASS], load3(par, p + L.FIRST_MOMENT), load6(par, p + L.INERTIA), zero)


@inline
def inertial_force(tab, par, w, i):
    """What body i needs without acceleration: [m ω~² r_c ; ω~ J ω]."""
    p, om = body_params(tab, i), load3(w, body_work(tab, i) + L.VEL + 3)
    return cross(om, cross(om, load3(par, p + L.FIRST_MOMENT))), cross(om, symmetric_times(load6(par, p + L.INERTIA), om))


@inline
def less_external(tab, w, i, f, m):
    """A force that body i needs, less what force elements give it; needs update_forces."""
    x = external_work(tab, i)
    return sub(f, load3(w, x)), sub(m, load3(w, x + 3))


@inline
def single_body(tab, par, w, i, has_external, zero):
    """Inertia of body i, and the force that it needs beyond those of force elements."""
    f, m = inertial_force(tab, par, w, i)
    if has_external:
        f, m = less_external(tab, w, i, f, m)
    return articulated(body_inertia(tab, par, i, zero), f, m)


@inline
def required_force(tab, par, w, i):
    """M_i v̇_i + [m ω~² r_c ; ω~ J ω] for the acceleration that body i has."""
    at = body_work(tab, i) + L.ACC
    f, m = inertia_times(body_inertia(tab, par, i, 0.0), load3(w, at), load3(w, at + 3))
    c, d = inertial_force(tab, par, w, i)
    return add(f, c), add(m, d)
