"""docs/pipeline.md names functions, sections and addresses that there are, and all addresses of the header."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import sharnir
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.all_methods import ALL_METHODS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pipeline.md").read_text(encoding="utf-8")
SOURCE = Path(sharnir.__file__).parent
WORDS = set(re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", PAGE))


def defined() -> set[str]:
    """Names of functions, classes, attributes and constants of modules in the whole package."""
    names: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
    return names


def test_every_name_exists() -> None:
    names, files = defined(), {path.name for path in SOURCE.rglob("*.py")}
    words = {word for word in WORDS if not word.endswith(".py")}
    assert len(words) > 120
    assert {word for word in words if not set(word.split(".")) <= names | set(ALL_METHODS) | {"L"}} == set()
    assert {word for word in WORDS if word.endswith(".py")} <= files


def test_every_address_of_the_header_is_described() -> None:
    rows = re.findall(r"^\| `(F_[A-Z_]+)` \|", PAGE, re.MULTILINE)
    record = {"F_PARAMS", "F_DATA"}  # of a force element, not of the header
    header = sorted(name for name in dir(L) if name.startswith("F_") and name not in record)
    assert sorted(rows) == header
    assert len(header) == 18
