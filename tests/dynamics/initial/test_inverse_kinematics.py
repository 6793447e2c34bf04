"""Positions of bodies that are wanted: against closed forms, and against a general optimizer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import sharnir as sr
from sharnir.model.frames import rotation_matrix


def arm(axes: str = "zyzyzyz", limits: tuple[float, float] | None = (-2.5, 2.5)) -> sr.Model:
    m = sr.Model("arm")
    parent: object = m.ground
    for i, axis in enumerate(axes):
        body = m.add(sr.Body(f"b{i}", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.3 * i + 0.1)))
        m.add(sr.Revolute(f"j{i}", parent, body, at=(0, 0, 0.3 * i), axis=axis, limits=limits))
        parent = body
    return m


def two_bars(**of_elbow: object) -> sr.Model:
    m = sr.Model()
    m.add(sr.Body("upper", mass=1, inertia=(1, 1, 1)), sr.Body("fore", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis="z"))
    m.add(sr.Revolute("elbow", "upper", "fore", at=(1, 0, 0), axis="z", **of_elbow))
    return m


def pose(system: sr.System, q: np.ndarray, body: str) -> tuple[np.ndarray, np.ndarray]:
    state = system.bodies(q, np.zeros(system.n_v))[body]
    return state.position, np.array(rotation_matrix(tuple(state.rotation)))


def test_two_bars_by_the_cosine_law() -> None:
    """Both branches, each from a start on its side; the elbow's angle is ±acos((x² + y² - 2)/2)."""
    s = two_bars().compile()
    target = sr.Target("fore", position=(0.9, 0.7, None), point=(1, 0, 0))
    bend = np.arccos((0.9**2 + 0.7**2 - 2.0) / 2.0)
    for side in (1.0, -1.0):
        q = s.inverse_kinematics(target, q=[0.2, side])
        first = np.arctan2(0.7, 0.9) - side * np.arctan2(np.sin(bend), 1.0 + np.cos(bend))
        assert q == pytest.approx([first, side * bend], abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_least_motion_within_limits_as_a_general_optimizer_finds_it(seed: int) -> None:
    """A redundant arm: SLSQP from the answer finds nothing better, within wide and within narrow limits."""
    rng = np.random.default_rng(seed)
    width = 1.2 if seed % 2 else 2.5
    s = arm(limits=(-width, width)).compile()
    start, goal = np.full(7, 0.3), rng.uniform(-0.8, 0.8, 7) * width
    position, R = pose(s, goal, "b6")
    q = s.inverse_kinematics(sr.Target("b6", position=position, rotation=R), q=start)
    there, turned = pose(s, q, "b6")
    assert np.abs(there - position).max() < 1e-9
    assert np.abs(turned - R).max() < 1e-9
    assert np.abs(q).max() <= width

    def miss(x: np.ndarray) -> np.ndarray:
        p, A = pose(s, x, "b6")
        return np.concatenate([p - position, (A @ R.T - R @ A.T)[[2, 0, 1], [1, 2, 0]]])

    other = minimize(
        lambda x: 0.5 * (x - start) @ (x - start),
        q,
        jac=lambda x: x - start,
        bounds=[(-width, width)] * 7,
        constraints={"type": "eq", "fun": miss},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert np.linalg.norm(q - start) <= np.linalg.norm(other.x - start) + 1e-6


def test_active_limits_turn_the_search_elsewhere() -> None:
    """Three bars, one too many for a point: a narrow elbow keeps its limit exactly, and the others do the rest."""
    m = two_bars(limits=(-0.5, 0.5))
    m.add(sr.Body("hand", mass=1, inertia=(1, 1, 1), position=(2, 0, 0)))
    m.add(sr.Revolute("wrist", "fore", "hand", at=(2, 0, 0), axis="z"))
    s = m.compile()
    target = sr.Target("hand", position=(1.2, 1.4, None), point=(1, 0, 0))
    q = s.inverse_kinematics(target, q=[0.0, 0.1, 0.1])
    assert pose(s, q, "hand")[0] + pose(s, q, "hand")[1][:, 0] == pytest.approx([1.2, 1.4, 0.0], abs=1e-9)
    assert 0.5 - 1e-9 < abs(q[1]) <= 0.5
    free = s.inverse_kinematics(target, q=[0.0, 0.1, 0.1], limits=False)
    assert abs(free[1]) > 0.6
    stopped = two_bars()
    stopped.add(sr.JointLimit("stop", "elbow", -0.5, 0.5, restitution=0.5))
    with pytest.raises(sr.ModelError, match=r"'fore' stays .* m away from .*beyond the limits of joints \(limits=False\)"):
        stopped.compile().inverse_kinematics(sr.Target("fore", position=(0.5, 0.5, None), point=(1, 0, 0)))


def test_out_of_reach_says_how_far() -> None:
    s = two_bars().compile()
    with pytest.raises(sr.ModelError, match=r"'fore' stays 1 m away from position \(3\.0, 0\.0, 0\.0\)$"):
        s.inverse_kinematics(sr.Target("fore", position=(3, 0, 0), point=(1, 0, 0)), q=[0.3, 0.4])
    with pytest.raises(sr.ModelError, match="'ground' does not move"):
        s.inverse_kinematics(sr.Target("ground", position=(3, 0, 0)))
    with pytest.raises(sr.ModelError, match="is empty; give position"):
        sr.Target("fore")
    with pytest.raises(sr.ModelError, match="there is no body 'four'"):
        s.inverse_kinematics(sr.Target("four", position=(3, 0, 0)))


def test_a_platform_on_six_legs() -> None:
    """A closed mechanism: the lengths of its legs are the distances between their ends."""
    m = sr.Model("hexapod")
    m.add(sr.Body("plate", mass=5, inertia=(0.1, 0.1, 0.2), position=(0, 0, 1)))
    feet, tops = [], []
    for k in range(6):
        a, b = np.pi / 3 * k, np.pi / 3 * (k + (0.3 if k % 2 else -0.3))
        foot, top = np.array([np.cos(a), np.sin(a), 0.0]), np.array([0.5 * np.cos(b), 0.5 * np.sin(b), 1.0])
        along = (top - foot) / np.linalg.norm(top - foot)
        feet.append(foot)
        tops.append(top - (0, 0, 1))
        m.add(sr.Body(f"low{k}", mass=1, inertia=(0.1, 0.1, 0.1), position=tuple(foot)))
        m.add(sr.Body(f"high{k}", mass=1, inertia=(0.1, 0.1, 0.1), position=tuple(top)))
        m.add(sr.Universal(f"foot{k}", "ground", f"low{k}", at=tuple(foot), axis="x", axis2="y"))
        m.add(sr.Prismatic(f"leg{k}", f"low{k}", f"high{k}", axis=tuple(along)))
        m.add(sr.Ball(f"top{k}", f"high{k}", "plate", at=tuple(top)))
    s = m.compile()
    R = np.array(rotation_matrix((np.cos(0.1), 0.0, np.sin(0.1), 0.0)))
    position = np.array([0.1, -0.05, 1.15])
    q = s.inverse_kinematics(sr.Target("plate", position=position, rotation=R))
    assert np.abs(s.constraints(q)).max() < 1e-8
    for k in range(6):
        drawn = np.linalg.norm(tops[k] + (0, 0, 1) - feet[k])
        length = np.linalg.norm(position + R @ tops[k] - feet[k])
        shift = q[s.coordinates.index(f"leg{k}.q")] if f"leg{k}.q" in s.coordinates else None
        assert shift is None or shift == pytest.approx(length - drawn, abs=1e-8)
        low, high = pose(s, q, f"low{k}")[0], pose(s, q, f"high{k}")[0]
        assert np.linalg.norm(high - low) == pytest.approx(length, abs=1e-8)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_limited_joint_that_closes_a_loop(formulation: str) -> None:
    """A four-bar linkage with one freedom reaches a height of its coupler, unless the limit of a joint forbids it."""

    def linkage(limits: tuple[float, float] | None) -> sr.System:
        m = sr.Model()
        m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)))
        m.add(sr.Body("c", mass=1, inertia=(1, 1, 1), position=(2, 0, 0)))
        m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"), sr.Revolute("B", "a", "b", at=(0, 0, 1), axis="y"))
        m.add(sr.Revolute("D", "ground", "c", at=(2, 0, 0), axis="y"))
        m.add(sr.Revolute("C", "b", "c", at=(2, 0, 1), axis="y", limits=limits))
        return m.compile(formulation=formulation)

    target = sr.Target("b", position=(None, None, np.cos(0.6)))
    s = linkage(None)
    q = s.inverse_kinematics(target, q=s.assemble(sr.Initial(q={"A": 0.2}))[0])
    assert pose(s, q, "b")[0] == pytest.approx([np.sin(0.6), 0, np.cos(0.6)], abs=1e-8)  # a parallelogram
    with pytest.raises(sr.ModelError, match="limits=False"):
        linkage((-0.3, 0.3)).inverse_kinematics(target)


