"""The rocket of the guided launch: a rigid middle between elastic tubes, and how it rests on the rail before ignition."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from sharnir.app.demos.turned_part import TurnedPart
from sharnir.model import Body, Box, Cylinder, Fixed, FlexibleBody, Free, Model, rotation_about

if TYPE_CHECKING:
    from sharnir.flexible import FEModel, ReducedModel

ELEVATION = math.radians(65)
RADIUS, WALL = 0.16, 0.008  # m
TAIL, MIDDLE, LENGTH = 2.2, 3.1, 5.6  # ends of the three sections, from the nozzle [m]
SHOULDER = 4.5  # where the nose begins to taper, and where the air pushes on it [m]
MASSES = {"tail": 210.0, "middle": 110.0, "nose": 95.0, "fins": 22.0}  # kg
FORWARD = (math.cos(ELEVATION), 0.0, math.sin(ELEVATION))
LEFT, UP = (0.0, 1.0, 0.0), (-math.sin(ELEVATION), 0.0, math.cos(ELEVATION))
TURN = rotation_about("y", math.pi / 2 - ELEVATION)  # of bodies whose z axis is the rocket's
REAR_SHOE, FRONT_SHOE = 0.15, 2.5  # along the rocket [m]
GRAVITY = 9.81  # m/s²
BASE = 1.2  # height of the nozzle at first [m]
NODES = {"nose": {"base": 100_001, "shoulder": 100_002}, "tail": {"fore": 100_001, "aft": 100_002}}
DARK, RED, WHITE = "#495057", "#e03131", "#f1f3f5"


def place(z: float, up: float = 0.0, left: float = 0.0) -> tuple[float, float, float]:
    """World position of a point of the rocket in the drawing: so far from the nozzle, above and beside the axis."""
    x, y, height = z * np.array(FORWARD) + up * np.array(UP) + left * np.array(LEFT)
    return float(x), float(y), float(height + BASE)


def section(name: str, stations: np.ndarray, outer: np.ndarray, mass: float) -> FEModel:
    """A thin-walled tube whose equipment is spread over its wall, between two rigid rings; its z begins at zero."""
    from sharnir.flexible import Material, RigidTie, solid

    mesh = TurnedPart(stations.tolist(), outer, outer - np.minimum(WALL, 0.5 * outer), sectors=16).mesh()
    volume = solid(mesh, Material(16e9, 0.3, 1.0)).rigid_inertia().mass
    part = solid(mesh, Material(16e9, 0.3, mass / volume), name=name)
    low, high = stations[0], SHOULDER - MIDDLE if name == "nose" else stations[-1]
    return part.with_ties(
        RigidTie(part.select(z=low), at=(0, 0, low), label=NODES[name]["base" if name == "nose" else "aft"]),
        RigidTie(part.select(z=high), at=(0, 0, high), label=NODES[name]["shoulder" if name == "nose" else "fore"]),
    )


@cache
def sections() -> dict[str, FEModel]:
    """FE models of the front and of the tail."""
    straight = np.linspace(0.0, SHOULDER - MIDDLE, 9)
    taper = np.linspace(0.0, LENGTH - SHOULDER, 9)[1:]
    stations = np.concatenate([straight, SHOULDER - MIDDLE + taper])
    ogive = np.where(stations > straight[-1], 1 - (np.maximum(0, stations - straight[-1]) / (1.04 * taper[-1])) ** 2, 1.0)
    tail = np.linspace(0.0, TAIL, 15)
    return {
        "nose": section("nose", stations, RADIUS * ogive, MASSES["nose"]),
        "tail": section("tail", tail, np.full(len(tail), RADIUS), MASSES["tail"]),
    }


@cache
def reduced_section(name: str, modes: int = 8) -> ReducedModel:
    """A section as the mechanism knows it: rigid bodies at shifted nodes, static shapes and some normal modes."""
    from sharnir.flexible import reduce

    return reduce(sections()[name], interfaces=NODES[name], modes=modes, inertia="shifted", damping=0.01)


def loads_at_rest() -> dict[str, float]:
    """What shoes and stop carry before ignition [N]: the rail lets nothing hang through."""
    centers = {"tail": 0.5 * TAIL, "middle": 0.5 * (TAIL + MIDDLE), "nose": MIDDLE + sections()["nose"].rigid_inertia().center[2]}
    centers["fins"] = fin_body().com[2]
    mass = sum(MASSES.values())
    center = sum(MASSES[name] * z for name, z in centers.items()) / mass
    across = GRAVITY * mass * math.cos(ELEVATION)
    front = across * (center - REAR_SHOE) / (FRONT_SHOE - REAR_SHOE)
    return {"front": float(front), "rear": float(across - front), "stop": GRAVITY * mass * math.sin(ELEVATION)}


def sag(name: str, modes: int) -> np.ndarray:
    """Elastic coordinates of a section at rest in the rail, held where it meets the middle: K w = forces on it."""
    at = next(iter(NODES[name]))
    body = reduced_section(name, modes).fixed_at(at)
    g = GRAVITY * np.array((math.cos(ELEVATION), 0.0, -math.sin(ELEVATION)))  # axes of the body
    force = body.inertia.J_rw.T @ g
    if name == "tail":  # fins, rear shoe and stop act at its end
        loads, fins = loads_at_rest(), fin_body()
        acting = [(np.array(fins.com), fins.mass * g), (np.zeros(3), np.array((0, 0, loads["stop"])))]
        acting.append((np.array((RADIUS, 0, REAR_SHOE)), np.array((-loads["rear"], 0, 0))))
        wrench = sum(np.concatenate([f, np.cross(r, f)]) for r, f in acting)
        force = force + body.interface("aft").shape.T @ wrench
    found: np.ndarray = np.linalg.solve(body.stiffness, force)
    return found


def tail_at_rest(modes: int) -> np.ndarray:
    """Shift and turn of the tail's end by its sag, in the axes of the body [m, rad]."""
    moved: np.ndarray = reduced_section("tail", modes).fixed_at("fore").interface("aft").shape @ sag("tail", modes)
    return moved


