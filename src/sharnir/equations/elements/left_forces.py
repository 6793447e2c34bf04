"""Forces without a closed form, for code beside which there is an engine: it computes them, and they act as symbols.

What they need of the mechanism are poses and velocities of bodies; what they give is a force and a torque on every body that
they act on, the sum over all of them, at the origin of the body's frame and in its axes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sharnir.equations.recursion import Wrench
from sharnir.model import ContactGroup, JointFriction
from sharnir.model.formula import parse
from sharnir.model.links import element_formulas, referenced_bodies, referenced_joints
from sharnir.symbolic.matrices import Vector
from sharnir.symbolic.nodes import Name, Node

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism

OWN = "sharnir."  # modules of the package: their forces name all bodies that they know of


@dataclass(frozen=True)
class LeftFriction:
    """Friction in a joint: its load is solved for together with the reactions, which are affine in all loads.

    Symbols: load; force and torque per unit of load on the child, world axes, about the point where it acts.
    """

    name: str
    joint: str
    child: int
    parent: int

    @property
    def load(self) -> Name:
        """How much the joint carries."""
        return Name(f".friction load {self.name}")

    def vector(self, what: str) -> Vector:
        """ "force", "torque" or "point", world axes."""
        return tuple(Name(f".friction {what} {self.name} {axis}") for axis in "xyz")

    @property
    def symbols(self) -> list[Name]:
        """All of them."""
        found = [x for what in ("force", "torque", "point") for x in self.vector(what)]
        return [self.load, *(x for x in found if isinstance(x, Name))]


@dataclass
class LeftForces:
    """Forces that are left to an engine.

    names : of the elements.   bodies : numbers of all bodies that they know of; -1: the ground.   wrenches : what acts on a body.
    foreign : elements from outside of the package.   signals : values of those that the forces may read.
    frictions : those of joints.   reactions, responses : of every joint with friction (force, torque), without friction, and per
    unit of every load.   whole : why the engine computes whole evaluations, where it does.
    kept : symbols of numbers that stay in the engine's memory between evaluations, and what it calls them.
    """

    names: list[str] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    wrenches: dict[int, Wrench] = field(default_factory=dict)
    foreign: list[str] = field(default_factory=list)
    signals: dict[str, Node] = field(default_factory=dict)
    kept: dict[Name, str] = field(default_factory=dict)
    frictions: list[LeftFriction] = field(default_factory=list)
    reactions: list[list[Node]] = field(default_factory=list)
    responses: list[list[list[Node]]] = field(default_factory=list)
    whole: str = ""

    def leave(self, m: Mechanism, force: Any) -> None:
        """One more force."""
        self.names.append(force.name)
        if not type(force).__module__.startswith(OWN):
            self.foreign.append(force.name)
        if isinstance(force, JointFriction):
            joint = m.model.joints[str(force.joint)]
            child, parent = (m.bodies.number(str(body)) for body in (joint.child, joint.parent))
            self.frictions.append(LeftFriction(force.name, joint.name, child, parent))
        for i in known_bodies(m, force):
            if i not in self.bodies:
                self.bodies.append(i)
            if i >= 0 and i not in self.wrenches:
                names = [Name(f".{what} {m.tree.bodies[i]} {axis}") for what in ("force", "torque") for axis in "xyz"]
                self.wrenches[i] = tuple(names[:3]), tuple(names[3:])
                m.push(i, *self.wrenches[i])

    @property
    def symbols(self) -> list[Name]:
        """Of everything that the engine computes."""
        found = [x for wrench in self.wrenches.values() for part in wrench for x in part if isinstance(x, Name)]
        return [*found, *(x for friction in self.frictions for x in friction.symbols)]

    def asked_signals(self, m: Mechanism) -> list[str]:
        """Signals, and parameters that events change, in formulas of the forces."""
        known, found = {**m.model.signals, **m.entries.changing}, set[str]()
        for name in self.names:
            for _, text, variables in element_formulas(m.model.forces[name]):
                found |= parse(text, variables, None, dotted=True).names - set(variables)
        return sorted(found & set(known))


def known_bodies(m: Mechanism, force: Any) -> list[int]:
    """Numbers of the bodies that a force knows of: those that it names; all where a class from outside may know others."""
    if not type(force).__module__.startswith(OWN):
        return [-1, *range(len(m.tree.bodies))]
    if isinstance(force, ContactGroup):
        names = [str(body) for body, _ in force.members(m.model)]
    else:
        names = [str(body) for _, body in referenced_bodies(force)]
        joints = [m.model.joints[str(joint)] for _, joint in referenced_joints(force)]
        names += [str(body) for joint in joints for body in (joint.parent, joint.child)]
    return list(dict.fromkeys(m.bodies.number(name) for name in names))
