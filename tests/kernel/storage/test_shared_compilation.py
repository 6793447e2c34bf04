"""Kernels that are compiled on demand: each once, whoever is killed, and however many processes need them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings

import pytest

from sharnir.kernel import PLAIN
from sharnir.kernel.storage import cache, claims
from sharnir.kernel.storage.library import HOUSE

pytestmark = [
    pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing"),
    pytest.mark.skipif(claims.fcntl is None, reason="this system has no locks on files"),
]
SMALL = [f"sharnir.integrate.{name}_step.restart" for name in ("explicit.runge_kutta", "implicit.radau")]
COMPILE = """
import os, signal, sys
from sharnir.kernel.storage import cache
from sharnir.kernel.storage.warmup import compile_kernels

def done(name):
    if name == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)

compile_kernels(sys.argv[2:], done)
print(len(cache._compiled))
"""


def start(folder, killed_after="never"):
    environment = os.environ | {"SHARNIR_CACHE_DIR": str(folder), "SHARNIR_COMPILE": "1", "SHARNIR_COMPILERS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", COMPILE, killed_after, *SMALL],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment | {"PYTHONPATH": str(HOUSE.parent)},
    )


def test_a_killed_compilation_goes_on_where_it_was(tmp_path):
    first = start(tmp_path, SMALL[0])
    assert (first.communicate()[0], first.returncode) == ("", -signal.SIGKILL)
    second = start(tmp_path)
    assert second.communicate()[0] == "1\n"  # the other kernel alone


def test_two_processes_share_the_work(tmp_path):
    both = [start(tmp_path), start(tmp_path)]
    counts = [int(process.communicate()[0]) for process in both]
    assert sum(counts) == len(SMALL)


def test_a_helper_that_still_runs_is_left_without_a_warning():
    helper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    cache._helpers.append(helper)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.leave_helpers()
        assert not cache._helpers
        assert helper.returncode == 0  # Python asks no more
    helper.returncode = None
    helper.communicate(b"\n")
