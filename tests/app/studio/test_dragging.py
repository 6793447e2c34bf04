"""Dragging: constraints hold, what is pulled arrives where it can, the rest moves least."""

import numpy as np
import pytest
from tests.app.studio.documents import slider_crank

import sharnir as sr
from sharnir.app.demos import ALL_DEMOS
from sharnir.app.studio.dragging import drag_joint, drag_point
from sharnir.app.studio.examination import poses_of
from sharnir.app.studio.worker import Worker


def crank_without_drive() -> sr.System:
    m = slider_crank()
    import dataclasses

    m._joints["O"] = dataclasses.replace(m.joints["O"], motion=None)
    return m.compile()


def test_the_loop_follows_a_crank_that_is_turned_round():
    system = crank_without_drive()
    y = system.y0
    for angle in np.arange(0.2, 2 * np.pi, 0.2):
        target = [0.15 * np.cos(angle), 0, -0.15 * np.sin(angle)]
        y = drag_point(system, y, "crank", [0.15, 0, 0], target)
        assert np.abs(system.constraints(y[: system.n_q])).max() < 1e-8
        slider = poses_of(system, y)["slider"]
        expected = 0.15 * np.cos(angle) + np.sqrt(0.35**2 - (0.15 * np.sin(angle)) ** 2)
        assert abs(slider[0] - expected) < 1e-6


def test_a_target_out_of_reach_is_approached():
    system = crank_without_drive()
    y = drag_point(system, system.y0, "slider", [0, 0, 0], [2.0, 0, 0])
    assert abs(poses_of(system, y)["slider"][0] - 0.5) < 1e-3  # stretched out
    assert np.abs(system.constraints(y[: system.n_q])).max() < 1e-6


def test_a_joint_is_set_to_a_value():
    system = crank_without_drive()
    y = drag_joint(system, system.y0, "O", 0, 1.0)
    assert abs(poses_of(system, y)["slider"][0] - (0.15 * np.cos(1) + np.sqrt(0.35**2 - (0.15 * np.sin(1)) ** 2))) < 1e-6


DRIVEN = ("robot-arm", "stewart")  # by drives in all joints


@pytest.mark.parametrize("name", ["robot-arm", "stewart", "spacecraft"])
def test_random_pulls_keep_the_mechanisms_of_demos_closed(name):
    system = ALL_DEMOS[name].model().compile()
    rng = np.random.default_rng(3)
    y = system.y0
    for _ in range(5):
        body = rng.choice(system.tree.bodies)
        here = np.array(poses_of(system, y)[body][:3])
        target = list(here + 0.05 * rng.standard_normal(3))
        if name in DRIVEN:
            with pytest.raises(sr.ModelError, match="leave the mechanism no freedom"):
                drag_point(system, y, str(body), [0, 0, 0], target)
            continue
        y = drag_point(system, y, str(body), [0, 0, 0], target)
        assert np.isfinite(y).all()
        if system.constrained:
            assert np.abs(system.constraints(y[: system.n_q])).max() < 1e-6


def test_an_unknown_body_is_refused():
    system = crank_without_drive()
    with pytest.raises(sr.ModelError, match="no body"):
        drag_point(system, system.y0, "nobody", [0, 0, 0], [0, 0, 0])


def test_a_mechanism_with_fixed_and_driven_joints_is_dragged_and_tells_its_coordinates(tmp_path):
    bodies = {name: {"mass": 1, "inertia": [0.1, 0.1, 0.1]} for name in ("foot", "arm", "fan")}
    revolute = {"type": "revolute", "at": [0, 0, 0], "axis": "y"}
    joints = {
        "weld": {"type": "fixed", "parent": "ground", "child": "foot"},
        "O": revolute | {"parent": "foot", "child": "arm"},
        "drive": revolute | {"parent": "arm", "child": "fan", "motion": "2*t"},
    }
    worker = Worker(None, tmp_path)
    found = worker.drag({"bodies": bodies, "joints": joints}, body="arm", point=[1, 0, 0], target=[0, 0, -1])
    assert list(found["q"]) == ["O"] and abs(found["q"]["O"][0] - np.pi / 2) < 1e-6
    told = {}
    for name, document in {"foot": joints, "arm": joints | {"O": joints["O"] | {"motion": "t"}}}.items():
        told[name] = worker.answer(
            1,
            {
                "ask": "drag",
                "document": {"bodies": bodies, "joints": document},
                "body": name,
                "point": [1, 0, 0],
                "target": [0, 0, 9],
            },
        )["error"]
    assert "hold it to the ground" in told["foot"] and "leave the mechanism no freedom" in told["arm"]
