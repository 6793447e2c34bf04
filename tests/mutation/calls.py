"""A plugin of pytest: which functions of one file every test calls, and its time of the processor.

A test that takes too long is stopped and counts as skipped; after a number of seconds in all, the rest is skipped.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

FILE = os.environ.get("MUTATION_FILE", "")  # without one, only the limits hold
LOG = os.environ.get("MUTATION_LOG", "")
SECONDS = float(os.environ.get("MUTATION_SECONDS", "10"))  # of a test
ALL = float(os.environ.get("MUTATION_ALL", "600"))  # of all tests
SHARE = 0.35  # of this time may go to one file of tests
found: dict[str, tuple[float, list[int]]] = {}
failed: list[str] = []
begun = time.process_time()
slow: Counter[str] = Counter()  # tests that took too long, by file
spent: Counter[str] = Counter()  # seconds, by file


class TooLongError(BaseException):
    """A test that takes longer than it may."""


def _stop(*_):
    raise TooLongError


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Setup and call together: fixtures count too."""
    left, file = ALL - (time.process_time() - begun), str(item.path)
    if left <= 0.0 or slow[file] >= 3 or (FILE and spent[file] > SHARE * ALL):
        item.add_marker(pytest.mark.skip(reason="enough tests"))
    lines: set[int] = set()

    def notice(frame, event, _):
        code = frame.f_code
        if code.co_filename == FILE:
            lines.add(code.co_firstlineno)

    start = time.process_time()
    if FILE:
        sys.setprofile(notice)
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, max(0.01, min(SECONDS, left)))
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        sys.setprofile(None)
        seconds = time.process_time() - start
        spent[file] += seconds
        if lines and getattr(item, "mutation_passed", False):
            found[item.nodeid] = (seconds, sorted(lines))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Only tests that pass without a change can find one; one that was stopped says nothing."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, TooLongError):
        slow[str(item.path)] += 1
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, "Skipped: too long")
        report.wasxfail = ""
    if call.when == "call":
        item.mutation_passed = report.outcome == "passed"
    return report


def pytest_runtest_logreport(report):
    """Tests that fail."""
    if report.failed:
        failed.append(report.nodeid)


def pytest_collectreport(report):
    """Files that cannot be imported."""
    if report.failed:
        failed.append(report.nodeid)


def pytest_sessionfinish():
    """Write what was found."""
    if LOG:
        Path(LOG).write_text(json.dumps({"calls": found, "failed": failed}))
