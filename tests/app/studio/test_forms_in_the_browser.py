"""Forms in headless Chromium: every field shows what the document has, takes what is typed, and has its faults below it."""

import copy
import json
import shutil
from pathlib import Path

import pytest
from tests.app.animation.browser import CHROMIUM
from tests.app.studio.documents import PENDULUM
from tests.app.studio.field_values import Case, cases
from tests.app.studio.person import CTRL
from tests.app.studio.test_studio_in_the_browser import document, person, put, studio  # noqa: F401

from sharnir.app.studio.examination import examine

pytestmark = [pytest.mark.chromium, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]

FORM = """
const find = (place) => window.document.querySelector(`[data-field="${CSS.escape(place.join("."))}"]`);
const show = (place) => {
  window.studio.properties.all = true;
  window.studio.select(["simulation", "model", "base_motion"].includes(place[0]) ? place[0] : place.slice(0, 2).join("/"));
  return find(place);
};
const row = (document, place) => {
  window.studio.load(document, "");
  return show(place);
};
const controls = (found) => [...found.querySelectorAll("input:not([type=color]), select, textarea")]
  .filter((one) => !one.matches(".adder, [hidden]"));
const at = (place) => JSON.stringify(place.reduce((inner, key) => inner?.[key], window.studio.document.data));
const text = (one) => (one.type === "checkbox" ? one.checked : one.value);
const NUMBER = /"(-?[\\d.]+)"/g;
const change = (one) => one.dispatchEvent(new Event("change", { bubbles: true }));
"""
# Whether the form of a field shows a right value whole, and whether the same value can be typed into an empty form.
TAKES = """(([full, empty, place]) => {
  const shown = row(full, place);
  if (!shown) return "there is no such field";
  const given = at(place);
  const kept = controls(shown).map(text);
  for (let k = 0; k < kept.length; k++) {
    const one = controls(find(place))[k];
    const name = one.getAttribute("aria-label");
    if (one.tagName === "SELECT" && one.selectedIndex < 0) return `${name} shows nothing`;
    if (one.tagName !== "SELECT" && one.type !== "checkbox") change(one);
    if (at(place) !== given) return `leaving ${name} as it is makes ${at(place)} of ${given}`;
  }
  const form = row(empty, place);
  if (!form || !kept.length || controls(form).length !== kept.length) return "other form";
  for (let k = 0; k < kept.length; k++) {
    const one = controls(find(place))[k];
    if (text(one) === kept[k]) continue;
    if (one.type === "checkbox") one.checked = kept[k];
    else one.value = kept[k];
    change(one);
  }
  const isDefault = at(place) === undefined && kept.join() === controls(find(place)).map(text).join();
  const same = at(place)?.replace(NUMBER, "$1") === given.replace(NUMBER, "$1"); // 0.3 and "0.3" are the same
  return same || isDefault ? "typed" : `${kept.join(" | ")} gives ${at(place)} instead of ${given}`;
})"""
TOLD = """((place) => [(show(place)?.querySelector(".problem") ?? {}).textContent ?? "", at(place)])"""


def on_page(person, script, given):  # noqa: F811
    return person.browser.evaluate(f"(() => {{ {FORM} return {script}({json.dumps(given)}); }})()")


def without_field(case: Case):
    """The document of a case as it is before its field is given."""
    inner = found = json.loads(json.dumps(case.document))
    for key in case.place[:-1]:
        inner = inner[key]
    if isinstance(inner, dict):
        inner.pop(case.place[-1], None)
    return found


