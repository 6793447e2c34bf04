"""A landing-gear leg at touchdown: an elastic housing, an oleo-pneumatic strut, tyres that spin up on the runway."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.app.demos.turned_part import TurnedPart
from sharnir.model import (
    Ball,
    Body,
    Box,
    Cylinder,
    FlexibleBody,
    Force,
    FreedomSequence,
    JointForce,
    Model,
    PointOnLine,
    Prismatic,
    Revolute,
    Rod,
    Signal,
    Spring,
    Table,
    Torque,
    Translation,
    Universal,
)
from sharnir.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sharnir.flexible import FEModel, ReducedModel

AIRCRAFT, PISTON, WHEELS, BRACE, HOUSING = 9400.0, 95.0, 120.0, 14.0, 92.44  # kg; the aircraft's share of this leg
SINK, SPEED = 3.05, 55.0  # m/s: 10 ft/s is the limit of CS-25.473
SPAN = 0.40  # of the trunnions from the leg's axis [m]
TOP, GLAND, BEARING, AXLE, LUG = 0.14, -0.96, -0.60, -1.56, -0.52  # heights from the trunnions [m]
BORE = 0.080
NODES = {"front": 100_001, "rear": 100_002, "lug": 100_003, "head": 100_004, "guides": 100_005}
RADIUS, TRACK = 0.43, 0.27  # of the tyres, and their distance from the axis [m]
GAP = 0.03  # below the tyres at first [m]
HEIGHT = RADIUS + GAP - AXLE  # of the trunnions at first [m]
PARAMETERS = {
    "F0": 20e3,  # N, air spring when extended
    "L0": 0.45,  # m, length of its gas column
    "cc": 30e3,  # N s²/m², orifice while the strut closes
    "cr": 250e3,  # … and while it opens
    "ks": 3e7,  # N/m, stop at the open end
    "ds": 4e4,  # N s/m
    "kt": 1.7e6,  # N/m, both tyres
    "dt": 0.05,  # s/m, their damping per stiffness and deflection
    "mu": 0.75,  # largest friction
    "vs": 5.0,  # m/s, slip at which most of it is reached
    "speed": SPEED,
    "R": RADIUS,
}
STATIONS = (
    0.14,
    0.10,
    0.05,
    0.0,
    -0.05,
    -0.11,
    -0.18,
    -0.26,
    -0.34,
    -0.43,
    -0.48,
    -0.52,
    -0.56,
    -0.60,
    -0.68,
    -0.78,
    -0.88,
    -0.96,
)


def housing_mesh() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """A barrel with two arms to the trunnions and a lug for the brace."""
    z = np.array(STATIONS)
    outer = np.where(z > -0.42, 0.105, 0.098) + np.where(z < -0.87, 0.008, 0.0)
    part = TurnedPart(STATIONS, outer, np.full(len(z), BORE), sectors=20)
    for first, side in ((-2, 1.0), (8, -1.0)):
        part.grow(range(first, first + 5), range(1, 9), 5, partial(arm_end, side))
    part.grow(range(4, 7), range(10, 13), 2, lambda b, a: (-0.05 * (b - 0.5), 0.165, LUG + 0.06 * (0.5 - a)))
    return part.mesh()


def arm_end(side: float, b: float, a: float) -> tuple[float, float, float]:
    """A point of the flat end of an arm, where the trunnion sits."""
    return side * SPAN, side * 0.09 * (b - 0.5), 0.13 * (0.5 - a)


@cache
def housing() -> FEModel:
    """The FE model, with one node for every place where something is attached."""
    from sharnir.flexible import AveragedTie, Material, RigidTie, solid

    part = solid(housing_mesh(), Material(E=71e9, nu=0.33, density=2800.0), name="housing")
    bore = np.hypot(part.nodes[:, 0], part.nodes[:, 1]) < BORE + 1e-6
    rings = [node for z in (GLAND, BEARING) for node in part.select(z=z) if bore[node]]
    return part.with_ties(
        RigidTie(part.select(x=SPAN), at=(SPAN, 0, 0), label=NODES["front"]),
        RigidTie(part.select(x=-SPAN), at=(-SPAN, 0, 0), label=NODES["rear"]),
        RigidTie(part.select(y=0.165), at=(0, 0.165, LUG), label=NODES["lug"]),
        RigidTie(part.select(z=TOP), at=(0, 0, TOP), label=NODES["head"]),
        # the piston leans on two rings of the bore: what it exerts spreads over them and stiffens nothing
        AveragedTie(rings, at=(0, 0, 0.5 * (GLAND + BEARING)), label=NODES["guides"]),
    )


@cache
def reduced_housing(modes: int = 10) -> ReducedModel:
    """The housing as the mechanism knows it: static shapes of its five interfaces and some normal modes."""
    from sharnir.flexible import reduce

    return reduce(housing(), interfaces=NODES, modes=modes, damping=0.02)


def model(modes: int = 10) -> Model:
    """A leg with two wheels under its share of an aircraft, seen from an observer who flies along.

    >>> model()
    Model('landing gear': 5 bodies, 6 joints, 5 forces, 1 constraint, 4 signals)
    """
    m = Model("landing gear", parameters=PARAMETERS)
    m.add(Body("aircraft", mass=AIRCRAFT, position=(0, 0, HEIGHT + 0.35), inertia=(1e4, 1e4, 1e4), shape=aircraft_shapes()))
    # one leg of three: the others keep the attitude
    m.add(FreedomSequence("flight", m.ground, "aircraft", freedoms=(Translation("x"), Translation("z")), v=(0, -SINK)))
    m.add(FlexibleBody("housing", reduced=reduced_housing(modes), position=(0, 0, HEIGHT), frame_at="front"))
    m.add(Ball("front_trunnion", "aircraft", "housing:front", at=(SPAN, 0, HEIGHT)))
    m.add(PointOnLine("rear_trunnion", "aircraft", "housing:rear", at=(-SPAN, 0, HEIGHT), axis="x"))
    add_brace(m)
    m.add(
        Body(
            "piston", mass=PISTON, position=(0, 0, HEIGHT + AXLE), inertia=(12.0, 12.0, 1.5), com=(0, 0, 0.2), shape=PISTON_SHAPES
        )
    )
    m.add(
        Prismatic(
            "slide", "housing:guides", "piston", at=(0, 0, HEIGHT + GLAND), axis="z", q=-PARAMETERS["F0"] / PARAMETERS["ks"]
        )
    )
    m.add(JointForce("stop", "slide", "if(q < 0, max(0, -ks*q - ds*v), 0)"))
    top, foot = (0, 0, HEIGHT + TOP), (0, 0, HEIGHT + AXLE)
    oleo = "-F0*(L0/(L0 + x))^1.3 + if(v < 0, cc, cr)*v*abs(v)"  # tension: gas pushes, oil in the orifice resists
    m.add(Spring("oleo", "housing:head", "piston", at_a=top, at_b=foot, force=oleo))
    add_wheels(m)
    weight = 9.81 * sum(body.mass for body in m.bodies.values())
    # the wings carry all of it at touchdown, until spoilers come out
    m.add(Force("lift", "aircraft", (0, 0, Table((0.0, 0.2, 0.5), (weight, weight, 0.3 * weight)))))
    return m


def add_brace(m: Model) -> None:
    """A strut from the housing to the wing's spar takes side loads."""
    lug, wing = np.array((0, 0.165, HEIGHT + LUG)), np.array((0, 0.85, HEIGHT + 0.02))
    m.add(Body("brace", mass=BRACE, position=wing, shape=(Rod((0, 0, 0), lug - wing, 0.03, color=STEEL), *ENDS)))
    m.add(Universal("brace_root", "aircraft", "brace", at=wing, axis="x", axis2=np.cross(lug - wing, (1, 0, 0))))
    m.add(Ball("brace_lug", "brace", "housing:lug", at=lug))


