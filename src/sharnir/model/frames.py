"""Rotations and frames as plain data: unit quaternions (w, x, y, z), 3×3 matrices, positions."""

from __future__ import annotations

import math
import warnings
from typing import Any, overload

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import ModelWarning
from sharnir.model.checks import UNIT_TOLERANCE, Rows, Triple, fail, number, sequence, settle, store, unit, unit_axis, vector
from sharnir.model.parameters.entry_formulas import expression, has_formulas
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import AngleLike, Direction, Numbers, Orientation, Vector, default, element
from sharnir.symbolic.functions import cos, sin, sqrt
from sharnir.symbolic.nodes import Node, Number, Operand

ROTATION_TOLERANCE = 1e-6  # larger deviations from orthogonality are taken for a mistake
IDENTITY: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@element
class Frame(Parametric):
    """A frame given in another one: where its origin is and how it is turned.

    `rotation` is a quaternion (w, x, y, z), a 3×3 matrix (own axes -> other axes) or None.

    >>> turned = Frame((1, 0, 0), rotation_about("z", math.pi / 2))
    >>> [round(x, 12) for x in turned.point((1, 0, 0))]
    [1.0, 1.0, 0.0]
    >>> (turned.inverse() @ turned).position
    (0.0, 0.0, 0.0)
    """

    position: Vector = default((0.0, 0.0, 0.0))
    rotation: Orientation = default(None)

    def __post_init__(self) -> None:
        settle(self, position=vector(self.position, 3, "Frame", "position"), rotation=stored_rotation(self.rotation, "Frame"))

    @staticmethod
    def stored(position: Any, rotation: Any = None) -> Frame:
        """A frame of a position and a rotation that are stored somewhere, checked, in this form.

        >>> Frame.stored((1.0, 0.0, 0.0)) == Frame((1, 0, 0))
        True
        """
        frame = object.__new__(Frame)
        store(frame, "position", position)
        store(frame, "rotation", rotation)
        return frame

    @property
    def rotation_matrix(self) -> Rows:
        """The 3×3 matrix that turns vectors from this frame's axes into the other's."""
        return rotation_matrix(self.rotation)

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """The same rotation as a unit quaternion (w, x, y, z)."""
        return quaternion(self.rotation)

    def point(self, local: Numbers) -> Triple:
        """A point given in this frame, in the other frame.

        >>> Frame((1, 2, 3)).point((1, 0, 0))
        (2.0, 2.0, 3.0)
        """
        if self.rotation is None:
            x, y, z = (a + b for a, b in zip(self.position, np.asarray(local).tolist(), strict=True))
            return (x, y, z)
        return triple(np.array(self.position) + np.array(self.rotation_matrix) @ np.array(local, float))

    def __matmul__(self, inner: Frame) -> Frame:
        if self.rotation is None:
            return Frame.stored(self.point(inner.position), inner.rotation)
        if inner.rotation is None:
            return Frame.stored(self.point(inner.position), self.rotation)
        return Frame(self.point(inner.position), np.array(self.rotation_matrix) @ np.array(inner.rotation_matrix))

    def inverse(self) -> Frame:
        """The other frame seen from this one.

        >>> Frame((1, 0, 0)).inverse().position
        (-1.0, 0.0, 0.0)
        """
        if self.rotation is None:
            return Frame.stored(tuple([0.0 - x for x in self.position]))
        R = np.array(self.rotation_matrix).T
        return Frame(triple(-R @ np.array(self.position)), R)


def triple(values: Any) -> Triple:
    """Three floats from an array (minus zero becomes zero)."""
    x, y, z = (float(value) + 0.0 for value in values)
    return (x, y, z)


def rows(matrix: Any) -> Rows:
    """A 3×3 array as a tuple of rows."""
    a, b, c = (triple(row) for row in matrix)
    return (a, b, c)


def stored_rotation(value: Any, label: str, field: str = "rotation") -> Any:
    """A checked rotation in the form it was given: None, a unit quaternion, or a 3×3 tuple of rows."""
    if value is None:
        return None
    entries = sequence(value, label, field, "a quaternion (w, x, y, z) or a 3×3 matrix")
    if len(entries) == 4:
        four = vector(entries, 4, label, field)
        if max(map(abs, four)) == 0.0:
            fail(label, field, "= (0, 0, 0, 0) is not a rotation; the identity is (1, 0, 0, 0)")
        return unit(four)
    if len(entries) != 3:
        fail(label, field, f"= {shown(value)} must be a quaternion (w, x, y, z) or a 3×3 matrix")
    R = np.array([vector(row, 3, label, f"{field}[{k}]") for k, row in enumerate(entries)])
    deviation = float(np.abs(R @ R.T - np.eye(3)).max())
    if deviation > ROTATION_TOLERANCE or np.linalg.det(R) < 0:
        fail(label, field, "is not a rotation matrix (its rows must be orthogonal unit vectors, right-handed)")
    if deviation > 100 * UNIT_TOLERANCE:
        U, _, Vt = np.linalg.svd(R)  # the nearest rotation
        R = U @ Vt
    return rows(R)


