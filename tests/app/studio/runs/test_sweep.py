"""Sweeps: many runs of one document, in processes of their own; failures are told, and it can be stopped."""

import asyncio
import copy
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from tests.app.studio.documents import PENDULUM

import sharnir as sr
from sharnir.app.studio.runs.live_run import run_model
from sharnir.app.studio.runs.sweep import sweep, sweep_values
from sharnir.app.studio.sweep_processes import Sweeps


def given(document):
    return {"document": document, "parameter": "l", "channels": ["O.q"]}


def test_every_member_has_the_numbers_of_its_own_run():
    found: list[dict] = []
    sweep(PENDULUM, Path(), "l", list(enumerate(sweep_values(0.5, 1.5, 3))), ["O.q", "bob.position.x"], found.append)
    assert [member["value"] for member in found] == [0.5, 1.0, 1.5]
    for member in found:
        result = run_model(PENDULUM, Path(), {"l": member["value"]}).simulate(2.0, step=0.01)
        curve = member["curves"][0]
        assert curve["values"] == result["O.q"].tolist() and curve["last"] == result["O.q"][-1]
        assert curve["largest"] == result["O.q"].max() and curve["least"] == result["O.q"].min()
        assert np.isclose(member["curves"][1]["mean"], np.trapezoid(result["bob.position.x"], result.t) / 2.0)


def test_what_fails_is_told_and_the_rest_goes_on():
    found: list[dict] = []
    sweep(PENDULUM, Path(), "l", [(0, 1.0), (1, 5.0), (2, 0.5)], ["O.q"], found.append)  # 5 is beyond the parameter's range
    assert [member["failure"] is None for member in found] == [True, False, True]
    assert "range" in found[1]["failure"]["text"] and found[1]["failure"]["place"][:2] == ["parameters", "l"]
    with pytest.raises(sr.ModelError, match="no parameter 'm'"):
        sweep(PENDULUM, Path(), "m", [(0, 1.0)], [], found.append)
    with pytest.raises(sr.ModelError, match="logarithmic"):
        sweep_values(-1.0, 1.0, 3, "logarithmic")


def test_processes_that_die_cost_one_run_and_a_stop_ends_all(tmp_path):
    slow = copy.deepcopy(PENDULUM) | {"simulation": {"t_end": 400.0, "step": 0.01, "tolerance": 1e-11}}

    async def killed():
        sweeps, members = Sweeps(tmp_path), []
        async for message in sweeps.messages(sweep_values(0.5, 1.5, 4), given(slow)):
            members.append(message)
            if len(members) == 1:
                os.kill(sweeps._processes[0]._process.pid, signal.SIGKILL)
        return members

    members = asyncio.run(killed())
    assert sorted(m["number"] for m in members[:-1]) == [0, 1, 2, 3] and members[-1] == {"ok": {"runs": 4}}
    assert sum(m["failure"] is not None for m in members[:-1]) == 1

    async def stopped():
        sweeps, members = Sweeps(tmp_path), []
        async for message in sweeps.messages(sweep_values(0.5, 1.5, 50), given(slow)):
            members.append(message)
            sweeps.stop()
        return members

    assert len(asyncio.run(stopped())) < 50
