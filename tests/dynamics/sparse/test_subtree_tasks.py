"""Tasks of two threads: when both are ready, and what is not worth dividing."""

from __future__ import annotations

import pytest

import sharnir as sr
from sharnir.dynamics.sparse.subtree_tasks import _time_of_two

SCHEDULES = [
    ([3.0], [-1], 3.0),
    ([2.0, 3.0], [-1, -1], 3.0),  # side by side
    ([2.0, 3.0, 1.0], [2, 2, -1], 4.0),  # the parent waits for the later child
    ([2.0, 3.0, 1.0, 1.0], [2, 3, 3, -1], 4.0),  # 2 then 1 beside 3, then the root
    ([1.0, 1.0, 1.0], [1, 2, -1], 3.0),  # a chain: the second thread has nothing to do
    ([4.0, 1.0, 1.0, 1.0], [-1, -1, -1, -1], 4.0),
    ([1.0, 5.0, 1.0], [2, -1, -1], 5.0),  # the last waits for the first only
]


@pytest.mark.parametrize(("work", "parents", "time"), SCHEDULES)
def test_two_threads_take_the_tasks_in_their_order(work, parents, time):
    assert _time_of_two(work, parents) == time


@pytest.mark.parametrize("solver", ["dense", "sparse"])
def test_a_small_system_has_no_second_thread(solver):
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Distance("rod", "ground", "bob"))
    assert m.compile(solver=solver).problem().box == -1
