"""A flexible body by elastic coordinates w: inertia and inertia force (Yudakov 2012), elimination of ẅ (Gevorkian 2020).

M(w) (a, α, ẅ) + c = s with blocks J_rr, J_rφ, … that are polynomials of w (flexible/inertia/modal_inertia.py). Children hang on
nodes, whose motion relative to the body's frame is S ẇ; what they hand over adds to all blocks. With M_ww = L Lᵀ,
G = L⁻¹ M_wr, y = L⁻¹(s_w - c_w) the rest is a rigid body's: M_rr - GᵀG, c_r + Gᵀy, and on the way back ẅ = L⁻ᵀ(y - G a).
With stiffening the polynomials are those of more shapes, W = (w, d(w)): elastic_bending.
"""

import math

from sharnir.dynamics.bodies.foreshortening import add_bending, all_places, places_at
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import inline, jit
from sharnir.spatial.inertia import inertia_times
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate, rotate_back, scale, store3, sub

# work of a flexible body with h coordinates, at ELASTIC_W: w h, ẇ h, y h, ẅ h, M_wr (then G) h × 6, M_ww (then L) h × h


@inline
def elastic_places(tab, b):
    """Number of coordinates, offset of parameters, offsets of w, ẇ, y, ẅ, M_wr and M_ww in work."""
    return places_at(tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_P], tab[b + L.ELASTIC_W])


@jit
def scaled9(m, p, x):
    """x times nine numbers."""
    a = load9(m, p)
    return a[0] * x, a[1] * x, a[2] * x, a[3] * x, a[4] * x, a[5] * x, a[6] * x, a[7] * x, a[8] * x


@inline
def add9(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8]


@jit
def inertia_slope(par, w, at, P, h, i):
    """∂J_φφ/∂w_i = P_i + 2 Σ_j P_ij w_j."""
    S = load9(par, P + 9 * i)
    for j in range(h):
        S = add9(S, scaled9(par, P + 9 * (h + i * h + j), 2.0 * w[at + j]))
    return S


@jit
def elastic_inertia(tab, par, w, b):
    """J_rr, J_rφ, J_φφ (nine numbers each) at the present w."""
    h, p, at, _, _, _, _, _ = all_places(tab, par, w, b)
    return inertia_at(par, w, p, h, at)


@jit
def inertia_at(par, w, p, h, at):
    """J_rr, J_rφ, J_φφ of h shapes with the parameters p at coordinates at an offset in work."""
    B, C = load9(par, p + 9), load9(par, p + 18)
    R, P = p + 27, p + 27 + 9 * h
    for i in range(h):
        x = w[at + i]
        B = add9(B, scaled9(par, R + 9 * i, x))
        C = add9(C, scaled9(par, P + 9 * i, x))
        for j in range(h):
            C = add9(C, scaled9(par, P + 9 * (h + i * h + j), x * w[at + j]))
    return load9(par, p), B, C


@jit
def coupling(par, w, p, h, at, j):
    """Column j of J_rw and of J_φw at the present w."""
    J = p + 27 + 18 * h + 9 * h * h
    a, Q = load3(par, J + 3 * (h + j)), J + 6 * h
    for i in range(h):
        x, c = w[at + i], load3(par, Q + 3 * (i * h + j))
        a = (a[0] + x * c[0], a[1] + x * c[1], a[2] + x * c[2])
    return load3(par, J + 3 * j), a


@jit
def start_elastic(tab, par, w, tau, b, v, om):
    """M_wr, M_ww and s_w - c_w of the body itself into work; returns J_rr, J_rφ, J_φφ and c_r, c_φ.

    From Lagrange's equations in quasi-velocities: ṗ + ω × p, π̇ + ω × π + v × p, d(∂T/∂ẇ)/dt - ∂T/∂w, with the acceleration of
    the origin a = v̇ + ω × v.
    """
    h, p, at, rate, y, _, M, W = all_places(tab, par, w, b)
    A, B, C, fl, fa = inertia_terms(par, w, h, p, at, rate, y, M, W, v, om)
    if h > tab[b + L.COUNT_ELASTIC]:
        fl, fa = add_bending(tab, par, w, b, fl, fa)
    _, _, _, _, y, _, _, _ = elastic_places(tab, b)
    for i in range(tab[b + L.COUNT_ELASTIC]):
        w[y + i] += tau[tab[b + L.ELASTIC_V] + i]
    return A, B, C, fl, fa


