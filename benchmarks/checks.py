"""A measured number beside its target: printed, and written to the documentation."""

from __future__ import annotations

import math
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
    """The checks as a table of a Markdown page."""
    lines = ["| task | quantity | measured | target | |", "|---|---|---:|---:|---|"]
    for c in checks:
        note = f"{c.verdict}; {c.note}" if c.note else c.verdict
        lines.append(f"| {c.task} | {c.what} | {c.shown} | {c.wanted} | {note} |")
    return "\n".join(lines)
