"""Runs, analyses and sweeps in the page, by mouse and keyboard, in headless Chromium."""

import copy
import math

import numpy as np
import pytest
from tests.app.animation.browser import CHROMIUM
from tests.app.studio.documents import PENDULUM
from tests.app.studio.person import SHIFT
from tests.app.studio.test_studio_in_the_browser import person, put, studio  # noqa: F401

from sharnir.app.studio.runs.live_run import run_model
from sharnir.simulate.events.model_change import Change
from sharnir.simulate.simulation import simulate

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


def shown(person, script):  # noqa: F811
    return person.browser.evaluate(script)


def text_of(person, label):  # noqa: F811
    return shown(person, f"document.querySelector('[aria-label=\"{label}\"]').textContent")


def test_a_run_is_paused_changed_stepped_and_stopped(person):  # noqa: F811
    settings = {"step": 0.05, "tolerance": 1e-9, "max_step": 1e-5}  # slow enough not to end before it is paused
    document = copy.deepcopy(PENDULUM) | {"simulation": {"t_end": 800.0, **settings}}
    put(person, document)
    person.press("F5")
    person.browser.wait_for("window.studio.running.going?.t > 1")
    person.click("button", "Pause or continue the run (F6)")
    person.browser.wait_for("window.studio.running.going.state === 'paused'")
    person.click("treeitem", "l")
    person.fill("value", "0.5")
    person.settled()
    person.click("button", "Apply changes")
    person.browser.wait_for("window.studio.running.going.marks.length === 1")
    before = shown(person, "window.studio.running.going.t")
    person.press("F7")
    person.browser.wait_for(f"window.studio.running.going.t > {before}")
    assert shown(person, "window.studio.running.going.state") == "paused"
    person.press("F6")
    person.browser.wait_for("window.studio.running.going.state === 'running'")
    person.press("F5", SHIFT)
    person.browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
    run = shown(person, "(({ changes, events }) => ({ changes, events }))(window.studio.runs.get('A'))")
    assert run["events"][0]["change"] and run["changes"][0]["words"] == "l = 0.5"
    assert shown(person, "document.querySelectorAll('.track .events .change').length") == 1
    end = shown(person, "window.studio.picture.motion.end")
    curve = shown(person, "window.studio.curves('A', ['O.q'], [0, 150])")["curves"][0]
    model = run_model(document, person.folder)
    changes = [Change(c["t"], run_model(c["document"], person.folder), exact=False) for c in run["changes"]]
    script = simulate(model, 800.0 * math.ceil(float(end) / 800.0 * 160 + 1) / 160, changes=changes, **settings)
    known = dict(zip(script.t.tolist(), script["O.q"].tolist(), strict=True))
    assert len(curve["t"]) > 20 and all(known[t] == x for t, x in zip(curve["t"], curve["values"], strict=True))
    assert person.browser.errors == []


def test_runs_are_compared_with_a_reference(person):  # noqa: F811
    put(person, PENDULUM)
    for length in (None, "0.6"):
        if length:
            person.click("treeitem", "l")
            person.fill("value", length)
            person.settled()  # the model has changed, so the picture shows it and no run; the curves stay
            bob = "window.studio.picture.objects.at(-1).position.z - window.studio.found.poses.bob[2]"
            assert shown(person, f"[window.studio.timeline.player.playing, {bob}]") == [False, 0]
            assert shown(person, "document.querySelector('.status .state').textContent") == "Picture: the model"
            assert shown(person, "window.studio.plots.charts.length") == 1
            person.click("button", "Show run A in the picture")
            assert shown(person, "document.querySelector('.status .state').textContent") == "Picture: run A"
        person.press("F5")
        person.browser.wait_for(f"window.studio.runs.size === {2 if length else 1} && !window.studio.running.going")
    person.click("tab", "Runs")
    person.click("button", "Pin run A as the reference")
    person.browser.wait_for("window.studio.root.dataset.plotted === '2'")
    table = text_of(person, "Differences of the runs")
    assert "parameters.l.value" in table and "0.6" in table and "A ★" in table
    person.click("tab", "Plots")
    person.place("img", "Plot of A: O.q, B: O.q")
    assert shown(person, "window.studio.picture.ghosts.length") == 1
    person.click("tab", "Runs")
    person.click("button", "good", exact=False)
    assert "energy balances" in text_of(person, "Checks")
    person.click("button", "Forget run B")
    person.browser.wait_for("window.studio.runs.size === 1 && window.studio.shown === 'A'")
    assert person.browser.errors == []


def test_analyses_show_their_numbers(person):  # noqa: F811
    put(person, PENDULUM)
    person.click("tab", "Analysis")
    person.click("button", "Equilibrium")
    person.click("button", "Make it the initial position")
    person.settled()
    assert abs(shown(person, "window.studio.document.data.joints.O.q")) < 1e-6
    person.click("button", "Modes")
    person.click("button", "Mode 1")
    assert "0.49849 Hz" in text_of(person, "Modes")
    person.browser.wait_for("Math.abs(window.studio.picture.poses.bob[0]) > 0.05")  # it swings
    person.click("button", "Linear equations")
    person.place("button", "Export as JSON")
    assert "3.1321" in text_of(person, "Eigenvalues") and "-9.81" in text_of(person, "Matrix A")
    person.click("button", "Kinematics")
    person.browser.wait_for("window.studio.messages.notes.some((note) => note.text.includes('prescribe them with motion='))")
    assert person.browser.errors == []


