"""The store: read while it grows, whole after a kill, continued without a run twice, refused where it is another's."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from sharnir.studies.prepared_runs import BlockOutcome
from sharnir.studies.study_store import StudyStore, columns_of
from studies.falling_stones import slow_end, study

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = """
from studies.falling_stones import slow_end, study
study(outputs={"end": slow_end, "speed": "max(abs(rail.v))"}).run(store="study.db", block=2)
"""


def test_a_killed_study_leaves_whole_blocks_and_goes_on(tmp_path):
    paths = os.pathsep.join([str(TESTS), *(path for path in sys.path if path)])
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths})
    store = tmp_path / "study.db"
    made = 0
    while made < 6:  # reads while another process writes
        assert process.poll() is None
        time.sleep(0.02)
        try:
            made = int(sr.StudyResult.load(store).finished.sum())
        except (sr.FileError, OSError):
            continue  # there is no table yet
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = sr.StudyResult.load(store)
    assert 6 <= int(before.finished.sum()) < 24
    assert before.finished.reshape(-1, 2).all(axis=1).sum() == before.finished.sum() / 2
    assert np.isnan(before["end"][~before.finished]).all()
    given = study(outputs={"end": slow_end, "speed": "max(abs(rail.v))"})
    told = []
    after = given.run(store=store, resume=True, block=2, progress=told.append)
    assert len(told) == (24 - before.finished.sum()) / 2
    assert after.complete
    whole = given.run()
    for name in ("h", "end", "speed"):
        np.testing.assert_array_equal(after[name], whole[name])
        np.testing.assert_array_equal(sr.StudyResult.load(store)[name], whole[name])


def test_what_is_there_is_not_made_again(tmp_path):
    first = study().run(store=tmp_path / "study.db")
    told = []
    again = study().run(store=tmp_path / "study.db", resume=True, progress=told.append)
    assert told == []
    np.testing.assert_array_equal(first["end"], again["end"])
    assert again.units == first.units


def test_a_run_cannot_be_there_twice(tmp_path):
    store = StudyStore.created(tmp_path / "study.db", {"digest": "d", "names": ["k"], "outputs": ["y"], "runs": 3})
    for value in (1.0, 2.0):
        store.add(
            BlockOutcome(np.array([0, 2]), np.array([[value], [np.nan]]), {2: "why"}, {0: "look"}), np.array([[5.0], [6.0]])
        )
    runs, rows, values, failures, warned = store.finished()
    assert (runs.tolist(), rows.tolist(), failures, warned) == ([0, 2], [[5.0], [6.0]], {2: "why"}, {0: "look"})
    np.testing.assert_array_equal(values, [[1.0], [np.nan]])


def test_numbers_come_back_to_the_last_bit(tmp_path):
    store = StudyStore.created(tmp_path / "study.db", {"digest": "d", "names": [], "outputs": ["y"], "runs": 1000})
    values = np.frombuffer(np.random.default_rng(0).bytes(8000)).reshape(-1, 1).copy()
    values[~np.isfinite(values)] = 3.0
    values[:4, 0] = [1e300, 5e-324, 2.0**53 + 2, np.inf]
    store.add(BlockOutcome(np.arange(1000), values), np.zeros((1000, 0)))
    assert store.finished()[2].tobytes() == values.tobytes()


def test_anyone_can_ask_the_file(tmp_path):
    result = study().run(store=tmp_path / "study.db")
    connection = sqlite3.connect(tmp_path / "study.db")
    assert connection.execute('SELECT count(*), max("end"), max("rail.v") FROM runs').fetchone() == (24, result["end"].max(), 0.5)
    connection.close()


def test_names_that_differ_in_capitals_only():
    assert columns_of(["m", "M", 'a"b', "failure"]) == ['"m"', '"M_2"', '"a""b"', '"failure_2"']


def test_stores_that_are_refused(tmp_path):
    study().run(store=tmp_path / "study.db")
    with pytest.raises(sr.ModelError, match="exists already; continue it with resume=True"):
        study().run(store=tmp_path / "study.db")
    with pytest.raises(sr.ModelError, match=r"is the store of another study \(t_end: 0.5 there, 0.25 here\)"):
        study(t_end=0.25).run(store=tmp_path / "study.db", resume=True)
    with pytest.raises(sr.ModelError, match="its model, settings, values or version differ"):
        study(tolerance=1e-5).run(store=tmp_path / "study.db", resume=True)
    (tmp_path / "text.db").write_text("no database, but long enough to be read as one" * 99)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE mine (x)")
    for name in ("text.db", "other.db"):
        with pytest.raises(sr.FileError, match="is not the store of a study"):
            study().run(store=tmp_path / name, resume=True)
    with pytest.raises(sr.MissingFileError, match="there is no such store"):
        sr.StudyResult.load(tmp_path / "nothing.db")
