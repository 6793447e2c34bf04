"""The order in which mass matrices with elastic coordinates are factorized: along the tree, a body's w after its joint's speeds.

In the state all elastic coordinates stand last. In this order a speed couples only with those before it on its way to the
base, as in trees of rigid bodies, and Cholesky makes no fill: what hangs on a node comes after the w of its body.
The table (T_METHOD), n speeds, N bodies: place of every speed n, and by places: the one before it on the way to the base n,
the same for the factorization n, runs of it n; last, per body the last place on the way of its frame, N.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.memory import layout as L

if TYPE_CHECKING:
    from sharnir.dynamics.memory.blocks import Assembly


def order_of_speeds(a: Assembly) -> np.ndarray:
    """The table of the order, of int64."""
    c, parent, n = a.coordinates, a.placement.parent, a.coordinates.n_v
    elastic = {a.placement.number[name]: (v, h) for name, (_, v, h) in c.elastic.items()}
    place, before = np.zeros(n, np.int64), np.zeros(n, np.int64)
    frame: list[int] = []  # last place on the way to a body's frame
    deformed: list[int] = []  # the same with the body's own elastic coordinates
    count = 0
    for i, p in enumerate(parent):
        above = -1 if p < 0 else (deformed if c.kind[i] == L.NODE else frame)[p]
        for first, speeds, ends in ((c.first_v[i], c.count_v[i], frame), (*elastic.get(i, (0, 0)), deformed)):
            for k in range(first, first + speeds):
                place[k], before[count] = count, above
                above, count = count, count + 1
            ends.append(above)
    solve = before if not c.mimics else np.arange(n, dtype=np.int64) - 1
    run = np.zeros(n, np.int64)
    for k in range(n):
        run[k] = run[k - 1] if k > 0 and solve[k] == k - 1 else k
    return np.concatenate([place, before, solve, run, np.array(frame, np.int64)])
