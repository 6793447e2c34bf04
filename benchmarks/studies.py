"""Studies: runs per second in this process and in processes, and stores for a million runs with ten outputs; prints only.

    python benchmarks/studies.py [--runs 2000] [--rows 1000000]

Stores: CPU time of writing blocks of 1000 runs, 14 numbers each, and of reading all of them. The first line is the store
that studies have (`StudyStore`); the others are as simple as they can be here.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

import sharnir as sr
from sharnir.studies.prepared_runs import BlockOutcome
from sharnir.studies.study_store import StudyStore

PARAMETERS, OUTPUTS, BLOCK = 4, 10, 1000
WIDTH = PARAMETERS + OUTPUTS


def double_pendulum() -> sr.Model:
    """Two rods with friction; lengths and density are parameters."""
    m = sr.Model("double pendulum", parameters={"l": 0.5, "rho": 3.0, "c": 0.02})
    rod = {"mass": "rho*l", "inertia": (0, "rho*l^3/12", "rho*l^3/12")}
    m.add(sr.Body("upper", position=("l/2", 0, 0), **rod), sr.Body("lower", position=("3*l/2", 0, 0), **rod))
    m.add(sr.Revolute("O", "ground", "upper", at=(0, 0, 0), axis="y", damping="c"))
    m.add(sr.Revolute("A", "upper", "lower", at=("l", 0, 0), axis="y", damping="c"))
    return m


def rates(runs: int) -> None:
    """Runs per second of one study, in alternation."""
    study = sr.Study(
        double_pendulum(),
        parameters={"l": sr.Uniform(0.3, 0.6), "rho": sr.Normal(3.0, 0.1), "O.v": sr.Uniform(0.0, 2.0)},
        outputs={"peak": "max(abs(O.reaction.fx))", "speed": "rms(A.v)"},
        t_end=2.0,
        step=0.02,
        runs=runs,
    )
    study.run()  # kernels
    print(f"double pendulum, 2 s, 101 outputs, two reduced: {runs} runs")
    for _ in range(2):
        for name, given in (
            ("one thread", {"workers": 1}),
            ("threads", {}),
            ("processes, their start included", {"executor": "processes"}),
        ):
            wall, cpu = perf_counter(), process_time()
            study.run(**given)
            wall, cpu = perf_counter() - wall, process_time() - cpu
            print(
                f"  {name:34s} {runs / wall:8.0f} runs/s" + ("" if "executor" in given else f", {runs / cpu:8.0f} per s of CPU")
            )


Store = tuple[Callable[[int, np.ndarray], None], Callable[[], np.ndarray]]


def study_store(folder: Path, rows: int) -> Store:
    """What studies use: a row of SQLite for each run."""
    about = {
        "digest": "d",
        "names": [f"p{k}" for k in range(PARAMETERS)],
        "outputs": [f"y{k}" for k in range(OUTPUTS)],
        "runs": rows,
    }
    store = StudyStore.created(folder / "study.db", about)

    def write(first: int, part: np.ndarray) -> None:
        store.add(BlockOutcome(np.arange(first, first + len(part)), part[:, PARAMETERS:]), part[:, :PARAMETERS])

    return write, lambda: np.hstack(store.finished()[1:3])


def sqlite_blobs(folder: Path, rows: int) -> Store:
    """A block of bytes of SQLite for each block of runs."""
    connection = sqlite3.connect(folder / "blobs.db")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE parts (first INTEGER PRIMARY KEY, part BLOB)")

    def write(first: int, part: np.ndarray) -> None:
        with connection:
            connection.execute("INSERT INTO parts VALUES (?, ?)", (first, part.tobytes()))

    def read() -> np.ndarray:
        parts = connection.execute("SELECT part FROM parts ORDER BY first")
        return np.concatenate([np.frombuffer(part).reshape(-1, WIDTH) for (part,) in parts])

    return write, read


def parquet_parts(folder: Path, rows: int) -> Store:
    """A file of Parquet for each block of runs."""
    import pyarrow
    import pyarrow.parquet

    def write(first: int, part: np.ndarray) -> None:
        file, new = folder / f"part-{first:09d}.parquet", folder / "new"
        pyarrow.parquet.write_table(pyarrow.table({f"c{k}": part[:, k] for k in range(WIDTH)}), new)
        new.replace(file)

    def read() -> np.ndarray:
        tables = [pyarrow.parquet.read_table(file) for file in sorted(folder.glob("*.parquet"))]
        whole = pyarrow.concat_tables(tables)
        return np.column_stack([whole[name].to_numpy() for name in whole.column_names])

    return write, read


def hdf5_single_writer(folder: Path, rows: int) -> Store:
    """One dataset of HDF5 that grows, in the mode in which others may read it (SWMR)."""
    import h5py

    file = h5py.File(folder / "study.h5", "w", libver="latest")
    data = file.create_dataset("runs", (0, WIDTH), maxshape=(None, WIDTH), chunks=(BLOCK, WIDTH), dtype="f8")
    file.swmr_mode = True

    def write(first: int, part: np.ndarray) -> None:
        data.resize(first + len(part), axis=0)
        data[first:] = part
        file.flush()

    return write, lambda: data[:]


def zarr_chunks(folder: Path, rows: int) -> Store:
    """One array of Zarr, a file for each block of runs."""
    import zarr

    array = zarr.create_array(str(folder / "study.zarr"), shape=(rows, WIDTH), chunks=(BLOCK, WIDTH), dtype="f8")

    def write(first: int, part: np.ndarray) -> None:
        array[first : first + len(part)] = part

    return write, lambda: array[:]


def stores(rows: int) -> None:
    """Writing and reading, CPU time."""
    table = np.random.default_rng(0).normal(size=(rows, WIDTH))
    print(f"{rows} runs of {PARAMETERS} parameters and {OUTPUTS} outputs, blocks of {BLOCK}")
    for make in (study_store, sqlite_blobs, parquet_parts, hdf5_single_writer, zarr_chunks):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            try:
                write, read = make(folder, rows)
            except ImportError as error:
                print(f"  {make.__name__:20s} left out: {error}")
                continue
            begin = process_time()
            for first in range(0, rows, BLOCK):
                write(first, table[first : first + BLOCK])
            middle = process_time()
            assert np.array_equal(read(), table)
            end = process_time()
            files = [Path(where) / file for where, _, names in os.walk(folder) for file in names]
            size = sum(file.stat().st_size for file in files) / 1e6
            times = f"write {middle - begin:5.2f} s, read {end - middle:5.2f} s"
            print(f"  {make.__name__:20s} {times}, {size:4.0f} MB, {len(files)} files")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=10**6)
    options = parser.parse_args()
    rates(options.runs)
    stores(options.rows)
