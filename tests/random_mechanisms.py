"""Random mechanisms by seed: trees of every kind of joint, forces, tables, a ground that moves, and loops."""

import dataclasses

import numpy as np

import sharnir as sr
import zoo

CLOSING = ("ball", "revolute", "cylindrical", "distance", "plane", "line", "gear", "bar")
TRACKED = (sr.Revolute, sr.Cylindrical, sr.Prismatic, sr.Planar, sr.Revolute)  # may close loops themselves
COURSE = {"x": "0.3*sin(3*t)", "y": "0.1*t^2", "rz": "0.2*t^3 + 0.1*cos(t)"}


def random_tree(seed, most=5):
    """A tree with forces on bodies and along freedoms, two in five of them on a ground that moves."""
    rng = np.random.default_rng(1000 + seed)
    plain = zoo.random_tree(seed, int(rng.integers(1, most + 1)))
    m = sr.Model(f"random {seed}", plain.gravity, base_motion=COURSE if seed % 5 < 2 else None)
    m.add(*plain.bodies.values())
    m.add(*plain.joints.values())
    add_forces(m, rng)
    return m


def add_forces(m, rng, along=True):
    """Springs, bushings, drag, and along freedoms formulas and tables."""
    names = ["ground", *m.bodies]
    a, b = rng.choice(len(names), 2, replace=False) if len(names) > 1 else (0, 0)
    points = rng.uniform(-1, 1, (4, 3))
    chosen = rng.random(6) < 0.5
    if chosen[0]:
        m.add(sr.Spring("spring", names[a], names[b], at_a=points[0], at_b=points[1] + 2.0, stiffness=8, damping=0.3, length=0.4))
    if chosen[1]:
        m.add(sr.Bushing("bushing", names[a], names[b], at=points[2], stiffness=(5, 6, 7, 1, 2, 3), damping=(0.2,) * 6))
    if chosen[2]:
        m.add(sr.Force("push", names[-1], ("2*sin(3*t)", 1.0, "-t"), at=points[3]))
    if chosen[3]:
        m.add(sr.Drag("drag", names[-1], area=0.3, coefficient=0.8, linear=0.1, at=points[3]))
    single = [j.name for j in m.joints.values() if along and j.coordinates == "angles" and j.n_v == 1]
    if single and chosen[4]:
        m.add(sr.JointForce("formula", single[0], "3*sin(2*t) - 0.5*v - 2*q^3"))
    if single and chosen[5]:
        m.add(sr.JointForce("table", single[-1], sr.Table((-9, 0, 2, 9), (4, 0, -1, -3), "cubic", smooth=True)))


def gusts(t, r, R, v, w, force, torque):
    """A user's force that depends on all that it may depend on."""
    for k in range(r.shape[0]):
        force[k, 0] = 0.3 * r[k, 1] - 0.2 * v[k, 0] * abs(v[k, 0]) + 0.1 * t
        force[k, 2] = 0.2 * R[k, 0, 1] - 0.1 * v[k, 2]
        torque[k, 1] = 0.1 * R[k, 2, 0] - 0.05 * w[k, 1]


def add_touching(m, rng):
    """Forces without a closed form, placed so that most of them act: contacts, a group, a wheel, a user's force."""
    names, laws = (
        list(m.bodies),
        (sr.HuntCrossley(300.0, damping=0.2), sr.LinearLaw(200.0, 3.0), sr.ExponentialLaw(200.0, 0.3, 20.0)),
    )
    chosen, last = rng.random(4) < 0.6, names[-1]
    ball, law = sr.Sphere(0.3, center=tuple(rng.uniform(-0.2, 0.2, 3))), laws[int(rng.integers(3))]
    floor = sr.Plane(point=tuple(m.bodies[last].position or (0, 0, 0)), normal=tuple(zoo.unit(rng)))
    if chosen[0]:
        m.add(sr.Contact("touch", last, "ground", shape_a=ball, shape_b=floor, law=law, friction=0.4))
    if chosen[1] and len(names) > 2:
        box = sr.Box((0.5, 0.7, 0.6), center=tuple(rng.uniform(-0.2, 0.2, 3)))
        m.add(sr.Contact("press", names[0], last, shape_a=ball, shape_b=box, law=law))
    if chosen[2]:
        m.add(sr.ContactGroup("pile", tuple(names), walls=floor, law=laws[0], friction=0.2, shape=sr.Sphere(0.6)))
    if chosen[3] or not any(chosen):
        m.add(sr.UserForce("gusts", tuple(names[: 1 + int(rng.integers(len(names)))]), gusts))
    if rng.random() < 0.5:
        tyre = (sr.LinearTyre(300, 200, friction=0.5), sr.BrushTyre(200, 150, friction=0.4))[int(rng.integers(2))]
        known = {"normal": floor.normal, "through": floor.point, "grip": "grip", "law": laws[1], "tyre": tyre}
        m.add(sr.Signal("grip", "0.8 + 0.1*sin(t)"), sr.Wheel("wheel", last, axis=tuple(zoo.unit(rng)), radius=0.5, **known))


def random_loop(seed, tracked=False):
    """A chain of random joints whose last body is held once more: by a joint, a distance, a plane, a line or a gear.

    tracked : only joints that may close loops, as all of them do in absolute coordinates.
    """
    rng = np.random.default_rng(2000 + seed)
    kinds = (sr.Revolute, sr.Universal, sr.Cylindrical, sr.Prismatic, sr.Revolute, sr.Screw, sr.Planar, sr.Revolute, sr.Ball)
    kinds = TRACKED if tracked else kinds
    kind = CLOSING[seed % len(CLOSING)]
    count = int(rng.integers(3, 5)) if kind in ("distance", "plane", "gear") else int(rng.integers(5, 7))
    m = sr.Model(f"loop {seed}: {kind}", gravity=(0.3, -1.0, -9.0), base_motion=COURSE if seed % 7 == 0 else None)
    for i in range(count):
        m.add(zoo.body(rng, f"b{i}"))
        above = "ground" if i == 0 else f"b{i - 1}"
        joint = zoo.joint(kinds[(seed + i) % len(kinds)], rng, f"j{i}", above, f"b{i}", at=rng.uniform(-0.6, 0.6, 3))
        m.add(dataclasses.replace(joint, q=None, v=0.0))  # as drawn, where the loop closes
    last, at, axis = f"b{count - 1}", rng.uniform(-0.6, 0.6, 3), zoo.unit(rng)
    closing = {
        "ball": lambda: sr.Ball("close", last, "ground", at=at),
        "revolute": lambda: sr.Revolute("close", "ground", last, at=at, axis=axis),
        "cylindrical": lambda: sr.Cylindrical("close", "ground", last, at=at, axis=axis),
        "distance": lambda: sr.Distance("close", "ground", last, at_a=at + 1.0, at_b=at),
        "plane": lambda: sr.PointOnPlane("close", "ground", last, normal=axis, at=at),
        "line": lambda: sr.PointOnLine("close", "ground", last, axis=axis, at=at),
        "gear": lambda: sr.Gear("close", "j0", f"j{count - 1}", ratio=1.7),
        "bar": lambda: sr.Ball("close", "bar", last, at=at),
    }
    if kind == "bar":
        m.add(zoo.body(rng, "bar"), sr.Ball("hang", "ground", "bar", at=at + (0.4, 0.3, 0.9)))
    if kind == "gear" and not all(m.joints[name].n_v == 1 for name in ("j0", f"j{count - 1}")):
        kind = "plane"
    m.add(closing[kind]())
    add_forces(m, rng, not tracked)
    return m
