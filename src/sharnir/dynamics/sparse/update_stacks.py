"""Where the update matrices stand: on two stacks, or, where another task takes them, in a place of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse.subtree_tasks import Tasks


@dataclass(frozen=True)
class Places:
    """Numbers of the stacks of one thread if there are several tasks, and where everything ends."""

    stack: int
    end: int


def stack_updates(fronts: np.ndarray, parent: np.ndarray, tasks: Tasks, at: int) -> Places:
    """W_U of all fronts, from `at` on in the work.

    U of fronts of even and of odd depth go on two stacks: a front's U on one while its children's are on the other.
    """
    size = (fronts[:, S.LD2] * (-(-fronts[:, S.NR] // S.TILE) * S.TILE)).tolist()
    task = np.repeat(np.arange(len(tasks.parent)), np.diff(tasks.first))
    inside = (parent >= 0) & (task[parent] == task)
    fronts[:, S.STACKED] = inside | (fronts[:, S.NR] == 0)
    odd = _odd(parent.tolist(), inside.tolist())
    where, most = _tops(size, parent.tolist(), inside.tolist(), odd, task.tolist())
    stack = -(-sum(most) // 8) * 8
    hands = 2 if len(tasks.parent) > 1 else 1
    fronts[:, S.W_U] = at + np.asarray(where) + np.asarray(odd) * most[0]
    at += hands * stack
    for s in np.flatnonzero(fronts[:, S.STACKED] == 0).tolist():
        fronts[s, S.W_U] = at
        at += size[s]
    return Places(stack if hands > 1 else 0, at)


def _odd(parent: list[int], inside: list[bool]) -> list[int]:
    odd = [0] * len(parent)
    for s in range(len(parent) - 1, -1, -1):
        odd[s] = 1 - odd[parent[s]] if inside[s] else 0
    return odd


def _tops(size: list[int], parent: list[int], inside: list[bool], odd: list[int], task: list[int]) -> tuple[list[int], list[int]]:
    """Offset of every U on its stack, and how high both become; every task begins with empty ones."""
    top, most, where, freed = [0, 0], [0, 0], [0] * len(size), [0] * len(size)
    for s in range(len(size)):
        if s > 0 and task[s] != task[s - 1]:
            top = [0, 0]
        side = odd[s]
        top[1 - side] -= freed[s]
        where[s] = top[side]
        if inside[s]:
            top[side] += size[s]
            most[side] = max(most[side], top[side])
            freed[parent[s]] += size[s]
    return where, most
