"""Where compiled kernels are kept, and when they are thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sharnir.kernel import cache

SOURCE = Path(cache.__file__).parents[2]
COMPILE = """
import numpy as np
from sharnir.kernel import Pointer, entry, address, doubles
from sharnir.kernel.cache import cache_folder, source_stamp
from sharnir.kernel.elementary import sincos
@entry
def double(x):
    doubles(address(x))[0] *= 2.0
x = np.ones(1)
double(x)
print(int(x[0]), cache_folder(), source_stamp(), sep="|")
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


def test_stamp_knows_every_source_of_kernels(tmp_path):
    """A change in any file of the rooms with kernels is another stamp; elsewhere it is not."""
    copy = tmp_path / "sharnir"
    shutil.copytree(SOURCE / "sharnir", copy, ignore=shutil.ignore_patterns("__pycache__", "viewer"))
    code = "from sharnir.kernel.cache import source_stamp; print(source_stamp())"

    def stamp():
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    before = stamp()
    assert before == cache.source_stamp()
    seen = {before}
    for room in cache.ROOMS:
        path = sorted((copy / room).glob("*.py"))[-1]
        path.write_text(path.read_text() + "\n# changed\n")
        seen.add(stamp())
    assert len(seen) == 1 + len(cache.ROOMS)
    other = copy / "results" / "result.py"
    other.write_text(other.read_text() + "\n# changed\n")
    assert stamp() in seen


def test_stamp_knows_the_lanes():
    """Kernels for 4 lanes must not be found by a process that puts 8 states side by side."""
    code = "from sharnir.kernel.cache import source_stamp; print(source_stamp())"
    found = set()
    for lanes in ("4", "8"):
        environment = os.environ | {"PYTHONPATH": str(SOURCE), "SHARNIR_LANES": lanes}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert len(found) == 2


def test_kernels_live_only_where_the_stamp_looks():
    """A kernel outside these rooms could change without its stamp, and old code would run."""
    for path in (SOURCE / "sharnir").rglob("*.py"):
        room = path.relative_to(SOURCE / "sharnir").parts[0]
        if room not in cache.ROOMS:
            text = path.read_text()
            assert "@entry" not in text, path
            assert "@jit" not in text, path
            assert "@inline" not in text, path


def test_import_is_quick():
    """`import sharnir` loads neither Numba nor SciPy nor Matplotlib; the best of three is timed."""
    heavy = ("numba", "scipy", "matplotlib", "pydantic", "h5py", "rich")
    code = f"import sys; import sharnir; print([m for m in {heavy} if m in sys.modules])"
    best = 9.0
    for _ in range(3):
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
        )
        best = min(best, time.perf_counter() - begin)
        assert done.stdout.strip() == "[]"
    assert best < 2.0  # 0.4 s on a quiet machine
