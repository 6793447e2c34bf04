"""Numbers, positions and orientations in attributes of MJCF elements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sharnir.errors import ModelError
from sharnir.model.frames import Frame, rotation_about, rotation_matrix, rows

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
TINY = 1e-14


class NumberError(ModelError):
    """An attribute that does not hold the numbers it should."""


def numbers_of(text: str, where: str, least: int = 1, most: int | None = None) -> tuple[float, ...]:
    """Finite numbers of a text; at least and at most so many (`most`: as `least` if it is not given).

    >>> numbers_of("1 2 3", "pos", 3)
    (1.0, 2.0, 3.0)
    """
    most = least if most is None else most
    parts = text.split()
    if not least <= len(parts) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise NumberError(f"{where} = {text[:80]!r} needs {wanted} number{'s' if most > 1 else ''}")
    try:
        values = tuple(float(part) for part in parts)
    except ValueError:
        raise NumberError(f"{where} = {text[:80]!r} must hold numbers") from None
    if not all(math.isfinite(value) for value in values):
        raise NumberError(f"{where} = {text[:80]!r} must hold finite numbers")
    return values


def number_of(given: Mapping[str, str], key: str, default: float) -> float:
    """One number of an attribute."""
    return numbers_of(given[key], key, 1, 9)[0] if key in given else default


def vector_of(given: Mapping[str, str], key: str, default: tuple[float, ...] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Three numbers of an attribute."""
    return np.array(numbers_of(given[key], key, 3) if key in given else default)


class Pose(NamedTuple):
    """Position and rotation of a frame in another one."""

    p: np.ndarray
    R: np.ndarray

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.p + self.R @ inner.p, self.R @ inner.R)

    def inverse(self) -> Pose:
        """The other way round."""
        return Pose(-self.R.T @ self.p, self.R.T)

    def frame(self) -> Frame:
        """As an element of a model has it."""
        return Frame(tuple(self.p.tolist()), None if (np.eye(3) == self.R).all() else rows(self.R))


def still() -> Pose:
    """No shift and no turn."""
    return Pose(np.zeros(3), np.eye(3))


def unit_of(vector: np.ndarray, where: str) -> np.ndarray:
    """The vector with length 1."""
    length = float(np.linalg.norm(vector))
    if length < TINY:
        raise NumberError(f"{where} = {tuple(vector.tolist())} must not be zero")
    return vector / length


def orientation(given: Mapping[str, str], degrees: bool, sequence: str) -> np.ndarray:
    """The rotation matrix of quat, axisangle, euler, xyaxes or zaxis; the identity if there is none.

    >>> orientation({"euler": "0 0 90"}, True, "xyz").round(6).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    unit = math.pi / 180.0 if degrees else 1.0
    if "quat" in given:
        return turn_of(unit_of(np.array(numbers_of(given["quat"], "quat", 4)), "quat"))
    if "axisangle" in given:
        *axis, angle = numbers_of(given["axisangle"], "axisangle", 4)
        return turn_of(rotation_about(unit_of(np.array(axis), "axisangle").tolist(), angle * unit))
    if "euler" in given:
        return euler(numbers_of(given["euler"], "euler", 3), sequence, unit)
    if "xyaxes" in given:
        x, y = np.array(numbers_of(given["xyaxes"], "xyaxes", 6)).reshape(2, 3)
        x = unit_of(x, "xyaxes")
        y = unit_of(y - x * (x @ y), "xyaxes")
        return np.stack([x, y, np.cross(x, y)], axis=1)
    if "zaxis" in given:
        return turn_to(np.array(numbers_of(given["zaxis"], "zaxis", 3)))
    return np.eye(3)


def turn_of(quaternion: Iterable[float]) -> np.ndarray:
    """The matrix of a unit quaternion."""
    return np.asarray(rotation_matrix(tuple(float(x) for x in quaternion)), float)


def euler(angles: tuple[float, ...], sequence: str, unit: float) -> np.ndarray:
    """Turns one after the other: about axes that turn with them (small letters) or about fixed ones (capital letters)."""
    R = np.eye(3)
    if len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
        raise NumberError(f"eulerseq = {sequence[:20]!r} must be three letters of xyz, XYZ")
    for letter, angle in zip(sequence, angles, strict=True):
        axis = [float(letter.lower() == other) for other in "xyz"]
        turn = turn_of(rotation_about(axis, angle * unit))
        R = R @ turn if letter.islower() else turn @ R
    return R


def turn_to(direction: np.ndarray) -> np.ndarray:
    """The least turn that brings z into a direction.

    >>> turn_to(np.array([0.0, 0.0, -2.0])).round(6).tolist()
    [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]
    """
    z = unit_of(direction, "zaxis")
    axis = np.cross([0.0, 0.0, 1.0], z)
    length = float(np.linalg.norm(axis))
    if length < 1e-10:
        return np.eye(3) if z[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return turn_of(rotation_about((axis / length).tolist(), math.atan2(length, float(z[2]))))
