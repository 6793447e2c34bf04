"""Force elements against the same forces written out in NumPy: wrenches on bodies, projected by Jacobians."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo
from agree.by_hand import quaternion_matrix
from sharnir.model.placement import placements

RNG = np.random.default_rng(77)


def bodies():
    """Two bodies on generic joints, without elements; body axes, engine axes and world axes all differ."""
    rng = np.random.default_rng(78)
    m = sr.Model(gravity=(0, 0, 0))
    m.add(zoo.body(rng, "a"), zoo.body(rng, "b"))
    m.add(
        zoo.joint(sr.Cylindrical, rng, "A", "ground", "a", at=(0.1, 0.2, 0.3)),
        zoo.joint(sr.Ball, rng, "B", "a", "b", at=(1, 0, 0)),
    )
    return m


class Scene:
    """A model with one element, at a random state, and points of its bodies as NumPy sees them."""

    def __init__(self, element, t=0.6):
        self.model, self.t = bodies(), t
        self.model.add(element)
        self.with_it, self.without = self.model.compile(method="articulated"), bodies().compile(method="articulated")
        self.q, self.v = zoo.state(self.with_it, 5)
        self.states, self.placed = self.without.bodies(self.q, self.v), placements(self.model)

    def effect(self):
        """Generalized force of the element, as the engine has it."""
        zero = np.zeros(self.with_it.n_v)
        one = self.with_it.inverse_dynamics(self.q, self.v, zero, self.t)
        return self.without.inverse_dynamics(self.q, self.v, zero, self.t) - one

    def pose(self, body):
        if body == "ground":
            return np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
        b = self.states[body]
        return quaternion_matrix(b.rotation), b.position, b.velocity, b.angular_velocity

    def point(self, body, drawn):
        """Position and velocity of a point given in the drawing, and its place in body axes."""
        R, r, v, w = self.pose(body)
        local = np.linalg.inv(np.array(self.placed[body].rotation_matrix)) @ (np.array(drawn) - self.placed[body].position)
        return r + R @ local, v + np.cross(w, R @ local), local

    def projected(self, *wrenches):
        """Generalized force of forces and torques on bodies at points given in body axes."""
        total = np.zeros(self.with_it.n_v)
        for body, local, force, torque in wrenches:
            total += self.without.jacobian(body, self.q, local).T @ np.concatenate([force, torque])
        return total


def check(scene, *wrenches):
    expected = scene.projected(*wrenches)
    assert np.abs(expected).max() > 0.1
    assert scene.effect() == pytest.approx(expected, rel=1e-10, abs=1e-10)


ZERO = np.zeros(3)


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("at", [None, (0.7, 0.1, -0.4)])
def test_force(axes, at):
    scene = Scene(sr.Force("f", "b", (1.0, "2*t", lambda t: 3.0 * t * t), at=at, axes=axes))
    R = scene.pose("b")[0]
    local = np.array(scene.model.bodies["b"].com) if at is None else scene.point("b", at)[2]
    F = np.array([1.0, 1.2, 3 * 0.36])
    check(scene, ("b", local, R @ F if axes == "body" else F, ZERO))


@pytest.mark.parametrize("axes", ["world", "body"])
def test_torque(axes):
    table = sr.Table((0, 1), (2, 4))
    scene = Scene(sr.Torque("m", "b", (1.0, "sin(t)", table), axes=axes))
    M = np.array([1.0, np.sin(0.6), 3.2])
    check(scene, ("b", ZERO, ZERO, scene.pose("b")[0] @ M if axes == "body" else M))


@pytest.mark.parametrize("ends", [("a", "b"), ("b", "a"), ("ground", "b"), ("b", "ground")])
def test_spring(ends):
    options = {"stiffness": 30.0, "damping": 4.0, "length": 0.7, "force": "x^2 + 0.1*v*t"}
    pa, pb = (0.2, 0.3, 0.4), (-0.5, 0.6, 0.1)
    scene = Scene(sr.Spring("s", *ends, at_a=pa, at_b=pb, **options))
    (ra, va, la), (rb, vb, lb) = scene.point(ends[0], pa), scene.point(ends[1], pb)
    d = rb - ra
    length = np.linalg.norm(d)
    n, rate, x = d / length, (vb - va) @ d / length, length - 0.7
    tension = 30 * x + 4 * rate + x**2 + 0.1 * rate * 0.6
    wrenches = [(ends[0], la, tension * n, ZERO), (ends[1], lb, -tension * n, ZERO)]
    check(scene, *(w for w in wrenches if w[0] != "ground"))


def test_spring_defaults():
    """Between the bodies' origins, relaxed at their distance in the drawing; ground's origin is the world's."""
    scene = Scene(sr.Spring("s", "ground", "b", stiffness=100.0))
    d = scene.pose("b")[1]
    free = np.linalg.norm(scene.placed["b"].position)
    check(scene, ("b", ZERO, -100 * (np.linalg.norm(d) - free) * d / np.linalg.norm(d), ZERO))


