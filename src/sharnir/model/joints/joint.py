"""What all joints have in common: the bodies they connect, their position, initial values, and forces in the joint itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from sharnir.arguments import is_triple, shown
from sharnir.families import Family, Registered
from sharnir.model.checks import element_name, fail, number, point, reference, sequence, settle, store, vector
from sharnir.model.frames import Frame, warn_of_degrees
from sharnir.model.given_functions import stored_entry, stored_motion
from sharnir.model.joints.freedom import Freedom
from sharnir.model.joints.limits import stored_limits
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import (
    BodyFrame,
    BodyName,
    FunctionsOfFreedoms,
    LimitsOfFreedoms,
    MimicJoint,
    MotionsOfFreedoms,
    NumbersOfFreedoms,
    OptionalVector,
    default,
    element,
)

ZERO = 0.0  # the default of numbers of freedoms, one object
OF_FORCES = ("damping", "stiffness", "rest", "armature", "torque")


@element
class Joint(Registered, Parametric, ABC, listed=False):
    """A joint between two bodies.

    Parameters
    ----------
    name : unique among the joints.
    parent, child : bodies or their names; the coordinates describe the child's motion as seen from the parent.
    at : point of the joint in the reference drawing (world axes); default: the child's position.
    parent_frame, child_frame : instead of `at`, the joint's frame in each body's own axes (default: the body's frame). Axes
        of freedoms are then in the joint frame, and the child's placement follows from the frames.
    q, v : initial coordinates and speeds, zero in the drawing; a scalar for one freedom.
    damping, stiffness, rest : linear force -damping v - stiffness (q - rest) per freedom.
    armature : inertia of a rotor that turns with the freedom [kg m² or kg], gear ratio² × its own: a term of the mass matrix.
    torque : force or torque that drives the freedom: number, formula of (q, v, t), Table of q, or function f(q, v, t).
    motion : prescribed motion of a freedom: None, or number, formula, Table (cubic) or function of t, or a triple
        (position, speed, acceleration) of these.
    limits : (lower, upper) or Limits, per freedom.
    mimic : (joint, multiplier, offset): this coordinate is multiplier × that joint's + offset (one-freedom joints).

    Joint itself is abstract; models use its subclasses.

    >>> from sharnir.model import Revolute
    >>> hinge = Revolute("hinge", "frame", "door", axis="z", q=0.3, damping=0.1, limits=(0, 2))
    >>> isinstance(hinge, Joint), hinge.q, hinge.limits[0].upper
    (True, (0.3,), 2.0)
    """

    name: str
    parent: BodyName
    child: BodyName
    _: KW_ONLY
    at: OptionalVector = default(None)
    parent_frame: BodyFrame = default(None)
    child_frame: BodyFrame = default(None)
    q: NumbersOfFreedoms = default(None)
    v: NumbersOfFreedoms = default(ZERO)
    damping: NumbersOfFreedoms = default(ZERO)
    stiffness: NumbersOfFreedoms = default(ZERO)
    rest: NumbersOfFreedoms = default(ZERO)
    armature: NumbersOfFreedoms = default(ZERO)
    torque: FunctionsOfFreedoms = default(ZERO)
    motion: MotionsOfFreedoms = default(None)
    limits: LimitsOfFreedoms = default(None)
    mimic: MimicJoint = default(None)

    # The elementary freedoms in their order from parent to child; empty where a quaternion is used.
    freedoms: tuple[Freedom, ...] = field(init=False, repr=False, compare=False, default=())

    family: ClassVar[Family] = Family("joint")
    coordinates: ClassVar[str] = "angles"
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": ("q", "v", "t"), "motion": ("t",)}

    @abstractmethod
    def _settle_axes(self) -> tuple[Freedom, ...]:
        """Check and store what belongs to this kind of joint, and return its elementary freedoms."""

    def __post_init__(self) -> None:
        element_name(self.name, type(self).__name__)
        label = self.label
        parent, child = reference(self.parent, label, "parent"), reference(self.child, label, "child")
        if parent == child:
            fail(label, "child", f"= {shown(child)} is also the parent; a joint needs two different bodies")
        store(self, "parent", parent)
        store(self, "child", child)
        store(self, "freedoms", self._settle_axes())
        if not is_triple(self.at) or self.parent_frame is not None or self.child_frame is not None:
            self._settle_place(label)
        self._settle_state()
        self._settle_forces()
        self._settle_motion()

    def _settle_place(self, label: str) -> None:
        if self.uses_frames and self.at is not None:
            fail(label, "at", "and parent_frame/child_frame are both given; give one of them")
        if self.uses_frames:
            for side, frame in (("parent_frame", self.parent_frame), ("child_frame", self.child_frame)):
                if frame is not None and not isinstance(frame, Frame):
                    fail(label, side, f"= {shown(frame)} must be a Frame(position, rotation)")
        settle(self, at=point(self.at, label, "at"))

    def _settle_state(self) -> None:
        if self.q is None:
            store(self, "q", zeros(self.n_q))
            store(self, "v", zeros(self.n_v) if self.v is ZERO else self._per_freedom(self.v, "v"))
            return
        q = self._per_freedom(self.q, "q")
        settle(self, q=q, v=self._per_freedom(self.v, "v"))
        for freedom, angle in zip(self.freedoms, q, strict=False):
            if angle and freedom.unit == "rad":
                warn_of_degrees(angle, self.label, "q")

    def _settle_forces(self) -> None:
        torque: Any = self.torque
        if self.damping is self.stiffness is self.rest is self.armature is torque is ZERO:  # as in most joints
            none = zeros(self.n_v)
            for field in OF_FORCES:
                store(self, field, none)
            return
        settle(
            self,
            damping=self._per_freedom(self.damping, "damping", same=True, low=0),
            stiffness=self._per_freedom(self.stiffness, "stiffness", same=True, low=0),
            armature=self._per_freedom(self.armature, "armature", same=True, low=0),
            rest=self._per_freedom(self.rest, "rest"),
            torque=zeros(self.n_v) if is_zero(self.torque) else self._stored_torque(),
        )

    def _stored_torque(self) -> tuple[Any, ...]:
        entries, label = self._entries(self.torque, "torque"), self.label
        return tuple(stored_entry(entry, ("q", "v", "t"), label, "torque") for entry in entries)

    def _settle_motion(self) -> None:
        if self.motion is None and self.limits is None and self.mimic is None:
            store(self, "motion", nothing(self.n_v))
            return
        settle(self, motion=nothing(self.n_v) if self.motion is None else self._stored_motion())
        if self.limits is not None:
            settle(self, limits=stored_limits(self.limits, self.n_v, self.label))
        for freedom, limits in zip(self.freedoms, self.limits or (), strict=False):
            if freedom.unit == "rad" and limits is not None:
                for bound in (limits.lower, limits.upper):
                    warn_of_degrees(bound, self.label, "limits")
        for k, entry in enumerate(self.motion):
            if entry is not None and (self.q[k] or self.v[k]):
                fail(self.label, "motion", f"of freedom {k} is prescribed, so its initial q and v follow from it; leave them out")
        if self.mimic is not None:
            self._settle_mimic()

    def _stored_motion(self) -> tuple[Any, ...]:
        label = self.label
        value: Any = self.motion
        if self.n_v == 1 and isinstance(value, (tuple, list)) and len(value) == 3:
            value = (tuple(value),)  # the triple (position, speed, acceleration) of the only freedom
        return tuple(stored_motion(entry, label) for entry in self._entries(value, "motion"))

    def _settle_mimic(self) -> None:
        if self.n_v != 1 or self.freedoms == ():
            fail(self.label, "mimic", f"is for joints with one freedom; this one has {self.n_v}")
        parts = sequence(self.mimic, self.label, "mimic", "(joint, multiplier, offset)")
        if not 1 <= len(parts) <= 3:
            fail(self.label, "mimic", f"= {shown(self.mimic)} must be (joint, multiplier, offset)")
        leader = reference(parts[0], self.label, "mimic", "joint")
        multiplier = parts[1] if len(parts) > 1 else 1.0
        offset = parts[2] if len(parts) > 2 else 0.0
        if leader == self.name:
            fail(self.label, "mimic", "names the joint itself; name another joint")
        if self.driven[0] or self.q[0] or self.v[0]:
            fail(self.label, "mimic", f"excludes motion, q and v: they follow from joint {leader!r}; set them there")
        factor = number(multiplier, self.label, "mimic multiplier")
        settle(self, mimic=(leader, factor, number(offset, self.label, "mimic offset")))

    def _entries(self, value: Any, field: str) -> tuple[Any, ...]:
        """One entry per freedom; a single one stands for itself if there is one freedom, zero stands for all."""
        several = isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)
        if several:
            entries = sequence(value, self.label, field, "one entry per freedom")
            if len(entries) != self.n_v:
                fail(self.label, field, f"= {shown(value)} has {len(entries)} entries; one per freedom is needed: {self.n_v}")
            return entries
        if self.n_v == 1 or (isinstance(value, (int, float)) and value == 0):
            return (value,) * self.n_v
        fail(self.label, field, f"= {shown(value)} needs one entry per freedom: {self.n_v}")

    def _per_freedom(self, value: Any, field: str, *, same: bool = False, **bounds: Any) -> tuple[float, ...]:
        """One float per freedom; with `same` a scalar stands for all of them."""
        if is_zero(value):
            return zeros(self.n_v)
        if same and not isinstance(value, (Sequence, np.ndarray)):
            return (number(value, self.label, field, **bounds),) * self.n_v
        return vector(self._entries(value, field), self.n_v, self.label, field, **bounds)

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"{type(self).__name__} {self.name!r}"

    @property
    def body_references(self) -> list[tuple[str, str]]:
        """(field, name) of every body that is named."""
        return [("parent", self.parent), ("child", self.child)]

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        """(field, name) of every joint that is named."""
        return [] if self.mimic is None else [("mimic", self.mimic[0])]

    @property
    def uses_frames(self) -> bool:
        """True if the joint is placed by frames on the bodies instead of a point in the drawing."""
        return self.parent_frame is not None or self.child_frame is not None

    @property
    def n_q(self) -> int:
        """Number of coordinates."""
        return len(self.freedoms)

    @property
    def n_v(self) -> int:
        """Number of speeds (degrees of freedom)."""
        return len(self.freedoms)

    @property
    def driven(self) -> tuple[bool, ...]:
        """Per freedom, whether its motion is prescribed."""
        return tuple(entry is not None for entry in self.motion)

    @property
    def freedom_names(self) -> tuple[str, ...]:
        """A short name per freedom; ("",) if there is one."""
        return ("",) if self.n_v == 1 else freedom_names(self.freedoms)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """A short name per coordinate: those of the freedoms, except where a quaternion is used."""
        return self.freedom_names

    @property
    def units(self) -> tuple[str, ...]:
        """Unit per freedom ("rad" or "m"); speeds have it per second."""
        return tuple(freedom.unit for freedom in self.freedoms)

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Unit per coordinate ("1" for the entries of a quaternion)."""
        return self.units


def is_zero(value: Any) -> bool:
    """Whether an entry is the number zero, which most entries of most joints are."""
    return type(value) is float and value == 0.0


@lru_cache(maxsize=100)
def zeros(count: int) -> tuple[float, ...]:
    """So many zeros; joints share them."""
    return (0.0,) * count


@lru_cache(maxsize=100)
def nothing(count: int) -> tuple[None, ...]:
    """No prescribed motion of any of so many freedoms; joints share it."""
    return (None,) * count


def freedom_names(freedoms: tuple[Freedom, ...]) -> tuple[str, ...]:
    """Short names: "x" for a translation along x, "rx" for a rotation about x, a number for other axes; repeated ones get "_2", …

    >>> freedom_names((Freedom("rotation", "z"), Freedom("rotation", "x"), Freedom("rotation", "z")))
    ('rz', 'rx', 'rz_2')
    """
    names: list[str] = []
    for k, freedom in enumerate(freedoms):
        letters = [letter for letter, entry in zip("xyz", freedom.axis, strict=True) if abs(entry) == 1.0]
        prefix = {"translation": "", "rotation": "r", "screw": "s"}[freedom.kind]
        name = prefix + (letters[0] if letters else f"{'d' if not prefix else ''}{k + 1}")
        again = sum(other == name or other.startswith(name + "_") for other in names)
        names.append(f"{name}_{again + 1}" if again else name)
    return tuple(names)
