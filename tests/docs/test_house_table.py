"""The list of rooms and files in architecture.md is what the docstrings say."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
spec = importlib.util.spec_from_file_location("house_table", DOCS / "house_table.py")
house_table = importlib.util.module_from_spec(spec)
spec.loader.exec_module(house_table)


def test_architecture_lists_every_room_and_file():
    assert house_table.PAGE.read_text(encoding="utf-8") == house_table.page(), "run python docs/house_table.py"


def test_no_room_is_left_out():
    assert {path.parent.name for path in house_table.SOURCE.glob("*/__init__.py")} == set(house_table.ORDER)
    listed = house_table.table()
    for path in house_table.SOURCE.rglob("*.py"):
        if path.name != "__init__.py":
            assert f"(../src/sharnir/{path.relative_to(house_table.SOURCE).as_posix()})" in listed


def test_every_file_has_a_sentence():
    for path in house_table.SOURCE.rglob("*.py"):
        assert house_table.first_line(path), f"{path} has no docstring"


def test_list_items_are_wrapped():
    lines = house_table.wrapped("- [`a`](b): " + "word " * 60)
    assert len(lines) > 2 and all(len(line) <= 120 for line in lines) and lines[1].startswith("  word")


def test_rooms_inside_rooms_are_described():
    """The part that is written by hand names the layers, and the rooms inside those that data flow through."""
    by_hand = house_table.PAGE.read_text(encoding="utf-8").partition(house_table.BEGIN)[0]
    inside = [path.name for room in ("dynamics", "integrate", "simulate") for path in (house_table.SOURCE / room).iterdir()]
    inside = [name for name in inside if "." not in name and not name.startswith("__")]
    assert len(inside) > 20
    assert [name for name in (*house_table.ORDER, *inside) if f"`{name}`" not in by_hand] == []


def test_files_below_all_rooms_are_named():
    by_hand = house_table.PAGE.read_text(encoding="utf-8").partition(house_table.BEGIN)[0]
    files = [path.stem for path in house_table.SOURCE.glob("*.py") if not path.stem.startswith("__")]
    assert [name for name in files if f"`{name}`" not in by_hand] == []
