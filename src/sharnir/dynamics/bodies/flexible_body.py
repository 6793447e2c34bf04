"""A flexible body by elastic coordinates w: inertia and inertia force (Yudakov 2012), elimination of ẅ (Gevorkian 2020).

M(w) (a, α, ẅ) = s + k with blocks J_rr, J_rφ, … that are polynomials of w (flexible/inertia/modal_inertia.py). Children hang on
nodes, whose motion relative to the body's frame is S ẇ; what they hand over adds to all blocks. With M_ww = L Lᵀ,
G = L⁻¹ M_wr, y = L⁻¹(s_w + k_w) the rest is a rigid body's: M_rr - GᵀG, -k_r + Gᵀy, and on the way back ẅ = L⁻ᵀ(y - G a).
With stiffening the polynomials are those of more shapes, W = (w, d(w)): foreshortening.
"""

import math

from sharnir.dynamics.bodies.flexible_memory import (
    J_rw_at,
    J_ww_at,
    P_at,
    PP_at,
    Q0_at,
    Q_at,
    R_at,
    coupling_of,
    damping_at,
    drag_at,
    elastic_places,
    shape_of,
    stiffness_at,
)
from sharnir.dynamics.bodies.foreshortening import all_shapes, project_on_coordinates
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import inline, jit
from sharnir.spatial.inertia import Inertia, articulated, inertia_times, symmetric_sum, symmetric_times
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate, rotate_back, scale, store3, sub


@inline
def is_flexible(tab, b):
    """True for a flexible body, not for its nodes."""
    return tab[b + L.COUNT_ELASTIC] > 0 and tab[b + L.KIND] != L.NODE


# ---- inertia at the present w --------------------------------------------------------------------------------------------


@inline
def load_symmetric(par, k, x):
    """x times a symmetric matrix of nine numbers, as six."""
    return x * par[k], x * par[k + 1], x * par[k + 2], x * par[k + 4], x * par[k + 5], x * par[k + 8]


@jit
def add9(a, par, k, x):
    """a + x times nine numbers."""
    b = load9(par, k)
    return (
        a[0] + x * b[0],
        a[1] + x * b[1],
        a[2] + x * b[2],
        a[3] + x * b[3],
        a[4] + x * b[4],
        a[5] + x * b[5],
        a[6] + x * b[6],
        a[7] + x * b[7],
        a[8] + x * b[8],
    )


@jit
def inertia_at(par, w, s):
    """J_rr, J_rφ = R0 + Σ R_i w_i and J_φφ = P0 + Σ P_i w_i + Σ P_ij w_i w_j of the shapes s."""
    B, C = load9(par, s.p + 9), load_symmetric(par, s.p + 18, 1.0)
    for i in range(s.h):
        x = w[s.w + i]
        B = add9(B, par, R_at(s, i), x)
        C = symmetric_sum(C, load_symmetric(par, P_at(s, i), x))
        for j in range(s.h):
            C = symmetric_sum(C, load_symmetric(par, PP_at(s, i, j), x * w[s.w + j]))
    return Inertia(load_symmetric(par, s.p, 1.0), B, C)


@jit
def elastic_inertia(tab, par, w, b):
    """J_rr, J_rφ, J_φφ of a flexible body."""
    return inertia_at(par, w, all_shapes(tab, par, w, b))


@jit
def inertia_slope(par, w, s, i):
    """∂J_φφ/∂w_i = P_i + 2 Σ_j P_ij w_j, six numbers."""
    S = load_symmetric(par, P_at(s, i), 1.0)
    for j in range(s.h):
        S = symmetric_sum(S, load_symmetric(par, PP_at(s, i, j), 2.0 * w[s.w + j]))
    return S


@jit
def coupling(par, w, s, i):
    """Column i of J_rw and of J_φw = Q0 + Σ Q_j w_j."""
    a = load3(par, Q0_at(s, i))
    for j in range(s.h):
        a = add(a, scale(load3(par, Q_at(s, j, i)), w[s.w + j]))
    return load3(par, J_rw_at(s, i)), a


