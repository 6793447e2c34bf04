"""Runs that write as they go: the same result, what a killed process leaves, memory that does not grow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import FileError, ModelError, SimulationError
from sharnir.results.journal import Journal, read_journal

pytest.importorskip("h5py")
SOURCE = Path(sr.__file__).parent.parent


def chain(count: int = 2, **options) -> sr.Model:
    m = sr.Model("chain")
    for k in range(count):
        m.add(sr.Body(f"b{k}", mass=1, inertia=(0.1, 0.1, 0.1), position=(k + 1, 0, 0)))
        m.add(sr.Revolute(f"j{k}", f"b{k - 1}" if k else "ground", f"b{k}", at=(k, 0, 0), axis="y", **options))
    return m


def with_events() -> sr.Model:
    """Changes of structure, a delay, a filter, a counted event: channels come and go."""
    m = chain()
    m.add(sr.Delay("late", "j0.q", time=0.05), sr.LowPass("soft", "j1.v", time_constant=0.02))
    m.add(sr.Event("hold", at=0.2, actions=sr.Lock("j1")), sr.Event("go", at=0.4, actions=sr.Unlock("j1")))
    m.add(sr.Event("cut", at=0.6, actions=sr.Release("j1")), sr.Event("seen", "j0.v > 1"))
    return m


def loop() -> sr.Model:
    m = sr.Model("rocker")
    m.add(sr.Body("crank", mass=1, inertia=(1, 1, 1), position=(0.5, 0, 0)), sr.Body("rod", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y"), sr.Revolute("A", "crank", "rod", at=(1, 0, 0), axis="y"))
    m.add(sr.Distance("stay", "rod", "ground", at_a=(1, 0, 1), at_b=(0, 0, 2)))
    return m


def driven() -> sr.Model:
    m = sr.Model("driven")
    m.add(sr.Body("arm", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y", motion="2*t"))
    return m


MODELS = {"plain": chain, "events": with_events, "loop": loop, "driven": driven}


@pytest.fixture(params=[(1 << 22, 5.0), (1 << 12, 0.0)], ids=["large blocks", "small blocks"])
def blocks(request, monkeypatch):
    """Blocks as they are, and so small that many are written while the run goes on."""
    monkeypatch.setattr("sharnir.simulate.file_run.BLOCK_BYTES", request.param[0])
    monkeypatch.setattr("sharnir.simulate.file_run.PATIENCE", request.param[1])
    monkeypatch.setattr("sharnir.simulate.events.event_run.CHUNK_SECONDS", 1e-4 if request.param[1] == 0.0 else 0.1)


def assert_same(a: sr.Result, b: sr.Result, rtol: float = 0.0) -> None:
    assert a.channels == b.channels
    for name in ("t", *a.channels):
        largest = np.nanmax(np.abs(a[name]), initial=0.0)
        np.testing.assert_allclose(b[name], a[name], rtol=0.0, atol=rtol * largest, err_msg=name)
        assert a.unit(name) == b.unit(name)
    assert (a.title, a.scene, a.failure) == (b.title, b.scene, b.failure)
    assert repr(a.events) == repr(b.events)
    assert {**a.stats, "seconds": 0} == {**b.stats, "seconds": 0}


@pytest.mark.parametrize("name", MODELS)
def test_the_file_holds_what_the_result_would(tmp_path, blocks, name):
    path = tmp_path / "run.h5"
    plain = MODELS[name]().simulate(1.0, output=0.002)
    written = MODELS[name]().simulate(1.0, output=0.002, file=path)
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]  # no journal is left
    for found in (written, sr.Result.load(path)):
        assert_same(plain, found)
    saved = plain.save(tmp_path / "saved.h5")
    assert_same(sr.Result.load(saved), written)


def test_flexible_bodies(tmp_path, blocks):
    import flexible_mechanisms

    plain = flexible_mechanisms.pendulum().simulate(0.05)
    written = flexible_mechanisms.pendulum().simulate(0.05, file=tmp_path / "run.h5")
    assert_same(plain, written, rtol=1e-14)  # products of matrices round by their sizes
    body = next(iter(plain.flexible))
    np.testing.assert_allclose(plain.displacements(body, 0.05), written.displacements(body, 0.05), rtol=1e-14)


def test_a_run_that_fails_is_in_the_file(tmp_path, blocks):
    m = chain()
    m.add(sr.Force("f", "b1", ("sqrt(0.5 - t)", 0, 0)))
    with pytest.raises(SimulationError, match="not a number") as caught:
        m.simulate(1.0, file=tmp_path / "run.h5")
    again = sr.Result.load(tmp_path / "run.h5")
    assert len(again.t) == 250
    assert again.failure
    assert "0.5" in again.failure
    assert_same(caught.value.result, again)


def test_stop_and_interruption(tmp_path):
    m = chain()
    m.add(sr.Event("end", "j0.q > 0.3", sr.Stop("far enough")))
    written = m.simulate(5.0, file=tmp_path / "run.h5")
    assert written.stats["stopped"] == "far enough"
    assert written["j0.q"][-1] == pytest.approx(0.3, abs=1e-9)
    plain = chain()
    plain.add(sr.Event("end", "j0.q > 0.3", sr.Stop("far enough")))
    assert_same(plain.simulate(5.0), written)


def test_kill_9_leaves_what_was_computed(tmp_path):
    """The journal ends with the last whole block, and is read by the name of the result file."""
    path = tmp_path / "run.h5"
    script = textwrap.dedent(f"""
        import sys
        sys.path[:0] = [{str(SOURCE)!r}, {str(Path(__file__).parent.parent)!r}]
        import sharnir.simulate.file_run as file_run
        file_run.PATIENCE = 0.1
        from simulate.test_file_run import chain
        chain().simulate(1e6, output=0.01, integrator="dopri5", file={str(path)!r})
    """)
    process = subprocess.Popen([sys.executable, "-c", script])
    part, deadline = tmp_path / "run.h5.part", time.monotonic() + 600
    while time.monotonic() < deadline and not (part.exists() and part.stat().st_size > 300_000):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not path.exists()
    found = sr.Result.load(path)
    assert len(found.t) > 100
    assert "interrupted" in found.failure
    assert not found.complete
    np.testing.assert_allclose(found["energy.total"], found["energy.total"][0], atol=1e-4)
    np.testing.assert_allclose(np.diff(found.t), 0.01, atol=1e-9)
    assert_equal_files(found, sr.Result.load(found.save(tmp_path / "kept.h5")))


def assert_equal_files(a: sr.Result, b: sr.Result) -> None:
    assert a.channels == b.channels
    for name in ("t", *a.channels):
        np.testing.assert_array_equal(a[name], b[name])


def test_any_damage_of_a_journal_costs_the_rest_only(tmp_path):
    path, t = tmp_path / "run.h5.part", np.linspace(0.0, 1.0, 50)
    journal = Journal(path, "motion")
    for k in range(5):
        journal.append([sr.Channel("a.q", t + k, "rad"), sr.Channel("a.p", np.outer(t, [1, 2, 3]), "m")], t + k)
    journal.close()
    whole, rng = path.read_bytes(), np.random.default_rng(3)
    assert len(read_journal(path).t) == 250
    for k in range(60):
        damaged = bytearray(whole)
        if k % 2:
            damaged = damaged[: rng.integers(len(whole))]
        else:
            damaged[rng.integers(len(whole))] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            found = read_journal(path)
        except FileError:  # the very beginning is damaged
            continue
        n = len(found.t)
        assert n % 50 == 0
        if n:
            np.testing.assert_array_equal(found["a.q"], np.concatenate([t + k for k in range(5)])[:n])


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "run.h5"
    chain().simulate(0.1, file=path)
    old = path.read_bytes()
    journal = Journal(tmp_path / "run.h5.part", "unfinished")
    journal.append([sr.Channel("a.q", np.zeros(3), "rad")], np.arange(3.0))
    assert path.read_bytes() == old
    with pytest.warns(UserWarning, match=r"run\.h5\.part"):
        assert sr.Result.load(path).title == "chain"
    assert sr.Result.load(tmp_path / "run.h5.part").title == "unfinished"
    if sys.platform != "win32":
        with pytest.raises(FileError, match="another run is writing"):
            chain().simulate(0.1, file=path)
    journal.close()


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes are limited by the operating system")
def test_a_full_disk_ends_the_run_in_words(tmp_path):
    script = textwrap.dedent(f"""
        import resource, signal, sys
        sys.path[:0] = [{str(SOURCE)!r}, {str(Path(__file__).parent.parent)!r}]
        import sharnir as sr
        from simulate.test_file_run import chain
        chain().simulate(0.1)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        try:
            chain().simulate(10.0, output=0.001, file={str(tmp_path / "run.h5")!r})
        except sr.FileError as error:
            assert "make room" in str(error), error
        else:
            raise AssertionError
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(sr.Result.load(tmp_path / "run.h5.part").t) >= 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_memory_does_not_grow_with_the_outputs(tmp_path):
    """2·10⁵ outputs of 80 numbers are 130 MB of channels; the process takes a fraction of that."""
    script = textwrap.dedent(f"""
        import resource, sys
        sys.path[:0] = [{str(SOURCE)!r}, {str(Path(__file__).parent.parent)!r}]
        from simulate.test_file_run import chain
        chain().simulate(1.0, output=0.01, integrator="dopri5", file={str(tmp_path / "a.h5")!r})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        chain().simulate(2e3, output=0.01, integrator="dopri5", tolerance=1e-5, file={str(tmp_path / "b.h5")!r})
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert os.path.getsize(tmp_path / "b.h5") > 120e6  # noqa: PTH202
    assert int(done.stdout) < 100  # MB


def test_wrong_files_are_refused_before_the_run(tmp_path):
    with pytest.raises(ModelError, match=r"suffix \.h5"):
        chain().simulate(1.0, file=tmp_path / "run.csv")
    with pytest.raises(ModelError, match="must be the name of a file"):
        chain().simulate(1.0, file=3)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        chain().simulate(1.0, file=tmp_path / "file" / "run.h5")


def test_the_command_line_writes_as_it_goes(tmp_path):
    from typer.testing import CliRunner

    from sharnir.app.cli import app

    chain().save(tmp_path / "chain.toml", {"t_end": 0.5})
    done = CliRunner().invoke(app, ["run", str(tmp_path / "chain.toml"), "--file", str(tmp_path / "chain.h5")])
    assert done.exit_code == 0, done.output
    assert_same(sr.Result.load(tmp_path / "chain.h5"), chain().simulate(0.5))


def test_a_run_that_breaks_off_leaves_events_up_to_some_time(tmp_path, monkeypatch):
    """The end of the file is never written; the journal has told of events while the run went on."""
    monkeypatch.setattr("sharnir.simulate.file_run.PATIENCE", 0.0)
    monkeypatch.setattr("sharnir.simulate.events.event_run.CHUNK_SECONDS", 1e-4)

    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sharnir.simulate.file_run.FileRun.result", broken)
    with pytest.raises(KeyboardInterrupt):
        with_events().simulate(1.0, output=0.002, file=tmp_path / "run.h5")
    found = [event["name"] for event in sr.Result.load(tmp_path / "run.h5").events]
    assert found and found == ["seen", "hold", "go", "cut"][: len(found)]


def test_blocks_are_as_large_as_they_may_be(tmp_path, monkeypatch):
    """After the first row, which tells how wide a row is, a block is full unless the run has no more for it."""
    sizes = []
    append = Journal.append

    def weighed(self, channels, t):
        sizes.append((len(t), 8 * len(t) * sum(max(1, len(x.labels)) for x in channels)))
        append(self, channels, t)

    monkeypatch.setattr(Journal, "append", weighed)
    monkeypatch.setattr("sharnir.simulate.file_run.BLOCK_BYTES", 1 << 14)
    chain().simulate(1.0, output=0.002, file=tmp_path / "run.h5")
    assert sizes[0][0] == 1 and len(sizes) > 3 and sum(n for n, _ in sizes) == 501
    assert max(size for _, size in sizes) <= 1 << 14
    assert max(size for _, size in sizes) > (1 << 14) - sizes[0][1]
