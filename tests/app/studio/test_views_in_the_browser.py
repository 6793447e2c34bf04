"""The graph with its loops, and the assembly's correction, in headless Chromium."""

import tomllib

import numpy as np
import pytest
from tests.app.animation.browser import CHROMIUM
from tests.app.studio.documents import slider_crank
from tests.app.studio.test_assembly_correction import turned_crank
from tests.app.studio.test_studio_in_the_browser import person, put, studio  # noqa: F401

from sharnir.model.files.model_file import text_of

pytestmark = [pytest.mark.chromium, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]


def shown(person, script):  # noqa: F811
    return person.browser.evaluate(script)


def test_loops_are_listed_marked_and_lead_to_their_joints(person):  # noqa: F811
    put(person, tomllib.loads(text_of(slider_crank())))
    person.click("tab", "Graph")
    entry = shown(person, "document.querySelector('.loops').textContent")
    assert entry == "B–slide–O–Aplanar, cut at B, 5 equations"
    shown(person, "document.querySelector('[data-key=\"loop 0 slide\"]').focus()")
    marked = "[...document.querySelectorAll('.edge.loop')].map((edge) => edge.dataset.joint).sort()"
    assert shown(person, marked) == ["A", "B", "O", "slide"]
    person.press("Tab")  # to the next joint of the loop
    person.press("Enter")
    assert shown(person, "[...window.studio.selection]") == ["joints/O"]
    assert shown(person, "document.querySelector('.properties h2').textContent") == "O"
    assert shown(person, "document.activeElement.dataset.key") == "loop 0 O"
    assert shown(person, "document.querySelector('.tree .selected').dataset.id") == "joints/O"
    shown(person, "document.querySelector('.graph [data-body=rod]').focus()")
    person.press("Enter")
    assert shown(person, "[...window.studio.selection]") == ["bodies/rod"] and shown(person, f"{marked}.length") == 0
    redundant = "document.querySelector('.redundant')"
    assert shown(person, f"{redundant}.children.length") == 3
    shown(person, f"{redundant}.querySelector('button').focus()")
    person.press("Enter")
    assert shown(person, "[...window.studio.selection]") == ["joints/B"]
    assert person.browser.errors == []


def test_the_correction_of_a_drawing_is_shown_until_a_run_is(person):  # noqa: F811
    put(person, turned_crank())
    summary = "document.querySelector('.correction summary').textContent"
    assert shown(person, summary) == "Assembled: 2 bodies moved, rod most (24.5°)"
    assert shown(person, "window.studio.picture.drawnBodies.children.length") >= 2
    shown(person, "document.querySelector('.correction summary').focus()")
    person.press("Enter")
    person.browser.wait_for("document.querySelector('.correction details').open")
    table = shown(person, "document.querySelector('[aria-label=\"Corrected joints\"]').textContent")
    assert "slide" in table and "mm" in table and "°" in table
    person.click("checkbox", "Show where bodies were drawn")
    assert shown(person, "window.studio.picture.drawnBodies") is None
    person.click("button", "slider")
    assert shown(person, "[...window.studio.selection]") == ["bodies/slider"]
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
    assert shown(person, "document.querySelector('.correction').hidden")
    assert person.browser.errors == []


# The box that holds the sphere, drawn from the front; what is seen in its middle.
BLOCK = {
    "block": {"mass": 1, "shape": {"type": "box", "size": [0.4, 0.4, 0.4], "color": "#2060c0"}},
    "core": {"mass": 1, "shape": {"type": "sphere", "radius": 0.1, "color": "#f0c000"}, "position": [0, -0.05, 0]},
}


def test_a_section_opens_bodies_moves_and_ends(person):  # noqa: F811
    put(person, {"bodies": BLOCK})
    person.press("1")
    x, y = (int(c) for c in shown(person, "window.studio.picture.onScreen([0, 0, 0])"))
    patch = (slice(y - 6, y + 7), slice(x - 6, x + 7))
    picked = f"window.studio.picture.pick({{ clientX: {x}, clientY: {y} }})"

    def seen():
        person.browser.evaluate("new Promise((done) => setTimeout(done, 300))")
        return person.browser.picture()[patch].mean(axis=(0, 1))

    whole = seen()
    assert whole[2] > whole[0] + 40 and shown(person, f"{picked}.name") == "block"  # the blue box
    person.press("c")
    assert shown(person, "(({ axis, at, flipped }) => [axis, at, flipped])(window.studio.picture.section)") == ["y", 0, True]
    cut = seen()
    assert cut[0] > cut[2] + 40  # the sphere inside it is cut, too, and looks filled
    assert shown(person, f"{picked}.name") == "core"
    assert abs(shown(person, f"{picked}.place.y")) < 1e-9  # on the cut
    person.click("textbox", "Place of the section in metres")
    person.write("6 cm")
    person.press("Enter")
    assert shown(person, "window.studio.picture.section.at") == 0.06
    behind = seen()
    assert behind[2] > behind[0] + 40 and shown(person, f"{picked}.name") == "block"  # behind the sphere the box is solid
    person.click("slider", "Place of the section")
    at = shown(person, "window.studio.picture.section.at")
    person.press("ArrowUp")
    assert shown(person, "window.studio.picture.section.at") > at
    person.choose("Axis of the section", "x")
    assert shown(person, "window.studio.picture.section.axis") == "x"
    person.click("treeitem", "block")
    person.fill("mass", "2")  # the picture is drawn anew with the section
    person.settled()
    assert shown(person, "window.studio.picture.section.fillings.length") == 2
    person.click("button", "End the section (C)")
    assert np.abs(seen() - whole).max() < 60 and shown(person, f"{picked}.name") == "block"
    assert shown(person, "window.studio.picture.section.fillings.length") == 0
    assert person.browser.errors == []
