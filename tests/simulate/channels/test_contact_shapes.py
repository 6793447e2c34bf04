"""What an animation shows of contacts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import sharnir as sr


def test_walls_and_floors_are_drawn(tmp_path: Path) -> None:
    m = sr.Model("marbles", parameters={"a": 2.0})
    law = sr.HuntCrossley(1e5, damping=1)
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1), position=(0.2, 0, 0.4)))
    holes = (
        sr.Box((1, 1, 0.1), (0, 0, -0.05)),
        sr.Capsule((0, 0, -1), (1, 0, -1), 0.1),
        sr.Bore(0.3, axis="x"),
        sr.Slot((0, 0, -2), (1, 0, -2), 0.2, axis="y"),
        sr.Profile("cos(s)", "0.5*sin(s)", (0, 2 * math.pi)),
        sr.Revolution("sqrt(s/a)", (0.01, 0.5)),
        sr.Plane(),
    )
    for k, hole in enumerate(holes):
        m.add(sr.Contact(f"c{k}", "ball", "ground", sr.Sphere(0.1), hole, law=law))
    result = m.simulate(0.01)
    items = {item.name: item for item in result.scene.items}
    assert [shape["kind"] for shape in items["ground"].shapes] == [
        "box",
        "rod",
        "sphere",
        "sphere",
        "mesh",
        "mesh",
        "mesh",
        "mesh",
    ]
    assert [shape["kind"] for shape in items["ball"].shapes] == ["sphere"]  # once, however often it is named
    bore, slot, profile, bowl = (np.array(shape["vertices"]) for shape in items["ground"].shapes[4:])
    assert np.allclose(np.hypot(bore[:, 1], bore[:, 2]), 0.3)
    assert np.allclose(slot.max(axis=0), [1.2, 0.1, -1.8]) and np.allclose(slot.min(axis=0), [-0.2, -0.1, -2.2])
    assert np.allclose(profile[:, 0] ** 2 + 4 * profile[:, 1] ** 2, 1.0)
    assert np.allclose(bowl[:, 2], 2.0 * (bowl[:, 0] ** 2 + bowl[:, 1] ** 2))
    assert result.animate(tmp_path / "marbles.html").stat().st_size > 10_000


def test_walls_of_a_group_are_drawn() -> None:
    m = sr.Model("pile")
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.1), position=(0, 0, 1)))
    m.add(sr.ContactGroup("all", walls=(sr.Plane(), sr.Box((1, 1, 0.2)), sr.Bore(0.5)), law=sr.HuntCrossley(1e6, damping=1)))
    items = {item.name: item for item in m.simulate(0.01).scene.items}
    assert [shape["kind"] for shape in items["ground"].shapes] == ["box", "mesh"]
    assert [shape["kind"] for shape in items["ball"].shapes] == ["sphere"]
