"""Makes wrong changes by seed in copies of the tree, runs the nearest tests that call the changed function, says which survive.

With a change the nearest tests run until one fails, or up to a time. Kernels run as plain Python first, which is slow: of the
nearest tests those that call the kernel, the quickest first, as one run without a change has shown. A kernel that survives, or
that no quick test calls, is compiled with its change, and the nearest tests run again, compiled. `equivalent.toml` lists changes
that change nothing, with the reason.
"""

from __future__ import annotations

import argparse
import difflib
import random
import signal
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter, deque
from pathlib import Path

from .changes import Change, applied, changes
from .compiled import compiled_functions
from .workplace import ROOT, SOURCE, Workplace

sys.path.insert(0, str(ROOT / "src"))  # the cache of kernels says where it is
EQUIVALENT = ROOT / "tests" / "mutation" / "equivalent.toml"
NEVER_ENDS = (-1, -signal.SIGXCPU, -signal.SIGKILL)
Calls = dict[str, tuple[float, list[int]]]


def main() -> int:
    options = _options()
    chosen = _sample(options)
    _say(f"{len(chosen)} changes, seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        trials = Trials(chosen, options)
        threads = [threading.Thread(target=trials.work, args=(Path(folder) / str(k),)) for k in range(options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for kind in ("kernel", "plain"):
        found, left = trials.counts[f"{kind} found"], trials.counts[f"{kind} survived"]
        if found + left:
            share, same = 100 * found / (found + left), trials.counts[f"{kind} equivalent"]
            _say(f"{kind}: found {found} of {found + left} ({share:.0f} %), equivalent {same}")
    if trials.left:
        _say(f"not tried: {trials.left}")
    return 0


class Trials:
    """What several threads do, each in a copy of the tree: changes that are ready first, then the tests of the next file."""

    def __init__(self, chosen: list[tuple[Path, Change]], options: argparse.Namespace) -> None:
        self.options, self.counts = options, Counter[str]()
        self.left, self.end = len(chosen), time.monotonic() + 60.0 * options.minutes
        self.groups: dict[Path, list[Change]] = {}
        self.ready: deque[tuple[Path, Change, Calls]] = deque()
        for path, change in chosen:
            if change.kernel:
                self.groups.setdefault(path, []).append(change)
            else:
                self.ready.append((path, change, {}))
        self.looking = 0  # threads that look at the tests of a file
        self.turn = threading.Condition()

    def work(self, folder: Path) -> None:
        """Until nothing is left to do, or the time is over."""
        place = Workplace(folder)
        while True:
            with self.turn:
                while not self.ready and not self.groups and self.looking:
                    self.turn.wait()
                if time.monotonic() > self.end or not (self.ready or self.groups):
                    return
                if self.ready:
                    path, change, known = self.ready.popleft()
                    group = None
                else:
                    group = next(iter(self.groups))
                    these = self.groups.pop(group)
                    self.looking += 1
            if group is None:
                self._tell(path, change, _outcome(place, path, change, known, self.options))
            else:
                self._look(place, group, these)

    def _look(self, place: Workplace, path: Path, these: list[Change]) -> None:
        known: Calls = {}
        try:
            known = place.calls(path, self.options.per_test, self.options.per_file)
        finally:
            with self.turn:
                self.looking -= 1
                self.ready.extend((path, change, known) for change in these)
                self.turn.notify_all()

    def _tell(self, path: Path, change: Change, outcome: str) -> None:
        kind = "kernel" if change.kernel else "plain"
        where = f"{path.relative_to(SOURCE)}:{change.line} {change.function}: {change.what}"
        with self.turn:
            self.left -= 1
            self.counts[f"{kind} {outcome.split()[0]}"] += 1
            found, left = self.counts[f"{kind} found"], self.counts[f"{kind} survived"]
            _say(f"{found:3} of {found + left:3} {kind:6} {outcome:32} {where}")  # for runs that are stopped
            if outcome.startswith("survived"):
                _say(_difference(path, change))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("places", nargs="+", help="rooms or files, such as dynamics/contact or model/frames.py")
    parser.add_argument("--count", type=int, default=20, help="how many changes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("kernel", "plain"), help="kernels, or all other functions")
    parser.add_argument("--jobs", type=int, default=1, help="changes that are tried at once, each in a copy of its own")
    parser.add_argument("--minutes", type=float, default=1e6, help="after that time no further change is begun")
    parser.add_argument("--function", help="only changes of functions whose name contains this")
    parser.add_argument("--line", type=int, help="only changes of this line")
    parser.add_argument("--per-test", type=float, default=8.0, help="seconds a test may take")
    parser.add_argument("--per-change", type=float, default=30.0, help="seconds of tests per change")
    parser.add_argument("--per-file", type=float, default=90.0, help="seconds of the nearest tests without a change")
    parser.add_argument("--compiled", type=float, default=200.0, help="seconds of tests with the kernel compiled; 0: plain only")
    parser.add_argument("--together", type=int, default=4, help="changes per file: its tests are looked at once for all of them")
    return parser.parse_args()


def _sample(options: argparse.Namespace) -> list[tuple[Path, Change]]:
    """Changes by seed; every function is as likely as any other, however many changes it has."""
    files = []
    for place in options.places:
        path = SOURCE / place
        if not path.exists():
            raise SystemExit(f"there is no {place} in src/sharnir")
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    kernels = compiled_functions(SOURCE)
    functions: dict[tuple[Path, str], list[Change]] = {}
    for path in files:
        for change in changes(path.read_text(encoding="utf-8"), kernels[path]):
            if options.only is not None and change.kernel != (options.only == "kernel"):
                continue
            if options.line in (None, change.line) and (options.function or "") in change.function:
                functions.setdefault((path, change.function), []).append(change)
    rng, chosen = random.Random(options.seed), []
    left = sorted(functions)
    rng.shuffle(left)
    while left and len(chosen) < options.count:
        path = left[0][0]  # large files come first more often
        for key in [key for key in left if key[0] == path][: options.together]:
            left.remove(key)
            of_function = functions[key]
            several = options.line is not None or options.function is not None
            chosen += [(path, x) for x in (of_function if several else [rng.choice(of_function)])]
        left = [key for key in left if key[0] != path] or left
    return chosen[: options.count]


def _outcome(place: Workplace, path: Path, change: Change, known: Calls, options: argparse.Namespace) -> str:
    if _is_equivalent(path, change):
        return "equivalent (listed)"
    if not change.kernel:
        code, calls = place.code_of_nearest(path, change, options.per_test, options.per_change)
        return _words(code, f"{calls} tests" if calls else "no test calls it")
    names, total = [], 0.0
    for name, (seconds, lines) in sorted(known.items(), key=lambda item: item[1][0]):
        if change.first_line in lines and total + seconds <= options.per_change:
            names.append(name)
            total += seconds
    code = place.code_of_tests(names, path, change, total) if names else 0
    if code == 0 and change.kernel and options.compiled > 0.0:
        code, _ = place.code_of_nearest(path, change, options.compiled, options.compiled)
    return _words(code, f"{len(names)} tests, and compiled")


def _words(code: int, tests: str) -> str:
    if code == 0:
        return f"survived ({tests})"
    return "found" if code > 0 else "found (never ends)" if code in NEVER_ENDS else "found (crashes)"


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
