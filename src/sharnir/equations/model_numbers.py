"""Numbers of a model that follow from its parameters, as symbols: what they are stands in memory, not in the code.

Every number that the derivation asks for is counted, in the order in which it asks. Those that change with a parameter get a
symbol; all others stay numbers, so that products of constants are constants. Directions of axes and rotations are asked for
elsewhere: who uses this compares the result with a model that was built with other values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.equations.closure import close_loops
from sharnir.equations.elements.constraints import add_constraints
from sharnir.equations.elements.control import Control
from sharnir.equations.elements.forces import applied_forces
from sharnir.equations.elements.left_forces import LeftForces
from sharnir.equations.letters import Letters
from sharnir.equations.mechanism import Mechanism
from sharnir.equations.tracking import follow_cuts, tracks_of
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.symbolic.matrices import Vector
from sharnir.symbolic.nodes import ZERO, Name, Node, Number
from sharnir.topology import Tree


def number_symbol(k: int) -> Name:
    """The symbol of the k-th number."""
    return Name(f"number {k}")


@dataclass
class ModelNumbers(Letters):
    """All numbers of a model in the order in which they are asked for; those in `varying` become symbols.

    >>> numbers = ModelNumbers(varying=[1])
    >>> str(numbers.number(2.0, "m", "arm")), str(numbers.number(0.5, "c", "arm")), numbers.all
    ('2', 'number 1', [2.0, 0.5])
    """

    varying: Collection[int] = ()
    all: list[float] = field(default_factory=list)
    parameters: dict[str, Node] = field(default_factory=dict)

    def number(self, value: float, letter: str, *below: str) -> Node:
        """A number, or its symbol."""
        k = len(self.all)
        self.all.append(float(value))
        if k in self.varying:
            self.values[number_symbol(k).name] = float(value)
            return number_symbol(k)
        return Number(value) if value else ZERO

    def parameter(self, name: str, value: float) -> Node:
        """A parameter in a formula of the state; it is counted once."""
        if name not in self.parameters:
            self.parameters[name] = self.number(value, name)
        return self.parameters[name]

    def gravity(self, gravity: Any) -> Vector:
        """Components of gravity."""
        return tuple(self.number(x, "g") for x in gravity)


def numbers_of(model: Model, tree: Tree) -> np.ndarray:
    """All numbers of a model, as the derivation asks for them."""
    found, engine = ModelNumbers(), LeftForces()
    m = Mechanism(model, tree, found, for_machines=True, engine=engine)
    follow_cuts(m)
    applied_forces(m)
    close_loops(m)
    add_constraints(m)
    control = Control(m)
    for name in engine.asked_signals(m):
        control.value_of(name)
    control.states(m.accelerations)
    tracks_of(m)
    return np.array(found.all)


def varying_numbers(base: np.ndarray, others: Mapping[str, np.ndarray]) -> list[int]:
    """Which numbers differ in models with other values of parameters; a ModelError if something else than numbers changes."""
    for name, values in others.items():
        if values.shape != base.shape:
            raise ModelError(f"parameter '{name}' changes more than numbers of the equations; build the model again instead")
    return [k for k in range(len(base)) if any(values[k] != base[k] for values in others.values())]
