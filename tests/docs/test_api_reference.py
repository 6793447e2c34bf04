"""The API reference is complete: every public name stands on exactly one page, with a docstring and an example that runs.

Examples in docstrings are run by pytest's --doctest-modules; here we only ask whether they are there.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
FACES = ("sharnir", "sharnir.symbolic", "sharnir.flexible", "sharnir.results", "sharnir.topology", "sharnir.integrate")
DIRECTIVE = re.compile(r"^\.\. auto(class|exception|function|data):: ([\w.]+)\n((?:[ ]+.*\n|\n)*)", re.MULTILINE)
OPTION = re.compile(r"^ +:(members|exclude-members|inherited-members):(.*(?:\n {6}.*)*)$", re.MULTILINE)


def documented() -> list[tuple[str, str, str, dict[str, str]]]:
    """(page, kind, full name, options) of everything that the pages name."""
    found = []
    for page in sorted((DOCS / "api").glob("*.md")):
        for kind, name, body in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            options = {key: value.strip() for key, value in OPTION.findall(body)}
            if kind == "data":
                options["text"] = re.sub(r"^ +:.*$", "", body, flags=re.MULTILINE).strip().strip("`")
            found.append((page.name, kind, name, options))
    return found


def the_object(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


ENTRIES = documented()
IDS = [entry[2] for entry in ENTRIES]


def public_objects() -> dict[str, Any]:
    """Full name → object of all that the faces offer; what two faces share, by the first one."""
    found: dict[str, Any] = {}
    for face in FACES:
        module = importlib.import_module(face)
        for name in module.__all__:
            value = getattr(module, name)
            if not any(value is other for other in found.values()):
                found[f"{face}.{name}"] = value
    return found


def test_every_public_name_is_on_exactly_one_page() -> None:
    pages: dict[str, list[str]] = {}
    for page, _, name, _ in ENTRIES:
        pages.setdefault(name, []).append(page)
    missing = [name for name in public_objects() if name not in pages]
    assert not missing, f"in no page of docs/api: {', '.join(missing)}"
    twice = {name: where for name, where in pages.items() if len(where) > 1}
    assert not twice, f"more than once in docs/api: {twice}"


@pytest.mark.parametrize(("page", "kind", "name", "options"), ENTRIES, ids=IDS)
def test_entry_has_a_docstring_and_an_example(page: str, kind: str, name: str, options: dict[str, str]) -> None:
    value = the_object(name)
    if kind == "data":
        assert options["text"], f"{page}: {name} is a constant; say in the page what it is"
        return
    is_error = inspect.isclass(value) and issubclass(value, BaseException)
    assert kind == ("exception" if is_error else "class" if inspect.isclass(value) else "function"), f"{page}: {name}"
    assert has_example(value), f"{name} (docs/api/{page}) has no docstring of its own with an example (>>>)"
    for member, function in shown_methods(value, options).items():
        assert has_example(function), f"{name}.{member} (docs/api/{page}) has no docstring with an example (>>>)"


def shown_methods(value: Any, options: dict[str, str]) -> dict[str, Any]:
    """Methods that the page shows; properties and special methods need a sentence only."""
    if not inspect.isclass(value) or "members" not in options:
        return {}
    chosen = {name.strip() for name in options["members"].split(",") if name.strip()}
    left_out = {name.strip() for name in options.get("exclude-members", "").split(",")}
    places = value.__mro__[:-1] if "inherited-members" in options else (value,)
    found = {}
    for place in places:
        for name, raw in vars(place).items():
            function = raw.__func__ if isinstance(raw, (classmethod, staticmethod)) else raw
            if inspect.isfunction(function) and not name.startswith("_") and name not in left_out:
                found.setdefault(name, function)
    unknown = (chosen | left_out) - {""} - set(dir(value))
    assert not unknown, f"{value.__name__} has no {', '.join(sorted(unknown))}"
    return {name: function for name, function in found.items() if not chosen or name in chosen}


def has_example(value: Any) -> bool:
    return ">>>" in (value.__doc__ or "")  # inherited ones do not count


def test_names_of_the_side_bar_are_all_pages() -> None:
    """Every page of the folder is in a table of the first page, or of one with pages below it: these make the side bar."""
    row = re.compile(r"^\|.*?\]\(([\w./-]+\.md)\)", re.MULTILINE)
    linked = set(row.findall((DOCS / "index.md").read_text(encoding="utf-8")))
    below = row.findall((DOCS / "guide" / "coming-from.md").read_text(encoding="utf-8"))
    linked |= {f"guide/{page}" for page in below}
    beside = {"contributing.md": "../CONTRIBUTING.md", "changes.md": "../CHANGELOG.md", "measuring.md": "../benchmarks/README.md"}
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {"index.md"}
    assert {beside.get(page, page) for page in pages} == linked


def test_what_is_missing_is_seen() -> None:
    """The checks above can fail."""
    assert not has_example(lambda: None)
    assert len(ENTRIES) > 200
    assert DIRECTIVE.findall(".. autoclass:: a.B\n   :members: c\n\n.. autodata:: a.D\n   :no-value:\n\n   text\n") == [
        ("class", "a.B", "   :members: c\n\n"),
        ("data", "a.D", "   :no-value:\n\n   text\n"),
    ]
