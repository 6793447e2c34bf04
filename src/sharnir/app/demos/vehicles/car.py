"""A car on a four-post rig: posts move by formulas, tyres and suspension are springs, the engine sits on bushings."""

from __future__ import annotations

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import (
    Body,
    Box,
    Bushing,
    Cylinder,
    Free,
    FreedomSequence,
    Model,
    Prismatic,
    Rod,
    Rotation,
    Spring,
    Translation,
)
from sharnir.results import Result

RED, DARK, STEEL = "#e03131", "#343a40", "#adb5bd"
AXLES = {"front": 1.3, "rear": -1.3}
SIDES = {"left": 0.78, "right": -0.78}
RADIUS, POST = 0.32, 0.5  # of the tyres, and height of the posts [m]
SPRUNG, UNSPRUNG, ENGINE = 900.0, 35.0, 160.0  # kg
INERTIA = (420.0, 1300.0, 1500.0)  # of the chassis [kg m²]
PARAMETERS = {"a": 0.03, "w": 8.0, "late": 0.5}


def model() -> Model:
    """Chassis that heaves, rolls and pitches, four wheels, an engine, four posts.

    >>> model()
    Model('car on four posts': 10 bodies, 10 joints, 12 forces)
    """
    m = Model("car on four posts", parameters=PARAMETERS)
    place = (0, 0, POST + 0.55)
    chassis = m.add(Body("chassis", mass=SPRUNG, com=(0, 0, 0), inertia=INERTIA, position=place, shape=chassis_shapes()))
    m.add(FreedomSequence("road", m.ground, chassis, freedoms=(Translation("z"), Rotation("x"), Rotation("y"))))
    block = (Box((0.45, 0.5, 0.34), color=STEEL), Box((0.2, 0.56, 0.12), (0, 0, 0.22), color=DARK))
    engine = m.add(Body("engine", mass=ENGINE, position=(1.45, 0, POST + 0.62), shape=block))
    m.add(Free("engine", chassis, engine))
    for k, (x, y) in enumerate(((0.2, 0.25), (0.2, -0.25), (-0.2, 0.25), (-0.2, -0.25))):
        mount = {"stiffness": (4e5, 4e5, 2e5, 50, 50, 50), "damping": (900, 900, 700, 5, 5, 5)}
        preload = (0, 0, ENGINE * 9.81 / 4, 0, 0, 0)  # the mounts carry the engine in the drawing
        m.add(Bushing(f"mount{k + 1}", chassis, engine, at=(1.45 + x, y, POST + 0.45), preload=preload, **mount))
    for axle, x in AXLES.items():
        for side, y in SIDES.items():
            add_corner(m, axle, side, x, y)
    return m


def add_corner(m: Model, axle: str, side: str, x: float, y: float) -> None:
    """Wheel, suspension, tyre and post at one corner."""
    name = f"{axle}_{side}"
    out = 1 if y > 0 else -1
    rim = (Cylinder(RADIUS, 0.2, "y", color=DARK), Cylinder(0.2, 0.21, "y", color=STEEL), Cylinder(0.05, 0.23, "y", color=RED))
    wheel = m.add(Body(name, mass=UNSPRUNG, position=(x, y, POST + RADIUS), shape=rim))
    m.add(Prismatic(f"{name}_strut", "chassis", wheel, axis="z"))
    load = load_of(axle)
    top, foot = (x, y - 0.2 * out, POST + 0.95), (x, y - 0.2 * out, POST + RADIUS)
    m.add(Spring(f"{name}_spring", "chassis", wheel, at_a=top, at_b=foot, stiffness=22e3, damping=1800, force=-load))
    # the road comes to the rear axle later; both sides of the front axle go opposite ways
    phase = "t - late" if axle == "rear" else "t"
    sign = "-" if y < 0 else ""
    plate = (Box((0.5, 0.36, 0.06), (0, 0, -0.03), color=STEEL), Cylinder(0.07, POST, "z", (0, 0, -0.06 - POST / 2), color=DARK))
    post = m.add(Body(f"{name}_post", mass=20, position=(x, y, POST), shape=plate))
    motion = f"a*({sign}sin(w*({phase})) + sin(1.7*w*({phase})))*(1 + tanh(4*({phase} - 1)))/2"
    m.add(Prismatic(f"{name}_post", m.ground, post, axis="z", motion=motion))
    tyre = load + UNSPRUNG * 9.81
    m.add(Spring(f"{name}_tyre", post, wheel, stiffness=190e3, damping=150, force=-tyre))


def load_of(axle: str) -> float:
    """Share of the weight that a spring of this axle carries, the engine sits in front [N]."""
    share = 0.5 + (0.5 * 1.45 / 1.3 if axle == "front" else -0.5 * 1.45 / 1.3)
    return 9.81 * (SPRUNG / 4 + ENGINE / 2 * share)


def chassis_shapes() -> tuple[Box | Rod, ...]:
    """Floor, boot, cabin of glass and pillars; no bonnet, so that one sees the engine."""
    floor = Box((3.9, 1.1, 0.14), (0, 0, -0.16), color=RED)
    boot = Box((1.1, 1.56, 0.42), (-1.42, 0, 0.3), color=RED)
    sills = [Box((1.6, 0.12, 0.42), (0, y, 0.12), color=RED) for y in (-0.72, 0.72)]
    nose = [Box((0.22, 1.5, 0.3), (1.9, 0, 0.1), color=RED), Box((0.06, 1.56, 0.42), (0.78, 0, 0.2), color=RED)]
    seats = [Box((0.14, 0.5, 0.6), (-0.35, y, 0.4), color=DARK) for y in (-0.35, 0.35)]
    corners = [(0.75, 0.45, 0.35, 0.92), (-0.9, 0.5, -0.6, 0.92)]
    pillars = [Rod((a, y, b), (c, 0.85 * y, d), 0.03, color=DARK) for a, b, c, d in corners for y in (-0.74, 0.74)]
    roof = Box((1.0, 1.28, 0.05), (-0.12, 0, 0.93), color=RED)
    lamps = [Box((0.03, 0.3, 0.12), (2.02, y, 0.14), color="#fff3bf") for y in (-0.55, 0.55)]
    return (floor, boot, *sills, *nose, *seats, *pillars, roof, *lamps)


def finding(result: Result) -> str:
    """Largest movements of post and chassis, and how much the suspension takes away."""
    heave = 1000 * np.abs(result["road.q.z"]).max()
    posts = 1000 * np.abs(result["front_left_post.q"]).max()
    engine = np.degrees(np.abs(result["road.q.ry"]).max())
    return f"posts move by {posts:.0f} mm, the chassis heaves by {heave:.0f} mm and pitches by {engine:.1f} degrees"


CAR = Demo(
    name="car",
    story="A car on a four-post rig: springs, dampers, tyres, and an engine on bushings.",
    model=model,
    settings={"t_end": 10.0, "step": 0.01},
    plots=("road.q.z", "front_left_post.q", "road.q.rx", "road.q.ry", "front_left_tyre.force"),
    finding=finding,
)