@jit
def inertia_terms(par, w, h, p, at, rate, y, M, W, v, om):
    """M_wr, M_ww and -c_w of h shapes into work; returns J_rr, J_rφ, J_φφ and c_r, c_φ."""
    A, B, C = inertia_at(par, w, p, h, at)
    R, P = p + 27, p + 27 + 9 * h
    Q = P + 9 * h * (1 + h) + 6 * h
    K = Q + 3 * h * h + h * h
    turning = cross(om, v)
    lin = add(rotate(A, v), rotate(B, om))  # momentum and angular momentum
    ang = add(rotate_back(B, v), rotate(C, om))
    Bd = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    Cd = Bd
    Jd = (0.0, 0.0, 0.0)  # J̇_φw ẇ
    for i in range(h):
        x = w[rate + i]
        jl, ja = coupling(par, w, p, h, at, i)
        lin, ang = add(lin, scale(jl, x)), add(ang, scale(ja, x))
        Bd = add9(Bd, scaled9(par, R + 9 * i, x))
        S = inertia_slope(par, w, at, P, h, i)
        Cd = add9(Cd, (S[0] * x, S[1] * x, S[2] * x, S[3] * x, S[4] * x, S[5] * x, S[6] * x, S[7] * x, S[8] * x))
        store3(w, M + 6 * i, jl)
        store3(w, M + 6 * i + 3, ja)
        # d(∂T/∂ẇ)/dt without accelerations, less ∂T/∂w; springs and dampers of the body; what acts on the coordinate
        own, other = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        force = 0.0
        for j in range(h):
            a, c = w[rate + j], load3(par, Q + 3 * (j * h + i))
            own = (own[0] + a * c[0], own[1] + a * c[1], own[2] + a * c[2])
            c = load3(par, Q + 3 * (i * h + j))
            other = (other[0] + a * c[0], other[1] + a * c[1], other[2] + a * c[2])
            w[W + i * h + j] = par[Q + 3 * h * h + i * h + j]
            force += par[K + i * h + j] * w[at + j] + par[K + h * h + i * h + j] * a
        Jd = add(Jd, scale(own, x))
        slope = dot(v, rotate(load9(par, R + 9 * i), om)) + 0.5 * dot(om, rotate(S, om)) + dot(om, other)
        force += dot(own, om) - dot(jl, turning) - slope
        w[y + i] = -force
    fl = sub(add(rotate(Bd, om), cross(om, lin)), rotate(A, turning))
    fa = add(add(rotate_back(Bd, v), rotate(Cd, om)), add(Jd, add(cross(om, ang), cross(v, lin))))
    drag = par[K + 2 * h * h]
    if drag > 0.0:
        fl, fa = add(fl, scale(lin, drag)), add(fa, scale(ang, drag))
        add_drag(w, h, rate, y, M, W, v, om, drag)
    return A, B, C, fl, sub(fa, rotate_back(B, turning))


@jit
def add_drag(w, h, rate, y, M, W, v, om, drag):
    """-β ∂T/∂ẇ to the forces on h shapes; the rest of -β M q̇ is β times the momenta. M_wr and M_ww must be there."""
    for i in range(h):
        x = dot(load3(w, M + 6 * i), v) + dot(load3(w, M + 6 * i + 3), om)
        for j in range(h):
            x += w[W + i * h + j] * w[rate + j]
        w[y + i] -= drag * x


@jit
def add_node(tab, par, w, b, node, wn, A, B, C, fl, fa):
    """What a node hands over to the coordinates of its body: Sᵀ I S, S and X together, Sᵀ (f + I w*). A, B, C, f: at the node."""
    h, _, _, _, y, _, M, W = elastic_places(tab, b)
    S = tab[node + L.ELASTIC_W]
    x, z = inertia_times(A, B, C, load3(w, wn + L.BIAS), load3(w, wn + L.BIAS + 3))
    fl, fa = add(fl, x), add(fa, z)
    R, rho = load9(w, wn + L.G), load3(w, wn + L.RHO)
    for j in range(h):
        sl, sa = load3(w, S + 6 * j), load3(w, S + 6 * j + 3)
        x, z = inertia_times(A, B, C, sl, sa)
        for i in range(h):
            w[W + i * h + j] += dot(load3(w, S + 6 * i), x) + dot(load3(w, S + 6 * i + 3), z)
        x = rotate_back(R, x)
        z = add(rotate_back(R, z), cross(rho, x))
        store3(w, M + 6 * j, add(load3(w, M + 6 * j), x))
        store3(w, M + 6 * j + 3, add(load3(w, M + 6 * j + 3), z))
        w[y + j] -= dot(sl, fl) + dot(sa, fa)


