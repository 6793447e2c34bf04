"""Kernels on disk that are damaged, or were compiled for something else: they are compiled again, without a word to the user."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sharnir.kernel import PLAIN
from sharnir.kernel.storage import cache_file
from sharnir.kernel.storage.cache_file import sealed, unsealed

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled in plain Python")
SOURCE = Path(cache_file.__file__).parents[3]
KERNELS = """
import numpy as np
from sharnir.kernel import Pointer, address, doubles, entry

@entry
def double(x):
    doubles(address(x))[0] *= 2.0

@entry
def count(n):
    return n + 1
"""


class Bench:
    """A file with kernels, a cache folder for it, and how often something was compiled."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.script, self.folder, self.compiled = folder / "kernels.py", folder / "kept", 0
        self.script.write_text(KERNELS)
        monkeypatch.setenv("SHARNIR_CACHE_DIR", str(self.folder))
        monkeypatch.setattr("sharnir.kernel.storage.numba_cache.announce_compilation", self.note)

    def note(self, name: str) -> None:
        self.compiled += 1

    def run(self) -> int:
        """Load the file as a new process would, call its kernels; how many were compiled."""
        before = self.compiled
        spec = importlib.util.spec_from_file_location("kernels", self.script)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        x = np.ones(1)
        module.double(x)
        assert x[0] == 2.0
        assert module.count(3) == 4
        assert module.count(0.5) == 1.5
        return self.compiled - before

    def files(self, suffix: str) -> list[Path]:
        return sorted(self.folder.rglob(f"*{suffix}"))


@pytest.fixture
def bench(tmp_path, monkeypatch) -> Bench:
    made = Bench(tmp_path, monkeypatch)
    assert made.run() == 3
    assert made.run() == 0
    return made


def truncate(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: rng.integers(0, len(data))]


def garble(data: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.integers(0, len(data)))
    return data[:place] + bytes([data[place] ^ int(rng.integers(1, 256))]) + data[place + 1 :]


def scramble(data: bytes, rng: np.random.Generator) -> bytes:
    return rng.bytes(len(data))


def empty(data: bytes, rng: np.random.Generator) -> bytes:
    return b""


def another_object(data: bytes, rng: np.random.Generator) -> bytes:
    """What is whole, but no kernel."""
    return sealed(pickle.dumps("something else"))


def as_numba_writes(data: bytes, rng: np.random.Generator) -> bytes:
    return data[len(cache_file.MAGIC) + cache_file.DIGEST :]


@pytest.mark.parametrize("damage", [truncate, garble, scramble, empty, another_object, as_numba_writes])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.sample(3)
def test_damaged_files_heal(bench: Bench, suffix: str, damage: Callable[..., bytes]):
    rng = np.random.default_rng(7)
    for _ in range(3):
        for path in bench.files(suffix):
            path.write_bytes(damage(path.read_bytes(), rng))
        assert bench.run() == 3
        assert bench.run() == 0


def test_every_single_bit_counts(tmp_path):
    path, whole = tmp_path / "a.nbc", sealed(b"machine code")
    for k in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[k // 8] ^= 1 << k % 8
        path.write_bytes(changed)
        assert unsealed(path) is None


def test_a_folder_in_the_place_of_a_file(bench: Bench):
    for path in bench.files(".nbc") + bench.files(".nbi"):
        path.unlink()
        path.mkdir()
    assert bench.run() == 3  # from memory, every time


def test_code_of_another_signature_or_processor_is_not_run(bench: Bench):
    """Two machines that share a folder may write the same name: what a file was compiled for stands inside."""
    one, two = (path for path in bench.files(".nbc") if "count" in path.name)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    assert bench.run() == 2
    assert bench.run() == 0


def test_another_processor_compiles_for_itself(bench: Bench):
    """The same folder, then a processor with fewer features: nothing of the first is taken, and both find theirs later."""
    script = bench.script.with_name("run.py")
    script.write_text(f"import runpy; m = runpy.run_path({str(bench.script)!r}); assert m['count'](3) == 4")
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert bench.run() == 0


def test_a_full_disk_or_a_folder_that_vanishes_stops_nothing(tmp_path, monkeypatch):
    bench = Bench(tmp_path, monkeypatch)

    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sharnir.kernel.storage.cache_file.CheckedCacheFile._open_for_write", full)
    assert bench.run() == 3
    assert bench.run() == 3


def test_a_folder_that_may_only_be_read_is_read(bench: Bench, monkeypatch):
    """Somebody else has filled it, for all users of a machine."""

    def refused(self):
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", refused)
    assert bench.run() == 0
    for path in bench.files(".nbc"):
        path.unlink()
    assert bench.run() == 3
    assert not bench.files(".nbc")


def test_processes_that_fill_an_empty_folder_at_once(tmp_path):
    """All compile or find what another has compiled; what is left behind is whole."""
    script = tmp_path / "kernels.py"
    script.write_text(KERNELS + "\nx = np.ones(1)\ndouble(x)\nprint(int(x[0]), count(3), count(0.5))\n")
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "SHARNIR_CACHE_DIR": str(tmp_path / "kept")}
    started = [
        subprocess.Popen([sys.executable, script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in started:
        out, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        assert out.split() == ["2", "4", "1.5"]
    kept = sorted((tmp_path / "kept").rglob("*.nb?"))
    assert len(kept) >= 5
    assert all(unsealed(path) is not None for path in kept)
    assert not list((tmp_path / "kept").rglob("*.tmp.*"))
