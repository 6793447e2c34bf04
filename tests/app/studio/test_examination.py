"""Documents, right and wrong, as the studio sees them."""

import copy
from pathlib import Path

import numpy as np
import pytest
from tests.app.studio.documents import PENDULUM, slider_crank

from sharnir.app.studio.examination import examine, read_document

HERE = Path(__file__).parent


def test_a_right_document_has_the_model_of_its_file(tmp_path):
    model = slider_crank()
    model.save(tmp_path / "crank.toml")
    import tomllib

    document = tomllib.loads((tmp_path / "crank.toml").read_text())
    found, problems = read_document(document, tmp_path)
    assert problems == [] and found == model


def test_poses_are_those_of_the_initial_state():
    found = examine(PENDULUM, HERE)
    assert found["problems"] == [] and found["freedoms"] == 1
    # the centre of the bob, drawn at (0, 0, -l), is turned about y by 0.5
    assert np.allclose(found["poses"]["bob"][:3], [-np.sin(0.5), 0, -np.cos(0.5)], atol=1e-12)
    assert np.allclose(found["drawn"]["bob"][:3], [0, 0, -1])


@pytest.mark.parametrize(
    ("place", "value", "word"),
    [
        (("bodies", "bob", "mass"), -1, "negative"),
        (("joints", "O", "axis"), "w", "-z"),
        (("joints", "O", "child"), "nobody", "not a body"),
        (("bodies", "bob", "colour"), "red", "unknown"),
        (("joints", "O", "q"), "0.5*", "O"),
        (("parameters", "l", "value"), "long", "l"),
    ],
)
def test_problems_name_their_field_and_the_rest_is_drawn(place, value, word):
    document = copy.deepcopy(PENDULUM)
    section, name, field = place
    document[section][name][field] = value
    found = examine(document, HERE)
    assert any(p["place"][:2] == [section, name] and word in p["message"] for p in found["problems"]), found["problems"]
    assert any(item["name"] == "ground" for item in found["scene"]["items"])


def test_a_model_without_equations_is_drawn_all_the_same():
    found = examine({"bodies": {"box": {"shape": {"type": "box", "size": [1, 1, 1]}, "mass": 0}}}, HERE)
    assert found["problems"] and found["freedoms"] is None
    assert found["scene"]["items"][1]["shapes"][0]["kind"] == "box"


def test_redundant_equations_are_named():
    model = slider_crank()
    import tomllib

    from sharnir.model.files.model_file import text_of

    found = examine(tomllib.loads(text_of(model)), HERE)
    assert found["freedoms"] == 0 and any("B" in name for name in found["redundant"])
    assert [loop["cut"] for loop in found["graph"]["loops"]] == [x["joint"] for x in found["graph"]["joints"] if x["cut"]]


def test_files_outside_the_folder_are_refused(tmp_path):
    (tmp_path / "outside.csv").write_text("0 0\n1 1\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    document = copy.deepcopy(PENDULUM)
    document["joints"]["O"]["torque"] = {"file": "../outside.csv"}
    found = examine(document, inside)
    assert any("outside" in p["message"] for p in found["problems"])


def test_hostile_documents_are_refused_in_words():
    deep: dict = {}
    for _ in range(200):
        deep = {"x": deep, "y": 1}
    assert "deep" in examine(deep, HERE)["problems"][0]["message"]
    assert examine({"bodies": [1, 2]}, HERE)["problems"]
    assert examine({"bodies": {"a": 3}, "joints": "no"}, HERE)["problems"]


def test_settings_of_the_run_are_checked():
    document = copy.deepcopy(PENDULUM)
    document["simulation"]["integrator"] = "eulr"
    assert any("eulr" in p["message"] for p in examine(document, HERE)["problems"])


def test_parameters_are_resolved():
    assert examine(PENDULUM, HERE)["parameters"] == {"l": 1.0}
