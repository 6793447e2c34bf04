"""Every field of every element takes a value that is right, and tells what is wrong with one that is not, at its own place."""

from pathlib import Path

import pytest
from tests.app.studio.field_values import Case, cases

from sharnir.app.studio.catalogue import catalogue
from sharnir.app.studio.examination import examine, read_document
from sharnir.model.files.schema import schema

HERE = Path(__file__).parent


def told(case: Case) -> str:
    """The element of a case, with its type and those of the parts around the field."""
    inner, words = case.document, []
    for key in case.place[:-1]:
        inner = inner[key]
        if isinstance(inner, dict) and "type" in inner:
            words.append(str(inner["type"]))
    return " ".join([case.place[0], *words])


GROUPS: dict[str, list[Case]] = {}
for one in cases():
    GROUPS.setdefault(told(one), []).append(one)


@pytest.mark.parametrize("element", GROUPS)
def test_every_field_takes_a_right_value_and_refuses_a_wrong_one(element):
    for case in GROUPS[element]:
        plain, _ = read_document(case.document, HERE)
        if not case.field.get("refused"):
            changed = case.changed(case.right)
            model, problems = read_document(changed, HERE)
            assert problems == [] and examine(changed, HERE)["problems"] == [], (case.place, case.right)
            inner = case.document
            for key in case.place:
                inner = inner.get(key) if isinstance(inner, dict) else inner[key]
            if inner != case.right and inner is not None and case.place[0] != "simulation":
                assert model != plain, (case.place, "the value changes the model")
        wrong = case.changed(case.wrong)
        _, problems = read_document(wrong, HERE)
        problems = problems or examine(wrong, HERE)["problems"]
        places = [problem["place"] for problem in problems]
        assert any(place[: len(case.place)] == list(case.place) for place in places), (case.place, case.wrong, problems)


def test_no_field_of_the_schema_is_left_out():
    found = {"simulation": set(), "model": set(), "parameters": set(), "base_motion": set()}
    for case in (case for group in GROUPS.values() for case in group):
        if case.place[0] in found:
            found[case.place[0]].add(case.place[-1])
    definitions = schema()["$defs"]
    assert found["simulation"] == set(definitions["Simulation"]["properties"])
    assert found["model"] == set(definitions["ModelSection"]["properties"])
    assert found["parameters"] == set(definitions["Parameter"]["properties"])
    assert found["base_motion"] == set(definitions["BaseMotion"]["properties"])
    given = {(told(case).split()[-1], case.place[-1]) for group in GROUPS.values() for case in group}
    for records in {**catalogue()["sections"], **catalogue()["parts"]}.values():
        for record in records:
            for field in record["fields"]:
                known = (record["type"], field["name"]) in given or record["type"] in ("body", "event", *UNTAGGED, *FILES)
                assert known, (record["type"], field["name"])


UNTAGGED = ("friction", "reduction", "material", "rayleigh", "modaldamping")  # parts without a type, tested in their hosts
FILES = ("solid", "fe-file", "averaged-tie")  # parts that need files, or nodes of a mesh: tested with flexible bodies
