"""Inverse dynamics, O(N): forward accelerations from q̈, backward the forces that pass through the joints."""

from sharnir.dynamics.bodies.flexible_body import is_flexible, start_elastic
from sharnir.dynamics.bodies.flexible_memory import coupling_of, elastic_places, shape_of
from sharnir.dynamics.bodies.rigid_body import less_external, required_force
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_of,
    body_record,
    body_work,
    end_freedom,
    first_freedom,
    parent_of,
    reaction_work,
    speed_of,
)
from sharnir.kernel import Pointer, address_of, call_derivative, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.inertia import inertia_times
from sharnir.spatial.vector import add, cross, dot, dot6, load3, load6, load9, rotate, rotate_back, scale, store3


@jit
def keep_elastic(tab, w, b, vdot, use_vdot):
    """Accelerations of a flexible body's coordinates into its memory, or zeros."""
    if tab[b + L.KIND] != L.NODE:
        s = elastic_places(tab, b)
        for j in range(s.h):
            w[s.acceleration + j] = vdot[tab[b + L.ELASTIC_V] + j] if use_vdot else 0.0


@jit
def update_body_accelerations(tab, par, w, vdot, use_vdot):
    """v̇_i = C_i v̇_p + A_i q̈_i + w*; without q̈ it gives ψ. The base falls upward, which is gravity on every body."""
    g = load3(par, L.GRAVITY)
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        wb = body_work(tab, i)
        parent = tab[b + L.PARENT]
        al, aa = (-g[0], -g[1], -g[2]), (0.0, 0.0, 0.0)
        if parent >= 0:
            wp = body_work(tab, parent)
            al, aa = load3(w, wp + L.ACC), load3(w, wp + L.ACC + 3)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        al = add(rotate(R, add(al, cross(aa, rho))), load3(w, wb + L.BIAS))
        aa = add(rotate(R, aa), load3(w, wb + L.BIAS + 3))
        keep_elastic(tab, w, b, vdot, use_vdot)
        if use_vdot:
            for j in range(first_freedom(tab, b), end_freedom(tab, b)):
                k = speed_of(tab, j)
                if k >= 0:
                    sl, sa = axis_of(tab, w, j)
                    al, aa = add(al, scale(sl, vdot[k])), add(aa, scale(sa, vdot[k]))
            if tab[b + L.KIND] == L.NODE:
                for j in range(tab[b + L.COUNT_ELASTIC]):
                    sl, sa = shape_of(tab, w, b, j)
                    x = vdot[tab[b + L.ELASTIC_V] + j]
                    al, aa = add(al, scale(sl, x)), add(aa, scale(sa, x))
        store3(w, wb + L.ACC, al)
        store3(w, wb + L.ACC + 3, aa)


@jit
def elastic_reaction(tab, par, w, b, wb):
    """What a flexible body needs from outside: J a + J_w ẅ - k; its coordinates' accelerations are in its memory."""
    I = start_elastic(tab, par, w, shift(w, tab[L.W_TAU]), b, load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3))
    x, y = inertia_times(I, load3(w, wb + L.ACC), load3(w, wb + L.ACC + 3))
    fl, fa, s = add(I.f, x), add(I.m, y), elastic_places(tab, b)
    for j in range(s.h):
        x, y = coupling_of(w, s, j)
        fl, fa = add(fl, scale(x, w[s.acceleration + j])), add(fa, scale(y, w[s.acceleration + j]))
    return fl, fa


def elastic_reactions(_t, _y, _yd, table, params, work):
    """The same for all flexible bodies; a kernel of its own, so that those of rigid bodies are compiled without it."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    for i in range(tab[L.N_BODY]):
        b, r = body_record(tab, i), reaction_work(tab, i)
        if is_flexible(tab, b):
            fl, fa = elastic_reaction(tab, par, w, b, body_work(tab, i))
            store3(w, r, fl)
            store3(w, r + 3, fa)


ELASTIC_REACTIONS = Pointer(elastic_reactions, DERIVATIVE)


@jit
def update_reactions(tab, par, w, has_external):
    """R_i = M_i v̇_i - F_i + Σ C_jᵀ R_j: what passes through joint i onto body i. Needs the accelerations."""
    n = tab[L.N_BODY]
    if tab[L.N_ELASTIC] > 0:
        call_derivative(tab[L.F_REACTION], 0.0, 0, 0, address_of(tab, 0), address_of(par, 0), address_of(w, 0))
    for k in range(n):
        i = n - 1 - k
        r = reaction_work(tab, i)
        if is_flexible(tab, body_record(tab, i)):
            fl, fa = load3(w, r), load3(w, r + 3)
        else:
            fl, fa = required_force(tab, par, w, i)
        if has_external:
            fl, fa = less_external(tab, w, i, fl, fa)
        store3(w, r, fl)
        store3(w, r + 3, fa)
    for k in range(n):
        i = n - 1 - k
        parent = parent_of(tab, i)
        if parent >= 0:
            wb = body_work(tab, i)
            R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
            r = reaction_work(tab, i)
            x = reaction_work(tab, parent)
            fl = rotate_back(R, load3(w, r))
            fa = add(rotate_back(R, load3(w, r + 3)), cross(rho, fl))
            store3(w, x, add(load3(w, x), fl))
            store3(w, x + 3, add(load3(w, x + 3), fa))


@jit
def project_reactions(tab, w, tau):
    """Generalized forces A_iᵀ R_i."""
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        r = reaction_work(tab, i)
        fl, fa = load3(w, r), load3(w, r + 3)
        for j in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, j)
            if k >= 0:
                sl, sa = axis_of(tab, w, j)
                tau[k] = dot(sl, fl) + dot(sa, fa)
        if tab[b + L.COUNT_ELASTIC] > 0:
            project_elastic(tab, w, i, tau)


@jit
def project_elastic(tab, w, i, tau):
    """Forces along elastic coordinates: M_wr a + M_ww ẅ - k_w of the body, then Sᵀ R of its nodes (which come later)."""
    b = body_record(tab, i)
    h, ev = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_V]
    if tab[b + L.KIND] == L.NODE:
        r = load6(w, reaction_work(tab, i))
        for j in range(h):
            tau[ev + j] += dot6(load6(w, tab[b + L.ELASTIC_W] + 6 * j), r)
        return
    a, s = load6(w, body_work(tab, i) + L.ACC), elastic_places(tab, b)
    for j in range(h):
        total = w[tab[L.W_TAU] + ev + j] - w[s.force + j] + dot6(load6(w, s.M_wr + 6 * j), a)
        for k in range(h):
            total += w[s.M_ww + j * h + k] * w[s.acceleration + k]
        tau[ev + j] = total