def test_spring_of_no_length_pulls_nowhere():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(
        sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x"), sr.Spring("s", "ground", "a", stiffness=9, length=0.0)
    )
    s = m.compile()
    assert s.accelerations([0.0], [1.0]) == pytest.approx([0.0], abs=0)
    assert s.accelerations([0.1], [0.0]) == pytest.approx([-0.9])


@pytest.mark.parametrize("ends", [("a", "b"), ("ground", "b"), ("b", "ground")])
def test_bushing(ends):
    """Damping and preload in axes of a; the elastic part is the gradient of its potential, see agree/test_energy."""
    D, P = (4.0, 5.0, 6.0, 0.7, 0.8, 0.9), (1.0, 2.0, -3.0, 0.4, 0.5, 0.6)
    K, at, turn = (20.0, 30.0, 40.0), (0.4, 0.2, -0.3), zoo.unit(RNG, 4)
    scene = Scene(sr.Bushing("u", *ends, at=at, rotation=turn, stiffness=(*K, 0, 0, 0), damping=D, preload=P))
    (ra, va, _), (rb, vb, lb) = scene.point(ends[0], at), scene.point(ends[1], at)
    Ra, _, _, wa = scene.pose(ends[0])
    wb = scene.pose(ends[1])[3]
    A = Ra @ np.array(scene.placed[ends[0]].rotation_matrix).T @ quaternion_matrix(turn)
    d = rb - ra
    x, rate, spin = A.T @ d, A.T @ (vb - va - np.cross(wa, d)), A.T @ (wb - wa)
    force = A @ (-np.array(K) * x - np.array(D[:3]) * rate + np.array(P[:3]))
    torque = A @ (-np.array(D[3:]) * spin + np.array(P[3:]))
    R = scene.pose(ends[0])[0]
    on_a = R.T @ (rb - scene.pose(ends[0])[1])  # the reaction acts on a at b's point
    wrenches = [(ends[1], lb, force, torque), (ends[0], on_a, -force, -torque)]
    check(scene, *(w for w in wrenches if w[0] != "ground"))


