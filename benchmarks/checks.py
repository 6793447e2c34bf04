"""A measured number beside its target: printed, and written to the documentation."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """`value` should be at most (or at least) `target`; None: not measured, `note` says why."""

    task: str
    what: str
    value: float | None
    target: float
    at_most: bool = True
    note: str = ""

    @property
    def verdict(self) -> str:
        """PASS, MISS, or "not measured"."""
        if self.value is None or math.isnan(self.value):
            return "not measured"
        met = self.value <= self.target if self.at_most else self.value >= self.target
        return "PASS" if met else "MISS"

    @property
    def shown(self) -> str:
        """The value as text."""
        return "–" if self.value is None else f"{self.value:.3g}"

    @property
    def wanted(self) -> str:
        """The target as text."""
        return f"{'≤' if self.at_most else '≥'} {self.target:g}"


def print_checks(checks: Iterable[Check]) -> None:
    """One line per check."""
    for c in checks:
        note = f"   ({c.note})" if c.note else ""
        print(f"{c.verdict:>12}  {c.task}, {c.what}: {c.shown} (target {c.wanted}){note}")


def markdown_table(checks: Iterable[Check]) -> str:
    """The checks as a table of a Markdown page; notes are numbered and follow below it, so that rows stay short."""
    lines, notes = ["| task | quantity | measured | target | |", "|---|---|---:|---:|---|"], []
    for c in checks:
        if c.note and c.note not in notes:
            notes.append(c.note)
        verdict = f"{c.verdict} ({notes.index(c.note) + 1})" if c.note else c.verdict
        lines.append(f"| {c.task} | {c.what} | {c.shown} | {c.wanted} | {verdict} |")
    if notes:
        lines += ["", "Notes:", ""]
        lines += [wrapped(f"{number}. {note}", " " * len(f"{number}. ")) for number, note in enumerate(notes, 1)]
    return "\n".join(lines)


def wrapped(text: str, indent: str = "") -> str:
    """Text in lines that fit a Markdown page."""
    return textwrap.fill(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
