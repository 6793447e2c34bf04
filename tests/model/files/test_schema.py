"""The published JSON schema is current, and says the same as the reader."""

import json
import tomllib
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from model.files.test_model_file import SLIDER_CRANK
from model.strategies import models
from sharnir.model.files.model_file import text_of
from sharnir.model.files.schema import schema, write_schema

PUBLISHED = Path(__file__).parents[3] / "docs" / "model.schema.json"


@cache
def validator():
    """Made once, and only where a test asks for it."""
    return jsonschema.Draft202012Validator(schema())


def test_published_schema_is_current(tmp_path):
    fresh = tmp_path / "model.schema.json"
    write_schema(fresh)
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json.loads(fresh.read_text(encoding="utf-8"))


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema())
    validator().validate(tomllib.loads(SLIDER_CRANK))


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None, derandomize=True)
@given(models())
def test_written_models_fit_the_schema(model):
    validator().validate(tomllib.loads(text_of(model)))


@pytest.mark.parametrize(
    "text",
    [
        "[bodies.a]\nmas = 1",
        "[bodies.a]\nmass = true",
        "[joints.a]\ntype = 'revolute'\nparent = 'ground'\nchild = 'b'",
        "[joints.a]\ntype = 'hinge'",
        "[forces.a]\ntype = 'force'\nbody = 'a'\nforce = [1, 2]",
        "[simulation]\nt_end = 'long'",
    ],
)
def test_schema_refuses(text):
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(tomllib.loads(text))
