"""A five-cylinder engine of 25 bodies on elastic mounts: five loops of crank, rod and piston, ten valves on a camshaft."""

from __future__ import annotations

import math

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Bushing, Cam, Cylinder, Cylindrical, Gear, JointForce, Model, Prismatic, Revolute, Rod
from sharnir.model.bodies.shapes import Shape
from sharnir.results import Result

CYLINDERS = 5
THROW, ROD, PITCH, BORE = 0.045, 0.15, 0.1, 0.04  # m
ORDER = (0, 2, 4, 1, 3)  # crank pins in steps of 72 degrees
HEAD = 0.28  # height of the valves [m]
STEEL, DARK, RED, BRASS, BLUE = "#adb5bd", "#343a40", "#e03131", "#d9a520", "#1c7ed6"
PARAMETERS = {"lift": 0.009, "sharp": 6.0, "gas": 130.0, "gap": 0.012, "top": 2 * THROW}


def place(k: int) -> float:
    """x of a cylinder."""
    return (k - 0.5 * (CYLINDERS - 1)) * PITCH


def model() -> Model:
    """Block, crankshaft, flywheel, damper, camshaft, five rods and pistons, ten valves; a starter turns it against compression.

    >>> model()
    Model('five-cylinder engine': 25 bodies, 29 joints, 10 forces, 11 constraints)
    """
    m = Model("five-cylinder engine", parameters=PARAMETERS)
    m.add(Body("block", mass=60, com=(0, 0, 0.08), inertia=(1.2, 2.6, 2.4), shape=block_shapes()))
    m.add(Body("crank", mass=12, com=(0, 0, 0), inertia=(0.03, 0.25, 0.25), shape=crank_shapes()))
    m.add(Revolute("main", "block", "crank", axis="x", damping=0.02))
    wheels = (("flywheel", -0.34, 8.0, 0.12, 0.025, 9000.0, 1.5), ("damper", 0.33, 2.0, 0.07, 0.03, 3000.0, 2.0))
    for name, x, mass, radius, width, stiffness, damping in wheels:
        m.add(Body(name, mass=mass, position=(x, 0, 0), shape=wheel_shapes(radius, width)))
        m.add(Revolute(name, "crank", name, axis="x", stiffness=stiffness, damping=damping))
    m.add(Body("camshaft", mass=3, position=(0, 0, HEAD + 0.12), inertia=(1e-3, 0.05, 0.05), shape=camshaft_shapes()))
    m.add(Revolute("cams", "block", "camshaft", axis="x"), Gear("timing", "main", "cams", ratio=0.5))
    for k in range(CYLINDERS):
        add_cylinder(m, k)
    m.add(JointForce("starter", "main", "60*(1 - v/150)"))
    for k, (x, y) in enumerate(((0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2))):
        mount = {"stiffness": (3e5, 2e5, 2e5, 10, 10, 10), "damping": (600, 400, 400, 1, 1, 1)}
        m.add(Bushing(f"mount{k + 1}", m.ground, "block", at=(x, y, -0.05), preload=(0, 0, 83.3 * 9.81 / 4, 0, 0, 0), **mount))
    return m


def add_cylinder(m: Model, k: int) -> None:
    """Rod, piston, gas and two valves."""
    x, angle = place(k), 2 * math.pi * ORDER[k] / CYLINDERS
    pin = np.array([x, -THROW * math.sin(angle), THROW * math.cos(angle)])
    top = np.array([x, 0.0, pin[2] + math.sqrt(ROD**2 - pin[1] ** 2)])
    rod = (Rod((0, 0, 0), top - pin, 0.012, color=STEEL), Cylinder(0.027, 0.022, "x", color=STEEL))
    m.add(Body(f"rod{k + 1}", mass=0.5, position=pin, shape=rod), Body(f"piston{k + 1}", mass=0.4, position=top, shape=PISTON))
    m.add(Revolute(f"pin{k + 1}", "crank", f"rod{k + 1}", at=pin, axis="x"))
    m.add(Revolute(f"gudgeon{k + 1}", f"rod{k + 1}", f"piston{k + 1}", at=top, axis="x"))
    m.add(Cylindrical(f"bore{k + 1}", "block", f"piston{k + 1}", axis="z"))
    below = top[2] - THROW - ROD  # of the piston in the drawing, from its upper end
    # adiabatic compression of the gas: the gap above the piston is gap - below - q
    m.add(JointForce(f"gas{k + 1}", f"bore{k + 1}", f"-gas*(((gap + top)/(gap - q - ({below:.9f})))^1.35 - 1)"))
    for name, side, phase in (("inlet", 1, 1.9), ("outlet", -1, 4.4)):
        valve = f"{name}{k + 1}"
        shape = (Rod((0, 0, 0), (0, 0, 0.1), 0.005, color=STEEL), Cylinder(0.016, 0.006, "z", color=BRASS if side > 0 else RED))
        m.add(Body(valve, mass=0.08, position=(x + 0.022 * side, 0, HEAD - 0.02), shape=shape))
        m.add(Prismatic(valve, "block", valve, axis="z"))
        start = phase + 0.5 * angle
        m.add(Cam(f"{valve}_cam", "cams", valve, f"-lift*exp(sharp*(cos(q - {start:.9f}) - 1))"))


