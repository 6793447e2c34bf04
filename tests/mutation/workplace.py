"""A copy of the tree in which one change at a time is made and tested, with a cache of kernels of its own."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .changes import Change, applied, changes
from .compiled import compiled_functions
from .nearest import nearest_tests

ROOT = Path(__file__).resolve().parents[2]
SOURCE, TESTS = ROOT / "src" / "sharnir", ROOT / "tests"
NO_TESTS = 5  # the exit code of pytest where nothing was left to run
PARTS = ("src", "tests", "examples", "docs", "benchmarks")
COMMAND = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.mutation.calls"]
COMMAND += ["--continue-on-collection-errors"]
PLAIN_PYTHON = {"NUMBA_DISABLE_JIT": "1"}


class Workplace:
    """Where tests run: `folder`/tree is the copy, `folder`/cache its kernels."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.cache, self.log = folder / "tree", folder / "cache", folder / "calls.json"
        for part in PARTS:
            if (ROOT / part).exists():
                shutil.copytree(ROOT / part, self.tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", self.tree)

    def calls(self, path: Path, per_test: float, in_all: float) -> dict[str, tuple[float, list[int]]]:
        """By test: its duration, and the first lines of the kernels of the file that it calls, as plain Python."""
        kernels = compiled_functions(SOURCE)[path]
        first_lines = {x.first_line for x in changes(path.read_text(encoding="utf-8"), kernels) if x.kernel}
        limits = self._noted(path, first_lines) | {"MUTATION_SECONDS": str(per_test), "MUTATION_ALL": str(in_all)}
        self._pytest(self._tests(path), limits | PLAIN_PYTHON, 4.0 * in_all + 120.0)
        return self._logged("calls") or {}

    def code_of_tests(self, names: list[str], path: Path, change: Change, seconds: float) -> int:
        """What pytest returns for these tests with a changed kernel as plain Python; negative if it never ended."""
        limits = {"MUTATION_SECONDS": str(4.0 * seconds + 20.0), "MUTATION_ALL": str(8.0 * seconds + 60.0)}
        return self._with(path, change, ["-x", *names], limits | PLAIN_PYTHON, 8.0 * seconds + 120.0)

    def code_of_nearest(self, path: Path, change: Change, per_test: float, in_all: float) -> tuple[int, int]:
        """What pytest returns for the nearest tests with a change, compiled, until one fails or the time is over; negative if one
        never ended. Then how many of them called the function, as far as one can see: not in compiled code."""
        limits = {"MUTATION_SECONDS": str(per_test), "MUTATION_ALL": str(in_all)}
        noted = {} if change.kernel else self._noted(path, {change.first_line})
        arguments = ["-x", "-m", "not slow", *self._tests(path)]
        while True:
            code = self._with(path, change, arguments, limits | noted | self.own_cache(), in_all + 150.0)
            failed, stopped, called = (self._logged(x) or [] for x in ("failed", "stopped", "calls"))
            if code < 0:
                return code, 0
            if code == 0:
                return (-1 if self._end(stopped[:1], per_test / 3.0) else 0), len(called)
            if not failed or self._pytest(failed, {}, in_all + 150.0) == 0:
                return code, 0
            arguments += [f"--deselect={name}" for name in failed]  # fails without a change, too

    def _end(self, names: list[str], seconds: float) -> bool:
        """Whether tests that were stopped pass without a change, in far less time."""
        return bool(names) and self._pytest(names, {"MUTATION_SECONDS": str(seconds)}, 150.0) == 0 and not self._logged("stopped")

    def own_cache(self) -> dict[str, str]:
        """A copy of the cache of kernels, by hard links: what a change makes anew pushes nothing out."""
        from sharnir.kernel.storage.cache import cache_folder

        kept = cache_folder()
        shutil.rmtree(self.cache, ignore_errors=True)
        if kept.exists():
            shutil.copytree(kept, self.cache / kept.name, copy_function=_link, dirs_exist_ok=True)
        return {"SHARNIR_CACHE_DIR": str(self.cache), "SHARNIR_COMPILERS": "1"}

    def _noted(self, path: Path, first_lines: set[int]) -> dict[str, str]:
        """The setting under which tests note the functions of a file that they call."""
        return {"MUTATION_FILE": str(self.tree / path.relative_to(ROOT)), "MUTATION_FUNCTIONS": " ".join(map(str, first_lines))}

    def _logged(self, what: str) -> Any:
        return json.loads(self.log.read_text())[what] if self.log.exists() else None

    def _tests(self, path: Path) -> list[str]:
        return [str(x.relative_to(ROOT)) for x in nearest_tests(SOURCE, TESTS, path)]

    def _with(self, path: Path, change: Change, arguments: list[str], more: dict[str, str], seconds: float) -> int:
        text, copy = path.read_text(encoding="utf-8"), self.tree / path.relative_to(ROOT)
        copy.write_text(applied(text, change), encoding="utf-8")
        try:
            return self._pytest(arguments, more, seconds)
        finally:
            copy.write_text(text, encoding="utf-8")

    def _pytest(self, arguments: list[str], more: dict[str, str], seconds: float) -> int:
        """pytest in the copy, with a limit to its time of the processor, and a wider one by the clock (it may wait for ever)."""
        paths = [str(self.tree / part) for part in ("src", "tests", ".")]
        given = dict(os.environ)
        if given.get("PYTHONPATH"):
            paths.append(given["PYTHONPATH"])
        given |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"} | more
        given["MUTATION_LOG"] = str(self.log)
        self.log.unlink(missing_ok=True)

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))

        try:
            run = subprocess.run(
                [*COMMAND, *arguments], cwd=self.tree, env=given, capture_output=True, preexec_fn=limited, timeout=5.0 * seconds
            )
        except subprocess.TimeoutExpired:
            return -1
        return 0 if run.returncode == NO_TESTS else run.returncode


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:  # an old version that was just removed
        pass
    except OSError:  # another disk
        shutil.copyfile(source, target)
