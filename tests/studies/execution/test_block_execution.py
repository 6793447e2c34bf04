"""Blocks over processes: one that is killed, one run that kills every process, and pools of others."""

import concurrent.futures as futures

import numpy as np
import pytest

import sharnir as sr
from sharnir.studies.execution.block_execution import Work, execute, over_pool
from sharnir.studies.prepared_runs import BlockOutcome
from studies.falling_stones import OUTPUTS, study, takes_its_process, takes_its_process_once


def test_a_killed_process_costs_nothing_but_time(tmp_path, monkeypatch):
    monkeypatch.setenv("SHARNIR_TEST_MARK", str(tmp_path / "mark"))
    outputs = {"end": takes_its_process_once} | {"speed": OUTPUTS["speed"]}
    found = study(outputs=outputs).run(executor="processes", workers=2, block=6, store=tmp_path / "study.db")
    assert (tmp_path / "mark").exists()
    assert (found.failures, found.complete) == ({}, True)
    here = study().run()
    for name in OUTPUTS:
        np.testing.assert_array_equal(found[name], here[name])


@pytest.mark.slow
def test_a_run_that_kills_every_process_fails_alone():
    found = study(outputs={"end": takes_its_process}, parameters={"h": [1.0, 2.0]}).run(executor="processes", workers=1, block=2)
    assert list(found.failures) == [1]
    assert "was killed or ran out of memory" in found.failures[1]
    assert np.isfinite(found["end"]).tolist() == [True, False]


class KilledWorker(Exception):
    """As Dask calls it."""


class Pool(futures.Executor):
    """Work at once; runs above a number are lost each time."""

    def __init__(self, error):
        self.error, self.sizes = error, []

    def submit(self, function, key, packed, runs, rows):
        future = futures.Future()
        self.sizes.append(len(runs))
        if (rows > 8.5).any() and (rows < 9.5).any() and self.error is not None:
            future.set_exception(self.error)
        else:
            future.set_result(BlockOutcome(runs, 2.0 * rows, seconds=0.1))
        return future


def work(**given):
    return Work("key", b"", np.arange(20.0)[:, None], np.arange(20), **given)


def test_lost_blocks_are_halved_until_the_run_is_known():
    taken, pool = {}, Pool(KilledWorker("gone"))
    over_pool(work(block=8), pool, lambda outcome: taken.update({int(run): outcome for run in outcome.runs}))
    assert sorted(taken) == list(range(20))
    assert [run for run, outcome in taken.items() if outcome.failures] == [9]


def test_groups_stay_together():
    pool = Pool(None)
    over_pool(work(group=8), pool, lambda outcome: None)
    assert sorted(pool.sizes) == [4, 8, 8]


def test_a_broken_pool_of_somebody_else_ends_the_study():
    with pytest.raises(sr.SimulationError, match=r"the executor has stopped \(BrokenExecutor: gone\)"):
        execute(work(), Pool(futures.BrokenExecutor("gone")), 1, lambda outcome: None)


def test_workers_that_lack_the_functions_say_so():
    with pytest.raises(sr.SimulationError, match=r"cannot make runs: ImportError: no module m; they need sharnir and every"):
        execute(work(), Pool(ImportError("no module m")), 1, lambda outcome: None)
