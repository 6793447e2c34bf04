"""Before the run: does every freedom move something that has inertia?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics.evaluation import DERIVATIVES
from sharnir.dynamics.observation import accelerate_states
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.system import System

SMALLEST = 1e-14  # of the largest pivot of the same kind (translation or rotation)


def check_inertia(system: System) -> None:
    """Raise an error that names the joint if a freedom at the initial state has no inertia to move."""
    if system.n_v == 0:
        return
    q, v, nothing, work = system.q0[None], system.v0[None], np.zeros((0, 0)), system.work.copy()
    f, scratch = DERIVATIVES["articulated"].address, np.zeros(2 * (system.n_q + system.n_v))
    accelerate_states(f, np.zeros(1), q, v, np.zeros_like(v), nothing, system.table, system.params, work, scratch)
    if system.assembly.functions.errors:
        raise system.assembly.functions.errors[0]
    start = system.table[L.W_ELIMINATION]
    pivots = 1.0 / work[start + 6 : start + 8 * system.n_v : 8]
    freedoms = system.assembly.coordinates.freedoms
    turning = np.zeros(system.n_v, bool)
    for f_row in freedoms:
        if f_row.speed >= 0:
            unit_turn = any(f_row.unit_axis[3:]) if f_row.type == L.QUATERNION else f_row.type != L.TRANSLATION
            turning[f_row.speed] = unit_turn
    for kind in (turning, ~turning):
        largest = np.max(np.abs(pivots[kind]), initial=0.0)
        bad = kind & ~(pivots > SMALLEST * largest)
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            name = system.speeds[k].split(".v")[0]
            body = system.tree.bodies[[j.name for j in system.tree.joints].index(name)]
            raise ModelError(
                f"joint '{name}': nothing with inertia moves when '{system.speeds[k]}' changes (effective inertia {pivots[k]:.3g}); give body "
                f"'{body}' or a body it carries mass and inertia, or make the joint Fixed"
            )
