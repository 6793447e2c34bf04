"""Memory in which a system is evaluated: every thread has its own, so that none reads what another writes."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.memory_builder import aligned


class FirstMemory:
    """`params` and `work` of the thread that assembles a system; each further thread gets `work` as it was then.

    Only what is not zero is kept for that, which is next to nothing. `params` are copied where bodies lose mass: kernels write
    their inertias there.
    """

    def __init__(self, table: np.ndarray, params: np.ndarray, work: np.ndarray) -> None:
        self.table, self.params, self.work = table, params, work
        self.places = np.flatnonzero(work)
        self.values = work[self.places]
        self.taken = False

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        """`params` and `work` for the thread that asks: the first ones for the first that does."""
        if not self.taken:
            self.taken = True
            return self.params, self.work
        work = aligned([np.zeros(self.work.size)])
        work[self.places] = self.values
        return self.params.copy() if self.table[L.F_MASSES] else self.params, work


class ThreadMemory(threading.local):
    """`params` and `work` of the thread that asks, and what it keeps of them: `single`, a function of one state.

    >>> import sharnir as sr
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1), sr.Prismatic("rail", "ground", "bob", axis="z"))
    >>> s = m.compile()
    >>> with ThreadPoolExecutor(1) as pool:
    ...     pool.submit(lambda: s.work).result() is s.work
    False
    """

    def __init__(self, first: FirstMemory) -> None:  # called again in every thread
        self.params, self.work = first.take()
        self.single: Any = None


class SharedMemory:
    """`params` and `work` of one run, whichever thread goes on with it."""

    def __init__(self, params: np.ndarray, work: np.ndarray) -> None:
        self.params, self.work = params, work
        self.single: Any = None