@jit
def coupling_rate(par, w, s, i):
    """Column i of J̇_φw = Σ Q_j ẇ_j."""
    a = (0.0, 0.0, 0.0)
    for j in range(s.h):
        a = add(a, scale(load3(par, Q_at(s, j, i)), w[s.rate + j]))
    return a


@jit
def coupling_slope(par, w, s, i):
    """∂(J_φw ẇ)/∂w_i = Q_i ẇ."""
    a = (0.0, 0.0, 0.0)
    for j in range(s.h):
        a = add(a, scale(load3(par, Q_at(s, i, j)), w[s.rate + j]))
    return a


# ---- equations of motion of the body alone -------------------------------------------------------------------------------


@jit
def start_elastic(tab, par, w, tau, b, v, om):
    """M_wr, M_ww and s_w + k_w of the body itself into work; returns J_rr, J_rφ, J_φφ with -k_r, -k_φ."""
    all_of, own = all_shapes(tab, par, w, b), elastic_places(tab, b)
    I = update_inertia_terms(par, w, all_of, v, om)
    if all_of.h > own.h:
        f, m = project_on_coordinates(tab, par, w, b, I.f, I.m)
        I = articulated(I, f, m)
    for i in range(own.h):
        w[own.force + i] += tau[tab[b + L.ELASTIC_V] + i]
    return I


@jit
def update_inertia_terms(par, w, s, v, om):
    """M_wr, M_ww and k_w less forces of springs and dampers into work; returns J_rr, J_rφ, J_φφ with -k_r, -k_φ.

    Lagrange's equations in quasi-velocities, docs/theory/flexible-bodies.md; the acceleration of the origin is a = v̇ + u,
    u = ω × v, and ξ = ẇ.
    """
    J, u = inertia_at(par, w, s), cross(om, v)
    update_couplings(par, w, s)
    p, pi = momenta(w, s, J, v, om)
    # -k_r = J̇_rφ ω + ω × p - J_rr u
    f = sub(cross(om, p), symmetric_times(J.A, u))
    # -k_φ = J̇_rφᵀ v + J̇_φφ ω + J̇_φw ξ + ω × π + v × p - J_rφᵀ u
    m = sub(add(cross(om, pi), cross(v, p)), rotate_back(J.B, u))
    for i in range(s.h):  # rates of the blocks are sums over ξ_i
        R, xi = load9(par, R_at(s, i)), w[s.rate + i]
        R_om, S_om, Qdot = rotate(R, om), symmetric_times(inertia_slope(par, w, s, i), om), coupling_rate(par, w, s, i)
        f = add(f, scale(R_om, xi))
        m = add(m, scale(add(add(rotate_back(R, v), S_om), Qdot), xi))
        # -k_w = J̇_φwᵀ ω - J_rwᵀ u - ∂T/∂w,  ∂T/∂w_i = vᵀ R_i ω + ½ ωᵀ (P_i + 2 Σ P_ij w_j) ω + ωᵀ Q_i ξ
        slope = dot(v, R_om) + 0.5 * dot(om, S_om) + dot(om, coupling_slope(par, w, s, i))
        k_w = slope - dot(Qdot, om) + dot(load3(w, s.M_wr + 6 * i), u)
        w[s.force + i] = k_w - restoring_force(par, w, s, i)
    drag = par[drag_at(s)]
    if drag > 0.0:  # -β M (v, ω, ξ): β times the momenta p, π and ∂T/∂ξ
        f, m = add(f, scale(p, drag)), add(m, scale(pi, drag))
        add_drag(w, s, v, om, drag)
    return articulated(J, f, m)