PISTON = (Cylinder(BORE, 0.05, "z", (0, 0, 0.015), color="#e9ecef"), Cylinder(1.02 * BORE, 0.006, "z", (0, 0, 0.03), color=DARK))


def block_shapes() -> tuple[Shape, ...]:
    """Bed plates and the rails of the cylinders, open so that one sees the pistons."""
    sills = [Box((0.56, 0.03, 0.06), (0, y, -0.03), color=BLUE) for y in (-0.13, 0.13)]
    walls = [Box((0.012, 0.24, 0.05), (place(0) + PITCH * (k - 0.5), 0, -0.01), color=BLUE) for k in range(CYLINDERS + 1)]
    posts = [Rod((s * 0.27, y, 0), (s * 0.27, y, HEAD + 0.03), 0.01, color=BLUE) for s in (-1, 1) for y in (-0.06, 0.06)]
    rails = [Box((0.56, 0.012, 0.02), (0, y, HEAD + 0.03), color=BLUE) for y in (-0.06, 0.06)]
    return (*sills, *walls, *posts, *rails)


def crank_shapes() -> tuple[Shape, ...]:
    """Main bearing pieces, webs and pins."""
    parts: list[Shape] = [Cylinder(0.022, 0.66, "x", color=DARK)]
    for k in range(CYLINDERS):
        angle = 2 * math.pi * ORDER[k] / CYLINDERS
        y, z = -THROW * math.sin(angle), THROW * math.cos(angle)
        parts += [Rod((place(k) + d, -0.6 * y, -0.6 * z), (place(k) + d, y, z), 0.012, color=DARK) for d in (-0.022, 0.022)]
        parts.append(Cylinder(0.018, 0.05, "x", (place(k), y, z), color=BRASS))
    return tuple(parts)


def camshaft_shapes() -> tuple[Shape, ...]:
    """Shaft with a lobe for every valve."""
    lobes = []
    for k in range(CYLINDERS):
        for side, phase in ((1, 1.9), (-1, 4.4)):
            a = -(phase + math.pi * ORDER[k] / CYLINDERS)  # points down when the camshaft has turned by its phase
            lobes.append(
                Cylinder(0.013, 0.012, "x", (place(k) + 0.022 * side, 0.01 * math.sin(a), -0.01 * math.cos(a)), color=BRASS)
            )
    return (Cylinder(0.009, 0.6, "x", color=DARK), *lobes, Cylinder(0.045, 0.012, "x", (-0.29, 0, 0), color=STEEL))


def wheel_shapes(radius: float, width: float) -> tuple[Shape, ...]:
    """A disc with a mark that shows how it turns."""
    return (Cylinder(radius, width, "x", color=STEEL), Box((1.05 * width, 0.02, 0.5 * radius), (0, 0, 0.7 * radius), color=RED))


def finding(result: Result) -> str:
    """Speed, unevenness and shaking."""
    rate, late = result["main.v"] * 30 / math.pi, result.t > 0.7 * result.t[-1]
    shake = 1000 * np.ptp(result["block.position"][late], axis=0).max()
    uneven = np.ptp(rate[late]) / rate[late].mean()
    return (
        f"{rate[late].mean():.0f} turns a minute at the end, uneven by {100 * uneven:.1f} %; the block shakes by {shake:.2f} mm"
    )


ENGINE = Demo(
    name="engine",
    story="A five-cylinder engine of 25 bodies: five loops, ten valves on cams, a block on elastic mounts.",
    model=model,
    settings={"t_end": 1.5, "step": 0.001, "tolerance": 1e-6},
    plots=("main.v", "bore1.q.shift", "inlet1.q", "outlet1.q", "pin1.reaction.fz"),
    finding=finding,
    speed=0.1,
)
