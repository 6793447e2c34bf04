"""What the studio says about drawings that the assembly has corrected."""

import copy
import math
import tomllib
from pathlib import Path

from tests.app.studio.documents import PENDULUM, slider_crank

from sharnir.app.studio.examination import examine
from sharnir.model.files.model_file import text_of

ANGLE = 0.3
SLIDE = 0.15 * math.cos(ANGLE) + math.sqrt(0.35**2 - (0.15 * math.sin(ANGLE)) ** 2) - 0.5


def turned_crank():
    """A slider-crank drawn stretched, whose crank starts at an angle."""
    document = tomllib.loads(text_of(slider_crank()))
    document["joints"]["O"].pop("motion")
    document["joints"]["O"]["q"] = ANGLE
    return document


def test_what_the_loop_needs_is_told_and_what_was_given_stays():
    found = examine(turned_crank(), Path())["correction"]
    assert {x["name"] for x in found["bodies"]} == {"rod", "slider"} == set(found["drawn"])
    slider = next(x for x in found["bodies"] if x["name"] == "slider")
    assert abs(slider["distance"] - abs(SLIDE)) < 1e-9 and slider["angle"] == 0.0
    rod = next(x for x in found["bodies"] if x["name"] == "rod")
    assert abs(rod["angle"] - ANGLE - math.asin(0.15 / 0.35 * math.sin(ANGLE))) < 1e-9
    changes = {x["name"]: (x["change"], x["unit"]) for x in found["joints"]}
    assert "O" not in changes and changes["slide"][1] == "m" and abs(changes["slide"][0] - SLIDE) < 1e-9
    assert changes["A"][1] == "rad" and abs(abs(changes["A"][0]) - rod["angle"]) < 1e-9


def test_drawings_that_close_have_none():
    assert examine(PENDULUM, Path())["correction"] is None
    closed = copy.deepcopy(turned_crank())
    closed["joints"]["O"].pop("q")
    assert examine(closed, Path())["correction"] is None