@jit
def update_couplings(par, w, s):
    """M_wr = (J_rw, J_φw)ᵀ and M_ww = J_ww into work."""
    for i in range(s.h):
        a, c = coupling(par, w, s, i)
        store3(w, s.M_wr + 6 * i, a)
        store3(w, s.M_wr + 6 * i + 3, c)
        for j in range(s.h):
            w[s.M_ww + i * s.h + j] = par[J_ww_at(s, i, j)]


@jit
def momenta(w, s, J, v, om):
    """p = ∂T/∂v and π = ∂T/∂ω; needs M_wr."""
    p, pi = inertia_times(J, v, om)
    for i in range(s.h):
        a, c = coupling_of(w, s, i)
        p, pi = add(p, scale(a, w[s.rate + i])), add(pi, scale(c, w[s.rate + i]))
    return p, pi


@jit
def shape_momentum(w, s, i, v, om):
    """∂T/∂ξ_i; needs M_wr and M_ww."""
    a, c = coupling_of(w, s, i)
    x = dot(a, v) + dot(c, om)
    for j in range(s.h):
        x += w[s.M_ww + i * s.h + j] * w[s.rate + j]
    return x


@jit
def restoring_force(par, w, s, i):
    """Row i of K w + D ẇ."""
    x = 0.0
    for j in range(s.h):
        x += par[stiffness_at(s, i, j)] * w[s.w + j] + par[damping_at(s, i, j)] * w[s.rate + j]
    return x


@jit
def add_drag(w, s, v, om, drag):
    """-β ∂T/∂ξ to the forces on the shapes."""
    for i in range(s.h):
        w[s.force + i] -= drag * shape_momentum(w, s, i, v, om)


# ---- elimination of ẅ ----------------------------------------------------------------------------------------------------


@jit
def add_node(tab, w, b, node, wn, I):
    """What a node hands over to the coordinates of its body: Sᵀ I S to M_ww, Xᵀ I S to M_wr, -Sᵀ (p + I w*) to the force."""
    s = elastic_places(tab, b)
    x, z = inertia_times(I, load3(w, wn + L.BIAS), load3(w, wn + L.BIAS + 3))
    f, m = add(I.f, x), add(I.m, z)
    R, rho = load9(w, wn + L.G), load3(w, wn + L.RHO)
    for j in range(s.h):
        sl, sa = shape_of(tab, w, node, j)
        x, z = inertia_times(I, sl, sa)
        for i in range(s.h):
            tl, ta = shape_of(tab, w, node, i)
            w[s.M_ww + i * s.h + j] += dot(tl, x) + dot(ta, z)
        x = rotate_back(R, x)
        z = add(rotate_back(R, z), cross(rho, x))
        store3(w, s.M_wr + 6 * j, add(load3(w, s.M_wr + 6 * j), x))
        store3(w, s.M_wr + 6 * j + 3, add(load3(w, s.M_wr + 6 * j + 3), z))
        w[s.force + j] -= dot(sl, f) + dot(sa, m)


@jit
def factorize_elastic(tab, w, b):
    """L of M_ww, G = L⁻¹ M_wr, y = L⁻¹ (s_w + k_w), in place; False if M_ww is not positive definite."""
    s = elastic_places(tab, b)
    h, G, W, good = s.h, s.M_wr, s.M_ww, True
    for i in range(h):
        for j in range(i + 1):
            a = w[W + i * h + j]
            for k in range(j):
                a -= w[W + i * h + k] * w[W + j * h + k]
            if i == j:
                good = good and a > 0.0
                w[W + i * h + i] = math.sqrt(a) if a > 0.0 else math.nan
            else:
                w[W + i * h + j] = a / w[W + j * h + j]
        d = 1.0 / w[W + i * h + i]
        for c in range(6):
            a = w[G + 6 * i + c]
            for k in range(i):
                a -= w[W + i * h + k] * w[G + 6 * k + c]
            w[G + 6 * i + c] = a * d
        w[s.force + i] = forward_one(w, s, i, s.force)
    return good


