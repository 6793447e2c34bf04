"""Random mechanisms by kinds, each made from a generator with a seed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

import sharnir as sr
from sharnir.errors import ModelError

from . import TESTS  # noqa: F401 - puts the tests' own models on the path


@dataclass
class Case:
    """A model, how long it runs, and settings that both runs share."""

    model: sr.Model
    t_end: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)
    relative: bool = False  # places relative to the first body are compared, not places
    channels: tuple[str, ...] = ()  # what is compared instead of places
    way: dict[str, Any] | None = None  # settings of the second run, where the kind prescribes them
    other: sr.Model | None = None  # the model of the second run, where it is another one
    early: bool = False  # runs go over to derived code after some evaluations, not when that pays


def tree(rng: Generator) -> Case:
    """Bodies on joints of all kinds."""
    import zoo

    return Case(zoo.random_tree(int(rng.integers(1 << 30)), int(rng.integers(1, 7))))


def with_springs(rng: Generator) -> Case:
    """A tree with springs, dampers and bushings between any bodies."""
    m = tree(rng).model
    names = ["ground", *(name for name in m.bodies if name != "ground")]
    for k in range(int(rng.integers(1, 4))):
        a, b = rng.choice(len(names), 2, replace=False)
        stiffness, damping = 10.0 ** rng.uniform(0, 4), 10.0 ** rng.uniform(-2, 1)
        places = {"at_a": tuple(rng.uniform(-0.5, 0.5, 3)), "at_b": tuple(rng.uniform(-0.5, 0.5, 3))}
        m.add(
            sr.Spring(f"s{k}", names[a], names[b], stiffness=stiffness, damping=damping, length=rng.uniform(0.1, 1.0), **places)
        )
    return Case(m)


def ratios(rng: Generator) -> Case:
    """Light and heavy bodies, soft and stiff springs in one chain."""
    m = sr.Model("ratios")
    count = int(rng.integers(2, 6))
    for k in range(count):
        mass, size = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-1, 0.5)
        m.add(sr.Body(f"b{k}", mass=mass, inertia=(0.1 * mass * size**2,) * 3, position=(0.3 * k + 0.3, 0, 0)))
        axis = tuple(rng.normal(size=3))
        kind = (sr.Revolute, sr.Prismatic)[int(rng.random() < 0.3)]
        stiffness = 10.0 ** rng.uniform(-1, 4) * mass
        at = {} if kind is sr.Prismatic else {"at": (0.3 * k, 0, 0)}
        m.add(
            kind(
                f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", axis=axis, v=rng.uniform(-1, 1), stiffness=stiffness, **at
            )
        )
    return Case(m)


def loop(rng: Generator, singular: bool = False) -> Case:
    """A closed chain of rods in a tilted plane, or with ball joints in space."""
    count = int(rng.integers(4, 7))
    angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    corners = np.column_stack([np.cos(angles), 0.7 * np.sin(angles), np.zeros(count)]) * rng.uniform(0.5, 1.5)
    if singular:  # a parallelogram, near the position in which all of it is in line
        lean = float(rng.choice([0.0, 1e-9, 1e-6, 1e-3, 0.1, np.pi]))
        corners = np.array([(0, 0, 0), (np.cos(lean), np.sin(lean), 0), (2 + np.cos(lean), np.sin(lean), 0), (2, 0, 0)])
        count = 4
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    corners, normal = corners @ turn.T, tuple(turn[:, 2])
    spatial = not singular and rng.random() < 0.4
    m = sr.Model("loop", gravity=tuple(rng.uniform(-9, 9, 3)))
    names = ["ground", *(f"b{k}" for k in range(count - 1))]
    for k, name in enumerate(names[1:]):
        a, b = corners[k], corners[k + 1]
        rotation = tuple(rng.normal(size=4)) if rng.random() < 0.5 else None
        middle = tuple(0.5 * (a + b))
        m.add(
            sr.Body(
                name, mass=rng.uniform(0.2, 3.0), inertia=tuple(rng.uniform(0.05, 0.08, 3)), position=middle, rotation=rotation
            )
        )
    for k in range(count):
        ends = (names[k % count], names[(k + 1) % count])
        at = tuple(corners[k])
        if spatial and k % 2:
            m.add(sr.Ball(f"j{k}", *ends, at=at))
        else:
            speed = {"v": rng.uniform(0.5, 3.0)} if k == 0 else {}
            m.add(sr.Revolute(f"j{k}", *ends, at=at, axis=normal, **speed))
    return Case(m)


def singular(rng: Generator) -> Case:
    """Parallelograms in or near the position in which all their rods are in line."""
    return loop(rng, singular=True)


def pulse(rng: Generator) -> Case:
    """Forces that are zero for a while, in time or in the state, by formulas and by tables."""
    m = sr.Model("pulse", gravity=(0, 0, 0))
    m.add(sr.Body("b0", mass=rng.uniform(1, 10), inertia=(1, 1, 1)))
    begin, length, size = rng.uniform(0.5, 8.0), 10.0 ** rng.uniform(-3, 0), rng.uniform(10, 1000)
    kind = int(rng.integers(5))
    if kind == 0:
        torque: Any = f"if((t>{begin:.6g})*(t<{begin + length:.6g}), {size:.6g}, 0)"
    elif kind == 1:
        torque = f"{size:.6g}*(step(t-{begin:.6g})-step(t-{begin + length:.6g}))"
    elif kind == 2:
        times = (0.0, begin, begin + 1e-9, begin + length, begin + length + 1e-9, 20.0)
        m.add(sr.Signal("u", "wave(t)", tables={"wave": sr.Table(times, (0, 0, size, size, 0, 0))}))
        torque = "u"
    elif kind == 3:
        torque = f"if(q>{begin:.6g}, if(q<{begin + length:.6g}, {size:.6g}, 0), 0)"
    else:
        period = f"{length + 0.05:.6g}"
        torque = f"{0.1 * size:.6g}*(t-{period}*floor(t/{period})<{0.5 * length:.6g})"
    m.add(sr.Prismatic("j0", "ground", "b0", axis=tuple(rng.normal(size=3)), v=rng.uniform(0.5, 2.0)))
    m.add(sr.JointForce("f0", "j0", torque))
    return Case(m, 10.0)


def contact(rng: Generator) -> Case:
    """Two bodies of any shapes that meet."""
    from random_impacts import random_impact

    impact = random_impact(int(rng.integers(1 << 20)), joints=bool(rng.random() < 0.5))
    return Case(impact.model, impact.t_end)


def event(rng: Generator) -> Case:
    """Changes of structure, speeds and parameters on the way."""
    m = sr.Model("life")
    for k in range(3):
        m.add(sr.Body(f"b{k}", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.5 * k + 0.5, 0, 0)))
        m.add(
            sr.Revolute(f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(0.5 * k, 0, 0), axis="y", v=rng.uniform(-2, 2))
        )
    actions = (
        lambda: sr.Release("j2"),
        lambda: sr.Lock("j1"),
        lambda: sr.SetSpeed("j0", rng.uniform(-3, 3)),
        lambda: sr.Attach("b2", "ground"),
        lambda: sr.Stop(),
    )
    for k in range(int(rng.integers(1, 4))):
        when = f"t > {rng.uniform(0.1, 0.9):.4f}" if rng.random() < 0.5 else f"j0.q > {rng.uniform(-0.5, 0.5):.4f}"
        m.add(sr.Event(f"e{k}", when, actions[int(rng.integers(len(actions)))]()))
    return Case(m)


def signal(rng: Generator) -> Case:
    """A controlled joint: filters, delays, saturation."""
    m = sr.Model("control")
    m.add(sr.Body("b0", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.3, 0, 0)))
    m.add(sr.Revolute("j0", "ground", "b0", at=(0, 0, 0), axis="y"))
    m.add(sr.Signal("goal", f"sin({rng.uniform(1, 30):.4f}*t)"))
    late = "goal"
    if rng.random() < 0.5:
        m.add(sr.Delay("late", "goal", rng.uniform(0.05, 0.5)))
        late = "late"
    m.add(sr.Signal("error", f"{late} - j0.q"))
    m.add(sr.PID("drive", "error", kp=rng.uniform(5, 50), ki=rng.uniform(0, 5), kd=rng.uniform(0, 2), filter_time=0.01))
    m.add(sr.JointForce("f0", "j0", "max(-20, min(20, drive))"))
    return Case(m)


def control(rng: Generator) -> Case:
    """Sampled and switched control: relays, holds, quantizers, discrete filters, tables."""
    m = signal(rng).model
    period = 10.0 ** rng.uniform(-2.5, -1)
    makers: tuple[Callable[[str], sr.Signal], ...] = (
        lambda u: sr.SampleHold("n", u, period=period),
        lambda u: sr.Relay("n", u, low=-0.1, high=0.1, off=-1.0, on=1.0),
        lambda u: sr.Quantizer("n", u, step=rng.uniform(0.05, 0.5)),
        lambda u: sr.DeadZone("n", u, limits=(-0.2, 0.2)),
        lambda u: sr.RateLimiter("n", u, limits=(-2.0, 2.0)),
        lambda u: sr.DiscreteTransferFunction("n", u, numerator=(0.5,), denominator=(1.0, -0.5), period=period),
        lambda u: sr.TransferFunction("n", u, numerator=(1.0,), denominator=(0.01, 0.1, 1.0)),
        lambda u: sr.Lookup("n", (u,), sr.Table((-1.0, -0.3, 0.4, 1.0), tuple(rng.uniform(-1, 1, 4)))),
    )
    m.add(makers[int(rng.integers(len(makers)))](("goal", "error", "j0.q", "j0.v")[int(rng.integers(4))]))
    m.add(sr.JointForce("f1", "j0", f"{rng.uniform(0.5, 5):.4f}*n"))
    return Case(m)


def angle_table(rng: Generator) -> Case:
    """A crank with a torque that is piecewise in its angle, repeated every turn, and sometimes a slider behind it."""
    m = sr.Model("crank", gravity=(0, 0, 0))
    inertia = rng.uniform(0.05, 2.0)
    m.add(sr.Body("b0", mass=1.0, inertia=(0.7 * inertia, inertia, 0.7 * inertia)))
    m.add(sr.Revolute("j0", "ground", "b0", axis="y", v=rng.uniform(1, 20)))
    count = int(rng.integers(2, 6))
    knots = np.sort(rng.uniform(0.2, 2 * np.pi - 0.2, count))
    kind = str(rng.choice(["constant", "linear", "cubic"]))
    if kind == "constant":
        levels = rng.uniform(-10, 15, count + 1)
        levels[-1] = levels[0]
        x = np.r_[0.0, np.repeat(knots, 2) + np.tile([0.0, 1e-6], count), 2 * np.pi]
        table = sr.Table(tuple(x), tuple(np.repeat(levels, 2)), outside="repeat")
    else:
        y = rng.uniform(-10, 15, count + 2)
        y[-1] = y[0]
        table = sr.Table((0.0, *knots, 2 * np.pi), tuple(y), kind=kind, outside="repeat")
    m.add(sr.Signal("u", "wave(j0.q)", tables={"wave": table}), sr.JointForce("f0", "j0", "u - 0.2*v"))
    if rng.random() < 0.4:
        m.add(sr.Body("b1", mass=rng.uniform(0.1, 1), inertia=(0.1, 0.1, 0.1), position=(0, 0, 0)))
        m.add(sr.Prismatic("j1", "ground", "b1", axis="z"))
        lift = sr.Table((0.0, 1.0, 2.0, 4.0, 2 * np.pi), (0.0, 0.0, 0.1, 0.0, 0.0), kind="cubic", outside="repeat")
        m.add(sr.Cam("c0", "j0", "j1", lift))
    return Case(m, 12.0 if kind == "constant" else 4.0)  # steep pieces count for less and less of a step as speeds grow


def constraint(rng: Generator) -> Case:
    """Two arms and a flyer with one or two constraints of any kind, sometimes on a ground that moves."""
    import constrained_mechanisms as made

    m = made.arms(bool(rng.random() < 0.3))
    kind = str(rng.choice(list(made.KINDS)))
    m.add(made.KINDS[kind](m))
    if rng.random() < 0.3:
        other = str(rng.choice([name for name in made.KINDS if name != kind]))
        m.add(replace(made.KINDS[other](m), name="z"))
    for k, name in enumerate(("a0", "c")):
        m.add(sr.Force(f"push{k}", name, tuple(rng.normal(size=3) * 5)))
    return Case(m, 0.5)


def rolling(rng: Generator) -> Case:
    """Discs, balls, sleighs and bicycles that roll or cut."""
    import rolling_mechanisms as made

    kind = int(rng.integers(4))
    if kind == 0:
        return Case(made.rolling_disc(rng.uniform(0.6, 1.5), rng.uniform(-10, 10), yaw=rng.uniform(-3, 3)))
    if kind == 1:
        return Case(made.rolling_down(str(rng.choice(["ball", "cylinder", "hoop"])), angle=rng.uniform(0.05, 1.2)))
    if kind == 2:
        return Case(made.chaplygin_sleigh(a=rng.uniform(-0.5, 0.5), v=rng.uniform(-2, 2), omega=rng.uniform(-4, 4)), 4.0)
    return Case(made.bicycle(rng.uniform(3, 8), rng.uniform(-0.5, 0.5)))


def friction(rng: Generator) -> Case:
    """Trees whose joints rub, and bodies that slide on a floor."""
    m = sr.Model("rubbing", gravity=tuple(4 * rng.normal(size=3)))
    above = "ground"
    for k in range(int(rng.integers(1, 4))):
        m.add(
            sr.Body(
                f"b{k}", mass=rng.uniform(0.3, 3), inertia=tuple(rng.uniform(0.2, 0.39, 3)), com=tuple(0.3 * rng.normal(size=3))
            )
        )
        kind = (sr.Revolute, sr.Prismatic, sr.Cylindrical)[int(rng.integers(3))]
        axis, at = tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
        joint = kind(f"j{k}", above, f"b{k}", at=at, axis=axis)
        m.add(replace(joint, v=tuple(2 * rng.normal(size=joint.n_v))))
        law = str(rng.choice(["coulomb", "lugre"]))
        more = {"stiffness": 1e3, "damping": 10.0} if law == "lugre" else {}
        size = {"radius": rng.uniform(0.02, 0.2), "length": rng.uniform(0.5, 2)}
        m.add(sr.JointFriction(f"f{k}", f"j{k}", coefficient=rng.uniform(0.05, 0.3), law=law, **size, **more))
        above = f"b{k}"
    return Case(m)


def life(rng: Generator) -> Case:
    """Trees, loops, contacts, stops and controllers whose structure changes on the way."""
    from random_lives import random_event, random_mechanism

    m = random_mechanism(rng)
    for k in range(int(rng.integers(1, 4))):
        m.add(random_event(rng, m, k))
    return Case(m, 0.5)


def flexible(rng: Generator) -> Case:
    """Elastic rods in trees and loops, with loads."""
    import flexible_mechanisms as made

    m = (made.TREES | made.LOOPS)[str(rng.choice([*made.TREES, *made.LOOPS]))]()
    m.gravity = tuple(rng.uniform(-9, 9, 3))
    elastic = [name for name, body in m.bodies.items() if isinstance(body, sr.FlexibleBody)]
    m.add(sr.Force("pull", f"{elastic[0]}:{next(iter(m.bodies[elastic[0]].reduced.interfaces))}", tuple(rng.uniform(-5, 5, 3))))
    return Case(m, 0.1)


def driven(rng: Generator) -> Case:
    """Prescribed motions of several kinds, and a ground that shakes."""
    import zoo

    base = sr.BaseMotion(x="0.2*sin(5*t)", rz="0.3*t") if rng.random() < 0.4 else None
    m = sr.Model("driven", gravity=tuple(rng.uniform(-9, 9, 3)), base_motion=base)
    motions = ("0.4*sin(3*t)", "0.5*t^2", "if(t<0.5, 0, 0.3*(t-0.5)^3)", "0.2*t", "0.1*(1-cos(9*t))")
    above = "ground"
    for k in range(int(rng.integers(2, 6))):
        m.add(zoo.body(rng, f"b{k}"))
        kind = (sr.Revolute, sr.Prismatic, sr.Revolute, sr.Ball, sr.Universal)[int(rng.integers(5))]
        motion = {"motion": str(rng.choice(motions))} if kind in (sr.Revolute, sr.Prismatic) and rng.random() < 0.5 else {}
        m.add(zoo.joint(kind, rng, f"j{k}", above, f"b{k}", at=tuple(rng.uniform(-0.5, 0.5, 3)), **motion))
        above = f"b{k}" if rng.random() < 0.7 else "ground"
    return Case(m)


def far(rng: Generator) -> Case:
    """Small motions far from the origin, on fast carriers, or of tiny amplitude."""
    m = sr.Model("far", gravity=(0, 0, 0))
    distance = 10.0 ** rng.uniform(0, 7)
    size = distance * 10.0 ** rng.uniform(-7, 0)  # no smaller: rounding of the places
    drift = tuple(rng.normal(size=3) * 10.0 ** rng.uniform(0, 3.9))
    place = distance * np.array([1.0, 0.0, 0.0])
    across = rng.normal(size=3)
    across *= size / np.linalg.norm(across)
    masses = rng.uniform(1, 10, 2)
    for k in range(2):
        given = {"position": tuple(place + k * across), "velocity": drift}
        m.add(sr.Body(f"b{k}", mass=masses[k], inertia=(1, 1, 1), **given))
    stiffness = (2 * np.pi * rng.uniform(0.5, 3)) ** 2 * masses.prod() / masses.sum()
    m.add(sr.Spring("s", "b0", "b1", stiffness=stiffness, length=size * rng.uniform(0.8, 1.2)))
    return Case(m, 2.0, relative=True)


def spinning(rng: Generator) -> Case:
    """Two discs on one axle, with a soft shaft between them, that turn fast."""
    m = sr.Model("spinning", gravity=(0, 0, 0))
    speed = 10.0 ** rng.uniform(0, 4)
    for k in range(2):
        m.add(sr.Body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Revolute("j0", "ground", "b0", axis="z", v=speed))
    m.add(sr.Revolute("j1", "b0", "b1", axis="z", v=rng.uniform(-1, 1) * 10.0 ** rng.uniform(-3, 0)))
    m.add(sr.TorsionSpring("shaft", "j1", stiffness=10.0 ** rng.uniform(0, 3)))
    return Case(m, 1.0, channels=("j1.q",))


def derived(rng: Generator) -> Case:
    """Trees, loops, drives and constraints, by the engine and by equations that are derived for the model."""
    kinds = (tree, with_springs, ratios, loop, singular, driven, constraint)
    kinds += (pulse, signal, control, angle_table, peak, event, rolling, far, spinning)
    kinds += (contact, friction, touching, touching, rubbing, rubbing, wire)
    return replace(kinds[int(rng.integers(len(kinds)))](rng), way={"method": "symbolic"})


def touching(rng: Generator) -> Case:
    """A tree or a loop whose bodies meet, roll and are pushed by a function."""
    from random_mechanisms import add_touching

    case = (with_springs, loop, driven, event)[int(rng.integers(4))](rng)
    add_touching(case.model, rng)
    return case


def rubbing(rng: Generator) -> Case:
    """Friction by reactions in some joints of a tree or loop, of either law, sometimes with contacts."""
    from random_mechanisms import add_touching
    from sharnir.model.forces.joint_friction import JOINTS

    case = (with_springs, ratios, loop, driven, event)[int(rng.integers(5))](rng)
    for joint in list(case.model.joints.values()):
        if type(joint) in JOINTS and rng.random() < 0.6:
            size = {} if JOINTS[type(joint)] == "prismatic" else {"radius": rng.uniform(0.005, 0.05)}
            size |= {"length": rng.uniform(0.2, 1.0)} if rng.random() < 0.3 else {}
            law = {"law": "lugre", "stiffness": 2e3, "damping": 50.0} if rng.random() < 0.3 else {}
            coefficient, preload = rng.uniform(0.02, 0.4), rng.uniform(0, 3)
            case.model.add(sr.JointFriction(f"f {joint.name}", joint.name, coefficient, preload=preload, **size, **law))
    if rng.random() < 0.3:
        add_touching(case.model, rng)
    return case


def wire(rng: Generator) -> Case:
    """A body on a curve that a hinge turns, with another one hanging on it, and a delayed brake."""
    m = sr.Model("wire")
    curves = (("s", 0, "0.3*cos(2*s)"), ("cos(s)", "sin(s)", "0.4*s"), ("sin(s)", "sin(2*s)", "cos(3*s)"))
    for k, name in enumerate(("arm", "bead", "bob")):
        inertia = tuple(rng.uniform(0.1, 0.19, 3))
        m.add(sr.Body(name, mass=rng.uniform(0.5, 2), inertia=inertia, position=(0, 0, -0.3 * (k == 2))))
    m.add(sr.Revolute("turn", "ground", "arm", at=(0, 0, 0), axis="z", v=rng.uniform(-2, 2), damping=0.1))
    m.add(sr.Free("fly", "ground", "bead"), sr.Revolute("hinge", "bead", "bob", at=(0, 0, -0.1), axis="y", v=rng.uniform(-3, 3)))
    m.add(sr.PointOnCurve("curve", "arm", "bead", curve=curves[int(rng.integers(3))], s=rng.uniform(0.2, 1.0)))
    m.add(sr.Delay("late", "turn.v", rng.uniform(0.05, 0.2)), sr.JointForce("brake", "turn", "-0.2*late"))
    return Case(m)


def handover(rng: Generator) -> Case:
    """Runs that go over to derived code on the way."""
    kinds = (with_springs, ratios, loop, singular, driven, constraint)
    case = kinds[int(rng.integers(len(kinds)))](rng)
    return replace(case, way={"method": "articulated"}, early=True)


def machine(rng: Generator) -> Case:
    """Machines with company, by the engine, by derived code from the start or from early on, and in absolute coordinates."""
    from .machines import machine as made

    m = made(rng)
    ways: tuple[dict[str, Any], ...] = ({"method": "symbolic"}, {"method": "symbolic"}, {"formulation": "absolute"}, {})
    way = ways[int(rng.integers(len(ways)))]
    if not way:
        return Case(m, way={"method": "articulated"}, early=True)
    if "formulation" in way and any(any(joint.armature) for joint in m.joints.values()):
        way = {"method": "symbolic"}  # absolute coordinates have no rotors
    return Case(m, options={"method": "articulated"}, way=way)


def parameters(rng: Generator) -> Case:
    """A model with numbers, and one with letters that begins with other values and is given these."""
    from lettered_models import lettered

    kinds = (with_springs, ratios, loop, pulse, contact, signal, control, angle_table, constraint, rolling, friction, driven)
    case = kinds[int(rng.integers(len(kinds)))](rng)
    other = lettered(case.model)
    values = {name: other.parameters[name] for name in other.parameters}
    with suppress(ModelError):  # where other values make no sense
        other = other.with_parameters(**{name: value * rng.uniform(0.9995, 1.0005) for name, value in values.items()})
    if rng.random() < 0.5:  # filled in, or a new model
        return replace(case, other=other, way={"parameters": values})
    return replace(case, other=other.with_parameters(**values), way={})


def peak(rng: Generator) -> Case:
    """Forces and switches that are flat but for narrow peaks of the state, and pulses by sawteeth of time."""
    m = sr.Model("peak", gravity=(0, 0, 0))
    m.add(sr.Body("b0", mass=rng.uniform(1, 10), inertia=(1, 1, 1)))
    m.add(sr.Prismatic("j0", "ground", "b0", axis=tuple(rng.normal(size=3)), v=rng.uniform(0.5, 2.0)))
    at, width, size = float(rng.uniform(0.5, 4.0)), float(10.0 ** rng.uniform(-4, -0.5)), float(rng.uniform(10, 300))
    x = str(rng.choice(["j0.q", "j0.q + 0.1*sin(3*t)", "j0.q^2"]))
    forms = (
        f"max(0, 1 - abs({x} - {at})/{width})",
        f"exp(-(({x} - {at})/{width})^2)",
        f"if({x} > {at}, if({x} < {at + width}, 1, 0), 0)",
        f"max(0, min(1, ({x} - {at})/{width}, 3 - ({x} - {at})/{width}))",
        f"(t/{0.2 + at} - floor(t/{0.2 + at}) < {width})",
        f"abs(floor({x}) - 2) < 0.5",
        f"1/cosh(({x} - {at})/{width})^2",
        f"1/(1 + (({x} - {at})/{width})^2)^2",
        f"cos({x} - {at})^500",
        f"2/(exp(({x} - {at})/{width}) + exp(-({x} - {at})/{width}))",
        f"0.5*(tanh(({x} - {at})/{width}) - tanh(({x} - {at})/{width} - 5))",
    )
    m.add(sr.Signal("u", forms[int(rng.integers(len(forms)))]))
    if rng.random() < 0.3:
        m.add(sr.Relay("r", "u", low=-1.0, high=0.5, off=0.0, on=1.0))
        size = 0.1 * size
    m.add(sr.JointForce("f0", "j0", f"{size}*{'r' if 'r' in m.signals else 'u'}"))
    return Case(m, 6.0)


KINDS: dict[str, Callable[[Generator], Case]] = {
    "tree": tree,
    "springs": with_springs,
    "ratios": ratios,
    "loop": loop,
    "singular": singular,
    "pulse": pulse,
    "contact": contact,
    "event": event,
    "signal": signal,
    "control": control,
    "angle table": angle_table,
    "constraint": constraint,
    "rolling": rolling,
    "friction": friction,
    "life": life,
    "flexible": flexible,
    "driven": driven,
    "far": far,
    "spinning": spinning,
    "derived": derived,
    "handover": handover,
    "parameters": parameters,
    "machine": machine,
    "peak": peak,
}
