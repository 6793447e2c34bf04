"""A kernel has ten arguments at the most: what belongs together, such as the two sides of a contact, is one value."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import sharnir

SOURCE = Path(sharnir.__file__).parent
AT_MOST = 10
DECORATORS = {"jit", "inline", "entry"}


def name_of(node: ast.expr) -> str:
    """`jit` of `jit`, `kernel.jit` and `jit(…)`."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def kernels(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions that are decorated as kernels, and those that become a Pointer."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args and name_of(node) == "Pointer"]
    pointed = {name_of(call.args[0]) for call in calls}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [f for f in functions if f.name in pointed or any(name_of(d) in DECORATORS for d in f.decorator_list)]


@cache
def kernels_of(path: Path) -> list[ast.FunctionDef]:
    """The kernels of a file."""
    return kernels(ast.parse(path.read_text(encoding="utf-8")))


def count(function: ast.FunctionDef) -> int:
    """Arguments of a function."""
    given = function.args
    return len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)


def test_kernels_are_found() -> None:
    text = "@jit\ndef a(x): ...\n@kernel.inline\ndef b(x, *, y): ...\ndef c(): ...\ndef d(t): ...\nD = Pointer(d, DERIVATIVE)\n"
    assert [(f.name, count(f)) for f in kernels(ast.parse(text))] == [("a", 1), ("b", 2), ("d", 1)]


def test_kernels_have_few_arguments() -> None:
    found = [(path, f) for path in sorted(SOURCE.rglob("*.py")) for f in kernels_of(path)]
    assert len(found) > 900
    many = [f"{path.relative_to(SOURCE)}: {f.name} has {count(f)}" for path, f in found if count(f) > AT_MOST]
    assert many == []
