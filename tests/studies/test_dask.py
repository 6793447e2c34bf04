"""A study over a real scheduler of Dask with worker processes, one of which is killed on the way."""

import os
import signal

import numpy as np
import pytest

from studies.falling_stones import slow_end, study


@pytest.mark.slow
def test_workers_that_are_killed_on_the_way(tmp_path):
    distributed = pytest.importorskip("distributed")
    given = study(outputs={"end": slow_end, "speed": "max(abs(rail.v))"})
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(**settings, local_directory=str(tmp_path), silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        victims = list(client.run(os.getpid).values())
        told, killed = [], []

        def watch(done):
            told.append(done)
            if done > 0.2 and not killed:
                killed.append(victims[0])
                os.kill(victims[0], signal.SIGKILL)

        found = given.run(executor=client, block=2, store=tmp_path / "study.db", progress=watch)
        assert killed
        assert told[-1] == 1.0
    here = given.run()
    assert (found.failures, found.complete) == ({}, True)
    for name in found.outputs:
        np.testing.assert_array_equal(found[name], here[name])
