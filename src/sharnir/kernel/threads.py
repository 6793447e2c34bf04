"""A second thread for the kernels of one large run; it waits in memory, so that even a job of 0.1 ms is worth sharing."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from sharnir.kernel.mode import PLAIN

if not PLAIN:
    from sharnir.kernel.jobs import BOX_SIZE, SLEEP, STOP, YIELD, serve


class _Servers:
    """Boxes and threads of this process. Boxes are used again and never freed: an address that was kept too long does no harm."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.free: list[np.ndarray] = []
        self.busy: list[tuple[np.ndarray, threading.Thread]] = []

    def start(self) -> tuple[np.ndarray, threading.Thread] | None:
        """A box and the thread that serves it, or None if as many threads are at work as there are processors."""
        with self.lock:
            if len(self.busy) + 1 >= processors():
                return None
            box = self.free.pop() if self.free else _new_box()
            box[STOP] = 1
            serve(box.ctypes.data)  # compiled by now
            box[STOP] = 0
            thread = threading.Thread(target=serve, args=(box.ctypes.data,), name="sharnir kernels", daemon=True)
            self.busy.append((box, thread))
            thread.start()
            return self.busy[-1]

    def stop(self, box: np.ndarray, thread: threading.Thread) -> None:
        box[STOP] = 1
        try:
            thread.join()
        finally:
            with self.lock:
                self.busy = [pair for pair in self.busy if pair[0] is not box]
                self.free.append(box)


def _new_box() -> np.ndarray:
    raw = np.zeros(BOX_SIZE + 8, np.int64)
    start = -raw.ctypes.data // 8 % 8  # a cache line begins here
    box = raw[start : start + BOX_SIZE]
    box[YIELD], box[SLEEP] = _rests()
    return box


def _rests() -> tuple[int, int]:
    """Addresses of functions that let other threads run, and that sleep for some microseconds; zeros where there are none."""
    if os.name == "nt":
        return 0, 0
    library: Any = ctypes.CDLL(None)
    pause, sleep = (ctypes.cast(function, ctypes.c_void_p).value for function in (library.sched_yield, library.usleep))
    return pause or 0, sleep or 0


_servers = _Servers()


def _forget() -> None:
    """After a fork: the threads stay with the parent process."""
    global _servers
    _servers = _Servers()


@atexit.register
def _end() -> None:
    """Before compiled code goes away."""
    for box, thread in list(_servers.busy):
        _servers.stop(box, thread)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def processors() -> int:
    """Processors that this process may use; `SHARNIR_THREADS` is an upper bound.

    >>> processors() >= 1
    True
    """
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(count, int(os.environ.get("SHARNIR_THREADS", "") or count)))


@contextlib.contextmanager
def second_thread(work: np.ndarray, slot: int) -> Iterator[bool]:
    """While this lasts, a second thread takes items of the jobs of kernels that find the address of its box in a slot of `work`.

    Yields whether there is one: not for a negative slot, in plain Python, or when all processors are taken by other runs.

    >>> with second_thread(np.zeros(1), -1) as there:
    ...     there
    False
    """
    started = None if PLAIN or slot < 0 else _servers.start()
    if started is None:
        yield False
        return
    servers, place = _servers, work[slot : slot + 1].view(np.int64)
    place[0] = started[0].ctypes.data
    try:
        yield True
    finally:
        place[0] = 0
        servers.stop(*started)
