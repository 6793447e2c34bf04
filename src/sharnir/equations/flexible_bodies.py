"""Flexible bodies in the derivation: elastic coordinates w, nodes that move with them, inertia as polynomials of w.

A. A. Yudakov 2012; the equations and names are those of docs/theory/flexible-bodies.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.equations.joint_motion import RelativeMotion
from sharnir.errors import ModelError
from sharnir.model import FlexibleBody
from sharnir.model.bodies.flexible_body import Attachment
from sharnir.symbolic.matrices import (
    NOTHING,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    nodes,
    rotate,
    rotate_back,
    scale,
    sub,
)
from sharnir.symbolic.nodes import ONE, ZERO, Node, Number, minus, negative, plus, quotient, times
from sharnir.symbolic.printing import plain_name

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism

TINY = 1e-14  # entries of the constant matrices below this part of the largest one are rounding
HALF = Number(0.5)


def check_flexible(m: Mechanism) -> None:
    """Refuse what has no equations here: bodies that are not reached at their frame."""
    turned = [joint for i, joint in enumerate(m.tree.joints) if isinstance(joint, Attachment) and m.tree.reversed[i]]
    for joint in [*turned, *(joint for joint in m.tree.cuts if isinstance(joint, Attachment))]:
        raise ModelError(
            f"equations(): the flexible body of node '{joint.name}' is held elsewhere than at its frame; set frame_at to the "
            "interface that leads to the ground"
        )


def list_elastic(m: Mechanism) -> dict[str, list[int]]:
    """Symbols of the elastic coordinates; numbers of their speeds by body."""
    found: dict[str, list[int]] = {}
    for name in m.tree.bodies:
        body = m.model.bodies[name]
        if isinstance(body, FlexibleBody):
            first = len(m.speeds)
            for k in range(body.reduced.count):
                own = m.new_name(f"w_{plain_name(name)}_{k + 1}")
                m.add_coordinate(own, f"{name}.w.{k + 1}", f"{name}.xi.{k + 1}", body.w[k])
            found[name] = list(range(first, len(m.speeds)))
    return found


def settled_matrix(values: Any) -> np.ndarray:
    """Constants without entries that are rounding."""
    array = np.asarray(values, float)
    return np.where(np.abs(array) <= TINY * np.abs(array).max(initial=0.0), 0.0, array)


def node_motion(m: Mechanism, joint: Attachment) -> RelativeMotion:
    """A node in its body: shift r, rotation by Rodrigues' vector g; ω = c (ġ - g × ġ), c = 2/(1 + g²).

    (r, 2 g) is Σ s_j w_j, and with stiffening ½ Σ N_ij w_i w_j beside it, the displacement of second order.
    """
    body: Any = m.model.bodies[str(joint.parent)]
    numbers, second = m.elastic[body.name], body.reduced.stiffening
    shape = settled_matrix(body.reduced.interface(joint.interface).shape)
    N = np.zeros((6, len(numbers), len(numbers)))
    if second is not None and joint.interface in second.nodes:
        N = settled_matrix(second.nodes[joint.interface][:, 6:, 6:])
    factor = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 0.5])
    shape, N = factor[:, None] * shape, factor[:, None, None] * N
    w, xi = [m.elastic_symbols(k) for k in numbers], [m.speeds[k] for k in numbers]
    place, rate, still = NOTHING * 2, NOTHING * 2, NOTHING * 2
    columns = []
    for j, (x, xd) in enumerate(zip(w, xi, strict=True)):
        bent, bending = sum_of(np.zeros(6), N[:, :, j].T, w), sum_of(np.zeros(6), N[:, :, j].T, xi)
        column = add(nodes(shape[:, j]), bent)
        place = add(place, scale(add(nodes(shape[:, j]), scale(bent, HALF)), x))
        rate, still = add(rate, scale(column, xd)), add(still, scale(bending, xd))
        columns.append((column[:3], column[3:]))
    r, g, gd = place[:3], place[3:], rate[3:]
    c = quotient(Number(2), plus(ONE, dot(g, g)))
    E = rodrigues_rotation(g, c)

    def turning(change: Vector) -> Vector:
        return sub(change, cross(g, change))

    axes = [(k, rotate_back(E, a), scale(turning(b), c)) for k, (a, b) in zip(numbers, columns, strict=True)]
    fall = negative(times(times(c, c), dot(g, gd)))
    spinning = add(scale(turning(gd), fall), scale(turning(still[3:]), c))
    return RelativeMotion(E, r, rotate_back(E, rate[:3]), scale(turning(gd), c), rotate_back(E, still[:3]), spinning, axes)


def sum_of(first: np.ndarray, others: np.ndarray, factors: Sequence[Node]) -> tuple[Node, ...]:
    """first + Σ others[i] factor_i, entry by entry."""
    found = nodes(first.ravel())
    for matrix, factor in zip(others, factors, strict=True):
        found = add(found, scale(nodes(matrix.ravel()), factor))
    return found


def rodrigues_rotation(g: Vector, c: Node) -> Matrix:
    """1 + c (g~ + g~²): node axes → body axes."""
    x, y, z = g
    d = minus(ONE, times(c, dot(g, g)))

    def entry(a: Node, b: Node, w: Node) -> Node:
        return times(c, plus(times(a, b), w))

    return (
        plus(d, times(c, times(x, x))),
        entry(x, y, negative(z)),
        entry(x, z, y),
        entry(x, y, z),
        plus(d, times(c, times(y, y))),
        entry(y, z, negative(x)),
        entry(x, z, negative(y)),
        entry(y, z, x),
        plus(d, times(c, times(z, z))),
    )


class FlexibleInertia:
    """M(w), inertia forces and momenta of one flexible body, body axes, about its frame's origin.

    With stiffening the body is one of more shapes, W = (w, d) with d_k = ½ wᵀ D_k w, whose equations are projected on what w can
    do: Ẇ = T ẇ, Ẅ = T ẅ + `still` (dynamics/bodies/foreshortening.py). Without it W = w.

    w, xi : W and Ẇ.   shifts, turns : by coordinate, its couplings with v and ω, projected.
    """

    def __init__(self, m: Mechanism, name: str) -> None:
        body: Any = m.model.bodies[name]
        self.m, self.numbers, self.body, self.index = m, m.elastic[name], body, m.bodies.number(name)
        self.offset = tuple(Number(y) for y in settled_matrix(m.bodies.local(self.index, np.array(m.placed[name].position))))
        own: list[Node] = [m.elastic_symbols(k) for k in self.numbers]
        rates: list[Node] = [m.speeds[k] for k in self.numbers]
        stiffened = body.reduced.stiffened_inertia
        x = body.reduced.inertia if stiffened is None else stiffened.linear
        D = np.zeros((0, len(own), len(own))) if stiffened is None else settled_matrix(stiffened.curvature)
        self.slopes = [sum_of(np.zeros(len(own)), curvature, own) for curvature in D]
        self.w = [*own, *(times(HALF, dot(slope, own)) for slope in self.slopes)]
        self.xi = [*rates, *(dot(slope, rates) for slope in self.slopes)]
        self.still = [ZERO] * len(own) + [dot(sum_of(np.zeros(len(own)), curvature, rates), rates) for curvature in D]
        self.J_rr, self.J_rw, self.J_ww = (settled_matrix(y) for y in (x.J_rr, x.J_rw, x.J_ww))
        self.R, self.Q, self.P = (settled_matrix(y) for y in (x.R, x.Q, x.P))
        self.P2 = settled_matrix(x.P2)
        self.rphi = sum_of(settled_matrix(x.R0), self.R, self.w)
        self.phiphi = sum_of(settled_matrix(x.P0), self.P, self.w)
        for i, a in enumerate(self.w):
            self.phiphi = add(self.phiphi, scale(sum_of(np.zeros((3, 3)), self.P2[i], self.w), a))
        self.phiw = [sum_of(settled_matrix(x.Q0)[:, j], self.Q[:, :, j], self.w) for j in range(len(self.w))]
        self.shifts = self.projected([nodes(column) for column in self.J_rw.T])
        self.turns = self.projected(self.phiw)

    def projected(self, rows: Sequence[Vector]) -> list[Vector]:
        """Tᵀ times vectors of all shapes."""
        h, found = len(self.numbers), []
        for j in range(h):
            row = rows[j]
            for k, slope in enumerate(self.slopes):
                row = add(row, scale(rows[h + k], slope[j]))
            found.append(row)
        return found

    def elastic_mass(self) -> list[Vector]:
        """Tᵀ M_WW T, row by row."""
        columns = self.projected([nodes(row) for row in self.J_ww])
        return self.projected(list(zip(*columns, strict=True)))

    def forces(self, a: Vector, alpha: Vector, v: Vector, om: Vector) -> tuple[Vector, Vector, list[Node]]:
        """What accelerations (a, α) without ẅ need: force, torque about the origin, forces along w; elasticity not counted."""
        xi, u, Jr = self.xi, cross(om, v), nodes(self.J_rr.ravel())
        p, pi = self.momenta(v, om)
        f = sub(cross(om, p), rotate(Jr, u))
        n = sub(add(cross(om, pi), cross(v, p)), rotate_back(self.rphi, u))
        elastic: list[Node] = []
        for i, rate in enumerate(xi):
            R = nodes(self.R[i].ravel())
            slope = add(nodes(self.P[i].ravel()), scale(sum_of(np.zeros((3, 3)), self.P2[i], self.w), Number(2)))
            R_om, S_om = rotate(R, om), rotate(slope, om)
            Qdot = sum_of(np.zeros(3), self.Q[:, :, i], xi)
            Q_xi = sum_of(np.zeros(3), self.Q[i].T, xi)
            f = add(f, scale(R_om, rate))
            n = add(n, scale(add(add(rotate_back(R, v), S_om), Qdot), rate))
            energy = plus(plus(dot(v, R_om), times(HALF, dot(om, S_om))), dot(om, Q_xi))
            row = minus(minus(dot(Qdot, om), dot(nodes(self.J_rw[:, i]), u)), energy)
            row = plus(row, dot(nodes(self.J_ww[i]), self.still))
            elastic.append(plus(row, plus(dot(nodes(self.J_rw[:, i]), a), dot(self.phiw[i], alpha))))
            f, n = add(f, scale(nodes(self.J_rw[:, i]), self.still[i])), add(n, scale(self.phiw[i], self.still[i]))
        f = add(f, add(rotate(Jr, a), rotate(self.rphi, alpha)))
        n = add(n, add(rotate_back(self.rphi, a), rotate(self.phiphi, alpha)))
        return f, n, [row[0] for row in self.projected([(row,) for row in elastic])]

    def at_frame(self, a: Vector, alpha: Vector) -> tuple[Vector, Vector]:
        """Velocity and acceleration of the frame's origin, where the body's own is accelerated by a, and turns with α."""
        motion = self.m.recursion.motion[self.index]
        v = add(motion.v, cross(motion.om, self.offset))
        return v, add(add(a, cross(alpha, self.offset)), cross(motion.om, cross(motion.om, self.offset)))

    def wrench(self, a: Vector, alpha: Vector, accelerations: Sequence[Node]) -> tuple[Vector, Vector]:
        """What all accelerations need, those of the elastic coordinates among them: force, and torque about the body's origin."""
        v, a = self.at_frame(a, alpha)
        f, n, _ = self.forces(a, alpha, v, self.m.recursion.motion[self.index].om)
        for j, k in enumerate(self.numbers):
            f = add(f, scale(self.shifts[j], accelerations[k]))
            n = add(n, scale(self.turns[j], accelerations[k]))
        return f, add(n, cross(self.offset, f))

    def momenta(self, v: Vector, om: Vector) -> tuple[Vector, Vector]:
        """p = ∂T/∂v and π = ∂T/∂ω."""
        p = add(rotate(nodes(self.J_rr.ravel()), v), rotate(self.rphi, om))
        pi = add(rotate_back(self.rphi, v), rotate(self.phiphi, om))
        for j, rate in enumerate(self.xi):
            p, pi = add(p, scale(nodes(self.J_rw[:, j]), rate)), add(pi, scale(self.phiw[j], rate))
        return p, pi

    def stiffness(self, k: int) -> Node:
        """Row k of K w."""
        return dot(nodes(settled_matrix(self.body.reduced.stiffness)[k]), self.w[: len(self.numbers)])

    def restoring(self, k: int) -> Node:
        """Row k of K w + D ẇ."""
        found = self.stiffness(k)
        if self.body.reduced.damping is not None:
            rates = self.xi[: len(self.numbers)]
            found = plus(found, dot(nodes(settled_matrix(self.body.reduced.damping)[k]), rates))
        return found


