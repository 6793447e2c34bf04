"""Random impacts: two shapes of any size that fly towards each other at any speed, or one that flies about within the other."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import sharnir as sr
from contact_meshes import solid
from sharnir.dynamics.contact.contact_records import TOUCHING

FULL_TURN = 2.0 * math.pi
# a shape of a size
SOLIDS = {
    sr.Sphere: lambda r, s: sr.Sphere(s),
    sr.Point: lambda r, s: sr.Point(),
    sr.Box: lambda r, s: sr.Box(tuple(2.0 * s * r.uniform(0.5, 1.0, 3))),
    sr.Cylinder: lambda r, s: sr.Cylinder(s, s * r.uniform(0.5, 2.0), axis="z"),
    sr.Capsule: lambda r, s: sr.Capsule((0, 0, -0.5 * s), (0, 0, 0.5 * s), 0.5 * s),
    sr.Mesh: lambda r, s: solid(("block", "angle")[r.integers(2)], s),
}
# free inside: the other body is smaller, and begins at the centre
AROUND = {
    sr.Bore: lambda r, s: sr.Bore(s),
    sr.Slot: lambda r, s: sr.Slot((-0.5 * s, 0, 0), (0.5 * s, 0, 0), s),
    sr.Profile: lambda r, s: sr.Profile(f"{s!r}*cos(s)", f"{0.8 * s!r}*sin(s)", (0, FULL_TURN)),
    sr.Revolution: lambda r, s: sr.Revolution(f"{s!r}*(1 + 0.1*sin(s/{s!r}))", (-1e3 * s, 1e3 * s)),
}
# free outside
BESIDE = {
    sr.Plane: lambda r, s: sr.Plane(),
    sr.Surface: lambda r, s: sr.Surface((f"z - {0.05 * s!r}*sin(x/{s!r})", f"x**2 + y**2 + z**2 - {s * s!r}")[r.integers(2)]),
    sr.Profile: lambda r, s: sr.Profile(f"{s!r}*cos(s)", f"{0.8 * s!r}*sin(s)", (0, FULL_TURN), inside=False),
}
PAIRS = [(probe, boundary) for boundary, probes in TOUCHING.items() for probe in probes if boundary is not sr.Point]
DEPTH = 0.02  # of the smaller body: how far the law lets it in
FLAT = (sr.Bore, sr.Slot, sr.Profile)


@dataclass(frozen=True)
class Impact:
    """A model of two bodies a, b (or the ground) with one contact c, how long to run it, and what it is."""

    model: sr.Model
    t_end: float
    speed: float
    size: float
    free: bool
    boxes: bool
    text: str


def random_impact(seed: int, joints: bool = False, group: bool = False, law: str = "hertz") -> Impact:
    """One of all pairs in turn; sizes 1 mm … 1 m, speeds 0.1 … 1000 m/s."""
    r = np.random.default_rng(seed)
    probe, boundary = PAIRS[seed % len(PAIRS)]
    size, speed = 10.0 ** r.uniform(-3, 0), 10.0 ** r.uniform(-1, 3)
    inside = boundary in AROUND and not (boundary is sr.Profile and r.random() < 0.5)
    small = size * (r.uniform(0.1, 0.3) if inside else r.uniform(0.2, 1.0))
    first = SOLIDS[probe](r, small)
    second = (SOLIDS | (AROUND if inside else BESIDE))[boundary](r, size)
    smaller = size if probe is sr.Point else min(small, size)
    mass = 1000.0 * smaller**3
    inertia = 0.4 * mass * smaller**2 * r.uniform(0.8, 1.0, 3)
    turn = None if inside and probe is sr.Cylinder else tuple(r.normal(size=4))
    direction = r.normal(size=3)
    if inside or boundary in FLAT:
        direction[2] = 0.0
    elif boundary in (sr.Plane, sr.Surface):
        direction[2] = -abs(direction[2]) - 0.5
    direction /= np.linalg.norm(direction)
    away = 0.0 if inside else 4.0 * size * 10.0 ** r.uniform(0.0, 2.0)
    place = -away * direction + (0.0 if inside else 0.2 * size) * np.cross(direction, (0.0, 0.0, 1.0))
    spin = np.zeros(3) if turn is None else r.normal(size=3) * r.uniform(0.0, 0.5) * speed / size
    if boundary in FLAT:
        spin[:2] = 0.0
        turn = None
    m = sr.Model(f"impact {seed}", gravity=(0, 0, 0))
    given: dict[str, Any] = {"mass": mass, "inertia": tuple(inertia), "position": tuple(place), "rotation": turn}
    free = bool(r.random() < 0.5) and boundary not in (sr.Plane, sr.Surface) and not joints
    if joints:
        m.add(sr.Body("a", **given))
        m.add(sr.Prismatic("rail", "ground", "a", axis=tuple(direction), v=speed))
    else:
        m.add(sr.Body("a", **given, velocity=tuple(speed * direction), angular_velocity=tuple(spin)))
    if free:
        heavy = mass * 10.0 ** r.uniform(0, 2)
        m.add(sr.Body("b", mass=heavy, inertia=(0.4 * heavy * size**2,) * 3))
    k = stiffness(law, mass, speed, DEPTH * smaller)
    other = "b" if free else "ground"
    if group and probe is not sr.Mesh:  # no shape of many bodies
        m.add(sr.ContactGroup("c", ("a",), walls=(second,), walls_of=other, law=k, shape=first))
    else:
        m.add(sr.Contact("c", "a", other, first, second, law=k))
    names = f"{probe.__name__}-{boundary.__name__}{' around' if inside else ''}"
    text = f"{seed}: {names}, size {size:.3g}, {small:.3g}, speed {speed:.3g}, {'free' if free else 'ground'}"
    t_end = (2.0 * away + 10.0 * size) / speed
    return Impact(m, t_end, speed, smaller, free, probe is sr.Box and boundary is sr.Box, text)


def stiffness(law: str, mass: float, speed: float, depth: float) -> Any:
    """A law that stops a mass at a depth."""
    energy = 0.5 * mass * speed**2
    if law == "linear":
        return sr.LinearLaw(2.0 * energy / depth**2)
    if law == "exponential":
        return sr.ExponentialLaw(energy * 10.0 / depth * math.exp(-10.0), 10.0 / depth)
    return sr.Hertz(2.5 * energy / depth**2.5)


@dataclass(frozen=True)
class Audit:
    """What came out: change of energy and of momentum relative to their size, whether anything touched, warnings."""

    energy: float
    momentum: float
    touched: bool
    warned: list[str]
    stats: dict[str, Any]


def audited(impact: Impact, **options: Any) -> Audit:
    """A run, and what it did to what must stay."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        r = impact.model.simulate(impact.t_end, **options)
    total, kinetic = r["energy.total"], r["energy.kinetic"]
    mass = {name: body.mass for name, body in impact.model.bodies.items() if name != "ground"}
    p = sum(mass[name] * r[f"{name}.velocity"] for name in mass)
    change = np.abs(p - p[0]).max() / (mass["a"] * impact.speed) if impact.free else 0.0
    v = r["a.velocity"]
    touched = bool(np.abs(v - v[0]).max() > 1e-6 * impact.speed)
    energy = float(np.abs(total - total[0]).max() / kinetic[0])
    # what the run says about its energy is what is measured here
    said = [str(x.message) for x in caught if "no force accounts for" not in str(x.message)]
    return Audit(energy, float(change), touched, said, r.stats)


def must_touch(impact: Impact) -> bool | None:
    """Whether the shapes overlap on a flight without forces, by many small steps; None: they hardly do."""
    model = sr.Model("flight", gravity=(0, 0, 0))
    for body in impact.model.bodies.values():
        if body.name != "ground":
            model.add(body)
    for joint in impact.model.joints.values():
        model.add(joint)
    (contact,) = impact.model.forces.values()
    model.add(replace(contact, law=sr.LinearLaw(1e-30)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        r = model.simulate(impact.t_end, output=impact.t_end / 4000, integrator="rk4", step=impact.t_end / 4000)
    depth = float(r["c.depth"].max()) / impact.size
    return True if depth > 0.05 else False if depth <= 0.0 else None
