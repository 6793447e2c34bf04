"""Placement of bodies and joints in the reference drawing."""

import numpy as np
import pytest

from sharnir.errors import ModelError
from sharnir.model import Body, Fixed, Frame, Model, Revolute, rotation_about
from sharnir.model.placement import joint_frames, placements

QUARTER = rotation_about("z", np.pi / 2)


def test_bodies_are_where_they_say():
    m = Model()
    m.add(Body("a", mass=1, position=(1, 2, 3), rotation=QUARTER))
    m.add(Revolute("j", "ground", "a", at=(1, 0, 0), axis="x"))
    placed = placements(m)
    assert placed["ground"] == Frame()
    assert placed["a"] == Frame((1, 2, 3), QUARTER)
    on_ground, on_body = joint_frames(m.joints["j"], placed)
    np.testing.assert_allclose(on_ground.position, (1, 0, 0))
    np.testing.assert_allclose(on_body.position, (-2, 0, -3), atol=1e-15)  # (0, -2, -3) in axes turned by a quarter
    np.testing.assert_allclose(np.array(on_body.rotation_matrix), np.array(Frame(rotation=QUARTER).rotation_matrix).T, atol=1e-15)


def test_default_point_is_the_childs_position():
    m = Model()
    m.add(Body("a", mass=1, position=(1, 2, 3)), Revolute("j", "ground", "a", axis="x"))
    on_ground, on_body = joint_frames(m.joints["j"], placements(m))
    assert on_ground.position == (1, 2, 3)
    assert on_body.position == (0, 0, 0)


def test_frames_place_the_child_in_any_order_of_joints():
    m = Model()
    m.add(Body("a", mass=1), Body("b", mass=1), Body("c", mass=1, position=(9, 9, 9)))
    m.add(Revolute("second", "a", "b", axis="x", parent_frame=Frame((1, 0, 0)), child_frame=Frame((0, 0, 1))))
    m.add(Revolute("first", "ground", "a", axis="x", parent_frame=Frame((0, 0, 5), QUARTER)))
    m.add(Fixed("third", "b", "c"))
    placed = placements(m)
    np.testing.assert_allclose(placed["a"].position, (0, 0, 5))
    np.testing.assert_allclose(placed["b"].position, (0, 1, 4), atol=1e-15)
    assert placed["c"].position == (9, 9, 9)
    frames = joint_frames(m.joints["second"], placed)
    world = [placed[body] @ frame for body, frame in zip("ab", frames, strict=True)]
    np.testing.assert_allclose(world[0].position, world[1].position, atol=1e-15)
    np.testing.assert_allclose(world[0].rotation_matrix, world[1].rotation_matrix, atol=1e-15)


def test_ring_of_frames_is_refused():
    m = Model()
    m.add(Body("a", mass=1), Body("b", mass=1))
    m.add(Fixed("x", "a", "b", parent_frame=Frame()), Fixed("y", "b", "a", parent_frame=Frame()))
    with pytest.raises(ModelError, match="ring"):
        placements(m)
