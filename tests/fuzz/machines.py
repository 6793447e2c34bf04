"""Random machines: arms, rings and flyers with sensors, controllers, switches, tables, tanks, air, events in any combination."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

import sharnir as sr

from . import TESTS  # noqa: F401 - puts the tests' own models on the path

CORNERS = ((0.0, 0.0, 0.0), (0.3, 0.0, 0.4), (1.3, 0.0, 0.7), (1.1, 0.0, -0.1))


def machine(rng: Generator) -> sr.Model:
    """A mechanism with company."""
    m, single = (arm, ring, flyer)[int(rng.integers(3))](rng)
    company = (controller, table, switch, tank, air, field, changes)
    for k in rng.permutation(len(company))[: rng.integers(1, 5)]:
        company[k](m, rng, single)
    return m


def some(rng: Generator, names: list[str]) -> str:
    return names[int(rng.integers(len(names)))]


# ---- mechanisms -------------------------------------------------------------------------------------------------------------


def arm(rng: Generator) -> tuple[sr.Model, list[str]]:
    """A chain of joints of several kinds, declared from either side."""
    import zoo

    m = sr.Model("arm", gravity=tuple(rng.uniform(-9, 9, 3)), parameters={"p": 1.0, "r": float(rng.uniform(1, 5))})
    single, above = [], "ground"
    for k in range(int(rng.integers(1, 4))):
        m.add(zoo.body(rng, f"b{k}"))
        kinds = (sr.Revolute, sr.Prismatic, sr.Revolute, sr.Cylindrical, sr.Universal, sr.Ball, sr.Free)
        kind = kinds[int(rng.integers(len(kinds) if k else 2))]
        ends = (above, f"b{k}") if rng.random() < 0.7 else (f"b{k}", above)
        more: dict[str, Any] = {"at": tuple(rng.uniform(-0.5, 0.5, 3))}
        if kind in (sr.Revolute, sr.Prismatic):
            more |= {"damping": rng.uniform(0, 0.5), "stiffness": rng.uniform(0, 5)}
            more |= {"armature": rng.uniform(0, 0.3)} if rng.random() < 0.3 else {}
            single.append(f"j{k}")
        m.add(zoo.joint(kind, rng, f"j{k}", *ends, **more))
        above = f"b{k}"
    return m, single


def ring(rng: Generator) -> tuple[sr.Model, list[str]]:
    """A four-bar or a slider-crank in a tilted plane; often every joint has a force, or is driven."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    corners, normal = np.array(CORNERS) * rng.uniform(0.8, 1.2, 3) @ turn.T, tuple(turn[:, 1])
    m = sr.Model("ring", gravity=tuple(rng.uniform(-9, 9, 3)), parameters={"p": 1.0, "r": float(rng.uniform(1, 5))})
    ends = ("ground", "b0", "b1", "b2", "ground")
    for k in range(3):
        middle = tuple(0.5 * (corners[k] + corners[k + 1]))
        m.add(sr.Body(f"b{k}", mass=rng.uniform(0.3, 2), inertia=tuple(rng.uniform(0.05, 0.08, 3)), position=middle))
    everywhere, slides, driven = rng.random() < 0.7, rng.random() < 0.4, rng.random() < 0.15
    for k in range(4):
        given: dict[str, Any] = {"v": rng.uniform(-3, 3)} if k == 0 else {}
        kind = int(rng.integers(3))
        if driven and k == 0:
            given = {"motion": f"{rng.uniform(-0.4, 0.4):.4f}*sin({rng.uniform(1, 9):.3f}*t)"}
        elif everywhere or rng.random() < 0.3:
            given |= (
                {"stiffness": rng.uniform(1, 30)},
                {"damping": rng.uniform(0.05, 0.5)},
                {"torque": f"{rng.uniform(-3, 3):.3f}*cos(q) - 0.1*v + {rng.uniform(-1, 1):.3f}*sin(3*t)"},
            )[kind]
        pair = ends[k : k + 2] if rng.random() < 0.7 else ends[k : k + 2][::-1]
        if slides and k == 3:
            m.add(sr.Prismatic("j3", *pair, at=tuple(corners[k]), axis=tuple(turn[:, 0]), **given))
        else:
            m.add(sr.Revolute(f"j{k}", *pair, at=tuple(corners[k]), axis=normal, **given))
    return m, ["j0"] if not driven else ["j1"]


def flyer(rng: Generator) -> tuple[sr.Model, list[str]]:
    """A body in flight that carries another one on a hinge."""
    import zoo

    m = sr.Model("flyer", gravity=(0, 0, -9.81), parameters={"p": 1.0, "r": float(rng.uniform(1, 5))})
    m.add(zoo.body(rng, "b0"), zoo.body(rng, "b1"))
    if rng.random() < 0.5:
        m.add(zoo.joint(sr.Free, rng, "flight", *(("ground", "b0") if rng.random() < 0.6 else ("b0", "ground"))))
    m.add(zoo.joint(sr.Revolute, rng, "j0", "b0", "b1", at=tuple(rng.uniform(-0.5, 0.5, 3)), damping=0.1, stiffness=2.0))
    return m, ["j0"]


