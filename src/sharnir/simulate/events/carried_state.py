"""The state of a mechanism carried over to other coordinates: after a change of structure, the same motion in the new system.

Joints keep their coordinates, windings included, whether the tree has them or they are cut; a body that has become free gets its
position and velocity; elastic coordinates, places on curves, states of control and values held for signals go by their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sharnir.dynamics.friction.friction_records import bristle_names
from sharnir.dynamics.inverse.joint_reactions import shown_joints
from sharnir.dynamics.memory.coordinates import control_state
from sharnir.dynamics.system import System
from sharnir.model import Model, PointOnCurve
from sharnir.model.frames import rotation_matrix
from sharnir.model.placement import placements
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.joint_channels import body_motion, joint_channel, quaternion_values


@dataclass
class CarriedState:
    """A state of one system, to fill the initial state of another: `CarriedState(old, t, y)(new)`."""

    system: System
    t: float
    y: np.ndarray
    fills_state: ClassVar[bool] = True  # see compile_model

    def __call__(self, new: System) -> None:
        """Fill q0, v0, z0 and the held values of a system."""
        observer = Observer(self.system, np.array([self.t]), self.y[None])
        known = {joint.name: (joint, body) for joint, body in shown_joints(self.system) if joint.n_v}
        c, placed = new.assembly.coordinates, placements(new.model)
        for joint in new.tree.joints:
            if joint.n_v == 0 or joint.name not in c.ranges:
                continue
            if joint.name in known and known[joint.name][0].coordinates == joint.coordinates:
                self._fill_joint(new, joint, *self._values(observer, *known[joint.name]))
            elif joint.coordinates != "angles":
                self._fill_joint(new, joint, *quaternion_values(observer, placed, joint))
        for (name, k), z in c.tracked.items():
            if name in known:
                new.z0[z] = self._values(observer, *known[name])[0][k]
        self._fill_named(new)

    def _values(self, observer: Observer, joint: Any, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds of a joint."""
        q, v = (np.atleast_1d(joint_channel(observer, joint, body, key).values[0]) for key in "qv")
        return q, v

    def _fill_joint(self, new: System, joint: Any, q: np.ndarray, v: np.ndarray) -> None:
        c = new.assembly.coordinates
        first_q, n_q, first_v, n_v = c.ranges[joint.name]
        if joint.coordinates != "angles":
            new.q0[first_q : first_q + n_q], new.v0[first_v : first_v + n_v] = q, v
            return
        for k in range(joint.n_v):
            if (joint.name, k) in c.speed_of:
                new.q0[c.coordinate_of[joint.name, k]], new.v0[c.speed_of[joint.name, k]] = q[k], v[k]

    def _fill_named(self, new: System) -> None:
        """Elastic coordinates, bristles of friction, places on curves, courses of inputs, states of control, held values."""
        old, c, d = self.system, new.assembly.coordinates, self.system.assembly.coordinates
        for name, (q, v, h) in c.elastic.items():
            first_q, first_v, _ = d.elastic[name]
            new.q0[q : q + h] = self.y[first_q : first_q + h]
            new.v0[v : v + h] = self.y[old.n_q + first_v : old.n_q + first_v + h]
        for name in {*bristle_names(new.model), *place_names(new.model)} & set(d.z_names):
            new.z0[c.z_names.index(name)] = self.y[old.n_q + old.n_v + d.z_names.index(name)]
        for name, (place, _) in new.assembly.functions.courses.items():
            there = old.first_motion + old.assembly.functions.courses[name][0]
            new.work[new.first_motion + place] = old.work[there]
        mine, theirs = new.assembly.program, old.assembly.program
        if mine is None or theirs is None:
            return
        first = old.n_q + old.n_v
        for name in mine.states:
            state = control_state(name)
            new.z0[c.z_names.index(state)] = self.y[first + d.z_names.index(state)]
        for name in mine.held:
            new.work[new.signal_place(name)] = old.work[old.signal_place(name)]


def place_names(model: Model) -> list[str]:
    """Names of the states that hold the places of points on their curves.

    >>> place_names(Model())
    []
    """
    return [f"{name}.s" for name, x in model.constraints.items() if isinstance(x, PointOnCurve)]


def relative_pose(system: System, t: float, y: np.ndarray, a: str, b: str) -> tuple[np.ndarray, np.ndarray]:
    """Rotation b → a and position of b seen from a."""
    observer = Observer(system, np.array([t]), y[None])
    first, second = body_motion(observer, a), body_motion(observer, b)
    A, B = np.array(rotation_matrix(first[3:7])), np.array(rotation_matrix(second[3:7]))
    return A.T @ B, A.T @ (second[:3] - first[:3])
