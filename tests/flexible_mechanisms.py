"""Mechanisms with flexible bodies that the tests share, and random states of them."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import sharnir as sr
from sharnir.flexible import Section, reduce, straight_beam

RADIUS = 0.01


@cache
def rod(modes=2, **options):
    """A steel rod of one metre along x, with its ends as interfaces."""
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(RADIUS), elements=6)
    return reduce(beam, interfaces={"root": 0, "tip": 6}, modes=modes, **options)


@cache
def cross():
    """A rod with three interfaces, one in the middle; none of them stands at the frame's origin."""
    beam = straight_beam((-0.4, 0.1, 0.0), (0.6, 0.1, 0.2), Section.round(RADIUS), elements=6)
    return reduce(beam, interfaces={"left": 0, "middle": 3, "right": 6}, modes=1, damping=0.02)


def hand(m, name, on, at, joint=sr.Ball, **options):
    """A rigid body with full inertia on a node."""
    m.add(sr.Body(name, mass=0.6, inertia=(2e-3, 3e-3, 4e-3, 1e-4, 0, 2e-4), com=(0.05, 0.01, 0.02), position=at))
    m.add(joint(f"{name} joint", on, name, at=at, **options))


def cantilever():
    m = sr.Model("cantilever")
    m.add(sr.FlexibleBody("beam", reduced=rod()), sr.Fixed("clamp", "ground", "beam:root"))
    return m


def pendulum():
    m = sr.Model("flexible pendulum")
    m.add(sr.FlexibleBody("rod", reduced=rod()), sr.Revolute("hinge", "ground", "rod:root", axis="y"))
    hand(m, "bob", "rod:tip", (1.0, 0.0, 0.0), sr.Fixed)
    return m


def chain(count=3, link=None):
    """Flexible links one after the other, joint after joint."""
    m, before, link = sr.Model(f"chain of {count} flexible links"), "ground", link or rod(1)
    for k in range(count):
        at = (float(k), 0.0, 0.0)
        m.add(sr.FlexibleBody(f"link{k}", reduced=link, position=at))
        m.add(sr.Revolute(f"joint{k}", before, f"link{k}:root", at=at, axis="yzx"[k % 3]))
        before = f"link{k}:tip"
    return m


def tree():
    """A flexible body with three interfaces on a ball; on the others a flexible link with a hand, and two rigid bodies."""
    m = sr.Model("flexible tree", gravity=(0.3, -1.2, -9.0))
    m.add(sr.FlexibleBody("spar", reduced=cross(), frame_at="middle"))
    m.add(sr.Ball("gimbal", "ground", "spar:middle", at=(0.1, 0.1, 0.1)))
    tip = (0.6, 0.1, 0.2)
    m.add(sr.FlexibleBody("link", reduced=rod(), position=tip, rotation=sr.rotation_about("z", 0.4)))
    m.add(sr.Universal("elbow", "spar:right", "link:root", at=tip, axis="y", axis2="z"))
    hand(m, "hand", "link:tip", (0.6 + math.cos(0.4), 0.1 + math.sin(0.4), 0.2))
    hand(m, "weight", "spar:left", (-0.4, 0.1, 0.0), sr.Cylindrical, axis=(1, 0, 1))
    hand(m, "clapper", "spar:left", (-0.4, 0.2, 0.0), sr.Revolute, axis="x")
    return m


def floating():
    """A flexible body in free flight, one on its frame's node, rigid ones at both; nothing is held."""
    m = sr.Model("floating", gravity=(0, 0, -2.0))
    m.add(sr.FlexibleBody("mast", reduced=cross(), frame_at="floating"))
    m.add(sr.FlexibleBody("wing", reduced=rod(), frame_at="root", position=(0.0, 2.0, 0.0)))
    hand(m, "engine", "wing:root", (0.0, 2.0, 0.1), sr.Revolute, axis="z")
    hand(m, "bob", "mast:right", (0.6, 0.1, 0.2))
    return m


def welded():
    """Flexible body welded to flexible body."""
    m = sr.Model("welded")
    m.add(sr.FlexibleBody("a", reduced=rod()), sr.Revolute("hinge", "ground", "a:root", axis="z"))
    m.add(sr.FlexibleBody("b", reduced=rod(), position=(1, 0, 0), rotation=sr.rotation_about("y", -0.7)))
    m.add(sr.Fixed("weld", "a:tip", "b:root"))
    return m


