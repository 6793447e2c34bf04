"""Which tests are near a file: by its name, by imports, by the names that it defines and that its users define, by its room."""

from __future__ import annotations

import ast
import math
import re
from functools import cache
from pathlib import Path

ALWAYS = ("agree/test_methods.py", "agree/test_energy.py", "agree/test_constraints.py", "agree/test_reactions.py")
MOST_FILES = 25
NEAREST = 4  # files that come before those across rooms
LEVELS = (6.0, 2.0, 1.0)  # weight of a name that the file defines, that its users define, and theirs


def nearest_tests(source: Path, tests: Path, path: Path) -> list[Path]:
    """The nearest first; the file itself is among them if it has examples in its docstrings."""
    room, module = path.parent.relative_to(source), ".".join(("sharnir", *path.relative_to(source).with_suffix("").parts))
    words = {word for word in path.stem.split("_") if len(word) > 3}
    near = _names_nearby(source, path)
    named = _tests_by_name(tests)
    score: dict[Path, float] = {}
    for test in all_tests(tests):
        value = 60.0 * (test.stem == f"test_{path.stem}") + 40.0 * (module in _text(test))
        value += 12.0 * len(words & set(test.stem.split("_"))) / max(1, len(words))
        value += 8.0 * (test.parent.relative_to(tests) == room)
        for name, weight in near.items():
            if test in named.get(name, ()):
                value += weight * math.log(len(all_tests(tests)) / len(named[name]))
        score[test] = value
    order = [x for x in sorted(score, key=lambda x: (-score[x], x)) if score[x] > 0.0][:MOST_FILES]
    across = [tests / name for name in ALWAYS if room.parts[:1] == ("dynamics",)]
    own = [path] if ">>> " in path.read_text(encoding="utf-8") else []
    return list(dict.fromkeys([*own, *order[:NEAREST], *(x for x in across if x.exists()), *order]))


@cache
def all_tests(tests: Path) -> tuple[Path, ...]:
    """All files of tests but those that look at the sources or at the pages of the documentation."""
    return tuple(x for x in sorted(tests.rglob("test_*.py")) if x.relative_to(tests).parts[0] not in ("house", "docs"))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _tests_by_name(tests: Path) -> dict[str, set[Path]]:
    found: dict[str, set[Path]] = {}
    for test in all_tests(tests):
        for name in set(re.findall(r"[A-Za-z_]\w+", _text(test))):
            found.setdefault(name, set()).add(test)
    return found


def _names_nearby(source: Path, path: Path) -> dict[str, float]:
    """Public names of the file, of those that import it, and of those that import these, each with its weight."""
    users = _users(source)
    found: dict[str, float] = {}
    level, seen = {path}, {path}
    for weight in LEVELS:
        for file in level:
            for name in _defined(file):
                found.setdefault(name, weight / math.sqrt(len(level)))
        level = {user for file in level for user in users.get(file, ())} - seen
        seen |= level
    return found


@cache
def _defined(path: Path) -> frozenset[str]:
    """Functions and classes without an underscore, and the methods of the classes where they are longer than a word or two."""
    found = set()
    for node in ast.parse(_text(path)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            inner = {x.name for x in node.body if isinstance(x, ast.FunctionDef)}
            found |= {name for name in inner if not name.startswith("_") and len(name) > 7}
    return frozenset(found)


@cache
def _users(source: Path) -> dict[Path, set[Path]]:
    """By file: those that import it."""
    found: dict[Path, set[Path]] = {}
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(_text(path))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sharnir."):
                place = source.joinpath(*node.module.split(".")[1:])
                for file in (place.with_suffix(".py"), *((place / x.name).with_suffix(".py") for x in node.names)):
                    if file.exists():
                        found.setdefault(file, set()).add(path)
    return found
