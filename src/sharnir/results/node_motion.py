"""Motion of nodes of flexible bodies, from the body's own motion, its elastic coordinates and its shapes.

r = p + R (ρ + H w), with the body's place p, its rotation R, the node's place ρ and shifts H. The rotation of a node in its body
is θ = H^φ w as Rodrigues' vector 2 tan(φ/2), as in the equations of motion; see docs/theory/flexible-bodies.md. Interfaces of
bodies with stiffening also move by ½ wᵀ N w.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sharnir.results.channel import Channel
from sharnir.results.flexible_shapes import FlexibleShapes, NodeShape

if TYPE_CHECKING:
    from sharnir.results.result import Result

Values = Callable[[str], np.ndarray]  # values of a channel by its name
XYZ = ("x", "y", "z")
SHIFT, TURN = slice(0, 3), slice(3, 6)

NODE_CHANNELS = {  # unit, labels
    "displacement": ("m", XYZ),
    "turn": ("rad", XYZ),
    "position": ("m", XYZ),
    "rotation": ("1", ("w", *XYZ)),
    "velocity": ("m/s", XYZ),
    "angular_velocity": ("rad/s", XYZ),
    "acceleration": ("m/s²", XYZ),
}
OF_TURNS = ("turn", "rotation", "angular_velocity")  # only where the shapes have rotations


def node_channel(bodies: Mapping[str, FlexibleShapes], name: str, values: Values) -> Channel | None:
    """The channel "<body>:<label or interface>.<quantity>"; None if the name has another form; a missing node is an error."""
    element, _, key = name.rpartition(".")
    if key not in NODE_CHANNELS:
        return None
    for body in sorted(bodies, key=len, reverse=True):  # a name may begin like another one
        shapes = bodies[body]
        if element.startswith(f"{body}:"):
            node = shapes.node(element[len(body) + 1 :])
            if node.turn is None and key in OF_TURNS:
                return None
            return made_channel(name, body, node, key, values)
    return None


def made_channel(name: str, body: str, node: NodeShape, key: str, values: Values) -> Channel:
    """One quantity of a node, computed when it is asked for."""
    unit, labels = NODE_CHANNELS[key]
    return Channel(name, lambda: QUANTITIES[key](body, node, values), unit, labels)


def _second(node: NodeShape, part: slice, a: np.ndarray, b: np.ndarray) -> np.ndarray | float:
    """aᵀ N b of a node, which bodies with stiffening have at their interfaces."""
    return 0.0 if node.second is None else np.einsum("cij,ti,tj->tc", node.second[part], a, b, optimize=True)


def _displacement(body: str, node: NodeShape, values: Values) -> np.ndarray:
    w = values(f"{body}.w")
    return w @ node.shift.T + 0.5 * _second(node, SHIFT, w, w)


def _turn(body: str, node: NodeShape, values: Values) -> np.ndarray:
    assert node.turn is not None
    w = values(f"{body}.w")
    return w @ node.turn.T + 0.5 * _second(node, TURN, w, w)


def _arm(body: str, node: NodeShape, values: Values) -> np.ndarray:
    """From the body's origin to the node, world axes."""
    return turned(values(f"{body}.rotation"), node.place + _displacement(body, node, values))


def _position(body: str, node: NodeShape, values: Values) -> np.ndarray:
    return values(f"{body}.position") + _arm(body, node, values)


def _speed(body: str, node: NodeShape, values: Values) -> np.ndarray:
    """Rate of the displacement in world axes."""
    w, xi = values(f"{body}.w"), values(f"{body}.xi")
    return turned(values(f"{body}.rotation"), xi @ node.shift.T + _second(node, SHIFT, w, xi))


def _velocity(body: str, node: NodeShape, values: Values) -> np.ndarray:
    spin = np.cross(values(f"{body}.angular_velocity"), _arm(body, node, values))
    return values(f"{body}.velocity") + spin + _speed(body, node, values)


def _acceleration(body: str, node: NodeShape, values: Values) -> np.ndarray:
    arm, omega = _arm(body, node, values), values(f"{body}.angular_velocity")
    carried = np.cross(values(f"{body}.angular_acceleration"), arm) + np.cross(omega, np.cross(omega, arm))
    w, xi, xidot = (values(f"{body}.{key}") for key in ("w", "xi", "xidot"))
    own = xidot @ node.shift.T + _second(node, SHIFT, xi, xi) + _second(node, SHIFT, w, xidot)
    own = 2.0 * np.cross(omega, _speed(body, node, values)) + turned(values(f"{body}.rotation"), own)
    return values(f"{body}.acceleration") + carried + own


