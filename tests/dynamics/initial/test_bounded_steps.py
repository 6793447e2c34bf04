"""The nearest point of a polyhedron against a general solver of quadratic programs, and polyhedra without points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from sharnir.dynamics.initial.bounded_steps import nearest_within


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Some bounds on both sides, some on one, some on none; rows that depend on each other among them."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 6)), int(rng.integers(1, 9))
    rows = rng.normal(size=(m, n)) * 10.0 ** rng.uniform(-2, 2, (m, 1))
    if m > 2:
        rows[2] = rows[0] + rows[1]
    size = np.linalg.norm(rows, axis=1)
    low = np.where(rng.random(m) < 0.7, rng.normal(size=m) * size, -np.inf)
    high = np.where(rng.random(m) < 0.7, rng.normal(size=m) * size + size, np.inf)
    return 3.0 * rng.normal(size=n), rows, np.minimum(low, high), np.maximum(low, high)


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_nearest_point(seed: int) -> None:
    center, rows, low, high = problem(seed)
    one, other = np.isfinite(low), np.isfinite(high)
    A, b = np.vstack([-rows[one], rows[other]]), np.concatenate([-low[one], high[other]])
    possible = len(b) == 0 or linprog(np.zeros(len(center)), A, b, bounds=(None, None)).status == 0
    found = nearest_within(center, rows, low, high)
    assert (found is not None) == possible
    if found is None:
        return
    slack = 1e-8 * np.linalg.norm(rows, axis=1)
    assert (rows @ found >= low - slack).all() and (rows @ found <= high + slack).all()
    scale = np.linalg.norm(A, axis=1)
    bounds = {"type": "ineq", "fun": lambda z: (b - A @ z) / scale, "jac": lambda z: -A / scale[:, None]}
    start = linprog(np.zeros(len(center)), A, b, bounds=(None, None)).x if len(b) else center
    best = minimize(
        lambda z: np.sum((z - center) ** 2),
        start,
        jac=lambda z: 2.0 * (z - center),
        constraints=[bounds] if len(b) else [],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    ).x
    assert np.linalg.norm(found - center) <= np.linalg.norm(best - center) + 1e-6
    assert found == pytest.approx(best, abs=1e-4)


def test_both_answers_occur() -> None:
    answers = [nearest_within(*problem(seed)) for seed in range(60)]
    assert 5 < sum(found is None for found in answers) < 55
    assert any(found is not None and not np.array_equal(found, problem(seed)[0]) for seed, found in enumerate(answers))


def test_rows_that_bound_nothing_and_centers_inside() -> None:
    center = np.array([0.3, -0.2])
    nothing = np.array([[0.0, 0.0], [1e-12, 0.0], [1.0, 0.0]])
    found = nearest_within(center, nothing, np.array([1.0, 1.0, -1.0]), np.array([2.0, 2.0, 1.0]))
    assert found is center
    assert nearest_within(center, np.eye(2), np.array([1.0, 1.0]), np.array([1.0, 1.0])) == pytest.approx([1.0, 1.0])
    assert nearest_within(center, np.eye(2)[[0, 0]], np.array([1.0, -9.0]), np.array([9.0, 0.5])) is None
    far = nearest_within(1e-6 * center, np.eye(2), np.array([1e6, -1.0]), np.array([2e6, 1.0]))
    assert far == pytest.approx([1e6, -2e-7], rel=1e-9)
