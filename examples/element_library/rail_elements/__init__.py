"""Elements of a lift on a rail: what a package has to hold so that its classes appear in model files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sharnir.model.checks import number, settle
from sharnir.model.contact import ContactLaw
from sharnir.model.forces import ForceElement, FreedomForce
from sharnir.model.joints import FormulaJoint
from sharnir.model.signals import Equations
from sharnir.model.signals.blocks import Block
from sharnir.model.values import FreedomChoice, JointName, TablesByName, ThreeFormulas, Turns, UnitsByName

__all__ = ["ProgressiveScrew", "RailDrag", "SecondOrderLag", "SteelContact"]


@dataclass(frozen=True)
class ProgressiveScrew(FormulaJoint):
    """A screw along z whose pitch grows: the child turns by q and moves by pitch q + growth q²/2.

    pitch : advance per radian at q = 0 [m/rad].   growth : its increase per radian [m/rad²].
    """

    pitch: float = field(kw_only=True)
    growth: float = field(kw_only=True, default=0.0)
    # these follow, so that neither the constructor nor a file takes them
    variables: UnitsByName = field(init=False, hash=False, default_factory=dict)
    position: ThreeFormulas = field(init=False, default=())
    rotation: Turns = field(init=False, default=None)
    tables: TablesByName = field(init=False, hash=False, default_factory=dict)

    def _settle_axes(self) -> tuple[Any, ...]:
        for name in ("pitch", "growth"):
            settle(self, **{name: number(getattr(self, name), self.label, name)})
        height = f"({self.pitch!r})*q + ({self.growth!r})*q^2/2"
        settle(self, variables={"q": "rad"}, position=(0.0, 0.0, height), rotation=("z", "q"), tables={})
        return super()._settle_axes()


@dataclass(frozen=True)
class RailDrag(ForceElement):
    """Rolling and air drag along a freedom: -rolling tanh(v/creep) - air v |v|."""

    name: str
    joint: JointName
    rolling: float = 0.0
    air: float = 0.0
    creep: float = 0.01
    freedom: FreedomChoice = 0
    freedom_outputs: ClassVar[Any] = {"force": "force"}

    def __post_init__(self) -> None:
        label = self._settle_names()
        for name in ("rolling", "air"):
            settle(self, **{name: number(getattr(self, name), label, name, low=0)})
        settle(self, creep=number(self.creep, label, "creep", above=0))

    def along_freedom(self, joints: Any) -> FreedomForce:
        return FreedomForce(self.label, self.joint, self.freedom, self.freedom_formula("force", joints))

    def freedom_formula(self, key: str, joints: Any) -> str:
        return f"-{self.rolling!r}*tanh(v/{self.creep!r}) - {self.air!r}*v*abs(v)"


@dataclass(frozen=True)
class SecondOrderLag(Block):
    """A drive that follows its input like an oscillator: ÿ + 2 D ω ẏ + ω² y = ω² u."""

    name: str
    input: str
    frequency: float = 1.0  # Hz, without damping
    damping: float = 0.7
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, frequency=number(self.frequency, label, "frequency", above=0))
        settle(self, damping=number(self.damping, label, "damping", low=0))

    def equations(self) -> Equations:
        rates = {"y": "w", "w": "omega^2*(u - y) - 2*D*omega*w"}
        return Equations({"": "y"}, {"y": 0.0, "w": 0.0}, rates, {"omega": 2.0 * math.pi * self.frequency, "D": self.damping})


@dataclass(frozen=True)
class SteelContact(ContactLaw):
    """Hertz's law for two steel spheres of one radius [m]."""

    radius: float
    modulus: float = 2.1e11
    poisson: float = 0.3

    def __post_init__(self) -> None:
        self._settle(radius={"above": 0}, modulus={"above": 0}, poisson={"low": 0})

    @property
    def numbers(self) -> tuple[float, float, float]:
        modulus = self.modulus / (2.0 * (1.0 - self.poisson**2))
        return 4.0 / 3.0 * modulus * math.sqrt(self.radius / 2.0), 1.5, 0.0
