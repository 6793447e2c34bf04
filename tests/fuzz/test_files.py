"""Some hundred mutated files; all of them by `python -m tests.fuzz.files --count 1000`."""

from __future__ import annotations

import pytest

from .files import KINDS, model_texts, outcome

COUNTS = {"model": 60, "robot": 60, "fe": 40, "result": 60, "reduced": 40, "table": 60}


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused_in_words(kind):
    model_texts()
    found = [(seed, *outcome(kind, seed)) for seed in range(COUNTS[kind])]
    assert [x for x in found if x[1] in ("raw", "hang")] == []
    said = [words for _, what, words in found if what == "refused"]
    assert len(said) > COUNTS[kind] // 4  # the changes hurt
    assert all(words.strip() for words in said)
