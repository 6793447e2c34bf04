"""Pages are easy to read as text, and none is forgotten: lines of 120 characters at the most, links to every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sharnir

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
PAGES.append(ROOT / "benchmarks" / "README.md")
WIDEST = 120


def prose(text: str) -> list[tuple[int, str]]:
    """Numbered lines outside of what programs print, which is as long as they make it."""
    lines, output = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            output = line.startswith("```text")
        if not output:
            lines.append((number, line))
    return lines


def test_output_is_no_prose() -> None:
    assert prose("a\n```text\nb\n```\nc\n```python\nd\n```") == [
        (1, "a"),
        (4, "```"),
        (5, "c"),
        (6, "```python"),
        (7, "d"),
        (8, "```"),
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_are_short(page: Path) -> None:
    assert [f"line {n}: {len(line)}" for n, line in prose(page.read_text(encoding="utf-8")) if len(line) > WIDEST] == []


def test_every_page_is_linked() -> None:
    """The README names the pages of the guide, the first page of the site all of them."""
    readme, index = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/index.md"))
    guide = sorted((ROOT / "docs" / "guide").glob("*.md"))
    assert len(guide) > 25
    assert [page.name for page in guide if f"(docs/guide/{page.name})" not in readme] == []
    for folder in ("guide", "theory", "api", "decisions"):
        pages = sorted((ROOT / "docs" / folder).glob("*.md"))
        assert [page.name for page in pages if f"({folder}/{page.name})" not in index] == []


@pytest.mark.parametrize(
    ("folder", "page", "least"), [("benchmarks", "benchmarks/README.md", 40), ("examples", "docs/examples.md", 20)]
)
def test_every_script_is_described(folder: str, page: str, least: int) -> None:
    """All benchmarks and examples are named where a reader looks for them."""
    text, scripts = (ROOT / page).read_text(encoding="utf-8"), sorted((ROOT / folder).glob("*.py"))
    assert len(scripts) > least
    assert [path.name for path in scripts if path.name not in text] == []


def test_the_latest_version_of_the_changelog_is_that_of_the_package() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(sharnir.__version__)}\] - \d{{4}}-\d\d-\d\d", headings[1])
    assert len({heading.split("]")[0] for heading in headings}) == len(headings)
