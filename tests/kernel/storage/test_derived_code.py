"""Code of models on disk: found again, damaged files are removed, the folder is bounded."""

import ctypes

import pytest

from sharnir.kernel import PLAIN
from sharnir.kernel.storage import derived_code

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code is not plain Python")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(derived_code, "folder", lambda: tmp_path / "derived")
    return tmp_path / "derived"


def test_what_is_stored_is_found(place):
    name = derived_code.digest_of("text", "1")
    assert derived_code.stored(name) is None
    derived_code.store(name, b"code")
    assert derived_code.stored(name) == b"code"
    assert [file.name for file in place.iterdir()] == [name]


def test_a_damaged_file_is_removed(place):
    derived_code.store("one", b"code")
    (place / "one").write_bytes((place / "one").read_bytes()[:-1] + b"x")
    assert derived_code.stored("one") is None
    assert not (place / "one").exists()


def test_the_folder_is_bounded(place, monkeypatch):
    monkeypatch.setattr(derived_code, "MOST_FILES", 8)
    for k in range(40):
        derived_code.store(f"{k}", b"code")
    assert len(list(place.iterdir())) <= 8
    assert derived_code.stored("39") == b"code"


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(derived_code, "folder", lambda: tmp_path / "file" / "derived")
    derived_code.store("one", b"code")
    assert derived_code.stored("one") is None


def test_a_module_is_compiled_once(place, monkeypatch):
    from sharnir.kernel.formulas import machine_code

    text = "@x = global [1 x double] zeroinitializer\ndefine double @f(double %x) { %y = fadd double %x, %x ret double %y }"
    compiled = []
    optimized = machine_code.optimized
    monkeypatch.setattr(machine_code, "optimized", lambda *a: (compiled.append(a), optimized(*a))[1])
    codes = [machine_code.ObjectCode(machine_code.kept_object_file(text, 1)) for _ in range(3)]
    assert len(compiled) == 1
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    assert [f(code.address_of("f"))(1.5) for code in codes] == [3.0] * 3
    codes[0].memory_of("x", ctypes.c_double, 1)[0] = 7.0
    assert codes[1].memory_of("x", ctypes.c_double, 1)[0] == 0.0  # every instance has memory of its own
