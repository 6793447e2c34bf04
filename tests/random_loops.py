"""Random mechanisms with closed loops: every kind of joint as the one that is cut, every kind of constraint, forces in loops."""

from __future__ import annotations

import dataclasses

import numpy as np

import sharnir as sr
import zoo
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.python_entries import call_once

TREE = tuple(kind for kind in sr.ALL_JOINTS if kind is not sr.FormulaJoint)
CLOSING = tuple(kind for kind in TREE if kind is not sr.Free)  # a free joint closes nothing


def at_rest(joint):
    """A joint as drawn, at zero coordinates and without speeds of its own."""
    q = [0.0] * joint.n_q
    if joint.coordinates != "angles":
        q[-4] = 1.0
    return dataclasses.replace(joint, q=tuple(q), v=(0.0,) * joint.n_v)


def drawn(joint, rng):
    """The joint itself; one by formulas with others that hold its bodies where they are drawn while its coordinates are zero."""
    if not isinstance(joint, sr.FormulaJoint):
        return joint
    x, y, z = rng.uniform(0.1, 0.4, 3).tolist()
    position = (f"{x!r}*sin(a) + 0.1*b", f"{y!r}*sin(a)*b", f"b - {z!r}*a^2")
    turns = ((zoo.unit(rng), "a + 0.2*sin(b)"), (("1", "0.3*a", "b"), "0.4*a*b"))
    return dataclasses.replace(joint, position=position, rotation=turns)


def random_loop(seed, kind=None, count=6, loops=1, tree=TREE):
    """A random tree, drawn with all coordinates zero, whose last bodies further joints tie to earlier ones or to the ground."""
    rng = np.random.default_rng(seed)
    tree = zoo.random_tree(seed, count, tree, branching=(seed % 4) / 4, styles=("at", "origin"))
    m = sr.Model(f"loop {seed}", gravity=tree.gravity)
    m.add(*tree.bodies.values(), *(at_rest(drawn(joint, rng)) for joint in tree.joints.values()))
    for k in range(loops):
        own = CLOSING[(seed + k) % len(CLOSING)] if kind is None else kind
        other = f"b{rng.integers(0, count // 2)}" if rng.random() < 0.5 else "ground"
        closing = zoo.joint(own, rng, f"closing{k}", other, f"b{count - 1 - k}", at=rng.uniform(-0.6, 0.6, 3))
        m.add(at_rest(drawn(closing, rng)))
    return m


def with_forces(m, seed):
    """The same with springs, dampers, drives, friction and a contact, in joints of the tree and in cut ones."""
    rng = np.random.default_rng(seed)
    joints = {
        name: dataclasses.replace(joint, damping=rng.uniform(0.0, 0.3), stiffness=rng.uniform(0.0, 2.0))
        for name, joint in m.joints.items()
        if joint.coordinates == "angles" and joint.n_v
    }
    other = sr.Model(m.name, gravity=m.gravity)
    other.add(*m.bodies.values(), *(joints.get(name, joint) for name, joint in m.joints.items()))
    last = list(m.bodies)[-1]
    other.add(
        sr.Spring("coil", "ground", last, at_a=tuple(rng.uniform(-1, 1, 3)), stiffness=20.0, damping=0.5),
        sr.Force("push", last, force=(1.0, "sin(3*t)", 0.3)),
        sr.Contact("touch", last, "ground", sr.Sphere(3.0), sr.Plane(), law=sr.Hertz(50.0)),
    )
    single = [name for name, joint in m.joints.items() if isinstance(joint, sr.Revolute | sr.Prismatic)]
    if single:
        other.add(sr.JointFriction("bearing", single[-1], 0.1, radius=0.05))
    return other


def closed_state(system, seed, spread=0.2):
    """A random state (q, v, z) that satisfies the constraints, near the drawing."""
    rng, out = np.random.default_rng(seed), np.zeros(8)
    if system.assembly.coordinates.elastic:
        spread *= 0.01  # flexible bodies must bend by what the joints leave open
    y, n, m = system.y0.copy(), system.n_q, system.n_q + system.n_v
    y[:n] += spread * rng.uniform(-1, 1, n)
    y[n:m] = rng.uniform(-1, 1, system.n_v)
    for k in system.assembly.coordinates.quaternions:
        y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
    for _ in range(10):
        call_once(PROJECTION.address, 0.0, y, out, system.table, system.params, system.work)
    return y


def rates(system, y, t=0.0):
    """v̇ at a state (q, v, z)."""
    return system.observe_rates(np.array([t]), y[None])[0, system.n_q : system.n_q + system.n_v]
