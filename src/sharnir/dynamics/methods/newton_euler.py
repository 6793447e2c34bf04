"""Inverse dynamics, O(N): forward accelerations from q̈, backward the forces that pass through the joints."""

from sharnir.dynamics.bodies.flexible_body import elastic_places, start_elastic
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_work,
    body_params,
    body_record,
    body_work,
    end_freedom,
    external_work,
    first_freedom,
    parent_of,
    reaction_work,
    speed_of,
)
from sharnir.dynamics.methods.articulated_body import inertial_force
from sharnir.kernel import jit, shift
from sharnir.spatial.inertia import inertia_times, rigid
from sharnir.spatial.vector import add, cross, dot, dot6, load3, load6, load9, rotate, rotate_back, scale, store3, sub


@jit
def keep_elastic(tab, w, b, vdot, use_vdot):
    """Accelerations of a flexible body's coordinates into its memory, or zeros."""
    if tab[b + L.KIND] != L.NODE:
        h, _, _, _, _, x, _, _ = elastic_places(tab, b)
        for j in range(h):
            w[x + j] = vdot[tab[b + L.ELASTIC_V] + j] if use_vdot else 0.0


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
                    s = axis_work(tab, j)
                    x = vdot[k]
                    al = (al[0] + w[s] * x, al[1] + w[s + 1] * x, al[2] + w[s + 2] * x)
                    aa = (aa[0] + w[s + 3] * x, aa[1] + w[s + 4] * x, aa[2] + w[s + 5] * x)
            if tab[b + L.KIND] == L.NODE:
                S = tab[b + L.ELASTIC_W]
                for j in range(tab[b + L.COUNT_ELASTIC]):
                    x = vdot[tab[b + L.ELASTIC_V] + j]
                    al, aa = add(al, scale(load3(w, S + 6 * j), x)), add(aa, scale(load3(w, S + 6 * j + 3), x))
        store3(w, wb + L.ACC, al)
        store3(w, wb + L.ACC + 3, aa)


@jit
def elastic_reaction(tab, par, w, b, wb):
    """What a flexible body needs from outside: J a + J_w ẅ + c; its coordinates' accelerations are in its memory."""
    A, B, C, fl, fa = start_elastic(tab, par, w, shift(w, tab[L.W_TAU]), b, load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3))
    al, aa = load3(w, wb + L.ACC), load3(w, wb + L.ACC + 3)
    fl, fa = add(fl, add(rotate(A, al), rotate(B, aa))), add(fa, add(rotate_back(B, al), rotate(C, aa)))
    h, _, _, _, _, x, M, _ = elastic_places(tab, b)
    for j in range(h):
        fl = add(fl, scale(load3(w, M + 6 * j), w[x + j]))
        fa = add(fa, scale(load3(w, M + 6 * j + 3), w[x + j]))
    return fl, fa


@jit
def update_reactions(tab, par, w, has_external):
    """R_i = M_i v̇_i - F_i + Σ C_jᵀ R_j: what passes through joint i onto body i. Needs the accelerations."""
    n = tab[L.N_BODY]
    for k in range(n):
        i = n - 1 - k
        p = body_params(tab, i)
        wb = body_work(tab, i)
        A, B, C = rigid(par[p + L.MASS], load3(par, p + L.FIRST_MOMENT), load6(par, p + L.INERTIA), 0.0)
        fl, fa = inertia_times(A, B, C, load3(w, wb + L.ACC), load3(w, wb + L.ACC + 3))
        bl, ba = inertial_force(par, w, p, wb)
        fl, fa = add(fl, bl), add(fa, ba)
        b = body_record(tab, i)
        if tab[b + L.COUNT_ELASTIC] > 0 and tab[b + L.KIND] != L.NODE:
            fl, fa = elastic_reaction(tab, par, w, b, wb)
        if has_external:
            x = external_work(tab, i)
            fl, fa = sub(fl, load3(w, x)), sub(fa, load3(w, x + 3))
        r = reaction_work(tab, i)
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
                s = axis_work(tab, j)
                tau[k] = dot(load3(w, s), fl) + dot(load3(w, s + 3), fa)
        if tab[b + L.COUNT_ELASTIC] > 0:
            project_elastic(tab, w, i, tau)


@jit
def project_elastic(tab, w, i, tau):
    """Forces along elastic coordinates: M_wr a + M_ww ẅ + c_w of the body, then Sᵀ R of its nodes (which come later)."""
    b = body_record(tab, i)
    h, ev = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_V]
    if tab[b + L.KIND] == L.NODE:
        r, S = load6(w, reaction_work(tab, i)), tab[b + L.ELASTIC_W]
        for j in range(h):
            tau[ev + j] += dot6(load6(w, S + 6 * j), r)
        return
    a = load6(w, body_work(tab, i) + L.ACC)
    _, _, _, _, y, x, M, W = elastic_places(tab, b)
    for j in range(h):
        total = w[tab[L.W_TAU] + ev + j] - w[y + j] + dot6(load6(w, M + 6 * j), a)
        for k in range(h):
            total += w[W + j * h + k] * w[x + k]
        tau[ev + j] = total
