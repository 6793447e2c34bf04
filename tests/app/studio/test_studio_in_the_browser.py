"""The studio's page in headless Chromium, by mouse and keyboard only."""

import copy
import json
import os
from itertools import pairwise

import numpy as np
import pytest
from tests.app.animation.browser import CHROMIUM, Browser
from tests.app.studio.documents import PENDULUM, slider_crank
from tests.app.studio.person import CTRL, SHIFT, Person
from tests.app.studio.test_server import served

import sharnir as sr

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    with served(folder) as (client, _):
        browser = Browser(tmp_path_factory.mktemp("chromium"), (1366, 768), timeout=240.0)
        try:
            yield browser, f"{str(client.base_url).rstrip('/')}/?token={client.token}", folder
        finally:
            browser.close()


@pytest.fixture
def person(studio):
    browser, address, _ = studio
    browser.call("Page.navigate", url="about:blank")
    browser.errors.clear()
    somebody = Person(browser, address)
    somebody.folder = studio[2]
    yield somebody
    browser.evaluate("window.onbeforeunload = null; window.studio.document.markSaved(window.studio.document.name)")
    for kept in studio[2].glob(".*autosave"):
        kept.unlink()


def document(person):
    return json.loads(person.browser.evaluate("JSON.stringify(window.studio.document.data)"))


def put(person, data):
    """A document to begin with, as if it had been opened."""
    person.browser.evaluate(f"window.studio.load({json.dumps(data)}, '')")
    person.settled()


def test_a_slider_crank_is_built_run_and_saved(person):
    person.add("bodies", "Body", "crank")
    person.fill("mass", "0.4")
    person.choose("shape 1", "Rod")
    person.fill("shape 1 end x", "0.15")
    person.add("bodies", "Body", "rod")
    person.fill("mass", "200 g")
    person.choose("shape 1", "Rod")
    person.fill("shape 1 end x", "0.35")
    person.fill("position x", "15 cm")
    person.add("bodies", "Body", "slider")
    person.fill("mass", "0.1")
    person.fill("shape 1 size x", "0.1, 0.08, 0.08")
    person.fill("position x", "0.5")
    for name, parent, child, x in (("O", "ground", "crank", None), ("A", "crank", "rod", "0.15"), ("B", "rod", "slider", "0.5")):
        person.add("joints", "Revolute", name)
        person.choose("parent", parent)
        person.choose("child", child)
        person.choose("axis", "y")
        if x or name == "O":
            person.click("button", "More fields", exact=False)
        if x:
            person.fill("at x", x)
        if name == "O":
            person.fill("motion", "10*t")
        person.click("button", "Fewer fields")
    person.add("joints", "Prismatic", "slide")
    person.choose("child", "slider")
    person.choose("axis", "x")
    person.settled()
    assert person.browser.evaluate("window.studio.problems") == []
    assert person.browser.evaluate("window.studio.found.freedoms") == 0
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
    person.fill("Add a channel to the plots", "slide.q")
    person.browser.wait_for("document.querySelector('.chart canvas')")
    person.press("s", CTRL)
    person.browser.wait_for('!document.querySelector(".prompt").hidden')
    person.write("crank")
    person.press("Enter")
    person.browser.wait_for("window.studio.document.name === 'crank.toml' && !window.studio.document.dirty")
    saved = sr.Model.load(person.folder / "crank.toml")
    assert saved == slider_crank()
    shown = person.browser.evaluate("window.studio.curves('A', ['slide.q'])")["curves"][0]
    result = slider_crank().simulate(5.0)
    assert np.array_equal(shown["values"], result["slide.q"])
    assert person.browser.errors == []


# edits as the commands of the page make them, `n` at random, `k` their number; each may be a promise
EDITS = """((n, k) => {
  const { studio } = window;
  const { document, drawing, layout, palette } = studio;
  const some = (list) => list[n % list.length];
  const all = ["bodies", "joints", "forces", "constraints", "signals", "events", "parameters"];
  const sections = all.filter((one) => document.names(one).length);
  const [section, body] = [some(sections), some(document.names("bodies"))];
  const name = some(document.names(section));
  const select = () => (studio.selection = new Set([`${section}/${name}`]));
  const [word, record] = some([...studio.records]);
  const field = some(studio.recordOf(section, name)?.fields ?? [{ name: "value" }]);
  return [
    () => document.set(["bodies", body, "mass"], k + 1),
    () => document.set(["parameters", "slid"], k, "slide", "slide"),
    () => document.set([section, name, field.name], some([undefined, 0.5 * k, "2*l", [1, 2, k], { x: [0, k], y: [0, 1] }])),
    () => studio.addElement(word.split("/")[0], record),
    () => (select(), studio.duplicate()),
    () => (select(), studio.copies("line"), drawing.typed.act?.([2, 0.1, 0, k])),
    () => (select(), studio.copies("axis"), drawing.typed.act?.([1, 10, 0, 0, 1])),
    () => studio.moved(body, [0.1 * k, 0, 1], [0.8, 0, 0.6, 0]),
    () => studio.turned(body, [k, 2, 3]),
    () => drawing.makeBar({ world: [0, 0, k] }, { world: [1, 0, k], body }, [true, false]),
    () => (studio.rename(`${section}/${name}`), (layout.promptBox.hidden = true), layout.act(`n${k}`)),
    () => (select(), studio.remove(), palette.box.hidden || palette.choose(n % 2)),
  ][k % 12]();
})"""


