"""Small linear systems: the solution put in gives the right-hand side."""

import numpy as np

from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.linear_systems import solution
from sharnir.symbolic.nodes import Name, Number


def test_a_symmetric_system_of_names():
    rng, n = np.random.default_rng(2), 5
    A = rng.normal(size=(n, n))
    A = A @ A.T + np.eye(n)
    names = {f"a{min(i, j)}{max(i, j)}": A[i, j] for i in range(n) for j in range(n)}
    matrix = [[Name(f"a{min(i, j)}{max(i, j)}") for j in range(n)] for i in range(n)]
    matrix[0][4] = matrix[4][0] = Number(0)
    A[0, 4] = A[4, 0] = 0.0
    right = rng.normal(size=n)
    found = evaluated(solution(matrix, [Number(x) for x in right]), names)
    np.testing.assert_allclose(A @ found, right, rtol=1e-10, atol=1e-12)
