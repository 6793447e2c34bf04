"""Mechanisms with loops of many shapes, for the choice of the method: trees of `trees`, tied together or to the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
from trees import INERTIA, branching_tree, chain, joined, random_tree, star

import sharnir as sr

TIP = np.array([0.2, 0.05, 0.02])


def tied(model: sr.Model, name: str, a: Any, b: sr.Body, kind: str) -> None:
    """One more joint or constraint between a body (or the ground) and another, at the tip of the latter as drawn."""
    at = tuple(float(x) for x in np.array(b.position) + TIP)
    if kind == "ball":
        model.add(sr.Ball(name, a, b, at=at))
    elif kind == "universal":
        model.add(sr.Universal(name, a, b, at=at, axis="x", axis2="y"))
    else:
        model.add(sr.Distance(name, a, b, at_a=tuple(x + dx for x, dx in zip(at, (0.3, 0.2, 0.5), strict=True)), at_b=at))


def closed_chain(n: int, freedoms: int = 1, kind: str = "ball") -> sr.Model:
    """A chain whose last link is tied to the ground."""
    model = chain(n, freedoms)
    tied(model, "closing", "ground", list(model.bodies.values())[-1], kind)
    return model


def ladder(n: int, freedoms: int = 1) -> sr.Model:
    """Two chains of n links side by side, with a rod between every other pair of links."""
    model = sr.Model(f"ladder of {n} rungs")
    sides: list[list[sr.Body]] = [[], []]
    for i in range(n):
        for side, y in enumerate((0.0, 0.4)):
            parent = model.ground if i == 0 else sides[side][-1]
            sides[side].append(joined(model, f"link{side}_{i}", parent, (0.2 * i, y, 0.0), freedoms, "yxz"[i % 3]))
        if i % 2:
            x = 0.2 * i + 0.1
            model.add(sr.Distance(f"rung{i}", sides[0][-1], sides[1][-1], at_a=(x, 0, 0), at_b=(x, 0.4, 0)))
    return model


def engine(cylinders: int) -> sr.Model:
    """A crankshaft with connecting rods and pistons in line, hinges of rods planar and free to tilt at the pistons."""
    model = sr.Model(f"engine with {cylinders} cylinders")
    shaft = model.add(sr.Body("shaft", mass=5.0, inertia=(0.02, 0.02, 0.02)))
    model.add(sr.Revolute("bearing", model.ground, shaft, at=(0, 0, 0), axis="y", v=10.0))
    for i in range(cylinders):
        angle = 2.0 * np.pi * i / cylinders + 0.4
        pin = np.array([0.05 * np.sin(angle), 0.1 * i, 0.05 * np.cos(angle)])
        top = np.array([0.0, 0.1 * i, pin[2] + np.sqrt(0.2**2 - pin[0] ** 2)])
        rod = model.add(sr.Body(f"rod{i}", mass=0.5, inertia=INERTIA, position=tuple(pin), com=(0.0, 0.0, 0.05)))
        piston = model.add(sr.Body(f"piston{i}", mass=0.4, inertia=INERTIA, position=tuple(top)))
        model.add(sr.Revolute(f"crank{i}", shaft, rod, at=tuple(pin), axis="y"))
        model.add(sr.Prismatic(f"bore{i}", model.ground, piston, axis="z"))
        model.add(sr.Ball(f"wrist{i}", piston, rod, at=tuple(top)))
    return model


def platform(legs: int) -> sr.Model:
    """A free body on struts of two links each, with a universal joint below, a slide, and a ball joint above."""
    model = sr.Model(f"platform on {legs} legs")
    top = model.add(sr.Body("top", mass=10.0, inertia=(1.0, 1.0, 2.0), position=(0, 0, 1)))
    for i in range(legs):
        a = 2.0 * np.pi * i / legs
        foot, head = (np.cos(a), np.sin(a), 0.0), (0.5 * np.cos(a + 0.5), 0.5 * np.sin(a + 0.5), 1.0)
        along = tuple(float(y - x) for x, y in zip(foot, head, strict=True))
        low = model.add(sr.Body(f"low{i}", mass=1.0, inertia=INERTIA, position=foot))
        high = model.add(sr.Body(f"high{i}", mass=1.0, inertia=INERTIA, position=head))
        model.add(sr.Universal(f"foot{i}", model.ground, low, at=foot, axis="x", axis2="y"))
        model.add(sr.Prismatic(f"slide{i}", low, high, axis=along, stiffness=2000.0, damping=20.0))
        model.add(sr.Ball(f"head{i}", high, top, at=head))
    return model


def tied_star(n: int, freedoms: int = 1) -> sr.Model:
    """A hub with links, every third of them held by a wire."""
    model = star(n, freedoms)
    links = list(model.bodies.values())
    for i in range(1, n, 3):
        tied(model, f"wire{i}", "ground", links[i], "distance")
    return model


def tied_tree(n: int, freedoms: int = 1, kind: str = "ball") -> sr.Model:
    """A binary tree whose last leaf is tied to the first one, and to the ground."""
    model = branching_tree(n, freedoms)
    links = list(model.bodies.values())
    tied(model, "between", links[n // 2], links[-1], kind)
    tied(model, "wire", "ground", links[n // 2], "distance")
    return model


def random_closed(n: int, seed: int) -> sr.Model:
    """A random tree with a few further joints and wires between any two bodies; the cost model is not fitted to these."""
    model, random = random_tree(n, seed), np.random.default_rng(seed + 1000)
    links = list(model.bodies.values())
    for k in range(1 + int(random.integers(1 + n // 4))):
        a, b = random.permutation(n)[:2]
        kind = ("ball", "universal", "distance", "distance")[int(random.integers(4))]
        tied(model, f"tie{k}", "ground" if random.random() < 0.3 else links[a], links[b], kind)
    return model
