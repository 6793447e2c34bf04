"""Symbols: what coordinates are called, and letters in place of a model's numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from sharnir.symbolic.matrices import Vector
from sharnir.symbolic.nodes import ZERO, Name, Node, Number, negative
from sharnir.symbolic.printing import GREEK, plain_name

OTHER_METHODS = "use 'articulated' or 'auto'"  # what to do where equations have no formula
ROUNDING = 1e-13  # entries of rotations and directions that are closer to 0 or ±1 are meant to be that
RESERVED = {"t", "g", "lambda"}


def settled_entry(x: float) -> float:
    """A direction's entry without rounding: 6e-17 is zero, 0.9999999999999998 is one."""
    for whole in (0.0, 1.0, -1.0):
        if abs(x - whole) <= ROUNDING:
            return whole
    return float(x)


def constants(values: Any) -> tuple[Node, ...]:
    """Entries of a direction or a rotation as nodes; they stay numbers also among letters."""
    return tuple(Number(settled_entry(x)) for x in values)


def coordinate_name(joint: str, freedom: str = "") -> str:
    """The symbol of a coordinate: the joint's own name if that is one, else q with the name below.

    >>> coordinate_name("phi"), coordinate_name("left knee"), coordinate_name("table", "x")
    ('phi', 'q_left_knee', 'q_table_x')
    """
    plain = plain_name(joint)
    own = plain not in RESERVED and (plain in GREEK or re.fullmatch(r"q_?\w*|[xyzs]\d*", plain))
    return (plain if own else f"q_{plain}") + (f"_{plain_name(freedom)}" if freedom else "")


@dataclass
class Letters:
    """Numbers of a model, as they are or as letters; `values` are those of the letters.

    >>> letters = Letters(True)
    >>> str(letters.number(-0.5, "c", "arm")), letters.values
    ('-c_arm', {'c_arm': 0.5})
    """

    wanted: bool = False
    values: dict[str, float] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: set(RESERVED))

    def number(self, value: float, letter: str, *below: str) -> Node:
        """A number, or its letter; zero stays zero, and signs stay outside."""
        if value == 0.0:
            return ZERO
        if not self.wanted:
            return Number(value)
        symbol = Name(self.name(abs(value), letter, *below))
        return symbol if value > 0.0 else negative(symbol)

    def parameter(self, name: str, value: float) -> Node:
        """A parameter of the model, under its own name among letters."""
        if not self.wanted:
            return Number(value)
        self.values[name] = value
        self.taken.add(name)
        return Name(name)

    def name(self, value: float, letter: str, *below: str) -> str:
        """The name of a letter with a value; the same one for the same value of the same thing."""
        first = "_".join([letter, *(plain_name(part) for part in below if part)])
        name, again = first, 1
        while name in self.taken and self.values.get(name) != value:
            again += 1
            name = f"{first}_{again}"
        self.taken.add(name)
        self.values[name] = value
        return name

    def gravity(self, gravity: Any) -> Vector:
        """The acceleration of gravity: g along its direction."""
        size = sum(x * x for x in gravity) ** 0.5
        if size == 0.0 or not self.wanted:
            return tuple(Number(x) for x in gravity)
        self.values["g"] = size
        return tuple(Number(settled_entry(x / size)) * Name("g") for x in gravity)

    def vector(self, values: Any, scale: float, letter: str, *below: str, axes: bool = False) -> Vector:
        """A vector by components; the letter carries x, y, z only if there are several (or `axes` is set)."""
        entries = [0.0 if abs(x) <= ROUNDING * scale else float(x) for x in values]
        several = axes or sum(x != 0.0 for x in entries) > 1
        return tuple(self.number(x, letter, *below, axis if several else "") for x, axis in zip(entries, "xyz", strict=True))

    def point(self, values: Any, scale: float, *below: str) -> Vector:
        """Coordinates of a point of the ground: x_A, y_A, z_A."""
        entries = [0.0 if abs(x) <= ROUNDING * scale else float(x) for x in values]
        return tuple(self.number(x, axis, *below) for x, axis in zip(entries, "xyz", strict=True))
