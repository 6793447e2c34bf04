"""The same mechanism said in different words moves the same way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sharnir as sr
import zoo


def arm():
    """A base that swings and a hand with nothing in between yet."""
    rng = np.random.default_rng(13)
    m = sr.Model(gravity=(0, 2, -9))
    m.add(zoo.body(rng, "arm"), zoo.body(rng, "hand"), zoo.joint(sr.Ball, rng, "shoulder", "ground", "arm", at=(0, 0, 0)))
    return m


def same(one, other, bodies=("arm", "hand"), t=0.4):
    a, b = (m.simulate(t, step=t / 4, tolerance=1e-11) for m in (one, other))
    for body in bodies:
        for key in ("position", "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
            assert a[f"{body}.{key}"] == pytest.approx(b[f"{body}.{key}"], abs=1e-7), (body, key)


X, Y = zoo.unit(np.random.default_rng(1)), zoo.unit(np.random.default_rng(2))
AT = (0.3, -0.2, 0.4)


def with_wrist(joint, *more):
    m = arm()
    m.add(*more, joint)
    return m


def test_universal_is_two_revolutes():
    """With a massless body between; what Lagrange I refuses by name."""
    one = with_wrist(sr.Universal("w", "arm", "hand", axis=X, axis2=Y, at=AT, q=(0.3, 0.4), v=(1, 2)))
    other = arm()
    other.add(sr.Body("cross", position=(9, 9, 9)), sr.Revolute("w1", "arm", "cross", axis=X, at=AT, q=0.3, v=1))
    other.add(sr.Revolute("w2", "cross", "hand", axis=Y, at=AT, q=0.4, v=2))
    same(one, other)
    with pytest.raises(sr.ModelError, match="'cross'"):
        other.compile(method="lagrange1")
    q, v = zoo.state(other.compile(), 1)
    found = [
        other.compile(method=k).accelerations(q, v)
        for k in ("articulated", "composite", "direct", "inverse-iterative", "extended")
    ]
    for a in found[1:]:
        assert a == pytest.approx(found[0], rel=1e-9)


def test_named_joints_are_sequences():
    turn, shift = sr.Rotation(X), sr.Translation(X)
    pairs = {
        sr.Revolute: ({"axis": X}, (turn,)),
        sr.Prismatic: ({"axis": X}, (shift,)),
        sr.Screw: ({"axis": X, "pitch": 0.3}, (sr.Freedom("screw", X, 0.3),)),
        sr.Universal: ({"axis": X, "axis2": Y}, (turn, sr.Rotation(Y))),
    }
    for kind, (own, freedoms) in pairs.items():
        q, v = (0.3, 0.4)[: len(freedoms)], (1.0, -2.0)[: len(freedoms)]
        one = with_wrist(kind("w", "arm", "hand", at=AT, q=q, v=v, **own))
        other = with_wrist(sr.FreedomSequence("w", "arm", "hand", at=AT, q=q, v=v, freedoms=freedoms))
        same(one, other)
    planar = sr.Planar("w", "arm", "hand", axis="z", x_axis="y", at=AT, q=(0.1, 0.2, 0.3), v=(1, 2, 3))
    sequence = (sr.Translation("y"), sr.Translation("-x"), sr.Rotation("z"))
    same(
        with_wrist(planar),
        with_wrist(sr.FreedomSequence("w", "arm", "hand", at=AT, q=(0.1, 0.2, 0.3), v=(1, 2, 3), freedoms=sequence)),
    )


def test_ball_is_three_rotations():
    """At zero coordinates the speeds are the same numbers if the hand's axes are those of the drawing."""
    plain = dataclasses.replace(arm().bodies["hand"], rotation=None)
    one, other = arm(), arm()
    for m, joint in (
        (one, sr.Ball("w", "arm", "hand", at=AT, v=(1, 2, 3))),
        (other, sr.FreedomSequence("w", "arm", "hand", at=AT, v=(1, 2, 3), freedoms=tuple(sr.Rotation(a) for a in "xyz"))),
    ):
        m._bodies["hand"] = plain
        m.add(joint)
    same(one, other)


def test_free_is_six_freedoms():
    plain = dataclasses.replace(arm().bodies["hand"], rotation=None)
    one, other = arm(), arm()
    six = tuple(sr.Translation(a) for a in "xyz") + tuple(sr.Rotation(a) for a in "xyz")
    for m, joint in (
        (one, sr.Free("w", "arm", "hand", v=(1, 2, 3, 0.5, 0.6, 0.7))),
        (other, sr.FreedomSequence("w", "arm", "hand", v=(1, 2, 3, 0.5, 0.6, 0.7), freedoms=six)),
    ):
        m._bodies["hand"] = plain
        m.add(joint)
    same(one, other)


