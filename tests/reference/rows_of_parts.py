"""Rods that bend far as rows of flexible parts: each bends little against its own frame, and turns with the one before it.

Their ends converge to those of the geometrically exact rod with the square of the length of a part.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

import sharnir as sr
from sharnir.flexible import Material, ReducedModel, Section, beam_frame, reduce


def part(nodes: np.ndarray, section: Section, material: Material) -> ReducedModel:
    """Beams along nodes, from the interface a to b; static shapes, since only rest or slow motion is looked at."""
    lines = [(i, i + 1) for i in range(len(nodes) - 1)]
    return reduce(beam_frame(nodes, lines, section, material), {"a": 0, "b": len(nodes) - 1}, basis="static")


def straight_row(parts: int, length: float, section: Section, material: Material) -> sr.Model:
    """Clamped at the origin, along x."""
    h = length / parts
    one = part(np.outer([0, 0.5, 1], [h, 0, 0]), section, material)
    return row([(one, (i * h, 0.0, 0.0), 0.0) for i in range(parts)])


def arc_row(parts: int, radius: float, angle: float, section: Section, material: Material) -> sr.Model:
    """Clamped at the origin, along x at first, and bent to y."""
    turn = angle / parts

    def at(a: float) -> np.ndarray:
        return radius * np.array([math.sin(a), 1 - math.cos(a), 0.0])

    one = part(np.array([at(k * turn / 4) for k in range(5)]), section, material)
    return row([(one, tuple(at(i * turn)), i * turn) for i in range(parts)])


def row(places: list) -> sr.Model:
    """Parts with their place and their turn about z, each fixed to the one before it."""
    m = sr.Model("row of parts", gravity=(0, 0, 0))
    for i, (one, position, turn) in enumerate(places):
        c, s = math.cos(turn), math.sin(turn)
        m.add(sr.FlexibleBody(f"p{i}", reduced=one, position=position, rotation=((c, -s, 0), (s, c, 0), (0, 0, 1))))
        m.add(sr.Fixed(f"weld{i}", "ground" if i == 0 else f"p{i - 1}:b", f"p{i}:a"))
    return m


def end(m: sr.Model) -> np.ndarray:
    """Where the last interface is in equilibrium."""
    system = m.compile()
    rest = system.equilibrium()
    assert rest.stable
    return system.bodies(rest.q, rest.v)[last(m)].position


def last(m: sr.Model) -> str:
    """Name of the end."""
    return f"p{sum(isinstance(body, sr.FlexibleBody) for body in m.bodies.values()) - 1}:b"


def extrapolated(rows: list) -> np.ndarray:
    """Rows of n, 2 n, 4 n parts without the error of second order and, from three on, most of what is left."""
    for weight in (3, 15)[: len(rows) - 1]:
        rows = [fine + (fine - coarse) / weight for coarse, fine in pairwise(rows)]
    return rows[-1]
