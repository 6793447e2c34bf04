"""Models that the tests share: every joint, every force, every way to declare them. Random ones are seeded."""

from __future__ import annotations

import dataclasses
import math
from functools import cache

import numpy as np

import sharnir as sr
from sharnir.dynamics.methods.all_methods import ALL_METHODS

# ---- random parts -----------------------------------------------------------------------------------------------------


def unit(rng, n=3):
    x = rng.normal(size=n)
    return tuple(x / np.linalg.norm(x))


def frame(rng, reach=0.6):
    return sr.Frame(rng.uniform(-reach, reach, 3), unit(rng, 4))


def body(rng, name, reach=0.6):
    """A body that could exist: its inertia is that of a cloud of points."""
    mass, cloud = rng.uniform(0.5, 2.0), rng.normal(size=(5, 3)) * 0.25
    second = mass * (cloud - cloud.mean(0)).T @ (cloud - cloud.mean(0)) / 5
    inertia = np.trace(second) * np.eye(3) - second
    com = rng.uniform(-0.2, 0.2, 3)
    return sr.Body(name, mass=mass, com=com, inertia=inertia, position=rng.uniform(-reach, reach, 3), rotation=unit(rng, 4))


def freedoms(rng):
    """One to six elementary freedoms, at most three of a kind, about generic axes."""
    kinds = ["translation"] * rng.integers(0, 4) + ["rotation"] * rng.integers(1, 3) + ["screw"] * rng.integers(0, 2)
    rng.shuffle(kinds)
    return tuple(sr.Freedom(kind, unit(rng), 0.2 if kind == "screw" else 0.0) for kind in kinds)


def position(rng):
    """Formulas of the coordinates a and b."""
    x, y, z = rng.uniform(0.1, 0.4, 3).tolist()
    return f"{x!r}*cos(a) + 0.1*b", f"{y!r}*sin(a)*b", f"b - {z!r}*a^2"


def turns(rng):
    """A turn about a fixed axis, then one about an axis that moves."""
    return (unit(rng), "a + 0.2*sin(b)"), (("1", "0.3*a", "b"), f"{float(rng.uniform(0.2, 0.5))!r}*a*b + 0.1")


# what a kind of joint wants to know besides who is joined; a new kind with a new word fails here until it is listed
ARGUMENTS = {"axis": unit, "axis2": unit, "pitch": lambda rng: rng.uniform(0.05, 0.3), "freedoms": freedoms}
ARGUMENTS |= {"variables": lambda rng: {"a": "rad", "b": "m"}, "position": position}
OPTIONAL = {sr.FormulaJoint: {"rotation": turns}}


def joint(kind, rng, name, parent, child, **options):
    """A joint of any kind in a random position and motion."""
    missing = dataclasses.MISSING
    needed = [f for f in dataclasses.fields(kind) if f.init and f.default is missing and f.default_factory is missing]
    own = {f.name: ARGUMENTS[f.name](rng) for f in needed if f.name not in ("name", "parent", "child")}
    own |= {name: made(rng) for name, made in OPTIONAL.get(kind, {}).items()} | options
    plain = kind(name, parent, child, **own)
    q, v = rng.uniform(-1, 1, plain.n_q), rng.uniform(-1, 1, plain.n_v)
    if plain.coordinates != "angles":
        q[-4:] = unit(rng, 4)
    q[: plain.n_v][list(plain.driven)] = v[list(plain.driven)] = 0.0  # these follow from the motion
    return dataclasses.replace(plain, q=tuple(q), v=tuple(v))


def by_frames(placed):
    """The same body without a place of its own: frames of a joint say where it is."""
    return dataclasses.replace(placed, position=(0, 0, 0), rotation=None)


def place(style, rng):
    """Where the joint is: at a point of the drawing, at the child's origin, or by frames on the bodies."""
    if style == "frames":
        return {"parent_frame": frame(rng), "child_frame": frame(rng)}
    return {} if style == "origin" else {"at": rng.uniform(-0.6, 0.6, 3)}


# joints of random trees, as they were when their seeds were chosen: some seeds run into singular positions
KINDS = tuple(kind for kind in sr.ALL_JOINTS if kind is not sr.FormulaJoint)


def random_tree(seed, count=8, kinds=KINDS, gravity=(0.3, -1.2, -9.0), branching=0.5, styles=("at", "origin", "frames")):
    """A tree in which bodies hang on the ground or on any earlier body, and some joints are declared from the far side."""
    rng = np.random.default_rng(seed)
    m = sr.Model(f"tree {seed}", gravity=gravity)
    start = rng.integers(len(kinds))
    for i in range(count):
        kind, style = kinds[(start + i) % len(kinds)], styles[rng.integers(len(styles))]
        part = body(rng, f"b{i}")
        m.add(by_frames(part) if style == "frames" else part)
        above = rng.integers(-1, i) if rng.random() < branching else i - 1
        ends = ("ground" if above < 0 else f"b{above}", f"b{i}")
        if style != "frames" and kind not in (sr.Ball, sr.Free) and rng.random() < 0.3:
            ends = ends[::-1]
        m.add(joint(kind, rng, f"j{i}", *ends, **place(style, rng)))
    return m


