"""Joints: each says which elementary freedoms it has, or that it uses a quaternion."""

# in the order of learning, which is that of ALL_JOINTS
# isort: off
from sharnir.model.joints.freedom import Freedom, Rotation, Translation
from sharnir.model.joints.joint import Joint
from sharnir.model.joints.limits import Limits
from sharnir.model.joints.fixed import Fixed
from sharnir.model.joints.revolute import Revolute
from sharnir.model.joints.prismatic import Prismatic
from sharnir.model.joints.screw import Screw
from sharnir.model.joints.cylindrical import Cylindrical
from sharnir.model.joints.universal import Universal
from sharnir.model.joints.ball import Ball
from sharnir.model.joints.planar import Planar
from sharnir.model.joints.free import Free
from sharnir.model.joints.freedom_sequence import FreedomSequence
from sharnir.model.joints.formula_joint import FormulaJoint
# isort: on

ALL_JOINTS: tuple[type[Joint], ...] = Joint.family.own()

__all__ = [
    "ALL_JOINTS",
    "Ball",
    "Cylindrical",
    "Fixed",
    "FormulaJoint",
    "Free",
    "Freedom",
    "FreedomSequence",
    "Joint",
    "Limits",
    "Planar",
    "Prismatic",
    "Revolute",
    "Rotation",
    "Screw",
    "Translation",
    "Universal",
]
