"""The catalogue of elements agrees with the schema of model files."""

from functools import cache

import pytest

from sharnir.app.studio.catalogue import SECTIONS, catalogue
from sharnir.app.studio.field_units import is_told
from sharnir.model.files.schema import schema


@cache
def found():
    """The catalogue, made once, and only where a test asks for it."""
    return catalogue()


@pytest.mark.parametrize("section", SECTIONS)
def test_every_element_of_the_schema_is_offered_with_all_its_fields(section):
    definitions = schema()["$defs"]
    by_type = {}
    for definition in definitions.values():
        kind = definition.get("properties", {}).get("type", {})
        by_type[kind.get("const")] = definition
    for record in found()["sections"][section]:
        definition = definitions["Event"] if section == "events" else by_type[record["type"]]
        expected = set(definition["properties"]) - {"type"}
        assert {field["name"] for field in record["fields"]} == expected, record["type"]
        required = set(definition.get("required", [])) - {"type", "reduced"}
        assert {field["name"] for field in record["fields"] if field["required"]} - {"reduced"} == required, record["type"]


def test_every_element_has_a_sentence_and_every_field_some_help():
    for records in found()["sections"].values():
        for record in records:
            assert len(record["about"]) > 8, record["type"]
            for field in record["fields"]:
                assert field["help"], (record["type"], field["name"])


NUMERIC = {
    "number",
    "value",
    "vector",
    "six",
    "function",
    "functions",
    "motion",
    "profile",
    "three functions",
    "numbers",
    "inertia",
}


def test_every_number_has_a_unit_or_is_known_to_have_none_of_its_own():
    records = [*(one for part in ("sections", "parts") for one in found()[part].values()), [found()["base_motion"]]]
    for record in (record for group in records for record in group):
        for field in record["fields"]:
            if field["kind"] in NUMERIC and not field.get("refused"):
                assert field["unit"] or is_told(record["type"], field["name"]), (record["type"], field["name"])


def test_units_follow_the_freedoms_of_a_joint_and_are_not_those_of_a_neighbour():
    units = {(r["type"], f["name"]): f["unit"] for group in found()["sections"].values() for r in group for f in r["fields"]}
    assert units["revolute", "stiffness"] == "N m/rad" and units["prismatic", "damping"] == "N s/m"
    assert units["revolute", "armature"] == "kg m²" and units["prismatic", "armature"] == "kg"
    assert units["aerodynamics", "density"] == "kg/m³" and units["joint-friction", "law"] == ""
    assert units["joint-limit", "restitution"] == "–" and units["planar", "v"] == "m/s, rad/s"


def test_settings_tell_their_defaults():
    defaults = {record["name"]: record["default"] for record in found()["settings"]}
    assert defaults["integrator"] == "auto" and defaults["formulation"] == "joint" and defaults["correction"] is True


def test_units_are_those_of_the_docstrings():
    body = next(record for record in found()["sections"]["bodies"] if record["type"] == "body")
    units = {field["name"]: field["unit"] for field in body["fields"]}
    assert units["mass"] == "kg" and units["inertia"] == "kg m²" and units["density"] == "kg/m³" and units["shape"] == ""
