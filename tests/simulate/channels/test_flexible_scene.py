"""What a run of a flexible mechanism gives to draw."""

from __future__ import annotations

import pytest

import sharnir as sr
from sharnir.app.animation.page import page_data
from sharnir.flexible import Section, reduce, straight_beam


@pytest.fixture(scope="module")
def result() -> sr.Result:
    """A clamped rod that carries a rigid ball, released from its straight shape."""
    rod = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    m = sr.Model("rod")
    m.add(sr.FlexibleBody("rod", reduced=reduce(rod, interfaces={"root": 0, "tip": 4}, modes=1), color="#123456"))
    m.add(sr.Fixed("clamp", "ground", "rod:root"))
    m.add(sr.Body("ball", mass=1.0, shape=sr.Sphere(0.05), position=(1, 0, 0)), sr.Ball("hinge", "rod:tip", "ball", at=(1, 0, 0)))
    return m.simulate(0.002, step=0.001)


def test_nodes_take_the_place_of_sticks(result):
    items = {item.name: item for item in result.scene.items}
    assert items["rod"].lines == items["rod"].pins == items["rod:tip"].lines == ()
    assert items["rod"].color == "#123456"
    assert items["rod:root"].pins == (((0.0, 0.0, 0.0), None),)  # of the clamp, none of what holds the node to its body


def test_the_page_deforms_what_is_flexible(result):
    items = {item["name"]: item for item in page_data(result)["items"]}
    assert [name for name, item in items.items() if item["elastic"]] == ["rod"]
    assert items["rod"]["elastic"]["marks"] == {"rod:root": 0, "rod:tip": 4}
    most = page_data(result)["displacement"]["ranges"]["magnitude"][1]
    assert most == pytest.approx(result["rod.largest_displacement"].max(), rel=1e-6)
    assert most > 1e-6


def test_a_saved_result_is_drawn_as_the_first_one(result, tmp_path):
    pytest.importorskip("h5py")
    assert page_data(sr.Result.load(result.save(tmp_path / "rod.h5"))) == page_data(result)
