"""Kernels that several processes compile in advance: each by one of them, and a process that fails is noticed."""

from __future__ import annotations

import pytest

from sharnir.kernel import PLAIN
from sharnir.kernel.mode import LIBRARY
from sharnir.kernel.storage import warmup

SMALL = ["integrate.explicit.runge_kutta_step.restart", "integrate.implicit.radau_step.restart"]
compiles = pytest.mark.skipif(PLAIN or LIBRARY is not None, reason="nothing is to be compiled")


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_every_name_is_given_once_and_neighbours_together(count):
    names = [str(k) for k in range(20)]
    shares = warmup.Shares(names, count)
    firsts = [shares.next(k) for k in range(count)]
    assert firsts == [names[20 * k // count] for k in range(count)]
    rest = [shares.next(0) for _ in range(20 - count)]
    assert rest[: 20 // count - 1] == names[1 : 20 // count]  # its own, in order, before those of others
    assert sorted([*firsts, *rest], key=int) == names
    assert [shares.next(k) for k in range(count)] == [None] * count


@compiles
def test_two_processes_compile_what_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("SHARNIR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warmup, "USUAL", SMALL)
    found = list(warmup.warm_up(jobs=2))
    assert {name for name, _, _ in found} == {f"sharnir.{name}" for name in SMALL}
    assert [numbers for _, *numbers in found] == [[1, 2], [2, 2]]
    assert len(list(tmp_path.rglob("*.nbc"))) == 2


@compiles
def test_a_process_that_fails_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setenv("SHARNIR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warmup, "USUAL", ["integrate.no_such_file.restart"])
    with pytest.raises(RuntimeError, match="has failed"):
        list(warmup.warm_up())
