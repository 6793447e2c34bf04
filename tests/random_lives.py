"""Random mechanisms with random events: structure, motions and speeds change while they run."""

from __future__ import annotations

import numpy as np

import sharnir as sr

JOINTS = (sr.Revolute, sr.Prismatic, sr.Revolute, sr.Cylindrical, sr.Universal, sr.Ball, sr.Planar, sr.Fixed)


def random_mechanism(rng):
    """A tree of 1 … 6 bodies with joints of all kinds, some of them with a rod to the ground or a spring."""
    m = sr.Model(gravity=tuple(rng.normal(size=3) * 5), parameters={"p": 1.0})
    bodies, rod, loop = ["ground"], rng.random() < 0.3, rng.random() < 0.15
    for k in range(rng.integers(1, 7)):
        name, parent = f"b{k}", bodies[rng.integers(len(bodies))]
        inertia = tuple(rng.uniform(0.5, 1.0, 3))
        m.add(sr.Body(name, mass=rng.uniform(0.5, 2), inertia=inertia, position=tuple(rng.normal(size=3))))
        kind = JOINTS[rng.integers(len(JOINTS))]
        if rng.random() < 0.85:
            given = {} if kind in (sr.Ball, sr.Fixed) else {"axis": "xyz"[rng.integers(3)]}
            if kind is sr.Universal:
                given = {"axis": "x", "axis2": "y"}
            start = {} if kind is sr.Fixed or rod or loop else {"v": tuple(rng.normal(size=kind("j", "a", "b", **given).n_v))}
            m.add(kind(f"j{k}", parent, name, at=tuple(rng.normal(size=3)), **given, **start))
        bodies.append(name)
    if rng.random() < 0.3 and len(bodies) > 2:
        m.add(sr.Spring("spring", bodies[1], bodies[-1], stiffness=20.0, length=0.5))
    if rod:
        m.add(sr.Distance("rod", "ground", bodies[-1], at_a=tuple(rng.normal(size=3) + 5)))
    add_company(rng, m, bodies, loop)
    return m


def add_company(rng, m, bodies, loop):
    """Sometimes contact with a floor, friction, a stop, a controller, a loop."""
    single = [name for name, joint in m.joints.items() if joint.n_v == 1]
    if rng.random() < 0.2:
        m.add(sr.Contact("floor", bodies[-1], "ground", sr.Sphere(0.2), sr.Plane((0, 0, -3)), law=sr.Hertz(1e4), friction=0.3))
    if single and rng.random() < 0.2:
        m.add(sr.JointFriction("rub", single[0], 0.05, radius=0.02))
    if single and rng.random() < 0.2:
        m.add(sr.JointLimit("stop", single[-1], lower=-0.5, upper=0.5, law=sr.HuntCrossley(1e4, damping=1.0)))
    if single and rng.random() < 0.2:
        m.add(sr.PID("pid", f"-{single[0]}.q", kp=5.0, kd=0.5), sr.JointForce("actuator", single[0], "pid"))
    if loop and len(bodies) > 3:
        place = tuple(np.mean([m.body(name).position for name in bodies[-2:]], axis=0))
        m.add(sr.Ball("closer", bodies[-2], bodies[-1], at=place))


def random_action(rng, m):
    joints, bodies = list(m.joints), ["ground", *m.bodies]
    joint = joints[rng.integers(len(joints))] if joints else None
    a, b = (bodies[k] for k in rng.choice(len(bodies), 2, replace=False))
    choices = [sr.Attach(a, b), sr.SetParameter("p", "p + 1")]
    if joint is not None:
        choices += [sr.Release(joint), sr.Lock(joint), sr.Unlock(joint), sr.Join(joint, gap=rng.choice([1e-3, 10.0]))]
        if m.joints[joint].n_v and m.joints[joint].coordinates == "angles":
            motion = rng.choice(["q0 + v0*(t - t0)", "q0 + 0.3*(t - t0)^2", "q0"])
            choices += [sr.SetMotion((joint, 0), str(motion)), sr.SetMotion((joint, 0), None)]
            choices += [sr.Rebound((joint, 0), 0.5), sr.SetSpeed((joint, 0), 1.0)]
    return choices[rng.integers(len(choices))]


def random_event(rng, m, k):
    actions = tuple(random_action(rng, m) for _ in range(rng.integers(1, 4)))
    measured = [name for name, joint in m.joints.items() if joint.n_v == 1]
    if measured and rng.random() < 0.5:
        joint = measured[rng.integers(len(measured))]
        return sr.Event(f"e{k}", f"{joint}.q > {rng.uniform(-0.3, 0.3):.3f}", actions, times=3)
    return sr.Event(f"e{k}", at=float(rng.uniform(0.01, 0.5)), actions=actions)
