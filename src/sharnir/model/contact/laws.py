"""Laws of the normal force between two bodies that touch.

A law gives the force N ≥ 0 from the depth δ (negative: the bodies are apart) and its rate. All but the exponential one are zero
at δ ≤ 0. `formula` writes the same law as text, for forces along a joint's coordinate.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from sharnir.arguments import with_advice
from sharnir.families import Family, Registered
from sharnir.model.checks import fail, number, settle, shown
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import DerivedNumber, Number, OptionalNumber, default, element


class ContactLaw(Registered, Parametric, listed=False):
    """What all laws have: numbers (kind, stiffness, exponent, damping), and a formula. Defining a subclass lists it.

    >>> LinearLaw(1000, damping=5).numbers
    (1000.0, 1.0, 5.0)
    """

    family: ClassVar[Family] = Family("contact law")
    kind: ClassVar[str] = "power"

    @property
    def numbers(self) -> tuple[float, float, float]:
        """Stiffness k, exponent n (exponential law: α) and damping (λ of a power law, c of a linear one, μ)."""
        raise NotImplementedError

    def _settle(self, **bounds: dict[str, Any]) -> None:
        for field, bound in bounds.items():
            settle(self, **{field: number(getattr(self, field), type(self).__name__, field, **bound)})

    def force(self, depth: float, rate: float = 0.0) -> float:
        """N at a depth and a rate of depth.

        >>> LinearLaw(1000).force(0.01)
        10.0
        """
        k, n, c = self.numbers
        if self.kind == "exponential":
            return max(0.0, k + c * rate) * math.exp(min(n * depth, LARGEST))
        if depth <= 0.0:
            return 0.0
        return max(0.0, k * depth + c * rate if self.kind == "linear" else k * depth**n * (1.0 + c * rate))

    def formula(self, depth: str, rate: str) -> str:
        """N as a formula of a depth and its rate, given as text.

        >>> LinearLaw(1000).formula("-q", "-v")
        '(max(0, 1000.0*(-q) + 0.0*(-v))*((-q) > 0))'
        """
        k, n, c = self.numbers
        d, r = f"({depth})", f"({rate})"
        if self.kind == "exponential":
            return f"(max(0, {k!r} + {c!r}*{r})*exp(min({n!r}*{d}, {LARGEST!r})))"
        if self.kind == "linear":
            return f"(max(0, {k!r}*{d} + {c!r}*{r})*({d} > 0))"
        return f"({k!r}*max(0, {d})^{n!r}*max(0, 1 + {c!r}*{r}))"


LARGEST = 200.0  # exponent where the exponential law ends, far beyond what a motion reaches; trial steps may


@element
class ExponentialLaw(ContactLaw):
    """N = (stiffness + damping × rate) e^(steepness × depth): a stop that acts before it is reached.

    Source: Comput. Res. Model. 16 (2024) 161; see docs/theory/contact.md.

    stiffness : force at depth 0 without speed, k [N or N m].   damping : μ [N s/m].   steepness : α [1/m or 1/rad].

    >>> ExponentialLaw(stiffness=10, steepness=1000).force(0.0)
    10.0
    """

    stiffness: Number
    steepness: Number
    damping: Number = default(0.0)
    kind: ClassVar[str] = "exponential"

    def __post_init__(self) -> None:
        self._settle(stiffness={"above": 0}, steepness={"above": 0}, damping={"low": 0})

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.stiffness, self.steepness, self.damping


@element
class LinearLaw(ContactLaw):
    """N = stiffness × depth + damping × rate, never below zero [N/m, N s/m]. With damping it begins with a jump.

    >>> LinearLaw(1e5, 100).force(-0.001)
    0.0
    """

    stiffness: Number
    damping: Number = default(0.0)
    kind: ClassVar[str] = "linear"

    def __post_init__(self) -> None:
        self._settle(stiffness={"above": 0}, damping={"low": 0})

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.stiffness, 1.0, self.damping


@element
class Hertz(ContactLaw):
    """N = stiffness × depth^exponent, elastic; `hertz_stiffness` gives the stiffness of spheres [N/m^1.5].

    >>> round(Hertz(1e9).force(1e-4), 6)
    1000.0
    """

    stiffness: Number
    exponent: Number = default(1.5)

    def __post_init__(self) -> None:
        self._settle(stiffness={"above": 0}, exponent={"low": 1})

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.stiffness, self.exponent, 0.0


@element
class HuntCrossley(ContactLaw):
    """N = stiffness × depth^exponent (1 + damping × rate): no jump at first contact, no tension at separation.

    damping : λ [s/m]; or `restitution` and the impact `speed` [m/s] at which two colliding bodies have it. Then λ is
        exact (it solves λv (1 + e) = ln((1 + λv)/(1 - e λv))); slower impacts lose less, as with real materials.

    >>> HuntCrossley(1e8, restitution=0.8, speed=2.0).numbers[2] > 0
    True
    """

    stiffness: Number
    damping: DerivedNumber = default(None)
    restitution: OptionalNumber = default(None)
    speed: DerivedNumber = default(None)
    exponent: Number = default(1.5)
    always_written: ClassVar[tuple[str, ...]] = ("damping", "restitution", "speed")

    def __post_init__(self) -> None:
        self._settle(stiffness={"above": 0}, exponent={"low": 1})
        label = type(self).__name__
        if self.restitution is not None or self.speed is not None:
            if self.damping is not None:
                fail(label, "damping", f"= {shown(self.damping)} is given besides restitution and speed; give one or the other")
            settle_restitution(self)
        elif self.damping is None:
            fail(label, "damping", "is missing: give damping, or restitution and the impact speed where it holds")
        else:
            self._settle(damping={"low": 0})

    @property
    def numbers(self) -> tuple[float, float, float]:
        c = self.damping if self.restitution is None else exact_damping(self.restitution) / self.speed
        return self.stiffness, self.exponent, c


class _OfRestitution(ContactLaw, listed=False):
    """N = K δⁿ (1 + χ(e) δ̇/speed)."""

    stiffness: float
    restitution: float
    speed: float
    exponent: float

    def __post_init__(self) -> None:
        self._settle(stiffness={"above": 0}, exponent={"low": 1})
        settle_restitution(self)

    def factor(self) -> float:
        """χ(e)."""
        raise NotImplementedError

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.stiffness, self.exponent, self.factor() / self.speed


@element
class LankaraniNikravesh(_OfRestitution):
    """N = stiffness × depth^exponent (1 + 3(1 - e²)/4 × rate/speed), for restitution e near 1.

    speed : impact speed [m/s]. It is used in place of the initial speed of each impact.

    >>> LankaraniNikravesh(1e8, restitution=0.9, speed=1.0).force(1e-4, 1.0) > 100
    True
    """

    stiffness: Number
    restitution: Number
    speed: Number
    exponent: Number = default(1.5)

    def factor(self) -> float:
        return 0.75 * (1.0 - self.restitution**2)


@element
class Flores(_OfRestitution):
    """N = stiffness × depth^exponent (1 + 8(1 - e)/(5 e) × rate/speed), also for small restitution e.

    speed : impact speed [m/s]. It is used in place of the initial speed of each impact.

    >>> Flores(1e8, restitution=0.5, speed=1.0).numbers[2]
    1.6
    """

    stiffness: Number
    restitution: Number
    speed: Number
    exponent: Number = default(1.5)

    def factor(self) -> float:
        return 1.6 * (1.0 - self.restitution) / self.restitution


def settle_restitution(law: Any) -> None:
    """Check restitution (0 … 1, not 0) and speed."""
    label = type(law).__name__
    for field in ("restitution", "speed"):
        if getattr(law, field) is None:
            fail(label, field, "is missing: restitution holds at an impact speed; give both")
        settle(law, **{field: number(getattr(law, field), label, field, above=0)})
    if law.restitution > 1.0:
        fail(label, "restitution", f"= {law.restitution!r} must not be above 1: an impact cannot create energy")


def exact_damping(e: float) -> float:
    """x = λv of a power law with restitution e at impact speed v: x (1 + e) = ln((1 + x)/(1 - e x)), whatever the exponent.

    >>> round(exact_damping(0.9), 3)
    0.166
    """
    if e >= 1.0:
        return 0.0
    low, high = 1e-9, (1.0 - 1e-15) / e
    for _ in range(200):
        x = 0.5 * (low + high)
        low, high = (x, high) if math.log1p(x) - math.log1p(-e * x) < x * (1.0 + e) else (low, x)
    return 0.5 * (low + high)


def restitution_of(law: ContactLaw, speed: float) -> float:
    """Restitution of two bodies that collide at a given speed, under a power law and no other force.

    >>> round(restitution_of(HuntCrossley(1e8, restitution=0.8, speed=2.0), 2.0), 9)
    0.8
    >>> round(restitution_of(Flores(1e8, restitution=0.8, speed=1.0), 1.0), 3)
    0.789
    """
    if getattr(law, "kind", None) != "power":
        fail("restitution_of", "law", f"= {shown(law)} is not a power law; its restitution is not known in closed form")
    x = law.numbers[2] * number(speed, "restitution_of", "speed", low=0)
    if x < 1e-9:
        return 1.0
    left, low, high = x - math.log1p(x), 0.0, min(1.0, (1.0 - 1e-16) / x)
    for _ in range(200):
        e = 0.5 * (low + high)
        low, high = (e, high) if -e * x - math.log1p(-e * x) < left else (low, e)
    return 0.5 * (low + high)


@with_advice
def hertz_stiffness(
    radius_a: float,
    modulus_a: float,
    poisson_a: float,
    radius_b: float = math.inf,
    modulus_b: float | None = None,
    poisson_b: float | None = None,
) -> float:
    """K in N = K δ^1.5 of two elastic spheres [N/m^1.5]: 4/3 E* √R*. radius_b: infinite for a plane, negative for a hollow.

    >>> round(hertz_stiffness(0.01, 210e9, 0.3) / 1e10, 3)
    1.538
    """
    label = "hertz_stiffness"
    radius_a, modulus_a = number(radius_a, label, "radius_a", above=0), number(modulus_a, label, "modulus_a", above=0)
    poisson_a, radius_b = number(poisson_a, label, "poisson_a"), number(radius_b, label, "radius_b", finite=False)
    Eb = modulus_a if modulus_b is None else number(modulus_b, label, "modulus_b", above=0)
    nub = poisson_a if poisson_b is None else number(poisson_b, label, "poisson_b")
    if not max(abs(poisson_a), abs(nub)) < 1.0:
        fail(label, "poisson_a", f"= {poisson_a!r} must lie between -1 and 0.5")
    compliance = (1.0 - poisson_a**2) / modulus_a + (1.0 - nub**2) / Eb
    curvature = 1.0 / radius_a + (1.0 / radius_b if radius_b else math.inf)
    if not 0.0 < curvature < math.inf:
        fail("hertz_stiffness", "radius_b", f"= {radius_b!r}: a sphere of radius {radius_a!r} does not fit into it")
    return 4.0 / 3.0 / compliance / math.sqrt(curvature)


ALL_LAWS: tuple[type[ContactLaw], ...] = ContactLaw.family.own()


def check_law(law: Any, label: str) -> None:
    """One of the laws of contact."""
    if not isinstance(law, ContactLaw):
        fail(label, "law", f"= {shown(law)} must be one of {ContactLaw.family.names}")