def test_bushing_turned_far():
    """About one axis the torque is -k φ for |φ| < π, whatever the other stiffnesses are."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("A", "ground", "a", axis="z"))
    m.add(sr.Bushing("u", "ground", "a", at=(0, 0, 0), stiffness=(1, 2, 3, 4, 5, 6)))
    s = m.compile()
    for angle in (-3.1, -1.0, 1e-9, 1e-5, 0.5, 2.0, 3.1):
        assert s.accelerations([angle], [0.0]) == pytest.approx([-6 * angle], rel=1e-12, abs=1e-20)


def test_joint_force_and_torsion_spring():
    m = bodies()
    m.add(sr.JointForce("f", "A", "q*v - t", freedom=1), sr.JointForce("g", "B", 0.5, freedom=2))
    m.add(sr.TorsionSpring("s", "A", stiffness=3, damping=0.4, angle=0.2, torque=lambda q, v, t: q * q))
    m.add(sr.TorsionSpring("s2", "A", stiffness=5, angle=-0.1))
    s, plain = m.compile(method="articulated"), bodies().compile(method="articulated")
    q, v = zoo.state(s, 6)
    first, second = s.coordinates.index(s.coordinates[0]), 1
    tau = np.zeros(s.n_v)
    tau[second] = q[second] * v[second] - 0.6
    tau[first] = -3 * (q[first] - 0.2) - 0.4 * v[first] + q[first] ** 2 - 5 * (q[first] + 0.1)
    tau[s.speeds.index("B.v.z")] = 0.5
    assert s.accelerations(q, v, 0.6) == pytest.approx(plain.accelerations(q, v, 0.6, tau=tau), rel=1e-12)


def test_joint_own_forces():
    """-damping v - stiffness (q - rest) + torque per freedom."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=2, inertia=(1, 2, 2)))
    m.add(
        sr.Planar(
            "A",
            "ground",
            "a",
            axis="x",
            damping=(1, 2, 3),
            stiffness=(4, 5, 6),
            rest=(0.1, 0.2, 0.3),
            torque=(1, "v*t", sr.Table((0, 1), (0, 2))),
        )
    )
    s = m.compile()
    q, v, t = np.array([0.5, 0.6, 0.7]), np.array([1.0, 2.0, 3.0]), 0.5
    force = -np.array([1, 2, 3]) * v - np.array([4, 5, 6]) * (q - [0.1, 0.2, 0.3]) + [1, v[1] * t, 1.4]
    assert s.accelerations(q, v, t) == pytest.approx(force / [2, 2, 1])


def test_quaternion_joints_own_forces():
    """Damping and drives of ball and free joints act along their speeds, in axes of the child."""
    own = {
        "B": {"damping": 0.3, "torque": (0.5, "-0.1*v", "sin(t)")},
        "C": {"damping": (1, 2, 3, 4, 5, 6), "torque": (1, "v*t", 0, 0, "cos(t)", 2)},
    }
    rng = np.random.default_rng(79)
    systems = []
    for given in (own, {"B": {}, "C": {}}):
        m = bodies()
        m.add(zoo.body(np.random.default_rng(80), "c"), sr.Free("C", "b", "c", **given["C"]))
        m._joints["B"] = sr.Ball("B", "a", "b", at=(1, 0, 0), **given["B"])
        systems.append(m.compile(method="articulated"))
    s, plain = systems
    q, v = zoo.state(s, 7)
    t, (B, C) = 0.6, (s.speeds.index(name) for name in ("B.v.x", "C.v.x"))
    tau = np.zeros(s.n_v)
    tau[B : B + 3] = -0.3 * v[B : B + 3] + [0.5, -0.1 * v[B + 1], np.sin(t)]
    tau[C : C + 6] = -np.arange(1, 7) * v[C : C + 6] + [1, v[C + 1] * t, 0, 0, np.cos(t), 2]
    given = rng.normal(size=s.n_v)
    assert s.accelerations(q, v, t, tau=given) == pytest.approx(plain.accelerations(q, v, t, tau=given + tau), rel=1e-12)


def test_user_force():
    """States in world axes in, forces at the bodies' origins out; what the function does to its inputs stays with it."""

    def push(t, r, R, v, w, force, torque):
        for i in range(2):
            for k in range(3):
                force[i, k] = r[i, k] + 2 * v[i, k] + t
                torque[i, k] = R[i, k, 1] - w[i, k]
        r[:] = 0.0

    scene = Scene(sr.UserForce("u", ("b", "a"), push))
    wrenches = []
    for body in ("a", "b"):
        R, r, v, w = scene.pose(body)
        wrenches.append((body, ZERO, r + 2 * v + scene.t, R[:, 1] - w))
    check(scene, *wrenches)


def test_user_force_on_a_moving_ground():
    def push(t, r, R, v, w, force, torque):
        force[0, 0] = r[1, 0] - v[1, 0]

    m = sr.Model(gravity=(0, 0, 0), base_motion={"x": "2 + 3*t"})
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x"), sr.UserForce("u", ("a", "ground"), push))
    s = m.compile(method="articulated")
    assert s.accelerations([0.0], [0.0], 1.0) == pytest.approx([5.0 - 3.0])
    still = sr.Model()
    still.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x"), sr.UserForce("u", ("a", "ground"), push))
    with pytest.raises(sr.ModelError, match="ground, which does not move"):
        still.compile()
