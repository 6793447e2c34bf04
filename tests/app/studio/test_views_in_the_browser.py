"""The graph with its loops, and the assembly's correction, in headless Chromium."""

import tomllib

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
