"""Kernels that come compiled: the same numbers as those that Numba compiles now, and never those of other sources."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from sharnir.dynamics.evaluation import python_entries
from sharnir.dynamics.sparse import symbolic_factorization
from sharnir.integrate.stepping import step_loop
from sharnir.kernel import PLAIN, deferred
from sharnir.kernel.storage import ahead_of_time, library
from sharnir.kernel.storage.library import Level, Library, symbol

POSTORDER = "sharnir.dynamics.sparse.symbolic_factorization.update_postorder"
NEEDS_COMPILER = [
    pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="cc (a C compiler, for its linker) is not installed"),
]


@pytest.fixture(scope="module")
def small_library(tmp_path_factory):
    """A library with a few kernels, compiled for this very processor, as Numba does it when kernels are needed."""
    from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

    from sharnir.kernel.signatures import entry_signature
    from sharnir.kernel.storage.inventory import Kernel
    from sharnir.kernel.storage.object_code import object_code

    folder = tmp_path_factory.mktemp("kernels")
    functions = [
        getattr(f, "py_func", f)
        for f in (symbolic_factorization.update_postorder, python_entries.evaluate_rates, python_entries.observe_motions)
    ]
    for function in functions:
        kernel = Kernel(function, entry_signature(function))
        code = object_code(kernel, get_host_cpu_name(), get_host_cpu_features().flatten())
        (folder / f"{kernel.name}.o").write_bytes(code)
    path = folder / f"small{library.SUFFIX}"
    subprocess.run(["cc", "-shared", "-o", path, *folder.glob("*.o"), "-lm"], check=True)
    return Library(path, Level("this", 4, frozenset()))


class TestCompiledAheadOfTime:
    pytestmark = NEEDS_COMPILER

    def test_needs_nothing_of_the_compiler(self, small_library):
        """A library that was loaded by the system's loader alone has all that it calls, or calls the C library."""
        names = subprocess.run(["nm", "-D", "-u", small_library.path], capture_output=True, text=True, check=True).stdout
        assert not [line for line in names.splitlines() if any(word in line for word in ("Py", "NRT", "numba"))]

    def test_integers_and_results(self, small_library, monkeypatch):
        monkeypatch.setattr(deferred, "LIBRARY", small_library)
        ours = deferred.Entry(getattr(symbolic_factorization.update_postorder, "py_func", None))
        parent = np.array([2, 2, 4, 4, -1, -1])
        n = len(parent)
        found = [[np.zeros(n + 1, np.int64) for _ in range(4)] for _ in range(2)]
        ours(n, parent, *found[0])
        symbolic_factorization.update_postorder(n, parent, *found[1])
        assert [list(x) for x in found[0]] == [list(x) for x in found[1]]
        assert sorted(found[0][0][:n]) == list(range(n))

    def test_same_bits(self, small_library, monkeypatch):
        import sharnir as sr

        monkeypatch.setattr(deferred, "LIBRARY", small_library)
        m = sr.Model("top")
        m.add(sr.Body("b", mass=1.0, inertia=(1.0, 2.0, 3.0)), sr.Free("j", "ground", "b"))
        s = m.compile()
        ours = deferred.Entry(python_entries.evaluate_rates.py_func)
        rng = np.random.default_rng(4)
        for _ in range(20):
            q, v = rng.normal(size=s.n_q), rng.normal(size=s.n_v)
            a, b = np.zeros(s.n_q), np.zeros(s.n_q)
            ours(q, v, a, s.table, s.params)
            python_entries.evaluate_rates(q, v, b, s.table, s.params)
            assert a.tobytes() == b.tobytes()
            assert np.abs(a).max() > 0

    def test_other_arrays_are_refused(self, small_library, monkeypatch):
        monkeypatch.setattr(deferred, "LIBRARY", small_library)
        ours = deferred.Entry(symbolic_factorization.update_postorder.py_func)
        whole = np.zeros(4, np.int64)
        for wrong in (np.zeros(4), np.zeros(8, np.int64)[::2], np.zeros((2, 2), np.int64)):
            with pytest.raises(TypeError, match="a kernel got an array of"):
                ours(4, wrong, whole, whole, whole, whole)

    def test_missing_kernel(self, small_library):
        assert small_library.address(symbol(getattr(step_loop.advance, "py_func", step_loop.advance))) is None

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux compiles for another processor")
    def test_other_family_of_processors(self, tmp_path):
        """The other family's machine code, found at its name by the file's own header (ELF: machine 62 x86-64, 183 AArch64)."""
        other, number = ("x86_64", 62) if library.machine() == "arm64" else ("arm64", 183)
        cpu, features = ahead_of_time.CPUS.get(other, ("x86-64-v3", ""))
        task = ahead_of_time.AIM.format(triple=f"{ahead_of_time.GNU[other]}-unknown-linux-gnu") + (
            "import sys\nfrom sharnir.kernel.storage.inventory import kernel_named\n"
            "from sharnir.kernel.storage.object_code import object_code\n"
            f"code = object_code(kernel_named('{POSTORDER}'), '{cpu}', '{features}')\n"
            "sys.stdout.buffer.write(code)"
        )
        more = {"SHARNIR_COMPILE": "1", "SHARNIR_LANES": "4", "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": features}
        environment = os.environ | more | {"PYTHONPATH": str(library.HOUSE.parent), "SHARNIR_CACHE_DIR": str(tmp_path)}
        code = subprocess.run([sys.executable, "-c", task], env=environment, capture_output=True, check=True).stdout
        assert code[:4] == b"\x7fELF" and int.from_bytes(code[18:20], "little") == number
        assert POSTORDER.encode() in code


