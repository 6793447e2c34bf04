"""A flexible body in the field of a central body: its centre and inertia as deformed, and its generalized forces.

V = V(r_c) - μ (tr J_c - 3 nᵀ J_c n)/(2 d³) as for rigid bodies, with centre c(w) and inertia J_c(w); the force on w_i is
-∂V/∂w_i = F · ∂c/∂w_i + μ (tr S_i - 3 nᵀ S_i n)/(2 d³), S_i = ∂J_c/∂w_i. With stiffening these are forces on h + r shapes, and
Tᵀ takes them to the h coordinates (foreshortening).
"""

from sharnir.dynamics.bodies.flexible_body import elastic_inertia, elastic_moment, inertia_slope
from sharnir.dynamics.bodies.flexible_memory import J_rw_at, bending_places
from sharnir.dynamics.bodies.foreshortening import all_shapes
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import jit
from sharnir.spatial.inertia import symmetric_times
from sharnir.spatial.vector import dot, load3, scale


@jit
def bent_mass(tab, par, w, b, m, moment):
    """Centre of mass and inertia about it (six numbers) of the deformed body, axes of its frame; moment: Σ m r undeformed."""
    c = scale(elastic_moment(tab, par, w, b, moment), 1.0 / m)
    J = elastic_inertia(tab, par, w, b).C
    x, y, z = c
    return c, (
        J[0] - m * (y * y + z * z),
        J[1] + m * x * y,
        J[2] + m * x * z,
        J[3] - m * (x * x + z * z),
        J[4] + m * y * z,
        J[5] - m * (x * x + y * y),
    )


@jit
def shape_pull(par, w, s, i, m, c, force, n, k):
    """-∂V/∂W_i of shape i; force on the centre and direction n in axes of the frame, k = μ/(2 d³)."""
    j = load3(par, J_rw_at(s, i))  # ∂(Σ m r)/∂W_i
    S = inertia_slope(par, w, s, i)
    cj = dot(c, j)
    trace = S[0] + S[3] + S[5] - 4.0 * cj
    along = dot(n, symmetric_times(S, n)) - 2.0 * cj + 2.0 * dot(n, c) * dot(n, j)
    return dot(force, j) / m + k * (trace - 3.0 * along)


@jit
def add_elastic_pull(tab, par, w, b, m, c, force, n, k):
    """Forces on all elastic coordinates of a body to W_TAU."""
    h, tau = tab[b + L.COUNT_ELASTIC], tab[L.W_TAU] + tab[b + L.ELASTIC_V]
    s, T = all_shapes(tab, par, w, b), bending_places(tab, par, b).T
    for i in range(s.h):
        pull = shape_pull(par, w, s, i, m, c, force, n, k)
        if i < h:
            w[tau + i] += pull
        else:
            for j in range(h):
                w[tau + j] += w[T + (i - h) * h + j] * pull
