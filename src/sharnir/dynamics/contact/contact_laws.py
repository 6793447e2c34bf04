"""Normal force and friction of a contact at one state; see docs/theory/contact.md.

Depth δ > 0: the bodies overlap. Numbers of a law: kind, k, n, c. Numbers of friction: static, kinetic, Stribeck's speed, speed of
regularization, viscous.
"""

import math

from sharnir.kernel import jit
from sharnir.spatial.vector import dot, scale

POWER, LINEAR, EXPONENTIAL = 0.0, 1.0, 2.0
LARGEST = 200.0  # exponent; as in model/contact/laws.py
LAW_KIND, STIFFNESS, EXPONENT, DAMPING = 0, 1, 2, 3  # numbers of a law
STATIC, KINETIC, STRIBECK, SMOOTHING, VISCOUS = 0, 1, 2, 3, 4  # numbers of friction
LAW_SIZE, FRICTION_SIZE = 4, 5


@jit
def pushing(force):
    """The force if it pushes; not-a-number stays, so that the run stops and says why."""
    return 0.0 if force < 0.0 else force


@jit
def normal_force(par, p, depth, rate):
    """N ≥ 0, its elastic part, and the elastic energy ∫ N dδ at rest."""
    kind, k, n, c = par[p + LAW_KIND], par[p + STIFFNESS], par[p + EXPONENT], par[p + DAMPING]
    if kind == EXPONENTIAL:
        e = math.exp(min(n * depth, LARGEST))
        return pushing((k + c * rate) * e), k * e, k * e / n
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    if kind == LINEAR:
        elastic = k * depth
        return pushing(elastic + c * rate), elastic, 0.5 * elastic * depth
    elastic = k * depth * math.sqrt(depth) if n == 1.5 else k * depth**n
    return pushing(elastic * (1.0 + c * rate)), elastic, elastic * depth / (n + 1.0)


@jit
def friction_force(par, p, normal, v):
    """Friction on the body that slides with velocity v (in the tangent plane); smooth where v is zero."""
    static, kinetic, stribeck = par[p + STATIC], par[p + KINETIC], par[p + STRIBECK]
    smooth, viscous = par[p + SMOOTHING], par[p + VISCOUS]
    s = dot(v, v)
    mu = kinetic
    if static > kinetic:
        mu += (static - kinetic) * math.exp(-s / (stribeck * stribeck))
    return scale(v, -normal * (mu / math.sqrt(s + smooth * smooth) + viscous))
