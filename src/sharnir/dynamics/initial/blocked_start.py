"""A singular position in which forces start a motion that the constraints allow for an instant only.

A rod that lies stretched between two fixed points may move sideways to first order and not at all to second: φ(v) of
lasting_speeds.py is zero for no such speeds. Under a sideways load its reactions would be infinite. A run would begin to move,
be taken back by the correction of positions, and crawl in this way for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.initial.lasting_speeds import (
    MOST_ROWS,
    OPEN,
    constraint_count,
    equations_at,
    is_open,
    lost_directions,
    names_of_lost,
    on_a_branch,
    open_accelerations,
)
from sharnir.dynamics.initial.loop_closure import LARGE
from sharnir.dynamics.mobility.constraint_jacobian import linear_in_speeds
from sharnir.dynamics.mobility.state_steps import size_of, speed_scales
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.system import System

FELT = 1e-6  # of the accelerations at the start: a part that is blocked and smaller is rounding


def check_start(system: System) -> None:
    """Refuse a run that begins in such a position, naming the constraints.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1), sr.Prismatic("P", "ground", "b", axis="z"))
    >>> check_start(m.compile())
    """
    if not len(system.assembly.elements) or system.n_v > LARGE or constraint_count(system) > MOST_ROWS:
        return
    if not linear_in_speeds(system):
        return
    still = equations_at(system, system.y0, np.zeros(system.n_v))
    lost = lost_directions(system, still)
    if not lost.shape[1]:
        return
    a = np.asarray(system.accelerations(system.q0, system.v0))
    if not np.isfinite(a).all() or not _is_quadratic(system, lost, a):
        return
    end = on_a_branch(system, system.y0, a, lost, np.zeros((0, system.n_v)))
    blocked = a if end is None else a - end
    scale = speed_scales(system)
    if np.abs(blocked * scale).max(initial=0.0) <= FELT * np.abs(a * scale).max(initial=0.0):
        return
    if on_a_branch(system, system.y0, blocked, lost, np.zeros((0, system.n_v))) is None:
        joints = [
            name for name, x in zip(system.speeds, blocked * scale, strict=True) if abs(x) > 0.3 * np.abs(blocked * scale).max()
        ]
        raise ModelError(
            f"model '{system.model.name}': the mechanism starts in a singular position of {names_of_lost(system, still, lost)}: "
            f"they let {', '.join(joints[:4])} move for an instant and no further, and the forces push it there, so that "
            "reactions would be infinite; start beside this position, or remove one of these elements"
        )


def _is_quadratic(system: System, lost: np.ndarray, a: np.ndarray) -> bool:
    """The accelerations ask for something that no motion has, and neither the speeds at the start nor the time play a part."""
    y, v = system.y0, system.v0
    moved = equations_at(system, y, a)
    if not is_open(system, moved, lost):
        return False
    fastest = float(np.abs(a * speed_scales(system)).max(initial=0.0))
    zero, own, both = (open_accelerations(equations_at(system, y, x), lost) for x in (0.0 * a, v, v + a))
    alone = open_accelerations(moved, lost)
    rest = np.abs([zero, both - own - alone + zero]).max(initial=0.0)
    return bool(rest <= OPEN * fastest**2 / size_of(system))
