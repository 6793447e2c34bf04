"""Rotations and frames against NumPy and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Reference

from model.strategies import frames, quaternions
from sharnir.errors import ModelError
from sharnir.model.frames import Frame, quaternion, rotation_about, rotation_matrix, rotation_rpy, stored_rotation

angles = st.floats(-7, 7)


@given(quaternions)
def test_quaternion_and_matrix_agree_with_scipy(q):
    stored = stored_rotation(q, "test")
    w, x, y, z = q
    expected = Reference.from_quat([x, y, z, w]).as_matrix()
    np.testing.assert_allclose(rotation_matrix(stored), expected, atol=1e-14)
    back = np.array(quaternion(stored_rotation(expected, "test")))
    np.testing.assert_allclose(np.abs(back @ np.array(stored)), 1, atol=1e-14)
    assert back[0] >= 0


@given(quaternions)
def test_storing_twice_changes_nothing(q):
    once = stored_rotation(q, "test")
    assert stored_rotation(once, "test") == once
    matrix = stored_rotation(rotation_matrix(once), "test")
    assert stored_rotation(matrix, "test") == matrix


@given(angles, angles, angles)
def test_rpy_is_fixed_axes_xyz(roll, pitch, yaw):
    expected = Reference.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    np.testing.assert_allclose(rotation_rpy(roll, pitch, yaw), expected, atol=1e-14)


@pytest.mark.parametrize("axis", ["x", "-y", (1, 2, -3)])
def test_rotation_about_an_axis(axis):
    direction = {"x": (1, 0, 0), "-y": (0, -1, 0)}.get(axis, axis)
    vector = 0.7 * np.array(direction) / np.linalg.norm(direction)
    np.testing.assert_allclose(rotation_matrix(rotation_about(axis, 0.7)), Reference.from_rotvec(vector).as_matrix(), atol=1e-15)


@given(frames, frames)
def test_frames_compose_as_4x4_matrices(a, b):
    def four(frame):
        result = np.eye(4)
        result[:3, :3], result[:3, 3] = frame.rotation_matrix, frame.position
        return result

    scale = 1 + np.abs(four(a)).max() + np.abs(four(b)).max()
    np.testing.assert_allclose(four(a @ b), four(a) @ four(b), atol=1e-13 * scale)
    np.testing.assert_allclose(four(a.inverse()), np.linalg.inv(four(a)), atol=1e-12 * scale)


@pytest.mark.parametrize(
    "rotation",
    [(0, 0, 0, 0), (1, 0), np.diag([1, 1, -1]), 2 * np.eye(3), "x", 3.0, (1, 0, 0, float("nan")), [[1, 0], [0, 1], [0, 0]]],
)
def test_no_rotation(rotation):
    with pytest.raises(ModelError, match="rotation"):
        Frame(rotation=rotation)


def test_slightly_wrong_matrix_becomes_orthogonal():
    printed = np.round(Reference.from_euler("xyz", [1, 2, 3]).as_matrix(), 7)
    R = np.array(Frame(rotation=printed).rotation_matrix)
    assert np.abs(R @ R.T - np.eye(3)).max() < 4e-15
    assert np.abs(R - printed).max() < 1e-6
