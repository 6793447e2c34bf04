"""Sensors composed of simpler ones: positions and accelerations in any axes, angles, angular velocities.

Each is a formula of coordinates of points and of cosines between axes of two bodies; `x_dot`, `x_ddot` in it are their rates.
Rates of the sensor itself follow by differentiating the formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import ModelError
from sharnir.model.checks import AXES, choice, fail, point, settle, unit_axis
from sharnir.model.constraints.variables import PER, DirectionCosine, Measured, PointCoordinate, Variable
from sharnir.model.formula import parse
from sharnir.model.formula.expression import Expression
from sharnir.model.values import Axis, BodyName, FreedomChoice, OptionalBodyName, OptionalVector, default, element
from sharnir.symbolic.nodes import Name, product, total

XYZ = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NAMED_ANGLES = {"yaw": 1, "pitch": 2, "roll": 3}  # rotations about z, then y, then x
Parts = dict[str, Variable]


class Sensor(Measured, listed=False):
    """A variable for signals and events only, composed of simpler ones. Defining a subclass lists it.

    `is_rate`: 0 of a position or angle, 1 of a velocity, 2 of an acceleration.

    >>> Acceleration("bob", axis="z").is_rate
    2
    """

    elementary: ClassVar[bool] = False

    def expansion(self, frames: Mapping[str, Any]) -> tuple[str, Parts]:
        """The formula, and what its names measure; `frames`: of the bodies in the drawing."""
        raise NotImplementedError

    def expression(self, frames: Mapping[str, Any], rate: int) -> tuple[Expression, Parts]:
        """The same as an expression; of its first or second rate if `rate` exceeds that of the sensor itself."""
        text, parts = self.expansion(frames)
        found = parse(text, (), None)
        for _ in range(rate - int(self.is_rate)):
            found = rate_of(found)
        return found, parts


def rate_of(expression: Expression) -> Expression:
    """ẋ = Σ ∂x/∂name × the name's rate.

    >>> str(rate_of(parse("a*b_dot", (), None)))
    '(b_dot*a_dot) + (a*b_ddot)'
    """
    terms = []
    for name in sorted(expression.names):
        faster = f"{name[:-4]}_ddot" if name.endswith("_dot") else f"{name}_dot"
        terms.append(product(expression.derivative(name).node, Name(faster)))
    return Expression(total(*terms))


def cosines(a: str, b: str) -> Parts:
    """c12: between axis 1 of a and axis 2 of b, axes of the drawing."""
    return {f"c{i + 1}{j + 1}": DirectionCosine(a, XYZ[i], b, XYZ[j]) for i in range(3) for j in range(3)}


def along(axis: Any, a: str, axes_of: str) -> tuple[list[str], Parts]:
    """A direction fixed in `axes_of` as factors of the axes of a: numbers, or names of cosines."""
    if a == axes_of:
        return [repr(x) for x in axis], {}
    return [f"e{k + 1}" for k in range(3)], {f"e{k + 1}": DirectionCosine(a, XYZ[k], axes_of, axis) for k in range(3)}


def summed(factors: list[str], terms: list[str]) -> str:
    """Σ factor × term, without zeros."""
    used = [f"({f})*({x})" for f, x in zip(factors, terms, strict=True) if f not in ("0.0", "-0.0")]
    return " + ".join(used)


@element
class Position(Sensor):
    """A coordinate of a point of `body`, from a point of `relative_to`, along an axis fixed in `axes_of`.

    at : the point in the drawing; default: the body's position.   origin : the point of `relative_to` in the drawing, by
    default its position.   axis : direction of the drawing; fixed in `axes_of`, by default `relative_to`.

    >>> Position("tool", axis="z", relative_to="table").bodies
    ('tool', 'table')
    """

    body: BodyName
    at: OptionalVector = default(None)
    axis: Axis = default("x")
    relative_to: BodyName = default("ground")
    origin: OptionalVector = default(None)
    axes_of: OptionalBodyName = default(None)

    def __post_init__(self) -> None:
        label = settled_ends(self)
        settle(self, origin=point(self.origin, label, "origin"))

    def expansion(self, frames: Mapping[str, Any]) -> tuple[str, Parts]:
        a = str(self.relative_to)
        start = self.origin if self.origin is not None else frames[a].position if a in frames else (0.0, 0.0, 0.0)
        factors, parts = along(self.axis, a, str(self.axes_of))
        parts |= {f"x{k + 1}": PointCoordinate(self.body, self.at, XYZ[k], a) for k in range(3)}
        return summed(factors, [f"x{k + 1} - ({float(start[k])!r})" for k in range(3)]), parts


@element
class Acceleration(Sensor):
    """A component of a point's acceleration as seen from `relative_to`, along an axis fixed in `axes_of` (default: the same).

    An accelerometer on a body is Acceleration(body, at, axis, axes_of=body), minus gravity, which it does not measure.

    >>> Acceleration("seat", axis="z", axes_of="seat").is_rate
    2
    """

    body: BodyName
    at: OptionalVector = default(None)
    axis: Axis = default("x")
    relative_to: BodyName = default("ground")
    axes_of: OptionalBodyName = default(None)
    is_rate: ClassVar[int] = 2  # type: ignore[assignment]

    def __post_init__(self) -> None:
        settled_ends(self)

    def expansion(self, frames: Mapping[str, Any]) -> tuple[str, Parts]:
        a = str(self.relative_to)
        factors, parts = along(self.axis, a, str(self.axes_of))
        parts |= {f"x{k + 1}": PointCoordinate(self.body, self.at, XYZ[k], a) for k in range(3)}
        return summed(factors, [f"x{k + 1}_ddot" for k in range(3)]), parts


@element
class AngularVelocity(Sensor):
    """A component of the angular velocity of `body` relative to another one, along an axis fixed in `axes_of`.

    axis : direction of the drawing; fixed in `axes_of`, by default `relative_to`. Its rate `w_dot` is that of the number.

    >>> AngularVelocity("rotor", axis="z", axes_of="rotor").is_rate
    1
    """

    body: BodyName
    axis: Axis = default("z")
    relative_to: BodyName = default("ground")
    axes_of: OptionalBodyName = default(None)
    is_rate: ClassVar[int] = 1  # type: ignore[assignment]

    def __post_init__(self) -> None:
        settled_ends(self)

    def unit(self, rate: int, joints: Mapping[str, Any]) -> str:
        return "rad" + PER[rate]

    def expansion(self, frames: Mapping[str, Any]) -> tuple[str, Parts]:
        a, b = str(self.relative_to), str(self.body)
        parts = cosines(a, b)
        if str(self.axes_of) == b:  # Rᵀ Ṙ: along axes of the body
            terms = [" + ".join(f"c{i}{k}*c{i}{j}_dot" for i in (1, 2, 3)) for j, k in ((2, 3), (3, 1), (1, 2))]
            return summed([repr(x) for x in self.axis], terms), parts
        terms = [" + ".join(f"c{k}{i}_dot*c{j}{i}" for i in (1, 2, 3)) for j, k in ((2, 3), (3, 1), (1, 2))]  # Ṙ Rᵀ
        factors, more = along(self.axis, a, str(self.axes_of))
        return summed(factors, terms), parts | more


@element
class AngularAcceleration(AngularVelocity):
    """A component of the angular acceleration of `body` as seen from another one, along an axis fixed in `axes_of`.

    >>> AngularAcceleration("rotor", axis="z").is_rate
    2
    """

    is_rate: ClassVar[int] = 2

    def expansion(self, frames: Mapping[str, Any]) -> tuple[str, Parts]:
        a, b = str(self.relative_to), str(self.body)
        # of Ṙ Rᵀ: the parts Ṙ Ṙᵀ are symmetric and not in it; the axis itself is not differentiated
        terms = [
            " + ".join(f"c{k}{i}_ddot*c{j}{i} - c{j}{i}_ddot*c{k}{i}" for i in (1, 2, 3)) for j, k in ((2, 3), (3, 1), (1, 2))
        ]
        factors, more = along(self.axis, a, str(self.axes_of))
        return summed(factors, [f"({term})/2" for term in terms]), cosines(a, b) | more


@element
class Angle(Sensor):
    """One of three angles that turn the axes of `relative_to` into those of `body`, its own frame as in `body.rotation`.

    angle : "yaw", "pitch", "roll", or 1, 2, 3: which rotation.   axes : the axes of the three rotations in their order, each
    where the ones before it have turned it: "zyx" (yaw, pitch, roll; as in URDF), "xyz", "zxz", …

    First and third angle lie in -π … π and jump there (their rates do not); the second in -π/2 … π/2, or 0 … π if first and
    third axis are the same. At its ends the other two are not unique.

    >>> Angle("ship", "pitch").axes
    'zyx'
    """

    body: BodyName
    angle: FreedomChoice = default("yaw")
    relative_to: BodyName = default("ground")
    axes: str = "zyx"

    def __post_init__(self) -> None:
        label = self._settle_bodies()
        if self.body == self.relative_to:
            fail(label, "relative_to", f"= {shown(self.body)} is the body itself; name another body")
        choice(self.axes, tuple(i + j + k for i in "xyz" for j in "xyz" for k in "xyz" if i != j and j != k), label, "axes")
        if isinstance(self.angle, str) and self.angle in NAMED_ANGLES and self.axes == "zyx":
            settle(self, angle=NAMED_ANGLES[self.angle])
        if not isinstance(self.angle, int) or self.angle not in (1, 2, 3):
            raise ModelError(
                f'{label}: angle = {shown(self.angle)} must be 1, 2, 3, or of axes "zyx" yaw, pitch, roll', field="angle"
            )

    def unit(self, rate: int, joints: Mapping[str, Any]) -> str:
        return "rad" + PER[rate]

    def expansion(self, frames: Mapping[str, Any]) -> tuple[str, Parts]:
        a, b = str(self.relative_to), str(self.body)
        A, B = (np.array(frames[x].rotation_matrix) if x in frames else np.eye(3) for x in (a, b))
        i, j, last = ("xyz".index(letter) for letter in self.axes)
        k = 3 - i - j
        e = 1.0 if (j - i) % 3 == 1 else -1.0
        used: Parts = {}

        def R(row: int, column: int) -> str:
            used[f"c{row}{column}"] = DirectionCosine(a, tuple(A[:, row]), b, tuple(B[:, column]))
            return f"c{row}{column}"

        if last == i:  # R = R_i(α) R_j(β) R_i(γ)
            first = f"atan2({R(j, i)}, {-e}*{R(k, i)})" if self.angle == 1 else ""
            middle = f"atan2(sqrt({R(i, j)}^2 + {R(i, k)}^2), {R(i, i)})" if self.angle == 2 else ""
            third = f"atan2({R(i, j)}, {e}*{R(i, k)})" if self.angle == 3 else ""
        else:  # R = R_i(α) R_j(β) R_k(γ)
            first = f"atan2({-e}*{R(j, k)}, {R(k, k)})" if self.angle == 1 else ""
            middle = f"atan2({e}*{R(i, k)}, sqrt({R(i, i)}^2 + {R(i, j)}^2))" if self.angle == 2 else ""
            third = f"atan2({-e}*{R(i, j)}, {R(i, i)})" if self.angle == 3 else ""
        return first or middle or third, used


def settled_ends(sensor: Any) -> str:
    """Bodies, point and axis of a sensor that looks from one body at another."""
    if sensor.axes_of is None:
        settle(sensor, axes_of=sensor.relative_to)
    label = sensor._settle_bodies()
    settle(sensor, axis=unit_axis(sensor.axis, label))
    if hasattr(sensor, "at"):
        settle(sensor, at=point(sensor.at, label, "at"))
    if sensor.body == sensor.relative_to:
        fail(label, "relative_to", f"= {sensor.body!r} is the body itself, so nothing moves; name another body")
    return str(label)


ALL_SENSORS: tuple[type[Sensor], ...] = tuple(kind for kind in Sensor.family.own() if issubclass(kind, Sensor))


def sensor_named(element: str, key: str) -> Sensor | None:
    """What `ship.yaw`, `ship.wx` mean; None: something else.

    >>> sensor_named("ship", "wz")
    AngularVelocity(body='ship', axis=(0.0, 0.0, 1.0), relative_to='ground', axes_of='ground')
    """
    if key in NAMED_ANGLES:
        return Angle(element, key)
    return AngularVelocity(element, AXES[key[1]]) if key in ("wx", "wy", "wz") else None
