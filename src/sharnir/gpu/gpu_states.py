"""Accelerations of many states on a GPU."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from sharnir.arguments import fail
from sharnir.dynamics.system import System
from sharnir.gpu.device import Device, number_type, padded
from sharnir.gpu.kernel_model import KernelModel
from sharnir.gpu.run_kernel import Kernel

MOST_NUMBERS = 2**30  # of the states of one launch: kernels count them by 32 bits

_kernels: WeakKeyDictionary[System, dict[bool, Any]] = WeakKeyDictionary()


def accelerations(system: System, q: np.ndarray, v: np.ndarray, t: float, precision: str) -> np.ndarray:
    """v̇ (n, n_v) at many states; see System.accelerations."""
    if precision not in ("double", "single"):
        fail("accelerations", "precision", f"= {precision!r} must be 'double' or 'single'")
    single, device = precision == "single", Device()
    kept = _kernels.setdefault(system, {})
    if single not in kept:
        kept[single] = device.compiled(Kernel(KernelModel(system), single=single).text, "states")
    kind, n = number_type(single), system.n_q + system.n_v + len(system.z0)
    size = min(device.most(2 * n * kind().nbytes), MOST_NUMBERS // n)
    vdot = np.empty((len(q), system.n_v))
    for first in range(0, len(q), size):
        part = slice(first, first + size)
        count = len(q[part])
        y = np.hstack([q[part], v[part], np.broadcast_to(system.z0, (count, len(system.z0)))])
        start, parameters = device.sent(padded(y, kind), np.zeros(1, kind))
        (found,) = device.room(((n, count), kind))
        kept[single](count, kind(t), start, parameters, found)
        rates = device.fetched(found)[0]
        vdot[part] = rates[system.n_q : system.n_q + system.n_v].T
        vdot[part][~np.isfinite(rates).all(axis=0)] = np.nan
    near = np.isnan(vdot).any(axis=1)  # singular positions: the engine computes there
    if near.any():
        vdot[near] = system.accelerations(q[near], v[near], t)
    return vdot