def test_undo_gives_the_same_bytes_back(person):
    put(person, PENDULUM)
    bytes_now, steps = "JSON.stringify(window.studio.document.data)", "window.studio.document.past.length"
    states = {0: person.browser.evaluate(bytes_now)}
    rng = np.random.default_rng(5)
    for k in rng.permutation(200):
        if not person.browser.evaluate("window.studio.document.names('bodies').length"):
            person.browser.evaluate("void window.studio.command('add-body')")
            states[person.browser.evaluate(steps)] = person.browser.evaluate(bytes_now)
        person.browser.evaluate(f"Promise.resolve({EDITS}({int(rng.integers(1000))}, {k})).then(() => null)")
        states[person.browser.evaluate(steps)] = person.browser.evaluate(bytes_now)  # sliding is one step
    assert len(states) > 150 and list(states) == list(range(len(states)))
    expected = list(states.values())
    assert len(set(expected)) > 140
    for state in reversed(expected[:-1]):
        person.press("z", CTRL)
        assert person.browser.evaluate(bytes_now) == state
    for state in expected[1:]:
        person.press("Z", CTRL | SHIFT)
        assert person.browser.evaluate(bytes_now) == state
    assert person.browser.errors == []


def test_a_wrong_value_is_told_beside_its_field_and_linked(person):
    put(person, PENDULUM)
    person.click("treeitem", "bob")
    for value, words in (("3 mm", "mm is not a unit of this field, which is in kg"), ("-1", "negative")):
        person.fill("mass", value)
        person.settled()
        person.place("treeitem", "bob, has a problem")
        told = person.browser.evaluate("document.querySelector('[data-field=\"bodies.bob.mass\"] .problem').textContent")
        assert words in told
    person.click("tab", "Messages", exact=False)
    person.click("treeitem", "Run settings")
    person.click("button", "bodies.bob.mass")
    assert person.browser.evaluate("document.activeElement.getAttribute('aria-label')") == "mass"
    person.write("2 kg")
    person.press("Enter")
    person.settled()
    assert person.browser.evaluate("window.studio.problems") == []


def test_bars_drawn_in_a_plane_become_a_four_bar(person):
    person.press("p")
    person.browser.wait_for("window.studio.drawing.tool === 'bars'")
    corners = [(-0.2, 0, 0), (-0.2, 0, 0.2), (0.2, 0, 0.3), (0.2, 0, 0)]
    for a, b in pairwise(corners):
        start, end = (person.browser.evaluate(f"window.studio.picture.onScreen({list(p)})") for p in (a, b))
        person.drag(tuple(start), tuple(end), modifiers=1 if b == corners[-1] else 0)
        person.settled()
    person.press("Escape")
    made = document(person)
    assert len(made["bodies"]) == 3
    assert sum("ground" in (j["parent"], j["child"]) for j in made["joints"].values()) == 2 and len(made["joints"]) == 4
    assert person.browser.evaluate("window.studio.found.freedoms") == 1


def test_the_picture_shows_what_is_picked_and_the_look_changes(person, tmp_path):
    put(person, PENDULUM)
    person.click("button", "Fit the view (F)")
    x, y = person.browser.evaluate("window.studio.picture.onScreen(window.studio.found.poses.bob.slice(0, 3))")
    person.click_at(x, y)
    assert person.browser.evaluate("[...window.studio.selection]") == ["bodies/bob"]
    solid = person.browser.picture()
    person.press("x")  # the floor is seen through the body
    assert np.abs(person.browser.picture() - solid)[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4].mean() > 5
    person.press("x")
    light = person.browser.picture().mean()
    person.click("button", "Light or dark")
    assert person.browser.picture().mean() < light - 60
    person.click("button", "Light or dark")


