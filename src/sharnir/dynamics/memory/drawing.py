"""The reference drawing in engine axes: points, directions, frames and joints as the writers of records need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.engine_frames import Placement, in_axes
from sharnir.model import Model
from sharnir.model.frames import Frame

NOWHERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Drawing:
    """The reference drawing as constraints see it: where things are in engine axes of the bodies that carry them."""

    model: Model
    coordinates: Coordinates
    place: Placement
    placed: dict[str, Frame]
    functions: Functions
    cuts: dict[str, int]  # cut joint -> its number among the constraint elements

    def number(self, body: str) -> int:
        """Number of a body in the engine, -1 for a ground at rest."""
        return self.place.number[body]

    def world(self, body: str, at: Any) -> np.ndarray:
        """A point in the drawing; by default the body's position."""
        return np.array(self.placed[body].position if at is None else at, float)

    def direction(self, body: str, axis: Any) -> np.ndarray:
        """A direction of the drawing (or the columns of a matrix), in engine axes of the body."""
        i = self.number(body)
        return np.array(axis, float) if i < 0 else in_axes(self.place.rotation[i], np.array(axis, float))

    def point(self, body: str, at: Any) -> np.ndarray:
        """A point of the drawing, from the origin of the body's engine frame, in its axes."""
        i, p = self.number(body), self.world(body, at)
        return p if i < 0 else in_axes(self.place.rotation[i], p - self.place.position[i])

    def frame(self, body: str, origin: Any, axes: Any) -> list[float]:
        """A frame of the drawing on a body as 12 numbers: rotation (frame → engine axes), position."""
        return [*self.direction(body, axes).ravel(), *self.point(body, origin)]

    def joint_point(self, joint: Any) -> np.ndarray:
        """Where a joint is in the drawing."""
        if joint.uses_frames:
            return np.array(self._joint_frame(joint).position)
        return np.array(self.placed[joint.child].position if joint.at is None else joint.at)

    def joint_axis(self, joint: Any) -> np.ndarray:
        """The axis of a joint in the drawing; a ball joint has none."""
        if not joint.freedoms:
            return np.zeros(3)
        axis = np.array(joint.freedoms[0].axis)
        return np.array(self._joint_frame(joint).rotation_matrix) @ axis if joint.uses_frames else axis

    def _joint_frame(self, joint: Any) -> Frame:
        """The joint's frame on its parent, drawn."""
        drawn = self.placed[joint.parent]
        return drawn @ joint.parent_frame if joint.parent_frame else drawn

    def motion(self, row: int) -> int:
        """Which record in W_MOTION a prescribed freedom has."""
        return sum(f.motion is not None for f in self.coordinates.freedoms[:row])

    def released_motion(self, joint: str) -> int:
        """Which record in W_MOTION the first coordinate of a joint has that has come apart."""
        names = list(self.model.released)
        before = names[: names.index(joint)]
        return self.motion(len(self.coordinates.freedoms)) + sum(len(self.model.released[name].q) for name in before)
