"""How much a test does in the whole suite, which takes samples (conftest.py), and where all is asked for or a file is named."""

from __future__ import annotations

import os

WHOLE_SUITE = os.environ.get("SHARNIR_TEST_CASES") == "sample"


def count(all_cases: int, some: int) -> int:
    """How many random cases a test that loops over them takes."""
    return some if WHOLE_SUITE else all_cases
