"""Extents: up to which size the motion of each coordinate counts for the tolerance of a run.

An angle has gone round after a turn. Bodies that forces or constraints join may fly any distance together: what matters is how
they move relative to each other, so that their displacements count up to their distance, or their size, and of their speeds,
where a force joins them, only what changes (extent 0); equations keep bodies together whatever the error of a step. Elastic
coordinates of a body are terms of one sum, and are measured by the largest of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

ANGLE = 1.0  # rad


def motion_extents(system: Equations) -> np.ndarray:
    """Of every entry of the state (q, v, z); infinite where nothing bounds it, negative where entries share an amplitude.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Body("b", mass=1, position=(3, 0, 0)), sr.Spring("s", "a", "b", stiffness=1))
    >>> _ = m.add(sr.Prismatic("A", "ground", "a", axis="x"), sr.Prismatic("B", "ground", "b", axis="x"))
    >>> motion_extents(m.compile())
    array([3., 3., 0., 0.])
    """
    c, place = system.assembly.coordinates, system.assembly.placement
    extents = np.full(system.n_q + system.n_v + system.n_z, math.inf)
    units = np.array(c.q_units + [""] * (system.n_q - len(c.q_units)))
    extents[: system.n_q][units == "rad"] = ANGLE
    for body, (first, speed, h) in enumerate(c.elastic.values()):
        extents[first : first + h] = -1.0 - body
        extents[system.n_q + speed : system.n_q + speed + h] = -1.0 - body
    moments = np.trace(place.inertia, axis1=1, axis2=2)
    sizes = np.sqrt(np.divide(moments, place.mass, out=np.zeros_like(moments), where=place.mass > 0.0))
    for a, b, pulls in joined_bodies(system):
        distance = float(np.linalg.norm(place.user_position[a] - place.user_position[b]))
        size = max(distance, float(sizes[a]), float(sizes[b]))
        for body in _apart(place.parent, a, b) if size > 0.0 else ():
            first, end = c.first_q[body], (*c.first_q, system.n_q)[body + 1]
            along = slice(first, end)
            extents[along][units[along] == "m"] = np.minimum(extents[along][units[along] == "m"], size)
            for k in range(c.first_v[body], c.first_v[body] + c.count_v[body]) if pulls else ():
                if c.v_units[k] == "m/s":
                    extents[system.n_q + k] = 0.0
    return extents


def joined_bodies(system: Equations) -> Iterator[tuple[int, int, bool]]:
    """Numbers of bodies between which forces, constraints, or joints that are not part of the tree act; True: a force."""
    number, model = system.assembly.placement.number, system.assembly.structure
    joints = [joint for name, joint in model.joints.items() if name not in system.assembly.coordinates.ranges]
    elements: list[tuple[Any, bool]] = [(force, True) for force in model.forces.values()]
    elements += [(element, False) for element in (*model.constraints.values(), *joints)]
    for element, pulls in elements:
        bodies = sorted({number[name] for _, name in element.body_references if number.get(name, -1) >= 0})
        for a, b in pairwise(bodies):
            yield a, b, pulls


def _apart(parent: list[int], a: int, b: int) -> set[int]:
    """Bodies on the way from one body to another, their common ancestors left out."""
    ways = []
    for body in (a, b):
        way = set()
        while body >= 0:
            way.add(body)
            body = parent[body]
        ways.append(way)
    return ways[0] ^ ways[1]