def test_a_flying_robot_and_one_that_is_held() -> None:
    """With a free base every target is in reach, and the least motion takes part in it; held, only the arm moves."""
    m = sr.Model()
    m.add(sr.Body("base", mass=5, inertia=(1, 1, 1)), sr.Body("arm", mass=1, inertia=(1, 1, 1), position=(0.5, 0, 0)))
    m.add(sr.Free("flight", "ground", "base"), sr.Ball("shoulder", "base", "arm", at=(0.5, 0, 0)))
    s = m.compile()
    target = sr.Target("arm", position=(0.5, 0.6, 0.8), point=(1, 0, 0))
    q = s.inverse_kinematics(target, hold=["flight"])
    assert q[:7].tolist() == s.q0[:7].tolist()
    assert 2.0 * np.arccos(q[7]) == pytest.approx(0.5 * np.pi, abs=1e-9)  # from x to (0, 0.6, 0.8), the shortest way
    flown = s.inverse_kinematics(target)
    assert np.abs(flown[:3]).max() > 0.01
    position, R = pose(s, flown, "arm")
    assert position + R[:, 0] == pytest.approx([0.5, 0.6, 0.8], abs=1e-9)


def test_followers_follow() -> None:
    m = two_bars(mimic=("shoulder", 2.0, 0.1))
    s = m.compile()
    goal = 0.4
    x = np.cos(goal) + np.cos(3 * goal + 0.1)
    q = s.inverse_kinematics(sr.Target("fore", position=(x, None, None), point=(1, 0, 0)), q=[0.3, 0.7])
    assert q == pytest.approx([goal, 2 * goal + 0.1], abs=1e-9)


def test_motion_of_a_drive_is_that_of_the_time() -> None:
    m = two_bars()
    m.replace("shoulder", motion="0.5*t")
    s = m.compile()
    q = s.inverse_kinematics(sr.Target("fore", rotation=rotation_matrix((np.cos(0.4), 0, 0, np.sin(0.4)))), t=1.0)
    assert q == pytest.approx([0.3], abs=1e-9)
