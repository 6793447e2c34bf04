"""Coordinates in which small motions are measured."""

import numpy as np

from sharnir.dynamics.small_motions.measured_coordinates import cross_matrix


def test_cross_matrix():
    a, b = np.array([0.3, -1.2, 2.5]), np.array([-0.7, 0.4, 1.9])
    np.testing.assert_allclose(cross_matrix(a) @ b, np.cross(a, b), atol=1e-15)
