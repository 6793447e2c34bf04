"""Compile kernels before they are needed: those of most runs, or all of them, in several processes that share the work."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise

from sharnir.kernel.mode import LIBRARY, PLAIN
from sharnir.kernel.storage.library import HOUSE

# what nearly every run needs, the last first: whoever waits for them begins at the other end
USUAL = (
    "dynamics.evaluation.python_entries.observe_bodies",
    "dynamics.evaluation.python_entries.observe_energy",
    "dynamics.evaluation.python_entries.observe_stored",
    "integrate.stepping.step_loop.advance",
    "integrate.explicit.runge_kutta_step.attempt",
    "integrate.explicit.runge_kutta_step.polynomial",
    "integrate.explicit.runge_kutta_step.interpolate",
    "integrate.explicit.runge_kutta_step.accept",
    "integrate.explicit.runge_kutta_step.reject",
    "integrate.explicit.runge_kutta_step.restart",
    "dynamics.evaluation.power_balance.derivative_with_balance",
    "dynamics.bodies.coordinate_steps.tangents",
    "dynamics.bodies.coordinate_steps.rates",
    "dynamics.evaluation.python_entries.accelerate_states",
    "dynamics.evaluation.right_hand_sides.derivative_articulated",
    "dynamics.evaluation.python_entries.prepare_state",
)

GARBAGE = 1_000_000  # objects between two looks for garbage: with the usual 700, the compiler spends an eighth of its time there


def compile_kernels(names: list[str], done: Callable[[str], None] = lambda name: None) -> None:
    """Compile kernels by their names, or find them on disk; another process that compiles one of them is waited for."""
    from sharnir.kernel.storage.inventory import kernel_named

    for name in names:
        kernel_named(name).compile()
        done(name)


def warm_up(everything: bool = False, jobs: int = 0) -> Iterator[tuple[str, int, int]]:
    """Compile in `jobs` processes (0: as many as there are processors); gives the name of each kernel, its number and the count.

    Nothing is to be done where kernels came compiled, or run as plain Python.
    """
    if PLAIN or LIBRARY is not None:
        return
    names = [f"sharnir.{name}" for name in USUAL]
    if everything:
        from sharnir.kernel.storage.inventory import kernels

        names = [kernel.name for kernel in kernels()]
    jobs = min(jobs or os.cpu_count() or 1, len(names))
    paths = os.pathsep.join([str(HOUSE.parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"SHARNIR_COMPILERS": "1", "PYTHONPATH": paths}
    command, pipe = [sys.executable, "-m", "sharnir.kernel.storage.warmup", "--asked"], subprocess.PIPE
    running = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment, text=True)
        for _ in range(jobs)
    ]
    for number, name in enumerate(_answers(running, Shares(names, jobs)), start=1):
        yield name, number, len(names)
    if any(process.returncode for process in running):
        raise RuntimeError("a process that compiles kernels has failed; run `python -m sharnir.kernel.storage.warmup` to see why")


class Shares:
    """Names for several processes: neighbours, which have parts in common, go to the same one, until it has none left.

    >>> shares = Shares(["a", "b", "c", "d", "e"], 2)
    >>> [shares.next(k) for k in (0, 1, 1, 1, 1, 0)]
    ['a', 'c', 'd', 'e', 'b', None]
    """

    def __init__(self, names: list[str], count: int) -> None:
        bounds = [len(names) * k // count for k in range(count + 1)]
        self._left = [deque(names[a:b]) for a, b in pairwise(bounds)]
        self._lock = threading.Lock()

    def next(self, k: int) -> str | None:
        """The next name for process k: of its own share, then the last one of whoever has most left; None at the end."""
        with self._lock:
            if self._left[k]:
                return self._left[k].popleft()
            longest = max(self._left, key=len)
            return longest.pop() if longest else None


def _answers(running: list[subprocess.Popen[str]], shares: Shares) -> Iterator[str]:
    """Names of kernels as processes compile them, each asked for the next one as soon as it has answered."""
    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def ask(k: int, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it has failed
            while (name := shares.next(k)) is not None:
                process.stdin.write(f"{name}\n")
                process.stdin.flush()
                if not process.stdout.readline():
                    break
                said.put(name)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
        said.put(None)

    for k, process in enumerate(running):
        threading.Thread(target=ask, args=(k, process), daemon=True).start()
    left = len(running)
    while left:
        name = said.get()
        if name is None:
            left -= 1
        else:
            yield name


def main() -> None:
    """One of the processes that compile."""
    parser = argparse.ArgumentParser(prog="python -m sharnir.kernel.storage.warmup", description=main.__doc__)
    parser.add_argument("--all", action="store_true", help="all kernels, not only those of most runs")
    parser.add_argument(
        "--asked", action="store_true", help="those whose names come on the input, each answered when it is there"
    )
    given = parser.parse_args()
    gc.set_threshold(GARBAGE)
    if given.asked:
        for line in sys.stdin:
            compile_kernels([line.strip()])
            sys.stdout.write(line)
            sys.stdout.flush()
        return
    names = [f"sharnir.{name}" for name in USUAL]
    if given.all:
        from sharnir.kernel.storage.inventory import kernels

        names = [kernel.name for kernel in kernels()]
    compile_kernels(names)


if __name__ == "__main__":
    main()
