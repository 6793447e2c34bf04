"""The cost of cutting a joint: the constraint equations it adds, and what is lost with its coordinates.

A cut joint keeps working, as equations; but its coordinates are no longer states, so that a force, a drive or a prescribed
motion along them has to be found from the rest of the loop. `reluctance` says how much is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sharnir.model import Attachment, Fixed, FlexibleBody, FormulaJoint, Joint
from sharnir.model.links import referenced_joints

if TYPE_CHECKING:
    from sharnir.model import Body, Model

FOLLOWED = 8  # the joint is a mimic joint, or is followed by one
PRESCRIBED = 4  # its motion is given: as an equation it would also depend on time
USED = 2  # forces, limits or constraints act along its coordinates
GIVEN = 1  # initial coordinates or speeds are given
FORMULAS = 1  # its coordinates would have to be found by Newton's method in every evaluation
WELDED = 1  # cutting a fixed joint gives the most equations for nothing
ROTOR = 100  # the inertia of its rotor is a term of the mass matrix, for coordinates that are unknowns
GROWN = 1000  # a node belongs to its flexible body
LIGHT_END = 8  # a body without mass or inertia at the end of a branch makes the mass matrix singular


def constraint_rows(joint: Joint) -> int:
    """Number of equations that replace the joint when it is cut: 6 less its free freedoms.

    >>> from sharnir.model import Ball, Revolute
    >>> constraint_rows(Ball("neck", "ground", "head")), constraint_rows(Revolute("hip", "ground", "leg", axis="x"))
    (3, 5)
    """
    return 6 - free_freedoms(joint)


def free_freedoms(joint: Joint) -> int:
    """Freedoms of a joint that nothing prescribes.

    >>> from sharnir.model import Revolute
    >>> free_freedoms(Revolute("crank", "ground", "wheel", axis="x", motion="3*t"))
    0
    """
    return 0 if joint.mimic is not None else joint.n_v - sum(joint.driven)


def reluctances(model: Model) -> list[int]:
    """For every joint, in declaration order, how much is lost if it is cut; 0 where its coordinates serve no purpose.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Body("b", mass=1), sr.Revolute("A", "ground", "a", axis="z", damping=0.1))
    >>> _ = m.add(sr.Revolute("B", "a", "b", axis="z"), sr.Fixed("C", "ground", "b"))
    >>> reluctances(m)
    [2, 0, 1]
    """
    followed = {joint.mimic[0] for joint in model.joints.values() if joint.mimic is not None}
    used = joints_in_use(model)
    nodes = {node.name for body in model.bodies.values() if isinstance(body, FlexibleBody) for node in body.nodes()}
    return [
        FOLLOWED * (joint.mimic is not None or joint.name in followed)
        + PRESCRIBED * any(joint.driven)
        + USED * (joint.name in used or loaded(joint))
        + GIVEN * has_initial_values(joint)
        + ROTOR * any(joint.armature)
        + FORMULAS * isinstance(joint, FormulaJoint)
        + WELDED * isinstance(joint, Fixed)
        + GROWN * (isinstance(joint, Attachment) or joint.name in nodes)
        for joint in model.joints.values()
    ]


def joints_in_use(model: Model) -> set[str]:
    """Names of joints that forces or constraints of the model refer to."""
    elements: list[Any] = [*model.forces.values(), *model.constraints.values()]
    return {name for element in elements for _, name in referenced_joints(element)}


def loaded(joint: Joint) -> bool:
    """Whether the joint itself has springs, dampers, drives or limits.

    >>> from sharnir.model import Prismatic
    >>> loaded(Prismatic("slide", "ground", "block", axis="x", torque="-3*q"))
    True
    """
    driven = any(not isinstance(entry, float) or entry != 0.0 for entry in joint.torque)
    return driven or any(joint.stiffness) or any(joint.damping) or joint.limits is not None


def has_initial_values(joint: Joint) -> bool:
    """Whether the joint starts with other coordinates or speeds than those of the drawing.

    >>> from sharnir.model import Ball
    >>> has_initial_values(Ball("neck", "ground", "head")), has_initial_values(Ball("neck", "ground", "head", v=(0, 0, 1)))
    (False, True)
    """
    if joint.coordinates == "angles":
        return any(joint.q) or any(joint.v)
    return any(joint.q[:-4]) or tuple(joint.q[-4:]) != (1.0, 0.0, 0.0, 0.0) or any(joint.v)


def is_light(body: Body) -> bool:
    """True for a body that resists no motion, or no rotation.

    >>> from sharnir.model import Body
    >>> is_light(Body("cross")), is_light(Body("rod", mass=1, inertia=(0, 1, 1)))
    (True, False)
    """
    return body.mass == 0.0 or not any(body.inertia)
