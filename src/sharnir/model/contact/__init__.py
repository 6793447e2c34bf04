"""Contact: laws of the normal force, friction, shapes that touch."""

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
    check_law,
    hertz_stiffness,
    restitution_of,
)
from sharnir.model.contact.touching_shapes import Bore, Capsule, ContactShape, Plane, Point, Slot

CONTACT_SHAPES = ContactShape.family.own()

__all__ = [
    "ALL_LAWS",
    "CONTACT_SHAPES",
    "Bore",
    "Capsule",
    "ContactLaw",
    "ContactShape",
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
    "check_law",
    "hertz_stiffness",
    "restitution_of",
]
