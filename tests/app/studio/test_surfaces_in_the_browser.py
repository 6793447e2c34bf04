"""What the mouse finds on bodies besides their points, and in which plane bars are drawn, in headless Chromium."""

import pytest
from tests.app.animation.browser import CHROMIUM
from tests.app.studio.test_studio_in_the_browser import document, person, put, studio  # noqa: F401

pytestmark = [pytest.mark.chromium, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]

BLOCK = {"mass": 2, "shape": {"type": "box", "size": [0.5, 0.3, 0.4]}, "position": [0, 0, 0.3]}
ROLL = {"mass": 1, "shape": {"type": "cylinder", "radius": 0.15, "length": 0.5, "axis": "x"}, "position": [0, 0, 0.9]}
PLACES = {  # a place on a body, the words about it, the point and the axis of the joint
    "face": ("block", (-0.12, -0.15, 0.2), (-0.12, -0.15, 0.2), "y"),
    "edge": ("block", (0.13, -0.15, 0.5), (0.13, -0.15, 0.5), "x"),
    "axis": ("roll", (0.1, -0.1060660, 1.0060660), (0.1, 0, 0.9), "x"),
}


def test_faces_edges_and_axes_give_a_joint_its_point_and_axis(person):  # noqa: F811
    put(person, {"bodies": {"block": BLOCK, "roll": ROLL}})
    for name, (body, place, point, axis) in PLACES.items():
        before = set(document(person).get("joints", {}))
        person.press("j")
        person.browser.wait_for("window.studio.drawing.tool === 'joint'")
        x, y = person.browser.evaluate(f"window.studio.picture.onScreen({list(place)})")
        person.mouse("mouseMoved", x, y, 0, 0)
        person.browser.wait_for(f"document.querySelector('.hint').textContent.startsWith('{name} of {body}:')")
        person.click_at(x, y)
        left, top = person.browser.evaluate(
            "(({ left, bottom }) => [left + 30, bottom - 30])(window.studio.picture.canvas.getBoundingClientRect())"
        )
        person.click_at(left, top)  # the ground
        person.browser.wait_for('!document.querySelector(".palette").hidden')
        person.write("Revolute")
        person.press("Enter")
        person.settled()
        (made,) = set(document(person)["joints"]) - before
        joint = document(person)["joints"][made]
        assert (joint["child"], joint["axis"]) == (body, axis), name
        assert joint["at"] == pytest.approx(point, abs=5e-3), name
    assert person.browser.errors == []


def test_bars_are_drawn_in_the_plane_that_one_looks_at(person):  # noqa: F811
    person.press("p")
    person.browser.wait_for("window.studio.drawing.tool === 'bars' && window.studio.picture.planeGrid.group.visible")
    person.click("button", "View from above (3)")
    first, second = (tuple(person.browser.evaluate(f"window.studio.picture.onScreen({p})")) for p in ([0, 0, 0], [0.2, 0.1, 0]))
    person.drag(first, second)
    person.settled()
    person.press("Escape")
    made = document(person)
    assert made["bodies"]["bar"]["shape"]["end"] == [0.2, 0.1, 0] and made["joints"]["J"]["axis"] == "z"
    assert not person.browser.evaluate("window.studio.picture.planeGrid.group.visible")


def test_a_bar_drawn_on_what_slides_is_hinged_to_it_and_not_to_the_ground(person):  # noqa: F811
    guide = {"type": "prismatic", "parent": "ground", "child": "block", "at": [0, 0, 0], "axis": "x"}
    put(person, {"bodies": {"block": BLOCK | {"position": [0, 0, 0]}}, "joints": {"guide": guide}})
    person.press("p")
    person.browser.wait_for("window.studio.drawing.tool === 'bars'")
    first, second = (tuple(person.browser.evaluate(f"window.studio.picture.onScreen({p})")) for p in ([0, 0, 0], [0.35, 0, 0.1]))
    person.drag(first, second)
    person.settled()
    person.press("Escape")
    assert [(one["parent"], one["child"]) for one in document(person)["joints"].values()] == [
        ("ground", "block"),
        ("block", "bar"),
    ]


def test_the_view_follows_when_a_body_grows_out_of_it(person):  # noqa: F811
    put(person, {"bodies": {"block": BLOCK}})
    person.click("treeitem", "block")
    person.fill("shape 1 size x", "8, 0.2, 0.1")
    person.settled()
    left, right = (person.browser.evaluate(f"window.studio.picture.onScreen([{x}, 0, 0.3])")[0] for x in (-4, 4))
    box = person.browser.evaluate("(({ left, right }) => [left, right])(window.studio.picture.canvas.getBoundingClientRect())")
    assert box[0] < left < right < box[1]
