"""Random mechanisms in two ways, some of each kind; ten thousand by `python -m tests.fuzz --count 10000`."""

from __future__ import annotations

import pytest

from samples import count
from sharnir.kernel import PLAIN

from .mechanisms import KINDS, verdict

COUNT = count(12, 4)  # of each kind


@pytest.mark.skipif(PLAIN, reason="too slow in plain Python")
@pytest.mark.parametrize("kind", KINDS)
def test_no_silent_error(kind):
    found = [(seed, verdict(kind, seed)) for seed in range(COUNT)]
    assert [(seed, x.what, x.words) for seed, x in found if x.what in ("silent", "raw", "hang")] == []
    assert sum(x.what == "agree" for _, x in found) >= COUNT // 3  # most of them run


FORMER = {  # seeds that were silent errors, or were taken for one
    "contact": (491,),
    "control": (36, 101, 209, 217, 288, 477),
    "singular": (39, 103, 187, 250, 257, 393),
    "springs": (128, 144, 356),
    "tree": (504,),
}


OTHER_WAYS = {
    ("singular", 257): ("agree", "warned", "refused"),  # a solver that is chosen by hand warns, or refuses
    ("springs", 356): ("refused",),  # the axes of a joint become dependent
}


@pytest.mark.skipif(PLAIN, reason="too slow in plain Python")
@pytest.mark.parametrize("kind", FORMER)
def test_former_errors(kind):
    for seed in FORMER[kind]:
        found = verdict(kind, seed)
        assert found.what in OTHER_WAYS.get((kind, seed), ("agree",)), (seed, found.words)
