"""What a problem says about the second thread of its right-hand side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sharnir.integrate import textbook_problem
from sharnir.kernel import PLAIN, threads


def decay(t, y, yd):
    yd[0] = -y[0]


def test_a_problem_without_a_place_for_it_starts_no_thread():
    problem = replace(textbook_problem(decay, 1), work=np.full(3, 7.0))
    with problem.second_thread() as there:
        assert there is False
        assert (problem.work == 7.0).all()


@pytest.mark.skipif(PLAIN, reason="plain Python has one thread")
def test_a_problem_with_a_place_starts_one_unless_it_runs_alone(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 2)
    problem = replace(textbook_problem(decay, 1), work=np.zeros(3), box=1)
    with problem.second_thread() as there:
        assert there is True
        assert problem.work[1] != 0.0 and problem.work[0] == problem.work[2] == 0.0
    with problem.alone().second_thread() as there:
        assert there is False
        assert not problem.work.any()
