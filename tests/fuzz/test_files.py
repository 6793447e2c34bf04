"""Some hundred mutated files; all of them by `python -m tests.fuzz.files --count 1000`."""

from __future__ import annotations

import pytest

from samples import count

from .files import KINDS, model_texts, outcome

COUNTS = {
    **{kind: count(60, 20) for kind in ("model", "robot", "table")},
    **{kind: count(40, 12) for kind in ("fe", "reduced", "result")},  # HDF5 files are opened by a process first
}


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused_in_words(kind):
    model_texts()
    found = [(seed, *outcome(kind, seed)) for seed in range(COUNTS[kind])]
    assert [x for x in found if x[1] in ("raw", "hang")] == []
    said = [words for _, what, words in found if what == "refused"]
    assert len(said) > COUNTS[kind] // 4  # the changes hurt
    assert all(words.strip() for words in said)
