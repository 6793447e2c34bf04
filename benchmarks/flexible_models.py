"""Mechanisms with flexible bodies for the benchmarks: a pendulum of a soft bar, and chains of flexible links."""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sr
from sharnir.flexible import FEModel, Material, ReducedModel, RigidTie, Section, reduce, solid, straight_beam

LENGTH, HALF = 1.0, 0.025  # of Exudyn's example NGsolveCraigBampton, m
ROOT = 10**6  # label of the node to which the left end is tied
MODES = 8


def bar(cells: tuple[int, int, int] = (40, 4, 4)) -> FEModel:
    """The soft bar of Exudyn's example of a Craig–Bampton pendulum, here with hexahedra."""
    a, b, c = (n + 1 for n in cells)
    axes = np.linspace(0.0, LENGTH, a), np.linspace(-HALF, HALF, b), np.linspace(-HALF, HALF, c)
    points = np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], axis=1)
    number = np.arange(a * b * c).reshape(a, b, c)
    corners = [
        number[i : a - 1 + i, j : b - 1 + j, k : c - 1 + k].ravel() for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    return solid((points, {"hexahedron": np.stack(corners, axis=1)}), Material(1e8, 0.3, 1000.0), name="bar")


def ends(model: FEModel) -> tuple[np.ndarray, int]:
    """Nodes of the left end, and the node in the middle of the right one."""
    x = model.nodes[:, 0]
    tip = np.abs(model.nodes - np.array([LENGTH, 0.0, 0.0])).sum(axis=1).argmin()
    return np.flatnonzero(x < 1e-9), int(tip)


def reduced_bar(model: FEModel, modes: int = MODES) -> ReducedModel:
    """The left end is rigid, as RBE2, and is the only interface."""
    tied = model.with_ties(RigidTie(ends(model)[0], label=ROOT))
    return reduce(tied, interfaces={"root": ROOT}, modes=modes).fixed_at("root")


def pendulum(body: ReducedModel) -> sr.Model:
    """The bar on a hinge at its left end, level and at rest, in gravity."""
    model = sr.Model("flexible pendulum", gravity=(0.0, -9.81, 0.0))
    model.add(sr.FlexibleBody("bar", reduced=body), sr.Revolute("hinge", "ground", "bar:root", axis="z"))
    return model


def tip_position(body: ReducedModel, tip: int, angle: float, w: np.ndarray) -> np.ndarray:
    """Place of a node in space."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ body.places(w)[tip]


def link(modes: int = 6) -> ReducedModel:
    """A steel beam of one metre with so many modes in all: static shapes of its ends would be more."""
    beam = straight_beam((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), Section.round(0.02), elements=8)
    return reduce(beam, interfaces={"a": 0, "b": 8}, modes=modes, basis="free modes").fixed_at("a")


def chain(body: ReducedModel, links: int) -> sr.Model:
    """Flexible links on hinges, alternately about y and z, level and at rest, in gravity."""
    model: Any = sr.Model(f"chain of {links} flexible links")
    before = "ground"
    for i in range(links):
        model.add(sr.FlexibleBody(f"link{i}", reduced=body, position=(float(i), 0.0, 0.0)))
        model.add(sr.Revolute(f"hinge{i}", before, f"link{i}:a", at=(float(i), 0.0, 0.0), axis="y" if i % 2 == 0 else "z"))
        before = f"link{i}:b"
    return model