# ---- company ----------------------------------------------------------------------------------------------------------------


def controller(m: sr.Model, rng: Generator, single: list[str]) -> None:
    """A loop over a sensor of any kind: filters, holds, sampled laws; its output pushes a joint or a body."""
    joint, body = some(rng, single), some(rng, [name for name in m.bodies if name != "ground"])
    period = float(10.0 ** rng.uniform(-2.3, -0.7))
    sensors: dict[str, Any] = {
        "point": sr.PointCoordinate(body, (0.3, 0.1, 0), axis=(0.6, 0, 0.8)),
        "distance": sr.PointDistance(body, "ground", (0.3, 0.1, 0), (0, 2, 0.5)),
        "cosine": sr.DirectionCosine(body, (1, 0, 0), "ground", (0, 0.6, 0.8)),
        "velocity": sr.PointVelocity(body, axis=(0, 0.6, 0.8), axes_of=body),
        "spin": sr.AngularVelocity(body, axis="x", axes_of=body),
    }
    kind = some(rng, [*sensors, "joint", "rate", "height"])
    texts = {"joint": f"{joint}.q", "rate": f"{joint}.v", "height": f"{body}.z + 0.1*{body}.y_dot"}
    m.add(sr.Signal("seen", texts.get(kind, "x"), variables={"x": sensors[kind]} if kind in sensors else {}))
    makers = (
        lambda: sr.PID("u", "p - seen", kp=rng.uniform(1, 20), ki=rng.uniform(0, 3), kd=rng.uniform(0, 1), filter_time=0.02),
        lambda: sr.PID("u", "r - seen", kp=rng.uniform(1, 20), ki=2.0, limits=(-4, 4)),
        lambda: sr.LowPass("u", "3*seen + sin(5*t)", time_constant=rng.uniform(0.01, 0.5)),
        lambda: sr.Integral("u", "p - seen", initial=0.3),
        lambda: sr.StateSpace("u", "seen", A=((-1, 2), (0, -3)), B=(1, 2), C=(1, -1), D=0.5),
        lambda: sr.TransferFunction("u", "seen", numerator=(1, 2), denominator=(0.1, 1, 3)),
        lambda: sr.Derivative("u", "seen", time_constant=0.05),
        lambda: sr.SampleHold("u", "p - 3*seen", period=period),
        lambda: sr.Sampled("u", lambda t, x: 2.0 - 3.0 * x + 0.1 * t, ["seen"], period=period),
        lambda: sr.Difference("u", {"e": "p - seen"}, "3*e + 0.2*i", states={"i": 0}, updates={"i": "i + e"}, period=period),
        lambda: sr.DiscreteTransferFunction("u", "seen", numerator=(1.5,), denominator=(1.0, -0.5), period=period),
        lambda: sr.Relay("u", "seen", low=-0.05, high=0.05, off=-1.0, on=1.0),
        lambda: sr.Quantizer("u", "seen", step=rng.uniform(0.05, 0.5)),
        lambda: sr.DeadZone("u", "seen", limits=(-0.2, 0.2)),
        lambda: sr.Limit("u", "9*seen", limits=(-2.0, 2.0)),
        lambda: sr.RateLimiter("u", "seen", limits=(-2.0, 2.0)),
        lambda: sr.Lookup("u", ("seen",), sr.Table((-1.0, -0.3, 0.4, 1.0), tuple(rng.uniform(-3, 3, 4)), outside="extend")),
    )
    m.add(makers[int(rng.integers(len(makers)))]())
    if rng.random() < 0.6:
        m.add(sr.JointForce("servo", joint, "u - 0.1*v"))
    else:
        m.add(sr.Force("push", body, ("u", 0, "0.3*u"), at=(0.1, 0.2, 0), axes=some(rng, ["body", "world"])))


def table(m: sr.Model, rng: Generator, single: list[str]) -> None:
    """A torque by a table of a coordinate or of time, with jumps perhaps."""
    joint = some(rng, single)
    x = np.sort(rng.uniform(-1.5, 1.5, int(rng.integers(2, 6))))
    kind, outside = some(rng, ["linear", "cubic"]), some(rng, ["constant", "extend", "repeat"])
    y = rng.uniform(-4, 4, len(x))
    if kind == "linear" and rng.random() < 0.4:  # levels
        x = np.repeat(x, 2) + np.tile([0.0, 1e-6], len(x))
        y, outside = np.r_[y[0], np.repeat(y[1:], 2), y[0]], "repeat" if outside == "repeat" else "constant"
    if outside == "repeat":
        y[-1] = y[0]
    given = sr.Table(tuple(x), tuple(y), kind=kind, outside=outside)
    of = some(rng, ["joint", "time", "signal"])
    if of == "joint" and outside != "repeat":
        m.add(sr.JointForce("tabled", joint, given))
    else:
        m.add(sr.Signal("level", "w(t - 0.3)" if of == "time" else f"w({joint}.q + 0.1*t)", tables={"w": given}))
        m.add(sr.JointForce("tabled", joint, "level"))


