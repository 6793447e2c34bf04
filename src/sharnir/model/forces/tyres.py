"""Tyres: forces in the contact patch of a wheel by slip and load."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.families import Family, Registered
from sharnir.model.checks import fail, number, settle, vector
from sharnir.model.given_functions import stored_entry
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import DerivedNumber, FunctionValue, Number, NumberList, default, element

OF_X, OF_Y, OF_LOAD = ("kappa", "alpha", "load"), ("alpha", "kappa", "load"), ("load",)


class Tyre(Registered, Parametric, listed=False):
    """What all tyres have: a kind, formulas and numbers for the engine.

    Slip κ > 0 drives, slip angle α > 0 pushes the wheel to its left (to z × x, with x its heading and z the normal).
    """

    family: ClassVar[Family] = Family("tyre")
    kind: ClassVar[str]
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {}

    @property
    def entries(self) -> tuple[Any, Any]:
        """What may be a formula: the one for the force along the wheel, then across."""
        return tuple(getattr(self, field) for field in self.formula_fields) or (0.0, 0.0)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The rest."""
        return ()


@element
class LinearTyre(Tyre):
    """Forces grow with slip, `longitudinal` κ and `cornering` tan α, up to the friction ellipse, which limits them.

    longitudinal [N], cornering [N/rad] : slopes at zero slip; numbers, formulas or Tables of `load`.
    friction : coefficient.   lateral_friction : across the wheel; default: the same.

    >>> LinearTyre(longitudinal=60e3, cornering="18*load", friction=0.9).lateral_friction
    0.9
    """

    longitudinal: FunctionValue
    cornering: FunctionValue
    friction: Number = default(1.0)
    lateral_friction: DerivedNumber = default(None)
    kind: ClassVar[str] = "linear"
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"longitudinal": OF_LOAD, "cornering": OF_LOAD}

    def __post_init__(self) -> None:
        label = type(self).__name__
        for field in self.formula_fields:
            value = stored_entry(getattr(self, field), OF_LOAD, label, field)
            settle(self, **{field: number(value, label, field, low=0) if isinstance(value, float) else value})
        settle(self, friction=number(self.friction, label, "friction", above=0))
        across = self.friction if self.lateral_friction is None else self.lateral_friction
        settle(self, lateral_friction=number(across, label, "lateral_friction", above=0))

    @property
    def numbers(self) -> tuple[float, ...]:
        return self.friction, self.lateral_friction


@element
class BrushTyre(LinearTyre):
    """As LinearTyre, with a smooth transition to full sliding: bristles under parabolic pressure (Fiala's curve).

    >>> BrushTyre(60e3, 50e3).kind
    'brush'
    """

    kind: ClassVar[str] = "brush"


@element
class MagicFormula(Tyre):
    """Pacejka's curve D load sin(C atan(B s - E (B s - atan B s))), with s = κ along the wheel and s = tan α across.

    x, y : (B, C, D, E); D is the coefficient of friction at the peak. Both slips together by similarity: each curve is taken
        at the slip of the same size, hypot(Bx Cx κ, By Cy tan α).

    >>> MagicFormula(x=(12, 1.65, 1.0, 0.2), y=(9, 1.4, 0.95, -0.5)).x
    (12.0, 1.65, 1.0, 0.2)
    """

    x: NumberList
    y: NumberList
    kind: ClassVar[str] = "magic"

    def __post_init__(self) -> None:
        for field in ("x", "y"):
            values = vector(getattr(self, field), 4, type(self).__name__, field)
            if min(values[:3]) <= 0.0:
                fail(type(self).__name__, field, f"= {values!r}: B, C and D must be positive")
            if values[3] > 1.0:
                fail(
                    type(self).__name__,
                    field,
                    f"= {values!r}: E must not be above 1, else the force changes its sign at large slip",
                )
            settle(self, **{field: values})

    @property
    def numbers(self) -> tuple[float, ...]:
        return (*self.x, *self.y)


@element
class FormulaTyre(Tyre):
    """Forces by formulas of `kappa`, `alpha` [rad] and `load` [N]; combined slip is up to them.

    x : force along the wheel [N], positive for κ > 0: number, formula, Table of kappa, or function f(kappa, alpha, load).
    y : force across [N], positive for α > 0: number, formula, Table of alpha, or function f(alpha, kappa, load).

    >>> FormulaTyre(x="load*tanh(20*kappa)", y="load*tanh(15*alpha)").y
    'load*tanh(15*alpha)'
    """

    x: FunctionValue
    y: FunctionValue
    kind: ClassVar[str] = "formula"
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"x": OF_X, "y": OF_Y}

    def __post_init__(self) -> None:
        for field, names in self.formula_fields.items():
            settle(self, **{field: stored_entry(getattr(self, field), names, type(self).__name__, field)})


ALL_TYRES: tuple[type[Tyre], ...] = Tyre.family.own()
