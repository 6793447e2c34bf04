"""A progress bar for long runs at a terminal; scripts and pipes stay quiet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from sharnir.arguments import shown
from sharnir.errors import ModelError

PATIENCE = 1.0  # seconds before a bar appears


@contextmanager
def progress_bar(wanted: bool | Callable[[float], None] | None, title: str) -> Iterator[Callable[[float], None] | None]:
    """Yields a function of the part done, or None. `wanted`: True, False, None (terminals only) or your own function."""
    if callable(wanted) and not isinstance(wanted, type):
        yield wanted
        return
    if not (wanted is None or isinstance(wanted, bool)):
        raise ModelError(f"progress = {shown(wanted)} must be True, False, None or a function of the part done", field="progress")
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield None
        return
    bar = _Bar(title, 0.0 if wanted else PATIENCE)
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A rich bar that appears when the run has taken a while."""

    takes_notes = True  # `show` may be given words beside the part done

    def __init__(self, title: str, patience: float) -> None:
        self.title, self.patience, self.begin = title, patience, perf_counter()
        self.bar: Any = None

    def __call__(self, fraction: float, note: str = "") -> None:
        if self.bar is None:
            if perf_counter() - self.begin < self.patience:
                return
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task(self.title, total=1.0)
        self.bar.update(self.task, completed=fraction, description=f"{self.title}: {note}" if note else self.title)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
