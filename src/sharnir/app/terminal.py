"""Output to a terminal or a pipe: rows, messages, texts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sharnir.atomic_file import write_text

PROBLEM, USAGE, FAILED, INTERRUPTED = 1, 2, 3, 130  # exit codes of the commands

if TYPE_CHECKING:
    from rich.console import Console

LABEL_WIDTH = 12


def console(stream: TextIO) -> Console:
    """A console that wraps at the width of a terminal, colours only there, and leaves lines alone in a pipe."""
    from rich.console import Console

    return Console(file=stream, highlight=False, soft_wrap=not stream.isatty(), emoji=False)


def say(text: str = "") -> None:
    """A line on the output, with rich's markup."""
    console(sys.stdout).print(text)


def plain(text: str) -> None:
    """Text as it is, without markup."""
    console(sys.stdout).print(text, markup=False)


def heading(title: str, text: str = "") -> None:
    """What follows belongs to this."""
    from rich.markup import escape

    say(f"[bold]{escape(title)}[/bold]{escape(': ' + text if text else '')}")


def rows(entries: list[tuple[str, str]]) -> None:
    """Labels and texts in two columns; a text of several lines stays in its column."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    screen = console(sys.stdout)
    if not sys.stdout.isatty():
        for label, text in entries:
            lines = text.splitlines() or [""]
            screen.print(Text("\n".join(f"  {label if k == 0 else '':<{LABEL_WIDTH}}{line}" for k, line in enumerate(lines))))
        return
    grid = Table.grid()
    grid.add_column(width=LABEL_WIDTH, style="cyan")
    grid.add_column(overflow="fold")
    for label, text in entries:
        grid.add_row(label, Text(text))
    screen.print(Padding(grid, (0, 0, 0, 2)))


def complain(text: str) -> None:
    """An error message."""
    from rich.markup import escape

    console(sys.stderr).print(f"[bold red]error:[/bold red] {escape(text)}")


def warn(text: str) -> None:
    """A warning that stops nothing."""
    from rich.markup import escape

    console(sys.stderr).print(f"[yellow]warning:[/yellow] {escape(text)}")


def deliver(text: str, path: Path | None) -> None:
    """Text to a file, which is said, or to the output as it is."""
    if path is None:
        sys.stdout.write(text)
        return
    write_text(path, text)
    rows([("written", str(path))])