def one_joint(kind, style="at"):
    """A body on a joint of one kind on a body that turns, so that every term of w* is there."""
    rng = np.random.default_rng(5)
    m = sr.Model(kind.__name__, gravity=(0.5, 1.0, -9.0))
    arm, hand = body(rng, "arm"), body(rng, "hand")
    hand = by_frames(hand) if style == "frames" else hand
    m.add(arm, hand, joint(sr.Ball, rng, "shoulder", "ground", "arm", at=(0, 0, 0)))
    ends = ("hand", "arm") if style == "far" else ("arm", "hand")
    m.add(joint(kind, rng, "wrist", *ends, **place("at" if style == "far" else style, rng)))
    return m


# ---- structures --------------------------------------------------------------------------------------------------------

LINKS = {
    "revolute": lambda name, a, b, at, k: sr.Revolute(name, a, b, at=at, axis="yz"[k % 2]),
    "universal": lambda name, a, b, at, k: sr.Universal(name, a, b, at=at, axis="y", axis2="z"),
    "ball": lambda name, a, b, at, k: sr.Ball(name, a, b, at=at),
}


def chain(link, count, length=0.1):
    """A cable of equal rods along x."""
    m = sr.Model(f"{link} chain {count}")
    mass, r = 10.0 * length, 0.1 * length
    inertia = (0.5 * mass * r**2, *(mass * (length**2 / 12 + r**2 / 4),) * 2)
    for i in range(count):
        at = (i * length, 0, 0)
        m.add(sr.Body(f"b{i}", mass=mass, com=(length / 2, 0, 0), inertia=inertia, position=at))
        m.add(LINKS[link](f"j{i}", "ground" if i == 0 else f"b{i - 1}", f"b{i}", at, i))
    return m


def humanoid():
    """A torso that floats, with legs, arms and a head."""
    m, rng = sr.Model("humanoid"), np.random.default_rng(11)
    parts = {"pelvis": ("ground", sr.Free), "chest": ("pelvis", sr.Universal), "head": ("chest", sr.Ball)}
    for side in ("left", "right"):
        parts |= {f"{side} thigh": ("pelvis", sr.Ball), f"{side} shin": (f"{side} thigh", sr.Revolute)}
        parts |= {f"{side} foot": (f"{side} shin", sr.Universal), f"{side} arm": ("chest", sr.Ball)}
        parts |= {f"{side} forearm": (f"{side} arm", sr.Revolute), f"{side} hand": (f"{side} forearm", sr.Fixed)}
    for name, (parent, kind) in parts.items():
        m.add(body(rng, name), joint(kind, rng, f"to {name}", parent, name, at=rng.uniform(-0.5, 0.5, 3)))
    return m


def floating():
    """Two parts that touch nothing, one body that flies beside another one, and one that stands still."""
    m, rng = random_tree(3, 3, (sr.Free, sr.Revolute, sr.Ball), branching=0), np.random.default_rng(4)
    m.add(body(rng, "loose"), body(rng, "tail"), joint(sr.Universal, rng, "to tail", "loose", "tail", at=(0, 0, 1)))
    m.add(body(rng, "post"), sr.Fixed("foot", "ground", "post"))
    m.add(by_frames(body(rng, "wing")), joint(sr.Free, rng, "flight", "post", "wing", **place("frames", rng)))
    return m


def bush():
    """Many sisters: what Lagrange I must couple."""
    m, rng = sr.Model("bush"), np.random.default_rng(8)
    m.add(body(rng, "stem"), joint(sr.Cylindrical, rng, "root", "ground", "stem", at=(0, 0, 0)))
    for i, kind in enumerate((sr.Ball, sr.Revolute, sr.Fixed, sr.Universal, sr.Prismatic)):
        m.add(body(rng, f"twig{i}"), joint(kind, rng, f"to twig{i}", "stem", f"twig{i}", **place("at", rng)))
        leaf = by_frames(body(rng, f"leaf{i}"))
        m.add(leaf, joint(sr.Planar, rng, f"to leaf{i}", f"twig{i}", f"leaf{i}", **place("frames", rng)))
    return m


# ---- forces, motions, mimics -------------------------------------------------------------------------------------------


