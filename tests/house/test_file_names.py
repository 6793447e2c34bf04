"""Texts name files that there are: docstrings and comments of the package, and the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import sharnir

SOURCE = Path(sharnir.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
OF_USERS = {"my_script.py"}  # examples of what a reader may have


def test_named_files_exist() -> None:
    known = {path.name for folder in ("src", "tests", "docs", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")}
    known |= {path.name for path in ROOT.glob("*.py")} | OF_USERS
    texts = [*SOURCE.rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))]
    astray = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts
        for name in re.findall(r"\b[a-z_0-9]+\.py\b", path.read_text(encoding="utf-8"))
        if name not in known
    ]
    assert astray == []
