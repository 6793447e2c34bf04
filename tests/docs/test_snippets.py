"""Every Python block of the documentation runs, prints what the page says it prints, and every link leads somewhere.

Blocks ```python of one page share their names and run in order in an empty folder. A block ```text right after one is what it
prints; numbers may differ by a unit of the last digit shown. A block ```python notest is only parsed: other programs' code, and
what needs a browser (tests/app/animation/test_video.py makes videos).
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((ROOT / "docs").rglob("*.md"))
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<code>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)(?P<target>[^)\s]*)\)")
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(page: Path) -> list[tuple[str, str, int, str | None]]:
    """(info, code, line, expected output or None) of the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    result = []
    for k, block in enumerate(found):
        line = text.count("\n", 0, block.start()) + 2
        output = None
        if k + 1 < len(found) and found[k + 1]["info"] == "text" and not text[block.end() : found[k + 1].start()].strip():
            output = found[k + 1]["code"]
        result.append((block["info"].strip(), block["code"], line, output))
    return result


def last_digit(number: str) -> float:
    """The value of a unit in the last place of a printed number; 0 for an integer."""
    mantissa, _, exponent = number.lower().partition("e")
    _, point, decimals = mantissa.partition(".")
    return 10.0 ** (int(exponent or 0) - len(decimals)) if point or exponent else 0.0


def assert_printed(printed: str, expected: str, where: str) -> None:
    """Same text; numbers within a unit of the last digit shown."""
    printed, expected = (re.sub(r"[ \t]+", " ", text).strip() for text in (printed, expected))
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected), f"{where} prints:\n{printed}"
    for ours, theirs in zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True):
        assert abs(float(ours) - float(theirs)) <= 1.01 * last_digit(theirs), f"{where} prints:\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_python_blocks(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for info, code, line, expected in blocks(page):
        if not info.startswith("python"):
            continue
        where = f"{page.relative_to(ROOT)}, line {line}"
        tree = ast.parse(code, where)
        if info == "python notest":
            continue
        assert info == "python", f"{where}: write ```python or ```python notest"
        ast.increment_lineno(tree, line - 1)
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(tree, str(page), "exec", dont_inherit=True), names)
        if expected is not None:
            assert_printed(stream.getvalue(), expected, where)


def headings(page: Path) -> set[str]:
    """The anchors that GitHub makes of the headings of a page."""
    lines = re.sub(FENCE, "", page.read_text(encoding="utf-8")).splitlines()
    titles = [re.sub(r"[`*]", "", line.lstrip("# ")) for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links(page: Path) -> None:
    text = re.sub(FENCE, "", page.read_text(encoding="utf-8"))
    for link in LINK.finditer(text):
        path, _, anchor = link["target"].partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link['target']} does not exist"
        if anchor and target.suffix == ".md":
            assert anchor in headings(target), f"{page.relative_to(ROOT)}: {link['target']} has no such heading"


def test_comparison_of_numbers_can_fail() -> None:
    assert_printed("q = 1.2345 rad", "q = 1.2346 rad", "here")
    with pytest.raises(AssertionError):
        assert_printed("q = 1.2345 rad", "q = 1.2349 rad", "here")
    with pytest.raises(AssertionError):
        assert_printed("3 steps", "4 steps", "here")
    with pytest.raises(AssertionError):
        assert_printed("q = 1.2345 rad", "v = 1.2345 rad", "here")


def test_examples_are_found() -> None:
    """A page that loses its blocks by a broken fence would pass for ever."""
    assert sum(info == "python" for page in PAGES for info, *_ in blocks(page)) >= 50
    assert sum(output is not None for page in PAGES for *_, output in blocks(page)) >= 40
