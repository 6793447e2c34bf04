"""Larger mechanisms: a platform on six legs, 25 bodies with five loops, chains and nets of rods of any size."""

from __future__ import annotations

import math

import numpy as np

import sharnir as sr
from zoo import LINKS


def stewart(stiffness=2000.0, damping=20.0, drives=None):
    """A platform on six legs (cardan joint below, slider, ball above): 13 bodies, five loops, six freedoms.

    drives : six motions of the sliders (formulas of t) instead of springs.
    """
    m = sr.Model("Stewart platform")
    plate = m.add(sr.Body("platform", mass=20.0, inertia=(1.0, 1.2, 2.0), position=(0, 0, 1.0)))
    for i in range(6):
        below, above = math.radians(60 * i + (8 if i % 2 else -8)), math.radians(60 * i + (-22 if i % 2 else 22))
        foot = np.array([math.cos(below), math.sin(below), 0.0])
        head = np.array([0.6 * math.cos(above), 0.6 * math.sin(above), 1.0])
        u = (head - foot) / np.linalg.norm(head - foot)
        w = np.cross(u, (0, 0, 1)) / np.linalg.norm(np.cross(u, (0, 0, 1)))
        turn = np.stack([np.cross(w, u), w, u], axis=1)  # the leg's axis is its z
        m.add(sr.Body(f"lower{i}", mass=3.0, com=(0, 0, 0.25), inertia=(0.1, 0.1, 0.003), position=foot, rotation=turn))
        m.add(sr.Body(f"upper{i}", mass=2.0, com=(0, 0, -0.3), inertia=(0.06, 0.06, 0.002), position=head, rotation=turn))
        m.add(sr.Universal(f"foot{i}", "ground", f"lower{i}", at=foot, axis=w, axis2=np.cross(w, u)))
        own = {"stiffness": stiffness, "damping": damping} if drives is None else {"motion": drives[i]}
        m.add(sr.Prismatic(f"leg{i}", f"lower{i}", f"upper{i}", axis=u, **own))
        m.add(sr.Ball(f"head{i}", f"upper{i}", plate, at=head))
    return m


def five_loops():
    """25 bodies: a frame on a cardan joint carries five four-bars around it, each with a pendulum; a tail of four links."""
    m = sr.Model("five loops")
    m.add(sr.Body("frame", mass=5.0, inertia=(0.8, 0.8, 1.2)), sr.Universal("gimbal", "ground", "frame", axis="x", axis2="y"))
    for k in range(5):
        out = np.array([math.cos(0.4 * math.pi * k), math.sin(0.4 * math.pi * k), 0.0])
        axis, down = np.cross((0, 0, 1), out), np.array([0, 0, -1.0])
        O, C = 0.4 * out, 1.0 * out
        A, B = O + 0.3 * down - 0.05 * out, C + 0.45 * down + 0.1 * out
        for name, start, end in (("crank", O, A), ("coupler", A, B), ("rocker", C, B)):
            m.add(_link(f"{name}{k}", start, end))
        m.add(_link(f"bob{k}", B, B + 0.2 * down))
        m.add(
            sr.Revolute(f"O{k}", "frame", f"crank{k}", at=O, axis=axis),
            sr.Revolute(f"C{k}", "frame", f"rocker{k}", at=C, axis=axis),
        )
        m.add(sr.Revolute(f"A{k}", f"crank{k}", f"coupler{k}", at=A, axis=axis))
        m.add(sr.Revolute(f"B{k}", f"coupler{k}", f"rocker{k}", at=B, axis=axis))
        m.add(sr.Universal(f"hook{k}", f"coupler{k}", f"bob{k}", at=B, axis=axis, axis2=out))
    above = "frame"
    for k in range(4):
        start = np.array([0, 0, -0.25 * k])
        m.add(_link(f"tail{k}", start, start + (0, 0, -0.25)))
        m.add(sr.Universal(f"tail joint{k}", above, f"tail{k}", at=start, axis="x", axis2="y", v=(0.5, -0.3) if k == 0 else 0.0))
        above = f"tail{k}"
    return m


def _link(name, start, end, mass_per_length=2.0, radius=0.02):
    """A uniform rod; its frame is parallel to the world's."""
    d = np.subtract(end, start)
    L = float(np.linalg.norm(d))
    mass, u = mass_per_length * L, d / L
    across, along = mass * (L**2 / 12 + radius**2 / 4), mass * radius**2 / 2
    inertia = across * np.eye(3) + (along - across) * np.outer(u, u)
    return sr.Body(name, mass=mass, com=d / 2, inertia=inertia, position=start)


LENGTH, MASS, INERTIA = 0.1, 1.0, (1e-4, 1e-3, 1e-3)  # the rods of chains and nets; axial moment first


def chain(N, joint="ball"):
    """N equal rods along x on ball, universal or revolute joints: the chain of Boikov and Yudakov 2011."""
    m = sr.Model(f"chain of {N}")
    for i in range(N):
        at = (i * LENGTH, 0.0, 0.0)
        m.add(sr.Body(f"rod{i}", mass=MASS, com=(LENGTH / 2, 0, 0), inertia=INERTIA, position=at))
        m.add(LINKS[joint](f"joint{i}", "ground" if i == 0 else f"rod{i - 1}", f"rod{i}", at, i))
    return m


def mesh(n):
    """A square net of n × n meshes, level, held at one edge by ball joints: 2 n² + n rods on ball joints in the nodes.

    Warp rods run from the held edge in x, weft rods across them in y; where four rods meet, three joints join them.
    """
    m = sr.Model(f"net of {n} by {n}")
    across = (INERTIA[1], INERTIA[0], INERTIA[2])
    for c in range(n + 1):
        for r in range(n):
            at = (r * LENGTH, c * LENGTH, 0.0)
            m.add(sr.Body(f"warp{r},{c}", mass=MASS, com=(LENGTH / 2, 0, 0), inertia=INERTIA, position=at))
            m.add(sr.Ball(f"on{r},{c}", "ground" if r == 0 else f"warp{r - 1},{c}", f"warp{r},{c}", at=at))
    for c in range(n):
        for r in range(n):
            at, far = ((r + 1) * LENGTH, c * LENGTH, 0.0), ((r + 1) * LENGTH, (c + 1) * LENGTH, 0.0)
            m.add(sr.Body(f"weft{r},{c}", mass=MASS, com=(0, LENGTH / 2, 0), inertia=across, position=at))
            m.add(sr.Ball(f"left{r},{c}", f"warp{r},{c}", f"weft{r},{c}", at=at))
            m.add(sr.Ball(f"right{r},{c}", f"weft{r},{c}", f"warp{r},{c + 1}", at=far))
    return m