# a mechanism with something of everything that new elements refer to
BEGUN = {
    "parameters": {"p": 1},
    "bodies": {
        "carriage": {"mass": 1, "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}},
        "arm": {"mass": 5, "shape": {"type": "sphere", "radius": 0.1}, "position": [0.5, 0, 0.3]},
    },
    "joints": {
        "hinge": {"type": "revolute", "parent": "carriage", "child": "arm", "axis": "y"},
        "slide": {"type": "prismatic", "parent": "ground", "child": "carriage", "axis": "x"},
    },
    "forces": {"pull": {"type": "spring", "a": "ground", "b": "arm", "at_a": [2, 0, 0], "stiffness": 10}},
    "signals": {"level": {"type": "integral", "input": "1"}},
    "events": {"late": {"at": 1, "actions": [{"type": "stop"}]}},
}
# What each kind of the library begins with; names of controls that a screen reader could not tell.
BEGINNINGS = """(() => {
  const { studio } = window;
  const nameless = (e) => !(e.getAttribute("aria-label") || e.getAttribute("title") || e.labels?.[0]?.textContent
    || (e.matches("button, summary, [role=dialog]") && e.textContent) || e.closest("[hidden]"));
  const controls = "button, input, select, textarea, summary, canvas, [role=slider], [role=treeitem], [tabindex='0']";
  const unnamed = (pane) => [...pane.querySelectorAll(controls)].filter(nameless).map((e) => e.outerHTML.slice(0, 200));
  studio.properties.all = true;
  studio.check = () => null; // this is about what is on the page
  return studio.library.groups().filter(([title]) => title !== "Parameters").flatMap(([, entries]) => entries).map((entry) => {
    entry.act(false);
    const found = { sign: entry.sign, about: entry.about, document: studio.document.data };
    found.nameless = unnamed(entry.sign === "shape/box" ? studio.root : studio.layout.panes.properties);
    studio.document.undo();
    return found;
  });
})()"""
# they need a file, or a joint with a drive, or a drawing that meets a curve or a plane
NOT_YET = {"shape/mesh", "fe/solid", "fe/fe-file", "variable/joint-drive"}
NOT_YET |= {f"constraints/{kind}" for kind in ("point-on-curve", "rolling-disc", "rolling-ball")}


def test_every_kind_of_the_library_begins_without_problems_and_every_control_has_a_name(person):  # noqa: F811
    put(person, BEGUN)
    begun = person.browser.evaluate(BEGINNINGS)
    assert len(begun) > 90 and person.browser.errors == []
    assert [one["nameless"] for one in begun if one["nameless"]] == []
    told = {one["sign"]: examine(one["document"], person.folder)["problems"] for one in begun}
    assert {sign for sign, problems in told.items() if any(p["kind"] == "error" for p in problems)} == NOT_YET


def test_every_form_shows_its_values_whole_and_takes_them_when_they_are_typed(person):  # noqa: F811
    person.browser.evaluate("void (window.studio.check = () => null)")  # this is about forms only
    counts = {"typed": 0, "other form": 0}
    for case in cases():
        if case.field.get("refused") or case.place[0] == "parameters":  # these have a form of their own
            continue
        answer = on_page(person, TAKES, [case.changed(case.right), without_field(case), list(case.place)])
        assert answer in counts, (case.place, case.document[case.place[0]], answer)
        counts[answer] += 1
    assert counts["typed"] > 5 * counts["other form"], counts
    assert person.browser.errors == []


def test_a_wrong_value_of_every_kind_stands_in_its_field_with_the_reason_below(person):  # noqa: F811
    seen = set()
    for case in cases():
        if case.field["kind"] in seen or case.field.get("refused"):
            continue
        seen.add(case.field["kind"])
        put(person, case.changed(case.wrong))
        told, kept = on_page(person, TOLD, list(case.place))
        assert len(told) > 8, (case.field["kind"], case.place, case.wrong)
        assert json.loads(kept) == case.wrong
    assert len(seen) > 40 and person.browser.errors == []


def motion_of(person):  # noqa: F811
    return document(person)["joints"]["O"]["motion"]


def test_points_of_a_curve_are_dragged_added_and_removed(person):  # noqa: F811
    driven = copy.deepcopy(PENDULUM)
    del driven["joints"]["O"]["q"]
    driven["joints"]["O"]["motion"] = {"x": [0, 0.5, 1], "y": [0, 0.5, 1], "kind": "cubic"}
    put(person, driven)
    person.click("treeitem", "O")
    first, second, third = (person.place("slider", f"motion, point {k}") for k in (1, 2, 3))
    person.drag(second, (second[0], 0.5 * (second[1] + third[1])))  # up, half of the way
    person.settled()
    moved = motion_of(person)
    assert moved["x"] == [0, 0.5, 1] and moved["y"][0::2] == [0, 1] and abs(moved["y"][1] - 0.75) < 0.03
    person.double_click_at(0.5 * (first[0] + second[0]), second[1])
    person.settled()
    added = motion_of(person)
    assert len(added["x"]) == 4 and abs(added["x"][1] - 0.25) < 0.02 and added["x"][2:] == [0.5, 1]
    assert len(added["y"]) == 4 and 0 < added["y"][1] < 0.75 and added["y"][2:] == moved["y"][1:] and added["kind"] == "cubic"
    person.click("slider", "motion, point 2")
    person.press("ArrowUp")
    person.settled()
    assert motion_of(person)["y"][1] > added["y"][1]  # the point keeps the focus
    person.press("Delete")
    person.settled()
    assert motion_of(person) == moved
    for _ in range(3):
        person.press("z", CTRL)
    assert motion_of(person) == moved and person.browser.evaluate("window.studio.problems") == []
    person.press("z", CTRL)
    assert motion_of(person) == driven["joints"]["O"]["motion"]
    assert person.browser.errors == []


def test_files_of_fields_are_chosen_from_those_of_the_folder(person):  # noqa: F811
    meshes = person.folder / "robot" / "meshes"
    meshes.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).parent / "meshes" / "part.obj", meshes / "part.obj")
    (person.folder / "drive.csv").write_text("0, 0\n1, 2\n")
    hinge = {"type": "revolute", "parent": "ground", "child": "part", "axis": "y"}
    put(person, {"bodies": {"part": {"mass": 1, "shape": {"type": "sphere", "radius": 1}}}, "joints": {"O": hinge}})
    person.click("treeitem", "part")
    person.choose("shape 1", "Mesh")
    person.settled()
    person.click("button", "Choose a file for shape 1 file")
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    offered = "[...document.querySelectorAll('.palette .title')].map((one) => one.textContent)"
    assert person.browser.evaluate(offered) == ["robot/meshes/part.obj"]  # and no table, no model
    person.press("Enter")
    person.settled()
    assert document(person)["bodies"]["part"]["shape"] == {"type": "mesh", "file": "robot/meshes/part.obj"}
    assert person.browser.evaluate("window.studio.problems") == []
    assert person.browser.evaluate("document.activeElement.value") == "robot/meshes/part.obj"
    person.click("treeitem", "O")
    person.click("button", "More fields", exact=False)
    person.click("button", "motion as a curve")
    person.click("button", "from a file")
    person.click("textbox", "motion")
    person.press("ArrowDown")
    person.browser.wait_for('!document.querySelector(".palette").hidden')
    assert person.browser.evaluate(offered) == ["drive.csv"]
    person.press("Enter")
    person.settled()
    assert motion_of(person)["file"] == "drive.csv" and person.browser.errors == []


