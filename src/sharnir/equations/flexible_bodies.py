"""Flexible bodies in the derivation: elastic coordinates w, nodes that move with them, inertia as polynomials of w.

A. A. Yudakov 2012; the equations and names are those of docs/theory/flexible-bodies.md.
"""

from __future__ import annotations

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
    """Refuse what has no equations here: stiffening, and bodies that are not reached at their frame."""
    for body in m.model.bodies.values():
        if isinstance(body, FlexibleBody) and body.reduced.stiffening is not None:
            raise ModelError(f"{body.label}: equations() does not support stiffening; reduce the body without it")
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
    """A node in its body: shift Σ a_j w_j, rotation by Rodrigues' vector g = ½ Σ c_j w_j; ω = c (ġ - g × ġ), c = 2/(1 + g²)."""
    body: Any = m.model.bodies[str(joint.parent)]
    shape = settled_matrix(body.reduced.interface(joint.interface).shape)
    numbers = m.elastic[body.name]
    r, g, rd, gd = NOTHING, NOTHING, NOTHING, NOTHING
    for j, k in enumerate(numbers):
        x, xd, a, b = m.elastic_symbols(k), m.speeds[k], nodes(shape[:3, j]), nodes(0.5 * shape[3:, j])
        r, g = add(r, scale(a, x)), add(g, scale(b, x))
        rd, gd = add(rd, scale(a, xd)), add(gd, scale(b, xd))
    c = quotient(Number(2), plus(ONE, dot(g, g)))
    E = rodrigues_rotation(g, c)
    spin = sub(gd, cross(g, gd))
    axes = []
    for j, k in enumerate(numbers):
        b = nodes(0.5 * shape[3:, j])
        axes.append((k, rotate_back(E, nodes(shape[:3, j])), scale(sub(b, cross(g, b)), c)))
    fall = negative(times(times(c, c), dot(g, gd)))
    return RelativeMotion(E, r, rotate_back(E, rd), scale(spin, c), NOTHING, scale(spin, fall), axes)


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
    """M(w), inertia forces and momenta of one flexible body, body axes, about its frame's origin."""

    def __init__(self, m: Mechanism, name: str) -> None:
        body: Any = m.model.bodies[name]
        self.m, self.numbers, self.body = m, m.elastic[name], body
        self.w: list[Node] = [m.elastic_symbols(k) for k in self.numbers]
        self.xi: list[Node] = [m.speeds[k] for k in self.numbers]
        x = body.reduced.inertia
        self.J_rr, self.J_rw, self.J_ww = (settled_matrix(y) for y in (x.J_rr, x.J_rw, x.J_ww))
        self.R, self.Q, self.P = (settled_matrix(y) for y in (x.R, x.Q, x.P))
        self.P2 = settled_matrix(x.P2)
        self.rphi = self.sum_of(settled_matrix(x.R0), self.R, self.w)
        self.phiphi = self.sum_of(settled_matrix(x.P0), self.P, self.w)
        for i, a in enumerate(self.w):
            self.phiphi = add(self.phiphi, scale(self.sum_of(np.zeros((3, 3)), self.P2[i], self.w), a))
        self.phiw = [self.sum_of(settled_matrix(x.Q0)[:, j], self.Q[:, :, j], self.w) for j in range(len(self.w))]

    @staticmethod
    def sum_of(first: np.ndarray, others: np.ndarray, factors: list[Node]) -> tuple[Node, ...]:
        """first + Σ others[i] factor_i, entry by entry."""
        found = nodes(first.ravel())
        for matrix, factor in zip(others, factors, strict=True):
            found = add(found, scale(nodes(matrix.ravel()), factor))
        return found

    def forces(self, a: Vector, alpha: Vector, v: Vector, om: Vector) -> tuple[Vector, Vector, list[Node]]:
        """What accelerations (a, α) without ẅ need: force, torque about the origin, forces along w; elasticity not counted."""
        xi, u, Jr = self.xi, cross(om, v), nodes(self.J_rr.ravel())
        p, pi = self.momenta(v, om)
        f = sub(cross(om, p), rotate(Jr, u))
        n = sub(add(cross(om, pi), cross(v, p)), rotate_back(self.rphi, u))
        elastic: list[Node] = []
        for i, rate in enumerate(xi):
            R = nodes(self.R[i].ravel())
            slope = add(nodes(self.P[i].ravel()), scale(self.sum_of(np.zeros((3, 3)), self.P2[i], self.w), Number(2)))
            R_om, S_om = rotate(R, om), rotate(slope, om)
            Qdot = self.sum_of(np.zeros(3), self.Q[:, :, i], xi)
            Q_xi = self.sum_of(np.zeros(3), self.Q[i].T, xi)
            f = add(f, scale(R_om, rate))
            n = add(n, scale(add(add(rotate_back(R, v), S_om), Qdot), rate))
            energy = plus(plus(dot(v, R_om), times(HALF, dot(om, S_om))), dot(om, Q_xi))
            row = minus(minus(dot(Qdot, om), dot(nodes(self.J_rw[:, i]), u)), energy)
            elastic.append(plus(row, plus(dot(nodes(self.J_rw[:, i]), a), dot(self.phiw[i], alpha))))
        f = add(f, add(rotate(Jr, a), rotate(self.rphi, alpha)))
        return f, add(n, add(rotate_back(self.rphi, a), rotate(self.phiphi, alpha))), elastic

    def momenta(self, v: Vector, om: Vector) -> tuple[Vector, Vector]:
        """p = ∂T/∂v and π = ∂T/∂ω."""
        p = add(rotate(nodes(self.J_rr.ravel()), v), rotate(self.rphi, om))
        pi = add(rotate_back(self.rphi, v), rotate(self.phiphi, om))
        for j, rate in enumerate(self.xi):
            p, pi = add(p, scale(nodes(self.J_rw[:, j]), rate)), add(pi, scale(self.phiw[j], rate))
        return p, pi

    def restoring(self, k: int) -> Node:
        """Row k of K w + D ẇ."""
        found = dot(nodes(settled_matrix(self.body.reduced.stiffness)[k]), self.w)
        if self.body.reduced.damping is not None:
            found = plus(found, dot(nodes(settled_matrix(self.body.reduced.damping)[k]), self.xi))
        return found


