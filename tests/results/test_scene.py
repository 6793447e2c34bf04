"""Scenes: shapes from dicts and from dataclasses, checks, the way through JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

from sharnir.errors import ModelError
from sharnir.results import Scene, SceneItem, SceneSpring
from sharnir.results.scene import shape_record, stick_lines


@dataclass
class Box:
    size: tuple
    center: tuple = (0, 0, 0)
    rotation: object = None
    color: object = None
    mass: float = 1.0


def test_a_dataclass_named_like_a_kind_is_a_shape():
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    record = shape_record(Box((1, 2, 3), rotation=quarter, color=(1.0, 0.5, 0)))
    assert record["kind"] == "box"
    assert record["size"] == (1.0, 2.0, 3.0)
    np.testing.assert_allclose(record["rotation"], (np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
    assert record["color"] == "#ff8000"
    assert "mass" not in record


def test_the_shapes_of_the_model_are_understood():
    from sharnir import model

    shapes = (
        model.Box((1, 2, 3)),
        model.Cylinder(0.1, 2, axis="y"),
        model.Sphere(0.2, center=(0, 0, 1)),
        model.Rod((0, 0, 0), (1, 0, 0)),
    )
    item = SceneItem("arm", shapes=shapes)
    assert [shape["kind"] for shape in item.shapes] == ["box", "cylinder", "sphere", "rod"]
    assert item.shapes[1]["axis"] == (0.0, 1.0, 0.0)
    assert SceneItem("arm", shapes=model.Sphere(0.2)).shapes[0]["radius"] == 0.2


def test_json_brings_a_scene_back():
    items = [
        SceneItem("ground", pins=[((0, 0, 0), "y"), ((1, 0, 0), None)]),
        SceneItem(
            "arm",
            [{"kind": "mesh", "vertices": np.eye(3), "faces": [(0, 1, 2)]}],
            [((0, 0, 0), (1, 0, 0))],
            com=(0.5, 0, 0),
            color="red",
        ),
    ]
    scene = Scene(items, [SceneSpring("s", "arm", "ground")], up="y", title="arm")
    assert Scene.from_dict(json.loads(json.dumps(scene.to_dict()))) == scene


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: shape_record({"kind": "cone"}), "kind 'cone' is unknown; there are box"),
        (lambda: shape_record({"kind": "cylinder", "radius": 1}), "'cylinder' needs 'length'"),
        (lambda: Scene([SceneItem("a"), SceneItem("a")]), "same name"),
        (lambda: Scene([SceneItem("a")], [SceneSpring("s", "a", "b")]), "'s': there is no item 'b'"),
        (lambda: Scene(up="w"), "up = 'w'"),
    ],
)
def test_says_what_is_wrong(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_sticks_join_the_joints_or_reach_the_centre_of_mass():
    assert stick_lines([(0, 0, 0), (1, 0, 0), (0, 1, 0)], (0.3, 0.3, 0)) == (((0, 0, 0), (1, 0, 0)), ((0, 0, 0), (0, 1, 0)))
    assert stick_lines([(0, 0, 0)], (0, 0, -2)) == (((0, 0, 0), (0, 0, -2)),)
    assert stick_lines([(0, 0, 0)], (0, 0, 0)) == ()
