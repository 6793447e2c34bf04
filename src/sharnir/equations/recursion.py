"""The recursions along the tree, with expressions in place of numbers: motion, mass matrix, bias, generalized forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sharnir.equations.bodies import Bodies, Inertia, shifted
from sharnir.equations.joint_motion import RelativeMotion
from sharnir.symbolic.matrices import (
    IDENTITY,
    NOTHING,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    multiply,
    opposite,
    rotate,
    rotate_back,
    scale,
    symmetric_times,
    turned,
)
from sharnir.symbolic.nodes import ZERO, Node, Number, plus

Wrench = tuple[Vector, Vector]  # force, and torque about the origin of the body's frame; body axes


@dataclass
class Motion:
    """Position and velocity of one body: R (body axes → parent axes), ρ in parent axes, velocities and bias in body axes."""

    parent: int
    R: Matrix
    rho: Vector
    v: Vector
    om: Vector
    bias_l: Vector
    bias_a: Vector
    axes: list[tuple[int, Vector, Vector]]


class Recursion:
    """All bodies at one symbolic state; the first may be a moving ground, which all others without parent hang on."""

    def __init__(self, bodies: Bodies, relative: list[RelativeMotion], base: RelativeMotion | None, gravity: Vector) -> None:
        self.bodies, self.gravity = bodies, gravity
        self.base = Motion(-1, IDENTITY, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, [])
        if base is not None:
            self.base = self._moved(base, IDENTITY, NOTHING, self.base, -2)
        self.motion: list[Motion] = []
        for i, x in enumerate(relative):
            p = bodies.tree.parent[i]
            self.motion.append(self._moved(x, bodies.tree_rotation[i], bodies.tree_position[i], self.at(p), p))
        self.rotors: dict[tuple[int, int], Node] = {}  # by pairs of speeds: J of rotors that turn with them
        self._poses: dict[tuple[int, int], tuple[Matrix, Vector]] = {}

    def at(self, i: int) -> Motion:
        """The motion of body i; -1: the ground."""
        return self.base if i < 0 else self.motion[i]

    def _moved(self, x: RelativeMotion, T: Matrix, place: Vector, above: Motion, parent: int) -> Motion:
        """v = Rᵀ(v_p + ω_p × ρ) + v^r, and the acceleration that is there without q̈."""
        R, rho = multiply(T, x.E), add(place, rotate(T, x.r))
        centripetal = rotate_back(R, cross(above.om, cross(above.om, rho)))
        v = add(rotate_back(R, add(above.v, cross(above.om, rho))), x.v)
        om = rotate_back(R, above.om)
        bias_l = add(add(centripetal, x.al), scale(cross(om, x.v), Number(2)))
        return Motion(parent, R, rho, v, add(om, x.om), bias_l, add(x.aa, cross(om, x.om)), x.axes)

    def path(self, i: int) -> list[int]:
        """Bodies from i up to the ground, which is the last one."""
        found = [i]
        while found[-1] >= 0:
            found.append(self.bodies.tree.parent[found[-1]])
        return found

    def pose(self, i: int, above: int = -2) -> tuple[Matrix, Vector]:
        """Rotation and position of body i in axes of one it hangs on; -1: the ground, -2: the world, where the ground moves."""
        if i == above:
            return IDENTITY, NOTHING
        if (i, above) not in self._poses:
            if i < 0:
                self._poses[i, above] = self.base.R, self.base.rho
            else:
                m = self.motion[i]
                P, r = self.pose(m.parent, above)
                self._poses[i, above] = multiply(P, m.R), add(r, rotate(P, m.rho))
        return self._poses[i, above]

    def relative_pose(self, i: int, j: int) -> tuple[Matrix, Vector]:
        """Rotation and position of body j as seen from body i, by way of the first body that both hang on."""
        shared = set(self.path(i))
        common = next(k for k in self.path(j) if k in shared)
        (A, a), (B, b) = self.pose(i, common), self.pose(j, common)
        if i == common:
            return B, b
        return multiply((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B), rotate_back(A, add(b, opposite(a)))

    @cached_property
    def moving(self) -> bool:
        """Whether the ground moves."""
        return self.base.parent == -2

    def bias_accelerations(self) -> list[tuple[Vector, Vector]]:
        """Accelerations of the bodies without v̇, gravity as an acceleration of the ground upwards; body axes."""
        a0 = rotate_back(self.base.R, opposite(self.gravity))
        start = (add(a0, self.base.bias_l), self.base.bias_a)
        found: list[tuple[Vector, Vector]] = []
        for m in self.motion:
            al, aa = start if m.parent < 0 else found[m.parent]
            al = add(rotate_back(m.R, add(al, cross(aa, m.rho))), m.bias_l)
            found.append((al, add(rotate_back(m.R, aa), m.bias_a)))
        return found

    def bias(self) -> list[Wrench]:
        """Forces that the bodies need without v̇ (Newton–Euler)."""
        found: list[Wrench] = []
        accelerations = self.bias_accelerations()
        for i, m in enumerate(self.motion):
            (al, aa), x = accelerations[i], self.bodies.inertia[i]
            force = add(add(scale(al, x.mass), cross(aa, x.first)), cross(m.om, cross(m.om, x.first)))
            torque = add(symmetric_times(x.second, aa), cross(m.om, symmetric_times(x.second, m.om)))
            found.append((force, add(torque, cross(x.first, al))))
        return found

    def generalized(self, wrenches: list[Wrench], count: int) -> list[Node]:
        """What forces on bodies give along the speeds: from the leaves to the ground."""
        found: list[Node] = [ZERO] * count
        left = list(wrenches)
        for i in reversed(range(len(self.motion))):
            m, (f, n) = self.motion[i], left[i]
            for k, s, w in m.axes:
                found[k] = plus(found[k], plus(dot(s, f), dot(w, n)))
            if m.parent >= 0:
                f, n = rotate(m.R, f), rotate(m.R, n)
                F, N = left[m.parent]
                left[m.parent] = add(F, f), add(N, add(n, cross(m.rho, f)))
        return found

    def mass_matrix(self, count: int) -> list[list[Node]]:
        """Composite bodies: each with all that hangs on it, moved along its joint's axes, and rotors; symmetric."""
        M: list[list[Node]] = [[ZERO] * count for _ in range(count)]
        for (k, j), J in self.rotors.items():
            M[k][j] = J
        composite: list[Inertia] = list(self.bodies.inertia)
        for i in reversed(range(len(self.motion))):
            m, x = self.motion[i], composite[i]
            if m.parent >= 0:
                up = shifted(Inertia(x.mass, rotate(m.R, x.first), turned(m.R, x.second)), m.rho)
                composite[m.parent] = summed(composite[m.parent], up)
        for i in reversed(range(len(self.motion))):
            m, x = self.motion[i], composite[i]
            forces = []
            for k, s, w in m.axes:
                force = add(scale(s, x.mass), cross(w, x.first))
                forces.append((k, force, add(symmetric_times(x.second, w), cross(x.first, s))))
            for a, (k, f, n) in enumerate(forces):
                for b, (j, s, w) in enumerate(m.axes[: a + 1]):
                    add_entry(M, k, j, plus(dot(s, f), dot(w, n)), a == b)
            below = m
            while below.parent >= 0 and forces:
                forces = [(k, rotate(below.R, f), rotate(below.R, n)) for k, f, n in forces]
                forces = [(k, f, add(n, cross(below.rho, f))) for k, f, n in forces]
                below = self.motion[below.parent]
                for k, f, n in forces:
                    for j, s, w in below.axes:
                        add_entry(M, k, j, plus(dot(s, f), dot(w, n)), False)
        return M


def add_entry(M: list[list[Node]], k: int, j: int, value: Node, diagonal: bool) -> None:
    """Add what freedom k shares with freedom j; both may belong to one speed."""
    if k == j:
        M[k][k] = plus(M[k][k], value if diagonal else plus(value, value))
    else:
        M[k][j] = M[j][k] = plus(M[k][j], value)


def summed(a: Inertia, b: Inertia) -> Inertia:
    """Two bodies as one."""
    return Inertia(
        plus(a.mass, b.mass), add(a.first, b.first), tuple(plus(x, y) for x, y in zip(a.second, b.second, strict=True))
    )
