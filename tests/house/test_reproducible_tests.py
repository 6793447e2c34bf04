"""Tests give the same answer every time, on a busy machine too: they measure no times, and random numbers have seeds."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PROGRAMS = {"fuzz", "mutation"}  # they are started by hand, and say how long they took
MEASURED = re.compile(r"\btime\.(?:perf_counter|process_time|time)\(|\bimport .*\b(?:perf_counter|process_time|timeit)\b")
WITHOUT_SEED = re.compile(r"\bdefault_rng\(\)|\bnp\.random\.(?!default_rng\b|Generator\b)\w+\(|\brandom\.Random\(\)")


def found(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern stands in tests."""
    paths = [path for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)]
    paths = [path for path in paths if path.relative_to(TESTS).parts[0] not in PROGRAMS]
    assert len(paths) > 400
    return [f"{path.relative_to(TESTS)}: {x[0]}" for path in paths for x in pattern.finditer(path.read_text(encoding="utf-8"))]


def test_both_would_be_found() -> None:
    assert MEASURED.search("begin = time.perf_counter()") and not MEASURED.search("end = time.monotonic() + 60")
    assert WITHOUT_SEED.search("rng = np.random.default_rng()") and WITHOUT_SEED.search("np.random.normal(size=3)")
    assert not WITHOUT_SEED.search("rng = np.random.default_rng(7)")


def test_no_times_are_measured() -> None:
    """How long something takes belongs to the benchmarks; `monotonic` ends a wait that would last for ever."""
    assert found(MEASURED) == []


def test_random_numbers_have_seeds() -> None:
    assert found(WITHOUT_SEED) == []
