"""The store of a study: one SQLite file with a row for each finished run, which others may read while the study goes on.

Rows are added in transactions of whole blocks, so that whatever is killed leaves whole blocks. The number of a run is the key of
its row: nothing can be in the store twice. Reasons are in decision 34.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.arguments import file_path
from sharnir.errors import FileError, MissingFileError
from sharnir.studies.prepared_runs import BlockOutcome

FORMAT = "sharnir study 1"
AT_ONCE = 20_000  # rows that are read together
PATIENCE = 60.0  # seconds to wait for another process that is writing


class StudyStore:
    """The file of one study.

    described : what the study is: "digest", "names", "outputs", "runs", …

    >>> import tempfile
    >>> about = {"digest": "d", "names": ["k"], "outputs": ["peak"], "runs": 3}
    >>> store = StudyStore.created(tempfile.mkdtemp() + "/study.db", about)
    >>> store.add(BlockOutcome(np.array([1]), np.array([[2.5]])), np.array([[10.0]]))
    >>> [part.tolist() for part in store.finished()[:3]]
    [[1], [[10.0]], [[2.5]]]
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, described: dict[str, Any]) -> None:
        self.path, self.described, self._connection = path, described, connection
        self._columns = columns_of([*described["names"], *described["outputs"]])

    @staticmethod
    def created(path: str | PathLike[str], described: dict[str, Any]) -> StudyStore:
        """A new file."""
        name = file_path(path, "Study.run", "store")
        with _told(name):
            name.parent.mkdir(parents=True, exist_ok=True)
            connection = _connected(name)
            columns = columns_of([*described["names"], *described["outputs"]])
            listed = "".join(f"{column} REAL, " for column in columns)
            with connection:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("CREATE TABLE study (format TEXT, digest TEXT UNIQUE, described TEXT)")
                connection.execute(f"CREATE TABLE runs (run INTEGER PRIMARY KEY, {listed}failure TEXT, warning TEXT)")
                text = json.dumps(described, ensure_ascii=False)
                connection.execute("INSERT INTO study VALUES (?, ?, ?)", (FORMAT, described["digest"], text))
        return StudyStore(name, connection, described)

    @staticmethod
    def opened(path: str | PathLike[str]) -> StudyStore:
        """A file that is there, whether or not somebody writes to it."""
        name = file_path(path, "study", "store")
        if not name.is_file():
            raise MissingFileError(f"{name}: there is no such store; check the name and the folder")
        with _told(name):
            connection = _connected(name)
            connection.execute("PRAGMA synchronous=NORMAL")
            kind, text = connection.execute("SELECT format, described FROM study").fetchone() or ("", "")
            if kind != FORMAT:
                raise sqlite3.DatabaseError
        return StudyStore(name, connection, json.loads(text))

    def add(self, outcome: BlockOutcome, rows: np.ndarray) -> None:
        """The runs of a block, all or none of them; those that are there already stay."""
        numbers = np.hstack([rows, outcome.values]).tolist()
        places = ", ".join("?" * (len(self._columns) + 3))
        lines = (
            (run, *values, outcome.failures.get(run), outcome.warnings.get(run))
            for run, values in zip(outcome.runs.tolist(), numbers, strict=True)
        )
        with _told(self.path), self._connection:
            self._connection.executemany(f"INSERT OR IGNORE INTO runs VALUES ({places})", lines)

    def finished(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[int, str], dict[int, str]]:
        """Numbers of the finished runs, their parameters, outputs, failures and warnings."""
        width, count = len(self.described["names"]), len(self._columns)
        found: list[np.ndarray] = [np.zeros((0, 1 + count))]
        failures: dict[int, str] = {}
        warned: dict[int, str] = {}
        with _told(self.path):
            cursor = self._connection.execute("SELECT * FROM runs ORDER BY run")
            while lines := cursor.fetchmany(AT_ONCE):
                found.append(np.array([line[:-2] for line in lines], dtype=float))
                failures |= {line[0]: line[-2] for line in lines if line[-2] is not None}
                warned |= {line[0]: line[-1] for line in lines if line[-1] is not None}
        table = np.vstack(found)
        return table[:, 0].astype(np.int64), table[:, 1 : 1 + width], table[:, 1 + width :], failures, warned

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def columns_of(names: Sequence[str]) -> list[str]:
    """Names of columns, quoted: SQL does not distinguish capitals, so that some get a number.

    >>> columns_of(["m", "M", "O.q", "run"])
    ['"m"', '"M_2"', '"O.q"', '"run_2"']
    """
    taken, found = {"run", "failure", "warning"}, []
    for name in names:
        free, count = name, 1
        while free.lower() in taken:
            count += 1
            free = f"{name}_{count}"
        taken.add(free.lower())
        found.append('"' + free.replace('"', '""') + '"')
    return found


def _connected(name: Path) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=PATIENCE, isolation_level="IMMEDIATE", check_same_thread=False)


@contextmanager
def _told(name: Path) -> Iterator[None]:
    """Errors of the database in words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            raise FileError(f"{name}: is not the store of a study; name another file") from None
        raise FileError(f"{name}: cannot be read or written: {error}; check the path, its permissions and the disk") from error
    except sqlite3.DatabaseError as error:
        raise FileError(f"{name}: is not the store of a study ({error or 'another format'}); name another file") from error
    except OSError as error:
        raise FileError(f"{name}: cannot be written: {error.strerror}; check the path and its permissions") from error
