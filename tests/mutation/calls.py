"""A plugin of pytest: which functions of one file every test calls, and its time of the processor. Long tests are stopped."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

FILE = os.environ.get("MUTATION_FILE", "")
LOG = os.environ.get("MUTATION_LOG", "")
SECONDS = float(os.environ.get("MUTATION_SECONDS", "10"))
ALL = float(os.environ.get("MUTATION_ALL", "600"))
found: dict[str, tuple[float, list[int]]] = {}
begun = time.process_time()
slow: Counter[str] = Counter()  # tests that took too long, by file


class TooLongError(BaseException):
    """A test that takes longer than it may."""


def _stop(*_):
    raise TooLongError


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Setup and call together: fixtures count too."""
    if time.process_time() - begun > ALL or slow[item.path.name] >= 2:
        item.add_marker(pytest.mark.skip(reason="enough tests"))
    lines: set[int] = set()

    def notice(frame, event, _):
        code = frame.f_code
        if code.co_filename == FILE:
            lines.add(code.co_firstlineno)

    start = time.process_time()
    item.mutation = lines
    sys.setprofile(notice)
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return (yield)
    except TooLongError:
        lines.clear()
        slow[item.path.name] += 1
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        sys.setprofile(None)
        item.mutation_seconds = time.process_time() - start
        if lines and getattr(item, "mutation_passed", False):
            found[item.nodeid] = (item.mutation_seconds, sorted(lines))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Only tests that pass without a change can find one."""
    report = yield
    if call.when == "call":
        item.mutation_passed = report.passed
    return report


def pytest_sessionfinish():
    """Write what was found."""
    if LOG:
        Path(LOG).write_text(json.dumps(found))
