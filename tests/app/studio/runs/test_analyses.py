"""Analyses as the studio shows them."""

from pathlib import Path

from sharnir.app.studio.examination import read_document
from sharnir.app.studio.runs.analyses import analysis

BEAM = {
    "type": "straight-beam",
    "start": [0, 0, 0],
    "end": [1, 0, 0],
    "elements": 4,
    "section": {"type": "round", "radius": 0.02},
}
ON_A_CARRIAGE = {
    "bodies": {
        "carriage": {"mass": 1, "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}},
        "beam": {
            "type": "flexible-body",
            "reduced": {"fe": BEAM, "interfaces": {"root": 0, "tip": 4}, "modes": 1},
            "frame_at": "root",
        },
    },
    "joints": {
        "slide": {"type": "prismatic", "parent": "ground", "child": "carriage", "axis": "z", "motion": "0.1*sin(9*t)"},
        "clamp": {"type": "fixed", "parent": "carriage", "child": "beam:root"},
    },
}


def test_drives_stand_still_while_a_mode_swings():
    model, problems = read_document(ON_A_CARRIAGE, Path())
    view = analysis(model.compile(), "modes", most=2)["view"]
    assert problems == []
    assert {item["name"]: item["still"] for item in view["items"]}["carriage"]
    assert any(item["elastic"] for item in view["items"])
