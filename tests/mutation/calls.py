"""A plugin of pytest: which functions of one file every test calls, and its time of the processor.

When the file is imported, each of these functions gets a first statement that notes its line; nothing else is slower. A test that
takes too long is stopped and counts as skipped; after a number of seconds in all, the rest is skipped.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import sys
import time
from collections import Counter
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import pytest

FILE = os.environ.get("MUTATION_FILE", "")  # without one, only the limits hold
FUNCTIONS = {int(line) for line in os.environ.get("MUTATION_FUNCTIONS", "").split()}  # their first lines
LOG = os.environ.get("MUTATION_LOG", "")
SECONDS = float(os.environ.get("MUTATION_SECONDS", "10"))  # of a test
ALL = float(os.environ.get("MUTATION_ALL", "600"))  # of all tests
SHARE = 0.2  # of this time may go to one file of tests
found: dict[str, tuple[float, list[int]]] = {}
failed: list[str] = []
stopped: list[str] = []  # took too long
begun = time.process_time()
slow: Counter[str] = Counter()  # tests that took too long, by file
spent: Counter[str] = Counter()  # seconds, by file


lines: set[int] = set()  # of functions that the test has called


class _Loader(SourceFileLoader):
    """Notes calls of the functions."""

    def get_code(self, fullname):
        tree = ast.parse(Path(FILE).read_bytes())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and first_line(node) in FUNCTIONS:
                note = ast.parse(f"__import__('sys')._mutation_lines.add({first_line(node)})").body[0]
                place = 1 if ast.get_docstring(node, clean=False) is not None else 0
                for part in ast.walk(note):
                    ast.copy_location(part, node)
                node.body.insert(place, note)
        return compile(tree, FILE, "exec", dont_inherit=True)


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        """The file as it is found, with a loader of our own."""
        spec = PathFinder.find_spec(name, path, target) if name.startswith("sharnir") else None
        if spec is None or spec.origin != FILE:
            return None
        spec.loader = _Loader(name, FILE)
        return spec


def first_line(node):
    """As the code object says: the first decorator counts."""
    return min([node.lineno, *(x.lineno for x in node.decorator_list)])


if FUNCTIONS:
    sys._mutation_lines = lines
    sys.meta_path.insert(0, _Finder)


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
    lines.clear()
    start = time.process_time()
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, max(0.01, min(SECONDS, left)))
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
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
        stopped.append(item.nodeid)
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
        Path(LOG).write_text(json.dumps({"calls": found, "failed": failed, "stopped": stopped}))
