"""Functions can be read at a glance: at most 60 lines, docstrings not counted."""

from __future__ import annotations

import ast
from pathlib import Path

import sharnir

SOURCE = Path(sharnir.__file__).parent
AT_MOST = 60


def lines_of(function: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    described = ast.get_docstring(function) is not None
    first = function.body[0]
    text = (first.end_lineno or first.lineno) - first.lineno + 1 if described else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - text


def test_lines_are_counted_without_the_docstring() -> None:
    function = ast.parse('def f():\n    """One\n    two."""\n    a = 1\n    return a\n').body[0]
    assert isinstance(function, ast.FunctionDef)
    assert lines_of(function) == 3


def test_functions_are_short() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        functions = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)]
        found += [(f"{path.relative_to(SOURCE)}: {f.name}", lines_of(f)) for f in functions]
    assert len(found) > 4000
    assert [(name, count) for name, count in found if count > AT_MOST] == []
