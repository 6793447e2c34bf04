"""The mechanisms with loops of the tests, for the benchmarks: one description for both."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from large_mechanisms import INERTIA, LENGTH, MASS, chain, five_loops, mesh
from mechanisms import ANDREWS, ANDREWS_JOINTS, ANDREWS_START, andrews, four_bar
from reference.loop_digits import LOOP_DIGITS

__all__ = [
    "ANDREWS",
    "ANDREWS_JOINTS",
    "ANDREWS_START",
    "INERTIA",
    "LENGTH",
    "LOOP_DIGITS",
    "MASS",
    "andrews",
    "chain",
    "five_loops",
    "four_bar",
    "mesh",
]