def drag(t, r, R, v, w, force, torque):
    for i in range(len(r)):
        for k in range(3):
            force[i, k] = -0.4 * v[i, k] + 0.1 * math.sin(t) * R[i, k, 0]
            torque[i, k] = -0.2 * w[i, k] + 0.05 * r[i, k]


def with_forces():
    """A tree with every force element, on bodies, on the ground, in joints of several kinds."""
    m, rng = random_tree(21, 6, (sr.Revolute, sr.Ball, sr.Cylindrical, sr.Universal), branching=0.3), np.random.default_rng(21)
    table = sr.Table((-3, -1, 0, 0.5, 3), (-9, -2, 0, 2, 8), kind="cubic", outside="extend")
    first = next(j.name for j in m.joints.values() if j.coordinates == "angles")
    last = [j.name for j in m.joints.values() if j.coordinates == "angles"][-1]
    elements = (
        sr.Force("push", "b1", (1.0, "3*sin(2*t)", -2.0), at=(0.3, 0.2, 0.1)),
        sr.Force("thrust", "b2", ("1 + t", 0.5, 0), axes="body"),
        sr.Torque("twist", "b0", (0.3, "cos(t)", -0.1)),
        sr.Torque("spin", "b3", (0.2, 0.1, 0.4), axes="body"),
        sr.JointForce("motor", first, "2 - 0.3*v + q*cos(t)"),
        sr.Spring("wire", "ground", "b3", at_a=(1, 1, 1), at_b=(0.2, 0.1, 0.4), stiffness=30, damping=1.5, length=0.5),
        sr.Spring("rubber", "b0", "b5", stiffness=5, force=table),
        sr.Spring("muscle", "b4", "b2", force="4*x + 2*x^3 - 0.5*v"),
        sr.TorsionSpring("hairspring", last, stiffness=4, damping=0.2, angle=0.3, torque="-q^3"),
        sr.Bushing(
            "mount",
            "b1",
            "b5",
            at=(0.1, -0.2, 0.3),
            rotation=unit(rng, 4),
            stiffness=(40, 50, 60, 3, 4, 5),
            damping=(1, 2, 3, 0.1, 0.2, 0.3),
            preload=(1, -1, 2, 0.1, 0.2, -0.3),
        ),
        sr.UserForce("air", ("b5", "b2"), drag),
    )
    m.add(*elements)
    return m


def with_joint_forces():
    """Springs, dampers and drives that belong to the joints themselves."""
    m = random_tree(31, 8, (sr.Revolute, sr.Ball, sr.Planar, sr.Screw, sr.Free), branching=0.3)
    changes = {
        "angles": {"damping": 0.3, "stiffness": 5.0},
        "ball": {"damping": 0.2, "stiffness": 4.0, "torque": (0.5, "-0.1*v", "sin(t)")},
        "free": {"damping": 0.4, "torque": (1.0, 0.0, "cos(t)", 0.1, 0.0, -0.2)},
    }
    sprung = sr.Model("joint forces", m.gravity)
    sprung.add(*m.bodies.values())
    for j in m.joints.values():
        rest = {"rest": (0.2,) * j.n_v} if j.coordinates == "angles" else {}
        sprung.add(dataclasses.replace(j, **changes[j.coordinates], **rest))
    return sprung


def swing(t):
    return 0.3 * math.sin(1.7 * t) + 0.1 * t * t


def prescribed():
    """Motions as formulas, tables, numbers, functions and triples, between joints that are free."""
    m, rng = sr.Model("prescribed", gravity=(1, 2, -9)), np.random.default_rng(41)
    table = sr.Table(tuple(np.linspace(-1, 3, 9)), tuple(np.sin(np.linspace(-1, 3, 9))), kind="cubic", outside="extend")
    parts = (
        (sr.Revolute, {"motion": "0.5*sin(2*t) + 0.2*t"}, False),
        (sr.Ball, {}, False),
        (sr.Universal, {"motion": (None, table)}, False),
        (sr.Prismatic, {"motion": swing}, True),
        (sr.Planar, {"motion": ("0.1*t^2", None, None)}, True),
        (sr.Screw, {"motion": ("t^2", "2*t", "2")}, False),
        (sr.FreedomSequence, {"motion": (None, "sin(t)", 0.4, None), "freedoms": FOUR}, False),
        (sr.Revolute, {}, False),
    )
    for i, (kind, options, far) in enumerate(parts):
        ends = ("ground" if i < 2 else f"b{i - 1 - i % 2}", f"b{i}")
        m.add(body(rng, f"b{i}"))
        m.add(joint(kind, rng, f"j{i}", *(ends[::-1] if far else ends), **place("at", rng), **options))
    return m


