"""Rotations: about an axis, by a unit quaternion (w, x, y, z), and their logarithm."""

import math

from sharnir.kernel import inline, sincos


@inline
def axis_rotation(a, angle):
    """Rotation matrix about the unit axis `a` that maps turned axes to the axes before the turn (Rodrigues)."""
    s, c = sincos(angle)
    k = 1.0 - c
    x, y, z = a
    return (
        c + k * x * x,
        k * x * y - s * z,
        k * x * z + s * y,
        k * x * y + s * z,
        c + k * y * y,
        k * y * z - s * x,
        k * x * z - s * y,
        k * y * z + s * x,
        c + k * z * z,
    )


@inline
def quaternion_rotation(e):
    """Rotation matrix body → parent of a quaternion of any length; orthogonal to rounding."""
    w, x, y, z = e
    k = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - k * (y * y + z * z),
        k * (x * y - w * z),
        k * (x * z + w * y),
        k * (x * y + w * z),
        1.0 - k * (x * x + z * z),
        k * (y * z - w * x),
        k * (x * z - w * y),
        k * (y * z + w * x),
        1.0 - k * (x * x + y * y),
    )


@inline
def quaternion_rate(e, om):
    """ė = ½ e ∘ (0, ω) with ω in body axes."""
    w, x, y, z = e
    a, b, c = om
    return (
        -0.5 * (x * a + y * b + z * c),
        0.5 * (w * a + y * c - z * b),
        0.5 * (w * b + z * a - x * c),
        0.5 * (w * c + x * b - y * a),
    )


@inline
def quaternion_of(R):
    """Unit quaternion of a rotation matrix, w ≥ 0; the largest component is found first, so no digits are lost."""
    tr = R[0] + R[4] + R[8]
    if tr >= R[0] and tr >= R[4] and tr >= R[8]:
        e = (1.0 + tr, R[7] - R[5], R[2] - R[6], R[3] - R[1])
    elif R[0] >= R[4] and R[0] >= R[8]:
        e = (R[7] - R[5], 1.0 + 2.0 * R[0] - tr, R[1] + R[3], R[2] + R[6])
    elif R[4] >= R[8]:
        e = (R[2] - R[6], R[1] + R[3], 1.0 + 2.0 * R[4] - tr, R[5] + R[7])
    else:
        e = (R[3] - R[1], R[2] + R[6], R[5] + R[7], 1.0 + 2.0 * R[8] - tr)
    k = 1.0 / math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    if e[0] < 0.0:
        k = -k
    return e[0] * k, e[1] * k, e[2] * k, e[3] * k


@inline
def rotation_vector(e):
    """φ with exp(φ~) = R(e), |φ| ≤ π; the same numbers in the axes before and after the turn."""
    w, x, y, z = e
    s = math.sqrt(x * x + y * y + z * z)
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    k = 2.0 / w if s < 1e-8 * w else 2.0 * math.atan2(s, w) / s
    return k * x, k * y, k * z


@inline
def rotation_vector_slope(phi):
    """k = (1 - ½θ cot ½θ)/θ²: in φ̇ = (1 - ½ φ~ + k φ~²) ω, the rate of the rotation vector, ω in the axes before the turn."""
    t2 = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]
    if t2 < 1e-4:
        return 1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0
    h = 0.5 * math.sqrt(t2)
    return (1.0 - h * math.cos(h) / math.sin(h)) / t2
