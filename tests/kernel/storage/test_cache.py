"""Where compiled kernels are kept, and when they are thrown away."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sharnir.kernel.storage import cache

SOURCE = Path(cache.__file__).parents[3]
COMPILE = """
import numpy as np
from sharnir.kernel import Pointer, entry, address, doubles
from pathlib import Path
from sharnir.kernel.storage.cache import cache_folder, source_stamp
from sharnir.kernel.elementary import sincos
@entry
def double(x):
    doubles(address(x))[0] *= 2.0
x = np.ones(1)
double(x)
print(int(x[0]), cache_folder(), source_stamp(Path(__file__)), sep="|")
"""


def run(script, **environment):
    # a file, not -c: Numba keeps nothing of a function without one
    done = subprocess.run(
        [sys.executable, script],
        env=os.environ | {"PYTHONPATH": str(SOURCE)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split("|")


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(COMPILE)
    return path


def files(folder):
    return {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*.nb*")}


def test_chosen_folder(tmp_path, script):
    """SHARNIR_CACHE_DIR is honoured, and a second process finds what the first compiled."""
    folder = tmp_path / "kept"
    number, used, stamp = run(script, SHARNIR_CACHE_DIR=str(folder))
    assert number == "2"
    assert Path(used).is_relative_to(folder)
    first = files(folder)
    assert first
    assert any(stamp in str(path) for path in first)
    run(script, SHARNIR_CACHE_DIR=str(folder))
    assert files(folder) == first


def test_unwritable_folder(tmp_path, script):
    """Kernels then live in memory; a file where the folder should be stops root too."""
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    assert run(script, SHARNIR_CACHE_DIR=str(blocked))[0] == "2"
    assert blocked.read_text() == ""


def test_default_folder_follows_the_platform(monkeypatch):
    monkeypatch.delenv("SHARNIR_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    if os.name != "nt":
        assert cache.cache_folder() == Path("/somewhere/sharnir-kernels")
    monkeypatch.setenv("SHARNIR_CACHE_DIR", "/elsewhere")
    assert cache.cache_folder() == Path("/elsewhere/sharnir-kernels")


def stamps(source, *files, **environment):
    """Stamps of files of the package that stands in a folder."""
    code = "import sys; from sharnir.kernel.storage.cache import *; print(*(source_stamp(HOUSE / f) for f in sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *files],
        env=os.environ | {"PYTHONPATH": str(source)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


CHANGE = """
import sys
from sharnir.kernel.storage import cache
for name in ("", *sys.argv[3:]):
    if name:
        path = cache.HOUSE / name
        path.write_text(path.read_text() + "\\n# changed\\n")
    for kept in (cache.source_stamp, cache.imported_files, cache.text):  # as in a new process
        kept.cache_clear()
    print(*(cache.source_stamp(cache.HOUSE / file) for file in sys.argv[1:3]))
"""


def test_stamp_knows_what_a_kernel_is_made_of(tmp_path):
    """A change in a file, in one that it imports, however far, or in the kernel room is another stamp; elsewhere it is not."""
    copy = tmp_path / "sharnir"
    shutil.copytree(SOURCE / "sharnir", copy, ignore=shutil.ignore_patterns("__pycache__", "viewer"))
    watched = ("dynamics/evaluation/right_hand_sides.py", "integrate/implicit/radau_step.py")
    changes = {
        "dynamics/evaluation/right_hand_sides.py": [True, False],
        "spatial/vector.py": [True, False],  # several imports away
        "integrate/stepping/state_rows.py": [False, True],
        "kernel/plain.py": [True, True],
        "dynamics/memory/layout.py": [True, False],  # imported as a name of its package
        "results/result.py": [False, False],
        "dynamics/small_motions/linearization.py": [False, False],
    }
    done = subprocess.run(
        [sys.executable, "-c", CHANGE, *watched, *changes],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.split() for line in done.stdout.splitlines()]
    assert found[0] == [cache.source_stamp(cache.HOUSE / file) for file in watched]
    for (name, expected), last, now in zip(changes.items(), found[:-1], found[1:], strict=True):
        assert [a != b for a, b in zip(last, now, strict=True)] == expected, name


def test_all_that_python_imports_counts():
    """Imports as Python's own parser sees them, against the quick search in the text."""
    for room in cache.ROOMS:
        for path in (cache.HOUSE / room).rglob("*.py"):
            found = cache.imported_files(path)
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sharnir":
                    for alias in node.names:
                        places = [cache.HOUSE.joinpath(*f"{node.module}.{alias.name}".split(".")[1:])]
                        places.append(cache.HOUSE.joinpath(*node.module.split(".")[1:]))
                        files = [f for p in places for f in (p.with_suffix(".py"), p / "__init__.py") if f.is_file()]
                        inside = files and files[0].relative_to(cache.HOUSE).parts[0] in cache.ROOMS
                        if inside and files[0] not in cache.OUTSIDE_OF_KERNELS:
                            assert files[0] in found, (path, node.module, alias.name)


def test_stamp_knows_the_lanes():
    """Kernels for 4 lanes must not be found by a process that puts 8 states side by side."""
    assert stamps(SOURCE, "dynamics/evaluation/many_states.py", SHARNIR_LANES="4") != stamps(
        SOURCE, "dynamics/evaluation/many_states.py", SHARNIR_LANES="8"
    )


def test_kernels_live_only_where_the_stamp_looks():
    """A kernel outside these rooms could change without its stamp, and old code would run."""
    for path in (SOURCE / "sharnir").rglob("*.py"):
        room = path.relative_to(SOURCE / "sharnir").parts[0]
        if room not in cache.ROOMS:
            text = path.read_text()
            assert "@entry" not in text, path
            assert "@jit" not in text, path
            assert "@inline" not in text, path


def test_kernels_use_nothing_of_other_rooms():
    """A constant of another room, used in a kernel, could change without its stamp."""
    used = {}
    for room in cache.ROOMS:
        for path in (cache.HOUSE / room).rglob("*.py"):
            tree = ast.parse(path.read_text())
            outside = {
                alias.asname or alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sharnir.")
                for alias in node.names
                if node.module.split(".")[1] not in cache.ROOMS
            }
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Pointer"]
            pointers = {ast.unparse(call.args[0]) for call in calls if call.args}
            for f in ast.walk(tree):
                decorators = {ast.unparse(d) for d in getattr(f, "decorator_list", ())}
                if isinstance(f, ast.FunctionDef) and (f.name in pointers or {"jit", "inline", "entry"} & decorators):
                    names = {node.id for part in f.body for node in ast.walk(part) if isinstance(node, ast.Name)}
                    used[path, f.name] = names & outside
    assert len(used) > 500
    assert {where: names for where, names in used.items() if names} == {}


def test_no_kernel_is_in_the_files_that_do_not_count():
    """A file that makes functions for kernels to call may change without all kernels being compiled again."""
    assert cache.OUTSIDE_OF_KERNELS
    for path in cache.OUTSIDE_OF_KERNELS:
        decorators = [
            ast.unparse(d)
            for f in ast.walk(ast.parse(path.read_text()))
            if isinstance(f, ast.FunctionDef)
            for d in f.decorator_list
        ]
        assert not {"jit", "inline", "entry"} & set(decorators), path
        assert "= Pointer(" not in "".join(line for line in path.read_text().splitlines() if not line.startswith(" "))