@pytest.mark.parametrize("kind", [k for k in sr.ALL_JOINTS if k not in (sr.Ball, sr.Free, sr.FormulaJoint)])
def test_a_joint_declared_from_the_far_side(kind):
    """Parent and child exchanged: the child moves by the inverse, so coordinates of one freedom change sign."""
    rng = np.random.default_rng(4)
    joint = zoo.joint(kind, rng, "w", "arm", "hand", at=AT)
    one = with_wrist(joint)
    turned = dataclasses.replace(joint, parent="hand", child="arm")
    if joint.n_v > 1:  # undo a sequence: last freedom first, about opposite axes
        freedoms = tuple(sr.Freedom(f.kind, tuple(-x for x in f.axis), f.pitch) for f in reversed(joint.freedoms))
        turned = sr.FreedomSequence("w", "hand", "arm", at=AT, q=joint.q[::-1], v=joint.v[::-1], freedoms=freedoms)
    elif joint.n_v == 1:
        turned = dataclasses.replace(turned, q=-joint.q[0], v=-joint.v[0])
    other = with_wrist(turned)
    same(one, other)
    a, b = one.simulate(0.1)["w.reaction"], other.simulate(0.1)["w.reaction"]
    assert a[:, :3] == pytest.approx(-b[:, :3], abs=1e-6)


def test_fixed_bodies_are_one_body():
    one = with_wrist(sr.Fixed("w", "arm", "hand"))
    a, b = (arm().bodies[name] for name in ("arm", "hand"))
    other = sr.Model(gravity=one.gravity)
    mass = a.mass + b.mass
    Ra, Rb = np.array(a.rotation_matrix), np.array(b.rotation_matrix)
    ca, cb = np.array(a.position) + Ra @ a.com, np.array(b.position) + Rb @ b.com
    c = (a.mass * ca + b.mass * cb) / mass
    J = np.zeros((3, 3))
    for body, R, point in ((a, Ra, ca), (b, Rb, cb)):
        d = point - c
        J += R @ np.array(body.inertia_matrix) @ R.T + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
    other.add(
        sr.Body("arm", mass=mass, com=Ra.T @ (c - a.position), inertia=Ra.T @ J @ Ra, position=a.position, rotation=a.rotation)
    )
    other.add(one.joints["shoulder"])
    same(one, other, ("arm",))


def test_frames_and_points_say_the_same():
    one = with_wrist(sr.Revolute("w", "arm", "hand", axis=X, at=AT, q=0.3, v=2))
    frames = []
    for name in ("arm", "hand"):
        body = one.bodies[name]
        R = np.array(body.rotation_matrix)
        frames.append(sr.Frame(R.T @ (np.array(AT) - body.position), R.T))
    other = with_wrist(sr.Revolute("w", "arm", "hand", axis=X, parent_frame=frames[0], child_frame=frames[1], q=0.3, v=2))
    same(one, other)


def test_a_part_that_touches_nothing_is_free():
    rng = np.random.default_rng(5)
    one, other = sr.Model(), sr.Model()
    for m in (one, other):
        rng = np.random.default_rng(5)
        m.add(zoo.body(rng, "arm"), zoo.body(rng, "hand"), zoo.joint(sr.Universal, rng, "w", "arm", "hand", at=AT))
    other.add(sr.Free("flight", "ground", "arm"))
    same(one, other)


def test_gravity_is_an_accelerated_base():
    """Seen from the ground, a ground that moves by ½ a t² is gravity -a."""
    a = (1.0, -2.0, 3.0)
    one, other = (
        sr.Model(gravity=tuple(-x for x in a)),
        sr.Model(gravity=(0, 0, 0), base_motion={k: f"{x / 2}*t^2" for k, x in zip("xyz", a, strict=True)}),
    )
    for m in (one, other):
        rng = np.random.default_rng(6)
        m.add(zoo.body(rng, "b"), zoo.joint(sr.Universal, rng, "j", "ground", "b", at=AT))
    q = [m.simulate(1.0, step=0.25, tolerance=1e-11)["j.q"] for m in (one, other)]
    assert q[0] == pytest.approx(q[1], abs=1e-9)


def test_body_velocity_is_in_world_axes_whatever_moves_below():
    m = sr.Model(gravity=(0, 0, 0), base_motion={"x": "2*t", "rz": "0.5*t"})
    rng = np.random.default_rng(7)
    m.add(zoo.body(rng, "arm"), zoo.joint(sr.Revolute, rng, "shoulder", "ground", "arm", at=(0, 0, 0)))
    given = {"velocity": (1.0, 2.0, 3.0), "angular_velocity": (0.1, -0.2, 0.3)}
    m.add(dataclasses.replace(zoo.body(rng, "stone"), **given), sr.Free("flight", "arm", "stone"))
    m.add(dataclasses.replace(zoo.body(rng, "moon"), velocity=(0, 1, 0)), sr.Free("orbit", "stone", "moon"))
    m.add(dataclasses.replace(zoo.body(rng, "loose"), **given))
    r = m.simulate(0.5)
    for body in ("stone", "loose"):
        assert r[f"{body}.velocity"][0] == pytest.approx(given["velocity"], abs=1e-12)
        assert r[f"{body}.angular_velocity"][0] == pytest.approx(given["angular_velocity"], abs=1e-12)
    assert r["moon.velocity"][0] == pytest.approx((0, 1, 0), abs=1e-12)
    assert r["moon.angular_velocity"][0] == pytest.approx((0, 0, 0), abs=1e-12)