def driven():
    """Prescribed motions before and behind flexible bodies, on a moving ground."""
    m = sr.Model("driven", base_motion={"z": "0.05*sin(7*t)", "ry": "0.1*cos(3*t)"})
    m.add(sr.FlexibleBody("boom", reduced=rod()))
    m.add(sr.Revolute("crane", "ground", "boom:root", axis="z", motion="0.5*sin(2*t)"))
    m.add(sr.FlexibleBody("jib", reduced=rod(1), position=(1, 0, 0)))
    m.add(sr.Universal("luff", "boom:tip", "jib:root", at=(1, 0, 0), axis="y", axis2="x", motion=(None, "0.2*t^2")))
    hand(m, "hook", "jib:tip", (2, 0, 0), sr.Cylindrical, axis="z", motion=("0.1*t", None))
    return m


def geared():
    """Mimic joints on flexible links of two branches."""
    m = sr.Model("geared")
    for k, at in enumerate(((0, 0, 0), (0, 1, 0))):
        m.add(sr.FlexibleBody(f"arm{k}", reduced=rod(1), position=at))
        mimic = {} if k == 0 else {"mimic": ("root0", -1.5, 0.1)}
        m.add(sr.Revolute(f"root{k}", "ground", f"arm{k}:root", at=at, axis="y", **mimic))
        wrist = (1.0, float(k), 0.0)
        hand(m, f"hand{k}", f"arm{k}:tip", wrist, sr.Revolute, axis="z", mimic=("root0", 0.5, 0.0) if k == 0 else None)
    return m


def sprung():
    """Springs, bushings and forces at nodes."""
    m = chain(2)
    m.add(sr.Spring("spring", "ground", "link1:tip", at_a=(1, 2, 0), at_b=(2, 0, 0.1), stiffness=80.0, damping=2.0))
    m.add(sr.Spring("stay", "link0:root", "link1:tip", at_a=(0, 0.1, 0), at_b=(2, 0.1, 0), stiffness=50.0))
    m.add(sr.Force("push", "link0:tip", force=(1.0, "2*sin(3*t)", 0.5), at=(1.0, 0.0, 0.2)))
    m.add(sr.Bushing("bush", "ground", "link1:root", stiffness=(40, 50, 60, 1, 2, 3), at=(1, 0, 0)))
    return m


def slider_crank(modes=1):
    """A loop with an elastic rod."""
    m = sr.Model("slider-crank")
    m.add(sr.Body("crank", mass=1, inertia=(0.01, 0.01, 0.01)), sr.Revolute("O", "ground", "crank", axis="y", v=2.0))
    m.add(sr.FlexibleBody("rod", reduced=rod(modes), position=(0.3, 0, 0)))
    m.add(sr.Body("slider", mass=2, inertia=(1, 1, 1), position=(1.3, 0, 0)))
    m.add(sr.Revolute("A", "crank", "rod:root", at=(0.3, 0, 0), axis="y"))
    m.add(sr.Ball("B", "rod:tip", "slider", at=(1.3, 0, 0)), sr.Prismatic("S", "ground", "slider", axis="x"))
    return m


def blade():
    """A turning blade with stiffening, and a hand on its tip."""
    m = sr.Model("blade")
    m.add(sr.FlexibleBody("rod", reduced=rod(1, stiffening=True)))
    m.add(sr.Revolute("hub", "ground", "rod:root", axis="z", v=10))
    hand(m, "hand", "rod:tip", (1.0, 0.0, 0.0), sr.Universal, axis="y", axis2="z")
    return m


def stayed():
    """The chain with a wire from its end to the ground, and a point of it on a plane."""
    m = chain(3)
    m.add(sr.Distance("wire", "ground", "link2:tip", at_a=(3, 1, 1), at_b=(3, 0, 0)))
    m.add(sr.PointOnPlane("floor", "ground", "link1:tip", at=(2, 0, 0), normal=(0.2, 0, 1)))
    return m


TREES = {f.__name__: f for f in (cantilever, pendulum, chain, tree, floating, welded, driven, geared, sprung)}
LOOPS = {f.__name__: f for f in (slider_crank, stayed)}


def state(system, seed, turn=0.5, deformation=2e-4):
    """A random state: joints by some tenths, elastic coordinates by a fraction of a millimetre."""
    random, c = np.random.default_rng(seed), system.assembly.coordinates
    q, v = system.q0 + turn * random.normal(size=system.n_q), system.v0 + random.normal(size=system.n_v)
    for k in c.quaternions:
        q[k : k + 4] = system.q0[k : k + 4] + turn * random.normal(size=4)
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    for first, speed, h in c.elastic.values():
        q[first : first + h] = deformation * random.normal(size=h)
        v[speed : speed + h] = 50 * deformation * random.normal(size=h)
    for x in c.mimics:
        v[x.speed] = x.multiplier * v[x.leader]
    return q, v
