"""Reactions of joints as expressions of accelerations and multipliers: forces along freedoms that the joints do not have.

Beside the mechanism a second one is derived in which some joints are opened: six more freedoms each, three displacements and
three small turns in axes of the body beyond, which stay at zero. What keeps them there is the reaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.equations.closure import close_loops
from sharnir.equations.elements.constraints import add_constraints
from sharnir.equations.elements.control import Control
from sharnir.equations.elements.forces import applied_forces
from sharnir.equations.elements.left_forces import LeftForces
from sharnir.equations.flexible_bodies import add_flexible
from sharnir.equations.letters import Letters
from sharnir.equations.mechanism import Mechanism
from sharnir.equations.recursion import Wrench
from sharnir.equations.tracking import follow_cuts
from sharnir.model import Model
from sharnir.model.placement import joint_frames
from sharnir.symbolic.differentiation import gradient
from sharnir.symbolic.expression_graph import substituted
from sharnir.symbolic.matrices import IDENTITY, Matrix, Vector, add, cross, dot, multiply, rotate, sub
from sharnir.symbolic.nodes import ZERO, Node, Number, minus, negative, plus
from sharnir.topology import Tree

SIX = 6


@dataclass(frozen=True)
class Place:
    """Where a reaction acts, on the child of its joint: body, axes and origin in the frame of that body, and its sense."""

    body: int
    axes: Matrix
    origin: Vector
    sign: int


class OpenedJoints:
    """Reactions of some joints of a mechanism.

    rows : which of the mechanism's equations, positions first, have multipliers.
    """

    def __init__(self, model: Model, tree: Tree, numbers: Letters, joints: Sequence[str], rows: Sequence[int]) -> None:
        self.joints = list(joints)
        self.m = m = Mechanism(model, tree, numbers, for_machines=True, engine=LeftForces(), opened=self.joints)
        follow_cuts(m)
        bias, applied = m.recursion.bias(), applied_forces(m)
        close_loops(m)
        add_constraints(m)
        applied = Control(m).put_in(applied)
        n = len(m.speeds)
        mass, held = m.recursion.mass_matrix(n), m.recursion.generalized(bias, n)
        add_flexible(m, mass, held, applied)
        self.first = n - SIX * len(self.joints)
        opened = range(self.first, n)
        self.places = {name: self._place(name) for name in self.joints}
        equations = [*(m.rate(g) for _, g in m.positions), *(a for _, a in m.velocities), *(row[2] for row in m.explicit_rows)]
        speeds = [m.speeds[k] for k in opened]
        jacobian = [gradient(equations[r], speeds, m.entries.slopes) for r in rows]
        self.mass = [self._closed(mass[k][: self.first]) for k in opened]
        self.held = self._closed([minus(held[k], applied[k]) for k in opened])
        self.jacobian = [self._closed(row) for row in jacobian]

    def _closed(self, nodes: Sequence[Node]) -> list[Node]:
        """Expressions where nothing is open."""
        opened: list[Node] = [*self.m.coordinates[-SIX * len(self.joints) :], *self.m.speeds[self.first :]]
        return substituted(list(nodes), dict.fromkeys(opened, ZERO))

    def _place(self, name: str) -> Place:
        """Tree: the frame of the body that the joint leads to. Cut: the joint's frame on its child."""
        m = self.m
        for i, joint in enumerate(m.tree.joints):
            if joint.name == name:
                return Place(i, IDENTITY, (ZERO,) * 3, -1 if m.tree.reversed[i] else 1)
        cut: Any = next(joint for joint in m.tree.cuts if joint.name == name)
        world, b = m.placed[str(cut.child)] @ joint_frames(cut, m.placed)[1], m.bodies.number(str(cut.child))
        at = tuple(Number(x) for x in m.bodies.local(b, np.array(world.position)))
        return Place(b, m.bodies.axes(b, np.array(world.rotation_matrix)), at, 0)

    def along(self, wrenches: list[Wrench]) -> list[Node]:
        """What forces on bodies give along the opened freedoms."""
        return self._closed(self.m.recursion.generalized(wrenches, len(self.m.speeds))[self.first :])

    def of(
        self,
        accelerations: Sequence[Node],
        multipliers: Sequence[Node],
        given: Sequence[Node],
        pose: Any,
        points: Sequence[Vector],
    ) -> list[list[Node]]:
        """Of every joint force and torque on its child, about a point of the world, world axes.

        given : what inertia and forces ask for without accelerations, along the opened freedoms.
        pose : of a body in the world, in terms of the mechanism's own symbols.
        """
        found = []
        for j, (name, point) in enumerate(zip(self.joints, points, strict=True)):
            place, own = self.places[name], []
            for c in range(SIX * j, SIX * (j + 1)):
                carried = dot(list(multipliers), [row[c] for row in self.jacobian])
                if place.sign == 0:
                    own.append(carried)
                else:
                    own.append(minus(plus(dot(self.mass[c], list(accelerations)), given[c]), carried))
            own = [negative(x) for x in own] if place.sign < 0 else own
            R, r = pose(place.body)
            turn = multiply(R, place.axes)
            force, torque = rotate(turn, tuple(own[:3])), rotate(turn, tuple(own[3:]))
            arm = sub(add(r, rotate(R, place.origin)), point)
            found.append([*force, *add(torque, cross(arm, force))])
        return found
