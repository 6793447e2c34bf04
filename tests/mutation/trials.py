"""A plugin of pytest: files of tests are imported once, then every change that they reach is tried in a copy of the process.

First all tests of a file run without a change, in a copy of this process (fork): which pass, how long they take (time of the
processor) and which changes they reach. Then each of these changes is set in force, in another copy, and the tests that reach it
run until one fails. That counts if the same tests pass without the change.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from . import switch

BY_THE_CLOCK = 12.0  # a process may wait, and others need the machine: so many times its seconds of the processor
PATIENCE = 4.0  # with a change, a test may take so many times as long as without, and
MORE = 8.0  # so many seconds more: what tests share is made anew


KERNELS, MADE_FOR_MODELS = "sharnir-kernels", ("derived", "functions")  # folders of the cache


class TooLongError(BaseException):
    """A test that takes longer than it may."""


class State:
    """Of the test that runs in this process."""

    failed = False
    stopped = False
    passed = False


def pytest_runtestloop(session: pytest.Session) -> bool:
    """In place of the usual loop."""
    job = json.loads(Path(os.environ["MUTATION_JOB"]).read_text())
    files: dict[str, list[Any]] = {}
    for item in session.items:
        files.setdefault(str(item.path), []).append(item)
    alive: dict[int, float] = {int(k): seconds for k, seconds in job["changes"].items()}  # seconds of tests that are left
    with Path(job["log"]).open("a") as log:
        _tell(log, at_import=switch.reached())
        for items in files.values():
            _try_file(items, alive, job, log)
    return True


def _try_file(items: list[Any], alive: dict[int, float], job: dict[str, Any], log: Any) -> None:
    record = Path(job["log"]).with_suffix(".tests")
    record.write_text("")
    _in_copy(lambda: _measure(items, job["per_test"], job["per_file"], record), job["per_file"] + 60.0)
    tests = [json.loads(line) for line in record.read_text().splitlines()]
    near = job["near"].get(str(items[0].path.relative_to(items[0].config.rootpath)), list(alive))
    for k in [k for k in near if k in alive]:
        reaching = [x for x in tests if k in x["reached"]]
        chosen = _chosen(reaching, min(alive[k], job["per_change"]))
        if not reaching:
            continue
        seconds = sum(x["seconds"] for x in chosen)
        alive[k] -= seconds
        found, name = _try(k, [items[x["item"]] for x in chosen], [x["seconds"] for x in chosen], record)
        _tell(log, change=k, found=found, test=name, reached=len(reaching), ran=len(chosen), seconds=seconds)
        if found or alive[k] <= 0.0:
            del alive[k]


def _chosen(reaching: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    """The first cases of all test functions before the second ones, the quick ones first."""
    cases: Counter[str] = Counter()
    ordered = []
    for x in sorted(reaching, key=lambda x: x["seconds"]):
        family = x["name"].partition("[")[0]
        cases[family] += 1
        ordered.append((cases[family].bit_length(), x["seconds"], len(ordered), x))
    chosen = []
    for _, cost, _, x in sorted(ordered, key=lambda entry: entry[:3]):
        if cost <= seconds:
            chosen.append(x)
            seconds -= cost
    return chosen


def _try(k: int, items: list[Any], seconds: list[float], record: Path) -> tuple[str, str]:
    """Whether a test fails with change k: what happens, and in which test; two empty words if none does."""
    limits = [PATIENCE * x + MORE for x in seconds]
    status = _in_copy(lambda: _until_one_fails(k, items, limits, record), sum(limits) + 30.0)
    end = json.loads(record.read_text()) if status == 0 else {"at": None, "why": "never ends" if status is None else "crashes"}
    if not end["why"]:
        return "", ""
    if end["at"] is None:
        end["at"] = len(items) - 1
    these = items[: end["at"] + 1]
    share = 1.0 / 3.0 if end["why"] == "never ends" else 1.0
    shorter = [share * x for x in limits[: len(these)]]
    status = _in_copy(lambda: _until_one_fails(0, these, shorter, record), sum(shorter) + 30.0)
    if status == 0 and not json.loads(record.read_text())["why"]:
        return end["why"], these[-1].nodeid
    rest = items[end["at"] + 1 :]  # this test fails without the change, too, if it runs after these
    return _try(k, rest, seconds[end["at"] + 1 :], record) if rest else ("", "")


def _measure(items: list[Any], per_test: float, per_file: float, record: Path) -> None:
    """Tests without a change, as many as the time allows; one line for each that passes."""
    slow: Counter[str] = Counter()
    start = _used()
    with record.open("a") as file:
        for number, item in enumerate(items):
            family = item.nodeid.partition("[")[0]
            if slow[family] >= 2 or _used() - start > per_file:
                continue
            switch.set_change(0)
            seconds = _run(item, items[number + 1 :], per_test)
            slow[family] += State.stopped
            if State.passed and not State.failed:
                _tell(file, item=number, name=item.nodeid, seconds=seconds, reached=switch.reached())


def _until_one_fails(k: int, items: list[Any], limits: list[float], record: Path) -> None:
    switch.set_change(k)
    for number, (item, limit) in enumerate(zip(items, limits, strict=True)):
        _run(item, items[number + 1 :], limit)
        if State.failed or State.stopped:
            record.write_text(json.dumps({"at": number, "why": "fails" if State.failed else "never ends"}))
            return
    record.write_text(json.dumps({"at": None, "why": ""}))


def _run(item: Any, following: list[Any], seconds: float) -> float:
    """One test; returns its seconds of the processor, with those of processes that it started."""
    State.failed = State.stopped = State.passed = False
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    start = _used()
    try:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following[0] if following else None)
    except TooLongError:
        State.stopped = True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return _used() - start


def _used() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _stop(*_: Any) -> None:
    raise TooLongError


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    """One that was stopped says nothing by itself."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, TooLongError):
        State.stopped = True
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, "Skipped: too long")
        report.wasxfail = ""
    elif report.failed:
        State.failed = True
    elif call.when == "call" and report.passed:
        State.passed = True
    return report


def _in_copy(work: Callable[[], None], seconds: float) -> int | None:
    """What a copy of this process ends with: 0, another number, or None if it took too long."""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.setsid()
            _take_new_cache()
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
            work()
            os._exit(0)
        os._exit(1)
    end, pause = time.monotonic() + BY_THE_CLOCK * seconds, 0.002
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            _end_group(pid)
            _forget_cache(pid)
            code = os.waitstatus_to_exitcode(status)
            return None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code
        time.sleep(pause)
        pause = min(0.05, 1.5 * pause)
    _end_group(pid)
    os.waitpid(pid, 0)
    _forget_cache(pid)
    return None


def _take_new_cache() -> None:
    """Code that is derived from models must be derived again: with a change it is another, and kept where others would find it.

    Kernels are compiled already, with the switch.
    """
    kept = Path(os.environ["SHARNIR_CACHE_DIR"]) / KERNELS
    new = Path(os.environ["TMPDIR"]) / f"cache{os.getpid()}"
    (new / KERNELS).mkdir(parents=True)
    for folder in kept.iterdir():
        if folder.name not in MADE_FOR_MODELS:
            (new / KERNELS / folder.name).symlink_to(folder)
    os.environ["SHARNIR_CACHE_DIR"] = str(new)


def _end_group(pid: int) -> None:
    """The process, and what it has started."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _forget_cache(pid: int) -> None:
    shutil.rmtree(Path(os.environ["TMPDIR"]) / f"cache{pid}", ignore_errors=True)


def _tell(file: Any, **what: Any) -> None:
    file.write(json.dumps(what) + "\n")
    file.flush()
