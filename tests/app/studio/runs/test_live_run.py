"""Runs on their way: paused, taken step by step, changed, watched; the numbers are those of a script that does the same."""

import copy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.app.studio.documents import PENDULUM

from sharnir.app.studio.runs.live_run import LiveRun, run_model
from sharnir.simulate.events.model_change import Change
from sharnir.simulate.simulation import simulate


def pendulum(**further):
    document = copy.deepcopy(PENDULUM)
    document["simulation"] = {"t_end": 20.0, "step": 0.05, "tolerance": 1e-9}
    document["joints"]["O"] |= further
    return document


def shorter(document, length=0.5):
    other = copy.deepcopy(document)
    other["parameters"]["l"]["value"] = length
    return other


def gone(document, orders):
    """A run to which one order is given at each of its looks; the run and its messages."""
    told: list[dict] = []
    run = LiveRun(document, Path(), {}, told.append, lambda patience: orders.pop(0) if orders else None)
    run.go()
    return run, told


def by_script(run):
    changes = [Change(c["t"], run_model(c["document"], Path()), exact=False) for c in run.changes]
    settings = dict(run.document["simulation"])
    return simulate(run_model(run.document, Path()), **settings, changes=changes or None)


def test_pauses_and_single_steps_change_no_number():
    orders = [None, None, {"order": "pause"}, *[{"order": "step"}] * 5, {"order": "continue"}]
    run, told = gone(pendulum(), orders)
    kinds = [message["kind"] for message in told]
    assert kinds.count("paused") == 1 and kinds.count("frames") >= 6 and kinds[-1] == "end"
    times = [message["t"] for message in told if message["kind"] == "frames"]
    assert all(a < b for a, b in pairwise(times[2:8]))  # every step shows the moment that it has reached
    assert np.array_equal(run.result["O.q"], by_script(run)["O.q"])


@pytest.mark.parametrize(
    "orders",
    [
        [None, None, None, "change"],
        [None, None, {"order": "pause"}, {"order": "step"}, "change", {"order": "step"}, "again", {"order": "continue"}],
    ],
)
def test_a_change_on_the_way_gives_what_a_script_gives(orders):
    document = pendulum(damping=0.1)
    known = {"change": shorter(document), "again": shorter(document, 1.4)}
    given = [{"order": "change", "document": known[x]} if isinstance(x, str) else x for x in orders]
    run, told = gone(document, given)
    wanted = sum(isinstance(x, str) for x in orders)
    assert [message["words"] for message in told if message["kind"] == "changed"] == ["l = 0.5", "l = 1.4"][:wanted]
    assert [e["t"] for e in run.result.events] == [c["t"] for c in run.changes] and len(run.changes) == wanted
    script = by_script(run)
    for channel in ("O.q", "O.v", "O.reaction", "energy.total"):
        assert np.array_equal(run.result[channel], script[channel]), channel
    assert not np.array_equal(run.result["O.q"], simulate(run.model, **document["simulation"])["O.q"])


def test_what_cannot_change_is_refused_and_the_run_goes_on():
    document = pendulum()
    more, later, bad = copy.deepcopy(document), copy.deepcopy(document), copy.deepcopy(document)
    more["bodies"]["other"] = {"mass": 1}
    later["simulation"]["t_end"] = 30.0
    bad["bodies"]["bob"]["mass"] = -1
    run, told = gone(document, [None, None, *({"order": "change", "document": x} for x in (more, later, bad))])
    refused = [message["message"] for message in told if message["kind"] == "refused"]
    assert ["other" in refused[0]["text"] or "settings" in refused[0]["text"], len(refused), run.changes] == [True, 3, []]
    assert any("mass" in message["text"] for message in refused)
    assert np.array_equal(run.result["O.q"], by_script(run)["O.q"])


def test_a_driven_mechanism_says_that_it_cannot_change():
    document = pendulum(motion="t")
    document["joints"]["O"].pop("q")
    run, told = gone(document, [{"order": "change", "document": shorter(document)}])
    assert "run the model again" in next(message["message"]["text"] for message in told if message["kind"] == "refused")
    assert run.result.complete


def test_channels_are_followed_while_the_run_goes_on():
    watch = {"order": "watch", "channels": ["O.q", "nothing", "bob.position"]}
    orders = [watch, None, {"order": "pause"}, *[{"order": "step"}] * 30, {"order": "continue"}]
    run, told = gone(pendulum(), orders)
    sent = [c for m in told if m["kind"] in ("frames", "curves") for c in m["curves"]]
    assert {c["name"] for c in sent} == {"O.q"} and sent[0]["unit"] == "rad"
    times = np.concatenate([c["t"] for c in sent])
    values = np.concatenate([c["values"] for c in sent])
    assert len(times) > 10 and np.all(np.diff(times) > 0)
    assert np.array_equal(values, run.result["O.q"][np.searchsorted(run.result.t, times)])
