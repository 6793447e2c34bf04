"""Names of elements change everywhere, and the model stays the same."""

import tomllib

import numpy as np
import pytest

import sharnir as sr
from sharnir.app.demos import ALL_DEMOS
from sharnir.app.studio.examination import read_document
from sharnir.app.studio.renaming import renamed
from sharnir.model.files.model_file import text_of

NAMES = ["car", "robot-arm", "engine", "deployment", "slider-crank", "dominoes"]


@pytest.mark.parametrize("name", NAMES)
def test_all_elements_of_a_demo_get_other_names_and_move_as_before(name, tmp_path):
    demo = ALL_DEMOS[name]
    before = tomllib.loads(text_of(demo.model(), demo.settings))
    document = before
    rng = np.random.default_rng(1)
    for section in ("bodies", "joints", "forces", "constraints", "signals", "events", "parameters"):
        names = list(document.get(section, {}))
        for old in rng.permutation(names)[:4]:
            document = renamed(document, section, str(old), f"{old}_x".replace(" ", "_").replace("-", "_"))
    first, problems = read_document(before, tmp_path)
    second, more = read_document(document, tmp_path)
    assert problems == [] and more == []
    a, b = first.compile(), second.compile()
    assert a.n_q == b.n_q and np.array_equal(np.sort(a.y0), np.sort(b.y0))
    va = a.accelerations(a.q0, a.v0) if not a.constrained else None
    if va is not None:
        assert np.allclose(np.sort(va), np.sort(b.accelerations(b.q0, b.v0)), rtol=1e-12, atol=1e-12)


def test_formulas_follow_signals_joints_and_parameters():
    document = {
        "parameters": {"k": 2.0, "kk": 1.0},
        "bodies": {"b": {"mass": "k*kk"}},
        "joints": {"O": {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x", "torque": "-k*q + s"}},
        "signals": {"s": {"type": "signal", "formula": "O.q + k*O.v"}},
        "events": {"e": {"when": "O.q > k", "actions": [{"type": "release", "joint": "O"}]}},
    }
    found = renamed(renamed(renamed(document, "parameters", "k", "c"), "joints", "O", "rail"), "signals", "s", "u")
    assert found["bodies"]["b"]["mass"] == "c*kk"
    assert found["joints"]["rail"]["torque"] == "-c*q + u"
    assert found["signals"]["u"]["formula"] == "rail.q + c*rail.v"
    assert found["events"]["e"] == {"when": "rail.q > c", "actions": [{"type": "release", "joint": "rail"}]}


@pytest.mark.parametrize(
    ("section", "old", "new"), [("bodies", "b", "ground"), ("bodies", "b", "a"), ("bodies", "c", "d"), ("parameters", "k", "2k")]
)
def test_names_that_are_taken_or_impossible_are_refused(section, old, new):
    with pytest.raises(sr.ModelError, match="rename"):
        renamed({"bodies": {"a": {}, "b": {}}, "parameters": {"k": 1.0}}, section, old, new)
