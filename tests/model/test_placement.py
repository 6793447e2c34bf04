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


def test_ring_of_frames_begins_with_its_first_body_where_it_says():
    m = Model()
    m.add(Body("a", mass=1, position=(1, 0, 0)), Body("b", mass=1, position=(9, 9, 9)))
    m.add(Fixed("x", "a", "b", parent_frame=Frame((0, 2, 0))), Fixed("y", "b", "a", parent_frame=Frame((0, 0, 3))))
    placed = placements(m)
    assert placed["a"].position == (1, 0, 0)
    assert placed["b"].position == (1, 2, 0)


def test_a_ring_is_entered_from_what_is_placed():
    m = Model()
    m.add(Body("a", mass=1), Body("b", mass=1), Body("c", mass=1, position=(7, 7, 7)))
    m.add(Fixed("x", "a", "b", parent_frame=Frame((0, 2, 0))), Fixed("y", "b", "a", parent_frame=Frame()))
    m.add(Fixed("z", "ground", "b", parent_frame=Frame((0, 0, 5))))
    placed = placements(m)
    assert placed["b"].position == (0, 0, 5)
    assert placed["a"].position == (0, 0, 5)
    assert placed["c"].position == (7, 7, 7)


def test_the_first_joint_of_a_loop_places_the_body_and_the_last_need_not_meet():
    m = Model()
    m.add(Body("a", mass=1), Body("b", mass=1))
    m.add(Revolute("O", "ground", "a", axis="z", parent_frame=Frame((1, 0, 0))))
    m.add(Revolute("A", "a", "b", axis="z", parent_frame=Frame((0, 1, 0))))
    m.add(Revolute("B", "ground", "b", axis="z", parent_frame=Frame((1, 1.01, 0))))
    m.add(Revolute("C", "b", "ground", axis="z", parent_frame=Frame((5, 5, 5))))
    placed = placements(m)
    assert placed["b"].position == (1, 1, 0)
    np.testing.assert_allclose(joint_frames(m.joints["B"], placed)[0].position, (1, 1.01, 0))


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_position_that_frames_contradict_is_refused(formulation):
    def model(**given):
        m = Model()
        m.add(Body("a", mass=1, inertia=(1, 1, 1)), Body("b", mass=1, inertia=(1, 1, 1), **given))
        m.add(Revolute("first", "ground", "a", axis="x", parent_frame=Frame((0, 0, 5), QUARTER)))
        m.add(Revolute("second", "a", "b", axis="x", parent_frame=Frame((1, 0, 0)), child_frame=Frame((0, 0, 1))))
        return m

    model().compile(formulation)
    model(position=(0, 1, 4), rotation=QUARTER).compile(formulation)  # it says the same
    model(position=(0, 1.0000001, 4)).compile(formulation)
    with pytest.raises(ModelError, match=r"Body 'b': position = \(0.0, 1.0, 5.0\), but the frames of Revolute 'second' place it"):
        model(position=(0, 1, 5)).compile(formulation)
    with pytest.raises(ModelError, match=r"Body 'b': rotation = .*, but the frames of Revolute 'second' turn it otherwise"):
        model(rotation=rotation_about("x", 1.0)).compile(formulation)


def test_frames_that_close_a_loop_do_not_count():
    m = Model()
    m.add(Body("a", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(Revolute("A", "ground", "a", axis="z", parent_frame=Frame((1, 0, 0))))
    m.add(Revolute("C", "ground", "a", axis="z", parent_frame=Frame((3, 0, 0)), child_frame=Frame((2, 0, 0))))
    m.compile()
