"""The published coefficients satisfy the order conditions of all rooted trees (Butcher), dense output and error estimates too."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from sharnir.integrate.explicit.butcher_tableaux import DOPRI5, RK4, RKF45
from sharnir.integrate.explicit.dop853_tableau import DOP853

TABLEAUX = {"rk4": (RK4, 4), "rkf45": (RKF45, 5), "dopri5": (DOPRI5, 5), "dop853": (DOP853, 8)}


@cache
def forests(order, largest):
    """Multisets of rooted trees with `order` nodes in all, as sorted tuples; no tree comes after `largest` in the list."""
    if order == 0:
        return [()]
    found = []
    for k in range(1, order + 1):
        for tree in trees(k):
            if largest is None or (k, tree) <= largest:
                found += [((k, tree), *rest) for rest in forests(order - k, (k, tree))]
    return found


@cache
def trees(order):
    """Rooted trees of an order: a tree is the tuple of (order, tree) of the branches at its root."""
    return forests(order - 1, None)


def density(order, tree):
    return order * math.prod(density(k, branch) for k, branch in tree)


def full_matrix(tableau):
    """A of all stages (the new point and the extra stages included), and their nodes."""
    count = tableau.stages + 1 + len(tableau.extra_c)
    A = np.zeros((count, count))
    for i, line in enumerate(tableau.lines[:count]):
        for j, value in line.items():
            A[i, j] = value
    return A, np.array([*tableau.c, 1.0, *tableau.extra_c])


def spread(line, count):
    return np.array([line.get(j, 0.0) for j in range(count)])


def stage_weights(A, tree):
    """Elementary weight of a tree at every stage."""
    weight = np.ones(len(A))
    for _, branch in tree:
        weight = weight * (A @ stage_weights(A, branch))
    return weight


def defects(A, b, order, x=1.0):
    """|sum b_i phi_i(tree) - x**order / density| over all trees of an order."""
    return [abs(b @ stage_weights(A, tree) - x**order / density(order, tree)) for tree in trees(order)]


def test_number_of_trees():
    assert [len(trees(k)) for k in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize("name", TABLEAUX)
def test_row_sums_are_nodes(name):
    A, c = full_matrix(TABLEAUX[name][0])
    assert np.allclose(A.sum(axis=1), c, rtol=0, atol=2e-14)
    assert np.allclose(np.triu(A), 0.0)


@pytest.mark.parametrize("name", TABLEAUX)
def test_order_conditions(name):
    tableau, order = TABLEAUX[name]
    A, _ = full_matrix(tableau)
    b = spread(tableau.b, len(A))
    for q in range(1, order + 1):
        assert max(defects(A, b, q)) < 1e-13
    assert max(defects(A, b, order + 1)) > 1e-5  # and not one more: the trees do tell


@pytest.mark.parametrize(("name", "orders"), [("rkf45", (4,)), ("dopri5", (4,)), ("dop853", (5, 3))])
def test_embedded_methods(name, orders):
    tableau, _ = TABLEAUX[name]
    A, _ = full_matrix(tableau)
    for line, order in zip(tableau.errors, orders, strict=True):
        embedded = spread(tableau.b, len(A)) - spread(line, len(A))
        for q in range(1, order + 1):
            assert max(defects(A, embedded, q)) < 1e-13
        assert max(defects(A, embedded, order + 1)) > 1e-5


def dense_weights(tableau, x):
    """Weights of the stages at the fraction x of the step: y0 + x(F0 + (1-x)(F1 + x(F2 + …)))."""
    count = tableau.stages + 1 + len(tableau.extra_c)
    f0, f1 = spread({0: 1.0}, count), spread({tableau.stages: 1.0}, count)
    change = spread(tableau.b, count)
    rows = [change, f0 - change, 2 * change - f0 - f1, *(spread(line, count) for line in tableau.dense)]
    factors = np.cumprod([x if k % 2 == 0 else 1.0 - x for k in range(len(rows))])
    return sum(factor * line for factor, line in zip(factors, rows, strict=True))


@pytest.mark.parametrize(("name", "order"), [("rk4", 4), ("rkf45", 4), ("dopri5", 4), ("dop853", 7)])
@pytest.mark.parametrize("x", [0.13, 0.5, 0.87])
def test_dense_output(name, order, x):
    tableau, _ = TABLEAUX[name]
    A, _ = full_matrix(tableau)
    weights = dense_weights(tableau, x)
    for q in range(1, order + 1):
        assert max(defects(A, weights, q, x)) < 2e-12
    assert max(defects(A, weights, order + 1, x)) > 1e-6
