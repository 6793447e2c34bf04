"""A copy of the tree with many changes behind a switch (switches.py), and a cache of kernels of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .changes import Change
from .switch import SIZE
from .switches import ON, switched

ROOT = Path(__file__).resolve().parents[2]
SOURCE, TESTS = ROOT / "src" / "sharnir", ROOT / "tests"
PARTS = ("src", "tests", "examples", "docs", "benchmarks")
SWITCH = "mutation_switch"  # the name that switch.py has inside of the copy of the package
LONGEST = 20  # lines of a statement
COMMAND = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-p", "tests.mutation.trials"]
COMMAND += ["--continue-on-collection-errors", "-m", "not slow and not chromium"]


class Workplace:
    """Where tests run: `folder`/tree is the copy, `folder`/cache its kernels. `changes` by their numbers, from 1 on."""

    def __init__(self, folder: Path, changes: dict[int, tuple[Path, Change]]) -> None:
        self.folder, self.tree, self.changes = folder, folder / "tree", dict(changes)
        for part in PARTS:
            if (ROOT / part).exists():
                shutil.copytree(ROOT / part, self.tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", self.tree)
        shutil.copy(Path(__file__).with_name("switch.py"), self.tree / "src" / "sharnir" / f"{SWITCH}.py")
        self._copy_cache()
        self._write({path for path, _ in self.changes.values()})

    def compile(self) -> list[tuple[int, str]]:
        """Compile the kernels with all changes; those that cannot be compiled are given up: their numbers, and why."""
        given_up: list[tuple[int, str]] = []
        while any(change.kernel for _, change in self.changes.values()):
            run = subprocess.run(
                [sys.executable, "-m", "tests.mutation.kernels"],
                cwd=self.tree, env=self._environment(0), capture_output=True, text=True, check=False,
            )  # fmt: skip
            problems = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
            if run.returncode:
                raise RuntimeError(run.stderr)
            if not problems:
                break
            lines = [(self.tree / file, int(line)) for file, line in problems[0]["lines"]]
            near = self._near(lines) or [
                k for file, _ in lines for k, (path, _) in self.changes.items() if self.tree / path.relative_to(ROOT) == file
            ]  # a wrong type that shows elsewhere
            if not near:
                raise RuntimeError(f"{problems[0]['kernel']} does not compile: {problems[0]['error']}")
            given_up.append((near[0], problems[0]["error"][0]))
            file, _ = self.changes.pop(near[0])
            self._write({file})
        return given_up

    def try_changes(self, job: int, near: dict[Path, list[int]], left: dict[int, float], limits: dict[str, float]) -> list[Any]:
        """Files of tests with the changes that are near them, if there are some, or with all.

        `left`: seconds that each change has left. Returns what the plugin tells.
        """
        log, order = self.folder / f"log{job}", self.folder / f"job{job}"
        log.write_text("")
        names = {str(file.relative_to(ROOT)): those for file, those in near.items()}
        said = {"changes": left, "log": str(log), "near": {name: those for name, those in names.items() if those}}
        order.write_text(json.dumps(said | limits))
        numbers = self._numbers(job)
        numbers.write_bytes(bytes(SIZE))
        with (self.folder / f"output{job}").open("wb") as output:
            subprocess.run(
                [*COMMAND, *names], cwd=self.tree, env=self._environment(job) | {"MUTATION_JOB": str(order)},
                stdout=output, stderr=output, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        return [json.loads(line) for line in log.read_text().splitlines()]

    def _near(self, lines: list[tuple[Path, int]]) -> list[int]:
        """The changes behind whose switches these lines stand, in the same order; a statement may go over several lines."""
        found = []
        for file, number in lines:
            text = file.read_text(encoding="utf-8").splitlines() if file.is_relative_to(self.tree) else []
            for line in reversed(text[max(0, number - LONGEST) : number]):
                found += [k for k in self.changes if f"{ON}({k})" in line]
        return found

    def _write(self, files: set[Path]) -> None:
        for file in files:
            numbered = {k: change for k, (path, change) in self.changes.items() if path == file}
            text = file.read_text(encoding="utf-8")
            copy = self.tree / file.relative_to(ROOT)
            copy.write_text(switched(text, numbered, f"sharnir.{SWITCH}") if numbered else text, encoding="utf-8")

    def _copy_cache(self) -> None:
        """Of the cache of kernels, by hard links: what a change makes anew pushes nothing out."""
        sys.path.insert(0, str(ROOT / "src"))
        from sharnir.kernel.storage.cache import cache_folder

        kept = cache_folder()
        if kept.exists():
            shutil.copytree(kept, self.folder / "cache" / kept.name, copy_function=_link, dirs_exist_ok=True)

    def _numbers(self, job: int) -> Path:
        return self.folder / f"numbers{job}"

    def _environment(self, job: int) -> dict[str, str]:
        if not self._numbers(job).exists():
            self._numbers(job).write_bytes(bytes(SIZE))
        temporary = self.folder / f"temporary{job}"
        temporary.mkdir(exist_ok=True)
        paths = [str(self.tree / part) for part in ("src", "tests", ".")]
        if os.environ.get("PYTHONPATH"):
            paths.append(os.environ["PYTHONPATH"])
        return dict(os.environ) | {
            "PYTHONPATH": os.pathsep.join(paths),
            "SHARNIR_CACHE_DIR": str(self.folder / "cache"),
            "SHARNIR_COMPILERS": "1",
            "MUTATION_NUMBERS": str(self._numbers(job)),
            "TMPDIR": str(temporary),
        }


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except (FileNotFoundError, FileExistsError):  # an old version that was just removed; one of an earlier run in this folder
        pass
    except OSError:  # another disk
        shutil.copyfile(source, target)
