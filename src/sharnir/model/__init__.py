"""What the user says: bodies, joints, forces as frozen data, their checks, and their file format."""

from sharnir.model.base_motion import BaseMotion
from sharnir.model.body import Body
from sharnir.model.forces import ALL_FORCES, Bushing, Force, JointForce, Spring, Torque, TorsionSpring, UserForce
from sharnir.model.frames import Frame, rotation_about, rotation_rpy
from sharnir.model.functions import Table
from sharnir.model.joints import (
    ALL_JOINTS,
    Ball,
    Cylindrical,
    Fixed,
    Free,
    Freedom,
    FreedomSequence,
    Joint,
    Limits,
    Planar,
    Prismatic,
    Revolute,
    Rotation,
    Screw,
    Translation,
    Universal,
)
from sharnir.model.model import Model
from sharnir.model.shapes import ALL_SHAPES, Box, Cylinder, Rod, Sphere

__all__ = [
    "ALL_FORCES",
    "ALL_JOINTS",
    "ALL_SHAPES",
    "Ball",
    "BaseMotion",
    "Body",
    "Box",
    "Bushing",
    "Cylinder",
    "Cylindrical",
    "Fixed",
    "Force",
    "Frame",
    "Free",
    "Freedom",
    "FreedomSequence",
    "Joint",
    "JointForce",
    "Limits",
    "Model",
    "Planar",
    "Prismatic",
    "Revolute",
    "Rod",
    "Rotation",
    "Screw",
    "Sphere",
    "Spring",
    "Table",
    "Torque",
    "TorsionSpring",
    "Translation",
    "Universal",
    "UserForce",
    "rotation_about",
    "rotation_rpy",
]
