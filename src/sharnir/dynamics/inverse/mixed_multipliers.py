"""Multipliers of the mixed problem: redundant equations are dropped, drives that work against a loop are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.mobility.drives_of_loops import quoted
from sharnir.dynamics.mobility.redundancy import TOLERANCE
from sharnir.dynamics.mobility.state_steps import speed_scales
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.inverse.mixed_problem import AccelerationRows, MixedProblem
    from sharnir.dynamics.memory.equations import Equations

ROUNDING = 1e-15  # of the same: nothing at all
NOTHING = 1e-11  # of A with rows of unit mobility: what is left of a dependent equation
PART = 1e-6  # of the largest one: a drive's part in a combination of equations that nothing answers to


class Multipliers:
    """A λ = r with the least norm of λ in the scale of the equations; `size`: a row's mobility with nothing held."""

    def __init__(self, A: np.ndarray, size: np.ndarray) -> None:
        rows = np.flatnonzero(size > 0.0)
        scale = 1.0 / np.sqrt(size[rows])
        values, vectors = np.linalg.eigh(scale[:, None] * (0.5 * (A + A.T))[np.ix_(rows, rows)] * scale)
        kept = values > NOTHING
        self.weakest = float(values[values > ROUNDING].min(initial=1.0))
        self.range, self.inverse = np.zeros((len(size), int(kept.sum()))), 1.0 / values[kept]
        self.range[rows] = scale[:, None] * vectors[:, kept]
        self.idle = np.zeros((len(size), int((~kept).sum())))  # combinations of equations that move nothing
        self.idle[rows] = scale[:, None] * vectors[:, ~kept]

    def solve(self, right: np.ndarray) -> np.ndarray:
        """λ of least norm."""
        return self.range @ (self.inverse * (self.range.T @ right))


def row_sizes(system: Equations, e: AccelerationRows) -> np.ndarray:
    """Length that every row would have if nothing in it cancelled."""
    return np.concatenate([e.found.size, np.linalg.norm(e.rows[e.own :] / speed_scales(system), axis=1)])


def mobility(system: Equations, e: AccelerationRows, responses: np.ndarray) -> np.ndarray:
    """C M⁻¹ Cᵀ of every row by itself; zero where a row is nothing but rounding, as across a plane loop."""
    own = np.einsum("ij,ij->i", e.rows, responses)
    length = np.linalg.norm(e.rows / speed_scales(system), axis=1)
    return np.where(length > TOLERANCE * row_sizes(system, e), own, 0.0)


def check_drives(problem: MixedProblem, e: AccelerationRows, idle: np.ndarray) -> None:
    """An error if a combination of equations moves nothing that is free, but has a part along given motions.

    Then these motions work against each other through the constraints: their forces are not determined.
    """
    if not idle.size:
        return
    s, at, parts = problem.system, e.own + e.mimics, {}
    largest = np.maximum(np.abs(idle).T @ row_sizes(s, e), 1e-300)
    for name, f in problem.motions.items():
        if f.element < 0:
            columns = e.rows[:, f.speeds(s)] / speed_scales(s)[f.speeds(s)]
            own = np.abs(idle.T @ columns) / largest[:, None]
        else:
            own = np.abs(idle[at : at + len(f.parts)]) * row_sizes(s, e)[at : at + len(f.parts), None] / largest
            at += len(f.parts)
        parts[name] = float(own.max(initial=0.0))
    found = [name for name, part in parts.items() if part > PART]
    if found:
        told = f"the motion of '{found[0]}' cannot" if len(found) == 1 else f"the motions of {quoted(found)} cannot all"
        raise ModelError(
            f"mixed_dynamics: {told} be given: loops, constraints or prescribed motions of the model tie what they drive, so "
            f"forces are not determined; give a force instead of the acceleration for one of them"
        )
