"""Every kind of constraint between bodies that all move, for checks of its derivatives and between formulations."""

from __future__ import annotations

import math

import numpy as np

import sharnir as sr
import zoo
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.initial.absolute_state import update_state
from sharnir.model.frames import rotation_matrix
from sharnir.model.placement import placements

FORMULATIONS = ("joint", "absolute")
LIFT = sr.Table((-4, -3, -2, -1, 0, 1, 2, 3, 4), (0.3, 0.1, 0.0, 0.2, 0.1, -0.1, 0.2, 0.3, 0.1), kind="cubic")
WAVE = sr.Table((-4, -2, -1, 0, 1, 2, 4), (-3.5, -2.2, -0.9, 0.0, 1.1, 1.8, 4.2), kind="cubic")


def arms(moving_ground=False):
    """Two arms and a body that flies: joints S (ball), A, U (two freedoms), P (shift), D (driven); hands a, b, flyer c."""
    rng = np.random.default_rng(17)
    motion = sr.BaseMotion(x="0.2*sin(2*t)", rz="0.3*t + 0.4", ry="0.1*cos(t)") if moving_ground else None
    m = sr.Model("arms", gravity=(0.4, -0.3, -9.0), parameters={"k": 0.7}, base_motion=motion)
    m.add(*(zoo.body(rng, name) for name in ("a0", "a", "b0", "b", "c", "d")))
    m.add(sr.Ball("S", "ground", "a0", at=(0, 0.1, 0)))
    m.add(sr.Revolute("A", "a0", "a", at=(0.5, 0, 0.2), axis=(1, 1, 0.3)))
    m.add(sr.Universal("U", "ground", "b0", at=(0, 1, 0), axis="x", axis2="z"))
    m.add(sr.Prismatic("P", "b", "b0", at=(0, 1, 0), axis=(0.2, 1, 1)))
    m.add(sr.Revolute("D", "c", "d", at=(0, 0, 1), axis="y", motion="0.3 + 0.8*t"))
    return m


def place_of(m, body):
    """Position of a body in the drawing."""
    return np.array(placements(m)[body].position)


def plane_under(m, wheel, axis, radius, tube=0.0, normal=(0.2, 0.1, 1.0)):
    """A plane that a wheel nearly touches in the drawing: normal and a point."""
    n, a = np.array(normal) / np.linalg.norm(normal), np.array(axis) / np.linalg.norm(axis)
    height = (radius - tube) * math.sqrt(1 - (n @ a) ** 2) + tube
    return {"normal": tuple(n), "through": tuple(place_of(m, wheel) - 1.02 * height * n)}


def _curve(m, curve, start):
    """A curve fixed in a that goes near b's position in the drawing; start: the curve's point at s = 0.1."""
    axes = sr.rotation_about((1, 2, 2), 0.8)
    origin = place_of(m, "b") - np.array(rotation_matrix(axes)) @ start
    return sr.PointOnCurve("x", "a", "b", curve=curve, s=0.15, origin=tuple(origin), axes=axes)


def _surface(m):
    """A surface fixed in a that goes near b's position in the drawing."""
    origin = place_of(m, "b") + [0.1, -0.1, 0.05]
    return sr.PointOnSurface("x", "a", "b", surface="x^2 + k*y^2 - x*z - z", origin=tuple(origin), axes=(0.8, 0, 0.6, 0))


def _rolling(m, wheel, surface, axis, radius, tube=0.0):
    normal = plane_under(m, wheel, axis, radius, tube)
    return sr.RollingDisc("x", wheel, axis=axis, radius=radius, tube=tube, surface=surface, **normal)


POINT_B = sr.PointCoordinate("b", at=(0.1, 0.9, 0.2), axis=(1, 0, 1), relative_to="a")
MEASURED = {
    "x": POINT_B,
    "d": sr.PointDistance("a", "c", at_a=(0.3, 0.1, 0.5)),
    "n": sr.DirectionCosine("a", (1, 2, 0), "b", "z"),
}
SPEED = sr.PointVelocity("b", at=(0.2, 0.7, 0.1), axis=(1, 1, 0), relative_to="a", axes_of="c")


