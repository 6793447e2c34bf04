"""The closed pendulum, the slider-cranks and Bricard's mechanism as functions of one angle, written down on paper."""

from __future__ import annotations

import math

import numpy as np

from mechanisms import BRICARD_AXES, BRICARD_POINTS, CLOSED_PENDULUM
from reference.one_freedom import cos, jet, moments, plane_rotation, sin, sqrt


def slender(mass, L, radius):
    """Second moments of a rod along its own x axis, as `mechanisms.rod` has it."""
    return moments((mass * radius**2 / 2, mass * L**2 / 12, mass * L**2 / 12))


def plane_rod(start, end, L, mass, radius):
    """A rod between two points of jets, in the plane."""
    c, s = (end[0] - start[0]) / L, (end[1] - start[1]) / L
    centre = ((start[0] + end[0]) * 0.5, (start[1] + end[1]) * 0.5, 0.0)
    return mass, slender(mass, L, radius), centre, plane_rotation(c, s)


def meeting(a, ra, b, rb, side):
    """The point at the distances ra from a and rb from b (jets), as `mechanisms.circles`."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    L2 = dx * dx + dy * dy
    x = 0.5 * (L2 + (ra**2 - rb**2)) / L2
    y = sqrt(ra**2 / L2 - x * x) * side
    return a[0] + x * dx - y * dy, a[1] + x * dy + y * dx


def closed_pendulum(phi, radius=0.01):
    """φ: absolute angle of rod 1 from the x axis."""
    p = CLOSED_PENDULUM
    L, O, C = p["L"], (jet(0), jet(0)), (jet(p["OC"]), jet(0))
    A = (cos(phi) * L[0], sin(phi) * L[0])
    B = meeting(A, L[1], C, L[2], -1.0)
    c, s = (C[0] - B[0]) / L[2], (C[1] - B[1]) / L[2]
    cb, sb = math.cos(p["bend"]), math.sin(p["bend"])
    tip = (B[0] + (c * cb - s * sb) * L[3], B[1] + (s * cb + c * sb) * L[3])
    ends = ((O, A), (A, B), (B, C), (B, tip))
    return [plane_rod(a, b, L[k], L[k], radius) for k, (a, b) in enumerate(ends)]


def slider_crank(theta, radius=0.01):
    """θ: angle of the crank. Loop: x = r cos θ + √(l² - r² sin² θ)."""
    A = (cos(theta) * 0.15, sin(theta) * 0.15)
    B = (A[0] + sqrt(0.3**2 - A[1] * A[1]), jet(0))
    still = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    slider = (0.08, moments((1e-4,) * 3), (B[0], 0.0, 0.0), still)
    return [plane_rod((jet(0), jet(0)), A, 0.15, 0.36, radius), plane_rod(A, B, 0.3, 0.15, radius), slider]


def spatial_slider_crank(theta):
    """θ: angle of the crank about x. The cardan cross stays perpendicular to x and to the rod."""
    s, c = sin(theta), cos(theta)
    B = (jet(0), 0.1 - 0.08 * s, 0.12 + 0.08 * c)
    x = sqrt(0.3**2 - B[1] * B[1] - B[2] * B[2])
    u = (x / 0.3, -B[1] / 0.3, -B[2] / 0.3)
    across = sqrt(u[1] * u[1] + u[2] * u[2])
    w = (jet(0), -u[2] / across, u[1] / across)  # x × u
    v = (u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0])
    still = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    crank = (
        0.12,
        moments((1e-4, 1e-4, 1e-5)),
        (0.0, 0.1 - 0.04 * s, 0.12 + 0.04 * c),
        ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)),
    )
    middle = tuple(B[k] + u[k] * 0.15 for k in range(3))
    rod = (0.5, moments((4e-4, 4e-3, 4e-3)), middle, tuple(zip(u, w, v, strict=True)))
    return [crank, rod, (2.0, moments((1e-4,) * 3), (x, 0.0, 0.0), still)]


def bricard(alpha):
    """α: the angle of the first hinge. It closes with α in odd and β in even hinges, sin α + sin β + sin α sin β = 0."""
    sb = -sin(alpha) / (1.0 + sin(alpha))
    cb = sqrt(1.0 - sb * sb)
    turns = [(cos(alpha), sin(alpha)), (cb, sb)] * 2 + [(cos(alpha), sin(alpha))]
    R, p, bodies = tuple(tuple(jet(float(i == k)) for k in range(3)) for i in range(3)), (jet(0),) * 3, []
    for i, turn in enumerate(turns):
        R = product(R, about(BRICARD_AXES[i], *turn))
        along = np.subtract(BRICARD_POINTS[i + 1], BRICARD_POINTS[i])
        step = tuple(sum((R[r][k] * float(along[k]) for k in range(3)), jet(0)) for r in range(3))
        inertia = np.where(np.abs(along) > 0.5, 0.02, 1.01) / 12
        bodies.append((1.0, moments(tuple(inertia)), tuple(p[k] + step[k] * 0.5 for k in range(3)), R))
        p = tuple(p[k] + step[k] for k in range(3))
    return bodies


def about(axis, c, s):
    """Rotation about a coordinate axis from its cosine and sine."""
    k = "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    R = [[jet(float(a == b)) for b in range(3)] for a in range(3)]
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -s, s, c
    return R


def product(A, B):
    """Of two 3×3 matrices of jets."""
    return tuple(tuple(sum((A[i][k] * B[k][j] for k in range(3)), jet(0)) for j in range(3)) for i in range(3))
