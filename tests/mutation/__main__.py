"""Makes wrong changes by seed in a copy of the tree, all behind one switch, runs the tests that reach each, says which survive.

The copy is compiled once. Files of tests come in an order of nearness to the changes that no test has found so far; each runs
once without a change, which says what its tests reach, and then with every change that they reach (trials.py). A change survives
if no test of the suite fails within the seconds it has. `equivalent.toml` lists changes that change nothing, with the reason.
"""

from __future__ import annotations

import argparse
import difflib
import random
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from .changes import Change, applied, changes
from .compiled import compiled_functions
from .nearest import all_tests, nearest_tests
from .workplace import ROOT, SOURCE, TESTS, Workplace

EQUIVALENT = ROOT / "tests" / "mutation" / "equivalent.toml"
Chosen = dict[int, tuple[Path, Change]]


def main() -> int:
    options = _options()
    chosen = _sample(options)
    _say(f"{len(chosen)} changes, seed {options.seed}")
    same = [k for k, (path, change) in chosen.items() if _is_equivalent(path, change)]
    for k in same:
        _say(f"equivalent (listed)  {_place(*chosen.pop(k))}")
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        place = Workplace(Path(options.folder or folder), chosen)
        for k, why in place.compile():
            _say(f"does not compile     {_place(*chosen.pop(k))}: {why}")
        trials = Trials(place, chosen, options)
        trials.resume()
        threads = [threading.Thread(target=trials.work, args=(k,)) for k in range(options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        trials.tell_survivors()
    for kind in ("kernel", "plain"):
        total = sum(change.kernel == (kind == "kernel") for _, change in chosen.values())
        if total:
            found = trials.counts[kind]
            _say(f"{kind}: found {found} of {total} ({100 * found / total:.0f} %)")
    _say(f"equivalent: {len(same)}")
    return 0


class Trials:
    """What is known of the changes so far; several threads take the next files of tests each."""

    def __init__(self, place: Workplace, chosen: Chosen, options: argparse.Namespace) -> None:
        self.place, self.chosen, self.options = place, chosen, options
        self.counts, self.end = Counter[str](), time.monotonic() + 60.0 * options.minutes
        self.left = dict.fromkeys(chosen, float(options.per_change))  # seconds; only changes that nothing has found
        self.reached, self.ran = Counter[int](), Counter[int]()  # tests
        self.at_import, self.told = set[int](), set[int]()
        self.near = {path: nearest_tests(SOURCE, TESTS, path) for path, _ in chosen.values()}
        self.waiting = list(all_tests(TESTS)) + sorted(path for path in self.near if ">>> " in path.read_text(encoding="utf-8"))
        self.turn, self.found = threading.Lock(), place.folder / "found"

    def work(self, job: int) -> None:
        """Until every change is found, or no tests are left, or the time is over."""
        while True:
            with self.turn:
                self._tell_left()
                tests = self._next()
                left = {k: seconds for k, seconds in self.left.items() if seconds > 0.0}
                near = {test: [k for k in left if test in self.near[self.chosen[k][0]]] for test in tests}
            if not tests or not left or time.monotonic() > self.end:
                return
            limits = {
                "per_test": self.options.per_test,
                "per_file": self.options.per_file,
                "per_change": self.options.per_change / 4.0,
            }
            for event in self.place.try_changes(job, near, left, limits):
                with self.turn:
                    self._take(event)

    def _next(self) -> list[Path]:
        """The next files: those that are nearest to a change that is left, and in the end all others."""
        ranks: dict[Path, int] = {}
        for k, seconds in self.left.items():
            if seconds > 0.0:
                for rank, test in enumerate(self.near[self.chosen[k][0]]):
                    ranks[test] = min(rank, ranks.get(test, rank))
        self.waiting.sort(key=lambda test: (ranks.get(test, 1000), test))
        tests, self.waiting = self.waiting[: self.options.together], self.waiting[self.options.together :]
        return tests

    def _take(self, event: dict[str, Any]) -> None:
        if "at_import" in event:
            self.at_import |= set(event["at_import"])
            return
        k = event["change"]
        self.reached[k] += event["reached"]
        self.ran[k] += event["ran"]
        if k not in self.left:  # another thread was faster
            return
        self.left[k] -= event["seconds"]
        if event["found"]:
            del self.left[k]
            path, change = self.chosen[k]
            kind = "kernel" if change.kernel else "plain"
            self.counts[kind] += 1
            with self.found.open("a") as file:
                file.write(f"{k}\n")
            _say(f"found {self.counts[kind]:3} {kind:6} ({event['found']}) {_place(path, change)}  by {event['test']}")

    def _tell_left(self) -> None:
        """Changes that none of their nearest files has found: most of them survive in the end."""
        for k in self.left:
            if k not in self.told and not set(self.waiting) & set(self.near[self.chosen[k][0]]):
                self.told.add(k)
                path, change = self.chosen[k]
                _say(f"left so far ({self.reached[k]} tests reach it, {self.ran[k]} ran)  {_place(path, change)}")
                _say(_difference(path, change))

    def resume(self) -> None:
        """Changes that an earlier run in the same folder has found."""
        if self.found.exists():
            for line in self.found.read_text().splitlines():
                k = int(line)
                if self.left.pop(k, None) is not None:
                    self.counts["kernel" if self.chosen[k][1].kernel else "plain"] += 1

    def tell_survivors(self) -> None:
        """Those that no test has found."""
        for k in self.left:
            path, change = self.chosen[k]
            tests = f"{self.reached[k]} tests reach it, {self.ran[k]} ran" if self.reached[k] else "no test reaches it"
            more = ", reached at import" if k in self.at_import else ""
            _say(f"survived ({tests}{more}) {'kernel' if change.kernel else 'plain'} {_place(path, change)}")
            _say(_difference(path, change))


def _place(path: Path, change: Change) -> str:
    return f"{path.relative_to(SOURCE)}:{change.line} {change.function}: {change.what}"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("places", nargs="+", help="rooms or files, such as dynamics/contact or model/frames.py; . for all")
    parser.add_argument("--plain", type=int, default=10, help="how many changes of functions that are no kernels")
    parser.add_argument("--kernel", type=int, default=10, help="how many changes of kernels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes that run tests")
    parser.add_argument("--minutes", type=float, default=1e6, help="after that time no further files of tests are begun")
    parser.add_argument("--function", help="only changes of functions whose name contains this, and all of them")
    parser.add_argument("--line", type=int, help="only changes of this line, and all of them")
    parser.add_argument("--per-test", type=float, default=8.0, help="seconds that a test may take without a change")
    parser.add_argument("--per-file", type=float, default=30.0, help="seconds of the tests of a file without a change")
    parser.add_argument("--per-change", type=float, default=40.0, help="seconds of tests with a change")
    parser.add_argument("--together", type=int, default=10, help="files of tests that are imported at once")
    parser.add_argument("--folder", help="where the copy is made, and stays: a run that was stopped goes on there")
    return parser.parse_args()


def _sample(options: argparse.Namespace) -> Chosen:
    """Changes by seed, by numbers from 1 on; every function is as likely as any other, however many changes it has."""
    files: list[Path] = []
    for place in options.places:
        path = SOURCE / place
        if not path.exists():
            raise SystemExit(f"there is no {place} in src/sharnir")
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    kernels = compiled_functions(SOURCE)
    functions: dict[bool, dict[tuple[Path, str], list[Change]]] = {True: {}, False: {}}
    for path in files:
        text = path.read_text(encoding="utf-8")
        for change in changes(text, kernels[path]):
            if options.line in (None, change.line) and (options.function or "") in change.function:
                functions[change.kernel].setdefault((path, change.function), []).append(change)
    chosen: list[tuple[Path, Change]] = []
    for kernel, count in ((True, options.kernel), (False, options.plain)):
        rng, these = random.Random(options.seed), list[tuple[Path, Change]]()
        order = sorted(functions[kernel])
        rng.shuffle(order)
        for key in order:
            of_function = functions[kernel][key]
            several = options.line is not None or options.function is not None
            these += [(key[0], change) for change in (of_function if several else [rng.choice(of_function)])]
        chosen += these[:count]
    return dict(enumerate(chosen, start=1))


def _difference(path: Path, change: Change) -> str:
    text = path.read_text(encoding="utf-8")
    lines = difflib.unified_diff(text.splitlines(), applied(text, change).splitlines(), lineterm="", n=1)
    return "\n".join("       " + line for line in list(lines)[2:])


def _is_equivalent(path: Path, change: Change) -> bool:
    """Whether the list names this change: the file, the function, the line before and after."""
    text = path.read_text(encoding="utf-8")
    after = applied(text, change).split("\n")[change.line - 1].strip()
    before = text.split("\n")[change.line - 1].strip()
    for entry in tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("change", []):
        place = entry["file"], entry["function"], entry["line"], entry["becomes"]
        if place == (str(path.relative_to(SOURCE)), change.function, before, after):
            return True
    return False


if __name__ == "__main__":
    raise SystemExit(main())
