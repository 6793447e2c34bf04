"""Many states at once: side by side in vector registers, and over threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.evaluation.python_entries import accelerate_lanes, accelerate_states
from sharnir.dynamics.evaluation.right_hand_sides import DERIVATIVE_LANES
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.all_methods import METHODS
from sharnir.kernel import LANES, derivative_at, location

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

WORTH_A_THREAD = 20_000  # body evaluations below which a thread costs more than it gains
NOTHING = np.zeros((0, 0))


def accelerate(
    system: Equations, t: np.ndarray, q: np.ndarray, v: np.ndarray, drive: np.ndarray | None = None, threads: int | None = None
) -> np.ndarray:
    """v̇ of every row of q and v; t has one entry or one per row, drive adds generalized forces."""
    vdot = np.empty_like(v)
    limit = (os.cpu_count() or 1) if threads is None else max(1, threads)
    alone = METHODS[system.method].remembers
    parts = 1 if alone else max(1, min(limit, len(v) * system.assembly.count // WORTH_A_THREAD))
    bounds = _bounds(len(v), parts)

    def part(a: int, b: int, work: np.ndarray) -> None:
        times = t if t.size == 1 else t[a:b]
        _accelerate(system, times, q[a:b], v[a:b], vdot[a:b], NOTHING if drive is None else drive[a:b], work)

    if len(bounds) == 1:
        part(*bounds[0], system.work)
        return vdot
    with ThreadPoolExecutor(len(bounds)) as pool:
        for job in [pool.submit(part, a, b, system.work.copy()) for a, b in bounds]:
            job.result()
    return vdot


class SingleState:
    """v̇ of one state at the price of one foreign call: addresses are worked out once."""

    def __init__(self, system: Equations) -> None:
        self.system, n = system, system.n_q + system.n_v + system.n_z
        self.y, self.yd = system.y0, np.zeros(n)
        self._v = slice(system.n_q, system.n_q + system.n_v)
        self._arrays = (self.y, self.yd, system.table, system.params, system.work)
        d = int(system.table[L.W_DRIVE])
        self._drive = system.work[d : d + system.n_v]
        self._call = derivative_at(getattr(system.rates, "address", system.rates))
        self._driven = derivative_at(getattr(system.derivative, "address", system.derivative))
        self._arguments = tuple(location(array) for array in self._arrays)

    def accelerations(self, t: float, q: np.ndarray, v: np.ndarray, drive: np.ndarray | None) -> np.ndarray:
        """v̇ as a new array."""
        n_q = self.system.n_q
        self.y[:n_q], self.y[self._v] = q, v
        if drive is None:
            self._call(t, *self._arguments)
        else:
            self._drive[:] = drive
            self._driven(t, *self._arguments)
            self._drive[:] = 0.0
        return self.yd[self._v].copy()


def _bounds(count: int, parts: int) -> list[tuple[int, int]]:
    """Ranges of whole groups of lanes, so that results do not depend on the number of threads."""
    groups = -(-count // LANES)
    edges = [min(count, LANES * round(groups * k / parts)) for k in range(parts + 1)]
    return [(a, b) for a, b in pairwise(edges) if b > a] or [(0, count)]


def _accelerate(
    system: Equations, t: np.ndarray, q: np.ndarray, v: np.ndarray, vdot: np.ndarray, drive: np.ndarray, work: np.ndarray
) -> None:
    n = 2 * (system.n_q + system.n_v)
    steady = t.size == 1 or not system.table[L.N_MOTION]
    if system.vectorizes and steady and len(v) > 2:
        f, y, lanes_work = DERIVATIVE_LANES.address, np.zeros(n * LANES), np.repeat(work, LANES)
        accelerate_lanes(f, t[:1], q, v, vdot, drive, system.table, system.params, lanes_work, y)
    else:
        rates = system.derivative if drive.any() else system.rates
        f = getattr(rates, "address", rates)
        scratch = np.concatenate([system.y0, system.y0])
        accelerate_states(f, t, q, v, vdot, drive, system.table, system.params, work, scratch)
