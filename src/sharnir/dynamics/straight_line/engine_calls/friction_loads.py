"""Friction in joints in derived code: reactions by formulas, loads by the engine's iteration on its friction laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.friction.friction_records import frictions, names_of
from sharnir.dynamics.friction.given_responses import GIVEN_RESPONSES, UNIT_WRENCHES
from sharnir.dynamics.friction.joint_friction import W_BRISTLE, W_BRISTLE_RATE, W_LOAD, W_POINT
from sharnir.dynamics.friction.load_equations import HEADER, JOINTS, MOST, OWN, RECORD, VECTORS
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.straight_line.graph_code import GraphCode, literal
from sharnir.dynamics.straight_line.module_text import handed_over, loaded, written
from sharnir.equations.elements.left_forces import LeftForces
from sharnir.equations.tracking import Track
from sharnir.symbolic.nodes import Name, Node

KERNELS = (UNIT_WRENCHES, GIVEN_RESPONSES)


@dataclass(frozen=True)
class LoadPlaces:
    """Where load_equations.friction_places puts things in `work`, for numbers that are known here."""

    P: int
    R0: int
    R: int
    S: int

    @staticmethod
    def of(table: np.ndarray) -> LoadPlaces:
        """From a table."""
        head = int(table[L.T_FRICTION])
        m, own = int(table[head + JOINTS]), int(table[head + OWN])
        P = own + VECTORS
        R0 = P + m + (min(m, MOST) + 1) * m
        return LoadPlaces(P, R0, R0 + 6 * m, R0 + 12 * m)


class FrictionLoads:
    """Code for all friction of a model; slots : of the engine's functions."""

    def __init__(self, system: Equations, left: LeftForces, slots: tuple[int, int]) -> None:
        self.left, self.slots, table = left, slots, system.table
        self.places, head = LoadPlaces.of(table), int(table[L.T_FRICTION])
        forces = [int(table[head + HEADER + RECORD * j]) for j in range(len(left.frictions))]
        self.memory = [int(table[at + L.F_DATA]) for at in forces]

    def prepare(self, code: GraphCode) -> None:
        """What the elements find in their memory when they are called: no load, and bristles as in the state."""
        for friction, at in zip(self.left.frictions, self.memory, strict=True):
            code.lines.append(written("%work", at + W_LOAD, literal(0.0)))
            for k, (symbol, _) in enumerate(bristle_symbols(friction.name)):
                if symbol in code.known:
                    code.lines.append(written("%work", at + W_BRISTLE + k, code.known[symbol]))

    def write(self, code: GraphCode) -> None:
        """Solve for the loads; from then on all symbols have values. The elements have been called."""
        code.lines += handed_over(self.slots[0], "u")
        for j, (friction, at) in enumerate(zip(self.left.frictions, self.memory, strict=True)):
            first = self.places.R + 6 * j
            for what, place in (("force", first), ("torque", first + 3), ("point", at + W_POINT)):
                for k, x in enumerate(friction.vector(what)):
                    code.known[x] = code.new(loaded("%work", place + k))
            for k, (_, rate) in enumerate(bristle_symbols(friction.name)):
                code.known[rate] = code.new(loaded("%work", at + W_BRISTLE_RATE + k))
        m, places = len(self.left.frictions), self.places
        self._store(code, places.R0, [x for reaction in self.left.reactions for x in reaction])
        for i, response in enumerate(self.left.responses):
            self._store(code, places.S + 6 * m * i, [x for reaction in response for x in reaction])
        code.lines += handed_over(self.slots[1], "p")
        for j, friction in enumerate(self.left.frictions):
            code.known[friction.load] = code.new(loaded("%work", places.P + j))

    def _store(self, code: GraphCode, at: int, nodes: list[Node]) -> None:
        for k, value in enumerate(code.values(nodes)):
            code.lines.append(written("%work", at + k, value))


def bristle_symbols(friction: str) -> list[tuple[Name, Name]]:
    """Bristles of one element and their rates, as many as there may be."""
    return [(Name(f".bristle {friction} {k}"), Name(f".bristle {friction} {k}'")) for k in range(3)]


def bristle_tracks(system: Equations) -> list[Track]:
    """States of bristles, which the engine's elements change."""
    found = []
    for force in frictions(system.model):
        names = names_of(force, system.model)
        found += [Track(name, x, x, rate) for name, (x, rate) in zip(names, bristle_symbols(force.name), strict=False)]
    return found