def elastic_power(m: Mechanism) -> Node:
    """What elasticity takes."""
    found: Node = ZERO
    for name in m.elastic:
        x = FlexibleInertia(m, name)
        for k, rate in enumerate(x.xi[: len(x.numbers)]):
            found = plus(found, times(x.stiffness(k), rate))
    return found


def add_flexible(m: Mechanism, mass: list[list[Node]], bias: list[Node], applied: list[Node]) -> None:
    """Inertia, elasticity and damping of all flexible bodies, onto what the recursions of rigid bodies gave."""
    accelerations = m.recursion.bias_accelerations()
    for name, numbers in m.elastic.items():
        i, x = m.bodies.number(name), FlexibleInertia(m, name)
        motion = m.recursion.motion[i]
        a, alpha = accelerations[i]
        v, a = x.at_frame(a, alpha)
        columns = [[m.by_speeds(y) for y in part] for part in (v, motion.om)]
        along = {
            k: (tuple(columns[0][c][k] for c in range(3)), tuple(columns[1][c][k] for c in range(3)))
            for k in range(len(m.speeds))
            if any(columns[part][c][k] is not ZERO for part in (0, 1) for c in range(3))
        }
        f, n, elastic = x.forces(a, alpha, v, motion.om)
        drag = Number(x.body.reduced.drag)
        p, pi = x.momenta(v, motion.om)
        for k, (s, w) in along.items():
            bias[k] = plus(bias[k], plus(dot(s, f), dot(w, n)))
            applied[k] = minus(applied[k], times(drag, plus(dot(s, p), dot(w, pi))))
            push = add(rotate(nodes(x.J_rr.ravel()), s), rotate(x.rphi, w))
            turn = add(rotate_back(x.rphi, s), rotate(x.phiphi, w))
            for j, (s2, w2) in along.items():
                mass[j][k] = plus(mass[j][k], plus(dot(s2, push), dot(w2, turn)))
            for c, j in enumerate(numbers):
                mixed = plus(dot(x.shifts[c], s), dot(x.turns[c], w))
                mass[j][k], mass[k][j] = plus(mass[j][k], mixed), plus(mass[k][j], mixed)
        own_mass, inner = x.elastic_mass(), x.projected([(dot(nodes(row), x.xi),) for row in x.J_ww])
        for c, k in enumerate(numbers):
            bias[k] = plus(bias[k], elastic[c])
            own = plus(dot(x.shifts[c], v), plus(dot(x.turns[c], motion.om), inner[c][0]))
            applied[k] = minus(applied[k], plus(x.restoring(c), times(drag, own)))
            for d, j in enumerate(numbers):
                mass[k][j] = plus(mass[k][j], own_mass[c][d])
