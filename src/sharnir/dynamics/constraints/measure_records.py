"""Measures of constraints → their records in the engine's memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import NOWHERE, Drawing
from sharnir.model.constraints import DirectionCosine, JointCoordinate, PointCoordinate, PointDistance, PointVelocity, Variable


@dataclass
class Measures:
    """The measures of one element: bodies and speeds they act on, records, parameters."""

    drawing: Drawing
    targets: list[int] = field(default_factory=list)
    records: list[tuple[int, ...]] = field(default_factory=list)
    params: list[float] = field(default_factory=list)

    def term(self, target: int) -> int:
        """Place of a target among the terms; several measures may share it."""
        if target not in self.targets:
            self.targets.append(target)
        return self.targets.index(target)

    def _append(self, kind: int, a: int, b: int, data: tuple[int, ...] = (), numbers: tuple[Any, ...] = ()) -> None:
        self.records.append((kind, a, b, *data, *(0,) * (3 - len(data))))
        flat = np.concatenate([*numbers, np.zeros(L.P_MEASURE_SIZE - 3 * len(numbers))])
        self.params.extend(flat)

    def between(self, kind: int, a: str, b: str, numbers: tuple[Any, ...], data: tuple[int, ...] = ()) -> None:
        """A measure on two bodies."""
        self._append(kind, self.term(self.drawing.number(a)), self.term(self.drawing.number(b)), data, numbers)

    def point(self, a: str, origin: Any, b: str, at: Any, axis: Any) -> None:
        """axis · (point of b - point of a), the axis fixed in a."""
        d = self.drawing
        self.between(L.POINT_MEASURE, a, b, (d.point(a, origin), d.point(b, at), d.direction(a, axis)))

    def distance(self, a: str, at_a: Any, b: str, at_b: Any) -> None:
        """Distance of two points."""
        d = self.drawing
        self.between(L.DISTANCE_MEASURE, a, b, (d.point(a, at_a), d.point(b, at_b)))

    def velocity(self, a: str, b: str, at: Any, axis: Any, axes_of: str) -> None:
        """Velocity of a point of b as seen from a, along an axis fixed in `axes_of`."""
        d = self.drawing
        numbers = (np.zeros(3), d.point(b, at), np.zeros(3), d.direction(axes_of, axis))
        self.between(L.VELOCITY_MEASURE, a, b, numbers, (d.number(axes_of),))

    def time(self, entry: Any, label: str) -> None:
        """A function of time."""
        self._append(L.TIME_MEASURE, -1, -1, self.drawing.functions.motion(entry, label))

    def coordinate(self, joint: str, k: int) -> None:
        """Coordinate k of a joint: of the state, prescribed, or of a cut joint."""
        d, c = self.drawing, self.drawing.coordinates
        if joint in d.model.released:
            self._append(L.GIVEN_MEASURE, -1, -1, (d.released_motion(joint) + k,))
            return
        row = c.joint_freedoms[joint][k]
        freedom = c.freedoms[row]
        if freedom.motion is not None:
            self._append(L.GIVEN_MEASURE, -1, -1, (d.motion(row),))
        elif joint in d.cuts:
            ends = d.model.joints[joint]
            self.between(L.CUT_MEASURE, str(ends.parent), str(ends.child), (), (d.cuts[joint], freedom.speed))
        else:
            self._append(L.SPEED_MEASURE, -1, self.term(-2 - freedom.speed), (freedom.coordinate, freedom.speed))

    def variable(self, x: Variable) -> None:
        """A variable of the model room."""
        d = self.drawing
        if isinstance(x, JointCoordinate):
            self.coordinate(str(x.joint), x.freedom)
        elif isinstance(x, PointCoordinate):
            self.point(str(x.relative_to), NOWHERE, str(x.body), x.at, x.axis)
        elif isinstance(x, PointDistance):
            self.distance(str(x.a), x.at_a, str(x.b), x.at_b)
        elif isinstance(x, DirectionCosine):
            a, b = str(x.a), str(x.b)
            nothing = np.zeros(3)
            self.between(L.COSINE_MEASURE, a, b, (nothing, nothing, d.direction(a, x.axis_a), d.direction(b, x.axis_b)))
        elif isinstance(x, PointVelocity):
            self.velocity(str(x.relative_to), str(x.body), x.at, x.axis, str(x.axes_of))