def test_results_of_analyses_are_marked_once_the_model_has_changed(person):  # noqa: F811
    put(person, PENDULUM)
    person.click("tab", "Equations")
    person.click("button", "Derive the equations")
    person.browser.wait_for("document.querySelector('.pane.equations math')")
    person.click("tab", "Analysis")
    person.click("button", "Equilibrium")
    person.place("button", "Make it the initial position")
    assert shown(person, "document.querySelector('.stale').hidden")
    person.click("treeitem", "l")  # what is selected has its form in view
    person.fill("value", "0.5")
    person.click("tab", "Equations")
    person.place("button", "Derive the equations")
    person.click("tab", "Analysis")
    person.click("button", "Compute again")
    person.browser.wait_for("document.querySelector('.stale').hidden")
    assert person.browser.errors == []


def test_modes_of_flexible_bodies_deform_them_in_colours(person):  # noqa: F811
    fe = {
        "type": "straight-beam",
        "start": [0, 0, 0],
        "end": [1, 0, 0],
        "elements": 4,
        "section": {"type": "round", "radius": 0.02},
    }
    reduced = {"fe": fe, "interfaces": {"root": 0, "tip": 4}, "modes": 1}
    clamp = {"type": "fixed", "parent": "ground", "child": "beam:root"}
    beam = {"type": "flexible-body", "reduced": reduced, "frame_at": "root"}
    put(person, {"model": {"gravity": [0, 0, 0]}, "bodies": {"beam": beam}, "joints": {"clamp": clamp}})
    assert shown(person, "[...window.studio.picture.marks.keys()]") == ["clamp"]
    person.click("tab", "Analysis")
    person.click("button", "Modes")
    person.click("button", "Mode 1")
    person.browser.wait_for("window.studio.picture.deformation.present()[1] > 0.02")
    assert "Displacement [m]" in text_of(person, "Colours of displacements")
    person.click("button", "Mode 1")
    person.browser.wait_for("document.querySelector('.legend').hidden")
    assert person.browser.errors == []


def test_a_sweep_is_made_and_a_value_taken_over(person):  # noqa: F811
    put(person, PENDULUM)
    person.click("tab", "Sweep")
    for field, value in (("Sweep from", "0.5"), ("Sweep to", "3"), ("Number of runs", "3")):
        person.click("textbox", field)
        person.write(value)
    person.fill("Channels of the sweep", "O.q")
    person.browser.wait_for("window.studio.root.dataset.sweep === '3'")
    assert "3 of 3 runs, 1 failed" in text_of(person, "State of the sweep")
    table = text_of(person, "Results of the sweep")
    result = run_model(PENDULUM, person.folder, {"l": 1.75}).simulate(2.0, step=0.01)
    assert f"{float(result['O.q'][-1]):.5g}" in table and "outside its range" in table
    person.place("img", "Sweep of O.q: 2 curves")
    person.click("button", "1.75")
    assert shown(person, "window.studio.document.data.parameters.l.value") == 1.75
    assert np.isfinite(result["O.q"]).all() and person.browser.errors == []


def test_rows_of_the_tree_are_dragged_into_the_plots(person):  # noqa: F811
    put(person, PENDULUM)
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
    person.click("button", "Remove O.q from the plots")
    assert shown(person, "window.studio.plots.channels") == []
    person.carry(person.place("treeitem", "O"), person.place("group", "Curves"))
    person.browser.wait_for("window.studio.plots.charts.length === 1")
    assert shown(person, "window.studio.plots.channels") == ["O.q"]
    person.carry(person.place("treeitem", "bob"), person.place("group", "Curves"))
    person.place("img", "Plot of bob.position.x, bob.position.y, bob.position.z")
    person.carry(person.place("treeitem", "l"), person.place("group", "Curves"))  # a parameter has no channel
    person.browser.wait_for("window.studio.messages.notes.some((note) => note.text.startsWith('l has no channel'))")
    assert len(shown(person, "window.studio.plots.channels")) == 4
    assert not shown(person, "document.querySelector('.pane.plots').matches('.target')")
    person.click("treeitem", "O")  # the selected element, also one that was clicked in the picture, offers the others
    person.click("button", "Plot O.v")
    person.place("img", "Plot of O.v")
    assert person.browser.errors == []


def test_a_short_run_is_played_slowly_until_somebody_chooses_a_speed(person):  # noqa: F811
    speed = "[window.studio.timeline.player.speed, document.querySelector('[aria-label=\"Speed of playing\"]').value]"
    put(person, copy.deepcopy(PENDULUM) | {"simulation": {"t_end": 0.1, "step": 0.001}})
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 1 && window.studio.timeline.player.playing")
    assert shown(person, speed) == [0.05, "0.05"]  # a tenth of a second in two seconds
    before = shown(person, "[performance.now(), window.studio.timeline.player.time]")
    person.browser.wait_for(f"performance.now() > {before[0] + 400}")
    after = shown(person, "[performance.now(), window.studio.timeline.player.time]")
    assert 0 < (after[1] - before[1]) % 0.1 < 0.05 * 1.2 * (after[0] - before[0]) / 1000 + 0.02
    person.choose("Speed of playing", "0.2×")
    person.press("F5")
    person.browser.wait_for("window.studio.runs.size === 2 && window.studio.timeline.player.playing")
    assert shown(person, speed) == [0.2, "0.2"]
    assert person.browser.errors == []
