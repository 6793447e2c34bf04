"""Friction in the tangent plane of a contact."""

from __future__ import annotations

import math

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, settle
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import DerivedNumber, Number, default, element


@element
class Friction(Parametric):
    """Coulomb friction with Stribeck's peak, smooth at zero speed; opposes sliding in the plane of contact.

    F = N (kinetic + (static - kinetic) e^(-(v/stribeck_speed)²)) v/√(v² + speed²) + N viscous v

    kinetic, static : coefficients; static by default equal to kinetic.
    speed : below this sliding speed [m/s] the force decreases to zero; a body at rest on a slope creeps at a fraction of it.
    stribeck_speed : where the peak has decayed [m/s]; default 10 × speed.   viscous : [s/m].

    >>> round(Friction(0.3).coefficient(1.0), 6)
    0.3
    """

    kinetic: Number
    static: DerivedNumber = default(None)
    speed: Number = default(1e-3)
    stribeck_speed: DerivedNumber = default(None)
    viscous: Number = default(0.0)

    def __post_init__(self) -> None:
        settle(self, kinetic=number(self.kinetic, "Friction", "kinetic", low=0))
        settle(self, static=self.kinetic if self.static is None else number(self.static, "Friction", "static", low=0))
        settle(self, speed=number(self.speed, "Friction", "speed", above=0))
        stribeck = 10.0 * self.speed if self.stribeck_speed is None else self.stribeck_speed
        settle(self, stribeck_speed=number(stribeck, "Friction", "stribeck_speed", above=0))
        settle(self, viscous=number(self.viscous, "Friction", "viscous", low=0))
        if self.static < self.kinetic:
            fail("Friction", "static", f"= {shown(self.static)} must not be below kinetic = {shown(self.kinetic)}")

    def coefficient(self, v: float) -> float:
        """Friction force over normal force at a sliding speed."""
        peak = (self.static - self.kinetic) * math.exp(-((v / self.stribeck_speed) ** 2))
        return (self.kinetic + peak) * v / math.sqrt(v * v + self.speed**2) + self.viscous * v