def add_wheels(m: Model) -> None:
    """Two wheels on one axle; tyres that push and rub while they touch the runway."""
    m.add(Body("wheels", mass=WHEELS, position=(0, 0, HEIGHT + AXLE), inertia=(15.0, 11.0, 15.0), shape=wheel_shapes()))
    m.add(Revolute("axle", "piston", "wheels", axis="y"))
    m.add(
        Signal("deflection", "R - wheels.z", unit="m"),
        Signal("tyre", "if(deflection > 0, max(0, kt*deflection*(1 - dt*wheels.z_dot)), 0)", unit="N"),
        Signal("slip", "speed + wheels.x_dot - (R - deflection/3)*axle.v", unit="m/s"),
        Signal("drag", "mu*tyre*tanh(slip/vs)", unit="N"),
    )
    m.add(Force("runway", "wheels", ("-drag", 0, "tyre")))
    m.add(Torque("spin_up", "wheels", (0, "(R - deflection/3)*drag", 0)))


STEEL, DARK, RUBBER, BLUE = "#adb5bd", "#495057", "#343a40", "#748ffc"
ENDS = (Cylinder(0.045, 0.05, "x", color=DARK),)
PISTON_SHAPES = (
    Rod((0, 0, 0), (0, 0, 0.95), 0.068, color="#e9ecef"),
    Rod((0, -TRACK, 0), (0, TRACK, 0), 0.05, color=DARK),
    Cylinder(0.09, 0.16, "z", (0, 0, 0.02), color=STEEL),
)


