"""What a system was compiled from, and how another system of the same model is compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.model.value_plan import NotPlain, ValuePlan

if TYPE_CHECKING:
    from sharnir.dynamics.system import System


@dataclass(frozen=True)
class Rebuilding:
    """The functions of `model_compilation` that a system needs to compile another one; that module stands above `system`."""

    compiled: Callable[..., System]  # of a model, a formulation and `initial=`
    for_reactions: Callable[[Model], System]  # in absolute coordinates; least forces and torques where equations are redundant
    restarted: Callable[[System, Mapping[str, Any]], bool]  # puts a system with new numbers into its initial state


@dataclass
class Origin:
    """What a system was compiled from: a copy of the user's model, the settings, and how numbers follow from parameters."""

    system: System
    model: Model
    settings: Mapping[str, Any]
    plan: Any = None  # a Refill; False: there is none; None: not asked for yet (parameter_refill.py)
    planned: set[str] = field(default_factory=set)  # parameters that the plan may change
    many: Any = None  # a ParameterTable; False: there is none; None: too few systems were asked for
    filled: int = 0  # how many systems the plan was asked for
    asked: int = 0

    @cached_property
    def values(self) -> ValuePlan:
        """How the elements of the model follow from its parameters."""
        return ValuePlan(self.model)

    def varied(self, values: Mapping[str, float]) -> Model:
        """The model with other values of parameters."""
        try:
            return self.values.model(values)
        except (NotPlain, ModelError):
            return self.model.with_parameters(**values)  # says what is wrong, if something is

    def build(self, values: Mapping[str, float]) -> System:
        """The system of the model with other values of parameters, assembled again; its origin is the same."""
        other = self.system.rebuilding.compiled(self.varied(values), **self.settings)
        other.origin = self
        return other