def write_over(person, text):  # noqa: F811
    person.browser.call("Input.insertText", text=text)  # in place of what is selected


def test_numbers_are_typed_from_field_to_field_while_the_server_answers(person):  # noqa: F811
    put(person, {"bodies": {"block": {"mass": 1, "position": [0, 0, 0], "shape": {"type": "sphere", "radius": 0.1}}}})
    person.click("treeitem", "block")
    person.press("Enter")  # to the first field, whose text is selected
    write_over(person, "400 kg")
    answer = "((found) => { studio.told = null; studio.checked(found); })(studio.found)"  # of the server, at a bad moment
    focus = "document.activeElement.getAttribute('aria-label')"
    for name, first, rest in (("position x", "0.1", ""), ("position y", "0.2", "5"), ("position z", "1.", "4")):
        person.press("Tab")
        assert person.browser.evaluate(focus) == name
        write_over(person, first)
        person.browser.evaluate(f"void {answer}")
        assert person.browser.evaluate(f"[{focus}, document.activeElement.value]") == [name, first]
        write_over(person, rest)
    person.press("Tab")
    assert person.browser.evaluate(focus) == "shape 1"
    person.settled()
    block = document(person)["bodies"]["block"]
    assert block["mass"] == 400 and block["position"] == [0.1, 0.25, 1.4]
    assert person.browser.errors == []


