"""Mechanisms of one freedom by Lagrange's equation in that freedom alone: nothing of the engine, loops closed on paper.

A mechanism is a function of a Jet φ that returns its bodies as (mass, second moments S, centre, rotation), all written
with jets. With a(φ) = Σ m |c'|² + tr(R' S R'ᵀ) the kinetic energy is ½ a φ̇², and φ̈ = (Q - V' - ½ a' φ̇²)/a.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp


class Jet:
    """A function of φ by its value and its first two derivatives."""

    __slots__ = ("a", "b", "c")

    def __init__(self, a, b=0.0, c=0.0):
        self.a, self.b, self.c = a, b, c

    def chained(self, f, f1, f2):
        """f of this, with f, f', f'' at its value."""
        return Jet(f, f1 * self.b, f2 * self.b**2 + f1 * self.c)

    def __add__(self, o):
        o = jet(o)
        return Jet(self.a + o.a, self.b + o.b, self.c + o.c)

    def __mul__(self, o):
        o = jet(o)
        return Jet(self.a * o.a, self.a * o.b + self.b * o.a, self.a * o.c + 2 * self.b * o.b + self.c * o.a)

    def __neg__(self):
        return Jet(-self.a, -self.b, -self.c)

    def __sub__(self, o):
        return self + -jet(o)

    def __rsub__(self, o):
        return jet(o) - self

    def __truediv__(self, o):
        o = jet(o)
        return self * o.chained(1 / o.a, -1 / o.a**2, 2 / o.a**3)

    def __rtruediv__(self, o):
        return jet(o) / self

    __radd__, __rmul__ = __add__, __mul__


def jet(x):
    return x if isinstance(x, Jet) else Jet(float(x))


def sin(x):
    s, c = math.sin(x.a), math.cos(x.a)
    return x.chained(s, c, -s)


def cos(x):
    s, c = math.sin(x.a), math.cos(x.a)
    return x.chained(c, -s, -c)


def sqrt(x):
    r = math.sqrt(x.a)
    return x.chained(r, 0.5 / r, -0.25 / r**3)


def plane_rotation(cosine, sine):
    return ((cosine, -sine, 0.0), (sine, cosine, 0.0), (0.0, 0.0, 1.0))


@cache
def moments(inertia):
    """S = ½ tr(J) E - J: the second moments that belong to an inertia, a tuple of three."""
    J = np.diag(inertia)
    return 0.5 * np.trace(J) * np.eye(3) - J


def derivatives(entries):
    """Arrays of the first and of the second derivatives."""
    flat = [jet(x) for x in entries]
    return np.array([x.b for x in flat]), np.array([x.c for x in flat])


def coefficients(bodies, gravity):
    """a, a' and V' of a list of bodies."""
    a = slope = force = 0.0
    for mass, S, centre, rotation in bodies:
        c1, c2 = derivatives(centre)
        a, slope = a + mass * c1 @ c1, slope + 2 * mass * c1 @ c2
        force -= mass * np.dot(gravity, c1)
        R1, R2 = (d.reshape(3, 3) for d in derivatives([x for row in rotation for x in row]))
        a, slope = a + np.sum((R1 @ S) * R1), slope + 2 * np.sum((R1 @ S) * R2)
    return a, slope, force


def motion(mechanism, gravity, phi, rate, times, torque=0.0):
    """φ and φ̇ at the times, from SciPy's order 8 at its tightest; `times` begins with the start.

    Several tests ask for the same motion, at other times: it is computed once, and is known between the times.
    """
    return _course(mechanism, gravity, phi, rate, float(times[0]), float(times[-1]), torque)(times)


@cache
def _course(mechanism, gravity, phi, rate, begin, end, torque):

    def right(_, y):
        a, slope, force = coefficients(mechanism(Jet(y[0], 1.0)), gravity)
        return [y[1], (torque - force - 0.5 * slope * y[1] ** 2) / a]

    found = solve_ivp(right, (begin, end), [phi, rate], "DOP853", dense_output=True, rtol=1e-13, atol=1e-14)
    assert found.success
    return found.sol


def energy(mechanism, gravity, phi, rate):
    """Kinetic and potential energy."""
    bodies = mechanism(Jet(phi, 1.0))
    height = sum(-mass * np.dot(gravity, [jet(x).a for x in centre]) for mass, _, centre, _ in bodies)
    return 0.5 * coefficients(bodies, gravity)[0] * rate**2, height