@jit
def factorize_elastic(tab, w, b):
    """L of M_ww, G = L⁻¹ M_wr, y ← L⁻¹ y, in place; False if M_ww is not positive definite."""
    h, _, _, _, y, _, M, W = elastic_places(tab, b)
    good = True
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
            a = w[M + 6 * i + c]
            for k in range(i):
                a -= w[W + i * h + k] * w[M + 6 * k + c]
            w[M + 6 * i + c] = a * d
        w[y + i] = forward_one(w, W, h, i, y)
    return good


@inline
def forward_one(w, W, h, i, x):
    """Row i of x ← L⁻¹ x, the rows before it done."""
    a = w[x + i]
    for k in range(i):
        a -= w[W + i * h + k] * w[x + k]
    return a / w[W + i * h + i]


@inline
def without_square(S, g):
    """S - g gᵀ, six numbers."""
    x, y, z = g
    return S[0] - x * x, S[1] - x * y, S[2] - x * z, S[3] - y * y, S[4] - y * z, S[5] - z * z


@jit
def eliminated(tab, w, b, A, B, C, fl, fa):
    """M_rr - GᵀG and c_r + Gᵀ y: the body as a rigid one, with free coordinates. A, C: six numbers."""
    h, _, _, _, y, _, G, _ = elastic_places(tab, b)
    for i in range(h):
        g, k, x = load3(w, G + 6 * i), load3(w, G + 6 * i + 3), w[y + i]
        A, C = without_square(A, g), without_square(C, k)
        B = (
            B[0] - g[0] * k[0],
            B[1] - g[0] * k[1],
            B[2] - g[0] * k[2],
            B[3] - g[1] * k[0],
            B[4] - g[1] * k[1],
            B[5] - g[1] * k[2],
            B[6] - g[2] * k[0],
            B[7] - g[2] * k[1],
            B[8] - g[2] * k[2],
        )
        fl, fa = add(fl, scale(g, x)), add(fa, scale(k, x))
    return A, B, C, fl, fa


@jit
def elastic_response(tab, w, b, x, al, aa, out):
    """ẅ = L⁻ᵀ(x - G a) into `out` (offset in work); x: offset of h numbers that stay as they are."""
    h, _, _, _, _, _, G, W = elastic_places(tab, b)
    for k in range(h):
        i = h - 1 - k
        a = w[x + i] - dot(load3(w, G + 6 * i), al) - dot(load3(w, G + 6 * i + 3), aa)
        for j in range(i + 1, h):
            a -= w[W + j * h + i] * w[out + j]
        w[out + i] = a / w[W + i * h + i]


@jit
def node_acceleration(tab, w, node, h, x, al, aa):
    """a + S ẅ at a node; x: offset of ẅ."""
    S = tab[node + L.ELASTIC_W]
    for j in range(h):
        a = w[x + j]
        al, aa = add(al, scale(load3(w, S + 6 * j), a)), add(aa, scale(load3(w, S + 6 * j + 3), a))
    return al, aa


@jit
def elastic_momentum(tab, par, w, b, v, om):
    """Momentum and angular momentum about the frame's origin (body axes), and ẇᵀ ∂T/∂ẇ."""
    h, p, at, rate, _, _, _, _ = all_places(tab, par, w, b)
    A, B, C = inertia_at(par, w, p, h, at)
    lin, ang, extra = add(rotate(A, v), rotate(B, om)), add(rotate_back(B, v), rotate(C, om)), 0.0
    J = p + 27 + 18 * h + 9 * h * h + 6 * h + 3 * h * h
    for i in range(h):
        x = w[rate + i]
        jl, ja = coupling(par, w, p, h, at, i)
        lin, ang = add(lin, scale(jl, x)), add(ang, scale(ja, x))
        extra += x * (dot(jl, v) + dot(ja, om))
        for j in range(h):
            extra += x * par[J + i * h + j] * w[rate + j]
    return lin, ang, extra


@jit
def elastic_moment(tab, par, w, b, m):
    """Σ m r of the deformed body: the undeformed one's and J_rw w."""
    h, p, at, _, _, _, _, _ = all_places(tab, par, w, b)
    J = p + 27 + 18 * h + 9 * h * h
    for i in range(h):
        m = add(m, scale(load3(par, J + 3 * i), w[at + i]))
    return m


@jit
def elastic_potential(tab, par, w, b):
    """½ wᵀ K w."""
    h, p, at, _, _, _, _, _ = all_places(tab, par, w, b)
    K, total = p + 27 + 18 * h + 9 * h * h + 6 * h + 4 * h * h, 0.0
    for i in range(h):
        for j in range(h):
            total += 0.5 * w[at + i] * par[K + i * h + j] * w[at + j]
    return total