def test_an_edit_during_a_rename_is_kept(person):  # noqa: F811
    put(person, PENDULUM)
    person.browser.evaluate(
        "void (studio.rename('bodies/bob'), studio.layout.promptBox.hidden = true, studio.layout.act('ball'),"
        " studio.document.set(['bodies', 'bob', 'mass'], 7))"
    )
    person.place("treeitem", "ball")
    made = document(person)
    assert made["bodies"]["ball"]["mass"] == 7 and made["joints"]["O"]["child"] == "ball" and "bob" not in made["bodies"]


# A file in which almost everything is wrong, not only values but also what tables and sections there are.
WRONG = {
    "model": {"name": 5, "gravity": "down"},
    "parameters": {"p": {"value": "x", "range": [3]}, "q": 1},
    "bodies": {"a": {"mass": -1, "shape": {"type": "cube"}}, "b": 5, "c": {"mass": "zz", "colour": "red"}, "d": {"type": "cube"}},
    "joints": {"j": {"type": "revolute", "parent": "nobody", "child": "a", "axis": "w"}, "k": {}, "l": [1]},
    "forces": {"f": {"type": "spring", "a": "ground", "b": "b", "stiffness": "1/0"}, "g": {"type": "contact"}},
    "signals": {"s": {"type": "signal", "formula": "s"}},
    "events": {"e": {"at": "never", "actions": "x"}, "f": {"when": 5}},
    "simulation": {"t_end": -1, "step": "a", "integrator": "foo", "bogus": 1},
    "nosuch": {"a": 1},
}
# Of every message where its link leads: the selection, and whether a control has the focus and the message stands in the form.
LINKS = """[...document.querySelectorAll(".messages li button")].map((_, k) => {
  const link = document.querySelectorAll(".messages li button")[k];
  link.click();
  const form = document.querySelector(".pane.properties");
  return [link.textContent, form.contains(document.activeElement), form.querySelectorAll(".problem").length];
})"""


def test_every_message_about_a_wrong_file_leads_to_a_form_that_can_mend_it(person):  # noqa: F811
    put(person, WRONG)
    person.click("tab", "Messages", exact=False)
    told = person.browser.evaluate(LINKS)
    assert len(told) > 15 and person.browser.errors == []
    assert [entry for entry in told if not entry[2]] == []
    assert [entry[0] for entry in told if not entry[1]] == []
    for section, name in ((s, n) for s, entries in WRONG.items() for n in entries if s not in ("model", "simulation", "nosuch")):
        person.browser.evaluate(f"studio.select('{section}/{name}')")
        assert person.browser.evaluate("document.querySelector('.properties h2').textContent") == name
    person.browser.evaluate("studio.select('simulation')")
    person.click("textbox", "bogus")
    person.write("")
    person.press("Enter")
    person.settled()
    assert "bogus" not in document(person)["simulation"]
    person.browser.evaluate("studio.select('bodies/d')")
    person.click("combobox", "type")
    person.press("Escape")
    person.press("Home")  # the first type: the form is that of a body now
    person.settled()
    assert document(person)["bodies"]["d"] == {"type": "body"} and person.browser.errors == []
