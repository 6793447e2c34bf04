"""Three-dimensional vectors (3 nodes) and matrices (9 nodes, by rows) of expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sharnir.symbolic.nodes import ONE, ZERO, Call, Node, Number, minus, negative, node_of, plus, times

Vector = tuple[Node, ...]
Matrix = tuple[Node, ...]

NOTHING: Vector = (ZERO, ZERO, ZERO)
IDENTITY: Matrix = (ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ONE)


def nodes(values: Any) -> tuple[Node, ...]:
    """Nodes of numbers."""
    return tuple(node_of(value) for value in values)


def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return tuple(plus(x, y) for x, y in zip(a, b, strict=True))


def sub(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return tuple(minus(x, y) for x, y in zip(a, b, strict=True))


def scale(a: Sequence[Node], k: Node) -> Vector:
    """k a."""
    return tuple(times(k, x) for x in a)


def opposite(a: Vector) -> Vector:
    """-a."""
    return tuple(negative(x) for x in a)


def dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """a · b."""
    found = ZERO
    for x, y in zip(a, b, strict=True):
        found = plus(found, times(x, y))
    return found


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return (
        minus(times(a[1], b[2]), times(a[2], b[1])),
        minus(times(a[2], b[0]), times(a[0], b[2])),
        minus(times(a[0], b[1]), times(a[1], b[0])),
    )


def rotate(R: Matrix, a: Vector) -> Vector:
    """R a."""
    return dot(R[0:3], a), dot(R[3:6], a), dot(R[6:9], a)


def transposed(R: Matrix) -> Matrix:
    """Rᵀ."""
    return R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]


def rotate_back(R: Matrix, a: Vector) -> Vector:
    """Rᵀ a."""
    return rotate(transposed(R), a)


def multiply(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = transposed(B)
    return tuple(dot(A[i : i + 3], columns[j : j + 3]) for i in (0, 3, 6) for j in (0, 3, 6))


def multiply_back(A: Matrix, B: Matrix) -> Matrix:
    """Aᵀ B."""
    return multiply(transposed(A), B)


def axis_rotation(axis: Sequence[float], angle: Node) -> Matrix:
    """Rotation about a unit axis that maps turned axes to the axes before the turn.

    >>> from sharnir.symbolic.nodes import Name
    >>> [str(x) for x in axis_rotation((0, 0, -1), Name("q"))[:3]]
    ['cos(q)', 'sin(q)', '0']
    """
    s: Node = Call("sin", (angle,))
    c: Node = Call("cos", (angle,))
    if isinstance(angle, Number):
        return axis_rotation_of_number(axis, angle)
    for k in range(3):
        if abs(axis[k]) == 1.0:
            s = s if axis[k] > 0 else negative(s)
            i, j = (k + 1) % 3, (k + 2) % 3
            R = list(IDENTITY)
            R[3 * i + i], R[3 * j + j], R[3 * i + j], R[3 * j + i] = c, c, negative(s), s
            return tuple(R)
    return rodrigues(nodes(axis), s, c)


def axis_rotation_of_number(axis: Sequence[float], angle: Number) -> Matrix:
    """The same for an angle that is a number."""
    c, s = math.cos(angle.value), math.sin(angle.value)
    return rodrigues(nodes(axis), Number(s), Number(c))


def rodrigues(a: Vector, s: Node, c: Node) -> Matrix:
    """c 1 + (1 - c) a aᵀ + s a~."""
    k = minus(ONE, c)
    x, y, z = a
    return (
        plus(c, times(times(x, x), k)),
        minus(times(times(x, y), k), times(z, s)),
        plus(times(times(x, z), k), times(y, s)),
        plus(times(times(x, y), k), times(z, s)),
        plus(c, times(times(y, y), k)),
        minus(times(times(y, z), k), times(x, s)),
        minus(times(times(x, z), k), times(y, s)),
        plus(times(times(y, z), k), times(x, s)),
        plus(c, times(times(z, z), k)),
    )


def quaternion_rotation(e: Sequence[Node]) -> Matrix:
    """Rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = e
    two = Number(2)

    def twice(a: Node, b: Node) -> Node:
        return times(two, times(a, b))

    return (
        minus(ONE, plus(twice(y, y), twice(z, z))),
        minus(twice(x, y), twice(w, z)),
        plus(twice(x, z), twice(w, y)),
        plus(twice(x, y), twice(w, z)),
        minus(ONE, plus(twice(x, x), twice(z, z))),
        minus(twice(y, z), twice(w, x)),
        minus(twice(x, z), twice(w, y)),
        plus(twice(y, z), twice(w, x)),
        minus(ONE, plus(twice(x, x), twice(y, y))),
    )


def symmetric_times(J: Sequence[Node], a: Vector) -> Vector:
    """J a for J = (xx, xy, xz, yy, yz, zz)."""
    xx, xy, xz, yy, yz, zz = J
    return dot((xx, xy, xz), a), dot((xy, yy, yz), a), dot((xz, yz, zz), a)


def turned(R: Matrix, J: Sequence[Node]) -> tuple[Node, ...]:
    """R J Rᵀ for a symmetric J."""
    if R == IDENTITY:
        return tuple(J)
    k = plane_of(R)
    if k is not None:
        return turned_in_plane(R, J, k)
    xx, xy, xz, yy, yz, zz = J
    columns = transposed(multiply(R, (xx, xy, xz, xy, yy, yz, xz, yz, zz)))
    product = [[columns[3 * j + i] for j in range(3)] for i in range(3)]  # R J, by rows
    return tuple(dot(product[i], R[3 * j : 3 * j + 3]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def plane_of(R: Matrix) -> int | None:
    """The axis of a rotation that leaves a coordinate axis where it is; None: it leaves none.

    >>> from sharnir.symbolic.nodes import Name
    >>> plane_of(axis_rotation((0, 1, 0), Name("q")))
    1
    """
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        if R[4 * k] is ONE and R[3 * k + i] is R[3 * k + j] is R[3 * i + k] is R[3 * j + k] is ZERO:
            return k
    return None


def turned_in_plane(R: Matrix, J: Sequence[Node], k: int) -> tuple[Node, ...]:
    """R J Rᵀ for a rotation about coordinate axis k: with squares of its sine and cosine, which all J share."""
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = R[4 * i], R[3 * j + i]
    place = {(a, b): n for n, (a, b) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))}

    def at(a: int, b: int) -> int:
        return place[min(a, b), max(a, b)]

    a, b, d = J[at(i, i)], J[at(i, j)], J[at(j, j)]
    e, f = J[at(i, k)], J[at(j, k)]
    found = list(J)
    found[at(i, k)], found[at(j, k)] = minus(times(c, e), times(s, f)), plus(times(s, e), times(c, f))
    if a is not d or b is not ZERO:
        cc, ss, sc = times(c, c), times(s, s), times(s, c)
        mixed = times(plus(sc, sc), b)
        found[at(i, i)] = minus(plus(times(cc, a), times(ss, d)), mixed)
        found[at(j, j)] = plus(plus(times(ss, a), times(cc, d)), mixed)
        found[at(i, j)] = plus(times(sc, minus(a, d)), times(minus(cc, ss), b))
    return tuple(found)
