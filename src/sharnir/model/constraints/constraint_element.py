"""The interface between constraints and the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from sharnir.families import Family, Registered
from sharnir.model.constraints.constraint_equation import ScalarEquation
from sharnir.model.constraints.variables import JointCoordinate
from sharnir.model.element import Element
from sharnir.model.joints import Joint

if TYPE_CHECKING:
    from sharnir.model.contents import Contents


class ConstraintElement(Registered, Element, listed=False):
    """A named constraint; see the package's docstring for what the engine asks. Defining a subclass lists it.

    The engine has a writer of records for every class (dynamics.constraints.constraint_kinds); of a ScalarConstraint the equation
    is enough.

    >>> from sharnir.model import KnifeEdge
    >>> KnifeEdge.n_holonomic, KnifeEdge.n_nonholonomic
    (0, 1)
    """

    family: ClassVar[Family] = Family("constraint")
    n_holonomic: ClassVar[int] = 1
    n_nonholonomic: ClassVar[int] = 0

    @property
    def n_equations(self) -> int:
        """Number of scalar equations."""
        return self.n_holonomic + self.n_nonholonomic

    @property
    def nonholonomic(self) -> bool:
        """True if an equation restricts speeds and not positions."""
        return self.n_nonholonomic > 0

    @property
    def driven(self) -> tuple[bool, ...]:
        """Per equation that may contain time, whether it does."""
        return ()

    @property
    def conservative(self) -> bool:
        """Whether it keeps the energy: it does no work."""
        return not any(self.driven)

    @property
    def named_formulas(self) -> tuple[tuple[str, str], ...]:
        """(field, text) of formulas with names of the model in them; those of other variables are in `formula_fields`."""
        return ()

    def force_unit(self, joints: Mapping[str, Joint]) -> str:
        """Unit of its channel `force`: energy per unit of the constrained quantity."""
        return "N"

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies whose position or velocity stands in the equations, each once ("ground" included)."""
        return tuple(dict.fromkeys(name for _, name in self.body_references))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints whose coordinates stand in the equations, each once."""
        return tuple(dict.fromkeys(name for _, name in self.joint_references))


class ScalarConstraint(ConstraintElement, listed=False):
    """One equation between variables of the mechanism; the engine needs nothing but the equation.

    >>> from sharnir.model import Gear
    >>> gear = Gear("pair", "A", "B", ratio=2)
    >>> gear.n_equations, gear.joints
    (1, ('A', 'B'))
    """

    def equation(self, model: Contents) -> ScalarEquation:
        """The equation with its derivatives, made by `linear_equation` or `derived_equation` of `constraint_equation`."""
        raise NotImplementedError

    @property
    def described(self) -> str:
        """What messages call its equation."""
        return "its equation"


def unit_along(coordinate: JointCoordinate, joints: Mapping[str, Joint], label: str) -> str:
    """Unit of a force along a coordinate of a joint."""
    found = coordinate.resolved(joints, label, "joint")
    return "N" if joints[found.joint].units[found.freedom] == "m" else "N m"
