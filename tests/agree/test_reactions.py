"""Reactions: Newton's law of every body, the R of the extended system, and the forces of prescribed motions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sharnir as sr
import zoo
from agree.by_hand import body_poses, coordinates_of, joint_frames, matrix, quaternion_matrix
from sharnir.model.placement import placements

NO_ELEMENTS = [name for name in zoo.ZOO if name not in ("forces", "moving base", "gears")]


def joint_point(joint, body, X, placed):
    """World point of a joint, on the side of one of its two bodies."""
    on_parent, on_child = joint_frames(joint, placed)
    if joint.coordinates == "free":
        return X[body][:3, 3]
    return (X[body] @ matrix(on_child if body == joint.child else on_parent))[:3, 3]


@pytest.mark.parametrize("name", NO_ELEMENTS)
def test_newtons_law_of_every_body(name):
    """m a_c and J α + ω × J ω are weight and what the joints pass on; only user-visible numbers are used."""
    m, method = zoo.model(name), zoo.methods(name)[0]
    result, t = m.simulate(0.2, output=[0.2], method=method), 0.2
    s = zoo.system(name, method)
    q, _ = final_state(s, result)
    X, placed = body_poses(m, coordinates_of(s, q, t), t), placements(m)
    joints = dict(zip(s.tree.bodies, s.tree.joints, strict=True))
    for body in m.bodies.values():
        R, r = X[body.name][:3, :3], X[body.name][:3, 3]
        c = R @ np.array(body.com)
        w, alpha = result[f"{body.name}.angular_velocity"][-1], result[f"{body.name}.angular_acceleration"][-1]
        a = result[f"{body.name}.acceleration"][-1] + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        J = R @ np.array(body.inertia_matrix) @ R.T
        force, torque = body.mass * np.array(m.gravity), np.zeros(3)
        for joint in [
            joints[body.name],
            *(j for j in joints.values() if body.name in (j.parent, j.child) and j is not joints[body.name]),
        ]:
            sign = 1.0 if joint.child == body.name else -1.0
            own = sign * result[f"{joint.name}.reaction"][-1]
            force = force + own[:3]
            at = joint_point(joint, joint.child, X, placed)  # where the channel takes its torque, whoever we look at
            torque = torque + own[3:] + np.cross(at - r - c, own[:3])
        scale = 1 + np.abs(result[f"{joints[body.name].name}.reaction"][-1]).max()
        assert force == pytest.approx(body.mass * a, abs=1e-9 * scale)
        assert torque == pytest.approx(J @ alpha + np.cross(w, J @ w), abs=1e-9 * scale)


def final_state(s, result):
    q = np.concatenate([[0.0] * 0, *(np.atleast_1d(x) for x in _values(s, result, "q"))])
    v = np.concatenate([[0.0] * 0, *(np.atleast_1d(x) for x in _values(s, result, "v"))])
    return q, v


def _values(s, result, key):
    """Last values of the free coordinates (or speeds) of all joints, in the order of the state."""
    for joint in s.tree.joints:
        if joint.n_v:
            values = np.atleast_1d(result[f"{joint.name}.{key}"][-1])
            yield values if joint.coordinates != "angles" else values[[not driven for driven in joint.driven]]


@pytest.mark.parametrize("name", [name for name in zoo.ZOO if name != "gears"])
def test_reactions_are_those_of_the_extended_system(name):
    s = zoo.system(name)
    q, v = zoo.state(s, 3)
    t = 0.5
    acceleration, R, vdot = s.structure(q, v, t).extended_solution()
    assert s.accelerations(q, v, t) == pytest.approx(vdot, rel=1e-9, abs=1e-9)
    y = np.concatenate([q, v])[None]
    out, reactions, *_ = s.observe(np.array([t]), y, np.arange(s.assembly.count))
    turn = [quaternion_matrix(e) @ U.T for e, U in zip(out[0, :, 3:7], s.assembly.placement.user_to_engine(), strict=True)]
    for i, G in enumerate(turn):
        in_world = np.concatenate([G @ R[6 * i : 6 * i + 3], G @ R[6 * i + 3 : 6 * i + 6]])
        assert reactions[0, i] == pytest.approx(in_world, rel=1e-8, abs=1e-8)
        origin = G @ acceleration[6 * i : 6 * i + 3]
        d = G @ s.assembly.placement.user_origin()[i]
        w, alpha = out[0, i, 10:13], G @ acceleration[6 * i + 3 : 6 * i + 6]
        user = origin + np.cross(alpha, d) + np.cross(w, np.cross(w, d))
        assert out[0, i, 13:16] == pytest.approx(user, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("method", ["articulated", "composite", "lagrange1", "extended"])
def test_reactions_do_not_depend_on_the_method(method):
    found = [zoo.system("bush", k).bodies(*zoo.state(zoo.system("bush", k), 2)) for k in ("direct", method)]
    for body in found[0]:
        assert found[1][body].reaction == pytest.approx(found[0][body].reaction, rel=1e-9, abs=1e-9)


def test_drive_forces_reproduce_the_motion():
    """The same model with its prescribed joints set free, started and driven as prescribed, accelerates as prescribed."""
    name, t = "prescribed", 0.7
    m, s = zoo.model(name), zoo.system(name)
    q, v = zoo.state(s, 4)
    y = np.concatenate([q, v])[None]
    drives = s.observe(np.array([t]), y, np.array([0]))[2][0]
    free = sr.Model("set free", m.gravity)
    free.add(*m.bodies.values())
    free.add(*(dataclasses.replace(j, motion=None) for j in m.joints.values()))
    f = free.compile(method="articulated")
    from sharnir.dynamics.evaluation.python_entries import observe_motions
    from sharnir.dynamics.memory import layout as L

    motions = np.zeros((1, int(s.table[L.N_MOTION]), 3))
    observe_motions(np.array([t]), motions, s.table, s.work)
    q2, v2, tau, wanted = np.zeros(f.n_q), np.zeros(f.n_v), np.zeros(f.n_v), np.zeros(f.n_v)
    vdot = s.accelerations(q, v, t)
    k = 0
    a, b = s.assembly.coordinates, f.assembly.coordinates
    for joint in s.tree.joints:
        if joint.coordinates != "angles":
            old, new = a.ranges[joint.name], b.ranges[joint.name]
            q2[new[0] : new[0] + new[1]] = q[old[0] : old[0] + old[1]]
            v2[new[2] : new[2] + new[3]] = v[old[2] : old[2] + old[3]]
            wanted[new[2] : new[2] + new[3]] = vdot[old[2] : old[2] + old[3]]
    for one, other in zip(a.freedoms, b.freedoms, strict=True):
        if one.motion is not None:
            q2[other.coordinate], v2[other.speed], wanted[other.speed] = motions[0, k]
            tau[other.speed] = drives[k]
            k += 1
        elif one.coordinate >= 0:
            q2[other.coordinate], v2[other.speed], wanted[other.speed] = q[one.coordinate], v[one.speed], vdot[one.speed]
    assert k == 7
    assert f.accelerations(q2, v2, t, tau=tau) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_reactions_of_a_system_carry_the_weight():
    m = sr.Model()
    m.add(sr.Body("a", mass=2, inertia=(1, 1, 1)), sr.Body("b", mass=3, inertia=(1, 1, 1)))
    m.add(sr.Fixed("wall", "ground", "a"), sr.Fixed("weld", "a", "b"))
    found = m.compile().reactions([], [])
    assert found["wall"][2] == pytest.approx(5 * 9.81)
    assert found["weld"][2] == pytest.approx(3 * 9.81)
