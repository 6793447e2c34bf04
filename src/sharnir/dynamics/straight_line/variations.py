"""The initial-value problem of a motion together with its derivatives along one direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.straight_line.derived_directions import DerivedDirections
from sharnir.dynamics.straight_line.derived_functions import Derivation
from sharnir.dynamics.straight_line.lane_code import LANES
from sharnir.integrate.stepping.problem import Problem


class Kept:
    """An address, and what must live as long as it is called."""

    def __init__(self, address: int, *kept: Any) -> None:
        self.address, self._kept = address, kept


def variation_problem(
    system: Any, derivation: Derivation, numbers: Sequence[float] | np.ndarray, changes: np.ndarray
) -> tuple[Problem, int]:
    """(y, S): the state, and behind it its derivative, each entry LANES times, so that error norms see no zeros instead.

    changes : how fast the numbers of the model change along the direction.
    """
    code = DerivedDirections(system, derivation, list(numbers), variations=True)
    own = system.problem()
    rows = np.repeat(np.asarray(changes, float), LANES) if len(changes) else np.zeros(LANES)
    engine = PROJECTION.address if system.constrained else 0
    code.set_slots([getattr(system.rates, "address", system.rates), 0, engine, 0, 1, rows.ctypes.data])
    projection = Kept(code.address_of("augmented_projection"), code, rows) if system.constrained else None
    n = len(system.y0)
    quaternions = np.array(system.assembly.coordinates.quaternions, np.int64)
    derivative = Kept(code.address_of("augmented"), code, rows, system.derived)
    return (
        Problem(
            derivative,
            n + LANES * n,
            system.table,
            system.params,
            own.work,
            quaternions,
            projection=projection,
            breaks=own.breaks,
        ),
        LANES,
    )
