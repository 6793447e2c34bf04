"""Makes wrong changes by seed in a copy of the tree, runs the nearest tests that call the changed function, says which survive.

Kernels are tested as plain Python (NUMBA_DISABLE_JIT=1), so nothing is compiled again. First the nearest tests run once without a
change: which of them are quick, and which functions each of them calls. A change then runs the tests that call its function, the
quickest first, up to a time. `equivalent.toml` lists changes that change nothing, with the reason.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

from .changes import Change, applied, changes

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCE = ROOT / "src" / "sharnir"
EQUIVALENT = HERE / "equivalent.toml"
ALWAYS = ("agree/test_methods.py", "agree/test_energy.py", "agree/test_constraints.py", "agree/test_reactions.py")
MOST_FILES = 20  # of nearest tests per changed file


def main() -> int:
    options = _options()
    chosen = _sample(options)
    _say(f"{len(chosen)} changes, seed {options.seed}")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        tree = Path(folder)
        for part in ("src", "tests", "examples", "docs"):
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tree)
        called: dict[tuple[Path, bool], dict] = {}
        for number, (path, change) in enumerate(chosen, 1):
            key = path, change.kernel
            if key not in called:
                called[key] = _calls(tree, path, change.kernel, options)
            outcome = _outcome(tree, path, change, called[key], options)
            kind = "kernel" if change.kernel else "plain"
            counts[f"{kind} {outcome.split()[0]}"] += 1
            where = f"{path.relative_to(SOURCE)}:{change.line} {change.function}: {change.what}"
            _say(f"{number:4} {kind:6} {outcome:32} {where}")
            if not outcome.startswith("found"):
                _say(_difference(path, change))
    for kind in ("kernel", "plain"):
        found, left = counts[f"{kind} found"], counts[f"{kind} survived"]
        if found + left:
            share = 100 * found / (found + left)
            _say(f"{kind}: found {found} of {found + left} ({share:.0f} %), equivalent {counts[f'{kind} equivalent']}")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("places", nargs="+", help="rooms or files, such as dynamics/contact or model/frames.py")
    parser.add_argument("--count", type=int, default=20, help="how many changes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("kernel", "plain"), help="kernels, or all other functions")
    parser.add_argument("--per-test", type=float, default=4.0, help="seconds a test may take")
    parser.add_argument("--per-change", type=float, default=20.0, help="seconds of tests per change")
    parser.add_argument("--per-file", type=float, default=60.0, help="seconds of the nearest tests without a change")
    parser.add_argument("--together", type=int, default=4, help="changes per file: its tests are looked at once for all of them")
    return parser.parse_args()


def _sample(options: argparse.Namespace) -> list[tuple[Path, Change]]:
    """Changes by seed; every function is as likely as any other, however many changes it has."""
    files = []
    for place in options.places:
        path = SOURCE / place
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    functions: dict[tuple[Path, str], list[Change]] = {}
    for path in files:
        for change in changes(path.read_text(encoding="utf-8")):
            if options.only is None or change.kernel == (options.only == "kernel"):
                functions.setdefault((path, change.function), []).append(change)
    rng, chosen = random.Random(options.seed), []
    left = sorted(functions)
    rng.shuffle(left)
    while left and len(chosen) < options.count:
        path = left[0][0]  # large files come first more often
        for key in [key for key in left if key[0] == path][: options.together]:
            left.remove(key)
            chosen.append((path, rng.choice(functions[key])))
        left = [key for key in left if key[0] != path] or left
    return chosen[: options.count]


def nearest_tests(tests: Path, path: Path) -> list[Path]:
    """Test files: of the same name, those that import the file, those of its room, those across rooms; the nearest first."""
    room, module = path.parent.relative_to(SOURCE), ".".join(("sharnir", *path.relative_to(SOURCE).with_suffix("").parts))
    everything = sorted(tests.rglob("test_*.py"))
    same = [x for x in everything if x.name == f"test_{path.stem}.py"]
    importing = [x for x in everything if module in x.read_text(encoding="utf-8")]
    words = [word for word in path.stem.split("_") if len(word) > 4]
    alike = [x for x in everything if any(word in x.stem for word in words)]
    around = [x for x in everything if x.parent.relative_to(tests) == room]
    across = [tests / name for name in ALWAYS] if room.parts[0] == "dynamics" else []
    order = dict.fromkeys([*same, *importing, *alike[:5], *around, *across])
    kept = list(order)[:MOST_FILES]
    return kept or [x for x in everything if x.parent.relative_to(tests) == room.parent][:MOST_FILES]


def _environment(tree: Path, kernel: bool) -> dict[str, str]:
    paths = os.pathsep.join(str(tree / part) for part in ("src", "tests", "."))
    given = dict(os.environ) | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    return given | {"NUMBA_DISABLE_JIT": "1"} if kernel else given


def _run(tree: Path, arguments: list[str], kernel: bool, seconds: float) -> int:
    """pytest in the copy, with a limit to its time of the processor; its exit code, negative if the limit stopped it."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *arguments]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))

    return subprocess.run(command, cwd=tree, env=_environment(tree, kernel), capture_output=True, preexec_fn=limited).returncode


