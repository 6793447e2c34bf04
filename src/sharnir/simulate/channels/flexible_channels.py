"""Channels of flexible bodies: elastic coordinates, displacements and forces at interfaces, the largest displacement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sharnir.dynamics.inverse.joint_reactions import rotations
from sharnir.model import Attachment, FlexibleBody, Model
from sharnir.model.element import WRENCH, WRENCH_UNITS
from sharnir.results import Channel
from sharnir.results.flexible_shapes import FlexibleShapes
from sharnir.results.node_motion import Values, node_channel
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.joint_channels import joint_reaction

INTERFACE_KEYS = ("displacement", "turn", "force", "force_local")


def flexible_shapes(model: Model) -> dict[str, FlexibleShapes]:
    """Nodes and shapes of the flexible bodies of a model; arrays are those of the reduced models."""
    found = {}
    for body in model.bodies.values():
        if isinstance(body, FlexibleBody):
            reduced = body.reduced
            ends = reduced.interfaces
            shapes = np.array([one.shape for one in ends.values()]).reshape(len(ends), 6, reduced.count)
            rows = {name: int(one.node) for name, one in ends.items()}
            found[body.name] = FlexibleShapes(
                body.name,
                reduced.nodes,
                reduced.labels,
                reduced.shapes,
                reduced.rotations,
                rows,
                shapes,
                reduced.lines,
                reduced.faces,
                _second_order(reduced),
            )
    return found


def _second_order(reduced: Any) -> np.ndarray | None:
    """What interfaces of a body with stiffening move by in second order, (interfaces, 6, h, h)."""
    if reduced.stiffening is None or not reduced.interfaces:
        return None
    parts = [reduced.stiffening.nodes[name][:, 6:, 6:] for name in reduced.interfaces]
    return np.array(parts).reshape(len(parts), 6, reduced.count, reduced.count)


class FlexibleChannels(Mapping[str, Channel]):
    """Channels of all flexible bodies of a run by name, made when asked for; `joints`: (joint, body that the tree reaches)."""

    def __init__(self, o: Observer, joints: Mapping[str, tuple[Any, str]], values: Values) -> None:
        self._observer, self._joints, self._values = o, joints, values
        self.shapes = flexible_shapes(o.system.model)
        self._interfaces = {f"{body}:{name}": body for body, one in self.shapes.items() for name in one.interfaces}

    @property
    def nodes(self) -> set[str]:
        """Names of interfaces, which are those of the joints that hold them."""
        return set(self._interfaces)

    def __iter__(self) -> Iterator[str]:
        for body in self.shapes:
            yield from (f"{body}.{key}" for key in ("w", "xi", "xidot", "largest_displacement"))
        for name in self._interfaces:
            yield from (f"{name}.{key}" for key in INTERFACE_KEYS)

    def __len__(self) -> int:
        return 4 * len(self.shapes) + len(INTERFACE_KEYS) * len(self._interfaces)

    def __getitem__(self, name: str) -> Channel:
        element, _, key = name.rpartition(".")
        if element in self.shapes:
            return self._body_channel(name, element, key)
        if element in self._interfaces and key in ("force", "force_local"):
            return Channel(name, partial(self._force, element, key == "force_local"), WRENCH_UNITS, WRENCH)
        if element in self._interfaces and key in INTERFACE_KEYS:
            made = node_channel(self.shapes, name, self._values)
            assert made is not None
            return made
        raise KeyError(name)

    def _body_channel(self, name: str, body: str, key: str) -> Channel:
        o = self._observer
        q, v, h = o.system.assembly.coordinates.elastic[body]
        labels = tuple(f"{k + 1}" for k in range(h))
        if key == "largest_displacement":
            return Channel(name, lambda: self.shapes[body].largest(self._values(f"{body}.w")), "m")
        if key == "xidot":
            return Channel(name, lambda: o.accelerations()[:, v : v + h], "1/s²", labels)
        if key not in ("w", "xi"):
            raise KeyError(name)
        first = q if key == "w" else o.system.n_q + v
        return Channel(name, o.y[:, first : first + h], "1" if key == "w" else "1/s", labels)

    def _force(self, node: str, local: bool) -> np.ndarray:
        """Force and torque that all elements together exert on the node, about the node; world axes or the node's own.

        The node has no mass: what acts on it goes on to the body through the joint that holds it.
        """
        o = self._observer
        joint, reached = self._joints[node]
        reaction = joint_reaction(o, joint, reached)
        numbers = o.system.assembly.placement.number
        motion = o.body(numbers[node])[0]
        if isinstance(joint, Attachment):  # its child is the node
            force = -reaction
        else:  # the frame's own node: its child is the body, torque about the body's origin
            arm = o.body(numbers[self._interfaces[node]])[0][:, :3] - motion[:, :3]
            force = np.hstack([reaction[:, :3], reaction[:, 3:] + np.cross(arm, reaction[:, :3])])
        if local:
            force = np.einsum("tji,tkj->tki", rotations(motion[:, 3:7]), force.reshape(-1, 2, 3)).reshape(-1, 6)
        return force
