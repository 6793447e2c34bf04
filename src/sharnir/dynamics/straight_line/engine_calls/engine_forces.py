"""Forces without a closed form in derived code: motion of bodies into the engine's memory, its functions, wrenches back.

The functions are those of the elements' own records (force_elements.update_forces), whose addresses stand in the table. They see
poses of bodies and signals where an evaluation of the engine leaves them, and add what they give to W_EXTERNAL.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.forces.force_records import forces_on_bodies
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.straight_line.graph_code import GraphCode, literal
from sharnir.dynamics.straight_line.module_text import loaded, loaded_int, written
from sharnir.equations.letters import constants
from sharnir.equations.mechanism import Mechanism
from sharnir.symbolic.matrices import Matrix, Vector, add, cross, multiply, rotate
from sharnir.symbolic.nodes import Name, Node


@dataclass(frozen=True)
class EngineFrame:
    """A body of the engine as the derivation sees it: its axes and its origin in the derivation's own frame."""

    number: int
    axes: Matrix
    origin: Vector


class EngineForces:
    """Code that has the engine compute forces; they are symbols of the derivation (equations/elements/left_forces.py).

    records : of the elements, in the table.   frames : of the bodies that they know of, by number in the derivation.
    """

    def __init__(self, system: Equations, m: Mechanism) -> None:
        self.m, assembly = m, system.assembly
        left = m.engine
        assert left is not None
        self.left, self.table = left, system.table
        order = [force.name for force in forces_on_bodies(assembly.structure)]
        self.records = [int(system.table[L.T_FORCE]) + L.T_FORCE_SIZE * order.index(name) for name in left.names]
        self.frames = {i: self._frame(system, i) for i in left.bodies if i >= 0 or m.recursion.moving}
        program = assembly.program
        self.signals = {int(system.table[L.W_SIGNAL]) + program.place(name): x for name, x in left.signals.items()}

    def _frame(self, system: Equations, i: int) -> EngineFrame:
        place, bodies = system.assembly.placement, self.m.bodies
        number = place.number[self.m.tree.bodies[i] if i >= 0 else self.m.model.ground.name]
        R, o = (np.eye(3), np.zeros(3)) if i < 0 else (bodies.rotation[i], bodies.origin[i])
        axes, origin = R.T @ place.rotation[number], R.T @ (place.position[number] - o)
        size = bodies.scale or 1.0
        settled = np.where(np.abs(origin) < 1e-15 * size, 0.0, origin)
        return EngineFrame(number, constants(axes.ravel()), constants(settled))

    def motions(self) -> dict[int, list[Node]]:
        """By places in `work`: rotation to the world, origin, its velocity, angular velocity of all bodies, world axes."""
        found = {}
        for i, frame in self.frames.items():
            R, r = self.m.recursion.pose(i, -2 if self.m.recursion.moving else -1)
            body = self.m.recursion.at(i)
            v = add(body.v, cross(body.om, frame.origin))
            at = int(self.table[L.W_POSE]) + L.W_POSE_SIZE * frame.number
            found[at] = [*multiply(R, frame.axes), *add(r, rotate(R, frame.origin)), *rotate(R, v), *rotate(R, body.om)]
        return found

    def write(self, code: GraphCode) -> None:
        """Call the engine; from then on the symbols have values."""
        for at, node in self.signals.items():
            code.lines.append(written("%work", at, code.values([node])[0]))
        for at, nodes in self.motions().items():
            for k, value in enumerate(code.values(nodes)):
                code.lines.append(written("%work", at + k, value))
        for frame in self.frames.values():
            for k in range(L.W_EXTERNAL_SIZE):
                code.lines.append(written("%work", self._external(frame) + k, literal(0.0)))
        for record in self.records:
            address = code.new(loaded_int("%table", record + L.FUNCTION))
            function = code.new(f"inttoptr i64 {address} to void (double, i64, i64, i64, i64, i64)*")
            code.lines.append(f"call void {function}(double %t, i64 {record}, i64 0, i64 %table, i64 %params, i64 %work)")
        for i, wrench in self.left.wrenches.items():
            self._read(code, self.frames[i], [x for part in wrench for x in part])

    def _external(self, frame: EngineFrame) -> int:
        return int(self.table[L.W_EXTERNAL]) + L.W_EXTERNAL_SIZE * frame.number

    def _read(self, code: GraphCode, frame: EngineFrame, symbols: list[Node]) -> None:
        """The wrench on a body, from the engine's frame into that of the derivation."""
        own: list[Node] = [Name(f"{x} of the engine") for x in symbols]
        for k, x in enumerate(own):
            code.known[x] = code.new(loaded("%work", self._external(frame) + k))
        force = rotate(frame.axes, tuple(own[:3]))
        torque = add(rotate(frame.axes, tuple(own[3:])), cross(frame.origin, force))
        for x, value in zip(symbols, code.values([*force, *torque]), strict=True):
            code.known[x] = value
