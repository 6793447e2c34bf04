"""Separate bodies ("progonka", articulated bodies): elimination along the tree, O(N). Ivanov et al. 2012, §4.1.

The part that a body hands to its parent stays in registers while parent = i - 1; other children hand theirs over in memory.
"""

from sharnir.dynamics.bodies.rigid_body import single_body
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, body_work, branch_work
from sharnir.dynamics.methods.joint_elimination import eliminate_joint, joint_acceleration, pass_on
from sharnir.kernel import inline
from sharnir.spatial.inertia import Articulated, articulated_sum, load_articulated, store_articulated
from sharnir.spatial.vector import add, cross, lifted, load3, load9, rotate, store3


@inline
def gather(w, g, I):
    """Add what a child hands over to the memory of its parent."""
    store_articulated(w, g, articulated_sum(load_articulated(w, g), I))


@inline
def nothing(zero):
    """No inertia and no force."""
    z3, z6 = (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    return Articulated(z6, (zero, zero, zero, zero, zero, zero, zero, zero, zero), z6, z3, z3)


@inline
def update_elimination(tab, par, w, tau, has_external, zero):
    """Backward: M* and F* of every body, its freedoms eliminated. Needs update_kinematics, and forces in W_EXTERNAL."""
    I = nothing(zero)
    n = tab[L.N_BODY]
    handed = False
    for k in range(n):
        i = n - 1 - k
        b, wb = body_record(tab, i), body_work(tab, i)
        # the body itself, and what its children hand over: the last one in registers, others in memory
        own = single_body(tab, par, w, i, has_external, zero)
        if handed:
            I = articulated_sum(I, own)
        else:
            I = own
        branch = tab[b + L.BRANCH]
        if branch >= 0:
            g = branch_work(tab, branch)
            I = articulated_sum(I, load_articulated(w, g))
            for j in range(L.W_BRANCH_SIZE):  # empty again for the next evaluation
                w[g + j] = zero
        I = eliminate_joint(tab, par, w, tau, b, I, zero)
        parent = tab[b + L.PARENT]
        handed = parent == i - 1
        if parent >= 0:
            I = pass_on(w, wb, tab[b + L.ELIMINATED_AS], I)
            if not handed:
                gather(w, branch_work(tab, tab[body_record(tab, parent) + L.BRANCH]), I)


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
