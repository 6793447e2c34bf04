"""Jobs that two threads share: every item once, whoever is there; and threads end with what they were started for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from sharnir.kernel import PLAIN, Pointer, address, entry, ints, share, threads
from sharnir.kernel.signatures import JOB
from sharnir.kernel.threads import processors, second_thread

ITEMS = 40
pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python has one thread")


def count_item(item, hand, arguments):
    m, s = ints(arguments), 1.0
    for k in range(20_000):
        s += 1.0 / (k + s)
    m[item] += 1 if s > 0.0 else 0
    m[ITEMS + item] = hand


COUNT_ITEM = Pointer(count_item, JOB, False)


@entry
def shared(place, function, count, out):
    share(place[0], function, count, address(out))


def hands_of_job(work):
    """Which thread did every item; each was done once."""
    out = np.zeros(2 * ITEMS, np.int64)
    shared(work.view(np.int64), COUNT_ITEM.address, ITEMS, out)
    assert (out[:ITEMS] == 1).all()
    return out[ITEMS:]


def serving():
    return [thread for thread in threading.enumerate() if thread.name == "sharnir kernels"]


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 2)


def test_alone():
    assert (hands_of_job(np.zeros(1)) == 0).all()


def test_both_threads_take_items():
    work, seen = np.zeros(1), set()
    with second_thread(work, 0) as there:
        assert there and work.view(np.int64)[0] != 0
        end = time.monotonic() + 600.0
        while seen != {0, 1} and time.monotonic() < end:
            seen |= set(hands_of_job(work).tolist())
    assert seen == {0, 1}
    assert work[0] == 0.0 and not serving()
    assert (hands_of_job(work) == 0).all()


def test_after_a_pause():
    work = np.zeros(1)
    with second_thread(work, 0):
        hands_of_job(work)
        time.sleep(0.1)  # it sleeps by now
        hands_of_job(work)
        time.sleep(0.1)
    assert not serving()


def test_busy_box_leaves_the_job_to_the_caller():
    from sharnir.kernel.jobs import BUSY  # not in plain Python

    work = np.zeros(1)
    with second_thread(work, 0):
        box = threads._servers.busy[0][0]
        box[BUSY] = 1
        assert (hands_of_job(work) == 0).all()
        box[BUSY] = 0


def test_address_kept_too_long_does_no_harm():
    work = np.zeros(1)
    with second_thread(work, 0):
        kept = work.copy()
    assert (hands_of_job(kept) == 0).all()


def test_no_more_threads_than_processors():
    with second_thread(np.zeros(1), 0) as first, second_thread(np.zeros(1), 0) as second:
        assert first and not second
    with second_thread(np.zeros(1), -1) as there:
        assert not there and not serving()


def test_ends_with_an_exception():
    work = np.zeros(1)
    with pytest.raises(KeyboardInterrupt), second_thread(work, 0):
        raise KeyboardInterrupt
    assert work[0] == 0.0 and not serving()


def test_switched_off(monkeypatch):
    monkeypatch.setenv("SHARNIR_THREADS", "1")
    assert processors() == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
def test_fork_within_a_run():
    work = np.zeros(1)
    with second_thread(work, 0):
        hands_of_job(work)
        child = os.fork()
        if child == 0:
            alone = (hands_of_job(work) == 0).all() and not threads._servers.busy
            os._exit(0 if alone else 1)
        assert os.waitpid(child, 0)[1] == 0
        hands_of_job(work)


@pytest.mark.parametrize("end", ["sys.exit(3)", "raise SystemExit(3)", "run.__exit__(None, None, None); sys.exit(3)"])
def test_exit_of_the_interpreter_within_a_run(end):
    code = f"""
import sys, numpy as np
from sharnir.kernel import threads
threads.processors = lambda: 2
run = threads.second_thread(np.zeros(1), 0)
assert run.__enter__()
{end}
"""
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, timeout=600, check=False)
    assert done.returncode == 3
