"""Flexible bodies: a reduced finite-element model in a mechanism, with nodes to which joints and forces attach."""

from __future__ import annotations

import numpy as np

from sharnir.arguments import numbers, shown
from sharnir.errors import ModelError
from sharnir.model.bodies.body import Body
from sharnir.model.checks import fail, settle
from sharnir.model.frames import Frame
from sharnir.model.joints import Fixed
from sharnir.model.values import NumbersOfFreedoms, OptionalReference, ReducedModelValue, default, element


@element
class FlexibleBody(Body):
    """A body that deforms, described by a ReducedModel (`sharnir.flexible.reduce`).

    Every interface of the reduced model becomes a body of its own without mass, named "<name>:<interface>", to which joints,
    forces and constraints attach; it moves and turns as the node does. Mass, centre and inertia come from the reduced model.

    Parameters
    ----------
    reduced : the ReducedModel.
    frame_at : interface with which the body's frame moves (default: the first one), or "floating" for the frame of the
        reduced model. The tree of joint coordinates enters the body there.
    w, xi : initial elastic coordinates and speeds; default: zeros.
    position, rotation, velocity, angular_velocity, color : as for `Body`.

    >>> from sharnir.flexible import Section, reduce, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> body = FlexibleBody("beam", reduced=reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2))
    >>> [node.name for node in body.nodes()], round(body.mass, 3)
    (['beam:root', 'beam:tip'], 2.466)
    """

    reduced: ReducedModelValue = default(None)
    frame_at: OptionalReference = default(None)
    w: NumbersOfFreedoms = default(None)
    xi: NumbersOfFreedoms = default(None)

    def __post_init__(self) -> None:
        label, reduced = f"FlexibleBody {self.name!r}", self.reduced
        if not hasattr(reduced, "interfaces") or not hasattr(reduced, "inertia"):
            fail(label, "reduced", f"= {shown(reduced)} must be a ReducedModel; make one with sharnir.flexible.reduce")
        names = list(reduced.interfaces)
        at = (names[0] if names else "floating") if self.frame_at is None else self.frame_at
        if not isinstance(at, str) or at != "floating":
            if not isinstance(at, str) or at not in names:
                fail(label, "frame_at", f"= {shown(at)} is not an interface; choose one of {', '.join(names)} or 'floating'")
            reduced = reduced.fixed_at(at)
        M = reduced.inertia.matrix(np.zeros(reduced.count))
        mass = float(np.trace(M[:3, :3])) / 3.0
        h = -M[:3, 3:6] / mass
        com = np.array([h[2, 1], h[0, 2], h[1, 0]])
        inertia = M[3:6, 3:6] - mass * (com @ com * np.eye(3) - np.outer(com, com))
        inertia = 0.5 * (inertia + inertia.T)
        settle(self, reduced=reduced, frame_at=at, mass=mass, com=tuple(com), inertia=inertia.tolist())
        for field in ("w", "xi"):
            given = getattr(self, field)
            value = np.zeros(reduced.count) if given is None else numbers(given, label, field)
            if value.shape != (reduced.count,):
                fail(label, field, f"= {shown(given)} must be {reduced.count} numbers, one per elastic coordinate")
            settle(self, **{field: tuple(float(x) for x in value)})
        super().__post_init__()

    @property
    def label(self) -> str:
        return f"FlexibleBody {self.name!r}"

    @property
    def described(self) -> str:
        """Mass, number of elastic coordinates, range of frequencies, interfaces."""
        frequencies = self.reduced.frequencies
        span = f" from {frequencies.min():.4g} to {frequencies.max():.4g} Hz" if len(frequencies) else ""
        ends = ", ".join(self.reduced.interfaces) or "none"
        return f"{self.mass:g} kg, {self.reduced.count} elastic coordinates{span}, interfaces {ends}, frame at {self.frame_at}"

    @property
    def node_names(self) -> list[str]:
        """Names of the bodies of the interfaces, and of the joints that hold them."""
        return [f"{self.name}:{name}" for name in self.reduced.interfaces]

    def nodes(self) -> list[Body]:
        """Bodies of the interfaces, in the drawing of the undeformed body."""
        found = []
        for name, interface in self.reduced.interfaces.items():
            place = self.frame @ Frame(tuple(float(x) for x in interface.position))
            found.append(Body(f"{self.name}:{name}", mass=0.0, position=place.position, rotation=self.rotation))
        return found

    def attachments(self) -> list[Fixed]:
        """Joints that hold the nodes: the frame's node firmly, the others as the body deforms."""
        found: list[Fixed] = []
        for name in self.reduced.interfaces:
            node = f"{self.name}:{name}"
            found.append(Fixed(node, node, self.name) if name == self.frame_at else Attachment(node, self.name, node))
        return found


@element
class Attachment(Fixed, listed=False):
    """A node of a flexible body, attached to the body's frame: it moves with the elastic coordinates. Made with the body.

    >>> Attachment("beam:tip", "beam", "beam:tip").interface
    'tip'
    """

    @property
    def interface(self) -> str:
        """Name of the interface in the reduced model."""
        return self.child.removeprefix(f"{self.parent}:")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.child.startswith(f"{self.parent}:"):
            raise ModelError(f"Attachment {self.name!r}: '{self.child}' is not a node of '{self.parent}'", field="child")
