"""Channels of a run as expressions of the state: what outputs of runs on a GPU are made of."""

from __future__ import annotations

from sharnir.equations.elements.control import Control
from sharnir.equations.entries import TIME
from sharnir.equations.mechanism import Mechanism
from sharnir.errors import ModelError
from sharnir.symbolic.matrices import Vector, add, cross, rotate
from sharnir.symbolic.nodes import ZERO, Node

BODY = ("position", "velocity", "angular_velocity")
KNOWN = "joint.q, joint.v, joint.a, body.position.x, body.velocity.x, body.angular_velocity.x, and signals"


def channel_formula(m: Mechanism, name: str) -> Node:
    """A channel by its name; a ModelError lists what there is.

    >>> import sharnir as sr
    >>> from sharnir.equations.letters import Letters
    >>> model = sr.Model()
    >>> _ = model.add(sr.Body("car", mass=2), sr.Prismatic("rail", "ground", "car", axis="x"))
    >>> m = Mechanism(model, sr.topology.build_tree(model), Letters(), for_machines=True)
    >>> [str(channel_formula(m, name)) for name in ("rail.q", "rail.a", "car.velocity.x")]
    ['q_rail', "q_rail''", "q_rail'"]
    """
    if name == "t":
        return TIME
    if name in m.model.signals:
        return Control(m).output(name)
    found: dict[str, Node] = dict(zip(m.coordinate_channels, m.coordinates, strict=True))
    found |= dict(zip(m.speed_channels, m.speeds, strict=True))
    for channel, acceleration in zip(m.speed_channels, m.accelerations, strict=True):
        joint, _, freedom = channel.rpartition(".v")
        found[f"{joint}.a{freedom}"] = acceleration
    for joint, x in m.dependent.items():
        found |= {f"{joint}.q": x.value, f"{joint}.v": x.rate}
    if name in found:
        return found[name]
    element, _, axis = name.rpartition(".")
    body, _, key = element.rpartition(".")
    if body in m.tree.bodies and key in BODY and axis in ("x", "y", "z"):
        return _body_motion(m, body, key)["xyz".index(axis)]
    raise ModelError(f"channel {name!r} is not among those of runs on a GPU: {KNOWN}; take a sensor, or executor=None")


def _body_motion(m: Mechanism, body: str, key: str) -> Vector:
    """Position, velocity or angular velocity of a body's own frame, in the world."""
    i = m.bodies.number(body)
    motion, (R, r) = m.recursion.motion[i], m.recursion.pose(i, -2 if m.recursion.moving else -1)
    if key == "angular_velocity":
        return rotate(R, motion.om)
    origin = m.bodies.point(i, m.bodies.position(body, None), body)
    if key == "position":
        return add(r, rotate(R, origin))
    return rotate(R, add(motion.v, cross(motion.om, origin) if any(x is not ZERO for x in origin) else (ZERO,) * 3))
