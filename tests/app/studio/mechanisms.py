"""Mechanisms that tests build in the studio by mouse and keyboard, written in Python."""

import sharnir as sr
from sharnir.flexible.description import described_model


def rover() -> sr.Model:
    """A rover of 13 bodies: a chassis on six trailing arms with driven wheels, one leg copied in two directions."""
    m = sr.Model("model")
    m.add(sr.Body("chassis", mass=18, shape=sr.Box((1.2, 0.5, 0.1)), position=(0, 0, 0.25)))
    places = [(x, y) for y in (0.3, -0.3) for x in (0.6, 0.2, -0.2)]
    names = ["" if k == 1 else str(k) for k in range(1, 7)]
    for n, (x, y) in zip(names, places, strict=True):
        m.add(sr.Body(f"arm{n}", mass=0.8, shape=sr.Rod((0, 0, 0), (-0.2, 0, -0.15)), position=(x, y, 0.25)))
        m.add(sr.Body(f"rim{n}", mass=1.2, shape=sr.Cylinder(0.1, 0.06, "y"), position=(round(x - 0.2, 12), y, 0.1)))
    for n in names:
        m.add(sr.Revolute(f"hinge{n}", "chassis", f"arm{n}", axis="y"))
        m.add(sr.Revolute(f"axle{n}", f"arm{n}", f"rim{n}", axis="y"))
    for n in names:
        m.add(sr.TorsionSpring(f"shock{n}", f"hinge{n}", stiffness=120, damping=6))
        m.add(sr.Wheel(f"tyre{n}", f"rim{n}", radius=0.1, law=sr.LinearLaw(2e4, 100), tyre=sr.LinearTyre(600, 500)))
        m.add(sr.JointForce(f"drive{n}", f"axle{n}", "2*(8 - v)"))
    return m


def landing_leg() -> sr.Model:
    """A slanted elastic leg below its share of an aircraft, whose foot strikes the ground."""
    m = sr.Model("model")
    fe = {"type": "straight-beam", "start": [0, 0, 0], "end": [0.3, 0, -1], "elements": 10}
    fe |= {"section": {"type": "round", "radius": 0.03}}
    reduced = described_model({"fe": fe, "interfaces": {"root": 0, "tip": 10}, "modes": 4, "damping": 0.02})
    m.add(sr.Body("aircraft", mass=400, shape=sr.Box((0.6, 0.6, 0.2)), position=(0, 0, 1.4)))
    m.add(sr.FlexibleBody("leg", reduced=reduced, frame_at="root", position=(0, 0, 1.3)))
    m.add(sr.Body("foot", mass=8, shape=sr.Sphere(0.1), position=(0.3, 0, 0.3)))
    m.add(sr.Prismatic("flight", "ground", "aircraft", axis="z", v=-1))
    m.add(sr.Fixed("mount", "aircraft", "leg:root"))
    m.add(sr.Fixed("ankle", "leg:tip", "foot"))
    m.add(sr.Contact("touch", "ground", "foot", shape_a=sr.Plane(), law=sr.HuntCrossley(3e7, 0.2)))
    return m
