"""A file name has one meaning, and texts name files that there are: docstrings, comments, and the documentation."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import sharnir

SOURCE = Path(sharnir.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
# one subject with a part in each of two rooms: the element and its kernel, or numbers and expressions
IN_TWO_ROOMS = {
    *("aerodynamics", "contact_group", "flexible_body", "joint_friction", "motor", "rolling", "spring", "thrust"),
    *("user_force", "wheel", "vector_formula", "joint_motion"),
}
OF_USERS = {"my_script.py"}  # examples of what a reader may have


def mentions(pattern: str) -> list[tuple[Path, str]]:
    """What texts of the package and its documentation say that matches a pattern."""
    texts = [*SOURCE.rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))]
    return [(path, found) for path in texts for found in re.findall(pattern, path.read_text(encoding="utf-8"))]


def test_named_files_exist() -> None:
    known = {path.name for folder in ("src", "tests", "docs", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")}
    known |= {path.name for path in ROOT.glob("*.py")} | OF_USERS
    found = mentions(r"\b[a-z_0-9]+\.py\b")
    assert len(found) > 1000
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in found if name not in known] == []


def test_named_files_stand_where_texts_say() -> None:
    """`sparse/plan_layout.py` is the end of the path of some file."""
    known = [f"/{path.relative_to(ROOT).as_posix()}" for path in ROOT.rglob("*.py") if ".venv" not in path.parts]
    found = mentions(r"(?<![\w/.-])(?:\.\./)*((?:\w[\w-]*/)+\w+\.py)\b")
    assert len(found) > 700
    astray = [(path, name) for path, name in found if not any(other.endswith(f"/{name}") for other in known)]
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in astray] == []


def test_a_name_has_one_meaning() -> None:
    rooms = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        if path.stem not in ("__init__", "__main__"):
            rooms[path.stem].append(path.parent.relative_to(SOURCE).as_posix())
    assert len(rooms) > 600
    assert {name: found for name, found in rooms.items() if len(found) > 1 and name not in IN_TWO_ROOMS} == {}
    assert [name for name in IN_TWO_ROOMS if len(rooms[name]) != 2] == []