KINDS = {
    "distance": lambda m: sr.Distance("x", "a", "b", at_a=(0.3, 0.1, 0.2)),
    "distance of time": lambda m: sr.Distance("x", "a", "c", at_b=(0.2, 0.1, 1.1), length="1.1 + 0.2*sin(3*t + 0.5)"),
    "plane": lambda m: sr.PointOnPlane("x", "a", "b", at=(0.1, 1.1, 0.2), normal=(1, 2, 2)),
    "line": lambda m: sr.PointOnLine("x", "b", "a", at=(0.4, 0.2, 0.2), axis=(1, -1, 2)),
    "helix": lambda m: _curve(m, ("cos(s)", "sin(s)", "k*s"), (0.99, 0.1, 0.07)),
    "curve by table": lambda m: _curve(m, (WAVE, LIFT, "0.3*sin(s)"), (0.11, 0.08, 0.03)),
    "surface": _surface,
    "gear": lambda m: sr.Gear("x", "A", ("U", 1), ratio=-1.7),
    "rack": lambda m: sr.Rack("x", "A", "P", radius=0.3),
    "cam": lambda m: sr.Cam("x", "A", "P", "0.1*sin(3*q) + k*q^2"),
    "cam by table": lambda m: sr.Cam("x", "A", ("U", 0), LIFT),
    "coupler": lambda m: sr.Coupler("x", (("A", 1.0), (("U", 0), -2.0), ("P", 3.0))),
    "driven coupler": lambda m: sr.Coupler("x", (("A", 1.0), ("D", -0.5))),
    "disc": lambda m: _rolling(m, "b", "a", (0.3, 1, 0.2), 0.4),
    "torus": lambda m: _rolling(m, "c", "b", (1, 0, 0.4), 0.5, 0.2),
    "ball": lambda m: sr.RollingBall("x", "b", 0.3, surface="c", **plane_under(m, "b", (1, 0, 0), 0.3, 0.3)),
    "knife edge": lambda m: sr.KnifeEdge("x", "b", at=(0.2, 0.8, 0.1), direction=(1, 2, 0), surface="a"),
    "formula": lambda m: sr.Constraint("x", "A.q*P.q + k*sin(A.q) + 0.1*sin(t) - 0.02"),
    "three bodies": lambda m: sr.Constraint("x", "x*d + n^2 - 0.5", MEASURED),
    "bodies and joints": lambda m: sr.Constraint("x", "b.x^2 + c.z*A.q - k*D.q*P.q - 0.3", {}),
    "nonholonomic": lambda m: sr.Constraint(
        "x", "u*(1 + x^2) - A.v*cos(t) + 0.2*P.v*n", {"u": SPEED, "x": POINT_B, "n": MEASURED["n"]}
    ),
    "square of speeds": lambda m: sr.Constraint("x", "u^2 + (A.v + 1)^2 - 1.5", {"u": SPEED}),
}


def constrained(kind, moving_ground=False):
    """The arms with one constraint."""
    m = arms(moving_ground)
    m.add(KINDS[kind](m))
    return m


def four_bar(*elements, v=1.0, shift=0.0, mimic=None):
    """Crank 1, coupler 3, rocker 2.5, base 2.8 m in the plane x-z; joints O, A, B, C about y; P: a slider on the coupler."""
    m = sr.Model("four-bar", parameters={"k": 0.7})
    A = np.array([math.cos(1.1), 0, math.sin(1.1)])
    D = np.array([2.8, 0, 0.0])
    e, L3, L4 = D - A, 3.0, 2.5
    d = np.linalg.norm(e)
    x = (L3**2 - L4**2 + d**2) / (2 * d)
    B = A + e / d * x + np.sqrt(L3**2 - x**2) * np.array([-e[2], 0, e[0]]) / d
    for name, p, r in (("crank", 0 * A, A), ("coupler", A, B), ("rocker", B, D)):
        m.add(sr.Body(name, mass=1 + 0.3 * len(name), inertia=(0.2, 0.3, 0.25), position=tuple((p + r) / 2)))
    m.add(sr.Body("slider", mass=0.5, inertia=(0.1, 0.1, 0.1), position=tuple((A + B) / 2)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=v))
    m.add(sr.Revolute("A", "crank", "coupler", at=tuple(A), axis="y"))
    m.add(sr.Revolute("B", "coupler", "rocker", at=tuple(B), axis="y"))
    m.add(sr.Revolute("C", "rocker", "ground", at=tuple(D), axis="y"))
    m.add(sr.Prismatic("P", "coupler", "slider", axis=tuple(B - A), **({"q": shift} if mimic is None else {"mimic": mimic})))
    m.add(*elements)
    return m


def general_state(model, formulation="joint", seed=3):
    """A system whose initial state is a random one that satisfies its constraints; the same in both formulations."""
    joint, rng, out = model.compile(), np.random.default_rng(seed), np.zeros(8)
    y = joint.y0
    y[: joint.n_q] += rng.uniform(-0.15, 0.15, joint.n_q)
    y[joint.n_q : joint.n_q + joint.n_v] = rng.uniform(-1, 1, joint.n_v)
    for k in joint.assembly.coordinates.quaternions:
        y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
    for _ in range(20):
        call_once(PROJECTION.address, 0.0, y, out, joint.table, joint.params, joint.work)
    joint.q0[:], joint.v0[:], joint.z0[:] = np.split(y, [joint.n_q, joint.n_q + joint.n_v])
    if formulation == "joint":
        return joint
    absolute = model.compile(formulation="absolute")
    update_state(absolute, joint)
    return absolute


def multipliers(system, t=0.0):
    """λ at the initial state by element."""
    found = system.observe_multipliers(np.array([t]), system.y0[None])[0]
    return {e.name: found[e.row : e.row + e.count] for e in system.assembly.elements}


def body_accelerations(system, t=0.0):
    states = system.bodies(system.q0, system.v0, t)
    return {name: np.concatenate([s.acceleration, s.angular_acceleration]) for name, s in states.items()}


def point(name, mass=1.0, **options):
    """A small body whose inertia does not matter where nothing turns it."""
    return sr.Body(name, mass=mass, inertia=(0.1, 0.1, 0.1), **options)
