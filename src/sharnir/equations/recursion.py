"""The recursions along the tree, with expressions in place of numbers: motion, mass matrix, bias, generalized forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sharnir.equations.bodies import Bodies, Inertia, shifted
from sharnir.equations.joint_motion import RelativeMotion
from sharnir.equations.letters import settled_entry
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
    plane_of,
    rotate,
    rotate_back,
    scale,
    symmetric_times,
    transposed,
    turned,
)
from sharnir.symbolic.nodes import ONE, ZERO, Node, Number, negative, plus

Wrench = tuple[Vector, Vector]  # force, and torque about the origin of the body's frame; body axes


@dataclass
class Motion:
    """Position and velocity of one body: R (body axes → parent axes), ρ in parent axes, velocities and bias in body axes.

    centripetal : acceleration of the origin due to the parent's rotation, parent axes.   bias_l, bias_a : what the joint adds.
    turns : R as one rotation after the other, outermost first, where that needs fewer operations.
    """

    parent: int
    R: Matrix
    rho: Vector
    v: Vector
    om: Vector
    centripetal: Vector
    bias_l: Vector
    bias_a: Vector
    axes: list[tuple[int, Vector, Vector]]
    turns: tuple[Matrix, ...]

    def outwards(self, a: Vector) -> Vector:
        """Parent axes → body axes."""
        for R in self.turns:
            a = rotate_back(R, a)
        return a

    def inwards(self, a: Vector) -> Vector:
        """Body axes → parent axes."""
        for R in reversed(self.turns):
            a = rotate(R, a)
        return a


class Recursion:
    """All bodies at one symbolic state; the first may be a moving ground, which all others without parent hang on."""

    def __init__(
        self,
        bodies: Bodies,
        relative: list[RelativeMotion],
        base: RelativeMotion | None,
        gravity: Vector,
        in_turns: bool = False,
    ) -> None:
        self.bodies, self.relative, self.gravity, self.in_turns = bodies, relative, gravity, in_turns
        self.base = Motion(-1, IDENTITY, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, [], ())
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
        rho = add(place, rotate(T, x.r))
        R = multiply(T, x.E)
        turns = in_planes(T, x.E) if self.in_turns else (R,)
        m = Motion(parent, R, rho, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, x.axes, turns)
        m.centripetal = cross(above.om, cross(above.om, rho))
        m.v = add(m.outwards(add(above.v, cross(above.om, rho))), x.v)
        om = m.outwards(above.om)
        m.om = add(om, x.om)
        m.bias_l = add(x.al, scale(cross(om, x.v), Number(2)))
        m.bias_a = add(x.aa, cross(om, x.om))
        return m

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
        start = (add(a0, add(self.base.outwards(self.base.centripetal), self.base.bias_l)), self.base.bias_a)
        found: list[tuple[Vector, Vector]] = []
        for m in self.motion:
            al, aa = start if m.parent < 0 else found[m.parent]
            al = add(m.outwards(add(add(al, cross(aa, m.rho)), m.centripetal)), m.bias_l)
            found.append((al, add(m.outwards(aa), m.bias_a)))
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
                f, n = m.inwards(f), m.inwards(n)
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
                second = x.second
                for R in reversed(m.turns):
                    second = turned(R, second)
                up = shifted(Inertia(x.mass, m.inwards(x.first), second), m.rho)
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
                forces = [(k, below.inwards(f), below.inwards(n)) for k, f, n in forces]
                forces = [(k, f, add(n, cross(below.rho, f))) for k, f, n in forces]
                below = self.motion[below.parent]
                for k, f, n in forces:
                    for j, s, w in below.axes:
                        add_entry(M, k, j, plus(dot(s, f), dot(w, n)), False)
        return M


def in_planes(T: Matrix, E: Matrix) -> tuple[Matrix, ...]:
    """T E as turns about coordinate axes, outermost first, for constant T, as far as there are such.

    With T = P D, P about one axis and D about that of E, D E is one turn about it.
    """
    k = plane_of(E)
    if k is None:
        return (multiply(T, E),)
    column = (T[k], T[3 + k], T[6 + k])
    if column[k] is ONE:
        return (multiply(T, E),)
    i = next((i for i in range(3) if i != k and column[i] is ZERO), None)
    if i is None:
        return T, E
    j = 3 - i - k
    P = [ZERO] * 9
    P[4 * i], P[3 * k + k], P[3 * j + k] = ONE, column[k], column[j]
    P[3 * j + j], P[3 * k + j] = column[k], negative(column[j])
    D = tuple(Number(settled_entry(float(y.value))) for y in multiply(transposed(tuple(P)), T) if isinstance(y, Number))
    return tuple(P), multiply(D, E)


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
