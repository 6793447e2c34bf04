"""The tour of the guide: what somebody does at the page, step by step; each step leaves the screen as its picture shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

from tests.app.studio.person import ALT, Person
from tests.app.studio.test_assembly_correction import turned_crank

CORNERS = [(-0.3, 0, 0), (-0.3, 0, 0.2), (0.3, 0, 0.5), (0.4, 0, 0)]


def start(person: Person) -> None:
    """An empty model: three beginnings, and the gallery."""
    person.browser.wait_for("document.querySelectorAll('.demo').length > 5")


def draw(person: Person) -> None:
    """A four-bar, drawn with the mouse in a plane."""
    person.press("p")
    person.browser.wait_for("window.studio.drawing.tool === 'bars'")
    for a, b in pairwise(CORNERS):
        first, second = (person.browser.evaluate(f"window.studio.picture.onScreen({list(p)})") for p in (a, b))
        person.drag(tuple(first), tuple(second), modifiers=ALT if b == CORNERS[-1] else 0)
        person.settled()
    assert person.browser.evaluate("window.studio.found.freedoms") == 1


def properties(person: Person) -> None:
    """A drive is typed; a slip is told while it is typed."""
    person.press("Escape")
    person.click("treeitem", "J")
    person.click("button", "More fields", exact=False)
    person.click("textbox", "motion")
    person.write("2*pi*tt")
    person.browser.wait_for("document.querySelector('[data-field=\"joints.J.motion\"] .problem pre')")


def graph(person: Person) -> None:
    """The drive is right; the loop of the mechanism is marked in its graph."""
    person.write("2*pi*t")
    person.press("Enter")
    person.settled()
    assert person.browser.evaluate("window.studio.problems") == []
    person.click("button", "Fewer fields")
    person.click("tab", "Graph")
    person.click("button", "Fit the view (F)")
    person.browser.evaluate("document.querySelector('.loops button').focus()")
    assert person.browser.evaluate("document.querySelectorAll('.edge.loop').length") == 4


def run(person: Person) -> None:
    """Two runs, compared in the picture and in the plots."""
    person.click("tab", "Properties")
    person.click("treeitem", "Run settings")
    person.fill("t_end", "2")
    person.settled()
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
    person.click("treeitem", "J")
    person.fill("motion", "5*t")
    person.settled()
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 2 && !window.studio.running.going")
    person.click("checkbox", "Compare run A")
    for name in ("J.q", "J2.q"):
        person.click("button", f"Remove {name} from the plots")
    person.fill("Add a channel to the plots", "bar3.angular_velocity.y")
    person.browser.evaluate("window.studio.timeline.seek(0.35)")
    person.browser.wait_for("document.querySelector('.chart canvas')")


def assembly(person: Person) -> None:
    """A drawing whose loop does not close: what the assembly has corrected."""
    person.browser.evaluate(f"window.studio.load({json.dumps(turned_crank())}, 'slider-crank.toml')")
    person.settled()
    person.click("button", "Light or dark")
    person.click("treeitem", "O")
    person.click("button", "Show or hide the bottom pane")
    person.click("button", "Fit the view (F)")
    if not person.browser.evaluate("document.querySelector('.correction details').open"):
        person.browser.evaluate("document.querySelector('.correction summary').click()")
    person.browser.wait_for("document.querySelector('[aria-label=\"Corrected bodies\"]')")


STEPS: dict[str, Callable[[Person], None]] = {
    "start": start,
    "draw": draw,
    "properties": properties,
    "graph": graph,
    "run": run,
    "assembly": assembly,
}
