"""Forces that are elements of their own (gravity belongs to the model, drives and dampers of joints to the joints)."""

from sharnir.model.element import COORDINATE, ELONGATION, Element, check_ends
from sharnir.model.forces.aerodynamics import Aerodynamics
from sharnir.model.forces.contact import Contact
from sharnir.model.forces.contact_group import ContactGroup
from sharnir.model.forces.environment import CentralGravity, Drag
from sharnir.model.forces.force import Force, Torque
from sharnir.model.forces.force_element import ForceElement, FreedomForce
from sharnir.model.forces.joint_force import JointForce, TorsionSpring
from sharnir.model.forces.joint_friction import JointFriction
from sharnir.model.forces.joint_limit import JointLimit, joint_limits
from sharnir.model.forces.motor import Motor, joint_motors
from sharnir.model.forces.spring import Bushing, Spring
from sharnir.model.forces.thrust import Thrust
from sharnir.model.forces.tyres import ALL_TYRES, BrushTyre, FormulaTyre, LinearTyre, MagicFormula
from sharnir.model.forces.user_force import UserForce
from sharnir.model.forces.wheel import Wheel

ALL_FORCES: tuple[type[ForceElement], ...] = ForceElement.family.own()

__all__ = [
    "ALL_FORCES",
    "ALL_TYRES",
    "COORDINATE",
    "ELONGATION",
    "Aerodynamics",
    "BrushTyre",
    "Bushing",
    "CentralGravity",
    "Contact",
    "ContactGroup",
    "Drag",
    "Element",
    "Force",
    "ForceElement",
    "FormulaTyre",
    "FreedomForce",
    "JointForce",
    "JointFriction",
    "JointLimit",
    "LinearTyre",
    "MagicFormula",
    "Motor",
    "Spring",
    "Thrust",
    "Torque",
    "TorsionSpring",
    "UserForce",
    "Wheel",
    "check_ends",
    "joint_limits",
    "joint_motors",
]