def aircraft_shapes() -> tuple[Box | Cylinder, ...]:
    """A piece of the wing with its bearings."""
    spars = [Box((0.07, 1.6, 0.16), (x, 0.25, -0.05), color=BLUE) for x in (-SPAN - 0.09, SPAN + 0.09)]
    ribs = [Box((2 * SPAN + 0.25, 0.05, 0.16), (0, y, -0.05), color=BLUE) for y in (-0.5, 0.85)]
    bearings = [Box((0.07, 0.16, 0.32), (x, 0, -0.28), color=DARK) for x in (-SPAN - 0.09, SPAN + 0.09)]
    return (*spars, *ribs, *bearings, Box((0.1, 0.06, 0.3), (0, 0.85, -0.25), color=DARK))


def wheel_shapes() -> tuple[Cylinder | Box, ...]:
    """Tyres and rims; a mark on the rim shows how they turn."""
    parts: list[Cylinder | Box] = []
    for y in (-TRACK, TRACK):
        out = 1 if y > 0 else -1
        parts += [Cylinder(RADIUS, 0.22, "y", (0, y, 0), color=RUBBER), Cylinder(0.22, 0.23, "y", (0, y, 0), color=STEEL)]
        parts += [
            Box((0.3, 0.012, 0.05), (0, y + out * 0.12, 0), color=DARK),
            Box((0.05, 0.012, 0.3), (0, y + out * 0.12, 0), color=DARK),
        ]
    return tuple(parts)


def largest_load(result: Result) -> float:
    """The time at which the housing deforms most [s]."""
    return float(result.t[result["housing.largest_displacement"].argmax()])


def picture(result: Result) -> Figure:
    """The housing at its largest load, forces and stroke."""
    from sharnir.app.animation.deformed_picture import deformed_picture

    plots = ("tyre", "drag", "oleo.force", "slide.q", "deflection", "axle.v")
    return deformed_picture(result, ["housing"], largest_load(result), plots, scale=10.0, right=(1, 0.55, 0), up=(0.1, -0.2, 1))


def finding(result: Result) -> str:
    """Largest loads, the stroke, and how far the housing gives way."""
    weight = 9.81 * (AIRCRAFT + PISTON + WHEELS + BRACE + HOUSING)
    load, drag, stroke = result["tyre"].max(), result["drag"].max(), result["slide.q"].max()
    gives = 1000 * result["housing.largest_displacement"].max()
    return (
        f"the runway pushes with {load / 1000:.0f} kN ({load / weight:.2f} times the weight) and drags with"
        f" {drag / 1000:.0f} kN while the wheels spin up; the strut closes by {1000 * stroke:.0f} mm;"
        f" the housing deflects by {gives:.1f} mm at {1000 * largest_load(result):.0f} ms"
    )


LANDING_GEAR = Demo(
    name="landing-gear",
    story="A landing gear at touchdown: its housing is an elastic solid of 4000 nodes, coloured by displacement (slow motion).",
    model=model,
    settings={"t_end": 0.8, "step": 0.002, "integrator": "radau5", "tolerance": 1e-5},
    plots=("tyre", "drag", "slide.q", "deflection", "housing.largest_displacement"),
    finding=finding,
    speed=0.1,
    scale=10.0,
    picture=picture,
)
