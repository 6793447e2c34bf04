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


def copies(person, *numbers, way="Along a line"):  # noqa: F811
    """Copies of what is selected, in a row or around an axis."""
    person.click("button", way)
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
    person.fill("law stiffness", "3e7")  # a contact begins with the ground as a plane, and the newest body
    person.click("treeitem", "Run settings")
    person.fill("t_end", "0.25")
    saved, curve = run_and_save(person, "leg", "touch.force")
    assert saved == landing_leg()
    result = landing_leg().simulate(0.25)
    assert np.array_equal(curve, result["touch.force"]) and np.abs(curve).max() > 1e3
    assert person.browser.evaluate("Math.max(...window.studio.picture.deformation.range.map(Math.abs))") > 1e-4


def type_point(person, *numbers):  # noqa: F811
    """A point by the keyboard instead of the mouse: the first digit goes to where points are typed."""
    person.press("0")
    person.browser.wait_for("document.activeElement?.getAttribute('aria-label') === 'x'")
    person.write(", ".join(map(str, numbers)))
    person.press("Enter")
    person.settled()


def test_ends_of_bars_are_typed_and_hinged_where_they_meet(person):  # noqa: F811
    person.press("p")
    person.browser.wait_for("window.studio.drawing.tool === 'bars'")
    for point in ((0, 0, 0), (0.03, 0, 0.41), (0.03, 0, 0.41), (0.617, 0, 0.2), (1, 0, 0), (1.3, 0, 0)):
        type_point(person, *point)
    made = document(person)
    assert [body["position"] for body in made["bodies"].values()] == [[0, 0, 0], [0.03, 0, 0.41], [1, 0, 0]]
    assert [body["shape"]["end"] for body in made["bodies"].values()] == [[0.03, 0, 0.41], [0.587, 0, -0.21], [0.3, 0, 0]]
    joints = [(joint["parent"], joint["child"], joint["at"]) for joint in made["joints"].values()]
    assert joints == [("ground", "bar", [0, 0, 0]), ("bar", "bar2", [0.03, 0, 0.41])]
    type_point(person, 2, 0, 0)
    person.press("Escape")
    person.press("p")
    type_point(person, 3, 0, 0)
    assert len(document(person)["bodies"]) == 3  # a first end that was given up is forgotten
    person.press("Escape")


def test_a_joint_snaps_to_the_corner_of_a_box(person):  # noqa: F811
    put(
        person, {"bodies": {"block": {"mass": 2, "shape": {"type": "box", "size": [0.37, 0.2, 0.11]}, "position": [0.2, 0, 0.3]}}}
    )
    corner = [0.385, -0.1, 0.355]
    person.press("j")
    person.browser.wait_for("window.studio.drawing.tool === 'joint'")
    x, y = person.browser.evaluate(f"window.studio.picture.onScreen({corner})")
    person.mouse("mouseMoved", x - 5, y + 4, 0, 0)  # near it
    person.browser.wait_for("document.querySelector('.hint').textContent.startsWith('corner of block: 0.385, -0.1, 0.355')")
    person.click_at(x - 5, y + 4)
    left, top = person.browser.evaluate(
        "(({ left, bottom }) => [left + 40, bottom - 40])(window.studio.picture.canvas.getBoundingClientRect())"
    )
    person.click_at(left, top)  # nothing is there: the ground
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    person.write("Ball")
    person.press("Enter")
    person.settled()
    (joint,) = document(person)["joints"].values()
    assert joint == {"type": "ball", "parent": "ground", "child": "block", "at": corner}


def test_copies_in_a_row_and_around_an_axis_take_their_joints_along(person):  # noqa: F811
    bob = {"mass": 1, "position": [0.5, 0, -0.4]}
    hinge = {"type": "revolute", "parent": "ground", "child": "bob", "at": [0.5, 0, 0], "axis": "y"}
    put(person, {"bodies": {"bob": bob}, "joints": {"hinge": hinge}})
    choose_elements(person, "bob", "hinge")
    copies(person, 3, 90, 0, 0, 1, way="Around an axis")
    around = document(person)
    assert [joint["at"] for joint in around["joints"].values()] == [[0.5, 0, 0], [0, 0.5, 0], [-0.5, 0, 0], [0, -0.5, 0]]
    assert [joint["child"] for joint in around["joints"].values()] == ["bob", "bob2", "bob3", "bob4"]
    assert [joint["axis"] for joint in around["joints"].values()] == ["y", "-x", "-y", "x"]
    person.press("z", CTRL)  # all copies are one edit
    assert list(document(person)["bodies"]) == ["bob"]
    choose_elements(person, "bob", "hinge")
    copies(person, 4, 0, 0.1, 0)
    row = document(person)
    assert [body["position"] for body in row["bodies"].values()] == [[0.5, y, -0.4] for y in (0, 0.1, 0.2, 0.3, 0.4)]
    assert [joint["at"] for joint in row["joints"].values()] == [[0.5, y, 0] for y in (0, 0.1, 0.2, 0.3, 0.4)]
    assert (
        person.browser.evaluate("window.studio.problems") == [] and person.browser.evaluate("window.studio.found.freedoms") == 5
    )


# Where the arrow of the gizmo along an axis of the picture is on the screen.
ARROW = """((axis) => {
  const { picture } = studio, { camera } = picture.stage, at = picture.gizmo.object.position.toArray();
  const far = Math.hypot(...camera.position.toArray().map((x, k) => x - at[k]));
  const reach = 0.4 * far * 1.9 * Math.tan((Math.PI * camera.fov) / 360) * picture.gizmo.size / 4;
  return picture.onScreen(at.map((x, k) => x + reach * axis[k]));
})"""


def test_the_gizmo_moves_a_body_freely_and_with_ctrl_in_steps(person):  # noqa: F811
    block = {"mass": 1, "position": [0.013, 0, 0.2], "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}}
    put(person, {"bodies": {"block": block}})
    person.press("1")
    person.click("treeitem", "block")
    person.press("g")
    person.browser.wait_for("studio.picture.gizmo.object")
    places = []
    for modifiers in (0, CTRL):
        x, y = person.browser.evaluate(f"{ARROW}([1, 0, 0])")
        person.drag((x, y), (x + 77, y), modifiers)
        person.settled()
        places.append(document(person)["bodies"]["block"]["position"])
        person.press("g")
    step = person.browser.evaluate("studio.picture.ground.cell / 5")
    (free, *rest), (stepped, *same) = places
    assert free > 0.03 and rest == same == [0, 0.2]
    assert stepped > free and abs(stepped / step - round(stepped / step)) < 1e-6
    person.press("w")
    assert person.browser.evaluate("studio.picture.gizmo.space") == "local"
    assert "axes of the body" in person.browser.evaluate("document.querySelector('.hint').textContent")
    person.press("w")
    person.press("Escape")
    assert person.browser.errors == []
