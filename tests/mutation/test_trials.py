"""Changes that are tried: one that a test finds, one that crashes, one without effect, one that no test reaches."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from .switch import SIZE
from .workplace import COMMAND, ROOT

SUBJECT = """
import os
from tests.mutation.switch import on

def product(x, y):
    if on(1): return x + y
    elif on(2): os._exit(3)
    elif on(3): return y * x
    return x * y

def quotient(x, y):
    return x * y if on(4) else x / y

def unused(x):
    return -x if on(5) else x
"""
TESTS = """
from subject import product, quotient

known = []

def test_product():
    assert product(3, 2) == 6

def test_that_is_long_and_finds_nothing():
    assert product(sum(range(3_000_000)), 1) > 0

def test_that_fails_always():
    assert quotient(6, 2) == 5

def test_first():
    known.append(quotient(3, 1))

def test_after_the_first():
    assert quotient(8, 2) > 0 and known

def test_quotient():
    assert quotient(9, 3) == 3
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for a place in memory")
def test_trials(tmp_path):
    (tmp_path / "subject.py").write_text(SUBJECT)
    (tmp_path / "test_subject.py").write_text(TESTS)
    (tmp_path / "cache" / "sharnir-kernels" / "step").mkdir(parents=True)
    numbers, job, log = tmp_path / "numbers", tmp_path / "job", tmp_path / "log"
    numbers.write_bytes(bytes(SIZE))
    limits = {"per_test": 5.0, "per_file": 20.0, "per_change": 5.0}
    job.write_text(json.dumps({"changes": {str(k): 10.0 for k in range(1, 6)}, "log": str(log), "near": {}} | limits))
    environment = dict(os.environ) | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
        "MUTATION_NUMBERS": str(numbers),
        "MUTATION_JOB": str(job),
        "SHARNIR_CACHE_DIR": str(tmp_path / "cache"),
        "TMPDIR": str(tmp_path),
    }
    run = subprocess.run(
        [*COMMAND, "test_subject.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    told = {event["change"]: event for event in map(json.loads, log.read_text().splitlines()) if "change" in event}
    assert {k: event["found"] for k, event in told.items()} == {1: "fails", 2: "crashes", 3: "", 4: "fails"}, run.stdout
    assert [told[k]["reached"] for k in (1, 2, 3, 4)] == [2, 2, 2, 3]  # of tests that pass
    assert told[1]["test"].endswith("test_product")
    assert told[4]["test"].endswith("test_quotient")
    assert not [x for x in tmp_path.iterdir() if x.name.startswith("cache") and x.name != "cache"]  # nothing stays behind