def _calls(tree: Path, path: Path, kernel: bool, options: argparse.Namespace) -> dict:
    """By test: its duration, and the first lines of the functions of the file that it calls."""
    log = tree / "calls.json"
    log.unlink(missing_ok=True)
    place = tree / path.relative_to(ROOT)
    tests = [str(x.relative_to(ROOT)) for x in nearest_tests(ROOT / "tests", path)]
    given = _environment(tree, kernel) | {"MUTATION_FILE": str(place), "MUTATION_LOG": str(log)}
    given |= {"MUTATION_SECONDS": str(options.per_test), "MUTATION_ALL": str(options.per_file)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.mutation.calls", *tests]
    subprocess.run(command, cwd=tree, env=given, capture_output=True, text=True)
    return json.loads(log.read_text()) if log.exists() else {}


def _outcome(tree: Path, path: Path, change: Change, called: dict, options: argparse.Namespace) -> str:
    text = path.read_text(encoding="utf-8")
    if _is_equivalent(path, text, change):
        return "equivalent (listed)"
    names, total = [], 0.0
    for name, (seconds, lines) in sorted(called.items(), key=lambda item: item[1][0]):
        if change.first_line in lines and total + seconds <= options.per_change:
            names.append(name)
            total += seconds
    if not names:
        return "survived (no test calls it)"
    copy = tree / path.relative_to(ROOT)
    copy.write_text(applied(text, change), encoding="utf-8")
    try:
        code = _run(tree, names, change.kernel, 120.0 + 4.0 * total)
    finally:
        copy.write_text(text, encoding="utf-8")
    if code < 0:
        return "found (never ends)"
    return f"survived ({len(names)} tests)" if code == 0 else "found"


def _difference(path: Path, change: Change) -> str:
    text = path.read_text(encoding="utf-8")
    lines = difflib.unified_diff(text.splitlines(), applied(text, change).splitlines(), lineterm="", n=1)
    return "\n".join("       " + line for line in list(lines)[2:])


def _is_equivalent(path: Path, text: str, change: Change) -> bool:
    """Whether the list names this change: the file, the function, the line before and after."""
    if not EQUIVALENT.exists():
        return False
    after = applied(text, change).split("\n")[change.line - 1].strip()
    before = text.split("\n")[change.line - 1].strip()
    for entry in tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("change", []):
        if (entry["file"], entry["function"]) == (str(path.relative_to(SOURCE)), change.function):
            listed = entry["line"], entry["becomes"]
            if listed == (before, after):
                return True
    return False


if __name__ == "__main__":
    raise SystemExit(main())
