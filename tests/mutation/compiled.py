"""Which functions of the package are compiled: decorated, or handed to what compiles them, in whatever file that stands."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

DECORATORS = {"jit", "njit", "inline", "entry"}
COMPILERS = {"jit", "njit", "inline", "entry", "Pointer", "CFunc"}


def called_name(node: ast.AST) -> str:
    """The last name of what is called: `f` of f(x) and of a.f(x)."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@cache
def compiled_functions(source: Path) -> dict[Path, frozenset[str]]:
    """By file: the names of functions at its top level that are compiled."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(source.rglob("*.py"))}
    compilers = COMPILERS | {name for tree in trees.values() for name in _that_compile_an_argument(tree)}
    found: dict[Path, set[str]] = {path: _decorated(tree) for path, tree in trees.items()}
    for path, tree in trees.items():
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        elsewhere = _imported(source, tree)
        for name in _handed_over(tree, compilers):
            if name in own:
                found[path].add(name)
            elif name in elsewhere and elsewhere[name] in found:
                found[elsewhere[name]].add(name)
    return {path: frozenset(names) for path, names in found.items()}


def _decorated(tree: ast.Module) -> set[str]:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in functions if any(called_name(x) in DECORATORS for x in node.decorator_list)}


def _that_compile_an_argument(tree: ast.Module) -> set[str]:
    """Functions that hand one of their own arguments to a compiler, such as step_functions."""
    found = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        own = {x.arg for x in function.args.args}
        if own & set(_handed_over(function, COMPILERS)):
            found.add(function.name)
    return found


def _handed_over(tree: ast.AST, compilers: set[str]) -> list[str]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called_name(node) in compilers]
    return [x.id for call in calls for x in call.args if isinstance(x, ast.Name)]


def _imported(source: Path, tree: ast.Module) -> dict[str, Path]:
    """Names that come from other files of the package, by these files."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sharnir"):
            path = source.joinpath(*node.module.split(".")[1:]).with_suffix(".py")
            found.update({x.asname or x.name: path for x in node.names})
    return found