def _rotation(body: str, node: NodeShape, values: Values) -> np.ndarray:
    g = 0.5 * _turn(body, node, values)
    own = np.hstack([np.ones((len(g), 1)), g]) / np.sqrt(1.0 + np.sum(g * g, axis=1, keepdims=True))
    q = values(f"{body}.rotation")
    a, u, b, v = q[:, :1], q[:, 1:], own[:, :1], own[:, 1:]
    return np.hstack([a * b - np.sum(u * v, axis=1, keepdims=True), a * v + b * u + np.cross(u, v)])


def _angular_velocity(body: str, node: NodeShape, values: Values) -> np.ndarray:
    """ω of the body and, in its axes, c (ġ + g × ġ) with c = 2/(1 + g²)."""
    assert node.turn is not None
    w, xi = values(f"{body}.w"), values(f"{body}.xi")
    g, rate = 0.5 * _turn(body, node, values), 0.5 * (xi @ node.turn.T + _second(node, TURN, w, xi))
    own = 2.0 / (1.0 + np.sum(g * g, axis=1, keepdims=True)) * (rate + np.cross(g, rate))
    return values(f"{body}.angular_velocity") + turned(values(f"{body}.rotation"), own)


QUANTITIES: dict[str, Callable[[str, NodeShape, Values], np.ndarray]] = {
    "displacement": _displacement,
    "turn": _turn,
    "position": _position,
    "rotation": _rotation,
    "velocity": _velocity,
    "angular_velocity": _angular_velocity,
    "acceleration": _acceleration,
}


def turned(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Vectors (nt, 3) turned by unit quaternions (nt, 4).

    >>> turned(np.array([[0.0, 0.0, 0.0, 1.0]]), np.array([[1.0, 2.0, 3.0]])) + 0.0
    array([[-1., -2.,  3.]])
    """
    u = q[:, 1:]
    return x + 2.0 * (q[:, :1] * np.cross(u, x) + np.cross(u, np.cross(u, x)))


class NodeMotion:
    """A node of a flexible body over time; made by `Result.node`.

    place (3,) : where it is in the undeformed body.   label : its number in the FE model.

    >>> from sharnir.results import Channel, Result
    >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.array([10, 20]), np.ones((2, 3, 1)), None, {}, np.zeros((0, 6, 1)))
    >>> result = Result([0.0, 1.0], [Channel("bar.w", [[0.0], [0.5]])], flexible={"bar": bar})
    >>> result.node("bar", 20).displacement[1]
    array([0.5, 0.5, 0.5])
    """

    def __init__(self, result: Result, shapes: FlexibleShapes, which: int | str) -> None:
        node = shapes.node(which)
        self.body, self.label, self.place, self._node = shapes.name, int(shapes.labels[node.row]), node.place, node
        self._values: Values = result.__getitem__
        self._made: dict[str, Channel] = {}

    def channel(self, quantity: str) -> Channel:
        """A quantity as a channel with unit and labels.

        >>> from sharnir.results import Channel, Result
        >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.array([10, 20]), np.ones((2, 3, 1)), None, {}, np.zeros((0, 6, 1)))
        >>> result = Result([0.0, 1.0], [Channel("bar.w", [[0.0], [0.5]])], flexible={"bar": bar})
        >>> result.node("bar", 20).channel("displacement").unit
        'm'
        """
        if quantity not in self._made:
            name = f"{self.body}:{self._node.word}.{quantity}"
            self._made[quantity] = made_channel(name, self.body, self._node, quantity, self._values)
        return self._made[quantity]

    def _of_turns(self, quantity: str) -> np.ndarray | None:
        return None if self._node.turn is None else self.channel(quantity).values

    @property
    def displacement(self) -> np.ndarray:
        """(nt, 3) in the body's axes, m."""
        return self.channel("displacement").values

    @property
    def turn(self) -> np.ndarray | None:
        """(nt, 3) rotation in the body, rad; None where the shapes have none."""
        return self._of_turns("turn")

    @property
    def position(self) -> np.ndarray:
        """(nt, 3) in the world, m."""
        return self.channel("position").values

    @property
    def rotation(self) -> np.ndarray | None:
        """(nt, 4) quaternion, node axes → world; None where the shapes have no rotations."""
        return self._of_turns("rotation")

    @property
    def velocity(self) -> np.ndarray:
        """(nt, 3) in the world, m/s."""
        return self.channel("velocity").values

    @property
    def angular_velocity(self) -> np.ndarray | None:
        """(nt, 3) in the world, rad/s; None where the shapes have no rotations."""
        return self._of_turns("angular_velocity")

    @property
    def acceleration(self) -> np.ndarray:
        """(nt, 3) in the world, m/s²."""
        return self.channel("acceleration").values

    def __repr__(self) -> str:
        place = ", ".join(f"{x:g}" for x in self.place)
        return f"<node {self._node.word} of {self.body!r} at ({place}) m>"