def switch(m: sr.Model, rng: Generator, single: list[str]) -> None:
    """A force that jumps or bends with the state or with time."""
    joint, a, b = some(rng, single), float(rng.uniform(-1, 1)), float(rng.uniform(0.05, 0.9))
    forms = (
        f"if(q > {a}, 3, -1)",
        f"max(0, {5 * b}*(q - {a}))",
        f"min(2, max(-2, {9 * b}*(q - {a}))) - 0.2*v",
        f"2*step(t - {b}) - abs(v)*{b}",
        f"sign(q - {a})*p",
        f"3*(t - {b}*floor(t/{b}) < {0.3 * b})",
        f"if(t < {b}, 2, if(q > {a}, -1, r))",
        f"4*exp(-((q - {a})/0.05)^2)",
        f"floor(3*q + {a})",
    )
    text = forms[int(rng.integers(len(forms)))]
    if rng.random() < 0.5:
        m.add(sr.JointForce("switched", joint, text))
    else:
        for name, of in (("q", f"{joint}.q"), ("abs(v)", f"abs({joint}.v)"), ("*v", f"*{joint}.v")):
            text = text.replace(name, of)
        m.add(sr.Signal("edge", text))
        m.add(sr.JointForce("switched", joint, "edge"))


def tank(m: sr.Model, rng: Generator, single: list[str]) -> None:
    """An engine whose propellant may end within the run."""
    name = some(rng, [name for name in m.bodies if name != "ground"])
    body = m.bodies[name]
    propellant, speed = float(0.1 * body.mass), 200.0
    force = propellant * speed / rng.uniform(0.3, 2.0)
    text = (force, force, f"{force}*(1 + 0.3*sin(4*t))", f"{force}*max(0, 1 - 0.2*p*t)")[int(rng.integers(4))]
    where = {"at": tuple(rng.uniform(-0.3, 0.3, 3))} if rng.random() < 0.7 else {}
    if rng.random() < 0.5:
        where |= {"jet_damping": bool(rng.random() < 0.5)}
    m.add(sr.Thrust("engine", name, text, axis=tuple(rng.normal(size=3)), exhaust_speed=speed, propellant=propellant, **where))


def air(m: sr.Model, rng: Generator, single: list[str]) -> None:
    """Drag or wings on a body."""
    name = some(rng, [name for name in m.bodies if name != "ground"])
    wind = {"wind": (f"{rng.uniform(0, 6):.3f}*sin(2*t)", rng.uniform(-3, 3), 0.5)} if rng.random() < 0.6 else {}
    if rng.random() < 0.5:
        shape: dict[str, Any] = {"drag": "0.05 + 0.3*alpha^2", "lift": "2*sin(2*alpha)", "side": "-0.4*beta"}
        if rng.random() < 0.5:
            shape |= {"length": 0.4, "moment": ("0.02*beta", "-0.1*alpha", "0.05*beta"), "damping": (0.2, 0.3, 0.1)}
        m.add(sr.Aerodynamics("wing", name, area=0.3, **shape, **wind))
    else:
        forms = (0.8, "0.3 + 0.1*x", sr.Table((0, 2, 6, 20), (0.5, 0.9, 0.4, 0.3)))
        m.add(sr.Drag("drag", name, area=0.4, coefficient=forms[int(rng.integers(3))], linear=rng.uniform(0, 0.5), **wind))


def field(m: sr.Model, rng: Generator, single: list[str]) -> None:
    """A central body near by."""
    more = {"J2": 0.05, "radius": 2.0} if rng.random() < 0.5 else {}
    m.add(sr.CentralGravity("planet", rng.uniform(50, 300), center=tuple(rng.uniform(5, 8, 3)), **more))


def changes(m: sr.Model, rng: Generator, single: list[str]) -> None:
    """Events that change parameters, signals, speeds, motions and structure, at times and states."""
    joint = some(rng, single)
    m.add(sr.JointForce("varied", joint, "2*p - 0.05*r*v - r*q"))
    actions = (
        lambda: sr.SetParameter("p", "1 - p"),
        lambda: sr.SetParameter("r", rng.uniform(0, 9)),
        lambda: sr.SetSpeed(joint, rng.uniform(-1, 1)),
        lambda: sr.Rebound((joint, 0), 0.7),
        lambda: sr.Lock(joint),
        lambda: sr.SetMotion(joint, "q0 + v0*(t - t0) + 0.2*(t - t0)^2"),
        lambda: sr.Disable("u") if "u" in m.signals else sr.SetParameter("p", 3.0),
        lambda: sr.SetParameter("p", f"p + 0.3*{joint}.v"),
    )
    for k in range(int(rng.integers(1, 3))):
        when = f"t > {rng.uniform(0.1, 0.8):.4f}" if rng.random() < 0.4 else f"{joint}.q > {rng.uniform(-0.5, 0.7):.4f}"
        m.add(sr.Event(f"e{k}", when, actions[int(rng.integers(len(actions)))](), times=3))
