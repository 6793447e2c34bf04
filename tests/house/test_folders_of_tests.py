"""Tests stand in folders named after the rooms of the package."""

from __future__ import annotations

from pathlib import Path

import sharnir

SOURCE = Path(sharnir.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
ACROSS = {"agree", "docs", "examples", "fuzz", "house", "mutation", "order", "reference"}  # behaviour of several rooms


def folders() -> list[Path]:
    """Folders with tests, relative to `tests`."""
    return sorted({path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")})


def test_folders_are_rooms() -> None:
    rooms = [folder for folder in folders() if folder.parts and folder.parts[0] not in ACROSS]
    assert len(rooms) > 30
    assert [folder for folder in rooms if not (SOURCE / folder / "__init__.py").is_file()] == []


def test_a_test_named_after_a_file_stands_in_its_room() -> None:
    homes: dict[str, set[Path]] = {}
    for path in SOURCE.rglob("*.py"):
        homes.setdefault(path.stem, set()).add(path.parent.relative_to(SOURCE))
    astray = []
    for path in TESTS.rglob("test_*.py"):
        folder, subject = path.parent.relative_to(TESTS), path.stem.removeprefix("test_")
        if folder.parts and folder.parts[0] not in ACROSS and folder not in homes.get(subject, {folder}):
            astray.append((str(path.relative_to(TESTS)), sorted(map(str, homes[subject]))))
    assert astray == []
