"""Many states at once: side by side in vector registers, and over threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.evaluation import DERIVATIVE_LANES
from sharnir.dynamics.observation import evaluate_states, evaluate_states_in_lanes
from sharnir.kernel import LANES

if TYPE_CHECKING:
    from sharnir.dynamics.system import System

WORTH_A_THREAD = 2000  # body evaluations below which a thread costs more than it gains


def evaluate_batch(system: System, t: float, y: np.ndarray, drive: np.ndarray | None, threads: int | None) -> np.ndarray:
    """ẏ of every row of y."""
    yd = np.zeros_like(y)
    work = len(y) * system.assembly.count
    pure = system.method not in ("inverse-iterative", "direct-iterative", "extended")
    limit = (os.cpu_count() or 1) if threads is None else threads
    n = max(1, min(limit, work // WORTH_A_THREAD)) if pure else 1
    bounds = _bounds(len(y), n)
    if len(bounds) == 1:
        _evaluate(system, t, y, yd, drive, system.work)
        return yd
    with ThreadPoolExecutor(len(bounds)) as pool:
        jobs = [
            pool.submit(_evaluate, system, t, y[a:b], yd[a:b], None if drive is None else drive[a:b], system.work.copy()) for a, b in bounds
        ]
        for job in jobs:
            job.result()
    return yd


def _bounds(count: int, parts: int) -> list[tuple[int, int]]:
    """Ranges of whole groups of lanes, so that results do not depend on the number of threads."""
    groups = -(-count // LANES)
    edges = [min(count, LANES * round(groups * k / parts)) for k in range(parts + 1)]
    return [(a, b) for a, b in zip(edges, edges[1:], strict=False) if b > a] or [(0, count)]


def _evaluate(system: System, t: float, y: np.ndarray, yd: np.ndarray, drive: np.ndarray | None, work: np.ndarray) -> None:
    given = np.zeros((1, 1)) if drive is None else drive
    if system.vectorizes and len(y) > LANES // 2:
        buffer = np.zeros(2 * y.shape[1] * LANES)
        lanes_work = np.repeat(work, LANES)
        evaluate_states_in_lanes(
            DERIVATIVE_LANES.address, t, y, yd, given, drive is not None, system.n_v, system.table, system.params, lanes_work, buffer
        )
    else:
        f = getattr(system.derivative, "address", system.derivative)
        evaluate_states(f, t, y, yd, given, drive is not None, system.n_v, system.table, system.params, work)
