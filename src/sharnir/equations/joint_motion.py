"""Motion in one joint as expressions: rotation, offset, motion axes, velocity, and the acceleration without q̈."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sharnir.symbolic.matrices import (
    IDENTITY,
    NOTHING,
    Matrix,
    Vector,
    add,
    axis_rotation,
    cross,
    dot,
    multiply,
    nodes,
    quaternion_rotation,
    rotate,
    rotate_back,
    scale,
)
from sharnir.symbolic.nodes import ONE, ZERO, Name, Node, Number, negative, plus, times

HALF = Number(0.5)


@dataclass(frozen=True)
class Coordinate:
    """One elementary freedom: its value, rate and known acceleration, and which speeds it is made of (factor by number).

    >>> Coordinate(ONE, ZERO, ZERO).speeds
    {}
    """

    value: Node
    rate: Node
    known: Node
    speeds: dict[int, Node] = field(default_factory=dict)


@dataclass(frozen=True)
class Elementary:
    """An elementary freedom in a sequence: kind, unit axis in body axes at zero, pitch, coordinate."""

    kind: str
    axis: tuple[float, ...]
    pitch: float
    coordinate: Coordinate


@dataclass(frozen=True)
class RelativeMotion:
    """Turn E (body axes → axes at zero), offset r (axes at zero), velocities and accelerations without q̈ (body axes).

    `axes`: for every speed (number, linear part, angular part), body axes.
    """

    E: Matrix
    r: Vector
    v: Vector
    om: Vector
    al: Vector
    aa: Vector
    axes: list[tuple[int, Vector, Vector]]


def sequence_motion(freedoms: Sequence[Elementary]) -> RelativeMotion:
    """Freedoms one after the other, each a step of the recursion v ← X v + s q̇."""
    E, r = IDENTITY, NOTHING
    vl, om, al, aa = NOTHING, NOTHING, NOTHING, NOTHING
    axes: list[tuple[dict[int, Node], Vector, Vector]] = []
    for f in freedoms:
        a, x, xd, xdd = nodes(f.axis), f.coordinate.value, f.coordinate.rate, f.coordinate.known
        lin = {"translation": ONE, "screw": Number(f.pitch), "rotation": ZERO}[f.kind]
        if lin is not ZERO:  # the origin moves, the axes stay
            d, dv = scale(a, times(lin, x)), scale(a, times(lin, xd))
            turning = add(cross(aa, d), cross(om, cross(om, d)))
            al = add(al, add(turning, add(scale(cross(om, dv), Number(2)), scale(a, times(lin, xdd)))))
            vl = add(vl, add(cross(om, d), dv))
            r = add(r, rotate(E, d))
            axes = [(k, add(s, cross(w, d)), w) for k, s, w in axes]
        if f.kind != "translation":  # the axes turn, the origin stays
            D = axis_rotation(f.axis, x)
            vl, om, al, aa = (rotate_back(D, y) for y in (vl, om, al, aa))
            spin = scale(a, xd)
            aa = add(aa, add(cross(om, spin), scale(a, xdd)))
            om = add(om, spin)
            E = multiply(E, D)
            axes = [(k, rotate_back(D, s), rotate_back(D, w)) for k, s, w in axes]
        axes.append((f.coordinate.speeds, scale(a, lin), NOTHING if f.kind == "translation" else a))
    return RelativeMotion(E, r, vl, om, al, aa, by_speed(axes))


def by_speed(axes: list[tuple[dict[int, Node], Vector, Vector]]) -> list[tuple[int, Vector, Vector]]:
    """Motion axes of speeds from those of freedoms, which may be multiples of speeds."""
    found: dict[int, tuple[Vector, Vector]] = {}
    for speeds, s, w in axes:
        for k, factor in speeds.items():
            before = found.get(k, (NOTHING, NOTHING))
            found[k] = add(before[0], scale(s, factor)), add(before[1], scale(w, factor))
    return [(k, s, w) for k, (s, w) in found.items()]


def ball_motion(q: Sequence[Node], v: Sequence[Node], first: int) -> RelativeMotion:
    """A unit quaternion, and the angular velocity in body axes."""
    units = [(first + k, NOTHING, IDENTITY[3 * k : 3 * k + 3]) for k in range(3)]
    return RelativeMotion(quaternion_rotation(q), NOTHING, NOTHING, tuple(v), NOTHING, NOTHING, units)


def free_motion(q: Sequence[Node], v: Sequence[Node], first: int, axes: Matrix) -> RelativeMotion:
    """A position in axes of the drawing, a quaternion; velocity and angular velocity in body axes."""
    lin, om = tuple(v[:3]), tuple(v[3:])
    columns = [IDENTITY[3 * k : 3 * k + 3] for k in range(3)]
    units = [(first + k, columns[k], NOTHING) for k in range(3)] + [(first + 3 + k, NOTHING, columns[k]) for k in range(3)]
    return RelativeMotion(quaternion_rotation(q[3:]), rotate(axes, tuple(q[:3])), lin, om, cross(om, lin), NOTHING, units)


def quaternion_rates(q: Sequence[Node], om: Sequence[Node]) -> tuple[Node, ...]:
    """q̇ = ½ q ∘ (0, ω)."""
    w, x, y, z = q
    a, b, c = om
    rows = ((negative(x), negative(y), negative(z)), (w, negative(z), y), (z, w, negative(x)), (negative(y), x, w))
    return tuple(times(HALF, dot(row, (a, b, c))) for row in rows)


def symbol(name: str) -> tuple[Name, Name, Name]:
    """A coordinate, its rate and its acceleration."""
    return Name(name), Name(name + "'"), Name(name + "''")


def opened_motion(x: RelativeMotion, displaced: Sequence[Coordinate], turned: Sequence[Coordinate]) -> RelativeMotion:
    """The same with three displacements and three small turns behind it, in axes of the body (opened_joints.py).

    They stay at zero: right to first order in them, which is what directions of forces need.
    """
    shift, small = (tuple(c.value for c in part) for part in (displaced, turned))
    E = multiply(x.E, small_turn(small))
    axes = [(k, IDENTITY[3 * c : 3 * c + 3], NOTHING) for c, y in enumerate(displaced) for k in y.speeds]
    axes += [(k, NOTHING, IDENTITY[3 * c : 3 * c + 3]) for c, y in enumerate(turned) for k in y.speeds]
    v, om = (add(y, tuple(c.rate for c in part)) for y, part in ((x.v, displaced), (x.om, turned)))
    return RelativeMotion(E, add(x.r, rotate(x.E, shift)), v, om, x.al, x.aa, [*x.axes, *axes])


def small_turn(a: Vector) -> Matrix:
    """1 + a~."""
    x, y, z = a
    return ONE, negative(z), y, z, ONE, negative(x), negative(y), x, ONE


def sum_of(terms: Sequence[Node]) -> Node:
    """Their sum."""
    found = ZERO
    for term in terms:
        found = plus(found, term)
    return found
