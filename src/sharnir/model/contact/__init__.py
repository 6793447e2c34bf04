"""Contact: laws of the normal force, friction, shapes that touch."""

from sharnir.model.bodies.shapes import Box, Cylinder, Sphere
from sharnir.model.contact.curved_shapes import Profile, Revolution, Surface
from sharnir.model.contact.friction import Friction
from sharnir.model.contact.laws import (
    ALL_LAWS,
    ContactLaw,
    ExponentialLaw,
    Flores,
    Hertz,
    HuntCrossley,
    LankaraniNikravesh,
    LinearLaw,
    hertz_stiffness,
    restitution_of,
)
from sharnir.model.contact.shapes import Bore, Capsule, Plane, Point, Slot

CONTACT_SHAPES = (Sphere, Box, Cylinder, Capsule, Point, Plane, Bore, Slot, Profile, Surface, Revolution)

__all__ = [
    "ALL_LAWS",
    "CONTACT_SHAPES",
    "Bore",
    "Capsule",
    "ContactLaw",
    "ExponentialLaw",
    "Flores",
    "Friction",
    "Hertz",
    "HuntCrossley",
    "LankaraniNikravesh",
    "LinearLaw",
    "Plane",
    "Point",
    "Profile",
    "Revolution",
    "Slot",
    "Surface",
    "hertz_stiffness",
    "restitution_of",
]