FOUR = (sr.Rotation("x"), sr.Translation((1, 1, 0)), sr.Rotation((0, 1, 1)), sr.Freedom("screw", "z", 0.2))


def moving_base():
    """The ground shakes and turns under a tree that is prescribed in parts itself."""
    motion = {"x": "0.3*sin(3*t)", "y": "0.1*t^2", "z": "cos(t)", "rx": "0.4*t", "ry": "sin(2*t)", "rz": "0.2*t^3"}
    m = random_tree(51, 5, (sr.Revolute, sr.Ball, sr.Prismatic, sr.Free, sr.Universal), branching=0.4)
    shaken = sr.Model("moving base", m.gravity, base_motion=motion)
    shaken.add(*m.bodies.values())
    shaken.add(*m.joints.values())
    shaken.add(sr.Spring("tether", "ground", "b4", at_a=(0, 0, 2), stiffness=20, damping=1))
    return shaken


def gears():
    """Mimic joints within a branch, between branches, of a later joint, and of both signs."""
    m, rng = sr.Model("gears"), np.random.default_rng(61)
    for i, parent in enumerate(("ground", "b0", "b1", "b0", "b3", "ground")):
        m.add(body(rng, f"b{i}"))
        kind = sr.Prismatic if i == 4 else sr.Revolute
        mimic = {2: ("j0", -0.5, 0.1), 4: ("j1", 0.3, 0.0), 5: ("j1", 2.0, -0.2)}.get(i)
        plain = joint(kind, rng, f"j{i}", parent, f"b{i}", at=rng.uniform(-0.5, 0.5, 3))
        m.add(plain if mimic is None else dataclasses.replace(plain, q=None, v=0.0, mimic=mimic))
    m.add(sr.JointForce("motor", "j5", 3.0), sr.Spring("spring", "b2", "b5", stiffness=10))
    return m


def rotors():
    """Armature in joints of every kind that can have it, in one of two freedoms or in all, beside joints without it."""
    armature = {sr.Revolute: 0.3, sr.Ball: 0.05, sr.Cylindrical: (0.0, 0.2), sr.Universal: (0.4, 0.1), sr.Prismatic: 0.7}
    armature |= {sr.FormulaJoint: (0.2, 0.0)}
    m = random_tree(71, 7, tuple(armature), branching=0.4)
    turned = sr.Model("rotors", gravity=m.gravity)
    *first, last = m.joints.values()
    turned.add(*m.bodies.values(), *(dataclasses.replace(joint, armature=armature[type(joint)]) for joint in first), last)
    return turned


ZOO = {
    **{f"tree {seed}": (lambda seed=seed: random_tree(seed)) for seed in range(6)},
    "formulas": lambda: random_tree(62, 5, (sr.FormulaJoint, sr.Revolute, sr.Ball, sr.FormulaJoint), branching=0.3),
    **{f"one {kind.__name__}": (lambda kind=kind: one_joint(kind)) for kind in sr.ALL_JOINTS},
    **{f"chain {link}": (lambda link=link: chain(link, 12)) for link in LINKS},
    "humanoid": humanoid,
    "floating": floating,
    "bush": bush,
    "forces": with_forces,
    "joint forces": with_joint_forces,
    "prescribed": prescribed,
    "moving base": moving_base,
    "gears": gears,
    "rotors": rotors,
}


@cache
def model(name):
    return ZOO[name]()


@cache
def system(name, method="articulated"):
    return model(name).compile(method=method)


@cache
def methods(name):
    """The methods that can solve a model of the zoo: all of them, but for what has no closed form."""
    found = list(ALL_METHODS)
    try:
        system(name, "symbolic")
    except sr.ModelError:
        found.remove("symbolic")
    return found


def state(s, seed=0, spread=1.0):
    """Random coordinates (quaternions of unit length) and speeds of a system; dependent ones follow their leaders."""
    rng = np.random.default_rng(seed)
    q, v = spread * rng.uniform(-1, 1, s.n_q), spread * rng.uniform(-1, 1, s.n_v)
    for k in s.assembly.coordinates.quaternions:
        q[k : k + 4] = unit(rng, 4)
    c = s.assembly.coordinates
    for joint in s.model.joints.values():
        leader, multiplier, offset = joint, 1.0, 0.0
        while leader.mimic is not None:
            offset += multiplier * leader.mimic[2]
            multiplier *= leader.mimic[1]
            leader = s.model.joints[leader.mimic[0]]
        if joint.mimic is not None and (joint.name, 0) in c.speed_of:
            own, lead = (joint.name, 0), (leader.name, 0)
            q[c.coordinate_of[own]] = multiplier * q[c.coordinate_of[lead]] + offset
            v[c.speed_of[own]] = multiplier * v[c.speed_of[lead]]
    return q, v
