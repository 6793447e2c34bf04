"""A kernel that another process compiles is waited for; a process that dies or is stuck keeps nobody waiting for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sharnir.kernel.storage import claims
from sharnir.kernel.storage.claims import claim, release

pytestmark = pytest.mark.skipif(claims.fcntl is None, reason="this system has no locks on files")

HOLD = """
import sys, time
from pathlib import Path
from sharnir.kernel.storage.claims import claim
claim(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def other(tmp_path):
    """A process that holds a claim until it is told to end."""
    path = tmp_path / "kernel.claim"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(claims.__file__).parents[3])},
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield path, process
        process.kill()


def test_waits_until_the_other_process_is_done(other, monkeypatch):
    path, process = other
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 3:
            process.communicate("\n")

    monkeypatch.setattr(time, "sleep", pause)
    claim(path)
    assert len(pauses) >= 3
    assert path in claims._held
    release(path)


def test_claim_of_a_killed_process_is_free(other):
    path, process = other
    process.kill()
    process.wait()
    claim(path)
    assert path in claims._held
    release(path)


def test_goes_on_without_a_claim_that_nobody_gives_back(other):
    path, _ = other
    claim(path, longest=0.1)
    assert path not in claims._held


def test_own_claim_is_not_waited_for(tmp_path):
    path = tmp_path / "kernel.claim"
    claim(path)
    claim(path)
    release(path)
    release(path)
    assert path not in claims._held


def test_folder_that_cannot_be_written(tmp_path):
    claim(tmp_path / "missing" / "kernel.claim")
    assert not claims._held
