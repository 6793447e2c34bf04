"""The header of `table` and the records of the engine: one meaning per number, none forgotten."""

import ast
import re
from pathlib import Path

from sharnir.dynamics.memory import event_layout, late_sensor_layout
from sharnir.dynamics.memory import layout as L

HOUSE = Path(L.__file__).parents[2]


def header_slots():
    """Names of the header, in its order: the one tuple that is numbered by a range."""
    for node in ast.parse(Path(L.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Call):
            return [name.id for name in node.targets[0].elts]
    raise AssertionError("layout.py has no header")


def test_header_is_numbered_without_holes():
    slots = header_slots()
    assert [getattr(L, name) for name in slots] == list(range(len(slots)))
    assert slots[-1] == "HEADER" and len(slots) > 100


def test_other_layouts_number_no_slot_of_the_header():
    for other in (event_layout, late_sensor_layout):
        assert not set(header_slots()) & set(vars(other))


def test_every_slot_of_the_header_is_used():
    text = "".join(path.read_text(encoding="utf-8") for path in HOUSE.glob("dynamics/**/*.py") if path.name != "layout.py")
    used = set(re.findall(r"\bL\.([A-Z_]+)", text))
    assert set(header_slots()) - used == set()


def test_numbers_within_one_record_differ():
    """Fields of one record: a name with an offset below the size of the record, up to the next record."""
    body = [L.PARENT, L.KIND, L.FIRST_Q, L.FIRST_V, L.COUNT_V, L.FIRST_FREEDOM, L.COUNT_FREEDOM, L.BRANCH, L.COUNT_ELASTIC]
    body += [L.DEPTH, L.ELASTIC_Q, L.ELASTIC_V, L.ELASTIC_P, L.ELASTIC_W, L.ELIMINATED_AS]
    assert sorted(body) == list(range(L.T_BODY_SIZE))
    element = [value for name, value in vars(L).items() if name.startswith("E_")]
    assert sorted([*element, L.FIRST_FREEDOM, L.COUNT_FREEDOM]) == list(range(L.T_ELEMENT_SIZE))
    event = [event_layout.LIGHT, event_layout.FIRST, event_layout.END, event_layout.MOST, event_layout.TIME]
    assert sorted([*event, event_layout.CLOCK, event_layout.TURN]) == list(range(event_layout.EVENT_SIZE))