def add_flexible(m: Mechanism, mass: list[list[Node]], bias: list[Node], applied: list[Node]) -> None:
    """Inertia, elasticity and damping of all flexible bodies, onto what the recursions of rigid bodies gave."""
    accelerations = m.recursion.bias_accelerations()
    for name, numbers in m.elastic.items():
        i, x = m.bodies.number(name), FlexibleInertia(m, name)
        motion = m.recursion.motion[i]
        offset = tuple(Number(y) for y in settled_matrix(m.bodies.local(i, np.array(m.placed[name].position))))
        v, (a, alpha) = add(motion.v, cross(motion.om, offset)), accelerations[i]
        a = add(a, add(cross(alpha, offset), cross(motion.om, cross(motion.om, offset))))
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
                mixed = plus(dot(nodes(x.J_rw[:, c]), s), dot(x.phiw[c], w))
                mass[j][k], mass[k][j] = plus(mass[j][k], mixed), plus(mass[k][j], mixed)
        for c, k in enumerate(numbers):
            bias[k] = plus(bias[k], elastic[c])
            own = plus(dot(nodes(x.J_rw[:, c]), v), plus(dot(x.phiw[c], motion.om), dot(nodes(x.J_ww[c]), x.xi)))
            applied[k] = minus(applied[k], plus(x.restoring(c), times(drag, own)))
            for d, j in enumerate(numbers):
                mass[k][j] = plus(mass[k][j], Number(float(x.J_ww[c, d])))
