"""Axes of bodies that nobody reads the equations of: along the joints' axes where there is one."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.equations.letters import Letters
from sharnir.equations.mechanism import Mechanism
from sharnir.symbolic.nodes import ONE, ZERO
from sharnir.topology import build_tree


def arm(seed, count=5):
    """Hinges with axes and places at random."""
    rng = np.random.default_rng(seed)
    model = sr.Model("arm")
    parent = model.ground
    for i in range(count):
        com, place, at = rng.normal(size=(3, 3))
        body = model.add(sr.Body(f"b{i}", mass=1.0, com=com, inertia=(1.0, 1.1, 1.2, 0.1, 0.2, 0.3), position=place))
        model.add(sr.Revolute(f"j{i}", parent, body, at=at, axis=tuple(rng.normal(size=3))))
        parent = body
    return model


@pytest.mark.parametrize("seed", range(5))
def test_z_is_the_axis_and_x_is_normal_to_the_next(seed):
    model = arm(seed)
    bodies = Mechanism(model, build_tree(model), Letters(), for_machines=True).bodies
    axes = [np.array(j.axis) / np.linalg.norm(j.axis) for j in model.joints.values()]
    for i, axis in enumerate(axes):
        R = bodies.rotation[i]
        assert np.allclose(R.T @ R, np.eye(3), atol=1e-14)
        assert np.linalg.det(R) == pytest.approx(1.0)
        assert np.allclose(R[:, 2], axis)
        if i + 1 < len(axes):
            assert abs(R[:, 0] @ axes[i + 1]) < 1e-14


def test_a_turn_about_an_axis_of_both_is_one_in_its_plane():
    m = Mechanism(arm(1), build_tree(arm(1)), Letters(), for_machines=True)
    for motion in m.recursion.motion[1:]:
        about_x, about_z = motion.turns
        assert about_x[0] is ONE and all(about_x[k] is ZERO for k in (1, 2, 3, 6))
        assert about_z[8] is ONE and all(about_z[k] is ZERO for k in (2, 5, 6, 7))


def test_axes_that_the_user_chose_along_the_joint_stay():
    model = sr.Model("pendulum")
    rod = model.add(sr.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.001), rotation=sr.rotation_about("x", 0.5)))
    model.add(sr.Revolute("O", model.ground, rod, axis="x"))
    m = Mechanism(model, build_tree(model), Letters(), for_machines=True)
    assert np.allclose(m.bodies.rotation[0], np.array(m.placed["rod"].rotation_matrix))
