"""The order of elimination: two loops on one shared speed are eliminated one after the other, with fewer operations."""

import numpy as np

from sharnir.symbolic.elimination_order import elimination_order, operations


def wheel(count, size=3):
    """`count` loops of `size` speeds and as many constraints each, all of them on speed 0."""
    n = 1 + count * size
    mass, rows = np.zeros((n, n), bool), np.zeros((count * size, n), bool)
    mass[0, :] = mass[:, 0] = rows[:, 0] = True
    for k in range(count):
        own = slice(1 + k * size, 1 + (k + 1) * size)
        mass[own, own] = True
        rows[k * size : (k + 1) * size, own] = True
    return mass, rows


def test_loops_that_share_one_speed():
    mass, rows = wheel(4)
    rng = np.random.default_rng(1)
    samples = [np.where(rows, rng.standard_normal(rows.shape), 0.0) + 3.0 * np.eye(len(rows), rows.shape[1], 1) for _ in range(3)]
    n, m = len(mass), len(rows)
    plain, order = [*range(n, n + m), *range(n)], elimination_order(mass, rows, samples)
    assert sorted(order) == list(range(n + m))
    assert operations(mass, rows, order) < 0.5 * operations(mass, rows, plain)


def test_constraints_that_their_own_speeds_cannot_satisfy_wait():
    mass, rows = wheel(4)
    samples = [np.where(rows, 1.0, 0.0)]  # all constraints of a loop are the same along its own speeds
    n, m = len(mass), len(rows)
    order = elimination_order(mass, rows, samples)
    assert order[:m] == list(range(n, n + m))  # eliminated last
