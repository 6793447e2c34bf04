"""The command `sharnir study`: the runs of a study file, a report, a page, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from sharnir.app import terminal
from sharnir.app.terminal import FAILED, INTERRUPTED
from sharnir.atomic_file import replacement
from sharnir.errors import MissingExtraError
from sharnir.studies.study_file import load_study
from sharnir.studies.study_result import StudyResult

PICTURES, TABLES = (".png", ".svg", ".pdf"), (".csv", ".parquet")


@dataclass(frozen=True)
class StudyOrder:
    """What a user asks for; what is given here goes before the file."""

    source: Path
    store: Path | None
    resume: bool
    page: Path | None
    outputs: list[Path]
    executor: str | None
    workers: int | None
    allow_outside: bool
    quiet: bool


def run_study(order: StudyOrder) -> int:
    """Make the runs and write what is asked for; the exit code."""
    for path in order.outputs:
        if path.suffix.lower() not in (*PICTURES, *TABLES):
            known = ", ".join((*TABLES, *PICTURES))
            raise typer.BadParameter(f"{path}: the suffix must be one of {known}", param_hint="--output")
    read = load_study(order.source, order.allow_outside)
    store = order.store or read.store
    with executor_named(order.executor or read.executor) as executor:
        given: dict[str, Any] = {
            "workers": order.workers or read.workers,
            "store": store,
            "resume": order.resume and store is not None,
        }
        result = read.study.run(executor=executor, progress=False if order.quiet else None, **given)
    written = list(order.outputs)
    for path in order.outputs:
        write(result, path)
    if order.page is not None:
        written.append(result.page(order.page))
    if not order.quiet:
        terminal.plain(result.report())
        for path in ([] if store is None else [store]) + written:
            terminal.plain(f"written: {path}")
    if not result.complete:
        return INTERRUPTED
    return FAILED if len(result.failures) == len(result) else 0


@contextmanager
def executor_named(name: str | None) -> Iterator[Any]:
    """What `Study.run` takes as executor: None, "processes", or a client of Dask for the address of its scheduler."""
    if name in (None, "threads", "processes"):
        yield None if name == "threads" else name
        return
    assert name is not None
    if "://" not in name:
        message = f"{name!r} must be threads, processes, or an address such as tcp://node:8786"
        raise typer.BadParameter(message, param_hint="--executor")
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("dask", f"executor {name}") from None
    with Client(name) as client:
        yield client


def write(result: StudyResult, path: Path) -> None:
    """A table or a picture, by the suffix."""
    if path.suffix.lower() in PICTURES:
        result.plot(path=path)
        return
    table = result.to_pandas()
    with replacement(path) as new:
        if path.suffix.lower() == ".csv":
            table.to_csv(new)
        else:
            table.to_parquet(new)
