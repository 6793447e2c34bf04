"""Writes the table "Where what lives" of architecture.md from the docstrings of rooms and files.

`python docs/house_table.py` renews the page; a test compares it with what the sources say.
"""

from __future__ import annotations

import ast
from pathlib import Path

DOCS = Path(__file__).resolve().parent
SOURCE = DOCS.parent / "src" / "sharnir"
PAGE = DOCS / "architecture.md"
BEGIN, END = "<!-- made by house_table.py: begin -->", "<!-- end -->"
ORDER = (
    *("app", "studies", "gpu", "simulate", "dynamics", "equations", "topology", "flexible", "model"),
    *("integrate", "results", "spatial", "symbolic", "kernel"),
)


def first_line(path: Path) -> str:
    """The first sentence of a file's docstring: its first line, and the next ones of the paragraph until one ends it."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    lines = text.partition("\n\n")[0].splitlines()
    ends = next((k for k, line in enumerate(lines, 1) if line.rstrip().endswith((".", "?", "!"))), len(lines))
    return " ".join(line.strip() for line in lines[:ends]).replace("|", "\\|")


def room_lines(room: Path) -> list[str]:
    """A heading, the sentence of the room, and a list of its files."""
    name = room.relative_to(SOURCE).as_posix() if room != SOURCE else "sharnir"
    level = "###" if "/" not in name else "####"
    lines = [f"{level} `{name}`", "", first_line(room / "__init__.py"), ""]
    files = sorted(path for path in room.glob("*.py") if path.name != "__init__.py")
    for path in files:
        lines += wrapped(f"- [`{path.stem}`](../src/sharnir/{path.relative_to(SOURCE).as_posix()}): {first_line(path)}")
    return [*lines, ""] if files else lines


def wrapped(line: str, width: int = 120) -> list[str]:
    """A list item broken into lines of at most `width` characters; links are not broken."""
    out, current = [], ""
    for word in line.split(" "):
        if current and len(current) + 1 + len(word) > width:
            out.append(current)
            current = "  " + word
        else:
            current = f"{current} {word}" if current else word
    return [*out, current]


def table() -> str:
    """The whole list, room by room from the top of the house down, and the files below all rooms."""
    lines: list[str] = []
    for top in ORDER:
        rooms = [path.parent for path in (SOURCE / top).rglob("__init__.py")]
        for room in sorted(rooms):
            lines += room_lines(room)
    lines += room_lines(SOURCE)
    return "\n".join(lines).rstrip() + "\n"


def page() -> str:
    """The page with the list renewed."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
