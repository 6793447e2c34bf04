"""Mechanisms that the benchmarks share, besides the chain of `sharnir.app.bench`."""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sr
from sharnir.app.bench import chain

FREEDOMS = (sr.Rotation("x"), sr.Rotation("y"), sr.Rotation("z"), sr.Translation("x"), sr.Translation("y"), sr.Translation("z"))
INERTIA = (0.003, 0.005, 0.006, 1e-4, -2e-4, 3e-4)


def joined(model: sr.Model, name: str, parent: Any, at: tuple[float, float, float], freedoms: int, axis: str = "y") -> sr.Body:
    """A new link on a joint of 1, 2, 3 (ball) or 6 (free) freedoms."""
    link = model.add(sr.Body(name, mass=1.0, com=(0.1, 0.01, -0.02), inertia=INERTIA, position=at))
    if freedoms == 1:
        model.add(sr.Revolute(f"to {name}", parent, link, at=at, axis=axis))
    elif freedoms == 2:
        model.add(sr.Universal(f"to {name}", parent, link, at=at, axis=axis, axis2="z" if axis != "z" else "x"))
    elif freedoms == 3:
        model.add(sr.Ball(f"to {name}", parent, link, at=at))
    else:
        model.add(sr.Free(f"to {name}", parent, link))
    return link


def branching_tree(n: int, freedoms: int = 1, children: int = 2) -> sr.Model:
    """n links, every one carries `children` others until they are used up."""
    model = sr.Model(f"tree of {n} links, {children} on each")
    links: list[sr.Body] = []
    for i in range(n):
        parent = model.ground if i == 0 else links[(i - 1) // children]
        at = (
            (0.0, 0.0, 0.0)
            if i == 0
            else tuple(x + dx for x, dx in zip(parent.position, (0.2, 0.1 * (i % children), 0.05), strict=True))
        )
        links.append(joined(model, f"link{i}", parent, at, freedoms, "xyz"[i % 3]))
    return model


def star(n: int, freedoms: int = 1, hub_freedoms: int = 6) -> sr.Model:
    """A hub (free, or on a joint) with n - 1 links on it."""
    model = sr.Model(f"star of {n} links")
    hub = joined(model, "hub", model.ground, (0.0, 0.0, 0.0), hub_freedoms)
    for i in range(1, n):
        joined(model, f"link{i}", hub, (0.1, 0.02 * i, 0.0), freedoms, "xyz"[i % 3])
    return model


LIMBS = {  # joint axes from the trunk outwards, and the offset of the limb's root
    "neck": ("zy", (0.0, 0.0, 0.5)),
    "left arm": ("yxzyx", (0.0, 0.2, 0.45)),
    "right arm": ("yxzyx", (0.0, -0.2, 0.45)),
    "left leg": ("zxyyyx", (0.0, 0.1, -0.1)),
    "right leg": ("zxyyyx", (0.0, -0.1, -0.1)),
}


def humanoid() -> sr.Model:
    """A free pelvis, a waist of two hinges, neck, arms and legs of hinges: 27 bodies, 32 freedoms.

    >>> humanoid().compile().n_v
    32
    """
    model = sr.Model("humanoid")
    pelvis = joined(model, "pelvis", model.ground, (0.0, 0.0, 0.0), 6)
    trunk = pelvis
    for k, axis in enumerate("zy"):
        trunk = joined(model, f"waist{k}", trunk, (0.0, 0.0, 0.1 + 0.02 * k), 1, axis)
    for limb, (axes, root) in LIMBS.items():
        parent, step = pelvis if "leg" in limb else trunk, 0.15 if limb == "neck" else -0.15
        for k, axis in enumerate(axes):
            parent = joined(model, f"{limb}{k}", parent, (root[0], root[1], root[2] + step * k), 1, axis)
    return model


def geared(n: int) -> sr.Model:
    """A chain of hinges in which every second joint follows the one before it (mimic joints, as in grippers)."""
    model = sr.Model(f"geared chain of {n} links")
    parent = model.ground
    for i in range(n):
        at = (0.2 * i, 0.0, 0.0)
        link = model.add(sr.Body(f"link{i}", mass=1.0, com=(0.1, 0.01, -0.02), inertia=INERTIA, position=at))
        follows = (f"joint{i - 1}", -0.5, 0.0) if i % 2 else None
        model.add(sr.Revolute(f"joint{i}", parent, link, at=at, axis="y", mimic=follows))
        parent = link
    return model


def random_tree(n: int, seed: int) -> sr.Model:
    """Random parents and joints, sequences of 3 and 6 freedoms and sliders among them; the cost model is not fitted to these."""
    random = np.random.default_rng(seed)
    model, links = sr.Model(f"random tree {seed} of {n} links"), []
    for i in range(n):
        parent = links[int(random.integers(max(0, i - 5), i))] if i else model.ground
        at = tuple(float(x) for x in np.array(parent.position) + 0.2 * random.standard_normal(3))
        kind = int(random.integers(6))
        if kind < 3:
            links.append(joined(model, f"link{i}", parent, at, kind + 1, "xyz"[int(random.integers(3))]))
            continue
        link = model.add(sr.Body(f"link{i}", mass=1.0, com=(0.1, 0.01, -0.02), inertia=INERTIA, position=at))
        freedoms = tuple(FREEDOMS[k] for k in random.permutation(len(FREEDOMS))[: 3 if kind == 3 else 6])
        if kind == 5:
            model.add(sr.Prismatic(f"to link{i}", parent, link, axis="y"))
        else:
            model.add(sr.FreedomSequence(f"to link{i}", parent, link, at=at, freedoms=freedoms))
        links.append(link)
    return model


__all__ = ["branching_tree", "chain", "geared", "humanoid", "random_tree", "star"]