class TestWhichLibrary:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.setattr(library, "FOLDER", tmp_path)
        monkeypatch.setattr(library, "Library", lambda path, level: (path.name, level))
        monkeypatch.delenv("SHARNIR_COMPILE", raising=False)
        monkeypatch.delenv("SHARNIR_LANES", raising=False)
        monkeypatch.setattr(library, "machine", lambda: "x86_64")
        monkeypatch.setattr(library, "flags", lambda: library._V4 | {"sse2"})
        names = [f"{level.name}{library.SUFFIX}" for level in library.LEVELS["x86_64"]]
        for name in names:
            (tmp_path / name).write_bytes(b"code")
        digest = library.content_digest(tmp_path / names[0])
        record = {"sources": library.source_digest(), "libraries": dict.fromkeys(names, digest)}
        (tmp_path / "record.json").write_text(json.dumps(record), encoding="utf-8")
        return tmp_path

    def chosen(self):
        found = library.find_library()
        return None if found is None else found[1].name

    def test_best_level_of_the_processor(self, folder, monkeypatch):
        assert self.chosen() == "x86-64-v4"
        monkeypatch.setattr(library, "flags", lambda: library._V3)
        assert self.chosen() == "x86-64-v3"
        monkeypatch.setattr(library, "flags", lambda: frozenset({"sse2"}))
        assert self.chosen() is None

    def test_changed_source(self, folder, monkeypatch):
        assert library.is_current()
        monkeypatch.setattr(library, "source_digest", lambda: "of other sources")
        assert self.chosen() is None
        assert not library.is_current()

    @pytest.mark.parametrize("content", [b"co", b"codf", b""])
    def test_damaged_file(self, folder, content):
        (folder / f"x86-64-v4{library.SUFFIX}").write_bytes(content)
        assert self.chosen() == "x86-64-v3"
        assert not library.is_current()

    def test_missing_file(self, folder):
        (folder / f"x86-64-v4{library.SUFFIX}").unlink()
        assert self.chosen() == "x86-64-v3"

    def test_file_that_cannot_be_loaded(self, folder, monkeypatch):
        """Nothing may be executed from some file systems; another processor's library is no library here."""
        monkeypatch.setattr(library, "Library", Library)
        assert library.find_library() is None

    @pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"sources": 3}', '{"sources": "%s", "libraries": 3}'])
    def test_damaged_record(self, folder, text):
        (folder / "record.json").write_text(text.replace("%s", library.source_digest()), encoding="utf-8")
        assert self.chosen() is None

    def test_other_wishes(self, folder, monkeypatch):
        monkeypatch.setenv("SHARNIR_LANES", "4")
        assert self.chosen() == "x86-64-v3"
        monkeypatch.setenv("SHARNIR_LANES", "")
        assert self.chosen() == "x86-64-v4"
        monkeypatch.setenv("SHARNIR_COMPILE", "1")
        assert self.chosen() is None

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="two ways on Linux only")
    def test_two_ways_to_know_the_processor(self):
        for level in library.LEVELS.get(library.machine(), ()):
            assert (level.needs <= library.flags()) == (level.needs <= library.llvm_flags())

    def test_digest_sees_every_file(self, tmp_path, monkeypatch):
        for room in library.ROOMS:
            (tmp_path / room).mkdir()
        monkeypatch.setattr(library, "HOUSE", tmp_path)
        (tmp_path / "dynamics" / "a.py").write_text("x = 1\n", encoding="utf-8")
        first = library.source_digest()
        (tmp_path / "dynamics" / "a.py").write_text("x = 2\n", encoding="utf-8")
        second = library.source_digest()
        (tmp_path / "dynamics" / "b.py").write_text("", encoding="utf-8")
        assert len({first, second, library.source_digest()}) == 3


def test_names_that_need_the_compiler_wait_for_it():
    """A Deferred is made once, when it is needed, also as an argument of another one."""
    made = []

    def make():
        made.append(1)
        return lambda x: x + 1

    function = deferred.Deferred(make)
    sum_of = function(deferred.Deferred(lambda: 41))
    assert not made
    assert (sum_of.real, function.real(1), made) == (42, 2, [1])
    assert ctypes.sizeof(ctypes.c_void_p) == 8  # addresses are handed over as 64-bit numbers
