"""Accelerations of a tree by elimination of one body after the other, with expressions in place of numbers: O(n) operations.

The inertia of a body with all that hangs on it gives the force and torque at its origin that an acceleration needs,
f = M a + H α and n = Hᵀ a + J α. Accelerations are counted from those that the bodies have without v̇.
"""

from __future__ import annotations

from typing import NamedTuple

from sharnir.equations.bodies import Inertia
from sharnir.equations.recursion import Recursion, Wrench
from sharnir.symbolic.matrices import (
    IDENTITY,
    NOTHING,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    multiply,
    rotate,
    rotate_back,
    scale,
    sub,
    symmetric_times,
    transposed,
    turned,
)
from sharnir.symbolic.nodes import ONE, ZERO, Node, minus, negative, plus, quotient, times

PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of a symmetric matrix


class Articulated(NamedTuple):
    """Inertia of a body with all that moves with it: M and J symmetric (6 nodes), H by rows (9 nodes)."""

    M: Matrix
    H: Matrix
    J: Matrix

    def times(self, a: Vector, alpha: Vector) -> Wrench:
        """Force and torque that an acceleration needs."""
        force = add(symmetric_times(self.M, a), rotate(self.H, alpha))
        return force, add(rotate_back(self.H, a), symmetric_times(self.J, alpha))

    def without(self, f: Vector, n: Vector, share: Node) -> Articulated:
        """What is left when a freedom gives way: I - share (f, n)(f, n)ᵀ."""
        sf, sn = scale(f, share), scale(n, share)
        return Articulated(
            tuple(minus(self.M[k], times(f[i], sf[j])) for k, (i, j) in enumerate(PAIRS)),
            tuple(minus(self.H[3 * i + j], times(f[i], sn[j])) for i in range(3) for j in range(3)),
            tuple(minus(self.J[k], times(n[i], sn[j])) for k, (i, j) in enumerate(PAIRS)),
        )

    def plus(self, other: Articulated) -> Articulated:
        """Both together."""
        return Articulated(*(add(a, b) for a, b in zip(self, other, strict=True)))

    def at_rest_along(self, s: Vector, w: Vector) -> Articulated:
        """Entries that vanish when the freedom along a coordinate axis has given way, without their rounding."""
        M, H, J = list(self.M), list(self.H), list(self.J)
        for k in range(3):
            if s == NOTHING and w == IDENTITY[3 * k : 3 * k + 3]:
                for i in range(3):
                    H[3 * i + k] = ZERO
                    J[PAIRS.index((min(i, k), max(i, k)))] = ZERO
            elif w == NOTHING and s == IDENTITY[3 * k : 3 * k + 3]:
                for i in range(3):
                    H[3 * k + i] = ZERO
                    M[PAIRS.index((min(i, k), max(i, k)))] = ZERO
        return Articulated(tuple(M), tuple(H), tuple(J))

    def seen_from(self, turns: tuple[Matrix, ...], rho: Vector) -> Articulated:
        """The same in the parent's axes, about the parent's origin: H - M ρ~, J + ρ~(H - M ρ~) + (ρ~ H)ᵀ."""
        M, H, J = self
        for R in reversed(turns):
            if R != IDENTITY:
                M, H, J = turned(R, M), multiply(multiply(R, H), transposed(R)), turned(R, J)
        moved = sub(H, columns_crossed(square(M), rho))
        own, far = rows_crossed(rho, H), rows_crossed(rho, moved)
        return Articulated(M, moved, tuple(plus(plus(J[k], far[3 * i + j]), own[3 * j + i]) for k, (i, j) in enumerate(PAIRS)))


def square(S: Matrix) -> Matrix:
    """All nine entries of a symmetric matrix."""
    xx, xy, xz, yy, yz, zz = S
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


def columns_crossed(A: Matrix, r: Vector) -> Matrix:
    """A r~."""
    return tuple(x for i in range(3) for x in cross(A[3 * i : 3 * i + 3], r))


def rows_crossed(r: Vector, A: Matrix) -> Matrix:
    """r~ A."""
    columns = [cross(r, (A[j], A[3 + j], A[6 + j])) for j in range(3)]
    return tuple(columns[j][i] for i in range(3) for j in range(3))


def rigid(x: Inertia) -> Articulated:
    """A rigid body alone."""
    h = x.first
    H = (ZERO, h[2], negative(h[1]), negative(h[2]), ZERO, h[0], h[1], negative(h[0]), ZERO)
    return Articulated((x.mass, ZERO, ZERO, x.mass, ZERO, x.mass), H, x.second)


class Freed(NamedTuple):
    """One eliminated freedom: its speed, its axis, (f, n)/d, and what its own force has left for it."""

    speed: int
    s: Vector
    w: Vector
    f: Vector
    n: Vector
    own: Node


def tree_accelerations(recursion: Recursion, applied: list[Node], wrenches: list[Wrench]) -> list[Node]:
    """v̇ of an open chain, every speed of which belongs to one joint.

    applied : forces along the speeds; wrenches : what bodies need without v̇, their applied forces taken off.
    """
    motions = recursion.motion
    inertia = [rigid(x) for x in recursion.bodies.inertia]
    loads = list(wrenches)
    freed: list[list[Freed]] = [[] for _ in motions]
    for i in reversed(range(len(motions))):
        m, I, (f, n) = motions[i], inertia[i], loads[i]
        for k, s, w in reversed(m.axes):
            u, x = I.times(s, w)
            rotor = recursion.rotors.get((k, k), ZERO)
            share = quotient(ONE, plus(plus(dot(s, u), dot(w, x)), rotor))
            own = times(minus(minus(applied[k], dot(s, f)), dot(w, n)), share)
            I = I.without(u, x, share)
            I = I.at_rest_along(s, w) if rotor is ZERO else I
            f, n = add(f, scale(u, own)), add(n, scale(x, own))
            freed[i].append(Freed(k, s, w, scale(u, share), scale(x, share), own))
        if m.parent >= 0:
            inertia[m.parent] = inertia[m.parent].plus(I.seen_from(m.turns, m.rho))
            f, n = m.inwards(f), m.inwards(n)
            F, N = loads[m.parent]
            loads[m.parent] = add(F, f), add(N, add(n, cross(m.rho, f)))
    return _outwards(recursion, freed, len(applied))


def _outwards(recursion: Recursion, freed: list[list[Freed]], count: int) -> list[Node]:
    """Accelerations from the ground to the leaves."""
    found: list[Node] = [ZERO] * count
    bodies: list[tuple[Vector, Vector]] = []
    for i, m in enumerate(recursion.motion):
        a, alpha = (NOTHING, NOTHING) if m.parent < 0 else bodies[m.parent]
        a, alpha = m.outwards(add(a, cross(alpha, m.rho))), m.outwards(alpha)
        for x in reversed(freed[i]):
            rate = minus(x.own, plus(dot(x.f, a), dot(x.n, alpha)))
            found[x.speed] = rate
            a, alpha = add(a, scale(x.s, rate)), add(alpha, scale(x.w, rate))
        bodies.append((a, alpha))
    return found
