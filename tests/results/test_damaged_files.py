"""Files that lose nothing: a full disk, a kill or an exception leaves the old file; damaged ones are refused in words."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from sharnir.atomic_file import replacement, write_text
from sharnir.errors import FileError, MissingFileError, SharnirError
from sharnir.results import Channel, Result
from sharnir.results.seal import PIECE, checksum

T = np.linspace(0.0, 1.0, 2001)


def motion(scale: float = 1.0) -> Result:
    rng = np.random.default_rng(1)
    channels = [Channel(f"joint{k}.q", scale * rng.normal(size=len(T)), "rad") for k in range(20)]
    still = [Channel("arm.position", np.zeros((len(T), 3)), "m"), Channel("arm.rotation", np.tile([1.0, 0, 0, 0], (len(T), 1)))]
    return Result(T, channels + still, title="motion", stats={"steps": 7})


def pendulum() -> sr.Model:
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
    m.add(sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    return m


def reduced_beam():
    from sharnir.flexible import Section, reduce, straight_beam

    return reduce(straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4), interfaces={"root": 0}, modes=2)


def save_schema(path: Path) -> None:
    from sharnir.model.files.schema import write_schema

    write_schema(path)


WRITERS = {
    "result.csv": lambda path: motion().save(path),
    "result.h5": lambda path: motion().save(path),
    "result.parquet": lambda path: motion().save(path),
    "plot.png": lambda path: motion().plot(path=path),
    "plot.svg": lambda path: motion().plot(path=path),
    "page.html": lambda path: motion().animate(path),
    "model.toml": lambda path: pendulum().save(path),
    "schema.json": save_schema,
    "beam.npz": lambda path: reduced_beam().save(path),
    "structure.png": lambda path: pendulum().topology().draw(path),
}

LIMITED = """
import os, resource, signal, sys
sys.path[:0] = {paths!r}
from pathlib import Path
from results.test_damaged_files import WRITERS
from sharnir.errors import FileError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for name, write in WRITERS.items():
    path = Path({folder!r}) / name
    write(path)
    old, size = path.read_bytes(), path.stat().st_size
    for limit in sorted({{10, size // 3, size - 30}}):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            write(path)
        except FileError as error:
            assert name in str(error) and "make room" in str(error), error
        else:
            raise AssertionError(name)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert path.read_bytes() == old, name
        assert sorted(os.listdir({folder!r})) == sorted(n for n in WRITERS if (Path({folder!r}) / n).exists()), name
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes are limited by the operating system")
def test_a_full_disk_leaves_the_old_file_and_the_process_alive(tmp_path):
    tests = Path(__file__).parent.parent
    script = LIMITED.format(paths=[str(tests), str(tests.parent / "src")], folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # no segmentation fault at exit, too


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_or_a_missing_permission_is_said(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        WRITERS[name](folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        WRITERS[name](tmp_path / "file" / name)


def test_an_exception_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def half() -> None:
        with replacement(path) as new:
            new.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_pipes_and_devices_are_written_directly(tmp_path):
    write_text("/dev/null", "gone")
    assert not Path("/dev/null").is_file()


def test_a_kill_leaves_the_old_file(tmp_path):
    path = motion().save(tmp_path / "a.h5")
    old = path.read_bytes()
    script = textwrap.dedent(f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(sr.__file__).parent.parent)!r})
        import sharnir.results.hdf5 as hdf5
        from sharnir.results import Channel, Result
        def fatal():
            os.kill(os.getpid(), signal.SIGKILL)
        Result([0.0, 1.0], [Channel("a.q", [1.0, 2.0]), Channel("b.q", fatal)]).save({str(path)!r})
    """)
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == old


def test_a_model_that_cannot_be_written_leaves_both_files(tmp_path):
    """Python code cannot be saved; the reduced model beside the file must not have changed before that is found."""
    m = sr.Model("beam")
    m.add(sr.FlexibleBody("beam", reduced=reduced_beam()))
    m.save(tmp_path / "m.toml")
    old = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    other = sr.Model("beam")
    from sharnir.flexible import Section, reduce, straight_beam

    beam = straight_beam((0, 0, 0), (2, 0, 0), Section.round(0.02), elements=4)
    other.add(sr.FlexibleBody("beam", reduced=reduce(beam, interfaces={"root": 0}, modes=3)))
    other.add(sr.UserForce("push", ["beam"], lambda t, r, R, v, w, force, torque: None))
    with pytest.raises(SharnirError, match="Python code"):
        other.save(tmp_path / "m.toml")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == old


def test_any_damage_of_a_result_file_is_said(tmp_path):
    path = motion().save(tmp_path / "a.h5")
    whole, rng = path.read_bytes(), np.random.default_rng(2)
    for k in range(16):
        damaged = bytearray(whole)
        if k % 2:
            damaged = damaged[: rng.integers(0, len(whole) - 30)]
        else:
            place = int(rng.integers(0, len(whole) - 21))
            damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(damaged))
        with pytest.raises(FileError, match=r"a\.h5 is damaged"):
            Result.load(path)


def test_files_without_a_seal_are_tried_in_another_process(tmp_path, monkeypatch):
    """The HDF5 library may loop for ever over a damaged file, or end the process; then only the other one is lost."""
    path = motion().save(tmp_path / "a.h5")
    path.write_bytes(path.read_bytes()[:-20])
    assert Result.load(path).title == "motion"
    monkeypatch.setattr("sharnir.results.hdf5.SHORTEST_TRIAL", 0.0)
    with pytest.raises(FileError, match="never ends"):
        Result.load(path)
    monkeypatch.setattr("sharnir.results.hdf5.SHORTEST_TRIAL", 60.0)
    killer = tmp_path / "python"
    killer.write_text("#!/bin/sh\nkill -9 $$\n")
    killer.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(killer))
    with pytest.raises(FileError, match="stops the HDF5 library"):
        Result.load(path)


def test_a_file_that_another_program_extended_is_still_read(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = motion().save(tmp_path / "a.h5")
    with h5py.File(path, "a") as file:
        file["note"] = "mine"
        file.attrs["title"] = "another"
    assert Result.load(path).title == "another"


def test_large_files_are_read_channel_by_channel(tmp_path, monkeypatch):
    monkeypatch.setattr("sharnir.results.hdf5.AT_ONCE", 1000)
    path = motion().save(tmp_path / "a.h5")
    loaded = Result.load(path)
    assert not loaded.channel("joint3.q").is_computed
    motion(2.0).save(path)  # the loaded result keeps what it was loaded from
    assert loaded["joint3.q"].tobytes() == motion()["joint3.q"].tobytes()
    again = Result.load(loaded.save(tmp_path / "b.h5"))
    assert again["joint7.q"].tobytes() == motion()["joint7.q"].tobytes()
    assert not loaded.channel("joint7.q").is_computed


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(MissingFileError, match="there is no such file"):
        Result.load(tmp_path / "nowhere.h5")
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(FileError, match="not a regular file"):
        Result.load(tmp_path / "folder.h5")
    with pytest.raises(FileNotFoundError):
        Result.load(tmp_path / "nowhere.h5")


def test_checksum_of_pieces():
    """It is that of the whole, also where the file ends before the length it should have."""
    content = np.random.default_rng(0).bytes(2 * PIECE + PIECE // 2)
    assert checksum(io.BytesIO(content), len(content)) == zlib.crc32(content)
    assert checksum(io.BytesIO(content), PIECE + 7) == zlib.crc32(content[: PIECE + 7])
    assert checksum(io.BytesIO(content[:1000]), 2000) == zlib.crc32(content[:1000])
