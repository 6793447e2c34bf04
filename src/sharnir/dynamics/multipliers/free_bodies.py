"""Free bodies, as in absolute coordinates: each on a free joint to the base, held by constraints alone.

Their inertia is constant in their own axes, and so is its inverse. Nothing is eliminated: u of an equation is its Jacobian,
u/D is M⁻¹ times it (constraint_paths), and speeds are the velocities of the bodies themselves.
"""

from sharnir.dynamics.bodies.rigid_body import inertial_force
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, body_work, element_record, external_work
from sharnir.kernel import inline, jit
from sharnir.spatial.inertia import inertia_times, load_inertia
from sharnir.spatial.vector import add, dot, load3, load9, rotate, store3, sub

INVERSE_SIZE = 21


@inline
def inverse_times(tab, par, i, fl, fa):
    """M⁻¹ f of body i."""
    p = tab[L.P_INVERSE] + i * INVERSE_SIZE
    return inertia_times(load_inertia(par, p), fl, fa)


@jit
def update_lone_accelerations(tab, par, w, vdot, has_external):
    """v̇ and the accelerations of all bodies without constraints. Needs update_kinematics, and forces in W_EXTERNAL and W_TAU."""
    g = load3(par, L.GRAVITY)
    for i in range(tab[L.N_BODY]):
        wb = body_work(tab, i)
        iv = tab[body_record(tab, i) + L.FIRST_V]
        f, m = inertial_force(tab, par, w, i)
        f, m = sub(load3(w, tab[L.W_TAU] + iv), f), sub(load3(w, tab[L.W_TAU] + iv + 3), m)
        if has_external:
            x = external_work(tab, i)
            f, m = add(f, load3(w, x)), add(m, load3(w, x + 3))
        al, aa = inverse_times(tab, par, i, f, m)
        store3(w, wb + L.ACC, al)
        store3(w, wb + L.ACC + 3, aa)
        store3(vdot, iv, sub(add(al, rotate(load9(w, wb + L.G), g)), load3(w, wb + L.BIAS)))
        store3(vdot, iv + 3, sub(aa, load3(w, wb + L.BIAS + 3)))


@jit
def update_lone_path(tab, par, w, e, shadow):
    """M⁻¹ Cᵀ of all equations of element e, from `shadow` on in the work, and their sizes."""
    rows, terms, n = tab[e + L.E_COUNT], tab[e + L.E_TERM], tab[e + L.E_TERMS]
    size, reach = tab[L.W_ROW_SIZE] + tab[e + L.E_ROW], 1.0 / (par[L.REACH] * par[L.REACH])
    for r in range(rows):
        w[size + r] = 1e-300
    for k in range(n):
        i = tab[terms + 2 * k]
        if i >= 0:
            for r in range(rows):
                j, to = tab[e + L.E_JACOBIAN] + (r * n + k) * 6, shadow + (r * n + k) * 6
                f, m = load3(w, j), load3(w, j + 3)
                w[size + r] += dot(f, f) + dot(m, m) * reach
                x, y = inverse_times(tab, par, i, f, m)
                store3(w, to, x)
                store3(w, to + 3, y)
    for r in range(rows):
        w[size + r] /= par[L.TOTAL_MASS]


@jit
def update_lone_response(tab, par, w, lam):
    """W_RESPONSE = M⁻¹ Cᵀ λ, of the speeds and of the bodies, which is the same."""
    response, n_v = tab[L.W_RESPONSE], tab[L.N_V]
    for k in range(n_v):
        w[response + k] = 0.0
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        terms, n, row = tab[e + L.E_TERM], tab[e + L.E_TERMS], tab[e + L.E_ROW]
        for k in range(n):
            i = tab[terms + 2 * k]
            if i >= 0:
                to = response + tab[body_record(tab, i) + L.FIRST_V]
                f, m = load3(w, to), load3(w, to + 3)
                for r in range(tab[e + L.E_COUNT]):
                    y, j = w[lam + row + r], tab[e + L.E_JACOBIAN] + (r * n + k) * 6
                    u, v = load3(w, j), load3(w, j + 3)
                    f = (f[0] + y * u[0], f[1] + y * u[1], f[2] + y * u[2])
                    m = (m[0] + y * v[0], m[1] + y * v[1], m[2] + y * v[2])
                store3(w, to, f)
                store3(w, to + 3, m)
    for i in range(tab[L.N_BODY]):
        to = response + tab[body_record(tab, i) + L.FIRST_V]
        x, y = inverse_times(tab, par, i, load3(w, to), load3(w, to + 3))
        store3(w, to, x)
        store3(w, to + 3, y)
        if tab[L.SOLVER] == L.DENSE:  # which refines with the bodies' part
            store3(w, response + n_v + 6 * i, x)
            store3(w, response + n_v + 6 * i + 3, y)