def test_edits_are_not_left_without_a_question(person):
    put(person, PENDULUM)
    person.click("treeitem", "bob")
    person.fill("mass", "3")
    person.settled()
    person.click("button", "New model")
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    person.press("Escape")
    assert document(person)["bodies"]["bob"]["mass"] == 3
    person.click("button", "New model")
    person.press("Enter")  # save first
    person.browser.wait_for('!document.querySelector(".prompt").hidden')
    person.write("left")
    person.press("Enter")
    person.browser.wait_for("!window.studio.document.data.bodies")
    assert sr.Model.load(person.folder / "left.toml").bodies["bob"].mass == 3


def test_rows_of_the_tree_are_selected_from_one_to_another(person):
    put(person, {"bodies": {name: {"mass": 1} for name in "abcd"}})
    person.click("treeitem", "b")
    person.click("treeitem", "d", modifiers=SHIFT)
    assert person.browser.evaluate("[...window.studio.selection]") == ["bodies/b", "bodies/c", "bodies/d"]
    person.click("treeitem", "c", modifiers=CTRL)
    assert person.browser.evaluate("[...window.studio.selection]") == ["bodies/b", "bodies/d"]
    person.fill("mass", "2")
    assert [body["mass"] for body in document(person)["bodies"].values()] == [1, 2, 1, 2]


def test_renaming_and_deleting_follow_references(person):
    put(person, PENDULUM)
    person.click("treeitem", "bob")
    person.rename("ball")
    assert document(person)["joints"]["O"]["child"] == "ball"
    person.click("treeitem", "ball")
    person.press("Delete")
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    person.press("Enter")
    person.browser.wait_for("!window.studio.document.data.bodies")
    assert "joints" not in document(person)
    person.press("z", CTRL)
    assert document(person)["joints"]["O"]["child"] == "ball"


def test_what_is_not_saved_comes_back_after_a_reload(person):
    edited = copy.deepcopy(PENDULUM)
    put(person, edited)
    person.click("treeitem", "bob")
    person.fill("mass", "7")
    person.browser.wait_for("true")
    deadline = 100
    while not list(person.folder.glob(".*autosave")) and deadline:
        deadline -= 1
        person.browser.evaluate("new Promise((done) => setTimeout(done, 200))")
    person.browser.evaluate("window.studio.document.markSaved('')")
    again = Person(person.browser, person.browser.evaluate("location.href"))
    assert document(again)["bodies"]["bob"]["mass"] == 7


def test_a_file_that_another_program_has_changed_is_neither_replaced_nor_forgotten(person):
    file = person.folder / "shared.toml"
    file.write_text("[bodies.bob]\nmass = 1 # kg\n")
    person.browser.evaluate("studio.openFile('shared.toml')")
    person.settled()
    written(file, "[bodies.bob]\nmass = 2 # kg\n")
    person.browser.evaluate("void window.dispatchEvent(new Event('focus'))")  # somebody comes back to the page
    person.browser.wait_for("studio.document.data.bodies.bob.mass === 2 && !studio.document.dirty")
    person.press("z", CTRL)
    person.browser.wait_for("studio.document.data.bodies.bob.mass === 1")
    written(file, "[bodies.bob]\nmass = 3 # kg\n")
    person.press("s", CTRL)
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    assert "mass = 3" in file.read_text()
    person.press("Enter")  # load it
    person.browser.wait_for("studio.document.data.bodies.bob.mass === 3 && !studio.document.dirty")
    person.press("z", CTRL)
    assert document(person)["bodies"]["bob"]["mass"] == 1
    for _ in range(2):  # twice at once: the second is no conflict with the first
        person.press("s", CTRL)
    person.browser.evaluate("studio.file.writing.then(() => null)")
    assert not person.browser.evaluate("studio.document.dirty")
    assert file.read_text() == "[bodies.bob]\nmass = 1 # kg\n"
    written(file, "[bodies.bob]\nmass = 4 # kg\n")
    person.click("treeitem", "bob")
    person.fill("mass", "5")
    person.press("s", CTRL)
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    person.write("replace")
    person.press("Enter")
    person.browser.wait_for("!studio.document.dirty")
    assert file.read_text() == "[bodies.bob]\nmass = 5 # kg\n"
    (person.folder / "taken.toml").write_text("[bodies.other]\nmass = 1\n")
    person.press("S", CTRL | SHIFT)
    person.browser.wait_for('!document.querySelector(".prompt").hidden')
    person.write("taken")
    person.press("Enter")
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    person.press("Escape")
    assert "other" in (person.folder / "taken.toml").read_text()
    assert person.browser.evaluate("studio.document.name") == "shared.toml" and person.browser.errors == []


def written(file, text):
    """An editor writes the file, later than anybody before."""
    before = file.stat().st_mtime
    file.write_text(text)
    os.utime(file, (before + 5, before + 5))