def rotation_matrix(rotation: Any) -> Rows:
    """The 3×3 matrix of a stored rotation (None, unit quaternion or 3×3).

    >>> rotation_matrix((0, 0, 0, 1))[0]
    (-1.0, 0.0, 0.0)
    """
    if rotation is None:
        return IDENTITY
    if len(rotation) == 3:
        return rows(rotation)
    w, x, y, z = rotation
    return rows(
        (
            (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
        )
    )


def quaternion(rotation: Any) -> tuple[float, float, float, float]:
    """The unit quaternion (w ≥ 0 for a matrix) of a stored rotation, by the largest of its four squares.

    >>> quaternion(((1, 0, 0), (0, 0, -1), (0, 1, 0)))[2:]
    (0.0, 0.0)
    """
    if rotation is None:
        return (1.0, 0.0, 0.0, 0.0)
    if len(rotation) == 4:
        w, x, y, z = rotation
        return (w, x, y, z)
    R = np.array(rotation, float)
    squares = np.array([R.trace(), *(2 * R.diagonal() - R.trace())])  # 4 w² - 1, 4 x² - 1, …
    skew = (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])  # 4 w (x, y, z)
    k = int(np.argmax(squares))
    four = np.empty(4)
    if k == 0:
        four[:] = (1.0 + squares[0], *skew)
    else:
        i = k - 1
        four[1:] = R[i] + R[:, i]
        four[k] = 1.0 + squares[k]
        four[0] = skew[i]
    if four[0] < 0:
        four = -four
    w, x, y, z = unit(tuple(four.tolist()))
    return (w, x, y, z)


def rotation_about(axis: Direction | Numbers, angle: AngleLike) -> tuple[float, ...]:
    """The quaternion of a rotation by `angle` [rad] about `axis` ("x", "-y", … or three numbers).

    >>> rotation_about("z", math.pi)[3]
    1.0
    """
    angle = without_degrees(angle)
    if has_formulas(angle, "number") or has_formulas(axis, "axis"):
        return formula_rotation(axis, angle)
    n = unit_axis(axis, "rotation_about")
    angle = number(angle, "rotation_about", "angle")
    warn_of_degrees(angle, "rotation_about", "angle")
    s = math.sin(0.5 * angle)
    return unit((math.cos(0.5 * angle), s * n[0], s * n[1], s * n[2]))


def without_degrees(angle: Any) -> Any:
    """Text without names, such as "90 deg", as a number; other angles as they are.

    >>> without_degrees("180 deg"), without_degrees("a")
    (3.141592653589793, 'a')
    """
    if not isinstance(angle, str):
        return angle
    node = expression(angle)
    return float(node.value) if isinstance(node, Number) else angle


def formula_rotation(axis: Any, angle: Any) -> tuple[Any, ...]:
    """The same with formulas of parameters: four expressions."""
    half = 0.5 * expression(angle)
    label = "rotation_about"
    given = unit_axis(axis, label) if isinstance(axis, str) else sequence(axis, label, "axis", "three numbers")
    if len(given) != 3:
        fail("rotation_about", "axis", f"= {shown(axis)} must be three numbers")
    n = [expression(entry) for entry in given]
    length = 1.0 if isinstance(axis, str) else sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    return (cos(half), *(sin(half) * entry / length for entry in n))


def rotation_rpy(roll: AngleLike, pitch: AngleLike, yaw: AngleLike) -> Rows:
    """The matrix of URDF's fixed-axis angles: about x by roll, then y by pitch, then z by yaw.

    >>> rotation_rpy(0, 0, 0) == IDENTITY
    True
    """
    given = [(name, without_degrees(a)) for name, a in (("roll", roll), ("pitch", pitch), ("yaw", yaw))]
    if any(has_formulas(a, "number") for _, a in given):
        entries = (expression(a if has_formulas(a, "number") else number(a, "rotation_rpy", key)) for key, a in given)
        (cr, sr), (cp, sp), (cy, sy) = ((cos(a), sin(a)) for a in entries)
        found: Rows = rpy_rows(cr, sr, cp, sp, cy, sy)
        return found
    angles = [number(a, "rotation_rpy", key) for key, a in given]
    for angle in angles:
        warn_of_degrees(angle, "rotation_rpy", "angle")
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in angles)
    return rows(rpy_rows(cr, sr, cp, sp, cy, sy))


def rpy_rows(cr: Any, sr: Any, cp: Any, sp: Any, cy: Any, sy: Any) -> Any:
    """The matrix from cosines and sines, numbers or expressions."""
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


@overload
def deg(angle: float) -> float: ...


@overload
def deg(angle: Operand) -> Node: ...


def deg(angle: Any) -> Any:
    """An angle given in degrees, in radians. Text may say the same: "90 deg", also within formulas.

    >>> deg(180)
    3.141592653589793
    """
    return angle * (math.pi / 180) if isinstance(angle, Operand) else math.radians(number(angle, "deg", "angle"))


def looks_like_degrees(angle: float) -> bool:
    """Whether a number of radians is more likely one of degrees: more than a turn, and a multiple of 15 up to two turns.

    >>> [looks_like_degrees(x) for x in (90.0, -45.0, 3.0, 20.0, 1e16)]
    [True, True, False, False, False]
    """
    return 2 * math.pi < abs(angle) <= 720 and angle % 15 == 0


def warn_of_degrees(angle: float, label: str, field: str) -> None:
    """A ModelWarning if an angle looks like degrees."""
    if looks_like_degrees(angle):
        remedy = f'if degrees are meant, write "{angle:g} deg" or sharnir.deg({angle:g})'
        warnings.warn(
            f"{label}: {field} = {angle:g} rad is {angle / (2 * math.pi):.3g} turns; {remedy}", ModelWarning, stacklevel=2
        )
