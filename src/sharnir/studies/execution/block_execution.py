"""Blocks of runs over an executor: in this process, in processes of this machine, or wherever somebody's executor has workers."""

from __future__ import annotations

import concurrent.futures as futures
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sharnir.arguments import fail, integer, shown
from sharnir.errors import SimulationError
from sharnir.studies.prepared_runs import BlockOutcome, PreparedRuns, computed_block, reason_of

SECONDS = 1.0  # that a block should take
FIRST, LARGEST = 16, 4096  # runs of the first blocks, and of any
AGAIN = 1  # times that a run is sent again whose worker was lost with nothing else in hand
RETRIES = 2  # of Dask itself
UNKNOWN_WORKERS = 8


Take = Callable[[BlockOutcome], None]


class Work:
    """Runs that are to be made: what is waiting, and how large the next block is.

    table : values of all runs.   waiting : their numbers.   group : how many runs in a row stay together.

    >>> work = Work("a", b"", np.zeros((20, 1)), np.arange(20), group=8, block=10)
    >>> [len(work.next_block()) for _ in range(3)], work.left
    ([8, 8, 4], 0)
    """

    def __init__(
        self,
        key: str,
        packed: bytes,
        table: np.ndarray,
        waiting: np.ndarray,
        group: int = 1,
        block: int | None = None,
        outputs: int = 1,
    ) -> None:
        self.key, self.packed, self.table, self.group, self.outputs = key, packed, table, group, outputs
        self.waiting: deque[np.ndarray] = deque([waiting] if len(waiting) else [])
        self.fixed = block is not None
        self.size = FIRST if block is None else block
        self.workers = 1
        self._losses: dict[int, int] = {}  # how often a block was lost with its worker, by its first run

    @property
    def at_once(self) -> int:
        """Blocks that may be with the workers; one that was lost before goes alone, so that the run to blame is found."""
        return 1 if self.waiting and self._losses.get(int(self.waiting[0][0]), 0) else 2 * self.workers

    def put_back(self, blocks: list[np.ndarray], take: Take) -> None:
        """Blocks that were lost wait again; one that was alone waits in halves, and a single run fails in the end."""
        for runs in reversed(blocks):
            first = int(runs[0])
            self._losses[first] = count = self._losses.get(first, 0) + 1
            if len(blocks) == 1 and len(runs) > self.group:
                middle = max(self.group, len(runs) // 2 // self.group * self.group)
                self._losses |= {first: 1, int(runs[middle]): 1}
                self.waiting.extendleft([runs[middle:], runs[:middle]])
            elif count > AGAIN:
                reason = "the process that made this run was killed or ran out of memory, each time that it was tried"
                take(BlockOutcome(runs, np.full((len(runs), self.outputs), np.nan), dict.fromkeys(runs.tolist(), reason)))
            else:
                self.waiting.appendleft(runs)

    @property
    def left(self) -> int:
        """Runs that wait."""
        return sum(map(len, self.waiting))

    def next_block(self) -> np.ndarray | None:
        """Numbers of the next runs; None: there are no more."""
        if not self.waiting:
            return None
        size = self.size if self.fixed else min(self.size, -(-self.left // (2 * self.workers)))
        part = self.waiting.popleft()
        size = max(self.group, size // self.group * self.group)
        if len(part) > size:
            self.waiting.appendleft(part[size:])
        return part[:size]

    def learn(self, outcome: BlockOutcome) -> None:
        """Blocks of about SECONDS: long enough that sending them costs nothing, short enough to see progress."""
        if not self.fixed:
            rate = len(outcome.runs) / max(outcome.seconds, 1e-6)
            self.size = int(np.clip(rate * SECONDS, max(1, self.size // 4), min(4 * self.size, LARGEST)))

    def arguments(self, runs: np.ndarray) -> tuple[str, bytes, np.ndarray, np.ndarray]:
        """What `computed_block` takes."""
        return self.key, self.packed, runs, self.table[runs]


def execute_here(work: Work, prepared: PreparedRuns, take: Take) -> None:
    """Make all runs in this process."""
    while (runs := work.next_block()) is not None:
        outcome = prepared.outcome(runs, work.table[runs])
        work.learn(outcome)
        take(outcome)


def execute(work: Work, executor: Any, workers: int | None, take: Take) -> None:
    """Make all runs; `take` gets the outcome of each block, in any order.

    executor : "processes"; an object with `submit` of concurrent.futures; a client of Dask.
    """
    count = None if workers is None else integer(workers, "Study.run", "workers", low=1)
    if isinstance(executor, str):
        if executor != "processes":
            fail("Study.run", "executor", f"= {executor!r} must be None, 'processes', 'gpu', an Executor, or a client of Dask")
        in_processes(work, count or os.cpu_count() or 1, take)
    else:
        with opened(executor) as (pool, known):
            work.workers = count or known
            try:
                over_pool(work, pool, take)
            except futures.BrokenExecutor as error:
                raise SimulationError(
                    f"the executor has stopped ({reason_of(error)}); finished runs are in the store, where there is one"
                ) from error


@contextmanager
def opened(executor: Any) -> Iterator[tuple[Any, int]]:
    """An executor with `submit`, and how many workers it has as far as that is known."""
    if callable(getattr(executor, "get_executor", None)):  # a client of Dask
        workers = sum(executor.nthreads().values())
        with executor.get_executor(pure=False, retries=RETRIES) as pool:
            yield pool, max(1, workers)
    elif callable(getattr(executor, "submit", None)):
        known = getattr(executor, "_max_workers", None)
        yield executor, known if isinstance(known, int) and known > 0 else UNKNOWN_WORKERS
    else:
        fail("Study.run", "executor", f"= {shown(executor)} must be None, 'processes', 'gpu', an Executor, or a client of Dask")


def in_processes(work: Work, workers: int, take: Take) -> None:
    """Processes of this machine. If one is killed, the pool is made again, and what it was making is sent again."""
    work.workers = workers
    context = multiprocessing.get_context("spawn")  # a fork would copy threads in the middle of what they do
    while work.waiting:
        pool = futures.ProcessPoolExecutor(workers, mp_context=context)
        try:
            over_pool(work, pool, take)
        except futures.BrokenExecutor:
            continue
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def over_pool(work: Work, pool: Any, take: Take) -> None:
    """Keep all workers of a pool busy until no runs wait."""
    sent: dict[Any, np.ndarray] = {}
    try:
        while work.waiting or sent:
            while work.waiting and len(sent) < work.at_once:
                runs = work.next_block()
                assert runs is not None
                sent[_Unsent()] = runs
                future = pool.submit(computed_block, *work.arguments(runs))
                sent[future] = sent.pop(next(key for key in sent if isinstance(key, _Unsent)))
            done, _ = futures.wait(sent, return_when=futures.FIRST_COMPLETED)
            for future in done:
                outcome = _outcome(future)
                runs = sent.pop(future)
                if outcome is None:
                    work.put_back([runs], take)
                else:
                    work.learn(outcome)
                    take(outcome)
    except BaseException as error:
        for future in sent:
            if not isinstance(future, _Unsent):
                future.cancel()
        if isinstance(error, futures.BrokenExecutor):
            work.put_back(list(sent.values()), take)
        raise


class _Unsent:
    """Stands for the future of a block that is on its way to the pool."""


def _outcome(future: Any) -> BlockOutcome | None:
    """What a worker has found; None: the worker was lost, and its scheduler has given up."""
    try:
        found: BlockOutcome = future.result()
        return found
    except (futures.BrokenExecutor, KeyboardInterrupt):
        raise
    except Exception as error:
        if type(error).__name__ in ("KilledWorker", "CommClosedError", "FutureCancelledError", "CancelledError"):  # of Dask
            return None
        raise SimulationError(
            f"the workers cannot make runs: {reason_of(error)}; they need sharnir and every function of the study in a module "
            "that they can import"
        ) from error
