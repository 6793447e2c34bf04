"""Mechanisms built from an empty page in headless Chromium, by mouse and keyboard only, and the tools that build them."""

import numpy as np
import pytest
from tests.app.animation.browser import CHROMIUM
from tests.app.studio.mechanisms import landing_leg, rover
from tests.app.studio.person import CTRL
from tests.app.studio.test_studio_in_the_browser import document, person, put, studio  # noqa: F401

import sharnir as sr

pytestmark = [pytest.mark.chromium, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]


def run_and_save(person, name, channel):  # noqa: F811
    """Run, plot a channel, save: the model of the file, and the curve of the plot."""
    person.settled()
    assert person.browser.evaluate("window.studio.problems") == []
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
    person.fill("Add a channel to the plots", channel)
    person.browser.wait_for("document.querySelector('.chart canvas')")
    person.press("s", CTRL)
    person.browser.wait_for('!document.querySelector(".prompt").hidden')
    person.write(name)
    person.press("Enter")
    person.browser.wait_for(f"window.studio.document.name === '{name}.toml' && !window.studio.document.dirty")
    curve = person.browser.evaluate(f"window.studio.curves('A', ['{channel}'])")["curves"][0]
    assert person.browser.errors == []
    assert abs(person.browser.evaluate("window.studio.picture.ground.level")) < 0.02  # both stand on the plane at height zero
    return sr.Model.load(person.folder / f"{name}.toml"), np.array(curve["values"])


def choose_elements(person, *names):  # noqa: F811
    person.click("treeitem", names[0])
    for name in names[1:]:
        person.click("treeitem", name, modifiers=CTRL)


def copies(person, *numbers):  # noqa: F811
    """Copies of what is selected, in a row."""
    person.click("button", "Along a line")
    person.browser.wait_for("document.activeElement?.getAttribute('aria-label') === 'copies'")
    person.write(", ".join(map(str, numbers)))
    person.press("Enter")
    person.settled()


def test_a_rover_of_13_bodies_is_built_from_one_leg(person):  # noqa: F811
    person.add("bodies", "Body", "chassis")
    person.fill("mass", "18")
    person.fill("shape 1 size x", "1.2, 0.5, 0.1")
    person.fill("position x", "0, 0, 0.25")
    person.add("bodies", "Body", "arm")
    person.fill("mass", "800 g")
    person.choose("shape 1", "Rod")
    person.fill("shape 1 end x", "-0.2, 0, -0.15")
    person.fill("position x", "0.6, 0.3, 0.25")
    person.add("bodies", "Body", "rim")
    person.fill("mass", "1.2")
    person.choose("shape 1", "Cylinder")
    person.fill("shape 1 radius", "10 cm")
    person.fill("shape 1 length", "6 cm")
    person.choose("shape 1 axis", "y")
    person.fill("position x", "0.4, 0.3, 0.1")
    for name, parent, child in (("hinge", "chassis", "arm"), ("axle", "arm", "rim")):
        person.add("joints", "Revolute", name)
        person.choose("parent", parent)
        person.choose("child", child)
        person.choose("axis", "y")
    person.add("forces and contacts", "Torsion spring", "shock")
    person.choose("joint", "hinge")
    person.fill("stiffness", "120")
    person.fill("damping", "6")
    person.add("forces and contacts", "A wheel on a plane", "tyre")
    person.choose("wheel", "rim")
    person.fill("radius", "0.1")
    person.choose("law", "Linear law")
    person.fill("law stiffness", "20000")
    person.fill("law damping", "100")
    person.fill("tyre longitudinal", "600")
    person.fill("tyre cornering", "500")
    person.add("forces and contacts", "Joint force", "drive")
    person.choose("joint", "axle")
    person.fill("torque", "2*(8 - v)")
    leg = ("arm", "rim", "hinge", "axle", "shock", "tyre", "drive")
    choose_elements(person, *leg)
    copies(person, 2, -0.4, 0, 0)
    choose_elements(person, *(f"{name}{n}" for n in ("", "2", "3") for name in leg))
    copies(person, 1, 0, -0.6, 0)
    person.click("treeitem", "Run settings")
    person.fill("t_end", "0.5")
    saved, curve = run_and_save(person, "rover", "chassis.position.x")
    assert len(document(person)["bodies"]) == 13
    assert saved == rover()
    assert np.array_equal(curve, rover().simulate(0.5)["chassis.position.x"])


def test_an_elastic_landing_leg_is_built_and_strikes_the_ground(person):  # noqa: F811
    person.add("bodies", "Body", "aircraft")
    person.fill("mass", "400 kg")
    person.fill("shape 1 size x", "0.6, 0.6, 0.2")
    person.fill("position x", "0, 0, 1.4")
    person.click("tab", "Library")
    person.click("button", "Add straight beam")
    person.click("tab", "Model")
    person.rename("leg")
    person.fill("reduced fe end x", "0.3, 0, -1")
    person.fill("reduced fe section radius", "3 cm")
    person.choose("reduced damping kind", "part of critical damping")
    person.fill("reduced damping", "0.02")
    person.click("button", "More fields", exact=False)
    person.fill("position x", "0, 0, 1.3")
    person.click("button", "Fewer fields")
    person.click("tab", "Library")
    person.click("button", "Add sphere")
    person.click("tab", "Model")
    person.rename("foot")
    person.fill("mass", "8")
    person.fill("shape 1 radius", "0.1")
    person.fill("position x", "0.3, 0, 0.3")
    person.add("joints", "Prismatic", "flight")
    person.choose("child", "aircraft")
    person.choose("axis", "z")
    person.click("button", "More fields", exact=False)
    person.fill("v", "-1")
    person.click("button", "Fewer fields")
    for name, parent, child in (("mount", "aircraft", "leg:root"), ("ankle", "leg:tip", "foot")):
        person.add("joints", "Fixed", name)
        person.choose("parent", parent)
        person.choose("child", child)
    person.add("forces and contacts", "Contact", "touch")
    person.choose("a", "foot")
    person.choose("b", "ground")
    person.choose("shape_b", "Plane")
    person.fill("law stiffness", "3e7")
    person.click("treeitem", "Run settings")
    person.fill("t_end", "0.25")
    saved, curve = run_and_save(person, "leg", "touch.force")
    assert saved == landing_leg()
    result = landing_leg().simulate(0.25)
    assert np.array_equal(curve, result["touch.force"]) and np.abs(curve).max() > 1e3
    assert person.browser.evaluate("Math.max(...window.studio.picture.deformation.range.map(Math.abs))") > 1e-4