def fin_body() -> Body:
    """Nozzle and fins."""
    return Body("fins", mass=MASSES["fins"], position=place(0), rotation=TURN, shape=fin_shapes())


def rocket(modes: int = 8) -> Model:
    """The rocket alone, lying in the rail.

    >>> rocket()
    Model('rocket': 4 bodies, 4 joints, 0 forces)
    """
    m = Model("rocket")
    half = 0.5 * (MIDDLE - TAIL)
    m.add(
        Body(
            "middle",
            mass=MASSES["middle"],
            position=place(TAIL + half),
            rotation=TURN,
            shape=Cylinder(RADIUS, 2 * half, color=WHITE),
        )
    )
    m.add(Free("flight", m.ground, "middle"))
    for name, z, at in (("tail", 0.0, "fore"), ("nose", MIDDLE, "base")):
        reduced, w = reduced_section(name, modes), sag(name, modes)
        m.add(FlexibleBody(name, reduced=reduced, position=place(z), rotation=TURN, frame_at=at, w=w))
    m.add(fin_body())
    m.add(Fixed("tail_flange", "middle", "tail:fore"), Fixed("nose_flange", "middle", "nose:base"))
    m.add(Fixed("fin_ring", "tail:aft", "fins", at=place(0)))
    return m


def fin_shapes() -> tuple[Box | Cylinder, ...]:
    """Nozzle and four fins."""
    long, across = (0.012, 0.34, 0.34), (0.34, 0.012, 0.34)
    sides = [Box(long, (0, s * 0.32, 0.2), color=RED) for s in (-1, 1)] + [
        Box(across, (s * 0.32, 0, 0.2), color=RED) for s in (-1, 1)
    ]
    return (*sides, Cylinder(0.1, 0.16, "z", (0, 0, -0.09), color=DARK))
