"""Compile kernels before they are needed: those of most runs, or all of them, in several processes that share the work."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

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
    command = [sys.executable, "-m", "sharnir.kernel.storage.warmup", "--tell", *(["--all"] if everything else [])]
    running = [
        subprocess.Popen([*command, "--share", f"{k}/{jobs}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        for k in range(jobs)
    ]
    for number, name in enumerate(_lines(running), start=1):
        yield name, number, len(names)
    if any(process.returncode for process in running):
        raise RuntimeError("a process that compiles kernels has failed; run `python -m sharnir.kernel.storage.warmup` to see why")


def _lines(running: list[subprocess.Popen]) -> Iterator[str]:
    """What several processes say, line by line as it comes."""
    import queue
    import threading

    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def listen(process: subprocess.Popen) -> None:
        for line in process.stdout or ():
            said.put(line.decode().strip())
        process.wait()
        said.put(None)

    for process in running:
        threading.Thread(target=listen, args=(process,), daemon=True).start()
    left = len(running)
    while left:
        line = said.get()
        if line is None:
            left -= 1
        else:
            yield line


def main() -> None:
    """One of the processes that compile."""
    parser = argparse.ArgumentParser(prog="python -m sharnir.kernel.storage.warmup", description=main.__doc__)
    parser.add_argument("--all", action="store_true", help="all kernels, not only those of most runs")
    parser.add_argument("--share", default="0/1", help="k/n: every n-th kernel from number k on")
    parser.add_argument("--tell", action="store_true", help="print the name of each kernel when it is there")
    given = parser.parse_args()
    names = [f"sharnir.{name}" for name in USUAL]
    if given.all:
        from sharnir.kernel.storage.inventory import kernels

        names = [kernel.name for kernel in kernels()]
    k, n = (int(x) for x in given.share.split("/"))

    def done(name: str) -> None:
        if given.tell:
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()

    compile_kernels(names[k::n], done)


if __name__ == "__main__":
    main()
