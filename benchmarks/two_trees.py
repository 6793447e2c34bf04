"""One evaluation in two source trees, timed in turns: `python benchmarks/two_trees.py OLD/src NEW/src`.

Both are checkouts with `benchmarks` and `tests` beside `src`. Each runs in a process of its own with a cache of its own.
Both compile first, which is timed too (CPU seconds with an empty cache); then they evaluate the same states in turns, and
the least times are compared: new over old.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from checks import Check, print_checks

AT_MOST, COMPILATION_AT_MOST = 1.02, 1.10
LINKS = (7, 30, 1000)
PIECES = 40  # timed pieces of each case and tree


def compilations() -> dict[str, float]:
    """CPU seconds to compile the derivatives, in this process, with an empty cache."""
    from sharnir.dynamics.evaluation.constrained_right_hand_side import CONSTRAINED
    from sharnir.dynamics.evaluation.right_hand_sides import DERIVATIVES
    from sharnir.dynamics.methods.flexible_articulated_body import ELIMINATION

    pointers = {
        "derivative_articulated": DERIVATIVES["articulated"],
        "derivative_constrained": CONSTRAINED,
        "elimination with flexible bodies": ELIMINATION,
    }
    seconds = {}
    for name, pointer in pointers.items():
        begin = process_time()
        _ = pointer.address
        seconds[name] = process_time() - begin
    return seconds


def systems() -> dict[str, Callable[[], Any]]:
    """Name of a case -> what makes its system; mechanisms are those of the tree's own `benchmarks`, in the words of its time."""
    import sharnir
    from sharnir.app.bench import chain

    sys.path.insert(0, str(Path(sharnir.__file__).resolve().parents[2] / "benchmarks"))

    def loops(name: str) -> Any:
        import loop_models

        return getattr(loop_models, name)()

    def flexible() -> Any:
        import flexible_models

        return flexible_models.chain(flexible_models.link(), 5)

    return {
        **{f"chain of {n} hinges": lambda n=n: chain(n).compile(method="articulated") for n in LINKS},
        "chain of 30 balls": lambda: chain(30, freedoms=3).compile(method="articulated"),
        "chain of 30 hinges, composite": lambda: chain(30).compile(method="composite"),
        "squeezer of Andrews": lambda: loops("andrews").compile(),
        "five loops": lambda: loops("five_loops").compile(),
        "chain of 5 flexible links": lambda: flexible().compile(method="articulated"),
    }


def cases(part: str) -> dict[str, Callable[[], Any]]:
    """Calls that evaluate many states inside compiled code, of the cases with this in their name."""
    from sharnir.app.bench import evaluation, random_states

    found = {}
    for name, make in systems().items():
        if part in name:
            system, size = make(), 1e-3 if "hinges" not in name and "balls" not in name else 0.5
            found[name] = evaluation(system, *random_states(system, max(1, 2000 // system.n_v), size=size))
    return found


def serve(part: str) -> None:
    """In one tree: compile, then time a piece of every case whenever asked."""
    seconds = compilations() if not part else {}
    tasks = cases(part)
    calls = {}
    for name, task in tasks.items():
        task()
        begin = process_time()
        task()
        calls[name] = max(1, int(4e-3 / max(process_time() - begin, 1e-6)))
    print(json.dumps([seconds, list(tasks)]), flush=True)
    for line in sys.stdin:
        name = line.strip()
        begin = process_time()
        for _ in range(calls[name]):
            tasks[name]()
        print(json.dumps((process_time() - begin) / calls[name]), flush=True)


class Tree:
    """A process that evaluates with the package of one source tree."""

    def __init__(self, source: Path, cache: str, part: str) -> None:
        environment = os.environ | {"PYTHONPATH": str(source.resolve()), "SHARNIR_CACHE_DIR": cache}
        command = [sys.executable, __file__, "--serve", "--cases", part]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def answer(self) -> Any:
        """The next line that it says."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def seconds(self, name: str) -> float:
        """CPU seconds of one call of a case."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return self.answer()


def compare(old: Path, new: Path, part: str = "", pieces: int = PIECES) -> list[Check]:
    """Ratios new over old of the cases with `part` in their name and, of all cases, of the times to compile."""
    checks = []
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        trees = (Tree(old, one, part), Tree(new, two, part))
        (before, names), (after, _) = (tree.answer() for tree in trees)
        for name in before:
            note = f"{before[name]:.1f} s before, {after[name]:.1f} s after"
            checks.append(Check(name, "compile, new / old", after[name] / before[name], COMPILATION_AT_MOST, note=note))
        for name in names:
            best = [float("inf"), float("inf")]
            for k in range(pieces):
                for side in (k % 2, 1 - k % 2):
                    best[side] = min(best[side], trees[side].seconds(name))
            note = f"{1e6 * best[0]:.4g} µs before, {1e6 * best[1]:.4g} µs after"
            checks.append(Check(name, "evaluate, new / old", best[1] / best[0], AT_MOST, note=note))
        for tree in trees:
            tree.process.stdin.close()
            tree.process.wait()
    return checks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, nargs="?")
    parser.add_argument("new", type=Path, nargs="?")
    parser.add_argument("--cases", default="", help="part of the names of the cases to compare")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.cases)
    else:
        print_checks(compare(chosen.old, chosen.new, chosen.cases))
