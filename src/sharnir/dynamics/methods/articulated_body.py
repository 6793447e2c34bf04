"""Separate bodies ("progonka", articulated bodies): elimination along the tree, O(N). Ivanov et al. 2012, §4.1.

The part that a body hands to its parent stays in registers while parent = i - 1; other children hand theirs over in memory.
"""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_params, body_record, body_work, branch_work, external_work
from sharnir.dynamics.methods.joint_elimination import eliminate_joint, joint_acceleration, pass_on
from sharnir.kernel import inline
from sharnir.spatial.inertia import full_sum, rigid, symmetric_sum, symmetric_times
from sharnir.spatial.vector import add, cross, lifted, load3, load6, load9, rotate, store3, store6, store9, sub


@inline
def inertial_force(par, w, p, wb):
    """What a body needs without acceleration: [m ω~² r_c ; ω~ J ω]."""
    om = load3(w, wb + L.VEL + 3)
    return cross(om, cross(om, load3(par, p + L.FIRST_MOMENT))), cross(om, symmetric_times(load6(par, p + L.INERTIA), om))


@inline
def gather(w, g, A, B, C, fl, fa):
    """Add what a child hands over to the memory of a parent with several children."""
    store6(w, g, symmetric_sum(load6(w, g), A))
    store9(w, g + 6, full_sum(load9(w, g + 6), B))
    store6(w, g + 15, symmetric_sum(load6(w, g + 15), C))
    store3(w, g + 21, add(load3(w, g + 21), fl))
    store3(w, g + 24, add(load3(w, g + 24), fa))


@inline
def update_elimination(tab, par, w, tau, has_external, zero):
    """Backward: M* and F* of every body, its freedoms eliminated. Needs update_kinematics, and forces in W_EXTERNAL."""
    z3 = (zero, zero, zero)
    A = (zero, zero, zero, zero, zero, zero)
    B, C, fl, fa = (zero, zero, zero, zero, zero, zero, zero, zero, zero), A, z3, z3
    n = tab[L.N_BODY]
    handed = False
    for k in range(n):
        i = n - 1 - k
        b = body_record(tab, i)
        p = body_params(tab, i)
        wb = body_work(tab, i)
        A0, B0, C0 = rigid(par[p + L.MASS], load3(par, p + L.FIRST_MOMENT), load6(par, p + L.INERTIA), zero)
        f0, m0 = inertial_force(par, w, p, wb)
        if has_external:
            x = external_work(tab, i)
            f0, m0 = sub(f0, load3(w, x)), sub(m0, load3(w, x + 3))
        if handed:
            A, B, C = symmetric_sum(A, A0), full_sum(B, B0), symmetric_sum(C, C0)
            fl, fa = add(fl, f0), add(fa, m0)
        else:
            A, B, C, fl, fa = A0, B0, C0, f0, m0
        branch = tab[b + L.BRANCH]
        if branch >= 0:
            g = branch_work(tab, branch)
            A, B, C = symmetric_sum(A, load6(w, g)), full_sum(B, load9(w, g + 6)), symmetric_sum(C, load6(w, g + 15))
            fl, fa = add(fl, load3(w, g + 21)), add(fa, load3(w, g + 24))
            for j in range(L.W_BRANCH_SIZE):  # empty again for the next evaluation
                w[g + j] = zero
        A, B, C, fl, fa = eliminate_joint(tab, w, tau, b, A, B, C, fl, fa, zero)
        parent = tab[b + L.PARENT]
        handed = parent == i - 1
        if parent >= 0:
            A, B, C, fl, fa = pass_on(tab, w, wb, tab[b + L.KIND], A, B, C, fl, fa, zero)
            if not handed:
                g = branch_work(tab, tab[body_record(tab, parent) + L.BRANCH])
                gather(w, g, A, B, C, fl, fa)


@inline
def update_accelerations(tab, par, w, vdot, zero):
    """Forward: q̈ and the accelerations of all bodies. Needs update_elimination."""
    g = load3(par, L.GRAVITY)
    base = lifted((-g[0], -g[1], -g[2]), zero)
    z3 = (zero, zero, zero)
    al, aa = base, z3
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        wb = body_work(tab, i)
        parent = tab[b + L.PARENT]
        if parent < 0:
            al, aa = base, z3
        elif parent != i - 1:
            wp = body_work(tab, parent)
            al, aa = load3(w, wp + L.ACC), load3(w, wp + L.ACC + 3)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        al = add(rotate(R, add(al, cross(aa, rho))), load3(w, wb + L.BIAS))
        aa = add(rotate(R, aa), load3(w, wb + L.BIAS + 3))
        al, aa = joint_acceleration(tab, w, vdot, b, al, aa)
        store3(w, wb + L.ACC, al)
        store3(w, wb + L.ACC + 3, aa)