@inline
def forward_one(w, s, i, x):
    """Row i of x ← L⁻¹ x, the rows before it done."""
    a = w[x + i]
    for k in range(i):
        a -= w[s.M_ww + i * s.h + k] * w[x + k]
    return a / w[s.M_ww + i * s.h + i]


@inline
def without_square(S, g):
    """S - g gᵀ, six numbers."""
    x, y, z = g
    return S[0] - x * x, S[1] - x * y, S[2] - x * z, S[3] - y * y, S[4] - y * z, S[5] - z * z


@inline
def without_row(I, g, k):
    """I - (g, k) (g, k)ᵀ."""
    B = I.B
    return Inertia(
        without_square(I.A, g),
        (
            B[0] - g[0] * k[0],
            B[1] - g[0] * k[1],
            B[2] - g[0] * k[2],
            B[3] - g[1] * k[0],
            B[4] - g[1] * k[1],
            B[5] - g[1] * k[2],
            B[6] - g[2] * k[0],
            B[7] - g[2] * k[1],
            B[8] - g[2] * k[2],
        ),
        without_square(I.C, k),
    )


@jit
def eliminated(tab, w, b, I):
    """M_rr - GᵀG and -k_r + Gᵀ y: the body as a rigid one, with free coordinates."""
    s = elastic_places(tab, b)
    for i in range(s.h):
        (g, k), y = coupling_of(w, s, i), w[s.force + i]
        I = articulated(without_row(I, g, k), add(I.f, scale(g, y)), add(I.m, scale(k, y)))
    return I


@jit
def elastic_response(tab, w, b, y, al, aa, out):
    """ẅ = L⁻ᵀ(y - G a) into `out`; y: h numbers that stay as they are (offsets in work)."""
    s = elastic_places(tab, b)
    for k in range(s.h):
        i = s.h - 1 - k
        g, c = coupling_of(w, s, i)
        x = w[y + i] - dot(g, al) - dot(c, aa)
        for j in range(i + 1, s.h):
            x -= w[s.M_ww + j * s.h + i] * w[out + j]
        w[out + i] = x / w[s.M_ww + i * s.h + i]


@jit
def node_acceleration(tab, w, node, x, al, aa):
    """a + S ẅ at a node; x: offset of ẅ."""
    for j in range(tab[node + L.COUNT_ELASTIC]):
        sl, sa = shape_of(tab, w, node, j)
        al, aa = add(al, scale(sl, w[x + j])), add(aa, scale(sa, w[x + j]))
    return al, aa


# ---- momentum, energy, mass ----------------------------------------------------------------------------------------------


@jit
def elastic_momentum(tab, par, w, b, v, om):
    """Momentum and angular momentum about the frame's origin (body axes), and ẇᵀ ∂T/∂ẇ."""
    s = all_shapes(tab, par, w, b)
    p, pi = inertia_times(inertia_at(par, w, s), v, om)
    extra = 0.0
    for i in range(s.h):
        x = w[s.rate + i]
        a, c = coupling(par, w, s, i)
        p, pi = add(p, scale(a, x)), add(pi, scale(c, x))
        extra += x * (dot(a, v) + dot(c, om))
        for j in range(s.h):
            extra += x * par[J_ww_at(s, i, j)] * w[s.rate + j]
    return p, pi, extra


@jit
def elastic_moment(tab, par, w, b, m):
    """Σ m r of the deformed body: the undeformed one's and J_rw w."""
    s = all_shapes(tab, par, w, b)
    for i in range(s.h):
        m = add(m, scale(load3(par, J_rw_at(s, i)), w[s.w + i]))
    return m


@jit
def elastic_potential(tab, par, w, b):
    """½ wᵀ K w."""
    s, total = all_shapes(tab, par, w, b), 0.0
    for i in range(s.h):
        for j in range(s.h):
            total += 0.5 * w[s.w + i] * par[stiffness_at(s, i, j)] * w[s.w + j]
    return total
